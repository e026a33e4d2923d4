/**
 * A source that is a feed: asked at most every few minutes, and only for what it has not said before.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { HttpClient } from "effect/http"
import type { Told } from "../domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type NewsSource, NewsUnavailable } from "../NewsSources.ts"
import { feedRows } from "./feedRows.ts"
import type { Feed } from "./feeds.ts"
import type { Limits } from "./limits.ts"
import { lasting, pages } from "./requests.ts"
import { decodeText, headlinesOf } from "./rows.ts"

/** What the feed said last, and by which names it knows that. */
interface Held {
  readonly at: EpochMs
  readonly rows: ReadonlyArray<Told>
  readonly etag: string | null
  readonly lastModified: string | null
}

export function feedSource(
  client: HttpClient.HttpClient,
  { name, url }: Feed,
  userAgent: string,
  limits: Limits,
): NewsSource {
  const readPage = pages(client, limits)
  let held: Held | null = null

  const fresh = Effect.fnUntraced(function* (before: Held | null) {
    const page = yield* readPage({
      url,
      headers: {
        accept: "application/rss+xml, application/atom+xml, application/feed+json, " +
          "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1",
        "user-agent": userAgent,
        ...conditions(before),
      },
      turn: Effect.void,
    })
    const at = yield* Clock.currentTimeMillis
    if (page.status === "unchanged") {
      return before === null ? yield* lasting("unchanged since nothing") : { ...before, at }
    }
    const rows = feedRows(decodeText(page.body, page.contentType), name, limits.rowsMax)
    if (Result.isFailure(rows)) return yield* lasting(rows.failure)
    return { at, rows: rows.success, etag: page.etag, lastModified: page.lastModified }
  })

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (held === null || now - held.at >= limits.feedEveryMs) held = yield* fresh(held)
    return headlinesOf(held.rows, now, limits.rowsMax)
  }).pipe(Effect.mapError(({ reason }) => new NewsUnavailable({ source: name, reason })))

  return { name, read: () => read }
}

/** What we hold already need not be sent again. */
function conditions(held: Held | null): Readonly<Record<string, string>> {
  const { etag = null, lastModified = null } = held ?? {}
  return {
    ...etag === null ? {} : { "if-none-match": etag },
    ...lastModified === null ? {} : { "if-modified-since": lastModified },
  }
}
