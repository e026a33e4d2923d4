/**
 * What a digest is made from: all that happened in its window, and how much of the world was looked
 * at. Any order; whatever is chosen of it is chosen by its own words and figures.
 *
 * @module
 */
import type { FeedItem } from "../../feed/domain/item.ts"
import type { Market } from "../../markets/domain/market.ts"
import type { Headline } from "../../news/domain/headline.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { EpochMs } from "../../core/domain/time.ts"

export type MoverItem = Extract<FeedItem, { type: "mover" }>
export type WhaleEntryItem = Extract<FeedItem, { type: "whale_entry" }>
export type PredeterminedItem = Extract<FeedItem, { type: "predetermined" }>

/** A market in which tracked wallets have entries, of which the end became known in the window. */
export interface EndedMarket {
  readonly market: Pick<Market, "slug" | "question" | "outcomes">
  readonly resolution: Resolution
  /** When its end was known. */
  readonly endedAt: EpochMs
}

/** A headline, and the slugs of the markets it was found for: those in play; empty for the rest. */
export interface DigestHeadline extends Headline {
  readonly markets: ReadonlyArray<string>
}

/** A market that ends soon. */
export interface UpcomingMarket
  extends Pick<Market, "slug" | "question" | "outcomes" | "liquidityUsd"> {
  readonly endsAt: EpochMs
  /** Of the first outcome. */
  readonly mid: number
}

/** What may fail to be read without the digest failing: nothing is said of it then, but that. */
const digestParts = ["whales", "news", "upcoming"] as const
export type DigestPart = typeof digestParts[number]

/** How much was looked at: what a digest must say of itself. */
interface DigestCoverage {
  /** Markets whose prices were kept at the end of the window. */
  readonly marketsWatched: number
  /** When the venue was last read whole; null when it never was. */
  readonly venueReadAt: EpochMs | null
  /** News sources, and how many of them answered; null when news is off. */
  readonly news: { readonly sources: number; readonly answered: number } | null
  /** Wallets whose entries are followed. */
  readonly walletsTracked: number
  /** Who looks for outcomes that already exist: rules read the venue's own word alone. */
  readonly detector: "rules" | "model"
  /** Feed items of the window that were not read, because there were more than are read at once. */
  readonly itemsUnread: number
  /**
   * What could not be read: `whales` (who is tracked, and how their markets ended), `news`, `upcoming`
   * (what ends soon).
   */
  readonly missing: ReadonlyArray<DigestPart>
}

export interface DigestMaterial {
  /**
   * The end of the digest before, and of this one. Items are of the stretch of the feed that became
   * visible between them: one that was late may have been made a little earlier.
   */
  readonly from: EpochMs
  readonly until: EpochMs
  readonly movers: ReadonlyArray<MoverItem>
  readonly whaleEntries: ReadonlyArray<WhaleEntryItem>
  readonly predetermined: ReadonlyArray<PredeterminedItem>
  readonly resolutions: ReadonlyArray<EndedMarket>
  readonly headlines: ReadonlyArray<DigestHeadline>
  /** Not those in `resolutions`. */
  readonly upcoming: ReadonlyArray<UpcomingMarket>
  readonly coverage: DigestCoverage
}
