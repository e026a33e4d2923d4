/**
 * Worlds of wallets whose skill is known, judged many times while their events end: drawn directly,
 * so that hundreds of worlds take minutes. The scores, sums and labels are the product's.
 *
 * @module
 */
import { mix, uniform } from "../../../src/venues/simulated/seed.ts"
import { judgementOf, labels } from "../../../src/whales/domain/label.ts"
import {
  type EnteredMarket,
  eventScores,
  noSums,
  recount,
  type WalletSums,
} from "../../../src/whales/domain/score.ts"
import { entry } from "./records.ts"

export interface WalletPlan {
  readonly events: number
  /** The highest probability of an entry's outcome above its price. */
  readonly edge: number
  readonly prices: readonly [from: number, to: number]
  /** How often an event has three markets, of which later ones follow earlier ones or exclude them. */
  readonly sharedShare: number
  /** Where the events before the selection end, as a share of all. */
  readonly selectedShare: number
  /** Turns each bet of the wallet's into a world's outcome draw; the same seed is the same record. */
  readonly seed: number
}

/** One event of the wallet's, the n-th in time: all of its markets, ended. */
function eventOf(plan: WalletPlan, n: number): ReadonlyArray<EnteredMarket> {
  const key = mix(plan.seed, n)
  const [from, to] = plan.prices
  const markets = uniform(mix(key, 1)) < plan.sharedShare ? 3 : 1
  const draw = uniform(mix(key, 2))
  return Array.from({ length: markets }, (_, m): EnteredMarket => {
    const price = from + (to - from) * uniform(mix(key, 10 + m))
    // One draw for all markets of the event.
    const won = draw < Math.min(0.99, price + plan.edge)
    const openedAt = n * 10_000 + m
    const bought = entry({
      ...{ price, firstFillAt: openedAt, lastFillAt: openedAt },
      stakeUsd: 100 * 50 ** uniform(mix(key, 20 + m)),
    })
    return {
      entries: uniform(mix(key, 30 + m)) < plan.sharedShare ? [bought, bought] : [bought],
      ended: { payouts: won ? [1, 0] : [0, 1], at: openedAt + 5_000, waits: false },
      feeRate: 0,
    }
  })
}

/** The sums of a wallet after each of `looks`, evenly spread over its events. */
export function sumsByLook(plan: WalletPlan, looks: number): ReadonlyArray<WalletSums> {
  const seen: Array<WalletSums> = []
  const selectedAt = plan.selectedShare * plan.events * 10_000
  let sums = noSums
  for (let n = 0; n < plan.events; n++) {
    const scores = eventScores(eventOf(plan, n), selectedAt).flatMap((score) => score ?? [])
    sums = recount(sums, [], scores)
    while ((seen.length + 1) * plan.events <= (n + 1) * looks) seen.push(sums)
  }
  return seen
}

/** The labels of all wallets at each look; a wallet that is not judged has none. */
export function labelsByLook(
  plans: ReadonlyArray<WalletPlan>,
  looks: number,
): ReadonlyArray<ReturnType<typeof labels>> {
  const records = plans.map((plan) => sumsByLook(plan, looks))
  return Array.from({ length: looks }, (_, look) => {
    const judged = records.flatMap((record, wallet) => {
      const judgement = judgementOf(record[look] ?? noSums)
      return judgement === null ? [] : [[`${wallet}`, judgement] as const]
    })
    return labels(new Map(judged))
  })
}

/** The 100 wallets of the aims: 30 to 400 events at .02 to .95, a third of them shared. */
export const fairWorld = (seed: number, wallets = 100): ReadonlyArray<WalletPlan> =>
  Array.from({ length: wallets }, (_, wallet) => {
    const key = mix(seed, wallet)
    return {
      events: Math.round(30 + 370 * uniform(mix(key, 1))),
      edge: 0,
      prices: [0.02, 0.94],
      sharedShare: 0.3,
      selectedShare: 0,
      seed: mix(key, 2),
    }
  })

/** 100 wallets with 600 events at .30 to .70, of which the first 20 have 8 points of edge. */
export const skilledWorld = (
  seed: number,
  changed: Partial<WalletPlan> = {},
  wallets = 100,
): ReadonlyArray<WalletPlan> =>
  Array.from({ length: wallets }, (_, wallet) => ({
    events: 600,
    edge: wallet < wallets / 5 ? 0.08 : 0,
    prices: [0.3, 0.7],
    sharedShare: 0,
    selectedShare: 0,
    seed: mix(mix(seed, wallet), 3),
    ...changed,
  }))
