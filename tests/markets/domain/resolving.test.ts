/**
 * Which markets resolve soon, and their rows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Schema } from "effect"
import { Microstructure } from "../../../src/markets/domain/book.ts"
import { expectedResolution } from "../../../src/markets/domain/expectedResolution.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import {
  convergenceOf,
  microstructureRowsMax,
  priceOf,
  resolvingMarketsMax,
  ResolvingRow,
  resolvingRows,
  resolvingRowsMax,
  soonestMarkets,
} from "../../../src/markets/domain/resolving.ts"
import { day, hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { now } from "../../support/movers/market.ts"
import { bookOf, endingMarket } from "../../support/products.ts"

const query = { withinHours: 72 }

Deno.test("soonestMarkets() ranks by the expected resolution", () => {
  const markets = [
    endingMarket(1, now, { endsAt: now + hour }),
    endingMarket(2, now, { endsAt: now + 7 * day, gameStartsAt: now }),
    endingMarket(3, now, { endsAt: now - 10 * day }),
    endingMarket(4, now, { endsAt: null }),
    endingMarket(5, now, { endsAt: null, status: "proposed" }),
    endingMarket(6, now, { endsAt: now + 30 * day }),
  ]
  const found = soonestMarkets(markets, () => ({ mid: 0.5, proposal: null }), query, now)
  equal(found.map(({ market: { slug }, expected }) => [slug, expected.basis]), [
    ["market-5", "proposal"],
    ["market-2", "game_start"],
    ["market-1", "end_date"],
  ])
  const [, game] = resolvingRows(found, () => undefined, now)
  equal([game?.slug, game?.hoursRemaining, game?.overdue], ["market-2", 168, false])
  const endless = resolvingRows(found, () => undefined, now)[0]
  equal([endless?.eventEndDate, endless?.hoursRemaining], [null, null])
})

Deno.test("soonestMarkets() lists what ends ahead in the horizon, or is expected to resolve in it", () => {
  const hours = [-240, -3, -0.01, 0.5, 5, 8, 23.9, 24, 24.1, 71.9]
  const markets = hours.map((after, n) => endingMarket(n, now, { endsAt: now + after * hour }))
  for (const withinHours of [1, 6, 24, 72]) {
    const until = now + withinHours * hour
    const listed = soonestMarkets(
      markets,
      () => ({ mid: 0.5, proposal: null }),
      { withinHours },
      now,
    )
    const of = new Set(listed.map(({ market }) => market.id))
    for (const market of markets) {
      const endsAt = market.endsAt ?? 0
      const expected = expectedResolution({ market, mid: 0.5, proposal: null }, now)?.at ?? Infinity
      strictEqual(of.has(market.id), (endsAt > now && endsAt <= until) || expected <= until)
    }
    for (const { market, expected } of listed) {
      ok(Math.min(market.endsAt ?? 0, expected.at) <= until && expected.at > now)
    }
  }
  const overdue = { withinHours: 1 }
  const late = markets.slice(0, 1)
  equal(soonestMarkets(late, () => ({ mid: 0.5, proposal: null }), overdue, now), [])
})

Deno.test("soonestMarkets() has a limit, and returns the soonest", () => {
  const markets = Array.from(
    { length: resolvingMarketsMax + 5 },
    (_, n) => endingMarket(n, now, { endsAt: now + (n + 1) * minute }),
  ).toReversed()
  const found = soonestMarkets(markets, () => ({ mid: 0.5, proposal: null }), query, now)
  strictEqual(found.length, resolvingMarketsMax)
  strictEqual(found[0]?.market.slug, "market-0")
})

Deno.test("convergenceOf() is converged at 0.10 and 0.90 and beyond, without float errors", () => {
  for (const price of [0, 0.0999, 0.1, 0.9, 0.90005, 1, 1 - 0.9]) {
    strictEqual(convergenceOf(price), "converged", `${price}`)
  }
  for (const price of [0.1001, 0.3, 0.5, 0.8999]) strictEqual(convergenceOf(price), "contested")
})

const bookAt = (mid: number) => (market: Market) => bookOf(market, now, mid)

const ending = (count: number, mid: number | null = 0.93) =>
  soonestMarkets(
    Array.from({ length: count }, (_, n) => endingMarket(n + 1, now)),
    () => ({ mid, proposal: null }),
    query,
    now,
  )

Deno.test("resolvingRows() includes the microstructure of the ten soonest", () => {
  const rows = resolvingRows(ending(11), bookAt(0.93), now)
  strictEqual(rows.length, 11)
  for (const [n, row] of rows.entries()) {
    ok(Schema.is(ResolvingRow)(row))
    strictEqual(Schema.is(Microstructure)(row.microstructure), n < microstructureRowsMax)
    equal([row.yesMid, row.convergence, row.hoursRemaining], [0.93, "converged", n + 1])
    strictEqual(row.eventEndDate, isoTime(now + (n + 1) * hour))
  }
})

Deno.test("resolvingRows() names the outcome of each price: the market's first", () => {
  const market = endingMarket(1, now, { outcomes: ["Over 2.5", "Under 2.5"] })
  const found = soonestMarkets([market], () => ({ mid: 0.6, proposal: null }), query, now)
  const [row] = resolvingRows(found, bookAt(0.6), now)
  equal([row?.slug, row?.outcome, row?.yesMid], [market.slug, "Over 2.5", 0.6])
  equal([row?.microstructure?.outcome, row?.microstructure?.mid], ["Over 2.5", 0.6])
})

Deno.test("priceOf() takes the book, else the last of the series, else the listing", () => {
  const market = endingMarket(1, now, { listed: { bestBid: 0.2, bestAsk: 0.23 } })
  strictEqual(priceOf(market, bookOf(market, now, 0.6), 0.4), 0.6)
  const ghost = { ...bookOf(market, now), bids: [{ price: 0.01, size: 5 }], asks: [] }
  strictEqual(priceOf(market, ghost, 0.4), 0.4)
  strictEqual(priceOf(market, undefined, undefined), 0.215)
  const decided = { ...ghost, bids: [{ price: 0.99, size: 5 }] }
  strictEqual(priceOf({ ...market, listed: null }, decided, undefined), 0.995)
  strictEqual(priceOf({ ...market, listed: null }, ghost, undefined), null)
})

Deno.test("a market with bids at 0.99 and no asks is a converged row without microstructure", () => {
  const market = endingMarket(1, now)
  const book = { ...bookOf(market, now), bids: [{ price: 0.99, size: 5_000 }], asks: [] }
  const mid = priceOf({ ...market, listed: null }, book, undefined)
  const found = soonestMarkets([market], () => ({ mid, proposal: null }), query, now)
  const [row] = resolvingRows(found, () => book, now)
  equal([row?.yesMid, row?.convergence, row?.microstructure], [0.995, "converged", null])
  strictEqual(row?.expectedResolution.basis, "price")
})

Deno.test("resolvingRows() leaves out a market without a known price", () => {
  equal(resolvingRows(ending(2, null), () => undefined, now), [])
})

Deno.test("resolvingRows() returns at most 200 markets with a price", () => {
  const markets = Array.from({ length: resolvingRowsMax + 40 }, (_, n) => ({
    ...endingMarket(n, now),
    endsAt: now + (n + 1) * minute,
  }))
  const mid = ({ slug }: Market) => slug < "market-12" ? null : 0.5
  const found = soonestMarkets(markets, (one) => ({ mid: mid(one), proposal: null }), query, now)
  const rows = resolvingRows(found, () => undefined, now)
  strictEqual(rows.length, resolvingRowsMax)
  ok(rows.every(({ slug }) => slug >= "market-12"))
})

Deno.test("resolvingRows() rounds hours half up, to two decimals", () => {
  const [one] = ending(1)
  ok(one !== undefined)
  for (let hundredths = 0; hundredths < 7_200; hundredths += 7) {
    for (const [ms, added] of [[17_999, 0], [18_000, 1], [18_001, 1]] as const) {
      const market = { ...one.market, endsAt: now + hundredths * 36_000 + ms }
      const [row] = resolvingRows([{ ...one, market }], () => undefined, now)
      strictEqual(row?.hoursRemaining, (hundredths + added) / 100)
    }
  }
})
