/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import type { Estimate } from "../domain/estimate.ts"
import { hour } from "../../core/domain/time.ts"
import { listed, phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  count,
  duration,
  factOf,
  type NewFact,
  outcomeOf,
  part,
  rounded,
  unnamed,
  usd,
  word,
} from "./fact.ts"
import type { Trade } from "./view.ts"

/** What the record counts, by ingredient. */
const counted: Readonly<Partial<typeof reasons>> = {
  proposal: "doubted proposals",
  reports: "reported outcomes",
}

/** What moves the number from the market's price, by ingredient; after its record where that is counted. */
const reasons: Readonly<Record<Estimate["basis"][number]["ingredient"], string>> = {
  move: "the record of such moves",
  proposal: "were upheld",
  reports: "were paid, counted half at a doubting price",
  wallets: "the records of labelled wallets, shrunk for luck",
  ladder: "the prices of its event's other markets",
}

function reasonOf({ cases, ingredient, meanPrice, won }: Estimate["basis"][number], n: number) {
  const reason = word(`basis${n || ""}`, reasons[ingredient])
  if (cases === null || won === null) return phrase`${reason}`
  const noun = counted[ingredient] ?? "cases"
  const priced = meanPrice === null
    ? phrase``
    : phrase`, priced ${rounded("meanPrice", meanPrice)} on average,`
  return phrase`${part(`won${n}`, won)} ${count(`cases${n}`, cases, noun, noun)}${priced} ${reason}`
}

/** `Our fair price of Yes is 0.402 (0.357 to 0.448), the market's 0.365: the records of labelled wallets, shrunk for luck.` */
export function estimateFact(
  about: About,
  { basis, high, low, mid, probability }: Estimate,
  isDoubted: boolean = false,
): NewFact {
  const interval = low === null || high === null
    ? phrase``
    : phrase` (${rounded("low", low)} to ${rounded("high", high)})`
  return factOf(
    "method",
    about.slug,
    basis.length === 0
      ? phrase`${word("basis", "No view beyond the market's price")}${
        isDoubted ? ": no record of ours says more about this proposal" : ""
      }.`
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

/** Up to which price a view buys, what it gains, and when that is paid; none without a limit. */
export function tradeFacts(about: About, trade: Trade | null): ReadonlyArray<NewFact> {
  const fact = (statement: Statement) => factOf("method", about.slug, statement)
  if (trade === null) {
    return [fact(phrase`No trade: with the fee, neither ask is below our fair price.`)]
  }
  const { gainRangeUsd, gainUsd, isDisputable, limit, lockedMs, outcome, sizeUsd, stakeUsd } = trade
  const range = gainRangeUsd === null
    ? phrase``
    : phrase` (mean ${signedUsd("gainLow", gainRangeUsd[0])} to ${
      signedUsd("gainHigh", gainRangeUsd[1])
    })`
  return limit === null || sizeUsd === null ? [] : [
    fact(
      phrase`Pay at most ${rounded("limit", limit)} for ${outcomeOf(unnamed(about), outcome)}: ${
        usd("size", sizeUsd)
      } is offered up to there.`,
    ),
    fact(
      phrase`By our fair price, ${usd("stake", stakeUsd)} of ${outcomeOf(about, outcome)} gains ${
        usd("gainUsd", gainUsd)
      } on average after the fee${range}.`,
    ),
    ...lockedMs === null ? [] : [fact(
      phrase`It is paid in about ${duration("locked", Math.max(hour, lockedMs))}${
        isDisputable ? " if the proposal is upheld undisputed" : ""
      }.`,
    )],
  ]
}

/** `$261`, or `minus $51`; to the dollar. */
const signedUsd = (slot: string, of: number): Statement =>
  phrase`${Math.round(of) < 0 ? "minus " : ""}${usd(slot, Math.abs(of))}`
