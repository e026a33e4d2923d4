/**
 * The port to the news sources. Each is read on its own, so that a failure does not affect the others.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { HttpFault } from "../core/httpReading.ts"
import type { Headline } from "./domain/headline.ts"
import type { Decoded } from "../markets/VenueClient.ts"

export interface NewsSource {
  readonly name: string
  /**
   * Its newest headlines, in any order; duplicates are allowed. `topics` are groups of words that
   * belong together, the most important first; a source without a search ignores them.
   */
  readonly read: (
    topics: ReadonlyArray<ReadonlyArray<string>>,
  ) => Effect.Effect<Decoded<Headline>, HttpFault>
}

export class NewsSources extends Context.Service<NewsSources, ReadonlyArray<NewsSource>>()(
  "bellwether/news/NewsSources",
) {}
