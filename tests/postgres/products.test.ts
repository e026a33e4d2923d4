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
import { endingMarketsMax } from "../../src/markets/domain/resolving.ts"
import { hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { CalibrationStore } from "../../src/whales/CalibrationStore.ts"
import { now } from "../support/movers/market.ts"
import { endingMarket, whaleRow } from "../support/products.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { endingWithin } from "../support/markets/endingWithin.ts"
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
    }),
  ).check(Schema.isMaxLength(15)),
)

onEveryStore("MarketStore", (law) => {
  law(
    "endingWithin() returns what the domain selects from all markets",
    checkProperty(anyListing, (rows) =>
      Effect.gen(function* () {
        const store = yield* MarketStore
        const all = rows.map(({ halfHours, liquidity, status, sign, endless }, n): Market =>
          endingMarket(n, now, {
            endsAt: endless ? null : now + halfHours * hour / 2,
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
              equal(yield* store.endingWithin(query, now), endingWithin(all, query, now))
            }
          }
        }
      }).pipe(Effect.provide(markets)), { runs: sized({ short: 6, full: 20 }) }),
  )

  law(
    "endingWithin() returns the nearest ends up to the limit",
    Effect.gen(function* () {
      const store = yield* MarketStore
      const all = Array.from(
        { length: endingMarketsMax + 7 },
        (_, n) => endingMarket(n, now, { endsAt: now + (1_000 - n) * minute }),
      )
      yield* store.save(all, now)
      const query = { withinHours: 72, minLiquidity: 0, includeNoise: false }
      equal(yield* store.endingWithin(query, now), endingWithin(all, query, now))
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
    "mostLiquid() returns live, ordinary markets, most liquid first",
    Effect.gen(function* () {
      const store = yield* MarketStore
      yield* store.save([
        endingMarket(1, now, { liquidityUsd: 10 }),
        endingMarket(2, now, { liquidityUsd: 30, status: "proposed" }),
        endingMarket(3, now, { liquidityUsd: 90, status: "resolved" }),
        endingMarket(4, now, { liquidityUsd: 80, mechanical: "slug" }),
        endingMarket(5, now, { liquidityUsd: 30, endsAt: null }),
      ], now)
      const slugs = (limit: number) =>
        Effect.map(store.mostLiquid(limit), (rows) => rows.map(({ slug }) => slug))
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
