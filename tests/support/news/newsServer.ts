/**
 * The press of a simulated world over a socket, in the forms in which news comes: feeds in RSS 2.0 and
 * Atom, and GDELT's search.
 *
 * @module
 */
import { Clock, Effect, FiberSet, type Scope } from "effect"
import {
  type Article,
  feedOf,
  makeNewsArchive,
  type NewsArchive,
  outlets,
  searchIndex,
} from "../../../src/venues/simulated/news.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import { type EpochMs, isoTime } from "../../../src/core/domain/time.ts"

/** Where an outlet's feed is; each has its own form. */
export function feedPath(outlet: number): string {
  return outlet % 2 === 0 ? `/rss/${outlet}.xml` : `/atom/${outlet}.xml`
}
export const searchPath = "/api/v2/doc/doc"

/** Listens on a loopback port for as long as the scope lives; gives its address. */
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
          run(Effect.map(Clock.currentTimeMillis, (now) => newsAnswer(press, request, now))),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}`
})

/** The answer to one request at an instant. */
export function newsAnswer(press: NewsArchive, request: Request, at: EpochMs): Response {
  const url = new URL(request.url)
  if (url.pathname === searchPath) return searched(press, url.searchParams, at)
  const place = outlets.findIndex((_, n) => feedPath(n) === url.pathname)
  const outlet = outlets[place]
  if (outlet === undefined) return new Response("Not found", { status: 404 })
  const rows = feedOf(press, outlet, at)
  const tag = `"${rows.length}-${rows[0]?.publishedAt ?? 0}"`
  if (request.headers.get("if-none-match") === tag) {
    return new Response(null, { status: 304, headers: { etag: tag } })
  }
  const rss = place % 2 === 0
  const body = rss ? rssOf(outlet.name, rows) : atomOf(outlet.name, outlet.host, rows, at)
  const type = rss ? "application/rss+xml" : "application/atom+xml"
  return new Response(body, { headers: { "content-type": `${type}; charset=utf-8`, etag: tag } })
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

/** Every other title is in a CDATA section; a guid is the address with a mark, as some publishers do. */
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

/** Phrases between quotation marks, all of them, or any of a group; what it dislikes it says as text. */
function searched(press: NewsArchive, query: URLSearchParams, at: EpochMs): Response {
  const asked = query.get("query") ?? ""
  const phrases = [...asked.matchAll(/"([^"]*)"/g)].map(([, phrase = ""]) => phrase)
  if (phrases.length === 0) return new Response("Your query was too short or too long.\n")
  if (phrases.some((phrase) => phrase.length < 3)) {
    return new Response("The specified phrase is too short.\n")
  }
  const topics = /\bOR\b/.test(asked) ? phrases.map((phrase) => [phrase]) : [phrases]
  const most = Number(query.get("maxrecords") ?? 75)
  const articles = searchIndex(press, topics, at).slice(0, most).map(
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
