/**
 * The configured sources of real news.
 *
 * @module
 */
import { Clock, Effect, Layer, Result } from "effect"
import { HttpClient } from "effect/http"
import { permanentFault } from "../../core/httpReading.ts"
import { type NewsSource, NewsSources } from "../NewsSources.ts"
import { feedRows } from "./feedRows.ts"
import type { NewsFeed, NewsFeedList } from "./feeds.ts"
import { gdeltSource } from "./gdelt.ts"
import { pageReader, type ReadPage } from "./requests.ts"
import { headlinesOf } from "./rows.ts"

export interface NewsOptions extends NewsFeedList {
  /** The service's address, sent in the User-Agent header. */
  readonly home: string
  /** For one request. GDELT's queries and their pauses are together shorter than a read may be. */
  readonly timeoutMs?: number
}

export const layer = (
  { feeds, gdelt, home, timeoutMs = 15_000 }: NewsOptions,
): Layer.Layer<NewsSources, never, HttpClient.HttpClient> =>
  Layer.effect(
    NewsSources,
    Effect.map(HttpClient.HttpClient, (client) => {
      const userAgent = `Bellwether/1.0 (+${home})`
      const reader = () => pageReader({ client, userAgent, timeoutMs })
      return [
        ...gdelt ? [gdeltSource(reader())] : [],
        ...feeds.map((feed) => feedSource(reader(), feed)),
      ]
    }),
  )

const accept = "application/rss+xml, application/atom+xml, application/feed+json, " +
  "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"
/** Rows of one feed; one has 10 to 150. */
const rowsMax = 500

function feedSource(readPage: ReadPage, { name, url }: NewsFeed): NewsSource {
  const read = Effect.gen(function* () {
    const rows = feedRows(yield* readPage(url, accept), name, rowsMax)
    if (Result.isFailure(rows)) return yield* permanentFault(rows.failure)
    return headlinesOf(rows.success, yield* Clock.currentTimeMillis, rowsMax)
  })
  return { name, read: () => read }
}
