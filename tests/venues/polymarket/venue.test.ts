/**
 * How Polymarket is asked: page after page, batch after batch, at a pace, again after a fault.
 *
 * @module
 */
import { Clock, Effect, Fiber, Layer, Ref, Result, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { defaultLimits, type RequestLimits } from "../../../src/venues/polymarket/requests.ts"
import { layer } from "../../../src/venues/polymarket/venue.ts"
import { MarketId, TokenId } from "../../../src/markets/domain/market.ts"
import { day, minute, second } from "../../../src/core/domain/time.ts"
import { VenueClient, type VenueUnavailable } from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"
import {
  bookRow,
  conditionId,
  gammaRow,
  scriptedClient,
  tokenId,
  tradeRow,
} from "../../support/venues/polymarket.ts"

const urls = { gammaUrl: "http://gamma", clobUrl: "http://clob", dataUrl: "http://data/v2" }

type Answer = (url: URL, body: string) => Response | Effect.Effect<Response>

/** Runs `use` on a venue that answers by script, all of its waiting done by the TestClock. */
function asking<A>(
  answer: Answer,
  use: (venue: VenueClient["Service"]) => Effect.Effect<A, VenueUnavailable>,
  limits: Partial<RequestLimits> = {},
): Effect.Effect<Result.Result<A, VenueUnavailable>> {
  const client = Layer.succeed(HttpClient.HttpClient, scriptedClient(answer))
  return Effect.gen(function* () {
    const running = yield* Effect.flatMap(VenueClient, use).pipe(
      Effect.provide(layer({ ...urls, limits }).pipe(Layer.provide(client))),
      Effect.result,
      Effect.forkChild,
    )
    yield* TestClock.adjust("2 hours")
    return yield* Fiber.join(running)
  })
}

const ids = (venue: VenueClient["Service"]) =>
  Stream.runCollect(venue.listMarkets).pipe(
    Effect.map((pages) => pages.flatMap(({ rows }) => rows.map(({ id }) => id))),
  )

/** Three pages of two markets each; a cursor says which page it leads to. */
function page(url: URL, fields: Readonly<Record<string, unknown>> = {}): Response {
  const at = Number(url.searchParams.get("after_cursor") ?? 0)
  const markets = [gammaRow(2 * at + 1), gammaRow(2 * at + 2)]
  return Response.json({ markets, ...(at < 2 ? { next_cursor: String(at + 1) } : {}), ...fields })
}

const allIds = [1, 2, 3, 4, 5, 6].map(conditionId)

function equal(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`got ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
}

function reason(result: Result.Result<unknown, VenueUnavailable>): string {
  return Result.isFailure(result) ? result.failure.reason : "none"
}

/** Every fault is over after its second time. */
const passing = (fault: (url: URL) => Response | Effect.Effect<Response>): Answer => {
  const faults = new Map<string, number>()
  return (url) => {
    const count = faults.get(url.href) ?? 0
    faults.set(url.href, count + 1)
    return count < 2 ? fault(url) : page(url)
  }
}

const faults: Readonly<Record<string, (url: URL) => Response | Effect.Effect<Response>>> = {
  "a 500": () => new Response("oops", { status: 500 }),
  "a 429 that asks for quiet": () =>
    new Response(null, { status: 429, headers: { "retry-after": "7" } }),
  "truncated JSON": () => new Response('{"markets":[{"id":"1",'),
  "a page of HTML": () => new Response("<html>Just a moment</html>"),
  "unexpected response shape": () => Response.json({ error: "soon" }),
  "no answer at all": () => Effect.never,
  "the page before again": (url) => {
    const at = Number(url.searchParams.get("after_cursor") ?? 0)
    const markets = [gammaRow(2 * at - 1), gammaRow(2 * at)]
    return at === 0 ? page(url) : page(url, { markets })
  },
  "a cursor that leads back": (url) =>
    url.searchParams.get("after_cursor") === "2" ? page(url, { next_cursor: "1" }) : page(url),
}

for (const [name, fault] of Object.entries(faults)) {
  test(`listMarkets lists every market once in spite of ${name}`, () =>
    Effect.gen(function* () {
      equal(Result.getOrThrow(yield* asking(passing(fault), ids)), allIds)
    }))
}

test("listMarkets fails when a page stays away, and what came before stands", () =>
  Effect.gen(function* () {
    const seen = yield* Ref.make<ReadonlyArray<string>>([])
    const tries = { count: 0 }
    const result = yield* asking(
      (url) => {
        if (url.searchParams.get("after_cursor") !== "2") return page(url)
        tries.count++
        return new Response(null, { status: 503 })
      },
      ({ listMarkets }) =>
        Stream.runForEach(
          listMarkets,
          ({ rows }) => Ref.update(seen, (before) => [...before, ...rows.map(({ id }) => id)]),
        ),
    )
    equal(reason(result), "status 503")
    equal(yield* Ref.get(seen), allIds.slice(0, 4))
    equal(tries.count, defaultLimits.attemptsMax)
  }))

test("every page of a sweep is asked for open markets, with the same least end", () =>
  Effect.gen(function* () {
    const asked = new Set<string>()
    const answer: Answer = (url) => {
      asked.add(`${url.searchParams.get("closed")} ${url.searchParams.get("end_date_min")}`)
      return page(url)
    }
    Result.getOrThrow(yield* asking(answer, ids))
    equal([...asked], ["false 1969-12-02T00:00:00.000Z"])
  }))

test("listMarkets gives up on a listing that leads in a circle", () =>
  Effect.gen(function* () {
    const circle: Answer = (url) => page(url, { next_cursor: "1" })
    equal(reason(yield* asking(circle, ids)), "unexpected response shape")
  }))

test("listMarkets gives up on a listing without end", () =>
  Effect.gen(function* () {
    const endless: Answer = (url) => {
      const at = Number(url.searchParams.get("after_cursor") ?? 0)
      return Response.json({ markets: [gammaRow(at)], next_cursor: String(at + 1) })
    }
    equal(reason(yield* asking(endless, ids, { pagesMax: 20 })), "too many pages")
  }))

test("listMarkets does not repeat a request the venue says is wrong", () =>
  Effect.gen(function* () {
    const tries = { count: 0 }
    const wrong: Answer = () => {
      tries.count++
      return new Response("no", { status: 422 })
    }
    equal([reason(yield* asking(wrong, ids)), tries.count], ["status 422", 1])
  }))

test("listMarkets does not hold an answer that is too long", () =>
  Effect.gen(function* () {
    const long: Answer = () => new Response("x".repeat(2_000))
    equal(reason(yield* asking(long, ids, { bodyBytesMax: 1_000 })), "response too long")
  }))

test("a bad row costs itself and is counted; its page stays", () =>
  Effect.gen(function* () {
    const body = { markets: [null, gammaRow(1), { id: 3 }, gammaRow(2, { closed: true })] }
    const pages = Result.getOrThrow(
      yield* asking(() => Response.json(body), ({ listMarkets }) => Stream.runCollect(listMarkets)),
    )
    equal(pages.map(({ rows, rejected }) => [rows.length, rejected]), [
      [1, { undecodable: 1, missing_id: 1, closed: 1 }],
    ])
  }))

test("requests keep the pace, and keep quiet as long as they are asked to", () =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const answer: Answer = (url) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        starts.push(now)
        return starts.length === 2
          ? new Response(null, { status: 429, headers: { "retry-after": "30" } })
          : page(url)
      })
    Result.getOrThrow(yield* asking(answer, ids))
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
    const spacing = 10_000 / defaultLimits.perTenSeconds.listing
    if (gaps.some((gap) => gap < Math.floor(spacing))) throw new Error(`too fast: ${gaps}`)
    if ((gaps[1] ?? 0) < 30 * second) throw new Error(`not quiet: ${gaps}`)
  }))

test("a Retry-After of a day is cut to the limit", () =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const answer: Answer = (url) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        starts.push(now)
        return starts.length === 1
          ? new Response(null, { status: 429, headers: { "retry-after": "86400" } })
          : page(url)
      })
    Result.getOrThrow(yield* asking(answer, ids))
    const waited = (starts[1] ?? 0) - (starts[0] ?? 0)
    const most = defaultLimits.retryAfterMsMax + defaultLimits.retryDelayMs
    if (waited < defaultLimits.retryAfterMsMax || waited > most) throw new Error(`waited ${waited}`)
  }))

/** One request a second on every route. */
const slow = { ...defaultLimits.perTenSeconds, books: 10 }

const tokens = Array.from({ length: 1_200 }, (_, at) => TokenId.make(tokenId(at, 0)))

test("a request that waits for its turn when quiet is asked for waits longer", () =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const answer: Answer = () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        starts.push(now)
        return starts.length === 1
          ? new Response(null, { status: 429, headers: { "retry-after": "30" } })
          : Response.json([])
      }).pipe(Effect.delay(100))
    Result.getOrThrow(
      yield* asking(answer, ({ books }) => books(tokens), { perTenSeconds: slow }),
    )
    const early = starts.slice(1).filter((at) => at - (starts[0] ?? 0) < 30 * second)
    equal([early, starts.length], [[], 4])
  }))

test("books() asks in batches, and gives each book that was asked for once", () =>
  Effect.gen(function* () {
    const batches: Array<number> = []
    const answer: Answer = (_, body) => {
      const asked: ReadonlyArray<{ readonly token_id: string }> = JSON.parse(body)
      batches.push(asked.length)
      const rows = asked.map(({ token_id }) => bookRow(1, { asset_id: token_id }))
      return Response.json([...rows, ...rows.slice(0, 3), bookRow(9_999), {}])
    }
    const { rows, rejected } = Result.getOrThrow(
      yield* asking(answer, ({ books }) => books([...tokens, ...tokens.slice(0, 10)])),
    )
    equal(batches, [500, 500, 200])
    equal([rows.length, new Set(rows.map(({ tokenId }) => tokenId)).size], [1_200, 1_200])
    equal(rejected, { unasked: 3, missing_token: 3 })
  }))

test("books() counts the tokens of a lost batch, and fails only when all are lost", () =>
  Effect.gen(function* () {
    const down = () => new Response(null, { status: 404 })
    let at = 0
    const oneLost: Answer = () => at++ === 0 ? down() : Response.json([])
    const { rejected } = Result.getOrThrow(yield* asking(oneLost, ({ books }) => books(tokens)))
    equal(rejected, { unavailable: 500 })
    equal(reason(yield* asking(down, ({ books }) => books(tokens))), "status 404")
    equal(Result.getOrThrow(yield* asking(down, ({ books }) => books([]))).rows, [])
  }))

/** Answers 400 to a batch that holds one of `spoilers`. */
const spoiltBy =
  (spoilers: ReadonlyArray<string>, requests = { count: 0 }): Answer => (_, body) => {
    requests.count++
    const asked: ReadonlyArray<{ readonly token_id: string }> = JSON.parse(body)
    return asked.some(({ token_id }) => spoilers.includes(token_id))
      ? new Response(null, { status: 400 })
      : Response.json(asked.map(({ token_id }) => bookRow(1, { asset_id: token_id })))
  }

test("books() loses no other book to a token the venue does not know", () =>
  Effect.gen(function* () {
    const spoilers = [tokenId(3, 0), tokenId(777, 0)]
    const { rows, rejected } = Result.getOrThrow(
      yield* asking(spoiltBy(spoilers), ({ books }) => books(tokens)),
    )
    equal([rows.length, rejected], [1_198, { unavailable: 2 }])
  }))

test("books() does not halve for ever when every batch is called wrong", () =>
  Effect.gen(function* () {
    const requests = { count: 0 }
    const all = tokens.map((token) => String(token))
    equal(
      reason(yield* asking(spoiltBy(all, requests), ({ books }) => books(tokens))),
      "status 400",
    )
    equal(requests.count <= 3 + 2 * defaultLimits.bookSplitsMax, true)
  }))

test("priceHistory() covers its range in windows the venue accepts", () =>
  Effect.gen(function* () {
    const asked: Array<readonly [number, number, string | null]> = []
    const answer: Answer = ({ searchParams }) => {
      const [start, end] = ["startTs", "endTs"].map((name) => Number(searchParams.get(name)))
      asked.push([start ?? 0, end ?? 0, searchParams.get("fidelity")])
      const history = [start, end].map((t) => ({ t, p: "0.5" }))
      return Response.json({ history: [...history, { t: 1, p: 0.5 }, { t: start, p: null }] })
    }
    const range = { from: 100 * day, to: 130 * day, stepMs: 10 * minute }
    const points = Result.getOrThrow(
      yield* asking(answer, ({ priceHistory }) => priceHistory(TokenId.make("7"), range)),
    )
    const inside = points.every(({ at }) => at >= range.from && at <= range.to)
    equal([inside, asked[0]?.[0], asked.at(-1)?.[1]], [
      true,
      range.from / second,
      range.to / second,
    ])
    asked.forEach(([start, end, fidelity], index) => {
      if (end - start > 15 * day / second || fidelity !== "10") throw new Error(`${start}-${end}`)
      if (index > 0 && start > (asked[index - 1]?.[1] ?? 0)) throw new Error("a hole")
    })
  }))

test("trades() follows cursors back to `since` and no further", () =>
  Effect.gen(function* () {
    let asked = 0
    const answer: Answer = ({ searchParams }) => {
      asked++
      const at = Number(searchParams.get("cursor") ?? 0)
      const data = [0, 1].map((row) => tradeRow(1, { timestamp: 10_000 - 20 * at - 10 * row }))
      const pagination = { limit: 2, has_more: true, next_cursor: String(at + 1) }
      equal(searchParams.get("taker_only"), "false")
      return Response.json({ data: data.reverse(), pagination })
    }
    const { rows } = Result.getOrThrow(
      yield* asking(answer, ({ trades }) => trades(MarketId.make(conditionId(1)), 9_950 * second)),
    )
    equal(rows.map(({ at }) => at / second), [10_000, 9_990, 9_980, 9_970, 9_960, 9_950])
    equal(asked, 4)
  }))

test("trades() stops at its most rows and pages", () =>
  Effect.gen(function* () {
    let next = 0
    const endless = (rows: number): Answer => () =>
      Response.json({
        data: Array.from({ length: rows }, () => tradeRow(1)),
        pagination: { has_more: true, next_cursor: String(next++) },
      })
    const all = ({ trades }: VenueClient["Service"]) => trades(MarketId.make(conditionId(1)), 0)
    equal(Result.getOrThrow(yield* asking(endless(700), all)).rows.length, 1_000)
    equal(Result.getOrThrow(yield* asking(endless(1), all)).rows.length, 20)
  }))
