/**
 * Worlds of wallets whose skill is known, judged many times while their markets end: drawn directly,
 * so that hundreds of worlds take minutes. The scores, sums, evidence and labels are the product's.
 *
 * @module
 */
import { gaussian, mix, normalQuantile, uniform } from "../../../src/venues/simulated/seed.ts"
import { normalCdf } from "../../../src/core/domain/student.ts"
import { day } from "../../../src/core/domain/time.ts"
import { type Bet, evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { isJudged, labels, mayBeLabelled } from "../../../src/whales/domain/label.ts"
import { ratesOf } from "../../../src/whales/domain/rates.ts"
import { sumsOf, type WalletSums } from "../../../src/whales/domain/score.ts"
import { entry } from "./records.ts"

export interface WorldPlan {
  readonly wallets: number
  readonly bets: number
  /** Bets are opened on random days of these. */
  readonly days: number
  /** How long markets are open, days. */
  readonly lifeDays: readonly [least: number, most: number]
  /** Correlation of the results of bets that are open at the same time, over all wallets. */
  readonly rho: number
  /**
   * The part of that common factor that is the same a day later. Then earlier results say something about
   * later ones, and prices, which ignore it, are not fair. Without it prices are fair.
   */
  readonly persistence?: number
  /** The probability of an entry's outcome above its price, by wallet. */
  readonly edgeOf: (wallet: number) => number
  readonly prices: readonly [least: number, most: number]
  readonly seed: number
}

/** A bet with the probability that its outcome had when it was made, given all that was known. */
export interface TrueBet extends Bet {
  readonly endedAt: number
  readonly paid: 0 | 1
  readonly stakeUsd: number
  readonly edge: number
}

/**
 * The bets of each wallet. One path moves all markets: a market's result depends on the path's change
 * while it is open, so what happened before it was opened says nothing, and prices are fair.
 */
export function worldOf(plan: WorldPlan): ReadonlyArray<ReadonlyArray<TrueBet>> {
  const path = [0]
  for (let n = 1; n <= plan.days + plan.lifeDays[1]; n++) {
    path.push((path[n - 1] ?? 0) + gaussian(mix(mix(plan.seed, 1), n)))
  }
  const at = (n: number) => path[n] ?? 0
  const regimes = regimesOf(plan)
  return Array.from(
    { length: plan.wallets },
    (_, wallet) =>
      Array.from({ length: plan.bets }, (_, n): TrueBet => {
        const key = mix(mix(mix(plan.seed, 2), wallet), n)
        const draw = (part: number, [from, to]: readonly [number, number]) =>
          from + (to - from) * uniform(mix(key, part))
        const price = draw(1, plan.prices)
        const opened = Math.floor(draw(2, [0, plan.days]))
        const life = Math.round(draw(3, plan.lifeDays))
        const common = regimes[opened] ?? (at(opened + life) - at(opened)) / Math.sqrt(life)
        const own = normalQuantile(uniform(mix(key, 4)))
        const latent = Math.sqrt(plan.rho) * common + Math.sqrt(1 - plan.rho) * own
        const probability = Math.min(0.99, Math.max(0.01, price + plan.edgeOf(wallet)))
        return {
          price,
          openedAt: (opened + draw(5, [0, 0.9])) * day,
          endedAt: (opened + life) * day + day - 1,
          paid: normalCdf(latent) < probability ? 1 : 0,
          stakeUsd: 100 * 50 ** uniform(mix(key, 6)),
          edge: probability - price,
        }
      }),
  )
}

/** A persistent factor of each day, standard normal; empty without one. */
function regimesOf({ seed, days, persistence }: WorldPlan): ReadonlyArray<number> {
  if (persistence === undefined) return []
  const draw = (n: number) => gaussian(mix(mix(seed, 3), n))
  const factors = [draw(0)]
  for (let n = 1; n < days; n++) {
    factors.push(persistence * (factors[n - 1] ?? 0) + Math.sqrt(1 - persistence ** 2) * draw(n))
  }
  return factors
}

/** A wallet's sums over bets; each is a market and an event of its own. */
export function sumsOfBets(bets: ReadonlyArray<TrueBet>): WalletSums {
  return sumsOf(bets.map(({ price, openedAt, paid, stakeUsd }) => [{
    entries: [entry({ price, stakeUsd, firstFillAt: openedAt, lastFillAt: openedAt })],
    payouts: paid === 1 ? [1, 0] : [0, 1],
    feeRate: 0,
  }]))
}

/** The labels of the judged wallets at each of these rising instants. */
export function labelsAt(world: ReturnType<typeof worldOf>, looks: ReadonlyArray<number>) {
  return looks.map((at) => {
    const judged = world.flatMap((bets, wallet) => {
      const rates = ratesOf(sumsOfBets(bets.filter(({ endedAt }) => endedAt <= at)))
      if (rates === null || !isJudged(rates)) return []
      // Unused evidence takes most of the time.
      const evidence = mayBeLabelled(rates)
        ? evidenceOf(knownAt(bets, at), 0)
        : { follow: 0, fade: 0 }
      return [[`${wallet}`, { ...rates, evidence }] as const]
    })
    return labels(new Map(judged))
  })
}

const knownAt = (bets: ReadonlyArray<TrueBet>, at: number): ReadonlyArray<Bet> =>
  bets.filter(({ openedAt }) => openedAt <= at)
    .map((bet) => bet.endedAt <= at ? bet : { ...bet, endedAt: null, paid: null })

/** Whether a wallet has a label at any of `looks`, evenly spread over the world's days. */
export function isEverLabelled(plan: WorldPlan, looks: number): boolean {
  const end = (plan.days + plan.lifeDays[1] + 1) * day
  const instants = Array.from({ length: looks }, (_, look) => (look + 1) * end / looks)
  return labelsAt(worldOf(plan), instants)
    .some((given) => [...given.values()].some((label) => label !== "neutral"))
}

/** 40 bets a month for 28 months, open for a month: a wallet without skill has about 40 at a time. */
export const monthlyWorld = { days: 28 * 30, bets: 28 * 40, lifeDays: [25, 35] } as const
/** A bet a day for 20 months, each paid on the next day. */
export const dailyWorld = { days: 600, bets: 600, lifeDays: [1, 1] } as const
