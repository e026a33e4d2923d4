/**
 * Which markets resolve soon, and their rows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { Microstructure } from "../../../src/markets/domain/book.ts"
import type { Market, MarketStatus, MechanicalSign } from "../../../src/markets/domain/market.ts"
import {
  convergenceOf,
  endingMarketsMax,
  microstructureRowsMax,
  ResolvingRow,
  resolvingRows,
  resolvingRowsMax,
} from "../../../src/markets/domain/resolving.ts"
import { hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { microstructureWith, now } from "../../support/movers/market.ts"
import { endingMarket } from "../../support/products.ts"
import { endingWithin } from "../../support/markets/endingWithin.ts"

const statuses: ReadonlyArray<MarketStatus> = ["open", "proposed", "resolved", "closed"]
const signs: ReadonlyArray<MechanicalSign | null> = [null, null, "slug", "recurrence"]
const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Markets that end near small horizons, some at the same instant. */
const anyListing = Arbitrary.schema(Schema.Struct({
  within: int(1, 4),
  floor: int(0, 3),
  includeNoise: Schema.Boolean,
  rows: Schema.Array(
    Schema.Struct({
      halfHours: int(-2, 9),
      liquidity: int(0, 4),
      status: int(0, 3),
      sign: int(0, 3),
      endless: Schema.Boolean,
    }),
  ).check(Schema.isMaxLength(12)),
}))

law(
  "endingWithin() is every live, liquid, ordinary market of the horizon, the nearest first",
  anyListing,
  ({ rows, within, floor, includeNoise }) => {
    const markets = rows.map(({ halfHours, liquidity, status, sign, endless }, n): Market =>
      endingMarket(n, now, {
        endsAt: endless ? null : now + halfHours * hour / 2,
        liquidityUsd: liquidity * 1_000,
        status: statuses[status] ?? "open",
        mechanical: signs[sign] ?? null,
      })
    )
    const query = { withinHours: within, minLiquidity: floor * 1_000, includeNoise }
    const found = endingWithin(markets, query, now)
    const expected = new Set<string>()
    for (const [n, row] of rows.entries()) {
      const ahead = row.halfHours > 0 && row.halfHours <= 2 * within && !row.endless
      const ordinary = row.sign < 2 || includeNoise
      if (ahead && ordinary && row.status < 2 && row.liquidity >= floor) expected.add(`market-${n}`)
    }
    equal(new Set(found.map(({ slug }) => slug as string)), expected)
    for (const [n, market] of found.entries()) {
      const before = found[n - 1]
      ok(before === undefined || before.endsAt <= market.endsAt)
    }
  },
)

Deno.test("endingWithin() has a limit, and returns the nearest", () => {
  const markets = Array.from(
    { length: endingMarketsMax + 5 },
    (_, n) => endingMarket(n, now, { endsAt: now + (n + 1) * minute }),
  ).toReversed()
  const found = endingWithin(
    markets,
    { withinHours: 72, minLiquidity: 0, includeNoise: false },
    now,
  )
  strictEqual(found.length, endingMarketsMax)
  strictEqual(found[0]?.slug, "market-0")
})

Deno.test("convergenceOf() is converged at 0.10 and 0.90 and beyond, without float errors", () => {
  for (const price of [0, 0.0999, 0.1, 0.9, 0.90005, 1, 1 - 0.9]) {
    strictEqual(convergenceOf(price), "converged", `${price}`)
  }
  for (const price of [0.1001, 0.3, 0.5, 0.8999]) strictEqual(convergenceOf(price), "contested")
})

const ending = (count: number) =>
  endingWithin(
    Array.from({ length: count }, (_, n) => endingMarket(n + 1, now)),
    { withinHours: 72, minLiquidity: 0, includeNoise: false },
    now,
  )

Deno.test("resolvingRows() includes the microstructure of the ten nearest", () => {
  const rows = resolvingRows(
    ending(12),
    () => ({ book: Result.succeed(microstructureWith({ mid: 0.93 })), lastMid: undefined }),
    now,
  )
  strictEqual(rows.length, 12)
  for (const [n, row] of rows.entries()) {
    ok(Schema.is(ResolvingRow)(row))
    strictEqual(Schema.is(Microstructure)(row.microstructure), n < microstructureRowsMax)
    equal([row.yesMid, row.convergence, row.hoursRemaining], [0.93, "converged", n + 1])
    strictEqual(row.eventEndDate, isoTime(now + (n + 1) * hour))
  }
})

Deno.test("resolvingRows() takes the book's mid, else the last of the series, else the listing's", () => {
  const [market] = ending(1)
  ok(market !== undefined)
  const listed = { ...market, listed: { bestBid: 0.2, bestAsk: 0.23 } }
  const book = Result.succeed(microstructureWith({ mid: 0.6 }))
  const priceOf = (
    ...[market, reading]: [typeof listed, ReturnType<Parameters<typeof resolvingRows>[1]>]
  ) => resolvingRows([market], () => reading, now)[0]
  strictEqual(priceOf(listed, { book, lastMid: 0.4 })?.yesMid, 0.6)
  const ghost = priceOf(listed, { book: Result.fail("ghost"), lastMid: 0.4 })
  equal([ghost?.yesMid, ghost?.microstructure], [0.4, null])
  strictEqual(priceOf(listed, { book: null, lastMid: undefined })?.yesMid, 0.215)
})

Deno.test("resolvingRows() leaves out a market without a known price", () => {
  equal(resolvingRows(ending(2), () => ({ book: null, lastMid: undefined }), now), [])
})

Deno.test("resolvingRows() returns at most 200 markets with a price", () => {
  const markets = Array.from({ length: resolvingRowsMax + 40 }, (_, n) => ({
    ...endingMarket(n, now),
    endsAt: now + (n + 1) * minute,
  }))
  const rows = resolvingRows(
    markets,
    ({ slug }) => ({ book: null, lastMid: slug < "market-12" ? undefined : 0.5 }),
    now,
  )
  strictEqual(rows.length, resolvingRowsMax)
  ok(rows.every(({ slug }) => slug >= "market-12"))
})

Deno.test("resolvingRows() rounds the remaining hours half up", () => {
  const [market] = ending(1)
  ok(market !== undefined)
  for (let hundredths = 0; hundredths < 7_200; hundredths++) {
    for (const [ms, added] of [[17_999, 0], [18_000, 1], [18_001, 1]] as const) {
      const ends = { ...market, endsAt: now + hundredths * 36_000 + ms }
      const [row] = resolvingRows([ends], () => ({ book: null, lastMid: 0.5 }), now)
      strictEqual(row?.hoursRemaining, (hundredths + added) / 100)
    }
  }
})

Deno.test("resolvingRows() rounds the remaining hours to two decimals", () => {
  const [market] = ending(1)
  ok(market !== undefined)
  const ends = { ...market, endsAt: now + hour + 20 * minute }
  const [row] = resolvingRows([ends], () => ({ book: null, lastMid: 0.5 }), now)
  strictEqual(row?.hoursRemaining, 1.33)
})
