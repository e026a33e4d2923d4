/**
 * The port to the stored headlines, and to when each source last answered.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Headline } from "./domain/headline.ts"
import type { Verdict } from "./domain/reading.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { MarketId } from "../markets/domain/market.ts"

/** What a model found in the story whose first publication has this address, about a market. */
export interface StoredVerdict {
  readonly marketId: MarketId
  readonly url: string
  readonly verdict: Verdict
}

export class NewsStore extends Context.Service<NewsStore, {
  /**
   * Stores those with a new address, and each title of a source once a day (UTC); returns how many. Any
   * number; batched inside.
   */
  readonly add: (headlines: ReadonlyArray<Headline>, seenAt: EpochMs) => Effect.Effect<number>
  /** A read older than the stored one changes nothing. */
  readonly saveRead: (source: string, readAt: EpochMs, answered: boolean) => Effect.Effect<void>
  /** The names of the sources that answered after `after`, ascending. */
  readonly answered: (after: EpochMs) => Effect.Effect<ReadonlyArray<string>>
  /** Published at `from` or later, newest first and then by address, at most `limit`. */
  readonly since: (from: EpochMs, limit: number) => Effect.Effect<ReadonlyArray<Headline>>
  /** Stores verdicts about stored headlines; the first verdict on a pair stays. Any number. */
  readonly addVerdicts: (
    verdicts: ReadonlyArray<StoredVerdict>,
    readAt: EpochMs,
  ) => Effect.Effect<void>
  /** The verdicts about these markets, in any order. */
  readonly verdicts: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyArray<StoredVerdict>>
  /**
   * Deletes headlines published before `before`, headlines beyond the newest `max`, and sources not
   * read since `before`, of each at most `pruneStepMs` after the oldest. Their verdicts go with them.
   */
  readonly prune: (before: EpochMs, max: number) => Effect.Effect<void>
}>()("bellwether/news/NewsStore") {}
