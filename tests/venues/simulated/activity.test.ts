/**
 * The simulated venue's activity route: ranges, cursors, types, and faults of pages with valid rows.
 *
 * @module
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import { scriptedFaults } from "../../support/venues/wire/faults.ts"
import { wire, type WireOptions } from "../../support/venues/wire/wire.ts"
import { defaultGroups } from "../../../src/venues/simulated/wallets.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { day, minute, second } from "../../../src/core/domain/time.ts"
import { test } from "../../support/effect.ts"

const world = makeWorld({
  ...{ seed: 5, markets: 120, walletDays: 30, lifeDays: [2, 4] },
  wallets: defaultGroups.filter(({ strategy }) => strategy === "maker")
    .map((group) => ({ ...group, entriesPerDay: 20 })),
})
const now = world.options.origin + 7 * minute
const busy = world.wallets.find(({ group }) => group.strategy === "maker")

type Row = Readonly<Record<string, unknown>>
interface Page {
  readonly rows: ReadonlyArray<Row>
  readonly more: boolean
  readonly next: string | null
}

function client(options: WireOptions = {}) {
  const handle = wire(world, options)
  return Effect.fnUntraced(function* (query: string, cursor: string | null = null) {
    const url = `http://venue.test/v2/activity?user=${busy?.address}&${query}` +
      (cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`)
    const response = yield* handle(new Request(url))
    if (response.status !== 200) return response.status
    const body = yield* Effect.promise(() => response.json())
    const { has_more: more, next_cursor: next } = body.pagination
    const page: Page = { rows: body.data, more, next }
    return page
  })
}

const page = <E>(requested: Effect.Effect<Page | number, E>) =>
  Effect.map(requested, (found) => {
    if (typeof found === "number") throw new Error(`status ${found}`)
    return found
  })

const pages = Effect.fnUntraced(function* (request: ReturnType<typeof client>, query: string) {
  const found: Array<Page> = []
  for (let cursor: string | null = null; found.length < 400;) {
    const one: Page = yield* page(request(query, cursor))
    found.push(one)
    if (one.next === null) return found
    cursor = one.next
  }
  throw new Error("the activity does not end")
})

/** A test shortly after the world's origin. */
const at = <E>(name: string, body: () => Effect.Effect<void, E>) =>
  test(name, () => Effect.andThen(TestClock.setTime(now), body()))

const rowsOf = (found: ReadonlyArray<Page>) => found.flatMap(({ rows }) => rows)
const lastDays = (days: number) => `start=${Math.floor((now - days * day) / second)}`

at("pages of any size contain the same rows once, newest first", () =>
  Effect.gen(function* () {
    const whole = rowsOf(yield* pages(client(), `${lastDays(9)}&limit=1000`))
    ok(whole.length > 300, `${whole.length} rows`)
    for (const limit of [3, 17, 100]) {
      deepStrictEqual(rowsOf(yield* pages(client(), `${lastDays(9)}&limit=${limit}`)), whole)
    }
    const times = whole.map((row) => Number(row["timestamp"]))
    deepStrictEqual(times, times.toSorted((a, b) => b - a))
  }))

at("a cursor deeper than the limit is rejected", () =>
  Effect.gen(function* () {
    const request = client({ depthMax: 60 })
    const first = yield* page(request(`${lastDays(9)}&limit=50`))
    const second = yield* page(request(`${lastDays(9)}&limit=50`, first.next))
    ok(second.more && second.next !== null)
    deepStrictEqual(yield* request(`${lastDays(9)}&limit=50`, second.next), 400)
    deepStrictEqual(yield* request(`${lastDays(9)}&limit=50`, "another format"), 400)
  }))

at(
  "a duplicate page starts half a page early and repeats rows of the previous page",
  () =>
    Effect.gen(function* () {
      const query = `${lastDays(9)}&limit=40`
      const valid = yield* pages(client(), query)
      const faults = scriptedFaults({ activity: [null, "duplicate_page"] })
      const found = yield* pages(client({ faults }), query)
      deepStrictEqual(found[0], valid[0])
      const before = valid[0]?.rows.slice(20)
      deepStrictEqual(found[1]?.rows.slice(0, 20), before)
      const key = (row: Row) => JSON.stringify(row)
      const all = rowsOf(found).map(key)
      deepStrictEqual(new Set(all), new Set(rowsOf(valid).map(key)))
      deepStrictEqual(all.length, rowsOf(valid).length + 20)
    }),
)

at("the first page is cached for cachedMs", () =>
  Effect.gen(function* () {
    const query = `${lastDays(2)}&limit=1000`
    const [fresh, stale] = [client(), client({ cachedMs: day })]
    const newest = (rows: ReadonlyArray<Row>) => Number(rows[0]?.["timestamp"]) * second
    yield* TestClock.adjust("12 hours")
    const midnight = Math.floor((now + day / 2) / day) * day
    ok(newest((yield* page(fresh(query))).rows) > midnight)
    ok(newest((yield* page(stale(query))).rows) <= midnight)
    yield* TestClock.adjust("12 hours")
    ok(newest((yield* page(stale(query))).rows) > midnight)
  }))

at(
  "rows older than retentionDays are reported by has_more, without a cursor to them",
  () =>
    Effect.gen(function* () {
      const found = yield* pages(client({ retentionDays: 3 }), `${lastDays(9)}&limit=200`)
      const last = found.at(-1)
      deepStrictEqual([last?.more, last?.next], [true, null])
      const whole = yield* pages(client({ retentionDays: 3 }), `${lastDays(2)}&limit=200`)
      deepStrictEqual(whole.at(-1)?.more, false)
    }),
)
