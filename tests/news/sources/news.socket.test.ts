/**
 * The sources of news over a real socket: slow, refusing, broken, lying and endless servers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Exit, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Limits } from "../../../src/news/sources/limits.ts"
import { layer } from "../../../src/news/sources/sources.ts"
import { isoTime, minute } from "../../../src/core/domain/time.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { blurting, gdeltAnswer, rss, rssItem, serving } from "../../support/news/newsFeeds.ts"

const quick: Partial<Limits> = {
  timeout: Duration.millis(400),
  bodyBytesMax: 200_000,
  retryDelayMs: 2,
  retryAfterWaitMsMax: 1_500,
  feedEveryMs: 0,
  gdeltEveryMs: 0,
}

const startsAt = Date.parse("2026-11-20T12:00:00Z")

/** News of the hour in which these tests read them. */
const today = Array.from({ length: 3 }, (_, n) => ({
  title: `Title number ${n}`,
  url: `https://news.example/${n}`,
  publishedAt: startsAt - n * minute,
}))
const atTheirHour = <A, E, R>(effect: Effect.Effect<A, E, R>) => startingAt(startsAt, effect)
const feed = rss(today.map(rssItem).join(""))

/** What one reading of a feed at `url` comes to: its titles, or why there are none. */
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
    atTheirHour,
  )

const titles = today.map(({ title }) => title)

/** Serves each answer in turn, the last one for ever; counts the requests. */
const serveInTurn = (answers: ReadonlyArray<(request: Request) => Response | Promise<Response>>) =>
  Effect.gen(function* () {
    const asked: Array<{ readonly url: string; readonly headers: Headers }> = []
    const url = yield* serving((request) => {
      asked.push({ url: request.url, headers: new Headers(request.headers) })
      const answer = answers[Math.min(asked.length, answers.length) - 1]
      return answer === undefined ? new Response(null, { status: 500 }) : answer(request)
    })
    return { url, asked }
  })

const good = () => new Response(feed, { headers: { "content-type": "application/rss+xml" } })
const status = (code: number, headers: Record<string, string> = {}) => () =>
  new Response("no", { status: code, headers })

const outcomes: ReadonlyArray<{
  readonly name: string
  readonly answers: Parameters<typeof serveInTurn>[0]
  readonly expected: string | ReadonlyArray<string>
  readonly requests: number
}> = [
  { name: "answers", answers: [good], expected: titles, requests: 1 },
  { name: "stumbles once", answers: [status(503), good], expected: titles, requests: 2 },
  { name: "stays down", answers: [status(500)], expected: "A: status 500", requests: 3 },
  { name: "refuses", answers: [status(403), good], expected: "A: status 403", requests: 1 },
  { name: "is gone", answers: [status(410), good], expected: "A: status 410", requests: 1 },
  {
    name: "asks for a second of quiet",
    answers: [status(429, { "retry-after": "1" }), good],
    expected: titles,
    requests: 2,
  },
  {
    name: "asks for an hour of quiet",
    answers: [status(429, { "retry-after": "3600" }), good],
    expected: "A: status 429",
    requests: 1,
  },
  {
    name: "says a page of HTML with status 200",
    answers: [() => new Response("<!doctype html><html><body>Sorry</body></html>")],
    expected: "A: a page of HTML",
    requests: 1,
  },
  {
    name: "never ends",
    answers: [() => new Response(endless())],
    expected: "A: an answer too long",
    requests: 1,
  },
  {
    name: "packs an endless answer small",
    answers: [() => packed("<rss>".repeat(2_000_000))],
    expected: "A: an answer too long",
    requests: 1,
  },
  { name: "packs its answer", answers: [() => packed(feed)], expected: titles, requests: 1 },
  {
    name: "is silent",
    answers: [() => new Promise(() => {})],
    expected: "A: no answer in time",
    requests: 3,
  },
  {
    name: "sends a byte now and then",
    answers: [() => new Response(dripping())],
    expected: "A: no answer in time",
    requests: 3,
  },
  {
    name: "moves within itself",
    answers: [status(301, { location: "/elsewhere?x=1" }), good],
    expected: titles,
    requests: 2,
  },
  {
    name: "moves for ever",
    answers: [status(302, { location: "/again" })],
    expected: "A: too many redirects",
    requests: 4,
  },
  {
    name: "moves to another host",
    answers: [status(302, { location: "https://other.example/rss" }), good],
    expected: "A: a redirect to another host",
    requests: 1,
  },
  {
    name: "moves to another port of its host",
    answers: [status(307, { location: "http://127.0.0.1:1/latest/meta-data" }), good],
    expected: "A: a redirect to another host",
    requests: 1,
  },
  {
    name: "moves to a file",
    answers: [status(302, { location: "file:///etc/passwd" }), good],
    expected: "A: a redirect to another host",
    requests: 1,
  },
  {
    name: "says unchanged to who holds nothing",
    answers: [() => new Response(null, { status: 304 })],
    expected: "A: unchanged since nothing",
    requests: 1,
  },
]

for (const { name, answers, expected, requests } of outcomes) {
  liveTest(`a feed that ${name} is read, or given up with a reason`, () =>
    Effect.gen(function* () {
      const { url, asked } = yield* serveInTurn(answers)
      equal(yield* reading(`${url}/rss`), expected)
      equal(asked.length, requests)
    }))
}

liveTest(
  "a feed that hangs up, cuts off or speaks nonsense is given up with a reason",
  () =>
    Effect.gen(function* () {
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\n"
      for (
        const [bytes, reason] of [
          ["", "the connection broke"],
          ["nonsense\r\n\r\n", "the connection broke"],
          [`${head}content-length: 9999\r\n\r\n<rss>`, "the connection broke"],
          [`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`, "the connection broke"],
          [
            `${head}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`,
            "the connection broke",
          ],
          [`${head}content-length: 5\r\n\r\n<rss>`, "no feed"],
        ] as const
      ) equal(yield* reading(yield* blurting(bytes), { attemptsMax: 2 }), `A: ${reason}`, bytes)
      equal(yield* reading("http://127.0.0.1:1/rss"), "A: the connection broke")
    }),
)

liveTest(
  "a feed is asked by name, and only for what it has not said before",
  () =>
    Effect.gen(function* () {
      const tag = { etag: '"v1"', "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT" }
      const { url, asked } = yield* serveInTurn([
        () => new Response(feed, { headers: tag }),
        () => new Response(null, { status: 304 }),
        status(500),
      ])
      const [first, second, third] = yield* thrice(url)
      equal(first, titles)
      equal(second, titles, "what is unchanged is said again: the store may have missed it")
      equal(third, "status 500")
      const [before, after] = asked.map(({ headers }) => headers)
      equal(before?.get("user-agent"), "Bellwether/1.0 (+https://bell.example)")
      equal([before?.get("if-none-match"), before?.get("if-modified-since")], [null, null])
      equal(after?.get("if-none-match"), tag.etag)
      equal(after?.get("if-modified-since"), tag["last-modified"])
      for (const header of ["cookie", "authorization", "traceparent", "referer"]) {
        equal(after?.get(header), null)
      }
    }),
)

const thrice = (url: string): Effect.Effect<ReadonlyArray<unknown>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const [source] = yield* NewsSources
    ok(source !== undefined)
    const once = Effect.match(source.read([]), {
      onFailure: ({ reason }): unknown => reason,
      onSuccess: ({ rows }) => rows.map(({ title }) => title),
    })
    return [yield* once, yield* once, yield* once]
  }).pipe(
    Effect.provide(layer({
      feeds: [{ name: "A", url }],
      gdelt: false,
      home: "https://bell.example",
      limits: quick,
    })),
    Effect.provide(FetchHttpClient.layer),
    atTheirHour,
  )

/** One reading of GDELT for two topics, from a server that gives these answers in turn. */
const gdelt = (answers: ReadonlyArray<() => Response>) =>
  Effect.gen(function* () {
    const { url, asked } = yield* serveInTurn(answers)
    const read = Effect.flatMap(NewsSources, ([source]) =>
      source === undefined ? Effect.die("no source") : source.read([
        ["Jerome Powell", "fired"],
        ["Emmanuel Macron", "resign"],
      ]))
    const exit = yield* Effect.exit(Effect.provide(
      read,
      layer({ feeds: [], gdelt: true, home: "https://bell.example", gdeltUrl: url, limits: quick }),
    )).pipe(Effect.provide(FetchHttpClient.layer), atTheirHour)
    return {
      exit,
      asked: asked.map(({ url }) =>
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
  "GDELT is asked a question a topic, and what it says of both is one reading",
  () =>
    Effect.gen(function* () {
      const { exit, asked } = yield* gdelt([() => new Response(articles), () => new Response("{}")])
      ok(Exit.isSuccess(exit))
      equal([exit.value.rows.length, exit.value.rejected], [3, {}])
      equal(asked.map((query) => query.get("query")), [
        '"Jerome Powell" "fired" sourcelang:english',
        '"Emmanuel Macron" "resign" sourcelang:english',
      ])
      equal(asked[0]?.get("mode"), "artlist")
    }),
)

liveTest(
  "a question that GDELT refuses costs only itself; when every one fails, it failed",
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
      equal(none.asked.length, 2)
    }),
)

function endless(): ReadableStream<Uint8Array> {
  const piece = new TextEncoder().encode("<item>".repeat(2_000))
  return new ReadableStream({ pull: (controller) => controller.enqueue(piece) })
}

/** A byte every 50 ms: no single wait is long. */
function dripping(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      controller.enqueue(new Uint8Array([32]))
    },
  })
}

async function packed(text: string): Promise<Response> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))
  const body = new Uint8Array(await new Response(stream).arrayBuffer())
  return new Response(body, { headers: { "content-encoding": "gzip" } })
}
