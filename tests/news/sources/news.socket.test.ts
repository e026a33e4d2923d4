/**
 * The news sources over a real socket: slow, failing, broken, dishonest and endless servers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { layer } from "../../../src/news/sources/sources.ts"
import { minute } from "../../../src/core/domain/time.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { rss, rssItem, serve, serveRawBytes } from "../../support/news/newsFeeds.ts"

const startsAt = Date.parse("2026-11-20T12:00:00Z")

const today = Array.from({ length: 3 }, (_, n) => ({
  title: `Title number ${n}`,
  url: `https://news.example/${n}`,
  publishedAt: startsAt - n * minute,
}))
const atStart = <A, E, R>(effect: Effect.Effect<A, E, R>) => startingAt(startsAt, effect)
const feed = rss(today.map(rssItem).join(""))

/** Reads a feed once: its titles, or the reason of the failure. */
const reading = (url: string, timeoutMs = 60_000) =>
  Effect.gen(function* () {
    const [source] = yield* NewsSources
    ok(source !== undefined)
    return yield* Effect.match(source.read([]), {
      onFailure: ({ reason }): string | ReadonlyArray<string> => reason,
      onSuccess: ({ rows }) => rows.map(({ title }) => title),
    })
  }).pipe(
    Effect.provide(layer({
      feeds: [{ name: "A", url }],
      gdelt: false,
      home: "https://bell.example",
      timeoutMs,
    })),
    Effect.provide(FetchHttpClient.layer),
    atStart,
  )

const titles = today.map(({ title }) => title)

/** Serves each answer in turn, then repeats the last one; records the requests. */
const serveInTurn = (answers: ReadonlyArray<(request: Request) => Response | Promise<Response>>) =>
  Effect.gen(function* () {
    const requests: Array<{ readonly url: string; readonly headers: Headers }> = []
    const url = yield* serve((request) => {
      requests.push({ url: request.url, headers: new Headers(request.headers) })
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      return answer === undefined ? new Response(null, { status: 500 }) : answer(request)
    })
    return { url, requests }
  })

const good = () => new Response(feed, { headers: { "content-type": "application/rss+xml" } })
const status = (code: number, headers: Record<string, string> = {}) => () =>
  new Response("no", { status: code, headers })

const soon = 1_000
const outcomes: ReadonlyArray<
  readonly [
    does: string,
    answers: Parameters<typeof serveInTurn>[0],
    expected: string | ReadonlyArray<string>,
    requests: number,
    timeoutMs?: number,
  ]
> = [
  ["is down", [status(503), good], "status 503", 1],
  ["answers 403", [status(403), good], "status 403", 1],
  ["is an HTML page", [() => new Response("<!doctype html><p>Sorry")], "an HTML page", 1],
  ["never ends", [() => new Response(endless())], "response too long", 1],
  ["is a bomb", [() => compressed("<rss>".repeat(2_000_000))], "response too long", 1],
  ["compresses its answer", [() => compressed(feed)], titles, 1],
  ["does not answer", [() => new Promise(() => {})], "no answer in time", 1, soon],
  ["sends slow bytes", [() => new Response(slowBytes())], "no answer in time", 1, soon],
  ["redirects", [status(302, { location: "/elsewhere" }), good], "status 302", 1],
]

for (const [does, answers, expected, requests, timeoutMs] of outcomes) {
  liveTest(`a feed that ${does} is read, or fails with a reason`, () =>
    Effect.gen(function* () {
      const server = yield* serveInTurn(answers)
      equal(yield* reading(`${server.url}/rss`, timeoutMs), expected)
      equal(server.requests.length, requests)
    }))
}

liveTest(
  "a feed that closes the connection or sends an invalid answer fails with a reason",
  () =>
    Effect.gen(function* () {
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\n"
      for (
        const bytes of [
          "",
          "nonsense\r\n\r\n",
          `${head}content-length: 9999\r\n\r\n<rss>`,
          `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
          `${head}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`,
        ]
      ) {
        const found = yield* reading(yield* serveRawBytes(bytes))
        equal(found, "connection failed", bytes)
      }
      equal(yield* reading("http://127.0.0.1:1/rss"), "connection failed")
    }),
)

liveTest(
  "a feed is requested with a User-Agent, and with no header of ours that names the reader",
  () =>
    Effect.gen(function* () {
      const { url, requests } = yield* serveInTurn([good])
      equal(yield* reading(url), titles)
      const [request] = requests
      equal(request?.headers.get("user-agent"), "Bellwether/1.0 (+https://bell.example)")
      for (const header of ["cookie", "authorization", "traceparent", "referer"]) {
        equal(request?.headers.get(header), null)
      }
    }),
)

function endless(): ReadableStream<Uint8Array> {
  const piece = new TextEncoder().encode("<item>".repeat(2_000))
  return new ReadableStream({ pull: (controller) => controller.enqueue(piece) })
}

/** One byte every 50 ms, so that no single wait is long. */
function slowBytes(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      controller.enqueue(new Uint8Array([32]))
    },
  })
}

async function compressed(text: string): Promise<Response> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
  const body = new Uint8Array(await new Response(stream).arrayBuffer())
  return new Response(body, { headers: { "content-encoding": "gzip" } })
}
