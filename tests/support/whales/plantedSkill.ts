/**
 * Wallets with planted skill and short histories of different length: whether the interval of the shrunk
 * edge covers the true one, and what the wallets that are ranked first earn later.
 *
 * @module
 */
import { gaussian, mix, uniform } from "../../../src/venues/simulated/seed.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { calibrationTable, whaleRow } from "../../../src/whales/domain/whale.ts"
import { sumsOfBets, worldOf } from "./fairWorld.ts"

/** The planted edge of a wallet, USD a share, by a key of its own. */
export const plantedEdges = {
  "normal, 4 cents": (key: number) => 0.04 * gaussian(key),
  "normal, 2 cents": (key: number) => 0.02 * gaussian(key),
  "8 cents of 20 in 100": (key: number) => uniform(key) < 0.2 ? 0.08 : 0,
  "from -10 to 12 cents of 16 in 80": (key: number) =>
    [0.12, 0.06, -0.1, -0.05][Math.floor(20 * uniform(key))] ?? 0,
} as const

const facts = { source: "volume", marketMaker: false, openEntries: 0, pseudonym: "" } as const
const wallets = 100

/** Over `worlds` worlds: the share of true edges in their interval, and later edges in cents. */
export function rankedEdges(edgeOf: (key: number) => number, worlds: number) {
  let [covered, all] = [0, 0]
  const later = { shrunk: 0, winRate: 0, profit: 0 }
  for (let seed = 1; seed <= worlds; seed++) {
    const world = Array.from({ length: wallets }, (_, n) => walletOf(mix(seed, n), edgeOf))
    const table = calibrationTable(world.map(({ before }, n) => {
      const rates = ratesOf(sumsOfBets(before))
      if (rates === null) throw new Error("Cannot rank a wallet without bets")
      return { computedAt: 0, row: whaleRow(`${n}`, rates, "neutral", facts) }
    }))
    const rows = table?.wallets ?? []
    const trueEdge = (n: string) => meanOf(world[Number(n)]?.before ?? [], ({ edge }) => edge)
    covered += rows.filter(({ wallet, shrunkEdgeLow, shrunkEdgeHigh }) =>
      shrunkEdgeLow <= trueEdge(wallet) && trueEdge(wallet) <= shrunkEdgeHigh
    ).length
    all += rows.length
    const earned = (rank: (row: (typeof rows)[number]) => number) =>
      100 * meanOf(
        rows.toSorted((a, b) =>
          rank(b) - rank(a)
        ).slice(0, 10),
        ({ wallet }) =>
          meanOf(world[Number(wallet)]?.after ?? [], ({ paid, price }) => paid - price),
      )
    later.shrunk += earned(({ shrunkEdge }) => shrunkEdge) / worlds
    later.winRate += earned(({ winRate }) => winRate) / worlds
    later.profit += earned(({ mirrorRoi, stakeUsd }) => mirrorRoi * stakeUsd) / worlds
  }
  return { covered: covered / all, ...later }
}

/** A wallet with 30 to 400 bets in its own range of prices, and as many later ones. */
function walletOf(key: number, edgeOf: (key: number) => number) {
  const from = 0.1 + 0.7 * uniform(mix(key, 1))
  const bets = Math.round(30 + 370 * uniform(mix(key, 2)))
  const edge = edgeOf(mix(key, 3))
  const [all = []] = worldOf({
    wallets: 1,
    bets: 2 * bets,
    days: 2 * bets,
    lifeDays: [1, 1],
    rho: 0,
    edgeOf: () => edge,
    prices: [from, from + 0.14],
    seed: mix(key, 4),
  })
  return { before: all.slice(0, bets), after: all.slice(bets) }
}

function meanOf<A>(all: ReadonlyArray<A>, figure: (one: A) => number): number {
  return all.reduce((sum, one) => sum + figure(one), 0) / all.length
}
