/**
 * The prompt for a model that writes a report, and the shape of its answer.
 *
 * @module
 */
import { Schema } from "effect"
import { ListOf, PassageAnswer, type Prompt, writingPrompt } from "../../writing/domain/prompt.ts"
import { confidences, type ReportBrief } from "./report.ts"
import { risksMax } from "./text.ts"

const task =
  `You write a research report on one market of a prediction market. Your reader has paid for it: be exact, calm and short.
"thesis": what the price did and what speaks for or against it. "whaleView": what tracked wallets bought, and what their record is worth. "risks": from one to ${risksMax}, each a passage of its own. "bottomLine": one or two sentences. "part" of a fact says where it belongs. "confidence": how strong the evidence is, at most the highest confidence allowed. Passages have at most 120 words.`

export function reportPrompt(
  { facts, confidenceMax }: ReportBrief,
  complaints: ReadonlyArray<string>,
  boundary: string,
): Prompt {
  return writingPrompt({
    task,
    opening: "The facts of the market:",
    facts,
    extraFields: ({ part }) => ({ part }),
    complaints,
    closing: `Write the report. The highest confidence allowed: ${confidenceMax}.`,
  }, boundary)
}

/** A `ReportDraft` in a model's answer. */
export const ReportAnswer = Schema.Struct({
  thesis: PassageAnswer,
  whaleView: PassageAnswer,
  risks: ListOf(PassageAnswer, risksMax),
  confidence: Schema.Literals(confidences),
  bottomLine: PassageAnswer,
})
