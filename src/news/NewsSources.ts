/**
 * The port to the news sources. Each is read on its own, so that a failure does not affect the others.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Headline } from "./domain/headline.ts"
import type { Decoded } from "../markets/VenueClient.ts"

/** A source did not return a usable answer, after every retry of its adapter. */
export class NewsUnavailable extends Schema.TaggedError<NewsUnavailable>()("NewsUnavailable", {
  source: Schema.String,
  /** A few words; never an address, a header or a body. */
  reason: Schema.String,
}) {}

export interface NewsSource {
  readonly name: string
  /**
   * Its newest headlines, in any order; duplicates are allowed. `topics` are groups of words that
   * belong together, the most important first; a source without a search ignores them.
   */
  readonly read: (
    topics: ReadonlyArray<ReadonlyArray<string>>,
  ) => Effect.Effect<Decoded<Headline>, NewsUnavailable>
}

export class NewsSources extends Context.Service<NewsSources, ReadonlyArray<NewsSource>>()(
  "bellwether/news/NewsSources",
) {}
