/**
 * Serves the press of a simulated world over a socket: feeds in RSS 2.0 and Atom, and GDELT's search.
 *
 * @module
 */
import { Clock, Effect, FiberSet, type Scope } from "effect"
import {
  type Article,
  makeNewsArchive,
  type NewsArchive,
  outlets,
} from "../../../src/venues/simulated/news.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import { type EpochMs, isoTime } from "../../../src/core/domain/time.ts"

/** The path of an outlet's feed; the formats alternate. */
export function feedPath(outlet: number): string {
  return outlet % 2 === 0 ? `/rss/${outlet}.xml` : `/atom/${outlet}.xml`
}
export const searchPath = "/api/v2/doc/doc"

/** Serves on a loopback port until the scope closes; returns the address. */
export const serveNews = Effect.fnUntraced(function* (
  world: World,
): Effect.fn.Return<string, never, Scope.Scope> {
  const press = makeNewsArchive(world)
  const run = yield* FiberSet.makeRuntimePromise<never, Response, never>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request) =>
          run(Effect.map(Clock.currentTimeMillis, (now) => newsResponse(press, request, now))),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}`
})

/** The response to one request at an instant. */
function newsResponse(press: NewsArchive, request: Request, at: EpochMs): Response {
  const url = new URL(request.url)
  if (url.pathname === searchPath) return searchResponse(press, url.searchParams, at)
  const index = outlets.findIndex((_, n) => feedPath(n) === url.pathname)
  const outlet = outlets[index]
  if (outlet === undefined) return new Response("Not found", { status: 404 })
  const rows = press(outlet, at)
  const tag = `"${rows.length}-${rows[0]?.publishedAt ?? 0}"`
  if (request.headers.get("if-none-match") === tag) {
    return new Response(null, { status: 304, headers: { etag: tag } })
  }
  const rss = index % 2 === 0
  const body = rss ? rssOf(outlet.name, rows) : atomOf(outlet.name, outlet.host, rows, at)
  const type = rss ? "application/rss+xml" : "application/atom+xml"
  return new Response(body, { headers: { "content-type": `${type}; charset=utf-8`, etag: tag } })
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

/** Every second title is in a CDATA section; the guid is the address with a fragment, as in real feeds. */
function rssOf(name: string, rows: ReadonlyArray<Article>): string {
  const items = rows.map(({ title, url, publishedAt }, n) =>
    [
      "<item>",
      `<title>${n % 2 === 0 ? escaped(title) : `<![CDATA[${title}]]>`}</title>`,
      `<link>${escaped(url)}</link>`,
      `<guid isPermaLink="false">${escaped(url)}#0</guid>`,
      `<pubDate>${new Date(publishedAt).toUTCString()}</pubDate>`,
      "<description>&lt;p&gt;More inside.&lt;/p&gt;</description>",
      "</item>",
    ].join("\n")
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/">
<channel>
<title>${escaped(name)}</title>
<ttl>15</ttl>
${items.join("\n")}
</channel>
</rss>
`
}

function atomOf(
  name: string,
  host: string,
  rows: ReadonlyArray<Article>,
  at: EpochMs,
): string {
  const entries = rows.map(({ title, url, publishedAt }, n) =>
    [
      "<entry>",
      `<id>tag:${host},2026:${n}-${publishedAt}</id>`,
      `<title type="${n % 2 === 0 ? "text" : "html"}">${escaped(title)}</title>`,
      `<link rel="replies" href="https://${host}/replies"/>`,
      `<link rel="alternate" type="text/html" href="${escaped(url)}"/>`,
      `<published>${isoTime(publishedAt).replace(".000Z", "+00:00")}</published>`,
      `<updated>${isoTime(at)}</updated>`,
      "</entry>",
    ].join("\n")
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escaped(name)}</title>
<id>https://${host}/</id>
<updated>${isoTime(at)}</updated>
${entries.join("\n")}
</feed>
`
}

/** Articles whose title contains every phrase of a topic. Their source is the outlet's host. */
export function searchIndex(
  press: NewsArchive,
  topics: ReadonlyArray<ReadonlyArray<string>>,
  at: EpochMs,
): ReadonlyArray<Article> {
  return outlets
    .flatMap((outlet) => press(outlet, at).map((row) => ({ ...row, source: outlet.host })))
    .filter(({ title }) =>
      topics.some((words) =>
        words.every((word) => title.toLowerCase().includes(word.toLowerCase()))
      )
    )
    .sort((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
    .slice(0, 100)
}

/** Quoted phrases must all match, or any of them with OR; errors are plain text with status 200. */
function searchResponse(press: NewsArchive, parameters: URLSearchParams, at: EpochMs): Response {
  if (parameters.get("mode") !== "artlist" || parameters.get("format") !== "json") {
    return new Response("<html>This stand-in has article lists in JSON only.</html>")
  }
  const span = parameters.get("timespan") ?? "3months"
  if (!/^\d{1,4}(?:min|h|hours|d|days|w|weeks|m|months)?$/.test(span)) {
    return new Response("Timespan is not understood.\n")
  }
  const query = parameters.get("query") ?? ""
  const phrases = [...query.matchAll(/"([^"]*)"/g)].map(([, phrase = ""]) => phrase)
  if (phrases.length === 0) return new Response("Your query was too short or too long.\n")
  if (phrases.some((phrase) => phrase.length < 3)) {
    return new Response("The specified phrase is too short.\n")
  }
  const topics = /\bOR\b/.test(query) ? phrases.map((phrase) => [phrase]) : [phrases]
  const recordsMax = Number(parameters.get("maxrecords") ?? 75)
  if (!(recordsMax >= 1 && recordsMax <= 250)) {
    return new Response("Invalid number of maximum records.\n")
  }
  const articles = searchIndex(press, topics, at).slice(0, recordsMax).map(
    ({ title, url, source, publishedAt }) => ({
      url,
      url_mobile: "",
      title: title.replace(/([,:])/g, " $1"),
      seendate: isoTime(publishedAt).replace(/[-:]|\.000/g, ""),
      socialimage: "",
      domain: source,
      language: "English",
      sourcecountry: "Nowhere",
    }),
  )
  return Response.json(articles.length === 0 ? {} : { articles })
}
