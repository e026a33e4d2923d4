/**
 * A feed as a news source, with conditional requests.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { RawHeadline } from "../domain/headline.ts"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import type { NewsFeed } from "./feeds.ts"
import type { Limits } from "./limits.ts"
import { permanentFault } from "../../core/httpReading.ts"
import { pageReader } from "./requests.ts"
import type { ParseAnswer } from "./parse.ts"
import { headlinesOf } from "./rows.ts"

/** The last answer of the feed, with its validators. */
interface CachedFeed {
  readonly rows: ReadonlyArray<RawHeadline>
  readonly etag: string | null
  readonly lastModified: string | null
}

export function feedSource(
  client: HttpClient.HttpClient,
  { name, url }: NewsFeed,
  userAgent: string,
  limits: Limits,
  parse: ParseAnswer,
): NewsSource {
  const readPage = pageReader(client, limits)
  let cached: CachedFeed | null = null

  const request = Effect.fnUntraced(function* (before: CachedFeed | null) {
    const page = yield* readPage({
      url,
      headers: {
        accept: "application/rss+xml, application/atom+xml, application/feed+json, " +
          "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1",
        "user-agent": userAgent,
        ...conditions(before),
      },
      waitForTurn: Effect.void,
    })
    if (page.status === "unchanged") {
      return before === null ? yield* permanentFault("unexpected 304") : before
    }
    const { body, contentType, etag, lastModified } = page
    const rowsMax = limits.rowsMax
    const parsed = yield* parse({ format: "feed", body, contentType, source: name, rowsMax })
    if ("failed" in parsed) return yield* permanentFault(parsed.failed)
    return { rows: parsed.filter((row) => typeof row !== "string"), etag, lastModified }
  })

  const read = Effect.gen(function* () {
    // The rows are returned again after a 304, because the store may have missed them.
    cached = yield* request(cached)
    return headlinesOf(cached.rows, yield* Clock.currentTimeMillis, limits.rowsMax)
  }).pipe(Effect.mapError(({ reason }) => new NewsUnavailable({ source: name, reason })))

  return { name, read: () => read }
}

function conditions(cached: CachedFeed | null): Readonly<Record<string, string>> {
  const { etag = null, lastModified = null } = cached ?? {}
  return {
    ...etag === null ? {} : { "if-none-match": etag },
    ...lastModified === null ? {} : { "if-modified-since": lastModified },
  }
}
