/**
 * A feed as a news source.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { HttpClient } from "effect/http"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import type { NewsFeed } from "./feeds.ts"
import type { Limits } from "./limits.ts"
import { permanentFault } from "../../core/httpReading.ts"
import { feedRows } from "./feedRows.ts"
import { pageReader } from "./requests.ts"
import { headlinesOf } from "./rows.ts"

const accept = "application/rss+xml, application/atom+xml, application/feed+json, " +
  "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"

export function feedSource(
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
