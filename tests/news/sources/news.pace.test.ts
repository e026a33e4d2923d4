/**
 * How often the news sources are requested, on the test clock.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Effect, Fiber, Layer, Result } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { queriesMax } from "../../../src/news/sources/gdelt.ts"
import { layer, type NewsOptions } from "../../../src/news/sources/sources.ts"
import { hour, second } from "../../../src/core/domain/time.ts"
import { type NewsSource, NewsSources } from "../../../src/news/NewsSources.ts"
import { test } from "../../support/effect.ts"
import { formats, gdeltAnswer, newsNow } from "../../support/news/newsFeeds.ts"

interface RecordedRequest {
  readonly at: number
  readonly search: URLSearchParams
}

/** A source whose server answers at once, and its recorded requests. */
const source = (
  options: Partial<NewsOptions>,
  answer: (count: number) => Response,
): Effect.Effect<
  { readonly source: NewsSource; readonly requests: ReadonlyArray<RecordedRequest> }
> => {
  const requests: Array<RecordedRequest> = []
  const client = HttpClient.make((request, url) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      requests.push({ at: at - newsNow, search: url.searchParams })
      return HttpClientResponse.fromWeb(request, answer(requests.length))
    })
  )
  return Effect.map(NewsSources, ([source]) => {
    ok(source !== undefined)
    return { source, requests }
  }).pipe(
    Effect.provide(
      layer({
        ...{ feeds: [], gdelt: false, home: "https://bell.example", ...options },
      }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
      ),
    ),
  )
}

/** Reads the source and advances the clock until it is done. */
const reading = (source: NewsSource, topics: ReadonlyArray<ReadonlyArray<string>> = []) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(source.read(topics)))
    for (let n = 0; n < 400 && fiber.pollUnsafe() === undefined; n++) {
      yield* TestClock.adjust(second / 2)
    }
    return yield* Fiber.join(fiber)
  })

const topics = Array.from({ length: 12 }, (_, n) => [`Person${n}`, `something${n}`])
const gdelt = { gdelt: true } as const
const feeds = { feeds: [{ name: "A", url: "https://a.example/rss" }] } as const

test("GDELT is never requested twice within five seconds in one read", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, requests } = yield* source(gdelt, () => new Response(gdeltAnswer))
    yield* reading(read, topics)
    equal(requests.length, queriesMax)
    const gaps = requests.slice(1).map(({ at }, n) => at - (requests[n]?.at ?? 0))
    ok(gaps.every((gap) => gap >= 5 * second), gaps.join())
  }))

test("GDELT is queried for every topic in turn, and fails when there is none", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, requests } = yield* source(gdelt, () => new Response(gdeltAnswer))
    yield* reading(read, topics)
    yield* reading(read, topics)
    const counts = new Map<string | null, number>()
    for (const { search } of requests) {
      const query = search.get("query")
      counts.set(query, (counts.get(query) ?? 0) + 1)
    }
    equal(counts.size, topics.length)
    ok([...counts.values()].every((count) => count <= 2))
    equal(Object.fromEntries(requests[0]?.search ?? []), {
      ...{ query: '"Person0" "something0" sourcelang:english', mode: "artlist", format: "json" },
      ...{ maxrecords: "75", timespan: "1d", sort: "datedesc" },
    })
    equal((yield* reading(read, [["US", "tariffs"]]))._tag, "Failure")
    equal(requests.length, 2 * queriesMax)
  }))

test("a read of GDELT ends with a query without an answer, and the next begins behind it", () =>
  Effect.gen(function* () {
    for (
      const answer of [
        () => new Response("Please limit requests to one every 5 seconds."),
        () => new Response("", { status: 503 }),
      ]
    ) {
      yield* TestClock.setTime(newsNow)
      const { source: read, requests } = yield* source(
        gdelt,
        (count) => count === 2 ? answer() : new Response(gdeltAnswer),
      )
      const { rows, rejected } = Result.getOrThrow(yield* reading(read, topics))
      equal([rows.length, rejected, requests.length], [3, { no_answer: 1 }, 2])
      yield* reading(read, topics)
      ok(requests[2]?.search.get("query")?.includes("Person2"))
      const failing = yield* source(gdelt, answer)
      equal((yield* reading(failing.source, topics))._tag, "Failure")
      equal(failing.requests.length, 1)
    }
  }))

test("a feed is not requested before its Retry-After, which counts for six hours at most", () =>
  Effect.gen(function* () {
    for (const [seconds, restMs] of [["3600", hour], ["999999999", 6 * hour]] as const) {
      yield* TestClock.setTime(newsNow)
      const { source: read, requests } = yield* source(
        feeds,
        (count) =>
          count === 1
            ? new Response("", { status: 429, headers: { "retry-after": seconds } })
            : new Response(formats["RSS 2.0"]),
      )
      equal((yield* reading(read))._tag, "Failure")
      yield* TestClock.setTime(newsNow + restMs - 1)
      equal((yield* reading(read))._tag, "Failure")
      equal(requests.length, 1)
      yield* TestClock.setTime(newsNow + restMs)
      equal((yield* reading(read))._tag, "Success")
    }
  }))
