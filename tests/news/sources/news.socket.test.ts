/**
 * The news sources over a real socket: slow, failing, broken, dishonest and endless servers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Exit } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Limits } from "../../../src/news/sources/limits.ts"
import { layer } from "../../../src/news/sources/sources.ts"
import { isoTime, minute } from "../../../src/core/domain/time.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { gdeltAnswer, rss, rssItem, serve, serveRawBytes } from "../../support/news/newsFeeds.ts"

const quick: Partial<Limits> = {
  timeoutMs: 60_000,
  bodyBytesMax: 200_000,
  retryDelayMs: 2,
  retryAfterWaitMsMax: 1_500,
  gdeltEveryMs: 0,
}

const startsAt = Date.parse("2026-11-20T12:00:00Z")

const today = Array.from({ length: 3 }, (_, n) => ({
  title: `Title number ${n}`,
  url: `https://news.example/${n}`,
  publishedAt: startsAt - n * minute,
}))
const atStart = <A, E, R>(effect: Effect.Effect<A, E, R>) => startingAt(startsAt, effect)
const feed = rss(today.map(rssItem).join(""))

/** Reads a feed once: its titles, or the reason of the failure. */
const reading = (url: string, limits: Partial<Limits> = {}) =>
  Effect.gen(function* () {
    const [source] = yield* NewsSources
    ok(source !== undefined)
    return yield* Effect.match(source.read([]), {
      onFailure: ({ reason, source }): string | ReadonlyArray<string> => `${source}: ${reason}`,
      onSuccess: ({ rows }) => rows.map(({ title }) => title),
    })
  }).pipe(
    Effect.provide(layer({
      feeds: [{ name: "A", url }],
      gdelt: false,
      home: "https://bell.example",
      limits: { ...quick, ...limits },
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

const outcomes: ReadonlyArray<{
  readonly name: string
  readonly answers: Parameters<typeof serveInTurn>[0]
  readonly expected: string | ReadonlyArray<string>
  readonly requests: number
  readonly limits?: Partial<Limits>
}> = [
  { name: "answers", answers: [good], expected: titles, requests: 1 },
  { name: "fails once", answers: [status(503), good], expected: titles, requests: 2 },
  { name: "stays down", answers: [status(500)], expected: "A: status 500", requests: 3 },
  { name: "answers 403", answers: [status(403), good], expected: "A: status 403", requests: 1 },
  { name: "answers 410", answers: [status(410), good], expected: "A: status 410", requests: 1 },
  {
    name: "returns an HTML page with status 200",
    answers: [() => new Response("<!doctype html><html><body>Sorry</body></html>")],
    expected: "A: an HTML page",
    requests: 1,
  },
  {
    name: "never ends",
    answers: [() => new Response(endless())],
    expected: "A: response too long",
    requests: 1,
  },
  {
    name: "is a compression bomb",
    answers: [() => compressed("<rss>".repeat(2_000_000))],
    expected: "A: response too long",
    requests: 1,
  },
  {
    name: "compresses its answer",
    answers: [() => compressed(feed)],
    expected: titles,
    requests: 1,
  },
  {
    name: "does not answer",
    answers: [() => new Promise(() => {})],
    expected: "A: no answer in time",
    requests: 3,
    limits: { timeoutMs: 1_000 },
  },
  {
    name: "sends one byte at a time",
    answers: [() => new Response(slowBytes())],
    expected: "A: no answer in time",
    requests: 3,
    limits: { timeoutMs: 1_000 },
  },
  {
    name: "redirects within its host",
    answers: [status(301, { location: "/elsewhere?x=1" }), good],
    expected: titles,
    requests: 2,
  },
  {
    name: "redirects forever",
    answers: [status(302, { location: "/again" })],
    expected: "A: too many redirects",
    requests: 4,
  },
  {
    name: "redirects to another host",
    answers: [status(302, { location: "https://other.example/rss" }), good],
    expected: "A: redirect to another host",
    requests: 1,
  },
  {
    name: "redirects to another port of its host",
    answers: [status(307, { location: "http://127.0.0.1:1/latest/meta-data" }), good],
    expected: "A: redirect to another host",
    requests: 1,
  },
  {
    name: "redirects to a file",
    answers: [status(302, { location: "file:///etc/passwd" }), good],
    expected: "A: redirect to another host",
    requests: 1,
  },
]

for (const { name, answers, expected, requests, limits } of outcomes) {
  liveTest(`a feed that ${name} is read, or fails with a reason`, () =>
    Effect.gen(function* () {
      const server = yield* serveInTurn(answers)
      equal(yield* reading(`${server.url}/rss`, limits), expected)
      equal(server.requests.length, requests)
    }))
}

liveTest(
  "a feed that closes the connection or sends an invalid answer fails with a reason",
  () =>
    Effect.gen(function* () {
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\n"
      for (
        const [bytes, reason] of [
          ["", "connection failed"],
          ["nonsense\r\n\r\n", "connection failed"],
          [`${head}content-length: 9999\r\n\r\n<rss>`, "connection failed"],
          [`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`, "connection failed"],
          [
            `${head}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`,
            "connection failed",
          ],
          [`${head}content-length: 5\r\n\r\n<rss>`, "not a feed"],
        ] as const
      ) {
        equal(
          yield* reading(yield* serveRawBytes(bytes), { attemptsMax: 2 }),
          `A: ${reason}`,
          bytes,
        )
      }
      equal(yield* reading("http://127.0.0.1:1/rss"), "A: connection failed")
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

/** Reads GDELT for two topics, from a server with these answers in turn. */
const gdelt = (answers: ReadonlyArray<() => Response>) =>
  Effect.gen(function* () {
    const { url, requests } = yield* serveInTurn(answers)
    const read = Effect.flatMap(NewsSources, ([source]) =>
      source === undefined ? Effect.die("no source") : source.read([
        ["Jerome Powell", "fired"],
        ["Emmanuel Macron", "resign"],
      ]))
    const exit = yield* Effect.exit(Effect.provide(
      read,
      layer({ feeds: [], gdelt: true, home: "https://bell.example", gdeltUrl: url, limits: quick }),
    )).pipe(Effect.provide(FetchHttpClient.layer), atStart)
    return {
      exit,
      queries: requests.map(({ url }) =>
        new URL(url).searchParams
      ),
    }
  })

const articles = gdeltAnswer.replaceAll(
  /"seendate":"\w+"/g,
  () => `"seendate":"${isoTime(today[1]?.publishedAt ?? 0).replace(/[-:]|\.\d+/g, "")}"`,
)
const sentence = (text: string) => () =>
  new Response(text, { headers: { "content-type": "text/html" } })

liveTest(
  "GDELT is queried once per topic, and the answers are one result",
  () =>
    Effect.gen(function* () {
      const { exit, queries } = yield* gdelt([
        () => new Response(articles),
        () => new Response("{}"),
      ])
      ok(Exit.isSuccess(exit))
      equal([exit.value.rows.length, exit.value.rejected], [3, {}])
      equal(queries.map((query) => query.get("query")), [
        '"Jerome Powell" "fired" sourcelang:english',
        '"Emmanuel Macron" "resign" sourcelang:english',
      ])
      const { query: _, ...others } = Object.fromEntries(queries[0] ?? [])
      equal(others, {
        ...{ mode: "artlist", format: "json", maxrecords: "75", timespan: "1d", sort: "datedesc" },
      })
    }),
)

liveTest(
  "a rejected query does not affect the others; when every query fails, the read fails",
  () =>
    Effect.gen(function* () {
      const half = yield* gdelt([
        sentence("The specified phrase is too short."),
        () => new Response(articles),
      ])
      ok(Exit.isSuccess(half.exit))
      equal([half.exit.value.rows.length, half.exit.value.rejected], [3, { no_answer: 1 }])
      const none = yield* gdelt([sentence("<html>Bad gateway</html>")])
      ok(Exit.isFailure(none.exit))
      equal(none.queries.length, 2)
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
