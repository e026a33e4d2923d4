/**
 * Facts about what a trade costs now: bid, ask and break-even.
 *
 * @module
 */
import { phrase } from "../domain/statement.ts"
import { type About, factOf, type NewFact, outcomeOf, price, rounded } from "./fact.ts"
import type { Side } from "./view.ts"

/**
 * `Yes is bid 0.66 and asked 0.67; with the fee it costs 0.681, No 0.352.` Null without a quote.
 */
export function costFact(
  about: About,
  [side, other]: readonly [Side, Side],
  takerFeeRate: number | null,
): NewFact | null {
  const { ask, bid, breakEven } = side
  if (ask === null || bid === null) return null
  const quoted = phrase`${outcomeOf(about, side.outcome)} is bid ${price("bid", bid)} and asked ${
    price("ask", ask)
  }`
  const second = outcomeOf({ ...about, isNamed: false }, other.outcome, "outcome2")
  return factOf(
    "book",
    about.slug,
    breakEven === null || other.breakEven === null
      ? phrase`${quoted}; the fee is not known.`
      : takerFeeRate === 0
      ? phrase`${quoted}, ${second} at ${rounded("breakEven2", other.breakEven)}, without a fee.`
      : phrase`${quoted}; with the fee it costs ${rounded("breakEven", breakEven)}, ${second} ${
        rounded("breakEven2", other.breakEven)
      }.`,
  )
}

export function noBookFact(about: About): NewFact {
  return factOf("book", about.slug, phrase`The market has no order book now.`)
}
