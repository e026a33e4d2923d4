/**
 * A market that the feed has published: what is free to know of it.
 *
 * @module
 */
import { minute } from "../../core/domain/time.ts"
import type { Market, MarketStatus, SeriesPoint } from "../../markets/domain/market.ts"
import type { FeedHeading, MarketRef } from "./item.ts"

/** The newest items of all markets, and of one. */
export const recentMax = 50
/** How old an item is before page data says what it is about; until then only its buyers know. */
export const freeAfterMs = 15 * minute
/** How far back the path of one market goes; the series itself is kept a little longer. */
export const pathDays = 7
/** The most points of a path. */
export const pathPointsMax = 300

export interface PublishedMarket {
  /** As last listed; as at the newest item's publication if the listing is not stored. */
  readonly market: MarketRef
  /** Null if the listing is not stored. */
  readonly status: MarketStatus | null
  /** The best prices of the first outcome as last listed; null without a book, and as `status`. */
  readonly listed: Market["listed"]
  /** Of the last 24 hours, USD; null where the venue does not give it, and as `status`. */
  readonly volume24hUsd: number | null
  /** The mids of the first outcome in the last `pathDays` days, oldest first, at most `pathPointsMax`. */
  readonly path: ReadonlyArray<SeriesPoint>
  /** Its newest items older than `freeAfterMs`, newest first, at most `recentMax`. */
  readonly items: ReadonlyArray<FeedHeading>
}

/**
 * At most `max` points of a series in the order of time, `max` at least 2: the first point, and the
 * last one of each of `max - 1` equal parts of its time. No point is averaged or moved.
 */
export function thinned(
  points: ReadonlyArray<SeriesPoint>,
  max: number,
): ReadonlyArray<SeriesPoint> {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length <= max) return points
  const partMs = (last.at - first.at) / (max - 1)
  const ofPart = new Map(
    points.slice(1).map((
      point,
    ) => [Math.min(max - 1, Math.ceil((point.at - first.at) / partMs)), point]),
  )
  return [first, ...ofPart.values()]
}
