/**
 * The prompt for a model that writes the digest, and the shape of its answer.
 *
 * @module
 */
import { Schema } from "effect"
import { isoTime } from "../../core/domain/time.ts"
import { ListOf, PassageAnswer, type Prompt, writingPrompt } from "../../writing/domain/prompt.ts"
import type { DigestBrief } from "./digest.ts"
import { analysisWords, passagesMax, summaryLengthMax, titleLengthMax } from "./text.ts"

const task =
  `You write the digest of a service that watches a prediction market. Your readers are programs and traders who pay for it: be exact, calm and short.
Sections: "repriced": which markets changed price, and what is known about the reason. "whales": what large wallets bought, and what their record is worth. "predetermined": questions that may already be decided. "context": news, coverage and what was not read. "watch": what is coming up.
"title": at most ${titleLengthMax} characters. "summary": two to four sentences, at most ${summaryLengthMax} characters. The passages of all sections together: from ${analysisWords.min} to ${analysisWords.max} words; aim at the middle. Each section has from one to ${passagesMax} passages, no two of them alike. "section" of a fact says where it belongs, "short" is another way to state it. If nothing happened in a section, say so in the words of a fact that says so.`

export function digestPrompt(
  { from, until, facts }: DigestBrief,
  complaints: ReadonlyArray<string>,
  boundary: string,
): Prompt {
  return writingPrompt({
    task,
    opening: `The facts of the time from ${isoTime(from)} to ${isoTime(until)}:`,
    facts,
    extraFields: ({ section, topic, short }) => ({ section, topic, short }),
    complaints,
    closing: "Write the digest.",
  }, boundary)
}

const Section = ListOf(PassageAnswer, passagesMax)

/** A `DigestDraft` in a model's answer. */
export const DigestAnswer = Schema.Struct({
  title: PassageAnswer,
  summary: PassageAnswer,
  sections: Schema.Struct({
    repriced: Section,
    whales: Section,
    predetermined: Section,
    context: Section,
    watch: Section,
  }),
})
