/**
 * Queries of the products, on every store: markets by end and by event, and calibrations.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer as markets } from "../../src/markets/postgres/marketStore.ts"
import { layer as calibrations } from "../../src/whales/postgres/calibrationStore.ts"
import type { Market, MarketStatus, MechanicalSign } from "../../src/markets/domain/market.ts"
import { candidatesPerGroupMax } from "../../src/markets/domain/resolving.ts"
import { hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { CalibrationStore } from "../../src/whales/CalibrationStore.ts"
import { now } from "../support/movers/market.ts"
import { endingMarket, whaleRow } from "../support/products.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { resolvingCandidates } from "../support/markets/resolvingCandidates.ts"
import { sized } from "../support/size.ts"

const statuses: ReadonlyArray<MarketStatus> = ["open", "proposed", "resolved", "closed"]
const signs: ReadonlyArray<MechanicalSign | null> = [null, null, "slug", "recurrence"]
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const anyListing = Arbitrary.schema(
  Schema.Array(
    Schema.Struct({
      halfHours: int(-2, 9),
      liquidity: int(0, 4),
      status: int(0, 3),
      sign: int(0, 3),
      endless: Schema.Boolean,
      game: Schema.NullOr(int(-3, 9)),
    }),
  ).check(Schema.isMaxLength(15)),
)

const sameMarkets = (actual: ReadonlyArray<Market>, expected: ReadonlyArray<Market>) => {
  const bySlug = (a: Market, b: Market) => a.slug < b.slug ? -1 : 1
  equal(actual.toSorted(bySlug), expected.toSorted(bySlug))
}

onEveryStore("MarketStore", (law) => {
  law(
    "resolvingCandidates() returns what the model selects from all markets",
    checkProperty(anyListing, (rows) =>
      Effect.gen(function* () {
        const store = yield* MarketStore
        const all = rows.map(({ halfHours, liquidity, status, sign, endless, game }, n): Market =>
          endingMarket(n, now, {
            endsAt: endless ? null : now + halfHours * hour / 2,
            gameStartsAt: game === null ? null : now + game * hour / 2,
            liquidityUsd: liquidity * 1_000.5,
            status: statuses[status] ?? "open",
            mechanical: signs[sign] ?? null,
          })
        )
        yield* store.save(all, now)
        for (const withinHours of [1, 4]) {
          for (const minLiquidity of [0, 2_000, 2_001, 3_000.5]) {
            for (const includeNoise of [true, false]) {
              const query = { withinHours, minLiquidity, includeNoise }
              sameMarkets(
                yield* store.resolvingCandidates(query, now),
                resolvingCandidates(all, query, now),
              )
            }
          }
        }
      }).pipe(Effect.provide(markets)), { runs: sized({ short: 6, full: 20 }) }),
  )

  law(
    "resolvingCandidates() returns the nearest of each group up to its limit",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const all = Array.from(
        { length: 3 * candidatesPerGroupMax + 7 },
        (_, n) =>
          endingMarket(n, now, {
            endsAt: now + (candidatesPerGroupMax + 50 - n) * 2 * minute,
            liquidityUsd: 1_000 + n * 37 % 1_000,
            status: n % 2 === 0 ? "open" : "proposed",
          }),
      )
      yield* store.save(all, now)
      const query = { withinHours: 72, minLiquidity: 0, includeNoise: false }
      sameMarkets(
        yield* store.resolvingCandidates(query, now),
        resolvingCandidates(all, query, now),
      )
    }).pipe(Effect.provide(markets)),
  )

  law(
    "resolvingCandidates() leaves out what is no longer listed, and keeps what does not change",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const ends = { endsAt: now - hour }
      const gone = Array.from(
        { length: candidatesPerGroupMax },
        (_, n) => endingMarket(n, now, { endsAt: now - minute, status: "proposed" }),
      )
      const live = [
        endingMarket(5_000, now, ends),
        endingMarket(5_001, now, { ...ends, status: "proposed", liquidityUsd: 6_000 }),
      ]
      yield* store.save([...gone, ...live], now - 10 * hour)
      for (let back = 9.75; back > 0.5; back -= 0.25) yield* store.save(live, now - back * hour)
      const query = { withinHours: 72, minLiquidity: 0, includeNoise: false }
      sameMarkets(yield* store.resolvingCandidates(query, now), live)
    }).pipe(Effect.provide(markets)),
  )

  law(
    "liveOfEvent() returns the live markets of an event by slug, up to a limit",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const eventSlug = "cup"
      yield* store.save([
        endingMarket(3, now, { eventSlug }),
        endingMarket(1, now, { eventSlug, status: "proposed" }),
        endingMarket(2, now, { eventSlug, status: "resolved" }),
        endingMarket(4, now, { eventSlug: "other" }),
      ], now)
      const slugs = (limit: number) =>
        Effect.map(store.liveOfEvent(eventSlug, limit), (rows) => rows.map(({ slug }) => slug))
      equal(yield* slugs(10), ["market-1", "market-3"])
      equal(yield* slugs(1), ["market-1"])
      equal(yield* store.liveOfEvent("nowhere", 10), [])
    }).pipe(Effect.provide(markets)),
  )

  law(
    "mostLiquid() returns live, listed, ordinary markets, most liquid first",
    Effect.gen(function* () {
      const store = yield* MarketStore
      yield* store.save([endingMarket(6, now, { liquidityUsd: 99 })], now - 4 * hour)
      yield* store.save([
        endingMarket(1, now, { liquidityUsd: 10 }),
        endingMarket(2, now, { liquidityUsd: 30, status: "proposed" }),
        endingMarket(3, now, { liquidityUsd: 90, status: "resolved" }),
        endingMarket(4, now, { liquidityUsd: 80, mechanical: "slug" }),
        endingMarket(5, now, { liquidityUsd: 30, endsAt: null }),
      ], now)
      const slugs = (limit: number) =>
        Effect.map(store.mostLiquid(limit, now), (rows) => rows.map(({ slug }) => slug))
      equal(yield* slugs(10), ["market-2", "market-5", "market-1"])
      equal(yield* slugs(2), ["market-2", "market-5"])
    }).pipe(Effect.provide(markets)),
  )
})

onEveryStore("CalibrationStore", (law) => {
  law(
    "calibrated returns the stored calibrations with their time, and none at first",
    Effect.gen(function* () {
      const store = yield* CalibrationStore
      equal(yield* store.calibrated, [])
      const sql = yield* SqlClient
      const row = whaleRow({ pseudonym: 'Odd "name" \u{1f433}' })
      yield* sql`INSERT INTO whale_calibration (wallet, computed_at, calibration)
        VALUES (${row.wallet}, ${new Date(now)}, ${JSON.stringify(row)}::json)`
      const [stored] = yield* store.calibrated
      equal(stored, { computedAt: now, row })
      strictEqual(isoTime(stored?.computedAt ?? 0), isoTime(now))
    }).pipe(Effect.provide(calibrations)),
  )
})
