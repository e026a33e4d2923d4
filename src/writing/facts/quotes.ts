/**
 * Facts about what a trade costs now: bid, ask and break-even, average prices.
 *
 * @module
 */
import { joined, phrase } from "../domain/statement.ts"
import {
  type About,
  factOf,
  type NewFact,
  outcomeOf,
  present,
  price,
  rounded,
  usd,
} from "./fact.ts"
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

/** One side's average prices; null where the book offers less than the size. */
interface Averages extends Pick<Side, "outcome" | "ask" | "offeredUsd"> {
  readonly purchases: ReadonlyArray<{ readonly usd: number; readonly price: number | null }>
}

/** `No costs on average 0.67 for $100 and 0.684 for $1,000.` Nothing of a side without offers. */
export function averageFacts(
  about: About,
  sides: readonly [Averages, Averages],
): ReadonlyArray<NewFact> {
  const largest = sides[0].purchases.at(-1)
  const isHeld = ({ ask, purchases }: Averages) => {
    const average = purchases.at(-1)?.price ?? null
    return ask !== null && average !== null && average - ask < slippageMin
  }
  if (largest !== undefined && sides.every(isHeld)) {
    return [factOf("book", about.slug, phrase`Both asks hold for ${usd("size", largest.usd)}.`)]
  }
  return sides.flatMap((side) => present(averageFact(about, side, isHeld(side))))
}

function averageFact(about: About, averages: Averages, isHeld: boolean): NewFact | null {
  const { ask, offeredUsd, outcome, purchases } = averages
  if (ask === null || !(offeredUsd > 0)) return null
  const side = outcomeOf(about, outcome)
  const known = purchases.flatMap(({ usd, price }) => price === null ? [] : [{ usd, price }])
  const last = known.at(-1)
  const prices = known.map(({ usd: size, price: average }, n) =>
    phrase`${rounded(`average${n + 1}`, average)} for ${usd(`size${n + 1}`, size)}`
  )
  const words = isHeld && last !== undefined
    ? phrase`The ask of ${side} holds for ${usd("size", last.usd)}`
    : phrase`${side} costs on average ${joined(prices, " and ")}`
  return factOf(
    "book",
    about.slug,
    last === undefined
      ? phrase`The book offers only ${usd("offered", offeredUsd)} of ${side}.`
      : known.length < purchases.length
      ? phrase`${words}; the book offers ${usd("offered", offeredUsd)} of it in all.`
      : phrase`${words}.`,
  )
}

export function noBookFact(about: About): NewFact {
  return factOf("book", about.slug, phrase`The market has no order book now.`)
}
