/**
 * Decision cards: their order, and which of them may lead a text.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { hour } from "../../../src/core/domain/time.ts"
import { averagePriceOf } from "../../../src/markets/domain/tradeCosts.ts"
import { counterFact, marketCards, ranked } from "../../../src/writing/facts/cards.ts"
import { estimateFact, tradeFact } from "../../../src/writing/facts/estimates.ts"
import { aboutOf, isSureOf, tradeOf } from "../../../src/writing/facts/view.ts"
import { viewOf } from "../../../src/research/domain/page.ts"
import { law } from "../../support/effect.ts"
import { market, now } from "../../support/movers/market.ts"
import {
  bookWith,
  headline,
  noRecord,
  reportMaterial,
  story,
} from "../../support/research/reports.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const drawnCards = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    kind: Schema.Literals(["contradiction", "proposal", "report", "wallet", "move"]),
    market: Schema.Literals(["a", "b", "c"]),
    valueUsd: int(0, 3),
    isSure: Schema.NullOr(Schema.Boolean),
  })).check(Schema.isMaxLength(6)),
)

/** A market has one card of a kind. */
const cards = Arbitrary.map(
  drawnCards,
  (all) => [...new Map(all.map((card) => [card.kind + card.market, card])).values()],
)

law("ranked() is by value, and does not depend on the order of the cards", cards, (found) => {
  const order = ranked(found)
  const isByValue = (cards: typeof order) =>
    cards.every(({ valueUsd }, n) => valueUsd <= (cards[n - 1]?.valueUsd ?? Infinity))
  // Only where both kinds of trades are there, they change places.
  for (const kind of [true, false]) {
    const ofOne = order.filter(({ isSure }) => isSure !== kind)
    ok(isByValue(ofOne.filter(({ isSure }) => isSure !== null)))
    ok(found.some(({ isSure }) => isSure === kind) || isByValue(ofOne))
  }
  const keys = (of: typeof order) => of.map((card) => JSON.stringify(card))
  equal(keys(ranked(found.toReversed())), keys(order))
  equal(keys(order).toSorted(), keys(found).toSorted())
})

law("ranked() puts no trade that may lose before one that gains at both ends", cards, (found) => {
  const order = ranked(found).map(({ isSure }) => isSure)
  ok(!order.includes(false) || order.lastIndexOf(true) < order.indexOf(false))
})

const estimates = Arbitrary.schema(
  Schema.Struct({ probability: int(100, 900), below: int(0, 99), above: int(0, 99) }),
)

law(
  "a trade's gain is stated at both ends of the number, for the same money",
  estimates,
  (made) => {
    const [low, probability, high] = [
      made.probability - made.below,
      made.probability,
      made.probability + made.above,
    ].map((thousandths) => thousandths / 1_000) as [number, number, number]
    const view = viewOf(reportMaterial({
      market: market({ takerFeeRate: 0.05 }),
      book: bookWith({ mid: 0.5 }),
      estimate: {
        ...{ mid: 0.5, probability, low, high, dayLow: null, dayHigh: null, ...noRecord },
        basis: [{ ingredient: "wallets", won: null, cases: null, meanPrice: null, shift: 0.1 }],
      },
    }))
    const trade = tradeOf(view)
    if (trade === null) return
    const { gainRangeUsd, gainUsd, outcome, stakeUsd } = trade
    ok(gainRangeUsd !== null)
    const price = averagePriceOf(view.offers[outcome], stakeUsd) ?? 0
    const shares = stakeUsd / price
    const fee = shares * 0.05 * price * (1 - price)
    const gainAt = (of: number) => shares * (outcome === 0 ? of : 1 - of) - stakeUsd - fee
    const [worst, best] = [gainAt(low), gainAt(high)].toSorted((a, b) => a - b)
    const isNear = (a: number, b = NaN) => Math.abs(a - b) < 0.01
    ok(isNear(gainRangeUsd[0], worst) && isNear(gainRangeUsd[1], best))
    ok(isNear(gainUsd, gainAt(probability)))
    const { statement } = tradeFact(aboutOf(view.market), trade)
    const range = /after the fee \(range (-?)\$[\d,]+ to -?\$[\d,]+\)/.exec(statement)
    strictEqual(range?.[1] === "-", Math.round(gainRangeUsd[0]) < 0)
    strictEqual(isSureOf(trade), gainRangeUsd[0] >= 0)
  },
)

Deno.test("the record of doubted proposals has their mean price", () => {
  const view = viewAt(0.75)
  const { statement } = estimateFact(
    aboutOf(view.market),
    {
      ...{
        mid: 0.75,
        probability: 0.552,
        low: 0.446,
        high: 0.658,
        dayLow: null,
        dayHigh: null,
        ...noRecord,
      },
      basis: [{ ingredient: "proposal", won: 49, cases: 72, meanPrice: 0.48, shift: -0.2 }],
    },
    0,
    view,
  )
  ok(
    statement.endsWith(": 49 of 72 doubted proposals upheld, priced 0.48 on average."),
    statement,
  )
})

/** From 0.40 to 0.60 in a day, and now at `mid`. */
const viewAt = (mid: number, stories: ReadonlyArray<ReturnType<typeof story>> = []) => ({
  ...viewOf(reportMaterial({
    entries: [],
    book: bookWith({ mid }),
    news: { stories, sources: 1, answered: 1 },
  })),
  move: {
    ...{ from: 0.4, to: 0.6, windowMs: 24 * hour, step: null },
    ...{ startedAt: now - 24 * hour, at: now },
  },
})

Deno.test("a move is worth something until half of it is given back, or its market is decided", () => {
  const valueAt = (mid: number) => marketCards(viewAt(mid))[0]?.valueUsd ?? 0
  ok(valueAt(0.6) > 0 && valueAt(0.51) > 0)
  equal([valueAt(0.5), valueAt(0.45), valueAt(0.985)], [0, 0, 0])
})

Deno.test("a move is stated with the price now, where that is a cent or more from its end", () => {
  const movedAt = (mid: number) => {
    const view = viewAt(mid)
    const card = marketCards(view).find(({ kind }) => kind === "move")
    return card?.lead(aboutOf(view.market)).statement ?? ""
  }
  ok(movedAt(0.609).endsWith("from 0.40 to 0.60."), movedAt(0.609))
  ok(movedAt(0.61).endsWith("from 0.40 to 0.60; now 0.61."), movedAt(0.61))
  ok(movedAt(0.55).endsWith("from 0.40 to 0.60; now 0.55."), movedAt(0.55))
})

Deno.test("only a headline since a move, read for the other side, speaks against it", () => {
  const against = (hoursAgo: number, bears: "for" | "against" | null, corrected = false) => {
    const read = story([headline({ publishedAt: now - hoursAgo * hour })], {
      reading: { outcome: "Yes", bears, decides: false, quote: "lit" },
      corrected,
    })
    const view = viewAt(0.6, [read])
    return counterFact(view, marketCards(view))?.statement ?? ""
  }
  ok(against(2, "against").startsWith("Against it, "))
  equal([against(25, "against"), against(2, "for"), against(2, null)], ["", "", ""])
  strictEqual(against(2, "against", true), "")
})

Deno.test("a report of the end is quoted before a newer headline of another kind", () => {
  const storyOf = (title: string, hoursAgo: number, outcome: string, bears: "for" | "against") =>
    story([
      headline({ title, url: `https://${hoursAgo}.example`, publishedAt: now - hoursAgo * hour }),
    ], {
      reading: { outcome, bears, decides: false, quote: title },
    })
  const view = viewAt(0.6, [
    storyOf("Lighthouse was not lit", 3, "No", "for"),
    storyOf("Keepers doubt the lighthouse", 1, "Yes", "against"),
  ])
  const { statement = "" } = counterFact(view, marketCards(view)) ?? {}
  ok(statement.includes("Lighthouse was not lit"), statement)
})
