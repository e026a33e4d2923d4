/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import type { Estimate } from "../domain/estimate.ts"
import { hour } from "../../core/domain/time.ts"
import { listed, phrase } from "../domain/statement.ts"
import {
  type About,
  count,
  duration,
  factOf,
  type NewFact,
  outcomeOf,
  part,
  rounded,
  signedCents,
  usd,
  word,
} from "./fact.ts"
import type { Trade } from "./view.ts"

/** What moves the number from the market's price, by ingredient. */
const reasons: Readonly<Record<Estimate["basis"][number]["ingredient"], string>> = {
  move: "what such moves did in the next day",
  proposal: "doubted proposals were upheld",
  reports: "reported outcomes were paid, of which half counts at a doubting price",
  wallets: "labelled wallets, at most one a side",
  ladder: "the prices of the other markets of its event",
}

function reasonOf({ cases, ingredient, shift, won }: Estimate["basis"][number], n: number) {
  const record = cases === null || won === null
    ? phrase``
    : phrase`${part(`won${n}`, won)} ${count(`cases${n}`, cases, "", "")}`
  return phrase`${record}${word(`basis${n || ""}`, reasons[ingredient])} (${
    shift < 0 ? "" : "plus "
  }${signedCents(`shift${n}`, shift)})`
}

/** `Our fair price of Yes is 0.402 (0.357 to 0.448), the market's 0.365: labelled wallets, at most one a side (plus 3.7 cents).` */
export function estimateFact(
  about: About,
  { basis, high, low, mid, probability }: Estimate,
): NewFact {
  const interval = low === null || high === null
    ? phrase``
    : phrase` (${rounded("low", low)} to ${rounded("high", high)})`
  return factOf(
    "method",
    about.slug,
    basis.length === 0
      ? phrase`${word("basis", "No view beyond the market's price")}.`
      : phrase`Our fair price of ${outcomeOf(about, 0)} is ${
        rounded("probability", probability)
      }${interval}, the market's ${rounded("price", mid)}: ${listed(basis.map(reasonOf))}.`,
  )
}

/** In place of a number: the record could not be read or written. */
export function noNumberFact(about: About): NewFact {
  return factOf("method", about.slug, phrase`Our own fair price could not be read.`)
}

/** Where its price is a day later in nine of ten cases; null where it will probably end before. */
export function rangeFact(about: About, { dayHigh, dayLow }: Estimate): NewFact | null {
  return dayLow === null || dayHigh === null ? null : factOf(
    "method",
    about.slug,
    phrase`By last week's changes, its price a day from now is between ${
      rounded("dayLow", dayLow)
    } and ${rounded("dayHigh", dayHigh)} in nine of ten cases.`,
  )
}

/** What a view comes to at the book, with the size that its gain is of; null without a limit. */
export function tradeFact(about: About, trade: Trade | null): NewFact | null {
  if (trade === null) {
    return factOf("method", about.slug, phrase`Neither side is offered cheaply enough for that.`)
  }
  const { gainUsd, isDisputable, limit, lockedMs, outcome, sizeUsd, stakeUsd } = trade
  const locked = lockedMs === null
    ? phrase``
    : phrase`, paid in about ${duration("locked", Math.max(hour, lockedMs))}${
      isDisputable ? " if the proposal is upheld undisputed" : ""
    }`
  return limit === null || sizeUsd === null ? null : factOf(
    "method",
    about.slug,
    phrase`Pay at most ${rounded("limit", limit)} for ${outcomeOf(about, outcome)}, fee included: ${
      usd("stake", stakeUsd)
    } now gains ${usd("gainUsd", gainUsd)} on average${locked}; ${
      usd("size", sizeUsd)
    } is offered up to there.`,
  )
}
