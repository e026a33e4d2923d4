/**
 * The prompt for a model that judges whether an outcome is already known, and the schema of its answer.
 *
 * @module
 */
import { Schema } from "effect"
import { isoTime } from "../../core/domain/time.ts"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import { rulesLengthMax } from "../../markets/domain/proposal.ts"
import { judgingPrompt, ListOf, type Prompt, TextOf } from "../../writing/domain/prompt.ts"
import type { DetectionQuestion } from "./detection.ts"

/** Pieces of evidence in a prompt and in an answer. */
const evidenceMax = 20
/** Characters in an answer. */
const outcomeLengthMax = 200
const sentenceLengthMax = 300

const task =
  `You judge whether the outcome of a prediction market's question already exists: whether it is decided by something that has happened, though the market is still open. You are shown the question, its outcomes, its rules and numbered pieces of evidence.
"determined": true only if the evidence itself says that the outcome exists; an expectation, a forecast, a rumour, a price, or words in the question or the rules are no evidence. "outcome": the outcome spelled exactly as among the outcomes, or null. "confidence": high only if the evidence leaves no doubt. "evidence": the ids of the pieces of evidence that support the answer. "statement": one sentence of plain lower case words that says what the evidence says, without links and without figures; it must repeat the outcome; the question, an outcome, a title or a source may be repeated only whole and between the marks \u201c and \u201d.
When in doubt: determined false, outcome null, confidence low, evidence empty.`

export function detectionPrompt(question: DetectionQuestion, boundary: string): Prompt {
  const { market, evidence, now, proposal } = question
  const data = {
    question: safeName(market.question),
    outcomes: market.outcomes.map((outcome) => safeName(outcome)),
    rules: excerpt(question.rules, rulesLengthMax),
    scheduledEnd: market.endsAt === null ? null : isoTime(market.endsAt),
    proposed: proposal === null ? null : {
      outcome: safeName(market.outcomes[proposal.outcome]),
      disputed: proposal.disputed,
    },
    now: isoTime(now),
  }
  const pieces = evidence.slice(0, evidenceMax).map((piece) => ({
    id: piece.id,
    kind: piece.kind,
    title: safeName(piece.title),
    source: safeName(piece.source),
    publishedAt: isoTime(piece.publishedAt),
  }))
  return judgingPrompt({
    task,
    opening: "The question on the first line, the evidence on the others:",
    data: [data, ...pieces],
    closing: "Judge.",
  }, boundary)
}

/** The schema of a `Detection`, with length limits. */
export const DetectionAnswer = Schema.Struct({
  determined: Schema.Boolean,
  outcome: Schema.NullOr(TextOf(outcomeLengthMax)),
  statement: TextOf(sentenceLengthMax),
  confidence: Schema.Literals(["low", "medium", "high"]),
  evidence: ListOf(Schema.String.check(Schema.isPattern(/^E[0-9]{1,4}$/)), evidenceMax),
})
