/**
 * Pairs of questions of one event, each judged by a person: which question implies the other. The
 * wordings are those of real listings, the names are invented.
 *
 * @module
 */
import ladders from "../../../fixtures/labelled/ladders.json" with { type: "json" }

/** `first`: the first question implies the second. `none`: neither implies the other. */
export type Judged = "first" | "second" | "none"

export interface QuestionPair {
  readonly questions: readonly [string, string]
  readonly implies: Judged
  readonly outcomes: readonly [readonly [string, string], readonly [string, string]]
}

/** Times of every market of the fixture: a date without a year is in 2026. */
export const times = {
  createdAt: Date.UTC(2026, 0, 1),
  endsAt: Date.UTC(2026, 11, 31),
  rulesDates: [],
}

const yesNo = ["Yes", "No"] as const

export const questionPairs = ladders.map((pair) => ({
  outcomes: [yesNo, yesNo],
  ...pair,
})) as unknown as ReadonlyArray<QuestionPair>
