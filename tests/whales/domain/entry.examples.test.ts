/**
 * The limits of entries by example, and rows that are not valid: what the reference of the laws leaves out.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { type ActivityEvent, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import {
  entriesOf,
  type Entry,
  isFarm,
  isHedge,
  isMarketMaker,
  isNearCertain,
  isOver,
  isSweep,
} from "../../../src/whales/domain/entry.ts"
import { TokenId } from "../../../src/markets/domain/market.ts"
import { day, second } from "../../../src/core/domain/time.ts"
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

Deno.test("isHedge() is false at half of the shares, and true above", () => {
  equal(positionAfter(buyYes(100, 0.4), buyNo(50, 0.5)).entries.map(isHedge), [false])
  equal(positionAfter(buyYes(100, 0.4), buyNo(51, 0.5)).entries.map(isHedge), [true])
})

Deno.test("isNearCertain() is true at 0.95, and false one tick below", () => {
  equal(positionAfter(buyYes(12_345.678_9, 0.95)).entries.map(isNearCertain), [true])
  equal(positionAfter(buyYes(12_345.678_9, 0.949)).entries.map(isNearCertain), [false])
})

Deno.test("isSweep() is true when the first buy is at 0.95, and every price of a buy is exact", () => {
  for (let ticks = 1; ticks < 1_000; ticks++) {
    const price = ticks / 1_000
    const [entry] = positionAfter(sellNo(1, 0.5), buyYes(1, price), buyYes(9, 0.5)).entries
    const [other] = positionAfter(activityEvent("split"), sellNo(1, price)).entries
    equal([entry?.openingPrice, other?.openingPrice], [price, (1_000 - ticks) / 1_000])
    equal(entry !== undefined && isSweep(entry), ticks >= 950)
  }
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

Deno.test("a farm has 20 buys of one size at .99, four of five buys, in five markets", () => {
  const farmed = (prints: number, { others = 0, price = 0.99, size = (): number => 7 } = {}) =>
    positionAfter(
      ...Array.from({ length: prints }, () => buyYes(size(), price)),
      ...Array.from({ length: others }, () => buyYes(100, 0.5)),
    ).farmed
  equal([20, 19].map((prints) => farmed(prints)), [true, false])
  equal([5, 6].map((others) => farmed(20, { others })), [true, false])
  equal(farmed(20, { price: 0.9899 }), false)
  let last = 0
  equal(farmed(30, { size: () => ++last }), false)
  equal([5, 4].map((farmed) => isFarm({ farmed })), [true, false])
})

Deno.test("isMarketMaker() needs 1,000 markets, or both outcomes in over 40 % of at least 10", () => {
  ok(isMarketMaker({ markets: 1_000, bothSides: 0 }))
  ok(!isMarketMaker({ markets: 999, bothSides: 399 }))
  ok(isMarketMaker({ markets: 999, bothSides: 400 }))
  ok(!isMarketMaker({ markets: 10, bothSides: 4 }))
  ok(isMarketMaker({ markets: 10, bothSides: 5 }))
  ok(!isMarketMaker({ markets: 9, bothSides: 9 }))
})
