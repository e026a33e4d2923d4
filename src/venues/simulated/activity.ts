/**
 * All wallet activity in a simulated world: which wallets trade in which markets, and what they do.
 *
 * @module
 */
import type { Parts } from "../../core/domain/parts.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { type Catalogue, type SimulatedMarket, slotsOf } from "./catalogue.ts"
import { makeMemo, marketCacheSize } from "./memo.ts"
import type { WorldOptions } from "./options.ts"
import { type Activity, type Episode, type Plan, planOf, type WalletView } from "./plans.ts"
import { mix, uniform } from "./seed.ts"
import type { Wallet } from "./wallets.ts"

interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

export interface ActivityLog {
  /** What a wallet does in `[from, to]`, newest first. */
  readonly activity: (wallet: Wallet, range: Range) => ReadonlyArray<Activity>
  /** A wallet's entries that start in `[from, to]`, hedges included, ascending. */
  readonly episodes: (wallet: Wallet, from: EpochMs, to: EpochMs) => ReadonlyArray<Episode>
  /** Computes in parts what the activity of all wallets in a range needs, so that it is then quick. */
  readonly prepare: (range: Range) => Parts<void>
}

/** Plans of a market by wallet number. */
type MarketPlans = ReadonlyMap<number, Plan>

export function makeActivityLog(
  options: WorldOptions,
  catalogue: Catalogue,
  view: WalletView,
  wallets: ReadonlyArray<Wallet>,
): ActivityLog {
  const beganAt = options.origin - options.walletDays * day
  const slots = slotsOf(options).ordinary
  const opened = openingsOf(options)
  const cached = makeMemo<MarketPlans>(2 * marketCacheSize(options.markets))

  const takesPart = ({ key, group }: Wallet, market: SimulatedMarket): boolean => {
    if (group.daily === true && !market.daily) return false
    const openedPerDay = slots * (group.daily === true ? opened.daily : opened.all)
    const together = uniform(mix(mix(key, market.eventKey), 7)) < group.eventShare
    const draw = mix(mix(key, together ? market.eventKey : market.key), 8)
    return uniform(draw) * openedPerDay < group.entriesPerDay
  }
  const plansIn = (market: SimulatedMarket): MarketPlans =>
    cached(market.number, () =>
      new Map(
        market.bookKind !== "valid" ? [] : wallets.flatMap((wallet) => {
          const plan = takesPart(wallet, market) ? planOf(view, wallet, market) : null
          const began = plan?.activity[0]?.at ?? 0
          return plan === null || began < beganAt ? [] : [[wallet.number, plan] as const]
        }),
      ))
  /** Ordinary and sports markets that are live in the range. */
  function* marketsIn({ from, to }: Range): Generator<SimulatedMarket> {
    for (let slot = 0; slot < slots; slot++) {
      const last = catalogue.at(slot, to).generation
      const first = catalogue.at(slot, Math.max(from, beganAt)).generation
      for (let index = first; index <= last; index++) yield catalogue.generation(slot, index)
    }
  }
  const plansOf = (wallet: Wallet, range: Range): ReadonlyArray<Plan> =>
    [...marketsIn(range)].flatMap((market) => plansIn(market).get(wallet.number) ?? [])

  return {
    activity: (wallet, { from, to }) =>
      plansOf(wallet, { from, to })
        .flatMap(({ activity }) => activity.filter(({ at }) => at >= from && at <= to))
        .sort(newestFirst),
    episodes: (wallet, from, to) =>
      plansOf(wallet, { from, to })
        .flatMap(({ episodes }) => episodes.filter(({ firstFillAt: at }) => at >= from && at <= to))
        .sort((a, b) => a.firstFillAt - b.firstFillAt),
    prepare: function* (range) {
      for (const market of marketsIn(range)) {
        plansIn(market)
        yield
      }
    },
  }
}

/** Markets with valid books that one slot opens a day; a life is `short + (long - short) u^2` days. */
function openingsOf(
  { sportsShare, dailyShare, invalidBookShare, lifeDays: [short, long] }: WorldOptions,
) {
  const spread = Math.max(1e-9, long - short)
  const longer = Math.atan(Math.sqrt(spread / short)) / Math.sqrt(short * spread)
  // A sports market is listed for 2 to 5 days.
  const sports = Math.log(5 / 2) / 3
  const daily = (1 - invalidBookShare) * (1 - sportsShare) * dailyShare
  const others = sportsShare * sports + (1 - sportsShare) * (1 - dailyShare) * longer
  return { daily, all: daily + (1 - invalidBookShare) * others }
}

/** Within a second, orders by transaction, so that the rows of a transaction are adjacent. */
export function newestFirst(a: Activity, b: Activity): number {
  return b.at - a.at || (a.transaction < b.transaction ? -1 : a.transaction > b.transaction ? 1 : 0)
}
