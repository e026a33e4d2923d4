/**
 * The simulated world in the venue's own spelling: what the decoders of the real venue read back is
 * what the world says, and faults come as ordered.
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

/** The field of a JSON object; undefined where there is none. */
function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}

function rows(value: unknown, name: string): ReadonlyArray<unknown> {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

const pages = Effect.fnUntraced(function* (ask: ReturnType<typeof client>, limit: number) {
  const found: Array<ReadonlyArray<unknown>> = []
  let cursor = ""
  for (let page = 0; page < 50; page++) {
    const { body } = yield* ask(`/markets/keyset?limit=${limit}${cursor}`)
    found.push(rows(body, "markets"))
    const next = field(body, "next_cursor")
    if (next === undefined) return found
    cursor = `&after_cursor=${encodeURIComponent(String(next))}`
  }
  throw new Error("the listing does not end")
})

/** A test at an instant of the world. */
const at = <E>(name: string, body: () => Effect.Effect<void, E>) =>
  test(name, () => Effect.andThen(TestClock.setTime(now), body()))

const listing = () => world.list(now, 0, 230)

at(
  "the listing's rows read back as the world's markets, page after page, all of them once",
  () =>
    Effect.gen(function* () {
      const found = yield* pages(client(), 1_000)
      deepStrictEqual(found.map((page) => page.length), [100, 100, 30])
      deepStrictEqual(decodeMarkets(found.flat(), now), { rows: listing(), rejected: {} })
    }),
)

at(
  "the listing has the venue's quirks: encoded arrays, number strings, missing numbers",
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
  "paid out markets are listed only when asked for, and no longer decode as live",
  () =>
    Effect.gen(function* () {
      const { body } = yield* client()("/markets/keyset?limit=100&closed=true")
      deepStrictEqual(decodeMarkets(rows(body, "markets"), now), {
        rows: [],
        rejected: { closed: 100 },
      })
    }),
)

at("end_date_min leaves out what was to end before", () =>
  Effect.gen(function* () {
    const least = now + 5 * day
    const { body } = yield* client()(
      `/markets/keyset?limit=100&end_date_min=${new Date(least).toISOString()}`,
    )
    const { rows: found } = decodeMarkets(rows(body, "markets"), now)
    deepStrictEqual(found, listing().slice(0, 100).filter(({ endsAt }) => Number(endsAt) >= least))
    ok(found.length > 0 && found.length < 100)
  }))

at("books read back as the world's, with the best level last", () =>
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
  "more than 500 books, unknown books and long histories are refused as the venue does",
  () =>
    Effect.gen(function* () {
      const ask = client()
      const many = Array.from({ length: 501 }, () => ({ token_id: "1" }))
      const start = Math.floor((now - 20 * day) / second)
      const long = `/prices-history?market=1&startTs=${start}&endTs=${Math.floor(now / second)}`
      deepStrictEqual((yield* ask("/books", many)).status, 400)
      deepStrictEqual((yield* ask("/books", many.slice(1))).body, [])
      deepStrictEqual((yield* ask("/book?token_id=1")).status, 404)
      deepStrictEqual((yield* ask(long)).status, 400)
      deepStrictEqual((yield* ask("/markets/keyset?offset=10")).status, 422)
      deepStrictEqual((yield* ask("/nothing")).status, 404)
    }),
)

at("histories read back as the world's", () =>
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
  "trades read back as the world's, page after page, makers only when asked for",
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
      const plain = (wanted: typeof fills) =>
        wanted.slice(0, 160).map(({ role: _, ...trade }) => trade)
      deepStrictEqual((yield* read("&taker_only=false")).rows, plain(fills))
      deepStrictEqual((yield* read("")).rows, plain(fills.filter(({ role }) => role === "taker")))
    }),
)

at("markets are found by their ids, closed or open as asked", () =>
  Effect.gen(function* () {
    const live = world.catalogue.at(1, now)
    const ids = [0, 1, 2].map((ago) => world.catalogue.generation(1, live.generation - ago).id)
    const next = world.catalogue.generation(1, live.generation + 1).id
    const asked = [...ids, next].map((id) => `condition_ids=${id}`).join("&")
    const found = Effect.fnUntraced(function* (closed: boolean) {
      const { body } = yield* client()(`/markets/keyset?${asked}&closed=${closed}&limit=100`)
      return rows(body, "markets").map((row) => field(row, "conditionId"))
    })
    deepStrictEqual([yield* found(false), yield* found(true)], [ids.slice(0, 1), ids.slice(1)])
    const page = (yield* client()(`/markets/${ids[1]}`)).body
    const winners = rows(page, "tokens").map((token) => field(token, "winner") === true ? 1 : 0)
    const past = world.catalogue.generation(1, live.generation - 1)
    deepStrictEqual(winners, world.publishedPayouts(past, now)?.map(Math.floor))
    deepStrictEqual((yield* client()(`/markets/${next}`)).status, 404)
  }))

at("resolutions say what the world paid, once it has", () =>
  Effect.gen(function* () {
    const slots = Array.from({ length: 20 }, (_, slot) => world.catalogue.at(slot, now))
    const old = slots.map(({ slot, generation }) =>
      world.catalogue.generation(slot, generation - 1)
    )
    const ask = (markets: typeof slots) =>
      client()(`/v2/resolutions?${markets.map(({ id }) => `condition=${id}`).join("&")}`)
    const live = rows((yield* ask(slots)).body, "data")
    const paid = rows((yield* ask(old)).body, "data")
    ok(live.every((row) => field(row, "payouts") === undefined))
    deepStrictEqual(
      paid.map((row) => field(row, "payouts")),
      old.map((market) =>
        world.ending(market).source === "oracle"
          ? world.publishedPayouts(market, now)?.map((share) => share * 1_000_000)
          : undefined
      ),
    )
    deepStrictEqual((yield* ask([...slots, ...old])).status, 400)
  }))

at(
  "wallets show on the leaderboard, with their activity and redemptions",
  () =>
    Effect.gen(function* () {
      const ask = client()
      const board = rows(
        (yield* ask("/v2/leaderboard?time_period=week&sort_by=VOLUME&limit=50")).body,
        "data",
      )
      const volumes = board.map((row) => Number(field(row, "volume")))
      deepStrictEqual(volumes, volumes.toSorted((a, b) => b - a))
      const user = field(board[0], "user_id")
      const activity = rows((yield* ask(`/v2/activity?user=${user}&limit=1000`)).body, "data")
      const wallet = world.wallets.find(({ address }) => address === user)
      if (wallet === undefined) throw new Error("the leaderboard names nobody")
      const traded = world.activity(wallet, { from: now - 60 * day, to: now }, 500).flatMap(fillOf)
      const trades = activity.filter((row) => field(row, "type") === "TRADE").slice(0, 100)
      const plain = traded.slice(0, 100).map(({ role: _, ...trade }) => trade)
      deepStrictEqual(decodeTrades(trades, null).rows, plain)
      ok(activity.some((row) => field(row, "type") === "REDEEM" && field(row, "token_id") === ""))
    }),
)

at("faults come in the order of the script, and then no more", () =>
  Effect.gen(function* () {
    const ask = client({
      faults: scriptedFaults({ markets: ["error", "rate_limited", "truncated", null] }),
    })
    const replies: Array<Reply> = []
    for (let nth = 0; nth < 5; nth++) replies.push(yield* ask("/markets/keyset"))
    deepStrictEqual(replies.map(({ status }) => status), [500, 429, 200, 200, 200])
    deepStrictEqual(replies[1]?.headers.get("retry-after"), "1")
    ok(typeof replies[2]?.body === "string", "truncated JSON does not parse")
    deepStrictEqual(replies[3]?.body, replies[4]?.body)
    deepStrictEqual((yield* ask("/v2/leaderboard")).status, 200)
  }))

at("a duplicate page repeats the one before under its own cursor", () =>
  Effect.gen(function* () {
    const valid = yield* pages(client(), 100)
    const found = yield* pages(
      client({ faults: scriptedFaults({ markets: [null, "duplicate_page"] }) }),
      100,
    )
    deepStrictEqual(found, [valid[0], valid[0], valid[2]])
  }))

at(
  "reordered answers hold the same, bad rows come beside the valid ones",
  () =>
    Effect.gen(function* () {
      const path = `/book?token_id=${listing()[0]?.tokenIds[0]}`
      const plain = yield* client()(path)
      const mixed = yield* client({ faults: scriptedFaults({ book: ["reordered"] }) })(path)
      const sorted = (side: unknown) => [...Array.isArray(side) ? side : []].map(String).sort()
      deepStrictEqual(sorted(field(mixed.body, "bids")), sorted(field(plain.body, "bids")))
      ok(JSON.stringify(mixed.body) !== JSON.stringify(plain.body))
      const spoilt = yield* client({ faults: scriptedFaults({ markets: ["bad_rows"] }) })(
        "/markets/keyset?limit=100",
      )
      const { rows: valid, rejected } = decodeMarkets(rows(spoilt.body, "markets"), now)
      deepStrictEqual(valid, listing().slice(0, 100))
      deepStrictEqual(rejected, { undecodable: 2, missing_id: 2 })
    }),
)

at("a slow answer is right, and late", () =>
  Effect.gen(function* () {
    const ask = client({ faults: scriptedFaults({ leaderboard: ["slow"] }), slowMs: hour })
    const asking = yield* Effect.forkChild(ask("/v2/leaderboard"), { startImmediately: true })
    yield* TestClock.adjust(hour - 1)
    ok(asking.pollUnsafe() === undefined)
    yield* TestClock.adjust(1)
    deepStrictEqual((yield* Fiber.join(asking)).status, 200)
  }))

law(
  "seeded faults come as often as asked, and alike for the same seed",
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
  "serveWire() answers on a loopback socket until its scope ends",
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
