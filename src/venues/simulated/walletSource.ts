/**
 * The wallet data of a simulated world as the venue publishes it: leaderboards and activity.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Parts } from "../../core/domain/parts.ts"
import { inSlices } from "../../core/slices.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { type Board, type BoardPeriod, boardPeriods } from "../../markets/domain/leaderboard.ts"
import type { WalletSource } from "../../markets/VenueClient.ts"
import { newestFirst } from "./activity.ts"
import { crowdActivity } from "./crowd.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

/** The world's time. Many calls follow one another, so requests are answered before each. */
export const worldNow = Effect.andThen(Effect.yieldNow, Clock.currentTimeMillis)

/** The crowd buys from `crowdFrom` on. */
export function walletSource(world: World, crowdFrom = Infinity): WalletSource {
  const byAddress = new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
  return {
    categories: boardCategories,
    leaderboard: (board, limit) =>
      Effect.map(
        Effect.flatMap(worldNow, (at) => inSlices(() => rankedIn(world, board, at))),
        (rows) => ({
          rows: rows.slice(0, Math.max(0, limit)).map(({ wallet }, index) => ({
            wallet: wallet.address,
            rank: index + 1,
            userName: wallet.userName,
          })),
          rejected: {},
        }),
      ),
    activity: (address, range) =>
      Effect.gen(function* () {
        const wallet = byAddress.get(address.toLowerCase())
        const known = { from: range.from, to: Math.min(yield* worldNow, range.to) }
        yield* inSlices(() => world.prepareActivity(known))
        const crowdRange = { from: Math.max(crowdFrom, known.from), to: known.to }
        const rows = wallet === undefined ? [] : [
          ...world.activity(wallet, known),
          ...crowdActivity(world, wallet, crowdRange),
        ].sort(newestFirst)
        return {
          rows: rows.map(({ wallet, market, outcome, kind, size, price, at, transaction }) => ({
            event: {
              wallet: wallet.address,
              marketId: market.id,
              tokenId: market.tokenIds[outcome],
              kind,
              size,
              price,
              at,
              transaction,
            },
            userName: wallet.userName,
            pseudonym: wallet.pseudonym,
          })),
          rejected: {},
          oldest: rows.at(-1)?.at ?? null,
          next: null,
          cut: false,
        }
      }),
  }
}

/** Of the leaderboards; the markets of the world have the same ones. */
const boardCategories = [
  "overall",
  "politics",
  "sports",
  "crypto",
  "economics",
  "geopolitics",
  "tech",
  "culture",
  "weather",
] as const

/** A wallet's result over a period: profit in USD, and volume in shares bought. */
interface BoardRow {
  readonly wallet: Wallet
  readonly pnl: number
  readonly volume: number
}

const periodMs: { readonly [P in BoardPeriod]: number } = {
  day,
  week: 7 * day,
  month: 30 * day,
  all: Infinity,
}
/** Rows by category and period. */
type Boards = ReadonlyMap<string, ReadonlyArray<BoardRow>>
/** The boards of a midnight are slow to compute, and kept until another is asked for. */
const latest = new WeakMap<World, { readonly midnight: EpochMs; readonly boards: Boards }>()

/**
 * The wallets with entries in markets that ended in the period before the last midnight, best first.
 * `category` is in upper or lower case.
 */
export function* rankedIn(
  world: World,
  { period, category, by }: Board,
  at: EpochMs,
): Parts<ReadonlyArray<BoardRow>> {
  const midnight = Math.floor(at / day) * day
  const known = latest.get(world)
  const boards = known?.midnight === midnight ? known.boards : yield* boardsAt(world, midnight)
  latest.set(world, { midnight, boards })
  return (boards.get(boardKey(category, period)) ?? [])
    .toSorted((a, b) => by === "volume" ? b.volume - a.volume : b.pnl - a.pnl)
}

function boardKey(category: string, period: BoardPeriod): string {
  return `${category.toLowerCase()} ${period}`
}

function* boardsAt(world: World, midnight: EpochMs): Parts<Boards> {
  yield* world.prepareActivity({ from: -Infinity, to: midnight })
  const boards = new Map<string, Map<Wallet, { pnl: number; volume: number }>>()
  for (const wallet of world.wallets) {
    for (const episode of world.truth.episodes(wallet, -Infinity, midnight)) {
      const { market, outcome, shares, stakeUsd } = episode
      const age = midnight - market.resolvedAt
      const payouts = world.truth.payouts(market)
      if (age < 0 || payouts === null) continue
      for (const period of boardPeriods.filter((period) => age < periodMs[period])) {
        for (const category of ["overall", market.category]) {
          const name = boardKey(category, period)
          const board = boards.get(name) ?? new Map()
          boards.set(name, board)
          const { pnl, volume } = board.get(wallet) ?? { pnl: 0, volume: 0 }
          board.set(wallet, {
            pnl: pnl + shares * payouts[outcome] - stakeUsd,
            volume: volume + shares,
          })
        }
      }
    }
    yield
  }
  return new Map(
    [...boards].map(([name, rows]) => [
      name,
      [...rows].map(([wallet, sums]) => ({ wallet, ...sums })),
    ]),
  )
}
