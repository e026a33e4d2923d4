/**
 * Facts about what a trade costs now: bid, ask and break-even, average prices.
 *
 * @module
 */
import { phrase, type Statement } from "../domain/statement.ts"
import { type About, factOf, type NewFact, outcomeOf, price, rounded, usd } from "./fact.ts"
import type { Side } from "./view.ts"

/**
 * `Yes is bid 0.66 and asked 0.67; the ask breaks even at 0.681, No at 0.352, fee included.` Null without a
 * quote.
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
  const fee = takerFeeRate === 0 ? "" : ", fee included"
  return factOf(
    "book",
    about.slug,
    breakEven === null || other.breakEven === null
      ? phrase`${quoted}; the fee is not known.`
      : phrase`${quoted}; the ask breaks even at ${rounded("breakEven", breakEven)}, ${
        outcomeOf({ ...about, isNamed: false }, other.outcome, "outcome2")
      } at ${rounded("breakEven2", other.breakEven)}${fee}.`,
  )
}

/** A purchase this near to the ask costs what the ask says. */
const slippageMin = 0.001

/** One side, and the mean price of buying it for a size; null where the book offers less. */
interface Average extends Pick<Side, "outcome" | "ask" | "offeredUsd"> {
  readonly average: number | null
}

/** `$1,000 of No costs 0.684 on average.` Nothing of a side without offers, or whose ask holds. */
export function averageFacts(
  about: About,
  sizeUsd: number,
  sides: ReadonlyArray<Average>,
): ReadonlyArray<NewFact> {
  const fact = (statement: Statement) => factOf("book", about.slug, statement)
  const isHeld = ({ ask, average }: Average) =>
    ask !== null && average !== null && average - ask < slippageMin
  const size = usd("size", sizeUsd)
  if (sides.every(isHeld)) return [fact(phrase`Both asks hold for ${size}.`)]
  return sides.filter((side) => !isHeld(side) && side.ask !== null && side.offeredUsd > 0)
    .map(({ average, offeredUsd, outcome }) => {
      const side = outcomeOf(about, outcome)
      return fact(
        average === null
          ? phrase`The book offers only ${usd("offered", offeredUsd)} of ${side}.`
          : phrase`${size} of ${side} costs ${rounded("average", average)} on average.`,
      )
    })
}

export function noBookFact(about: About): NewFact {
  return factOf("book", about.slug, phrase`The market has no order book now.`)
}
