/**
 * How far the price of a market can be trusted, by rule; `Analysis.confidence` says what each word means.
 *
 * @module
 */
import { isDeep, isNarrow, volumeUsdMin } from "../../markets/domain/quality.ts"
import { phrase } from "../domain/statement.ts"
import { type About, factOf, type NewFact, word } from "./fact.ts"
import { isFilled, type MarketView, priceOfOutcome } from "./view.ts"

/** In ascending order. */
export const confidences = ["low", "medium", "high"] as const
export type Confidence = typeof confidences[number]

/** Null where it is medium: then nothing speaks for or against the price. */
export function confidenceFact(about: About, view: MarketView): NewFact | null {
  const { confidence, reason } = confidenceOf(view)
  return confidence === "medium" ? null : factOf(
    "method",
    about.slug,
    phrase`Confidence in this price is ${word("confidence", confidence)}: ${reason}.`,
  )
}

/** A price of a proposed or reported outcome from here on agrees with it. Inclusive. */
const agreedMin = 0.9

export function confidenceOf(
  view: MarketView,
): { readonly confidence: Confidence; readonly reason: string } {
  const { book, event: { contradictions, implied }, market, proposal, reported } = view
  if (market.status === "resolved") return { confidence: "high", reason: "the market is resolved" }
  const outcome = proposal?.outcome ?? reported?.outcome
  const agreed = outcome !== undefined && priceOfOutcome(view, outcome) >= agreedMin
  const faults: ReadonlyArray<readonly [boolean, string]> = [
    [market.status === "closed", "no more is traded"],
    [book === null, "there is no order book"],
    [book !== null && !isNarrow(book), "the spread is wide"],
    [book !== null && (!isDeep(book) || !isFilled(view)), "a side of the book is thin"],
    [market.volumeUsd < volumeUsdMin, "little was ever traded"],
    [market.mechanical !== null, "its question is one of a series about prices"],
    [implied !== null, "the end of another market implies another one here"],
    [contradictions.length > 0, "prices of its event contradict each other"],
    [proposal?.disputed === true, "the proposal is disputed"],
    [reported !== null && reported.outcome !== outcome, "a report contradicts the proposal"],
    [outcome !== undefined && !agreed, "the price doubts what is proposed or reported"],
  ]
  const reasons = faults.flatMap(([isFault, reason]) => isFault ? [reason] : [])
  return reasons.length > 0
    ? { confidence: "low", reason: reasons.slice(0, 2).join(", and ") }
    : agreed
    ? { confidence: "high", reason: "it agrees with what is proposed or reported" }
    : { confidence: "medium", reason: "" }
}
