/**
 * How often the sources of news are asked, on the test's clock.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { defaultLimits } from "../../../src/news/sources/limits.ts"
import { layer, type NewsOptions } from "../../../src/news/sources/sources.ts"
import { hour, minute, second } from "../../../src/core/domain/time.ts"
import { type NewsSource, NewsSources } from "../../../src/news/NewsSources.ts"
import { test } from "../../support/effect.ts"
import { formats, gdeltAnswer, newsNow } from "../../support/news/newsFeeds.ts"

interface Asked {
  readonly at: number
  readonly question: string | null
}

/** A source whose server answers at once, and when it was asked what. */
const source = (
  options: Partial<NewsOptions>,
  answer: (count: number) => Response,
): Effect.Effect<{ readonly source: NewsSource; readonly asked: ReadonlyArray<Asked> }> => {
  const asked: Array<Asked> = []
  const client = HttpClient.make((request, url) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      asked.push({ at: at - newsNow, question: url.searchParams.get("query") })
      return HttpClientResponse.fromWeb(request, answer(asked.length))
    })
  )
  return Effect.map(NewsSources, ([source]) => {
    ok(source !== undefined)
    return { source, asked }
  }).pipe(
    Effect.provide(
      layer({ feeds: [], gdelt: false, home: "https://bell.example", ...options }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
      ),
    ),
  )
}

/** Reads while time passes, until it is done. */
const reading = (source: NewsSource, topics: ReadonlyArray<ReadonlyArray<string>> = []) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(source.read(topics)))
    for (let n = 0; n < 400 && fiber.pollUnsafe() === undefined; n++) {
      yield* TestClock.adjust(second / 2)
    }
    return yield* Fiber.join(fiber)
  })

const topics = Array.from({ length: 12 }, (_, n) => [`Somebody${n}`, `something${n}`])
const gdelt = { gdelt: true } as const
const feeds = { feeds: [{ name: "A", url: "https://a.example/rss" }] } as const

test("GDELT is never asked twice within five seconds, from one reading to the next", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, asked } = yield* source(gdelt, () => new Response(gdeltAnswer))
    yield* reading(read, topics)
    yield* reading(read, topics)
    equal(asked.length, 2 * defaultLimits.gdeltQueriesMax)
    const gaps = asked.slice(1).map(({ at }, n) => at - (asked[n]?.at ?? 0))
    ok(gaps.every((gap) => gap >= 5 * second), gaps.join())
  }))

test("GDELT is asked for every topic in turn, and for anything when there is none", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, asked } = yield* source(gdelt, () => new Response(gdeltAnswer))
    yield* reading(read, topics)
    yield* reading(read, topics)
    const counts = new Map<string | null, number>()
    for (const { question } of asked) counts.set(question, (counts.get(question) ?? 0) + 1)
    equal(counts.size, topics.length)
    ok([...counts.values()].every((count) => count <= 2))
    yield* reading(read, [["US"]])
    ok(asked.at(-1)?.question?.includes("election"))
    equal(asked.length, 2 * defaultLimits.gdeltQueriesMax + 1)
  }))

test("GDELT is left alone for a minute when it says that it is asked too often", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, asked } = yield* source(
      gdelt,
      () => new Response("Please limit requests to one every 5 seconds."),
    )
    equal((yield* reading(read, topics))._tag, "Failure")
    const [first, second] = asked.map(({ at }) => at)
    ok((second ?? 0) - (first ?? 0) >= minute)
    equal(asked.length, 2)
  }))

test("GDELT that is down is given up after two questions", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, asked } = yield* source(gdelt, () => new Response("", { status: 503 }))
    equal((yield* reading(read, topics))._tag, "Failure")
    equal(new Set(asked.map(({ question }) => question)).size, 2)
    equal(asked.length, 4)
  }))

test("a feed is not asked again before its time, and says what it said", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: { read }, asked } = yield* source(feeds, () => new Response(formats["RSS 2.0"]))
    const first = yield* read([])
    yield* TestClock.adjust(defaultLimits.feedEveryMs - 1)
    equal(yield* read([]), first)
    equal(asked.length, 1)
    yield* TestClock.adjust(1)
    yield* read([])
    equal(asked.length, 2)
  }))

test("a feed that asks for quiet is left alone until then, and no longer than six hours", () =>
  Effect.gen(function* () {
    for (const [seconds, quietMs] of [["3600", hour], ["999999999", 6 * hour]] as const) {
      yield* TestClock.setTime(newsNow)
      const { source: read, asked } = yield* source(
        feeds,
        (count) =>
          count === 1
            ? new Response("", { status: 429, headers: { "retry-after": seconds } })
            : new Response(formats["RSS 2.0"]),
      )
      equal((yield* reading(read))._tag, "Failure")
      yield* TestClock.setTime(newsNow + quietMs - 1)
      equal((yield* reading(read))._tag, "Failure")
      equal(asked.length, 1)
      yield* TestClock.setTime(newsNow + quietMs)
      equal((yield* reading(read))._tag, "Success")
    }
  }))

test("a feed that comes back after its short quiet is read in the same breath", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(newsNow)
    const { source: read, asked } = yield* source(
      feeds,
      (count) =>
        count === 1
          ? new Response("", { status: 503, headers: { "retry-after": "20" } })
          : new Response(formats["RSS 2.0"]),
    )
    equal((yield* reading(read))._tag, "Success")
    equal(asked.map(({ at }) => at >= 20 * second), [false, true])
  }))
