/**
 * /signals.json, /signals and the pages of markets: nothing that is sold, no store call for what is no
 * slug, and one look-up of each slug between two ticks.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, Logger, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { pageRows } from "../../../src/catalog/domain/pageRow.ts"
import { isoTime, minute } from "../../../src/core/domain/time.ts"
import { freeAfterMs, type PublishedMarket } from "../../../src/feed/domain/publishedMarket.ts"
import { PublishedMarkets } from "../../../src/feed/PublishedMarkets.ts"
import { makeMarketData } from "../../../src/http/free/marketData.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { test } from "../../support/effect.ts"
import { sampleItems } from "../../support/catalog/samples.ts"
import { sampleItem } from "../../support/feed/items.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")
const [mover] = sampleItems
const hostile = `\u202e<script>alert(1)</script>\u001b[31m"><img src=x onerror=alert(1)>\u2067${
  "é\u0301".repeat(300)
}`

/** A service whose newest item is about a market with a hostile question. */
const hostileService = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(3)
  const market = { ...mover.data.market, slug: "Hostile", question: hostile }
  const createdAt = isoTime(noon - freeAfterMs)
  const item = { ...mover, feedIndex: 4, createdAt, data: { ...mover.data, market } }
  yield* Ref.update(world.items, (items) => [...items, item])
  const service = yield* makeService(world)
  const text = (path: string, init?: RequestInit) =>
    Effect.flatMap(
      service.get(path, init),
      (response) => Effect.promise(async () => ({ response, text: await response.text() })),
    )
  return { world, service, text }
})

test("/signals.json has the newest 50 items of 15 minutes ago without anything that is sold", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon - freeAfterMs)
    const world = yield* makeWorld(60)
    yield* TestClock.setTime(noon)
    yield* Ref.update(world.items, (items) => [...items, sampleItem(61, noon - freeAfterMs + 1)])
    const service = yield* makeService(world)
    const response = yield* service.get("/signals.json")
    const body = yield* Effect.promise(() => response.json())
    Schema.decodeUnknownSync(pageRows.recent.body)(body, { onExcessProperty: "error" })
    equal(
      body.items.map(({ feedIndex }: { feedIndex: number }) => feedIndex),
      Array.from({ length: 50 }, (_, n) => 60 - n),
    )
    equal(Object.keys(body.items[0]), ["feedIndex", "type", "slug", "question", "createdAt"])
    const again = yield* service.get("/signals.json", {
      headers: { "if-none-match": response.headers.get("etag") ?? "" },
    })
    strictEqual(again.status, 304)
  }))

test("a hostile question changes nothing on the pages that show it", () =>
  Effect.gen(function* () {
    const { text } = yield* hostileService
    for (const path of ["/signals", "/markets/hostile"]) {
      const { response, text: html } = yield* text(path)
      strictEqual(response.status, 200, path)
      strictEqual(response.headers.get("content-type"), "text/html; charset=utf-8")
      ok(html.includes("&lt;script&gt;alert(1)"), path)
      for (const piece of ["<script", "<img", "\u001b", "\u202e", "\u2067"]) {
        ok(!html.includes(piece), `${path} has ${JSON.stringify(piece)}`)
      }
      ok(html.length < 150_000, `${path}: ${html.length}`)
    }
    const { response, text: json } = yield* text("/markets/hostile.json")
    strictEqual(response.headers.get("content-type"), "application/json")
    strictEqual(JSON.parse(json).question, hostile)
  }))

test("a page and its JSON answer 304 to their tag, in every spelling of the slug", () =>
  Effect.gen(function* () {
    const { service } = yield* hostileService
    for (const end of ["", ".json"]) {
      const first = yield* service.get(`/markets/Hostile${end}`)
      const tag = first.headers.get("etag") ?? ""
      ok(tag !== "")
      for (const slug of ["hostile", "HOSTILE"]) {
        const again = yield* service.get(`/markets/${slug}${end}`, {
          headers: { "if-none-match": tag },
        })
        strictEqual(again.status, 304)
      }
    }
  }))

const one: PublishedMarket = {
  market: mover.data.market,
  status: "open",
  listed: { bestBid: 0.4, bestAsk: 0.42 },
  volume24hUsd: null,
  path: [],
  items: [{ feedIndex: 1, type: "mover", createdAt: mover.createdAt, market: mover.data.market }],
}

/** Look-ups that are counted, of which only those of `known-…` find a market. */
const countingMarkets = Effect.gen(function* () {
  const asked: Array<string> = []
  const layer = Layer.mock(PublishedMarkets, {
    bySlug: (slug) =>
      Effect.sync(() => {
        asked.push(slug)
        return slug.startsWith("known") ? Option.some(one) : Option.none()
      }),
  })
  const data = yield* Effect.provide(makeMarketData, layer)
  const answer = (slug: string) => Effect.promise(async () => await data.answerOf(slug))
  return { asked, data, answer }
})

test("a slug is looked up once until a tick or a minute later, known or not", () =>
  Effect.gen(function* () {
    const { asked, data, answer } = yield* countingMarkets
    for (const slug of ["known", "unknown"]) {
      const before = asked.length
      const [first, second] = yield* Effect.all([answer(slug), answer(slug)], { concurrency: 2 })
      strictEqual(first, second)
      strictEqual(yield* answer(slug), first)
      strictEqual(first?.status, slug === "known" ? 200 : 404)
      strictEqual(asked.length, before + 1)
      yield* data.clear
      yield* answer(slug)
      strictEqual(asked.length, before + 2)
      yield* TestClock.adjust(minute + 1)
      yield* answer(slug)
      strictEqual(asked.length, before + 3)
    }
  }))

test("look-ups beyond 300 at once are refused, and one that fails is not kept", () =>
  Effect.gen(function* () {
    const down = yield* Ref.make(true)
    const layer = Layer.mock(PublishedMarkets, {
      bySlug: () =>
        Effect.flatMap(
          Ref.get(down),
          (isDown) => isDown ? Effect.never : Effect.succeed(Option.some(one)),
        ),
    })
    const data = yield* Effect.provide(makeMarketData, layer)
    const waiting = Array.from({ length: 300 }, (_, n) => data.answerOf(`slug-${n}`))
    strictEqual(yield* Effect.promise(async () => await data.answerOf("slug-300")), null)
    yield* TestClock.adjust("3 seconds")
    equal(new Set(yield* Effect.promise(() => Promise.all(waiting))), new Set([null]))
    yield* Ref.set(down, false)
    const found = yield* Effect.promise(async () => await data.answerOf("slug-0"))
    strictEqual(found?.status, 200)
  }))

test("look-ups that time out are logged once, until one is answered", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
    const down = yield* Ref.make(true)
    const layer = Layer.mock(PublishedMarkets, {
      bySlug: () =>
        Effect.flatMap(
          Ref.get(down),
          (isDown) => isDown ? Effect.never : Effect.succeed(Option.some(one)),
        ),
    })
    const data = yield* Effect.provide(makeMarketData, [layer, Logger.layer([logger])])
    const look = Effect.gen(function* () {
      const asked = Effect.promise(async () => await data.answerOf("known"))
      const found = yield* Effect.forkChild(asked, { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      return yield* Fiber.join(found)
    })
    equal([yield* look, yield* look], [null, null])
    strictEqual(lines.length, 1)
    yield* Ref.set(down, false)
    strictEqual((yield* look)?.status, 200)
    yield* data.clear
    yield* Ref.set(down, true)
    yield* look
    strictEqual(lines.length, 2)
  }))

test("what is no slug is 404 without a look-up", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const world = yield* makeWorld(3)
    const service = yield* makeService(world)
    // A look-up would fail, and be answered with 503.
    yield* Ref.set(world.storeUp, false)
    const paths = [
      ...["", ".json", "...", "..%2fv1%2findex", "a%2Fb", "a/b", "%00", "a%00b", "-a", ".a"],
      ...[
        "a b",
        "é",
        "%c3%a9",
        "a%",
        "a;b",
        "<script>",
        "a".repeat(256),
        `${"a".repeat(256)}.json`,
      ],
    ]
    for (const path of paths) {
      const { status, headers } = yield* service.get(`/markets/${path}`)
      strictEqual(status, 404, path)
      ok(headers.get("content-type")?.startsWith("application/json"), path)
    }
    strictEqual((yield* service.get(`/markets/${"a".repeat(2_100)}`)).status, 414)
    strictEqual((yield* service.get("/markets/number-1")).status, 503)
  }))
