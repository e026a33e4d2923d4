/**
 * Facts about what a trade costs now: break-even at the ask, average prices, depth.
 *
 * @module
 */
import { halfSteps, type Microstructure } from "../../markets/domain/book.ts"
import { breakEvenProbability } from "../../markets/domain/tradeCosts.ts"
import { joined, phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  cents,
  factOf,
  type NewFact,
  outcomeOf,
  present,
  price,
  rate,
  rounded,
  usd,
} from "./fact.ts"

/** The quote of one outcome; null for a side of the book that is empty. */
export interface Side {
  readonly outcome: 0 | 1
  readonly bid: number | null
  readonly ask: number | null
  /** Null when not known: then no figure after fees is stated. */
  readonly takerFeeRate: number | null
  /** What is offered at the ask, USD; null or absent where it is not known, or stated elsewhere. */
  readonly askUsd?: number | null
}

/** `Yes at the ask of 0.67 breaks even at 68.1%, fee included.` Null without an ask or a known fee. */
export function costFact(about: About, side: Side): NewFact | null {
  const { outcome, ask, takerFeeRate, askUsd } = side
  if (ask === null || takerFeeRate === null) return null
  return factOf(
    "book",
    about.slug,
    phrase`${outcomeOf(about, outcome)} at the ask of ${price("ask", ask)} breaks even at ${
      rate("breakEven", breakEvenProbability(ask, takerFeeRate))
    }${takerFeeRate > 0 ? ", fee included" : ""}${offered(askUsd)}.`,
  )
}

/** `Yes at the ask of 0.67 gains 31.9 cents or loses 68.1 cents a share.` Null without an ask or a known fee. */
export function stakeFact(about: About, side: Side): NewFact | null {
  const stake = stakeOfSide(side)
  return stake === null ? null : factOf(
    "book",
    about.slug,
    phrase`${outcomeOf(about, side.outcome)} at the ask of ${price("ask", stake.ask)} gains ${
      cents("gain", stake.gain)
    } or loses ${cents("loss", stake.loss)} a share${offered(side.askUsd)}.`,
  )
}

/** What a share at the ask gains if it is paid, and loses if not, after the fee. */
export function stakeOfSide({ ask, takerFeeRate }: Side) {
  if (ask === null || takerFeeRate === null) return null
  const loss = breakEvenProbability(ask, takerFeeRate)
  return { ask, gain: 1 - loss, loss }
}

function offered(askUsd: number | null = null): Statement {
  return askUsd === null ? phrase`` : phrase`, ${usd("offered", askUsd)} offered`
}

/** The average price of a purchase; null where the book offers less than its size. */
interface Purchase {
  readonly usd: number
  readonly price: number | null
}

/** A purchase this near to the ask costs what the ask says. */
const slippageMin = 0.001

/** One side's average prices. */
interface Averages extends Pick<Side, "outcome" | "ask"> {
  readonly purchases: ReadonlyArray<Purchase>
  readonly offeredUsd: number
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
  const { outcome, ask, purchases, offeredUsd } = averages
  if (ask === null || !(offeredUsd > 0)) return null
  const side = outcomeOf(about, outcome)
  const known = purchases.flatMap(({ usd, price }) => price === null ? [] : [{ usd, price }])
  const last = known.at(-1)
  const words = isHeld && last !== undefined
    ? phrase`The ask of ${side} holds for ${usd("size", last.usd)}`
    : phrase`${side} costs on average ${
      joined(
        known.map(({ usd: size, price: average }, n) =>
          phrase`${rounded(`average${n + 1}`, average)} for ${usd(`size${n + 1}`, size)}`
        ),
        " and ",
      )
    }`
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

/** The distance of `Microstructure.impactUsd`. */
const impact = 0.05

/**
 * How much money moves the price by five cents. No order can be five cents from a price that near to 0
 * or 1, so there the fact has the sum of the orders.
 */
export function depthFact(about: About, book: Microstructure): NewFact {
  const { impactUsd: { up5c, down5c }, depthUsdWithin5c: { bid, ask }, mid, spread } = book
  const move = cents("change", impact)
  if (halfSteps(spread) >= 2 * halfSteps(impact)) {
    return factOf("book", about.slug, phrase`No order is less than ${move} from the book's middle.`)
  }
  const up = up5c !== null
    ? phrase`${usd("up", up5c)} of buying moves the price up ${move}`
    : halfSteps(mid) >= halfSteps(1 - impact)
    ? phrase`${usd("up", ask)} buys all that is offered`
    : phrase`the offers end less than ${move} higher, after ${usd("up", ask)}`
  const down = down5c !== null
    ? phrase`${usd("down", down5c)} of selling moves it down ${move}`
    : phrase`the bids end after ${usd("down", bid)}`
  return factOf("book", about.slug, phrase`${capitalised(up)}; ${down}.`)
}

/** The cost of buying the first outcome and selling it at once. */
export function tripFact(about: About, bid: number, shareOfStake: number): NewFact {
  return factOf(
    "book",
    about.slug,
    phrase`Selling at once, at the bid of ${price("bid", bid)}, costs ${
      rate("roundTrip", Math.round(shareOfStake * 1_000) / 1_000)
    } of the stake.`,
  )
}

export function noBookFact(about: About): NewFact {
  return factOf("book", about.slug, phrase`The market has no order book now.`)
}

function capitalised(statement: Statement): Statement {
  const { text } = statement
  return { ...statement, text: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` }
}
