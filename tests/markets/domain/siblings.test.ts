/**
 * The sum of exclusive outcomes: the gain of its basket in every state, and when it is partial.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { tradedUsdMin } from "../../../src/markets/domain/ladders.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { quoteOf, quoteOfMid } from "../../../src/markets/domain/quote.ts"
import {
  type QuotedMarket,
  siblingsMax,
  siblingSums,
} from "../../../src/markets/domain/siblings.ts"
import { law } from "../../support/effect.ts"
import { market } from "../../support/movers/market.ts"

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const outcome = Arbitrary.all({
  bid: between(1, 6_000),
  width: between(1, 500),
  shares: between(1, 900),
  feeHundredths: between(0, 7),
})
const event = Arbitrary.array(outcome, { minLength: 2, maxLength: 6 })
type Outcome = {
  readonly bid: number
  readonly width: number
  readonly shares: number
  readonly feeHundredths: number
}

function siblings(outcomes: ReadonlyArray<Outcome>, eventSlug = "vote"): Array<QuotedMarket> {
  return outcomes.map(({ bid, width, shares, feeHundredths }, n) => ({
    market: market({
      ...{ id: MarketId.make(`${eventSlug}${n}`), eventSlug, exclusive: true },
      takerFeeRate: feeHundredths / 100,
    }),
    quote: quoteOf({ bestBid: bid / 10_000, bestAsk: (bid + width) / 10_000, bidShares: shares }),
  }))
}

const complete = () => true

law("siblingSums() states the gain of the best basket in its worst state", event, (outcomes) => {
  const [sum] = siblingSums(siblings(outcomes), complete)
  const dearest = outcomes.toSorted((a, b) =>
    b.bid - a.bid || b.shares - a.shares || a.feeHundredths - b.feeHundredths
  )
  // In each state one outcome happens, or none that is listed.
  const gains = dearest.map((_, n) => {
    const legs = dearest.slice(0, n + 1)
    const cost = legs.reduce((total, { bid, feeHundredths }) => {
      const price = 1 - bid / 10_000
      return total + price + feeHundredths / 100 * price * (1 - price)
    }, 0)
    const shares = Math.min(...legs.map(({ shares }) => shares))
    return cost * shares < tradedUsdMin ? 0 : (n - cost) * shares
  })
  const best = Math.max(0, ...gains)
  ok(Math.abs((sum?.basket?.gainUsd ?? 0) - best) < 1e-3)
  if (best > 1e-3) strictEqual(sum?.basket?.legs.length, gains.indexOf(best) + 1)
})

law("siblingSums() adds bids, and does not depend on their order", event, (outcomes) => {
  const markets = siblings(outcomes)
  const sums = siblingSums(markets, complete)
  deepStrictEqual(siblingSums(markets.toReversed(), complete), sums)
  const bids = outcomes.reduce((total, { bid }) => total + bid, 0) / 10_000
  ok(Math.abs((sums[0]?.bidSum ?? 0) - bids) < 1e-9)
  strictEqual(sums[0]?.partial, false)
})

Deno.test("siblingSums() finds no gain in mids that add up to more than 1", () => {
  const prices = [[4_600, 200], [4_800, 200], ...Array(20).fill([10, 50])]
  const outcomes = prices.map(([bid, width]) => ({ bid, width, shares: 5_000, feeHundredths: 0 }))
  const [sum] = siblingSums(siblings(outcomes), complete)
  deepStrictEqual([sum?.bidSum, sum?.basket], [0.96, null])
  const dear = outcomes.map((one) => ({ ...one, bid: one.bid > 1_000 ? one.bid + 300 : one.bid }))
  const found = siblingSums(siblings(dear), complete)[0]?.basket
  deepStrictEqual([found?.legs.length, found?.gainUsd], [22, 100])
  const unknown = siblings(dear).map((one) => ({
    ...one,
    market: { ...one.market, takerFeeRate: null },
  }))
  strictEqual(siblingSums(unknown, complete)[0]?.basket, null)
})

const three: ReadonlyArray<Outcome> = [2_000, 3_000, 4_000]
  .map((bid) => ({ bid, width: 200, shares: 5, feeHundredths: 0 }))

Deno.test("siblingSums() says that it is partial when an outcome or a price is missing", () => {
  const markets = siblings(three)
  strictEqual(siblingSums(markets, () => false)[0]?.partial, true)
  const [first, ...others] = markets
  ok(first !== undefined)
  const [sum] = siblingSums([{ ...first, quote: null }, ...others], complete)
  deepStrictEqual([sum?.partial, sum?.markets.length, sum?.bidSum], [true, 2, 0.7])
  const [byMid] = siblingSums([{ ...first, quote: quoteOfMid(0.2) }, ...others], complete)
  deepStrictEqual([byMid?.partial, byMid?.bidSum, byMid?.basket], [false, null, null])
})

Deno.test("siblingSums() sums only exclusive markets of one event, dearest first", () => {
  const [first, ...others] = siblings(three)
  ok(first !== undefined)
  const alone = { ...first, market: { ...first.market, exclusive: false } }
  const sums = siblingSums([alone, ...others, ...siblings(three, "cup")], complete)
  deepStrictEqual(sums.map(({ eventSlug, markets }) => [eventSlug, markets.length]), [
    ["cup", 3],
    ["vote", 2],
  ])
  deepStrictEqual(sums[0]?.markets.map(({ quote }) => quote?.mid), [0.41, 0.31, 0.21])
  deepStrictEqual(siblingSums([first, first], complete), [])
})

Deno.test("siblingSums() sums no event with more outcomes than it reads", () => {
  const many = Array.from({ length: siblingsMax + 1 }, () => ({
    ...{ bid: 10, width: 10, shares: 1, feeHundredths: 0 },
  }))
  deepStrictEqual(siblingSums(siblings(many), complete), [])
  strictEqual(siblingSums(siblings(many.slice(1)), complete)[0]?.markets.length, siblingsMax)
})
