/**
 * The data of pages and the pages made of them: nothing that is sold, no store call for what is no
 * slug, one look-up of each slug between two ticks, and made again only when something has changed.
 *
 * @module
 */
import { Effect, Fiber, Layer, Logger, Option, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert/strict"
import { isoTime, minute } from "../../../src/core/domain/time.ts"
import { digestEvery } from "../../../src/digest/domain/digest.ts"
import { PublishedMarkets } from "../../../src/feed/PublishedMarkets.ts"
import { freeAfterMs, type PublishedMarket } from "../../../src/feed/domain/publishedMarket.ts"
import { makePageData } from "../../../src/http/free/pageData.ts"
import { makeSnapshot } from "../../../src/http/free/snapshot.ts"
import { makeMarketRoutes } from "../../../src/http/pages/market.ts"
import { overloaded } from "../../../src/http/server/errors.ts"
import { sampleItems } from "../../support/catalog/samples.ts"
import { storedDigest } from "../../support/digest/storedDigests.ts"
import { test } from "../../support/effect.ts"
import { sampleItem } from "../../support/feed/items.ts"
import {
  makeService,
  makeWorld,
  serviceOptions,
  servicesOver,
} from "../../support/http/httpService.ts"
import { emptyWorld, filledWorld, plainNames } from "../../support/http/pageWorld.ts"
import { unlimited } from "../../support/memoryRateLimits.ts"

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

test("/signals.json has the newest 50 items of 15 minutes ago without anything that is sold", function* () {
  yield* TestClock.setTime(noon - freeAfterMs)
  const world = yield* makeWorld(60)
  yield* TestClock.setTime(noon)
  yield* Ref.update(world.items, (items) => [...items, sampleItem(61, noon - freeAfterMs + 1)])
  const service = yield* makeService(world)
  const response = yield* service.get("/signals.json")
  const body = yield* Effect.promise(() => response.json())
  equal(
    body.items.map(({ feedIndex }: { feedIndex: number }) => feedIndex),
    Array.from({ length: 50 }, (_, n) => 60 - n),
  )
  for (const item of body.items) {
    equal(Object.keys(item), ["feedIndex", "type", "slug", "question", "createdAt"])
  }
  const again = yield* service.get("/signals.json", {
    headers: { "if-none-match": response.headers.get("etag") ?? "" },
  })
  strictEqual(again.status, 304)
})

test("a hostile question changes nothing on the pages that show it", function* () {
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
})

test("a page and its JSON answer 304 to their tag, in every spelling of the slug", function* () {
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
})

const one: PublishedMarket = {
  market: mover.data.market,
  status: "open",
  listed: { bestBid: 0.4, bestAsk: 0.42 },
  volume24hUsd: null,
  path: [],
  items: [{ feedIndex: 1, type: "mover", createdAt: mover.createdAt, market: mover.data.market }],
}

/** The answers of markets, or their refusals. */
const marketsOver = (layer: Layer.Layer<PublishedMarkets>) =>
  Effect.map(
    Effect.provide(makeMarketRoutes(serviceOptions, unlimited), layer),
    ({ routeOf, clear }) => ({
      clear,
      pageOf: (slug: string) => {
        const route = routeOf(slug)
        ok(route !== null)
        return Effect.map(route.current(""), (found) => {
          ok(found !== null && "bytes" in found)
          return new TextDecoder().decode(found.bytes)
        })
      },
      answerOf: (slug: string) => {
        const route = routeOf(`${slug}.json`)
        ok(route !== null)
        return Effect.map(Effect.result(route.current("")), Result.merge)
      },
    }),
  )

test("the facts of a market's page have the prices of one listing, and none of another time", function* () {
  const path = [{ at: noon - 10 * minute, mid: 0.37 }]
  const layer = Layer.mock(PublishedMarkets, {
    bySlug: () => Effect.succeedSome({ ...one, path }),
  })
  const { pageOf } = yield* marketsOver(layer)
  const page = yield* pageOf("known")
  const [facts = ""] = page.match(/<dl.*?<\/dl>/s) ?? []
  const prices = facts.match(/\b0\.\d+/g)
  equal(new Set(prices?.map(Number)), new Set([0.4, 0.42]))
  ok(page.includes("0.370 at the end"), "the chart has the price of its own time")
})

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
  const data = yield* marketsOver(layer)
  return { asked, data, answer: data.answerOf }
})

test("a slug is looked up once until a tick or a minute later, known or not", function* () {
  const { asked, data, answer } = yield* countingMarkets
  for (const slug of ["known", "unknown"]) {
    const before = asked.length
    const [first, second] = yield* Effect.all([answer(slug), answer(slug)], { concurrency: 2 })
    strictEqual(first, second)
    strictEqual(yield* answer(slug), first)
    strictEqual(first.status, slug === "known" ? 200 : 404)
    strictEqual(asked.length, before + 1)
    yield* data.clear
    yield* answer(slug)
    strictEqual(asked.length, before + 2)
    yield* TestClock.adjust(minute + 1)
    yield* answer(slug)
    strictEqual(asked.length, before + 3)
  }
})

/** Look-ups that never end while the store is down. */
const stalledMarkets = Effect.gen(function* () {
  const down = yield* Ref.make(true)
  const layer = Layer.mock(PublishedMarkets, {
    bySlug: () =>
      Effect.flatMap(
        Ref.get(down),
        (isDown) => isDown ? Effect.never : Effect.succeed(Option.some(one)),
      ),
  })
  return { down, data: yield* marketsOver(layer) }
})

test("look-ups beyond 300 at once are refused, and one that fails is not kept", function* () {
  const { down, data } = yield* stalledMarkets
  const waiting = yield* Effect.forEach(
    Array.from({ length: 300 }, (_, n) => data.answerOf(`slug-${n}`)),
    (look) => Effect.forkChild(look, { startImmediately: true }),
  )
  strictEqual(yield* data.answerOf("slug-300"), overloaded)
  yield* TestClock.adjust("3 seconds")
  equal(new Set(yield* Fiber.joinAll(waiting)), new Set([overloaded]))
  yield* Ref.set(down, false)
  const found = yield* data.answerOf("slug-0")
  strictEqual(found.status, 200)
})

test("look-ups that time out are logged once, until one is answered", function* () {
  const lines: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
  const { down, data } = yield* Effect.provide(stalledMarkets, Logger.layer([logger]))
  const look = Effect.gen(function* () {
    const asked = data.answerOf("known")
    const found = yield* Effect.forkChild(asked, { startImmediately: true })
    yield* TestClock.adjust("3 seconds")
    return yield* Fiber.join(found)
  })
  equal([yield* look, yield* look], [overloaded, overloaded])
  strictEqual(lines.length, 1)
  yield* Ref.set(down, false)
  strictEqual((yield* look).status, 200)
  yield* data.clear
  yield* Ref.set(down, true)
  yield* look
  strictEqual(lines.length, 2)
})

test("what is no slug is 404 without a look-up", function* () {
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
})

type Service = Effect.Success<ReturnType<typeof makeService>>

const textOf = (service: Service, path: string) =>
  Effect.flatMap(service.get(path), (response) => Effect.promise(() => response.text()))
const titlesOf = (service: Service) =>
  Effect.map(textOf(service, "/digest.json"), (text) => JSON.parse(text).digests)

test("/digest shows the free part of the newest digest and the title of each one of the week", function* () {
  yield* TestClock.setTime(noon)
  const world = yield* filledWorld()
  const service = yield* makeService(world)
  const stored = yield* world.digests.since(0, 99)
  equal(
    yield* titlesOf(service),
    stored.map(({ digest: { title, createdAt } }) => ({ title, createdAt })),
  )
  const page = yield* textOf(service, "/digest")
  const [newest] = stored
  ok(newest !== undefined)
  for (const { digest } of stored) {
    ok(page.includes(`<time datetime="${digest.createdAt}">`), digest.createdAt)
  }
  ok(page.includes(`<bdi>${newest.digest.summary}</bdi>`))
  // The newest one is also at the top.
  strictEqual(page.split(`<bdi>${plainNames.digestTitle}</bdi>`).length - 1, stored.length + 1)
  ok(!page.includes(newest.digest.fullAnalysis) && !page.includes("(F1)"))
})

test("before the first digest, /digest says so and lists no title", function* () {
  const service = yield* makeService(yield* emptyWorld)
  equal(yield* titlesOf(service), [])
  const page = yield* textOf(service, "/digest")
  ok(page.includes("No digest yet."))
  ok(page.includes("No title yet."))
})

test("/digest is made again only when there is a new digest", function* () {
  yield* TestClock.setTime(noon)
  const world = yield* filledWorld()
  const service = yield* makeService(world)
  const tags = Effect.forEach(
    ["/digest", "/digest.json"] as const,
    (path) => Effect.map(service.get(path), ({ headers }) => headers.get("etag")),
  )
  const first = yield* tags
  yield* TestClock.adjust("1 minute")
  equal(yield* tags, first)
  yield* world.digests.add(storedDigest(noon + digestEvery, "The next one"))
  yield* TestClock.adjust("1 minute")
  const [page, titles] = yield* tags
  ok(page !== first[0] && titles !== first[1])
  ok((yield* textOf(service, "/digest")).includes("<bdi>The next one</bdi>"))
})

test("page data spends the budget of pages", function* () {
  const service = yield* makeService(yield* filledWorld())
  const { headers } = yield* service.get("/digest.json")
  ok(headers.get("ratelimit")?.startsWith('"pages"'), headers.get("ratelimit") ?? "absent")
})

/** Longer than the pause between two computations of any body. */
const refresh = "16 seconds"

test("no body of a page is encoded again while nothing has changed", function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
  const world = yield* makeWorld(3)
  yield* Effect.gen(function* () {
    const { routes } = yield* makePageData(unlimited)
    const snapshot = yield* makeSnapshot(serviceOptions)
    const bodies = {
      ...{ index: snapshot.index, pulse: snapshot.pulse, brief: snapshot.digestBrief },
      ...{ record: snapshot.trackRecord, health: snapshot.health },
      ...Object.fromEntries(
        Object.entries(routes).map(([id, { current }]) => [id, () => Effect.runSync(current(""))]),
      ),
    }
    const read = Effect.forEach(
      Object.entries(bodies),
      ([name, current]) =>
        Effect.map(Effect.promise(async () => await current()), (body) => {
          ok(body !== null, name)
          return [name, body] as const
        }),
    )
    const before = yield* read
    yield* TestClock.adjust(refresh)
    const after = yield* read
    equal(after.filter(([, body], at) => body !== before[at]?.[1]).map(([name]) => name), [])
    yield* Ref.update(world.items, (items) => [...items, sampleItem(4, 0)])
    yield* TestClock.adjust(refresh)
    notStrictEqual((yield* read)[0]?.[1], before[0]?.[1])
  }).pipe(Effect.provide(servicesOver(world)))
})
