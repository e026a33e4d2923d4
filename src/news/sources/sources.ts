/**
 * The configured sources of real news.
 *
 * @module
 */
import { Clock, Effect, Layer, Result } from "effect"
import { HttpClient } from "effect/http"
import { permanentFault } from "../../core/httpReading.ts"
import { type NewsSource, NewsSources, NewsUnavailable } from "../NewsSources.ts"
import { feedRows } from "./feedRows.ts"
import { gdeltUrl, type NewsFeed } from "./feeds.ts"
import { gdeltSource } from "./gdelt.ts"
import { defaultLimits, type Limits } from "./limits.ts"
import { pageReader } from "./requests.ts"
import { headlinesOf } from "./rows.ts"

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

const accept = "application/rss+xml, application/atom+xml, application/feed+json, " +
  "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"

function feedSource(
  client: HttpClient.HttpClient,
  { name, url }: NewsFeed,
  userAgent: string,
  limits: Limits,
): NewsSource {
  const readPage = pageReader(client, limits)
  const { rowsMax } = limits
  const read = Effect.gen(function* () {
    const text = yield* readPage({ url, headers: { accept, "user-agent": userAgent } })
    const rows = feedRows(text, name, rowsMax)
    if (Result.isFailure(rows)) return yield* permanentFault(rows.failure)
    return headlinesOf(rows.success, yield* Clock.currentTimeMillis, rowsMax)
  }).pipe(Effect.mapError(({ reason }) => new NewsUnavailable({ source: name, reason })))
  return { name, read: () => read }
}
