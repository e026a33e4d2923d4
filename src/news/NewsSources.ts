/**
 * The port to the news: every source there is, asked one by one, so that one that fails costs no
 * other.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Headline } from "./domain/headline.ts"
import type { Decoded } from "../markets/VenueClient.ts"

/** A source did not give a usable answer, after every retry its adapter allows. */
export class NewsUnavailable extends Schema.TaggedError<NewsUnavailable>()("NewsUnavailable", {
  source: Schema.String,
  /** In a few words; never an address, a header or a body. */
  reason: Schema.String,
}) {}

export interface NewsSource {
  readonly name: string
  /**
   * Its newest headlines, any order, duplicates allowed. `topics`: words that belong together, most
   * wanted first; a source that cannot be asked about anything gives what it has.
   */
  readonly read: (
    topics: ReadonlyArray<ReadonlyArray<string>>,
  ) => Effect.Effect<Decoded<Headline>, NewsUnavailable>
}

export class NewsSources extends Context.Service<NewsSources, ReadonlyArray<NewsSource>>()(
  "bellwether/news/NewsSources",
) {}
