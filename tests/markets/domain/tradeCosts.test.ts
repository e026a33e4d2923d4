/**
 * Quotes and the costs of trades, against the gains and losses that they summarise.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Arbitrary, Result, Schema } from "effect"
import { microstructure } from "../../../src/markets/domain/book.ts"
import {
  offersOf,
  quoteOf,
  quoteOfBook,
  quoteOfMid,
  quoteOfOutcome,
} from "../../../src/markets/domain/quote.ts"
import {
  averagePriceOf,
  breakEvenProbability,
  halfGivenBackAt,
  limitPriceOf,
  offeredUsdOf,
} from "../../../src/markets/domain/tradeCosts.ts"
import { outcomeOf } from "../../../src/track-record/domain/moverDrift.ts"
import { law } from "../../support/effect.ts"
import { book, mirrored } from "../../support/movers/market.ts"

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
const trade = Arbitrary.map(
  Arbitrary.all({ bid: between(1, 9_000), width: between(1, 999), fee: between(0, 100) }),
  ({ bid, width, fee }) => ({ bid: bid / 10_000, ask: (bid + width) / 10_000, rate: fee / 100 }),
)
const near = (a: number, b: number) => Math.abs(a - b) <= 2e-6

law(
  "breakEvenProbability() is where holding to the end gains nothing on average",
  trade,
  (given) => {
    const { ask, rate } = given
    const probability = breakEvenProbability(ask, rate)
    const gainAt = (p: number) => p * (1 - ask) - (1 - p) * ask - rate * ask * (1 - ask)
    return near(gainAt(probability), 0) && probability >= ask && probability <= 1
  },
)

law("quoteOfOutcome() of the second outcome is the quote of the mirrored book", trade, (given) => {
  const { bid, ask } = given
  const of = book([{ price: bid, size: 7 }, { price: bid, size: 2 }], [{ price: ask, size: 3 }])
  const [first, second] = [quoteOfBook(of), quoteOfBook(mirrored(of))]
  ok(first !== null)
  deepStrictEqual(quoteOfOutcome(first, 1), second)
  deepStrictEqual(quoteOfOutcome(quoteOfOutcome(first, 1), 1), first)
  deepStrictEqual([first.bidShares, first.askShares], [9, 3])
  const { mid } = Result.getOrThrow(microstructure(of))
  strictEqual(first.mid, mid)
})

Deno.test("quotes are made of prices only", () => {
  for (const bad of [Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY]) {
    strictEqual(quoteOf({ bestBid: bad, bestAsk: 0.5 }), null)
    strictEqual(quoteOf({ bestBid: 0.5, bestAsk: bad }), null)
    strictEqual(quoteOfMid(bad), null)
  }
  strictEqual(quoteOf({ bestBid: 0.6, bestAsk: 0.5 }), null)
  strictEqual(quoteOfBook(book([], [{ price: 0.5, size: 1 }])), null)
  strictEqual(quoteOfBook(book([{ price: 0.4, size: 0 }], [{ price: 0.5, size: 1 }])), null)
  strictEqual(quoteOf({ bestBid: 0.4, bestAsk: 0.5, bidShares: Number.NaN })?.bidShares, null)
})

const move = Arbitrary.map(
  Arbitrary.all({ start: between(0, 20_000), now: between(0, 20_000) }),
  ({ start, now }) => ({ priceStart: start / 20_000, priceNow: now / 20_000 }),
)

law(
  "halfGivenBackAt() is the last price at which the score counts a move as kept",
  move,
  (given) => {
    const { priceStart, priceNow } = given
    if (priceStart === priceNow) return true
    const half = halfGivenBackAt(given)
    const beyond = half - Math.sign(priceNow - priceStart) / 10_000
    return outcomeOf(given, half).margin >= -1 && outcomeOf(given, beyond).margin < 0
  },
)

law(
  "limitPriceOf() is the highest price step that breaks even, fee included",
  Arbitrary.all({ chance: between(1, 9_999), fee: between(0, 100) }),
  ({ chance, fee }) => {
    const [probability, rate] = [chance / 10_000, fee / 1_000]
    const limit = limitPriceOf(probability, rate)
    ok(breakEvenProbability(limit, rate) <= probability + 1e-6)
    ok(breakEvenProbability(limit + 0.0001, rate) > probability - 1e-6)
  },
)

law(
  "averagePriceOf() lies between the best price and the last one needed, and offers add up",
  Arbitrary.all({ first: between(1, 98), more: between(0, 50), usd: between(1, 400) }),
  ({ first, more, usd }) => {
    const [best, last] = [first / 100, Math.min(0.99, (first + more) / 100)]
    const [offers, other] = offersOf(
      book([{ price: 1 - last, size: 100 }], [{ price: last, size: 200 }, {
        price: best,
        size: 100,
      }]),
    )
    const average = averagePriceOf(offers, usd)
    const all = offeredUsdOf(offers)
    ok(Math.abs(all - (100 * best + 200 * last)) < 1e-6)
    strictEqual(average === null, usd > all)
    ok(average === null || average >= best - 1e-6 && average <= last + 1e-6)
    ok(offeredUsdOf(offers, best) >= 100 * best - 1e-6)
    strictEqual(other[0]?.price, last)
  },
)

law(
  "averagePriceOf() of all that is offered has a price",
  Arbitrary.all({ sizes: Arbitrary.array(between(1, 9_999_999), { maxLength: 6, minLength: 1 }) }),
  ({ sizes }) => {
    const offers = sizes.map((size, n) => ({ price: 0.13 + n / 1_000, size: size / 10_000 }))
    ok(averagePriceOf(offers, offeredUsdOf(offers)) !== null)
  },
)
