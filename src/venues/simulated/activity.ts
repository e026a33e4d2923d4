/**
 * All wallet activity in a simulated world: which wallets trade in which markets.
 *
 * @module
 */
import { day, type EpochMs } from "../../core/domain/time.ts"
import type { Catalogue, SimulatedMarket } from "./catalogue.ts"
import { makeMemo } from "./memo.ts"
import type { WorldOptions } from "./options.ts"
import { mix, uniform } from "./seed.ts"
import { type Activity, entryOf, entryTimeOf, type Wallet, type WalletView } from "./wallets.ts"

/** What a wallet does in `[from, to]`, newest first. */
export type ActivityLog = (
  wallet: Wallet,
  range: { readonly from: EpochMs; readonly to: EpochMs },
) => ReadonlyArray<Activity>

export function makeActivityLog(
  options: WorldOptions,
  catalogue: Catalogue,
  view: WalletView,
  wallets: ReadonlyArray<Wallet>,
): ActivityLog {
  const beganAt = options.origin - options.walletDays * day
  const opened = openingsOf(options, catalogue)
  const cached = makeMemo<ReadonlyArray<Activity>>()

  const takesPart = (wallet: Wallet, market: SimulatedMarket): boolean => {
    const { key, group } = wallet
    const enteredAt = entryTimeOf(wallet, market)
    if (enteredAt < beganAt || (group.daily === true && !market.daily)) return false
    if (group.edge === 0 && enteredAt >= options.livelyFrom) return true
    const openedPerDay = group.daily === true ? opened.daily : opened.all
    return uniform(mix(mix(key, market.key), 8)) * openedPerDay < group.entriesPerDay
  }
  const entriesIn = (market: SimulatedMarket): ReadonlyArray<Activity> =>
    cached(
      market.number,
      () =>
        wallets.flatMap((wallet) => takesPart(wallet, market) ? entryOf(view, wallet, market) : []),
    )

  return (wallet, { from, to }) => {
    const found: Array<Activity> = []
    for (let slot = 0; slot < catalogue.slots; slot++) {
      const last = catalogue.at(slot, to).generation
      const first = catalogue.at(slot, Math.max(from, beganAt)).generation
      for (let n = first; n <= last; n++) {
        const rows = entriesIn(catalogue.generation(slot, n))
        found.push(...rows.filter((row) => row.wallet === wallet && row.at >= from && row.at <= to))
      }
    }
    return found.sort(newestFirst)
  }
}

/** Markets that open in a day. */
function openingsOf({ origin }: WorldOptions, catalogue: Catalogue) {
  const live = Array.from({ length: catalogue.slots }, (_, slot) => catalogue.at(slot, origin))
  const perDay = (markets: ReadonlyArray<SimulatedMarket>) =>
    markets.reduce((sum, { opensAt, resolvedAt }) => sum + day / (resolvedAt - opensAt), 0)
  return { all: perDay(live), daily: perDay(live.filter(({ daily }) => daily)) }
}

/** Within a second, orders by transaction, so that the rows of a transaction are adjacent. */
function newestFirst(a: Activity, b: Activity): number {
  return b.at - a.at || (a.transaction < b.transaction ? -1 : a.transaction > b.transaction ? 1 : 0)
}
