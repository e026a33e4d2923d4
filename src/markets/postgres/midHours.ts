/**
 * A mid series as it is stored: its points gathered by the hour, and back.
 *
 * @module
 */
import type { SeriesPoint } from "../domain/market.ts"
import { hour } from "../../core/domain/time.ts"
import type { MidPoint } from "../MarketStore.ts"

/** One row: the n-th offset belongs to the n-th mid; no offset twice; in no order. */
export interface MidHour {
  readonly market_id: string
  /** Whole hours since the epoch. */
  readonly hour: number
  readonly offsets_ms: ReadonlyArray<number>
  readonly mids: ReadonlyArray<number>
}

/** Rows to append, one a market and hour; of two points at one time the later in the list stands. */
export function midHours(points: ReadonlyArray<MidPoint>): ReadonlyArray<MidHour> {
  const series = new Map<string, Map<number, Map<number, number>>>()
  for (const { marketId, at, mid } of points) {
    const hours = entry(series, marketId, () => new Map<number, Map<number, number>>())
    const whole = Math.floor(at / hour)
    entry(hours, whole, () => new Map<number, number>()).set(at - whole * hour, mid)
  }
  return [...series].flatMap(([market_id, hours]) =>
    [...hours].map(([hour, mids]) => ({
      market_id,
      hour,
      offsets_ms: [...mids.keys()],
      mids: [...mids.values()],
    }))
  )
}

/** The points of one market's rows, ascending by time. */
export function points(
  rows: ReadonlyArray<Omit<MidHour, "market_id">>,
): ReadonlyArray<SeriesPoint> {
  return rows.flatMap((row) =>
    row.mids.map((mid, n) => ({ at: row.hour * hour + (row.offsets_ms[n] ?? 0), mid }))
  ).sort((a, b) => a.at - b.at)
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const held = map.get(key) ?? make()
  map.set(key, held)
  return held
}
