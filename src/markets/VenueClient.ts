/**
 * The port to a prediction-market venue: what it lists, its books, its price history, its trades.
 *
 * An adapter decodes in two layers: a lenient wire shape, then a strict domain value or a counted
 * rejection. One bad row never loses a page, and a failed page is never the end of the data.
 *
 * @module
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { ActivityEvent } from "./domain/activity.ts"
import type { OrderBook } from "./domain/book.ts"
import type { MarketRules, Proposal } from "./domain/proposal.ts"
import type { Market, MarketFacts, MarketId, PricePoint, TokenId, Trade } from "./domain/market.ts"
import type { Resolution } from "./domain/resolution.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { Rejections } from "../core/stages.ts"
import type { Board, Standing } from "./domain/leaderboard.ts"

/** What was asked for, and what had to be left out of it. */
export interface Decoded<A> {
  readonly rows: ReadonlyArray<A>
  /** Rows that could not become domain values. */
  readonly rejected: Rejections
}

/** An act, and what its row says besides of the wallet that did it. */
export interface ActivityRow {
  readonly act: ActivityEvent
  /** The owner's name and the venue's pair of words for the wallet; empty where it has none. */
  readonly userName: string
  readonly pseudonym: string
}

/** One page of what a wallet did, newest first. */
export interface ActivityPage extends Decoded<ActivityRow> {
  /**
   * The oldest instant among all rows of the page, also those rejected or no act; null for a page
   * without rows.
   */
  readonly oldest: EpochMs | null
  /** Continues in the same range; null at its end. */
  readonly next: string | null
  /** Whether the range goes on beyond this page, and the venue gives no more of it; `next` is null. */
  readonly cut: boolean
}

/** Wallets, where the venue shows whose each trade is. */
export interface WalletSource {
  /** The categories that have leaderboards of their own, `overall` first. */
  readonly categories: readonly [string, ...ReadonlyArray<string>]
  /** The first `limit` wallets of a board, by rank. */
  readonly leaderboard: (
    board: Board,
    limit: number,
  ) => Effect.Effect<Decoded<Standing>, VenueUnavailable>
  /**
   * What a wallet did in `[from, to]` (both ends included), maker and taker, newest first; `cursor`
   * goes on exactly after the last row of an earlier page of the same range, for a row repeated
   * could not be told from another alike. It may repeat rows only when others have come in above them
   * meanwhile, so nobody asks for the last moments.
   */
  readonly activity: (
    wallet: string,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    cursor: string | null,
  ) => Effect.Effect<ActivityPage, VenueUnavailable>
}

/** The venue did not give a usable answer, after every retry its adapter allows. */
export class VenueUnavailable extends Schema.TaggedError<VenueUnavailable>()("VenueUnavailable", {
  operation: Schema.String,
  /** What went wrong in a few words; never a URL, a header or a body. */
  reason: Schema.String,
}) {}

export class VenueClient extends Context.Service<VenueClient, {
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
  /** What is known of these markets, open or closed; one the venue does not know is absent. */
  readonly facts: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<Decoded<MarketFacts>, VenueUnavailable>
  /** How these markets ended; one that has not, or of which nobody can say how, is absent. */
  readonly resolutions: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<Decoded<Resolution>, VenueUnavailable>
  /**
   * The outcomes that stand proposed at these markets, disputed ones too; a market that has none, has
   * ended, or of which nobody says which outcome was proposed, is absent.
   */
  readonly proposals: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<Decoded<Proposal>, VenueUnavailable>
  /** By which words these markets are decided, each cut to 4,000 characters; one without is absent. */
  readonly rules: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<Decoded<MarketRules>, VenueUnavailable>
  /** Null for a venue whose trades are anonymous: it yields no whale entries. */
  readonly wallets: WalletSource | null
}>()("bellwether/markets/VenueClient") {}
