/**
 * Entries by example, one for each oddity of the venue's rows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { type ActivityEvent, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import {
  entriesOf,
  type Entry,
  isHedge,
  isMarketMaker,
  isNearCertain,
  isOver,
} from "../../../src/whales/domain/entry.ts"
import { TokenId } from "../../../src/markets/domain/market.ts"
import { day, hour, second } from "../../../src/core/domain/time.ts"
import { activityEvent, start, tokens } from "../../support/whales/activityEvents.ts"

const trade =
  (kind: "buy" | "sell", outcome: 0 | 1) => (size: number, price: number): ActivityEvent =>
    activityEvent(kind, { tokenId: tokens[outcome], size, price })
const buyYes = trade("buy", 0)
const buyNo = trade("buy", 1)
const sellYes = trade("sell", 0)
const sellNo = trade("sell", 1)

/** The position after these events, one second apart, each in its own transaction. */
function positionAfter(...activity: ReadonlyArray<ActivityEvent>) {
  return entriesOf(
    numberOccurrences(
      activity.map((one, i) => ({ ...one, at: start + i * second, transaction: `0x${i}` })),
    ),
    tokens,
  )
}

/** Outcome, shares, price and stake of each entry. */
function brief({ entries }: { readonly entries: ReadonlyArray<Entry> }) {
  return entries.map(({ outcome, shares, price, stakeUsd }) => [outcome, shares, price, stakeUsd])
}

Deno.test("an entry's price is the volume-weighted price of its buys, its stake their cost", () => {
  const { entries } = positionAfter(buyYes(100, 0.4), buyYes(300, 0.6))
  equal(entries, [{
    outcome: 0,
    price: 0.55,
    openingPrice: 0.4,
    stakeUsd: 220,
    shares: 400,
    hedgedShares: 0,
    fills: 2,
    firstFillAt: start,
    lastFillAt: start + second,
  }])
})

Deno.test("equal rows are separate fills", () => {
  const row = buyYes(12.5, 0.52)
  const { entries } = entriesOf(numberOccurrences([row, row, row, row]), tokens)
  equal(brief({ entries }), [[0, 50, 0.52, 26]])
  equal(entries[0]?.fills, 4)
})

Deno.test("sales change neither price nor stake", () => {
  equal(brief(positionAfter(buyYes(100, 0.4), sellYes(99, 0.9))), [[0, 100, 0.4, 40]])
})

Deno.test("from flat, a buy of No opens an entry in No", () => {
  equal(brief(positionAfter(buyNo(100, 0.3))), [[1, 100, 0.3, 30]])
})

Deno.test("a flat position ends an entry: the next buy opens another", () => {
  const position = positionAfter(buyYes(100, 0.4), sellYes(100, 0.5), buyYes(10, 0.6))
  equal(brief(position), [[0, 100, 0.4, 40], [0, 10, 0.6, 6]])
})

Deno.test("a position is exactly flat despite fractions", () => {
  const third = buyYes(33.333_333, 0.4)
  const position = positionAfter(third, third, third, sellYes(99.999_999, 0.5), buyYes(10, 0.6))
  equal(position.entries.length, 2)
  equal(
    positionAfter(buyYes(0.1, 0.4), buyYes(0.2, 0.4), sellYes(0.3, 0.5), buyYes(1, 0.5)).entries
      .length,
    2,
  )
})

Deno.test("holding Yes, a buy of No is a sale of Yes", () => {
  const { entries, boughtBoth } = positionAfter(buyYes(100, 0.4), buyNo(40, 0.5))
  equal(brief({ entries }), [[0, 100, 0.4, 40]])
  equal([entries[0]?.hedgedShares, boughtBoth], [40, true])
})

Deno.test("a flip closes one entry and opens the other with the remaining shares", () => {
  const { entries } = positionAfter(buyYes(100, 0.4), buyNo(150, 0.5))
  equal(brief({ entries }), [[0, 100, 0.4, 40], [1, 50, 0.5, 25]])
  equal(entries.map(({ hedgedShares }) => hedgedShares), [100, 0])
})

Deno.test("netting is by shares, not by cost", () => {
  // 100 shares at 90 cents cost more than 100 at 5: by cost this would still be long.
  equal(positionAfter(buyYes(100, 0.9), buyNo(100, 0.05), buyNo(10, 0.05)).entries[1]?.shares, 10)
})

Deno.test("a split and a merge cancel each other", () => {
  equal(positionAfter(activityEvent("split"), activityEvent("merge")).entries, [])
  const around = positionAfter(
    activityEvent("split"),
    buyYes(50, 0.4),
    activityEvent("merge"),
    buyYes(50, 0.4),
  )
  equal(brief(around), [[0, 100, 0.4, 40]])
})

Deno.test("a split and a sale of No are a buy of Yes at 1 minus the price", () => {
  equal(brief(positionAfter(activityEvent("split"), sellNo(100, 0.7))), [[0, 100, 0.3, 30]])
  equal(brief(positionAfter(activityEvent("split"), sellYes(60, 0.1))), [[1, 60, 0.9, 54]])
})

Deno.test("a hedge stays a hedge when its pairs are merged", () => {
  const { entries } = positionAfter(
    buyYes(100, 0.4),
    buyNo(60, 0.5),
    activityEvent("merge", { size: 60 }),
  )
  equal(entries.map((entry) => [entry.hedgedShares, isHedge(entry)]), [[60, true]])
})

Deno.test("a conversion removes shares without a price: no entry, no hedge, an end when flat", () => {
  const all = positionAfter(buyNo(100, 0.6), activityEvent("convert"), buyNo(10, 0.7))
  equal(brief(all), [[1, 100, 0.6, 60], [1, 10, 0.7, 7]])
  ok(!all.entries.some(isHedge))
  const out = positionAfter(
    activityEvent("split"),
    activityEvent("convert", { tokenId: tokens[1] }),
  )
  equal([out.entries, out.boughtBoth], [[], false])
  const named = positionAfter(
    buyYes(100, 0.5),
    activityEvent("convert", { tokenId: tokens[0] }),
    buyYes(1, 0.5),
  )
  equal(named.entries.length, 2)
})

Deno.test("a redemption without a token ends the entry", () => {
  const position = positionAfter(
    buyYes(100, 0.4),
    activityEvent("redeem", { size: 0 }),
    buyYes(10, 0.4),
  )
  equal(brief(position), [[0, 100, 0.4, 40], [0, 10, 0.4, 4]])
})

Deno.test("sales and merges of unknown shares are ignored", () => {
  const position = positionAfter(
    sellYes(30, 0.5),
    buyYes(100, 0.4),
    sellYes(150, 0.5),
    activityEvent("merge"),
  )
  equal(brief(position), [[0, 100, 0.4, 40]])
})

Deno.test("a trade with a price outside (0, 1) moves shares, but is not part of an entry", () => {
  for (const price of [0, 1, 1.000_1, -0.1]) {
    equal(positionAfter(buyYes(100, price)).entries, [])
    equal(brief(positionAfter(buyYes(100, 0.4), buyYes(100, price))), [[0, 100, 0.4, 40]])
    equal(positionAfter(buyYes(100, 0.4), sellYes(100, price), buyYes(1, 0.4)).entries.length, 2)
  }
})

Deno.test("invalid sizes and prices, and other tokens, are ignored", () => {
  const foreign = TokenId.make("1")
  for (const wrong of [NaN, Infinity, -1, 0, 1e300]) {
    equal(brief(positionAfter(buyYes(100, 0.4), buyYes(wrong, 0.5))), [[0, 100, 0.4, 40]])
  }
  equal(positionAfter(buyYes(1, NaN)).entries, [])
  for (const kind of ["buy", "sell", "convert"] as const) {
    equal(
      positionAfter(buyYes(9, 0.5), activityEvent(kind, { tokenId: foreign, price: 0.5 }))
        .entries[0]
        ?.shares,
      9,
    )
  }
})

Deno.test("a day without a buy ends an entry, even if the wallet holds its shares", () => {
  const buys = (gap: number) => [buyYes(100, 0.4), { ...buyYes(10, 0.6), at: start + gap }]
  equal(brief(entriesOf(numberOccurrences(buys(day - second)), tokens)).length, 1)
  equal(brief(entriesOf(numberOccurrences(buys(day)), tokens)), [[0, 100, 0.4, 40], [
    0,
    10,
    0.6,
    6,
  ]])
})

Deno.test("the day runs from the last buy, not from a sale", () => {
  const activity = [
    buyYes(100, 0.4),
    { ...sellYes(10, 0.5), at: start + 20 * hour },
    { ...buyYes(10, 0.6), at: start + 30 * hour },
  ]
  equal(entriesOf(numberOccurrences(activity), tokens).entries.length, 2)
})

Deno.test("a buy of the other outcome after the entry is over, or after a sale, is not a hedge", () => {
  const late = [buyYes(100, 0.4), { ...buyNo(100, 0.5), at: start + day }]
  equal(entriesOf(numberOccurrences(late), tokens).entries.map(isHedge), [false])
  equal(positionAfter(buyYes(100, 0.4), sellYes(60, 0.5), buyNo(40, 0.5)).entries.map(isHedge), [
    false,
  ])
})

Deno.test("isHedge() is false at half of the shares, and true above", () => {
  equal(positionAfter(buyYes(100, 0.4), buyNo(50, 0.5)).entries.map(isHedge), [false])
  equal(positionAfter(buyYes(100, 0.4), buyNo(51, 0.5)).entries.map(isHedge), [true])
})

Deno.test("isNearCertain() is true at 0.95, and false one tick below", () => {
  equal(positionAfter(buyYes(12_345.678_9, 0.95)).entries.map(isNearCertain), [true])
  equal(positionAfter(buyYes(12_345.678_9, 0.949)).entries.map(isNearCertain), [false])
})

Deno.test("isOver() is true from a day after the last buy", () => {
  const [entry] = positionAfter(buyYes(100, 0.4)).entries
  ok(entry !== undefined && isOver(entry, start + day) && !isOver(entry, start + day - 1))
})

Deno.test("boughtBoth counts direct buys, and sales after a split", () => {
  equal(positionAfter(buyYes(100, 0.4), sellYes(100, 0.5)).boughtBoth, false)
  equal(positionAfter(activityEvent("split"), sellNo(100, 0.5)).boughtBoth, false)
  equal(positionAfter(activityEvent("split"), sellNo(100, 0.5), buyNo(10, 0.5)).boughtBoth, true)
  equal(positionAfter(buyYes(100, 0.4), buyNo(1, 0.5)).boughtBoth, true)
})

Deno.test("isMarketMaker() needs 1,000 markets, or both outcomes in over 40 % of at least 10", () => {
  ok(isMarketMaker({ markets: 1_000, bothSides: 0 }))
  ok(!isMarketMaker({ markets: 999, bothSides: 399 }))
  ok(isMarketMaker({ markets: 999, bothSides: 400 }))
  ok(!isMarketMaker({ markets: 10, bothSides: 4 }))
  ok(isMarketMaker({ markets: 10, bothSides: 5 }))
  ok(!isMarketMaker({ markets: 9, bothSides: 9 }))
})
