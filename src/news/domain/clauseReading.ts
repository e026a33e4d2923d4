/**
 * What a model is asked about a market's rules: the parts that decide what pays, in the rules' own words.
 * Its answer is a claim, which code checks (`clauseOfAnswer`).
 *
 * @module
 */
import { Schema } from "effect"
import { rulesLengthMax } from "../../markets/domain/proposal.ts"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import { judgingPrompt, type Prompt, TextOf } from "../../writing/domain/prompt.ts"

/** Characters of a quotation. */
const quoteLengthMax = 400
const Quote = Schema.NullOr(TextOf(quoteLengthMax))

export const ClauseAnswer = Schema.Struct({
  source: Quote,
  series: Quote,
  deadline: Quote,
  comparison: Quote,
  rounding: Quote,
  revision: Quote,
  void: Quote,
})

const task =
  `You read the rules of a prediction market for traders who lose money on what they overlook. The data is its question and its rules. Quote each part from the rules, letter by letter, within one sentence, as short as is complete; null when the rules do not state it, state two, or you are not sure.
"source": who or what decides, the first choice only. "series": the one station, pair, column or series that is measured. "deadline": the end of what counts, with date, time and zone. "comparison": the comparison with the question's threshold for the first outcome: "equal to or above 60". "rounding": precision or rounding of the measured value. "revision": what a later revision of the source changes. "void": what happens when it is cancelled, tied or never decided.`

export function clausePrompt(question: string, rules: string, boundary: string): Prompt {
  return judgingPrompt({
    task,
    opening: "The question and the rules:",
    data: [{ question: safeName(question), rules: excerpt(rules, rulesLengthMax) }],
    closing: "Quote the parts.",
  }, boundary)
}
