/**
 * The laws of `MarketStore` on every store: it behaves like a plain map.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer } from "../../src/markets/postgres/marketStore.ts"
import { type Market, MarketId, type SeriesPoint, Slug } from "../../src/markets/domain/market.ts"
import { hour, minute } from "../../src/core/domain/time.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { market, now } from "../support/movers/market.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { sized } from "../support/size.ts"

const start = Math.floor(now / hour) * hour

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const some = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(Schema.isMaxLength(12))
const which = int(0, 4)

/** A sequence of operations on the store, with numbers small enough to collide. */
const program = Arbitrary.schema(
  Schema.Array(Schema.Union([
    Schema.Struct({
      do: Schema.Literal("save"),
      markets: some(
        Schema.Struct({ which, version: int(0, 2), volume: int(0, 3), listed: int(0, 2) }),
      ),
    }),
    Schema.Struct({
      do: Schema.Literal("append"),
      points: some(Schema.Struct({ which, place: int(0, 40), mid: int(1, 9_999) })),
    }),
    Schema.Struct({ do: Schema.Literal("seed"), markets: some(which) }),
    Schema.Struct({ do: Schema.Literal("prune"), place: int(0, 40) }),
  ])).check(Schema.isMaxLength(10)),
)
/** Which markets each of some listings has, and the first listing after the deletion. */
const listings = Arbitrary.schema(Schema.Struct({
  places: Schema.Array(some(which)).check(Schema.isMaxLength(5)),
  before: int(0, 6),
}))
type Program = typeof program extends Arbitrary.Arbitrary<infer A> ? A : never

const id = (n: number) => MarketId.make(`0x${n}`)
const ids = [0, 1, 2, 3, 4].map(id)
/** Instants over about five hours, some on the hour. */
const at = (place: number) => start + place * 7.5 * minute + (place % 8 === 0 ? 0 : place)

interface Variant {
  readonly which: number
  readonly version: number
  readonly volume: number
  readonly listed: number
}

const variant = ({ which, version, volume, listed }: Variant): Market =>
  market({
    id: id(which),
    slug: Slug.make(`market-${which}`),
    question: `Version ${version}?`,
    category: version === 0 ? null : "weather",
    endsAt: version === 1 ? null : start + version,
    gameStartsAt: version === 1 ? start : null,
    exclusive: version === 2,
    volumeUsd: volume / 3,
    volume24hUsd: volume === 0 ? null : volume / 7,
    liquidityUsd: 1_000 * (volume % 2),
    status: (["open", "proposed", "resolved"] as const)[version] ?? "open",
    listed: listed === 0 ? null : { bestBid: 0.1 * listed, bestAsk: 0.9 },
  })

/** The expected state, in maps. */
function modelOf(steps: Program) {
  const markets = new Map<string, Market>()
  const mids = new Map(ids.map((id) => [id, new Map<number, number>()]))
  const seeded = new Set<MarketId>()
  for (const step of steps) {
    if (step.do === "save") {
      for (const each of step.markets) markets.set(id(each.which), variant(each))
    } else if (step.do === "append") {
      for (const { which, place, mid } of step.points) {
        mids.get(id(which))?.set(at(place), mid / 10_000)
      }
    } else if (step.do === "seed") {
      for (const which of step.markets) seeded.add(id(which))
    } else {
      const hours = [...mids.values()].flatMap((series) => [...series.keys()])
        .map((time) => Math.floor(time / hour) * hour)
      const firstKept = Math.min(
        Math.floor(at(step.place) / hour) * hour,
        Math.min(...hours) + hour,
      )
      for (const series of mids.values()) {
        for (const time of series.keys()) if (time < firstKept) series.delete(time)
      }
    }
  }
  const series = (id: MarketId, from: number, to: number): ReadonlyArray<SeriesPoint> =>
    [...mids.get(id) ?? []].map(([at, mid]) => ({ at, mid }))
      .filter(({ at }) => from <= at && at <= to).sort((a, b) => a.at - b.at)
  const priced = (from: number, to: number) =>
    [...markets.values()]
      .flatMap((market) => {
        const price = series(market.id, from, to).at(-1)
        return price === undefined || market.status === "resolved" ? [] : [{ market, price }]
      })
      .sort((a, b) =>
        b.market.liquidityUsd - a.market.liquidityUsd || (a.market.id < b.market.id ? -1 : 1)
      )
  return { markets, seeded, series, priced }
}

const run = Effect.fnUntraced(function* (steps: Program) {
  const store = yield* MarketStore
  for (const [n, step] of steps.entries()) {
    if (step.do === "save") yield* store.save(step.markets.map(variant), start + n)
    else if (step.do === "seed") yield* store.markSeeded(step.markets.map(id), start + n)
    else if (step.do === "prune") yield* store.prune(at(step.place))
    else {
      yield* store.appendMids(step.points.map(({ which, place, mid }) => ({
        marketId: id(which),
        at: at(place),
        mid: mid / 10_000,
      })))
    }
  }
})

onEveryStore("MarketStore", (law) => {
  const on = (name: string, body: Effect.Effect<void, unknown, MarketStore | SqlClient>) =>
    law(name, Effect.provide(body, layer))

  law(
    "behaves like a map of markets and a map of series",
    checkProperty(program, (steps) =>
      Effect.gen(function* () {
        const store = yield* MarketStore
        yield* run(steps)
        const model = modelOf(steps)
        assert.equal(yield* store.count, model.markets.size)
        assert.deepEqual(
          yield* store.unseeded(ids),
          ids.filter((id) => !model.seeded.has(id)),
        )
        for (const [n, id] of ids.entries()) {
          assert.deepEqual(
            Option.getOrUndefined(yield* store.bySlug(`market-${n}`)),
            model.markets.get(id),
          )
        }
        for (const requested of [ids, ids.slice(1, 3), []]) {
          assert.deepEqual(
            yield* store.byIds([...requested, MarketId.make("unknown")]),
            new Map(requested.flatMap((id) => {
              const stored = model.markets.get(id)
              return stored === undefined ? [] : [[id, stored]]
            })),
          )
        }
        for (const [from, to] of [[0, 40], [8, 16], [3, 11], [20, 20], [39, 2]] as const) {
          for (const id of ids) {
            assert.deepEqual(
              yield* store.series(id, { from: at(from), to: at(to) }),
              model.series(id, at(from), at(to)),
            )
          }
          const last = yield* store.lastMids(ids, { notBefore: at(from), atOrBefore: at(to) })
          for (const limit of [2, 9]) {
            assert.deepEqual(
              yield* store.recentlyPriced({ notBefore: at(from), atOrBefore: at(to) }, limit),
              model.priced(at(from), at(to)).slice(0, limit),
            )
          }
          const hourOf = Math.floor(at(from) / hour) * hour
          assert.equal(
            yield* store.watched(at(from)),
            ids.filter((id) => model.series(id, hourOf, Infinity).length > 0).length,
          )
          for (const id of ids) {
            assert.deepEqual(last.get(id), model.series(id, at(from), at(to)).at(-1))
          }
        }
      }).pipe(Effect.provide(layer)), { runs: sized({ short: 8, full: 40 }) }),
  )

  on(
    "save() ignores a listing older than the stored one",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const newer = variant({ which: 1, version: 2, volume: 2, listed: 1 })
      yield* store.save([newer], start)
      yield* store.save([variant({ which: 1, version: 1, volume: 1, listed: 0 })], start - 1)
      assert.deepEqual(Option.getOrNull(yield* store.bySlug("market-1")), newer)
    }),
  )

  law(
    "pruneUnlisted() deletes the markets that were not listed since, with their series",
    checkProperty(listings, ({ places, before }) =>
      Effect.gen(function* () {
        const store = yield* MarketStore
        // Two hours apart, so that an unchanged quote is written again.
        const listedAt = (place: number) => start + place * 2 * hour
        for (const [place, listed] of places.entries()) {
          yield* store.save(listed.map((which) => market({ id: id(which) })), listedAt(place))
          yield* store.markSeeded(listed.map(id), listedAt(place))
          yield* store.appendMids(listed.map((which) => ({
            ...{ marketId: id(which), at: listedAt(place), mid: 0.5 },
          })))
        }
        const last = ids.map((_, which) => places.findLastIndex((listed) => listed.includes(which)))
        // The newest listing stays at any time, and each run deletes those of one listing.
        const end = Math.max(Math.min(before, Math.max(...last)), 0)
        const kept = ids.filter((_, which) => (last[which] ?? -1) >= end)
        for (const place of places.keys()) {
          const gone = last.filter((it) => it === place && it < end).length
          if (gone > 0) assert.equal(yield* store.pruneUnlisted(listedAt(before)), gone)
        }
        assert.equal(yield* store.pruneUnlisted(listedAt(before)), 0)
        assert.deepEqual([...(yield* store.byIds(ids)).keys()].sort(), kept)
        assert.deepEqual(ids.filter((id) => !kept.includes(id)), yield* store.unseeded(ids))
        assert.equal(yield* store.watched(start), kept.length)
        yield* store.save([market({ id: id(0) })], listedAt(9))
        assert.equal((yield* store.byIds([id(0)])).size, 1)
      }).pipe(Effect.provide(layer)), { runs: sized({ short: 8, full: 40 }) }),
  )

  on(
    "slugs of markets and events are found without regard to case, the exact spelling first",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const slug = "wta-frech-zvonare-2026-02-07-first-set-winner-Frech-vs-Zvonareva"
      const capitals = market({ slug: Slug.make(slug), eventSlug: "nic-vs-david-Fight" })
      const lower = market({
        ...{ id: MarketId.make("m2"), slug: Slug.make(slug.toLowerCase()) },
        eventSlug: "NIC-vs-david-fight",
      })
      yield* store.save([capitals], start)
      for (const spelled of [slug, slug.toLowerCase(), slug.toUpperCase()]) {
        assert.deepEqual(Option.getOrNull(yield* store.bySlug(spelled)), capitals)
      }
      yield* store.save([lower], start + 1)
      assert.deepEqual(Option.getOrNull(yield* store.bySlug(slug)), capitals)
      assert.deepEqual(Option.getOrNull(yield* store.bySlug(lower.slug)), lower)
      assert.deepEqual(Option.getOrNull(yield* store.bySlug(slug.toUpperCase())), lower)
      for (const event of ["nic-vs-david-fight", "NIC-VS-DAVID-FIGHT"]) {
        assert.deepEqual(new Set(yield* store.liveOfEvent(event, 9)), new Set([capitals, lower]))
      }
    }),
  )

  on(
    "a renamed market is found by each slug that it had, until another market has it",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const called = (slug: string, fields = {}) => market({ slug: Slug.make(slug), ...fields })
      const renamed = called("Third")
      for (const [n, of] of [called("First"), called("second"), renamed, renamed].entries()) {
        yield* store.save([of], start + n)
      }
      const idOf = (slug: string) =>
        Effect.map(store.bySlug(slug), (found) => Option.getOrNull(found)?.slug ?? null)
      for (const slug of ["first", "FIRST", "second", "third"]) {
        assert.equal(yield* idOf(slug), "Third")
      }
      yield* store.save([called("first", { id: MarketId.make("m2") })], start + 9)
      assert.equal(yield* idOf("First"), "first")
      assert.equal(yield* idOf("second"), "Third")
      assert.equal(yield* idOf("fourth"), null)
    }),
  )

  on(
    "a lookup by slug or event reads its index",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const sql = yield* SqlClient
      const many = Array.from({ length: 3_000 }, (_, n) =>
        market({
          ...{ id: id(n), slug: Slug.make(`Market-${n}`), eventSlug: `Event-${n}` },
        }))
      yield* store.save(many, start)
      yield* sql`ANALYZE market`
      const bySlug = yield* sql`EXPLAIN SELECT * FROM market
        WHERE lower(slug COLLATE "C") = 'market-7'
          OR (earlier_slugs <> '{}' AND earlier_slugs @> ARRAY['market-7'])`
      assert.match(JSON.stringify(bySlug), /market_by_slug.*market_by_earlier_slug/)
      const byEvent = yield* sql`EXPLAIN SELECT * FROM market
        WHERE lower((facts ->> 'eventSlug') COLLATE "C") = 'event-7'`
      assert.match(JSON.stringify(byEvent), /market_by_event/)
    }),
  )

  on(
    "save() and appendMids() store more rows than fit into one statement",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const many = Array.from(
        { length: 2_345 },
        (_, which) => variant({ which, version: which % 3, volume: 1, listed: 1 }),
      )
      yield* store.save([...many, ...many.slice(0, 10)], start)
      assert.equal(yield* store.count, many.length)
      yield* store.appendMids(many.map(({ id }) => ({ marketId: id, at: start, mid: 0.5 })))
      const last = yield* store.lastMids(many.map(({ id }) => id), {
        notBefore: 0,
        atOrBefore: now,
      })
      assert.equal(last.size, many.length)
    }),
  )

  on(
    "save() stores the other markets when one has text that PostgreSQL rejects",
    Effect.gen(function* () {
      const store = yield* MarketStore
      yield* store.save([
        market({ question: "\0odd\ud800" }),
        variant({
          which: 1,
          version: 1,
          volume: 1,
          listed: 1,
        }),
      ], start)
      assert.equal(yield* store.count, 2)
    }),
  )
})
