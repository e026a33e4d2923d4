/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import type { PriceBounds } from "../../markets/domain/ladders.ts"
import { joined, phrase } from "../domain/statement.ts"
import { type About, factOf, type NewFact, outcomeOf, rate, rounded, usd, word } from "./fact.ts"
import { type Side, stakeOfSide } from "./quotes.ts"

/** A computed probability of the first outcome. */
interface StatedNumber {
  readonly probability: number
  /** The market's own. */
  readonly mid: number
  /** Where nine of ten prices are a day later; null when the market will probably end before. */
  readonly low: number | null
  readonly high: number | null
  /** What moved it from the market's price, as ends of a sentence; empty for no view beyond it. */
  readonly reasons: ReadonlyArray<string>
  /** Why there is no view, as the end of a sentence; null for nothing to say. */
  readonly caveat: string | null
}

/** The number, next to the market's, with its interval and what it rests on. */
export function estimateFact(about: About, number: StatedNumber): NewFact {
  const { probability, mid, low, high, reasons, caveat } = number
  const side = outcomeOf(about, 0)
  const interval = low === null || high === null
    ? phrase``
    : phrase` (nine of ten prices a day later: ${rate("low", thousandths(low))} to ${
      rate("high", thousandths(high))
    })`
  const stated = rate("probability", thousandths(probability))
  return factOf(
    "method",
    about.slug,
    reasons.length === 0
      ? phrase`Our chance of ${side} is the market's own, ${stated}${interval}: ${
        word("basis", "no view beyond the market")
      }${caveat === null ? "" : `, as ${caveat}`}.`
      : phrase`Our chance of ${side} is ${stated}${interval}, the market's ${
        rate("price", thousandths(mid))
      }: ${word("basis", reasons.join(" and "))}.`,
  )
}

/** In place of a number: the record could not be read or written. */
export function noNumberFact(about: About): NewFact {
  return factOf("method", about.slug, phrase`Our own chance of an outcome could not be read.`)
}

/** One side of a market at the stated number. */
interface SideLimit {
  readonly outcome: 0 | 1
  /** The highest price that breaks even at the number, fee included. */
  readonly limit: number | null
  /** What the book offers at that price or less, USD. */
  readonly sizeUsd: number | null
}

/**
 * What the number comes to at the book, or null where a limit is not known: `No trade: at our number Yes
 * is worth at most 0.571 and No 0.409 after the fee, and neither is offered so low.`
 */
export function verdictFact(
  about: About,
  sides: readonly [SideLimit, SideLimit],
): NewFact | null {
  const known = sides.flatMap(({ outcome, limit, sizeUsd }) =>
    limit === null || sizeUsd === null ? [] : [{ outcome, limit, sizeUsd }]
  )
  if (known.length < sides.length) return null
  const worth = known.map(({ outcome, limit }) =>
    phrase`${outcomeOf(about, outcome, `outcome${outcome + 1}`)} ${
      outcome === 0 ? phrase`is worth at most ` : phrase``
    }${rounded(`limit${outcome + 1}`, limit)}`
  )
  const offered = known.find(({ sizeUsd }) => sizeUsd > 0)
  return factOf(
    "method",
    about.slug,
    offered === undefined
      ? phrase`No trade: at our number ${
        joined(worth, " and ")
      } after the fee, and neither is offered so low.`
      : phrase`Trade at our number: ${outcomeOf(about, offered.outcome)} up to ${
        rounded("limit", offered.limit)
      }, where it breaks even after the fee; the book offers ${
        usd("size", offered.sizeUsd)
      } up to there.`,
  )
}

/** Where two rungs gain together: one of them alone is no view. */
export function pairVerdictFact(about: About, costUsd: number): NewFact {
  return factOf(
    "method",
    about.slug,
    phrase`The trade is the pair, for at most ${
      usd("size", costUsd)
    } at its quotes; either leg alone is no view.`,
  )
}

/** Where reports decide: what they must be worth for the ask, and what turns the verdict. */
export function decidedVerdictFact(about: About, side: Side): NewFact | null {
  const stake = stakeOfSide(side)
  return stake === null ? null : factOf(
    "method",
    about.slug,
    phrase`Reports decide it for ${
      outcomeOf(about, side.outcome)
    }: its ask pays if such reports are right in over ${
      rate("breakEven", stake.loss)
    } of cases. A correction, or a proposal of ${
      outcomeOf(about, side.outcome === 0 ? 1 : 0, "outcome2")
    }, would flip that.`,
  )
}

/** Bounds of a ladder that are too far from the price to be believed. */
export function distantFact(about: About, { low, high }: PriceBounds): NewFact {
  return factOf(
    "relation",
    about.slug,
    phrase`The quotes of its ladder leave ${rate("low", thousandths(low))} to ${
      rate("high", thousandths(high))
    }, too far from the price for a view.`,
  )
}

const thousandths = (rate: number): number => Math.round(rate * 1_000) / 1_000
