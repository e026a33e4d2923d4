/**
 * Sample feeds: the same three headlines in every format, and servers that return them, or any other
 * bytes, over a real socket.
 *
 * @module
 */
import { Effect, type Scope } from "effect"
import { hour, isoTime } from "../../../src/core/domain/time.ts"

export const newsNow = Date.UTC(2026, 10, 20, 12)

/** The headlines of each feed below. */
export const news = ["Tides & “times”", "Votes counted in Łódź", "Rates: held"].map((title, n) => ({
  title,
  url: `https://news.example/${n}`,
  publishedAt: newsNow - (n + 1) * hour,
}))

const rfc822 = (at: number) => new Date(at).toUTCString()
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

export const rss = (items: string, before = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>${before}<rss version="2.0"><channel><title>T</title>` +
  `<link>https://news.example/</link>${items}</channel></rss>`

export const rssItem = ({ title, url, publishedAt }: (typeof news)[number]) =>
  `<item><title>${escaped(title)}</title><link>${url}?utm_source=rss#0</link>` +
  `<guid isPermaLink="false">${url}#0</guid><pubDate>${rfc822(publishedAt)}</pubDate></item>`

export const formats: Readonly<Record<string, string>> = {
  "RSS 2.0": rss(news.map(rssItem).join("")),
  "RSS 2.0 with CDATA": rss(
    news.map((row) =>
      rssItem(row).replace(/<title>(.*)<\/title>/, "<title><![CDATA[ $1 ]]></title>")
    )
      .join(""),
  ),
  Atom: `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>` +
    news.map(({ title, url, publishedAt }) =>
      `<entry><title type="html">${escaped(escaped(title))}</title><id>${url}</id>` +
      `<link rel="self" href="https://news.example/self"/><link rel="alternate" href="${url}"/>` +
      `<updated>${isoTime(publishedAt)}</updated></entry>`
    ).join("") + "</feed>",
  RDF: `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ` +
    `xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
    `<channel rdf:about="https://news.example/"><title>T</title></channel>` +
    news.map(({ title, url, publishedAt }) =>
      `<item rdf:about="${url}"><title>${escaped(title)}</title><link>${url}</link>` +
      `<dc:date>${isoTime(publishedAt)}</dc:date></item>`
    ).join("") + "</rdf:RDF>",
  "JSON Feed": JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: "T",
    items: news.map(({ title, url, publishedAt }) => ({
      id: url,
      url,
      title,
      date_published: isoTime(publishedAt),
    })),
  }),
}

export const gdeltAnswer = JSON.stringify({
  articles: news.map(({ title, url, publishedAt }) => ({
    url,
    url_mobile: "",
    title,
    seendate: isoTime(publishedAt).replace(/[-:]|\.\d+/g, ""),
    socialimage: "",
    domain: "news.example",
    language: "English",
    sourcecountry: "United States",
  })),
})

/** Serves on a free port until the scope closes; returns the address. */
export const serve = (
  answer: (request: Request) => Response | Promise<Response>,
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { signal, abort } = abortSignal()
        const options = { hostname: "127.0.0.1", port: 0, signal, onListen: () => {} }
        return { addr: Deno.serve(options, answer).addr, abort }
      }),
      ({ abort }) => Effect.sync(abort),
    ),
    (server) => `http://127.0.0.1:${server.addr.port}`,
  )

/** Unlike `shutdown()`, an abort does not wait for responses that never end. */
function abortSignal() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

/** Writes the bytes to every connection and closes it; returns the address. */
export const serveRawBytes = (bytes: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
        void (async () => {
          for await (const connection of listener) {
            try {
              await connection.read(new Uint8Array(4_096))
              await connection.write(new TextEncoder().encode(bytes))
              connection.close()
            } catch {
              // The client has closed the connection.
            }
          }
        })().catch(() => {})
        return listener
      }),
      (listener) => Effect.sync(() => listener.close()),
    ),
    ({ addr }) => `http://127.0.0.1:${addr.port}`,
  )
