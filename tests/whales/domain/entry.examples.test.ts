/**
 * Entries by hand: one example for each way in which the rows of a venue mislead.
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
  isOver,
  isSweep,
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

/** The acts one second apart, each in a transaction of its own. */
function inTurn(...activity: ReadonlyArray<ActivityEvent>) {
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
  const { entries } = inTurn(buyYes(100, 0.4), buyYes(300, 0.6))
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

Deno.test("rows alike in every field are as many fills", () => {
  const row = buyYes(12.5, 0.52)
  const { entries } = entriesOf(numberOccurrences([row, row, row, row]), tokens)
  equal(brief({ entries }), [[0, 50, 0.52, 26]])
  equal(entries[0]?.fills, 4)
})

Deno.test("sales change neither price nor stake", () => {
  equal(brief(inTurn(buyYes(100, 0.4), sellYes(99, 0.9))), [[0, 100, 0.4, 40]])
})

Deno.test("from flat, a buy of No opens an entry in No", () => {
  equal(brief(inTurn(buyNo(100, 0.3))), [[1, 100, 0.3, 30]])
})

Deno.test("flat ends an entry: the next buy opens another", () => {
  const position = inTurn(buyYes(100, 0.4), sellYes(100, 0.5), buyYes(10, 0.6))
  equal(brief(position), [[0, 100, 0.4, 40], [0, 10, 0.6, 6]])
})

Deno.test("thirds come out even: flat is exactly flat", () => {
  const third = buyYes(33.333_333, 0.4)
  const position = inTurn(third, third, third, sellYes(99.999_999, 0.5), buyYes(10, 0.6))
  equal(position.entries.length, 2)
  equal(
    inTurn(buyYes(0.1, 0.4), buyYes(0.2, 0.4), sellYes(0.3, 0.5), buyYes(1, 0.5)).entries.length,
    2,
  )
})

Deno.test("holding Yes, a buy of No is a sale of Yes", () => {
  const { entries, boughtBoth } = inTurn(buyYes(100, 0.4), buyNo(40, 0.5))
  equal(brief({ entries }), [[0, 100, 0.4, 40]])
  equal([entries[0]?.hedgedShares, boughtBoth], [40, true])
})

Deno.test("a flip closes one entry and opens the other with the rest", () => {
  const { entries } = inTurn(buyYes(100, 0.4), buyNo(150, 0.5))
  equal(brief({ entries }), [[0, 100, 0.4, 40], [1, 50, 0.5, 25]])
  equal(entries.map(({ hedgedShares }) => hedgedShares), [100, 0])
})

Deno.test("netting is by shares, not by what was paid", () => {
  // 100 at 90 cents cost more than 100 at 5: by cash this would still be long.
  equal(inTurn(buyYes(100, 0.9), buyNo(100, 0.05), buyNo(10, 0.05)).entries[1]?.shares, 10)
})

Deno.test("splits and merges net to nothing", () => {
  equal(inTurn(activityEvent("split"), activityEvent("merge")).entries, [])
  const around = inTurn(
    activityEvent("split"),
    buyYes(50, 0.4),
    activityEvent("merge"),
    buyYes(50, 0.4),
  )
  equal(brief(around), [[0, 100, 0.4, 40]])
})

Deno.test("selling No out of a split is a buy of Yes at what is left of the dollar", () => {
  equal(brief(inTurn(activityEvent("split"), sellNo(100, 0.7))), [[0, 100, 0.3, 30]])
  equal(brief(inTurn(activityEvent("split"), sellYes(60, 0.1))), [[1, 60, 0.9, 54]])
})

Deno.test("merging a bought pair leaves the hedge a hedge", () => {
  const { entries } = inTurn(buyYes(100, 0.4), buyNo(60, 0.5), activityEvent("merge", { size: 60 }))
  equal(entries.map((entry) => [entry.hedgedShares, isHedge(entry)]), [[60, true]])
})

Deno.test("a conversion takes shares without a price: no entry, no hedge, an end at flat", () => {
  const all = inTurn(buyNo(100, 0.6), activityEvent("convert"), buyNo(10, 0.7))
  equal(brief(all), [[1, 100, 0.6, 60], [1, 10, 0.7, 7]])
  ok(!all.entries.some(isHedge))
  const out = inTurn(activityEvent("split"), activityEvent("convert", { tokenId: tokens[1] }))
  equal([out.entries, out.boughtBoth], [[], false])
  const named = inTurn(
    buyYes(100, 0.5),
    activityEvent("convert", { tokenId: tokens[0] }),
    buyYes(1, 0.5),
  )
  equal(named.entries.length, 2)
})

Deno.test("a redemption without a token ends the entry", () => {
  const position = inTurn(buyYes(100, 0.4), activityEvent("redeem", { size: 0 }), buyYes(10, 0.4))
  equal(brief(position), [[0, 100, 0.4, 40], [0, 10, 0.4, 4]])
})

Deno.test("what was never seen bought is not sold", () => {
  const position = inTurn(
    sellYes(30, 0.5),
    buyYes(100, 0.4),
    sellYes(150, 0.5),
    activityEvent("merge"),
  )
  equal(brief(position), [[0, 100, 0.4, 40]])
})

Deno.test("a trade without a price in (0, 1) moves shares, but is no buy of an entry", () => {
  for (const price of [0, 1, 1.000_1, -0.1]) {
    equal(inTurn(buyYes(100, price)).entries, [])
    equal(brief(inTurn(buyYes(100, 0.4), buyYes(100, price))), [[0, 100, 0.4, 40]])
    equal(inTurn(buyYes(100, 0.4), sellYes(100, price), buyYes(1, 0.4)).entries.length, 2)
  }
})

Deno.test("acts that cannot be right change nothing", () => {
  const foreign = TokenId.make("1")
  for (const wrong of [NaN, Infinity, -1, 0, 1e300]) {
    equal(brief(inTurn(buyYes(100, 0.4), buyYes(wrong, 0.5))), [[0, 100, 0.4, 40]])
  }
  equal(inTurn(buyYes(1, NaN)).entries, [])
  for (const kind of ["buy", "sell", "convert"] as const) {
    equal(
      inTurn(buyYes(9, 0.5), activityEvent(kind, { tokenId: foreign, price: 0.5 })).entries[0]
        ?.shares,
      9,
    )
  }
})

Deno.test("a day without a buy ends an entry, though its shares are still held", () => {
  const buys = (gap: number) => [buyYes(100, 0.4), { ...buyYes(10, 0.6), at: start + gap }]
  equal(brief(entriesOf(numberOccurrences(buys(day - second)), tokens)).length, 1)
  equal(brief(entriesOf(numberOccurrences(buys(day)), tokens)), [[0, 100, 0.4, 40], [
    0,
    10,
    0.6,
    6,
  ]])
})

Deno.test("a sale is no buy: the day runs from the last buy", () => {
  const activity = [
    buyYes(100, 0.4),
    { ...sellYes(10, 0.5), at: start + 20 * hour },
    { ...buyYes(10, 0.6), at: start + 30 * hour },
  ]
  equal(entriesOf(numberOccurrences(activity), tokens).entries.length, 2)
})

Deno.test("what is given up after an entry is over, or after a plain sale, hedges nothing", () => {
  const late = [buyYes(100, 0.4), { ...buyNo(100, 0.5), at: start + day }]
  equal(entriesOf(numberOccurrences(late), tokens).entries.map(isHedge), [false])
  equal(inTurn(buyYes(100, 0.4), sellYes(60, 0.5), buyNo(40, 0.5)).entries.map(isHedge), [false])
})

Deno.test("half given up is no hedge yet, a share more is", () => {
  equal(inTurn(buyYes(100, 0.4), buyNo(50, 0.5)).entries.map(isHedge), [false])
  equal(inTurn(buyYes(100, 0.4), buyNo(51, 0.5)).entries.map(isHedge), [true])
})

Deno.test("an entry at 0.95 is a sweep, a tick below is none", () => {
  equal(inTurn(buyYes(12_345.678_9, 0.95)).entries.map(isSweep), [true])
  equal(inTurn(buyYes(12_345.678_9, 0.949)).entries.map(isSweep), [false])
})

Deno.test("isOver() from a day after the last buy", () => {
  const [entry] = inTurn(buyYes(100, 0.4)).entries
  ok(entry !== undefined && isOver(entry, start + day) && !isOver(entry, start + day - 1))
})

Deno.test("bought both: as such, or by selling one out of a split", () => {
  equal(inTurn(buyYes(100, 0.4), sellYes(100, 0.5)).boughtBoth, false)
  equal(inTurn(activityEvent("split"), sellNo(100, 0.5)).boughtBoth, false)
  equal(inTurn(activityEvent("split"), sellNo(100, 0.5), buyNo(10, 0.5)).boughtBoth, true)
  equal(inTurn(buyYes(100, 0.4), buyNo(1, 0.5)).boughtBoth, true)
})

Deno.test("isMarketMaker(): 1,000 markets, or both sides in over 40 % of at least 10", () => {
  ok(isMarketMaker({ markets: 1_000, bothSides: 0 }))
  ok(!isMarketMaker({ markets: 999, bothSides: 399 }))
  ok(isMarketMaker({ markets: 999, bothSides: 400 }))
  ok(!isMarketMaker({ markets: 10, bothSides: 4 }))
  ok(isMarketMaker({ markets: 10, bothSides: 5 }))
  ok(!isMarketMaker({ markets: 9, bothSides: 9 }))
})
