/**
 * The simulated world in the venue's wire format: the real venue's decoders read back the world's data,
 * and faults happen as planned.
 *
 * @module
 */
import { Arbitrary, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import { decodeBook, decodeHistory } from "../../../src/venues/polymarket/clob.ts"
import { dataPage, decodeTrades } from "../../../src/venues/polymarket/data.ts"
import { decodeMarkets } from "../../../src/venues/polymarket/gamma.ts"
import { fillOf } from "../../../src/venues/simulated/activity.ts"
import { faults, scriptedFaults, seededFaults } from "../../support/venues/wire/faults.ts"
import { serveWire, wire, type WireOptions } from "../../support/venues/wire/wire.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { day, hour, minute, second } from "../../../src/core/domain/time.ts"
import { law, liveTest, test } from "../../support/effect.ts"

const world = makeWorld({ seed: 4, markets: 230, mechanicalShare: 0.1 })
const now = world.options.origin + 5 * day + 1_234
const base = "http://venue.test"

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

function client(options: WireOptions = {}) {
  const handle = wire(world, options)
  return Effect.fnUntraced(function* (path: string, sent?: unknown) {
    const request = sent === undefined
      ? new Request(base + path)
      : new Request(base + path, { method: "POST", body: JSON.stringify(sent) })
    const response = yield* handle(request)
    const text = yield* Effect.promise(() => response.text())
    const reply: Reply = { status: response.status, headers: response.headers, body: parsed(text) }
    return reply
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The field of a JSON object, or undefined. */
function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}

function rows(value: unknown, name: string): ReadonlyArray<unknown> {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

const pages = Effect.fnUntraced(function* (request: ReturnType<typeof client>, limit: number) {
  const found: Array<ReadonlyArray<unknown>> = []
  let cursor = ""
  for (let page = 0; page < 50; page++) {
    const { body } = yield* request(`/markets/keyset?limit=${limit}${cursor}`)
    found.push(rows(body, "markets"))
    const next = field(body, "next_cursor")
    if (next === undefined) return found
    cursor = `&after_cursor=${encodeURIComponent(String(next))}`
  }
  throw new Error("the listing does not end")
})

/** A test five days after the world's origin. */
const at = <E>(name: string, body: () => Effect.Effect<void, E>) =>
  test(name, () => Effect.andThen(TestClock.setTime(now), body()))

const listing = () => world.list(now, 0, 230)

at(
  "listing pages decode to every market of the world once",
  () =>
    Effect.gen(function* () {
      const found = yield* pages(client(), 1_000)
      deepStrictEqual(found.map((page) => page.length), [100, 100, 30])
      deepStrictEqual(decodeMarkets(found.flat()), { rows: listing(), rejected: {} })
    }),
)

at(
  "listing rows have the venue's quirks: encoded arrays, number strings, missing numbers",
  () =>
    Effect.gen(function* () {
      const found = (yield* pages(client(), 100)).flat()
      const missing = (name: string) => found.filter((row) => field(row, name) === undefined).length
      for (const row of found) {
        ok(typeof field(row, "clobTokenIds") === "string" && field(row, "category") === null)
        ok(typeof field(row, "volume") === "string")
      }
      for (const name of ["oneHourPriceChange", "oneDayPriceChange", "volumeNum", "bestBid"]) {
        ok(missing(name) > 0 && missing(name) < found.length, `${name}: ${missing(name)}`)
      }
      ok(found.some((row) => field(row, "conditionId") !== "" && field(row, "questionID") === ""))
    }),
)

at(
  "closed markets are listed only when requested, and are not decoded as live",
  () =>
    Effect.gen(function* () {
      const { body } = yield* client()("/markets/keyset?limit=100&closed=true")
      deepStrictEqual(decodeMarkets(rows(body, "markets")), {
        rows: [],
        rejected: { closed: 100 },
      })
    }),
)

at("end_date_min excludes markets with an earlier end", () =>
  Effect.gen(function* () {
    const least = now + 5 * day
    const { body } = yield* client()(
      `/markets/keyset?limit=100&end_date_min=${new Date(least).toISOString()}`,
    )
    const { rows: found } = decodeMarkets(rows(body, "markets"))
    deepStrictEqual(found, listing().slice(0, 100).filter(({ endsAt }) => Number(endsAt) >= least))
    ok(found.length > 0 && found.length < 100)
  }))

at("books decode to the world's books, with the best level last", () =>
  Effect.gen(function* () {
    const tokenIds = listing().flatMap((market) => market.tokenIds)
    const { body } = yield* client()("/books", tokenIds.map((token_id) => ({ token_id })))
    const found = Array.isArray(body) ? body : []
    const books = found.map((row) => decodeBook(row, now)).map((result) =>
      result._tag === "Success" ? result.success : result.failure
    )
    const worstFirst = tokenIds.map((tokenId) => {
      const book = world.book(tokenId, now)
      return book === undefined
        ? undefined
        : { ...book, bids: book.bids.toReversed(), asks: book.asks.toReversed() }
    })
    deepStrictEqual(books, worstFirst)
    const one = yield* client()(`/book?token_id=${tokenIds[0]}`)
    deepStrictEqual(one.body, found[0])
  }))

at(
  "more than 500 books, unknown books and long histories are rejected as by the venue",
  () =>
    Effect.gen(function* () {
      const request = client()
      const many = Array.from({ length: 501 }, () => ({ token_id: "1" }))
      const start = Math.floor((now - 20 * day) / second)
      const long = `/prices-history?market=1&startTs=${start}&endTs=${Math.floor(now / second)}`
      deepStrictEqual((yield* request("/books", many)).status, 400)
      deepStrictEqual((yield* request("/books", many.slice(1))).body, [])
      deepStrictEqual((yield* request("/book?token_id=1")).status, 404)
      deepStrictEqual((yield* request(long)).status, 400)
      deepStrictEqual((yield* request("/markets/keyset?offset=10")).status, 422)
      deepStrictEqual((yield* request("/nothing")).status, 404)
    }),
)

at("price histories decode to the world's", () =>
  Effect.gen(function* () {
    const market = Array.from({ length: 20 }, (_, slot) => world.catalogue.at(slot, now))
      .find(({ opensAt }) => opensAt < now - 3 * day)
    const tokenId = market?.tokenIds[1] ?? ""
    const [from, to] = [Math.floor((now - 2 * day) / second), Math.floor(now / second)]
    const expected = world.history(
      tokenId,
      { from: from * second, to: to * second },
      10 * minute,
    )
    const clob = `/prices-history?market=${tokenId}&startTs=${from}&endTs=${to}&fidelity=10`
    deepStrictEqual(decodeHistory((yield* client()(clob)).body), expected)
    ok(expected.length > 200)
  }))

at(
  "trade pages decode to the world's fills, with makers only when requested",
  () =>
    Effect.gen(function* () {
      const market = world.catalogue.at(1, now)
      const read = Effect.fnUntraced(function* (query: string) {
        const found: Array<unknown> = []
        let cursor: string | null = ""
        for (let page = 0; page < 4 && cursor !== null; page++) {
          const path: string = `/v2/trades?condition=${market.id}&limit=40${query}` +
            (cursor === "" ? "" : `&cursor=${cursor}`)
          const envelope: ReturnType<typeof dataPage> = dataPage((yield* client()(path)).body)
          found.push(...envelope?.rows ?? [])
          cursor = envelope?.next ?? null
        }
        return decodeTrades(found, market.id)
      })
      const fills = world.trades(market, { from: now - 30 * day, to: now }, 1_000)
      const plain = (expected: typeof fills) =>
        expected.slice(0, 160).map(({ role: _, ...trade }) => trade)
      deepStrictEqual((yield* read("&taker_only=false")).rows, plain(fills))
      deepStrictEqual((yield* read("")).rows, plain(fills.filter(({ role }) => role === "taker")))
    }),
)

at("markets are found by id, closed or open as requested", () =>
  Effect.gen(function* () {
    const live = world.catalogue.at(1, now)
    const ids = [0, 1, 2].map((ago) => world.catalogue.generation(1, live.generation - ago).id)
    const next = world.catalogue.generation(1, live.generation + 1).id
    const query = [...ids, next].map((id) => `condition_ids=${id}`).join("&")
    const found = Effect.fnUntraced(function* (closed: boolean) {
      const { body } = yield* client()(`/markets/keyset?${query}&closed=${closed}&limit=100`)
      return rows(body, "markets").map((row) => field(row, "conditionId"))
    })
    deepStrictEqual([yield* found(false), yield* found(true)], [ids.slice(0, 1), ids.slice(1)])
    const page = (yield* client()(`/markets/${ids[1]}`)).body
    const winners = rows(page, "tokens").map((token) => field(token, "winner") === true ? 1 : 0)
    const past = world.catalogue.generation(1, live.generation - 1)
    deepStrictEqual(winners, world.publishedPayouts(past, now)?.map(Math.floor))
    deepStrictEqual((yield* client()(`/markets/${next}`)).status, 404)
  }))

at(
  "resolutions contain the world's payouts once they are published",
  () =>
    Effect.gen(function* () {
      const slots = Array.from({ length: 20 }, (_, slot) => world.catalogue.at(slot, now))
      const old = slots.map(({ slot, generation }) =>
        world.catalogue.generation(slot, generation - 1)
      )
      const request = (markets: typeof slots) =>
        client()(`/v2/resolutions?${markets.map(({ id }) => `condition=${id}`).join("&")}`)
      const live = rows((yield* request(slots)).body, "data")
      const paid = rows((yield* request(old)).body, "data")
      ok(live.every((row) => field(row, "payouts") === undefined))
      deepStrictEqual(
        paid.map((row) => field(row, "payouts")),
        old.map((market) =>
          world.ending(market).source === "oracle"
            ? world.publishedPayouts(market, now)?.map((share) => share * 1_000_000)
            : undefined
        ),
      )
      deepStrictEqual((yield* request([...slots, ...old])).status, 400)
    }),
)

at(
  "the leaderboard and activity routes return the world's wallets, with redemptions",
  () =>
    Effect.gen(function* () {
      const request = client()
      const board = rows(
        (yield* request("/v2/leaderboard?time_period=week&sort_by=VOLUME&limit=50")).body,
        "data",
      )
      const volumes = board.map((row) => Number(field(row, "volume")))
      deepStrictEqual(volumes, volumes.toSorted((a, b) => b - a))
      const user = field(board[0], "user_id")
      const activity = rows((yield* request(`/v2/activity?user=${user}&limit=1000`)).body, "data")
      const wallet = world.wallets.find(({ address }) => address === user)
      if (wallet === undefined) throw new Error("unknown wallet on the leaderboard")
      const traded = world.activity(wallet, { from: now - 60 * day, to: now }, 500).flatMap(fillOf)
      const trades = activity.filter((row) => field(row, "type") === "TRADE").slice(0, 100)
      const plain = traded.slice(0, 100).map(({ role: _, ...trade }) => trade)
      deepStrictEqual(decodeTrades(trades, null).rows, plain)
      ok(activity.some((row) => field(row, "type") === "REDEEM" && field(row, "token_id") === ""))
    }),
)

at(
  "scripted faults happen in order, and later responses are correct",
  () =>
    Effect.gen(function* () {
      const request = client({
        faults: scriptedFaults({ markets: ["error", "rate_limited", "truncated", null] }),
      })
      const replies: Array<Reply> = []
      for (let nth = 0; nth < 5; nth++) replies.push(yield* request("/markets/keyset"))
      deepStrictEqual(replies.map(({ status }) => status), [500, 429, 200, 200, 200])
      deepStrictEqual(replies[1]?.headers.get("retry-after"), "1")
      ok(typeof replies[2]?.body === "string", "truncated JSON does not parse")
      deepStrictEqual(replies[3]?.body, replies[4]?.body)
      deepStrictEqual((yield* request("/v2/leaderboard")).status, 200)
    }),
)

at("duplicate_page repeats the previous page under the next cursor", () =>
  Effect.gen(function* () {
    const valid = yield* pages(client(), 100)
    const found = yield* pages(
      client({ faults: scriptedFaults({ markets: [null, "duplicate_page"] }) }),
      100,
    )
    deepStrictEqual(found, [valid[0], valid[0], valid[2]])
  }))

at(
  "reordered keeps the content, and bad_rows adds invalid rows to the valid ones",
  () =>
    Effect.gen(function* () {
      const path = `/book?token_id=${listing()[0]?.tokenIds[0]}`
      const plain = yield* client()(path)
      const mixed = yield* client({ faults: scriptedFaults({ book: ["reordered"] }) })(path)
      const sorted = (side: unknown) => [...Array.isArray(side) ? side : []].map(String).sort()
      deepStrictEqual(sorted(field(mixed.body, "bids")), sorted(field(plain.body, "bids")))
      ok(JSON.stringify(mixed.body) !== JSON.stringify(plain.body))
      const invalid = yield* client({ faults: scriptedFaults({ markets: ["bad_rows"] }) })(
        "/markets/keyset?limit=100",
      )
      const { rows: valid, rejected } = decodeMarkets(rows(invalid.body, "markets"))
      deepStrictEqual(valid, listing().slice(0, 100))
      deepStrictEqual(rejected, { undecodable: 2, missing_id: 2 })
    }),
)

at("slow delays a correct response", () =>
  Effect.gen(function* () {
    const request = client({ faults: scriptedFaults({ leaderboard: ["slow"] }), slowMs: hour })
    const pending = yield* Effect.forkChild(request("/v2/leaderboard"), { startImmediately: true })
    yield* TestClock.adjust(hour - 1)
    ok(pending.pollUnsafe() === undefined)
    yield* TestClock.adjust(1)
    deepStrictEqual((yield* Fiber.join(pending)).status, 200)
  }))

law(
  "seededFaults() has the given chances, and is the same for the same seed",
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  (seed) => {
    const plan = seededFaults(seed, { error: 0.2, slow: 0.1 })
    const found = Array.from({ length: 1_000 }, (_, nth) => plan("books", nth))
    deepStrictEqual(
      found,
      Array.from(
        { length: 1_000 },
        (_, nth) => seededFaults(seed, { error: 0.2, slow: 0.1 })("books", nth),
      ),
    )
    const count = (fault: typeof faults[number]) => found.filter((one) => one === fault).length
    return Math.abs(count("error") - 200) < 75 && Math.abs(count("slow") - 100) < 60 &&
      count("truncated") === 0
  },
  { runs: 50 },
)

liveTest(
  "serveWire() answers on a loopback socket until its scope closes",
  () =>
    Effect.gen(function* () {
      const get = (url: string) =>
        Effect.promise(() =>
          fetch(url).then(async (answer) => [answer.status, await answer.json()])
        )
      const url = yield* Effect.scoped(Effect.gen(function* () {
        const base = yield* serveWire(world)
        const [status, body] = yield* get(`${base}/markets/keyset?limit=7`)
        deepStrictEqual([status, rows(body, "markets").length], [200, 7])
        return base
      }))
      const gone = yield* Effect.promise(() => fetch(url).then(() => false, () => true))
      ok(gone)
    }),
)
