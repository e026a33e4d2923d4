/**
 * The port to a prediction-market venue: what it lists, its books, its price history, its trades.
 *
 * An adapter decodes in two layers: a lenient wire shape, then a strict domain value or a counted
 * rejection. One bad row never loses a page, and a failed page is never the end of the data.
 *
 * @module
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { OrderBook } from "../domain/book.ts"
import type { Market, MarketId, PricePoint, TokenId, Trade } from "../domain/market.ts"
import type { EpochMs } from "../domain/time.ts"

/** Rows that could not become domain values, counted by reason (short, stable, `snake_case`). */
export type Rejections = Readonly<Record<string, number>>

/** What was asked for, and what had to be left out of it. */
export interface Decoded<A> {
  readonly rows: ReadonlyArray<A>
  readonly rejected: Rejections
}

/** The venue did not give a usable answer, after every retry its adapter allows. */
export class VenueUnavailable extends Schema.TaggedError<VenueUnavailable>()("VenueUnavailable", {
  operation: Schema.String,
  /** What went wrong in a few words; never a URL, a header or a body. */
  reason: Schema.String,
}) {}

export class VenueClient extends Context.Service<VenueClient, {
  readonly name: string
  /**
   * Every open market, a page at a time, each market at least once. Fails only when a page stays
   * unavailable after its retries: what was emitted before stands, and the sweep is not complete.
   */
  readonly listMarkets: Stream.Stream<Decoded<Market>, VenueUnavailable>
  /** The books of these tokens, in any order; a token without a book is simply absent. */
  readonly books: (
    tokenIds: ReadonlyArray<TokenId>,
  ) => Effect.Effect<Decoded<OrderBook>, VenueUnavailable>
  /**
   * Prices of one token in `[from, to]`, about one every `stepMs` (a minute at least), as far as the
   * venue keeps them.
   */
  readonly priceHistory: (
    tokenId: TokenId,
    range: { readonly from: EpochMs; readonly to: EpochMs; readonly stepMs: number },
  ) => Effect.Effect<ReadonlyArray<PricePoint>, VenueUnavailable>
  /** Fills of one market (both tokens, maker and taker) since an instant, newest first, at most 1,000. */
  readonly trades: (
    marketId: MarketId,
    since: EpochMs,
  ) => Effect.Effect<Decoded<Trade>, VenueUnavailable>
}>()("bellwether/services/VenueClient") {}
