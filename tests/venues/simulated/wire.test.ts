/**
 * The simulated world in the venue's wire format: the listing in pages, what is refused, and faults as
 * planned.
 *
 * @module
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import { decodeMarkets } from "../../../src/venues/polymarket/gamma.ts"
import { scriptedFaults } from "../../support/venues/wire/faults.ts"
import { wire, type WireOptions } from "../../support/venues/wire/wire.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { day, second } from "../../../src/core/domain/time.ts"
import { test } from "../../support/effect.ts"

const world = makeWorld({ seed: 4, markets: 230 })
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
      const found = yield* pages(client(), 100)
      deepStrictEqual(found.map((page) => page.length), [100, 100, 30])
      deepStrictEqual(decodeMarkets(found.flat()), { rows: listing(), rejected: {} })
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

at(
  "what the official client would not send is refused",
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
      deepStrictEqual((yield* request("/markets/keyset?offset=10")).status, 400)
      deepStrictEqual((yield* request("/nothing")).status, 404)
      const [one, other] = [`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`]
      const statuses = {
        [`/v2/resolutions?condition=${one},${other}`]: 200,
        [`/v2/resolutions?condition=${one}&condition=${other}`]: 400,
        [`/v2/resolutions?condition=${one},${one}`]: 400,
        [`/v2/resolutions?condition=${one}&event_id=1`]: 400,
        [`/v2/resolutions?condition=${one.slice(0, 64)}`]: 400,
        [`/v2/trades?condition=${one}&start=1`]: 400,
        "/v2/activity": 400,
        "/v2/leaderboard?sort_by=pnl": 400,
        "/v2/leaderboard?sortBy=PNL": 400,
        [`/markets/keyset?condition_ids=${one}&condition_ids=${other}`]: 200,
        [`/markets/keyset?condition_ids=${one},${other}`]: 400,
        "/markets/keyset?limit=101": 400,
      }
      for (const [path, status] of Object.entries(statuses)) {
        deepStrictEqual([path, (yield* request(path)).status], [path, status])
      }
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
