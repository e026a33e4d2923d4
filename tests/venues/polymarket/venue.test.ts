/**
 * Requests to Polymarket: pages, batches, pace and retries.
 *
 * @module
 */
import { Clock, Effect, Ref, Result, Stream } from "effect"
import { defaultLimits, type RequestLimits } from "../../../src/venues/polymarket/requests.ts"
import { MarketId, TokenId } from "../../../src/markets/domain/market.ts"
import { day, minute, second } from "../../../src/core/domain/time.ts"
import type { VenueClient } from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"
import {
  bookRow,
  conditionId,
  gammaRow,
  tokenId,
  tradeRow,
} from "../../support/venues/polymarket.ts"
import { type Answer, equal, reason, withVenueAt } from "../../support/venues/scriptedVenue.ts"

/** Runs `use` on a venue with scripted responses, on the TestClock. */
const withVenue = <A>(...given: Parameters<typeof venueAtZero<A>>) =>
  Effect.map(venueAtZero(...given), ({ result }) => result)
const venueAtZero = withVenueAt(0)

const ids = (venue: VenueClient["Service"]) =>
  Stream.runCollect(venue.listMarkets).pipe(
    Effect.map((pages) => pages.flatMap(({ rows }) => rows.map(({ id }) => id))),
  )

/** Three pages of two markets each; the cursor is the number of the next page. */
function page(url: URL, fields: Readonly<Record<string, unknown>> = {}): Response {
  const at = Number(url.searchParams.get("after_cursor") ?? 0)
  const markets = [gammaRow(2 * at + 1), gammaRow(2 * at + 2)]
  return Response.json({ markets, ...(at < 2 ? { next_cursor: String(at + 1) } : {}), ...fields })
}

const allIds = [1, 2, 3, 4, 5, 6].map(conditionId)

/** A fault that ends after two requests. */
const twice = (fault: (url: URL) => Response | Effect.Effect<Response>): Answer => {
  const faults = new Map<string, number>()
  return (url) => {
    const count = faults.get(url.href) ?? 0
    faults.set(url.href, count + 1)
    return count < 2 ? fault(url) : page(url)
  }
}

const faults: Readonly<Record<string, (url: URL) => Response | Effect.Effect<Response>>> = {
  "a 500": () => new Response("oops", { status: 500 }),
  "a 429 with Retry-After": () =>
    new Response(null, { status: 429, headers: { "retry-after": "7" } }),
  "truncated JSON": () => new Response('{"markets":[{"id":"1",'),
  "a page of HTML": () => new Response("<html>Just a moment</html>"),
  "unexpected response shape": () => Response.json({ error: "soon" }),
  "no response": () => Effect.never,
  "the previous page again": (url) => {
    const at = Number(url.searchParams.get("after_cursor") ?? 0)
    const markets = [gammaRow(2 * at - 1), gammaRow(2 * at)]
    return at === 0 ? page(url) : page(url, { markets })
  },
  "a cursor that leads back": (url) =>
    url.searchParams.get("after_cursor") === "2" ? page(url, { next_cursor: "1" }) : page(url),
}

for (const [name, fault] of Object.entries(faults)) {
  test(`listMarkets returns every market once despite ${name}`, () =>
    Effect.gen(function* () {
      equal(Result.getOrThrow(yield* withVenue(twice(fault), ids)), allIds)
    }))
}

test("listMarkets emits all pages before one that keeps failing, then fails", () =>
  Effect.gen(function* () {
    const seen = yield* Ref.make<ReadonlyArray<string>>([])
    const tries = { count: 0 }
    const result = yield* withVenue(
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

test("listMarkets requests open markets by their end, then by volume, in the same way on every page", () =>
  Effect.gen(function* () {
    const requested = new Set<string>()
    const answer: Answer = ({ searchParams }) => {
      const names = ["closed", "end_date_min", "order", "ascending"]
      requested.add(names.map((name) => searchParams.get(name)).join())
      return page(new URL(`http://gamma/?${searchParams}`))
    }
    Result.getOrThrow(yield* withVenue(answer, ids))
    equal([...requested], ["false,1969-12-02T00:00:00.000Z,,", "false,,volume24hr,false"])
  }))

/** One empty page by end, then pages of two markets with these volumes, without end. */
function byVolume(volumes: ReadonlyArray<number | undefined>): Answer {
  return ({ searchParams }) => {
    if (searchParams.get("order") === null) return Response.json({ markets: [] })
    const at = Number(searchParams.get("after_cursor") ?? 0)
    const markets = [2 * at, 2 * at + 1].map((n) => gammaRow(n + 1, { volume24hr: volumes[n] }))
    return Response.json({ markets, next_cursor: String(at + 1) })
  }
}

const listing = (answer: Answer, limits: Partial<RequestLimits> = {}) => {
  const requests = { count: 0 }
  const counting: Answer = (url, body) => {
    requests.count++
    return answer(url, body)
  }
  return Effect.map(
    withVenue(counting, ({ listMarkets }) => Stream.runCollect(listMarkets), limits),
    (result) => {
      const pages = Result.getOrThrow(result)
      const found = pages.flatMap(({ rows }) => rows.map(({ id }) => id))
      return { found, pages, requests: requests.count }
    },
  )
}

test("the pass by volume ends at the first page with a market that did not trade", () =>
  Effect.gen(function* () {
    const { found, requests } = yield* listing(byVolume([9, 8, 7, 0, 0, 0]))
    // The market without volume has a bid and an ask.
    equal([found, requests], [[1, 2, 3, 4].map(conditionId), 3])
    const unsaid = yield* listing(byVolume([9, 8, 7, undefined, undefined, undefined]))
    equal([unsaid.found.length, unsaid.requests], [6, 4])
  }))

test("the pass by volume is cut at its limit, which is counted", () =>
  Effect.gen(function* () {
    const { found, pages, requests } = yield* listing(byVolume(Array(40).fill(5)), {
      volumePagesMax: 3,
    })
    equal([found, requests], [[1, 2, 3, 4, 5, 6].map(conditionId), 4])
    equal(pages.at(-1), { rows: [], rejected: { volume_pass_cut: 1 } })
  }))

test("a venue that rejects the order, or fails in it, loses nothing of the first pass", () =>
  Effect.gen(function* () {
    for (const status of [422, 503]) {
      const { found, pages } = yield* listing((url) =>
        url.searchParams.has("order") ? new Response("no", { status }) : page(url)
      )
      equal(found, allIds)
      equal(pages.at(-1), { rows: [], rejected: { volume_pass_failed: 1 } })
    }
  }))

test("a pass by volume that hangs is cut after a minute, and the first pass stays valid", () =>
  Effect.gen(function* () {
    const ended = yield* Ref.make<number | null>(null)
    const result = yield* withVenue(
      (url) => url.searchParams.has("order") ? Effect.never : page(url),
      ({ listMarkets }) =>
        Effect.tap(
          Stream.runCollect(listMarkets),
          Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.set(ended, now)),
        ),
    )
    const pages = Result.getOrThrow(result)
    equal(pages.flatMap(({ rows }) => rows.map(({ id }) => id)), allIds)
    equal(pages.at(-1), { rows: [], rejected: { volume_pass_cut: 1 } })
    // The first pass takes less than a second.
    equal(((yield* Ref.get(ended)) ?? Infinity) < defaultLimits.volumePassMsMax + 1_000, true)
  }))

test("listMarkets returns a market of both passes, or of two pages, once", () =>
  Effect.gen(function* () {
    const overdue = gammaRow(9, { endDate: "1969-01-01T00:00:00Z" })
    const answer: Answer = (url) =>
      url.searchParams.has("order")
        ? Response.json({ markets: [overdue, gammaRow(1), gammaRow(2, { closed: true })] })
        : Response.json({ markets: [gammaRow(1), gammaRow(2, { closed: true }), gammaRow(1)] })
    const { found, pages } = yield* listing(answer)
    equal(found, [conditionId(1), conditionId(9)])
    equal(pages.map(({ rejected }) => rejected), [{ closed: 1 }, {}])
  }))

test("listMarkets fails on a cursor loop", () =>
  Effect.gen(function* () {
    const circle: Answer = (url) => page(url, { next_cursor: "1" })
    equal(reason(yield* withVenue(circle, ids)), "unexpected response shape")
  }))

test("listMarkets fails on a listing without end", () =>
  Effect.gen(function* () {
    const endless: Answer = (url) => {
      const at = Number(url.searchParams.get("after_cursor") ?? 0)
      return Response.json({ markets: [gammaRow(at)], next_cursor: String(at + 1) })
    }
    equal(reason(yield* withVenue(endless, ids, { pagesMax: 20 })), "too many pages")
  }))

test("listMarkets does not retry a request that the venue rejects", () =>
  Effect.gen(function* () {
    const tries = { count: 0 }
    const wrong: Answer = () => {
      tries.count++
      return new Response("no", { status: 422 })
    }
    equal([reason(yield* withVenue(wrong, ids)), tries.count], ["status 422", 1])
  }))

test("listMarkets fails on a response that is too long", () =>
  Effect.gen(function* () {
    const long: Answer = () => new Response("x".repeat(2_000))
    equal(reason(yield* withVenue(long, ids, { bodyBytesMax: 1_000 })), "response too long")
  }))

test("requests are evenly spaced, and pause for a Retry-After", () =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const answer: Answer = (url) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        starts.push(now)
        return starts.length === 2
          ? new Response(null, { status: 429, headers: { "retry-after": "30" } })
          : page(url)
      })
    Result.getOrThrow(yield* withVenue(answer, ids))
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
    const spacing = 10_000 / defaultLimits.perTenSeconds.listing
    if (gaps.some((gap) => gap < Math.floor(spacing))) throw new Error(`too fast: ${gaps}`)
    if ((gaps[1] ?? 0) < 30 * second) throw new Error(`no pause: ${gaps}`)
  }))

test("a Retry-After of a day is capped at the limit", () =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const answer: Answer = (url) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        starts.push(now)
        return starts.length === 1
          ? new Response(null, { status: 429, headers: { "retry-after": "86400" } })
          : page(url)
      })
    Result.getOrThrow(yield* withVenue(answer, ids))
    const waited = (starts[1] ?? 0) - (starts[0] ?? 0)
    const most = defaultLimits.retryAfterMsMax + defaultLimits.retryDelayMs
    if (waited < defaultLimits.retryAfterMsMax || waited > most) throw new Error(`waited ${waited}`)
  }))

/** One request a second on every route. */
const slow = { ...defaultLimits.perTenSeconds, books: 10 }

const tokens = Array.from({ length: 1_200 }, (_, at) => TokenId.make(tokenId(at, 0)))

test("a request that waits for its slot when a pause starts waits for the pause too", () =>
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
      yield* withVenue(answer, ({ books }) => books(tokens), { perTenSeconds: slow }),
    )
    const early = starts.slice(1).filter((at) => at - (starts[0] ?? 0) < 30 * second)
    equal([early, starts.length], [[], 4])
  }))

test("books() requests batches, and returns each requested book once", () =>
  Effect.gen(function* () {
    const batches: Array<number> = []
    const answer: Answer = (_, body) => {
      const requested: ReadonlyArray<{ readonly token_id: string }> = JSON.parse(body)
      batches.push(requested.length)
      const rows = requested.map(({ token_id }) => bookRow(1, { asset_id: token_id }))
      return Response.json([...rows, ...rows.slice(0, 3), bookRow(9_999), {}])
    }
    const { rows, rejected } = Result.getOrThrow(
      yield* withVenue(answer, ({ books }) => books([...tokens, ...tokens.slice(0, 10)])),
    )
    equal(batches, [500, 500, 200])
    equal([rows.length, new Set(rows.map(({ tokenId }) => tokenId)).size], [1_200, 1_200])
    equal(rows.every(({ bids, asks }) => bids.length > 0 && asks.length > 0), true)
    equal(rejected, { not_requested: 3, missing_token: 3 })
  }))

test("books() counts the tokens of a lost batch, and fails only when all are lost", () =>
  Effect.gen(function* () {
    const down = () => new Response(null, { status: 404 })
    let at = 0
    const oneLost: Answer = () => at++ === 0 ? down() : Response.json([])
    const { rejected } = Result.getOrThrow(yield* withVenue(oneLost, ({ books }) => books(tokens)))
    equal(rejected, { unavailable: 500 })
    equal(reason(yield* withVenue(down, ({ books }) => books(tokens))), "status 404")
    equal(Result.getOrThrow(yield* withVenue(down, ({ books }) => books([]))).rows, [])
  }))

/** Answers 400 to a batch that contains one of `badTokens`. */
const rejecting =
  (badTokens: ReadonlyArray<string>, requests = { count: 0 }): Answer => (_, body) => {
    requests.count++
    const requested: ReadonlyArray<{ readonly token_id: string }> = JSON.parse(body)
    return requested.some(({ token_id }) => badTokens.includes(token_id))
      ? new Response(null, { status: 400 })
      : Response.json(requested.map(({ token_id }) => bookRow(1, { asset_id: token_id })))
  }

test("books() loses no other book to a token the venue does not know", () =>
  Effect.gen(function* () {
    const badTokens = [tokenId(3, 0), tokenId(777, 0)]
    const { rows, rejected } = Result.getOrThrow(
      yield* withVenue(rejecting(badTokens), ({ books }) => books(tokens)),
    )
    equal([rows.length, rejected], [1_198, { unavailable: 2 }])
  }))

test("books() splits a bounded number of batches when all are rejected", () =>
  Effect.gen(function* () {
    const requests = { count: 0 }
    const all = tokens.map((token) => String(token))
    equal(
      reason(yield* withVenue(rejecting(all, requests), ({ books }) => books(tokens))),
      "status 400",
    )
    equal(requests.count <= 3 + 2 * defaultLimits.bookSplitsMax, true)
  }))

test("priceHistory() covers its range in windows the venue accepts", () =>
  Effect.gen(function* () {
    const requested: Array<readonly [number, number, string | null]> = []
    const answer: Answer = ({ searchParams }) => {
      const [start, end] = ["startTs", "endTs"].map((name) => Number(searchParams.get(name)))
      requested.push([start ?? 0, end ?? 0, searchParams.get("fidelity")])
      const history = [start, end].map((t) => ({ t, p: "0.5" }))
      return Response.json({ history: [...history, { t: 1, p: 0.5 }, { t: start, p: null }] })
    }
    const range = { from: 100 * day, to: 130 * day, stepMs: 10 * minute }
    const points = Result.getOrThrow(
      yield* withVenue(answer, ({ priceHistory }) => priceHistory(TokenId.make("7"), range)),
    )
    const inside = points.every(({ at }) => at >= range.from && at <= range.to)
    equal([inside, requested[0]?.[0], requested.at(-1)?.[1]], [
      true,
      range.from / second,
      range.to / second,
    ])
    requested.forEach(([start, end, fidelity], index) => {
      if (end - start > 15 * day / second || fidelity !== "10") throw new Error(`${start}-${end}`)
      if (index > 0 && start > (requested[index - 1]?.[1] ?? 0)) throw new Error("a gap")
    })
  }))

test("trades() follows cursors back to `since` and no further", () =>
  Effect.gen(function* () {
    let requested = 0
    const answer: Answer = ({ searchParams }) => {
      requested++
      const at = Number(searchParams.get("cursor") ?? 0)
      const data = [0, 1].map((row) => tradeRow(1, { timestamp: 10_000 - 20 * at - 10 * row }))
      const pagination = { limit: 2, has_more: true, next_cursor: String(at + 1) }
      equal(searchParams.get("taker_only"), "false")
      return Response.json({ data: data.reverse(), pagination })
    }
    const { rows } = Result.getOrThrow(
      yield* withVenue(
        answer,
        ({ trades }) => trades(MarketId.make(conditionId(1)), 9_950 * second),
      ),
    )
    equal(rows.map(({ at }) => at / second), [10_000, 9_990, 9_980, 9_970, 9_960, 9_950])
    equal(requested, 4)
  }))

test("trades() stops at its limits of rows and pages", () =>
  Effect.gen(function* () {
    let next = 0
    const endless = (rows: number): Answer => () =>
      Response.json({
        data: Array.from({ length: rows }, () => tradeRow(1)),
        pagination: { has_more: true, next_cursor: String(next++) },
      })
    const all = ({ trades }: VenueClient["Service"]) => trades(MarketId.make(conditionId(1)), 0)
    equal(Result.getOrThrow(yield* withVenue(endless(700), all)).rows.length, 1_000)
    equal(Result.getOrThrow(yield* withVenue(endless(1), all)).rows.length, 20)
  }))
