/**
 * What the price did after an item: the price an hour and a day after publication.
 *
 * @module
 */
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import { lastIn, type PriceSeries } from "./priceSeries.ts"

const horizons = ["1h", "24h"] as const
export type Horizon = (typeof horizons)[number]
const horizonMs: Readonly<Record<Horizon, number>> = { "1h": hour, "24h": day }

/** The scorecard accepts a price at most this far from the instant (three ticks of ten minutes). */
const offsetMsMax = 30 * minute

/** Items whose prices are not known yet, in order of publication; mutated. */
export interface Awaiting<Item> {
  readonly open: Record<Horizon, Array<Item>>
}

export function awaiting<Item>(): Awaiting<Item> {
  return { open: { "1h": [], "24h": [] } }
}

/**
 * Settles every item whose instant has come, now that the market's next point is known and appended.
 * The price is the last point after publication and at or before the instant, else the first one after
 * it; null when neither is within 30 minutes (or a tick, when that is longer) of the instant.
 */
export function settle<Item extends { readonly now: EpochMs }>(
  { open }: Awaiting<Item>,
  series: PriceSeries,
  { at, mid }: SeriesPoint,
  tickIntervalMs: number,
  onOutcome: (item: Item, horizon: Horizon, price: number | null) => void,
): void {
  const reach = Math.max(offsetMsMax, tickIntervalMs)
  for (const horizon of horizons) {
    const items = open[horizon]
    let due = 0
    for (const item of items) {
      const instant = item.now + horizonMs[horizon]
      if (instant > at) break
      const before = lastIn(series, Math.max(item.now + 1, instant - reach), instant)
      onOutcome(item, horizon, before?.mid ?? (at <= instant + reach ? mid : null))
      due += 1
    }
    if (due > 0) items.splice(0, due)
  }
}

/** Settles all items at the market's last row: at the payout when it was paid, else as unknown. */
export function settleAll<Item>(
  { open }: Awaiting<Item>,
  payout: number | null,
  onOutcome: (item: Item, horizon: Horizon, price: number | null) => void,
): void {
  for (const horizon of horizons) {
    open[horizon].splice(0).forEach((item) => onOutcome(item, horizon, payout))
  }
}
