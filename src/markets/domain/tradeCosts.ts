/**
 * What a trade costs, and how much of an advantage is left after its cost.
 *
 * The cost of moving a price is `Microstructure.impactUsd` (`book.ts`). A fee is `takerFee` of
 * `quote.ts`. All prices are USD per share of the outcome that is traded.
 *
 * @module
 */
import { fromHalfSteps, halfSteps, type Level } from "./book.ts"
import { roundMicroUsd, takerFee } from "./quote.ts"

/**
 * The probability from which buying at `ask`, and holding to the end, gains on average: the price with
 * its fee, ask + rate x ask x (1 - ask), because a share pays 1 USD with that probability, else 0.
 */
export function breakEvenProbability(ask: number, takerFeeRate: number): number {
  return roundMicroUsd(ask + takerFee(ask, takerFeeRate))
}

/**
 * The highest price that breaks even at a probability, fee included: the root of
 * price + rate x price x (1 - price) = probability, rounded down to a whole price step (0.0001).
 */
export function limitPriceOf(probability: number, takerFeeRate: number): number {
  const sum = 1 + takerFeeRate
  const price = takerFeeRate === 0
    ? probability
    : (sum - Math.sqrt(sum ** 2 - 4 * takerFeeRate * probability)) / (2 * takerFeeRate)
  return Math.max(0, Math.floor(price * 1e4 + 1e-6) / 1e4)
}

/** The average price of buying for `usd` from these offers, without fees; null when they come to less. */
export function averagePriceOf(offers: ReadonlyArray<Level>, usd: number): number | null {
  let [left, shares] = [usd, 0]
  for (const { price, size } of offers.toSorted((a, b) => a.price - b.price)) {
    const spent = Math.min(left, price * size)
    shares += spent / price
    left -= spent
    // All that is offered is a rounded sum.
    if (left <= 1e-6) return roundMicroUsd(usd / shares)
  }
  return null
}

/** USD offered at `limit` or less. */
export function offeredUsdOf(offers: ReadonlyArray<Level>, limit: number = 1): number {
  return roundMicroUsd(
    offers.filter(({ price }) => halfSteps(price) <= halfSteps(limit))
      .reduce((sum, { price, size }) => sum + price * size, 0),
  )
}

/**
 * The price at which half of a move is given back. At this price the move still counts as kept
 * (`outcomeOf` of movers).
 */
export function halfGivenBackAt(
  { priceStart, priceNow }: { readonly priceStart: number; readonly priceNow: number },
): number {
  return fromHalfSteps((halfSteps(priceStart) + halfSteps(priceNow)) / 2)
}
