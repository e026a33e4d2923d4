/**
 * What the stages of one tick share: the ports they work through, and counting by reason.
 *
 * @module
 */
import type { FeedStore } from "./FeedStore.ts"
import type { MarketStore } from "./MarketStore.ts"
import type { Rejections, VenueClient } from "./VenueClient.ts"

export type { Rejections } from "./VenueClient.ts"

/** The ports a tick works through. */
export interface TickServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
}

/** Adds one count of reasons to another. */
export function tally(into: Record<string, number>, counts: Rejections): void {
  for (const [reason, count] of Object.entries(counts)) into[reason] = (into[reason] ?? 0) + count
}
