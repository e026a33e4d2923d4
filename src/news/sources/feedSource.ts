/**
 * A feed as a news source.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import type { NewsFeed } from "./feeds.ts"
import type { Limits } from "./limits.ts"
import { permanentFault } from "../../core/httpReading.ts"
import { pageReader } from "./requests.ts"
import type { ParseAnswer } from "./parse.ts"
import { headlinesOf } from "./rows.ts"

const accept = "application/rss+xml, application/atom+xml, application/feed+json, " +
  "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"

export function feedSource(
  client: HttpClient.HttpClient,
  { name, url }: NewsFeed,
  userAgent: string,
  limits: Limits,
  parse: ParseAnswer,
): NewsSource {
  const readPage = pageReader(client, limits)
  const { rowsMax } = limits
  const read = Effect.gen(function* () {
    const page = yield* readPage({ url, headers: { accept, "user-agent": userAgent } })
    const parsed = yield* parse({ format: "feed", ...page, source: name, rowsMax })
    if ("failed" in parsed) return yield* permanentFault(parsed.failed)
    const rows = parsed.filter((row) => typeof row !== "string")
    return headlinesOf(rows, yield* Clock.currentTimeMillis, rowsMax)
  }).pipe(Effect.mapError(({ reason }) => new NewsUnavailable({ source: name, reason })))
  return { name, read: () => read }
}
