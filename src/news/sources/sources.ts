/**
 * The configured sources of real news.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { NewsSources } from "../NewsSources.ts"
import { gdeltUrl, type NewsFeed } from "./feeds.ts"
import { gdeltSource } from "./gdelt.ts"
import { defaultLimits, type Limits } from "./limits.ts"
import { feedSource } from "./feedSource.ts"

export interface NewsOptions {
  readonly feeds: ReadonlyArray<NewsFeed>
  readonly gdelt: boolean
  /** The service's address, sent in the User-Agent header. */
  readonly home: string
  readonly gdeltUrl?: string
  readonly limits?: Partial<Limits>
}

export const layer = (
  options: NewsOptions,
): Layer.Layer<NewsSources, never, HttpClient.HttpClient> =>
  Layer.effect(
    NewsSources,
    Effect.map(HttpClient.HttpClient, (client) => {
      const limits = { ...defaultLimits, ...options.limits }
      const userAgent = `Bellwether/1.0 (+${options.home})`
      const gdelt = options.gdelt
        ? [gdeltSource(client, options.gdeltUrl ?? gdeltUrl, userAgent, limits)]
        : []
      return [
        ...gdelt,
        ...options.feeds.map((feed) => feedSource(client, feed, userAgent, limits)),
      ]
    }),
  )
