/**
 * Facts about what a trade costs now: bid, ask and break-even.
 *
 * @module
 */
import { averagePriceOf, offeredUsdOf } from "../../markets/domain/tradeCosts.ts"
import { joined, phrase } from "../domain/statement.ts"
import { type About, factOf, type NewFact, outcomeOf, price, rounded, usd } from "./fact.ts"
import type { MarketView, Side } from "./view.ts"

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

/** The sizes of the average prices, USD. */
export const averageUsd = [100, 1_000] as const

/** `Before the fee $100 and $1,000 buy Yes at 0.67 and 0.684, No at 0.34 (only $420 is offered) on average.` */
export function depthFact(about: About, offers: MarketView["offers"]): NewFact {
  const sides = ([0, 1] as const).map((outcome) => {
    const averages = averageUsd.flatMap((size) => averagePriceOf(offers[outcome], size) ?? [])
    const prices = [...new Set(averages)].map((average, n) =>
      rounded(`average${outcome}${n}`, average)
    )
    const at = prices.length === 0 ? "" : phrase` at ${joined(prices, " and ")}`
    const offered = usd(`offered${outcome}`, offeredUsdOf(offers[outcome]))
    return phrase`${outcomeOf(about, outcome, `outcome${outcome + 1}`)}${at}${
      averages.length === averageUsd.length ? "" : phrase` (only ${offered} is offered)`
    }`
  })
  const sizes = joined(averageUsd.map((size) => usd(`usd${size}`, size)), " and ")
  return factOf(
    "book",
    about.slug,
    phrase`Before the fee ${sizes} buy ${joined(sides, ", ")} on average.`,
  )
}

export function noBookFact(about: About): NewFact {
  return factOf("book", about.slug, phrase`The market has no order book now.`)
}
