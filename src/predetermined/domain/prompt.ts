/**
 * The prompt for a model that judges whether an outcome is already known, and the schema of its answer.
 *
 * @module
 */
import { Schema } from "effect"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { excerpt, safeName } from "../../core/domain/untrusted.ts"
import {
  challengeWindowMs,
  type Proposal,
  proposalWords,
  rulesLengthMax,
} from "../../markets/domain/proposal.ts"
import { judgingPrompt, ListOf, type Prompt, TextOf } from "../../writing/domain/prompt.ts"
import { type DetectionQuestion, siblingsMax } from "./detection.ts"

/** Pieces of evidence in a prompt and in an answer. */
const evidenceMax = 20
/** Characters in an answer. */
const outcomeLengthMax = 200
const sentenceLengthMax = 300

const task =
  `You judge whether the outcome of a prediction market's question is already decided by something that has happened, though the market is still open. You are shown the question, its outcomes, its rules, the other markets of its event and numbered pieces of evidence.
A piece of evidence counts only if it reports a completed event and is about this very question: the same month, day, place, number, level, stage and both sides of the match, and published after the event began. An expectation, a forecast, a poll, a rumour, a price, or words in the question or the rules are no evidence. Evidence that another outcome of the same event has won decides this question for its contrary outcome. A plain denial in a final report ("does not win, final count shows") is evidence too; that something has not happened yet is none while there is time left.
If pieces of evidence contradict each other, or one corrects or denies a report, the outcome is not determined. News alone needs two independent texts of different publishers; copies of one text count once.
"determined": true only if the evidence itself says that the outcome is decided. "outcome": the outcome spelled exactly as among the outcomes, or null. "confidence": high only if the evidence leaves no doubt. "evidence": the ids of all pieces of evidence that support the answer. "decisiveWords": the words that decide the question, copied letter by letter from one title among them; empty when not determined.
When in doubt: determined false, outcome null, confidence low, evidence and decisiveWords empty.`

export function detectionPrompt(question: DetectionQuestion, boundary: string): Prompt {
  const { market, siblings, evidence, now, proposal } = question
  const data = {
    question: safeName(market.question),
    outcomes: market.outcomes.map((outcome) => safeName(outcome)),
    rules: excerpt(question.rules, rulesLengthMax),
    scheduledEnd: market.endsAt === null ? null : isoTime(market.endsAt),
    gameStarts: market.gameStartsAt === null ? null : isoTime(market.gameStartsAt),
    otherMarketsOfTheEvent: siblings.slice(0, siblingsMax).map(({ question }) =>
      safeName(question)
    ),
    proposal: proposal === null ? null : proposalData(market.outcomes, proposal, now),
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

/** The proposal with its challenge times. */
function proposalData(outcomes: readonly [string, string], proposal: Proposal, now: EpochMs) {
  const { proposedAt, settlesAt, disputed } = proposal
  return {
    outcome: safeName(outcomes[proposal.outcome]),
    state: proposalWords(proposal, now),
    proposedAt: isoTime(proposedAt),
    canBeChallengedUntil: isoTime(settlesAt ?? proposedAt + challengeWindowMs),
    challengedBefore: disputed,
  }
}

/** The schema of a `Detection`, with length limits. */
export const DetectionAnswer = Schema.Struct({
  determined: Schema.Boolean,
  outcome: Schema.NullOr(TextOf(outcomeLengthMax)),
  confidence: Schema.Literals(["low", "medium", "high"]),
  evidence: ListOf(Schema.String.check(Schema.isPattern(/^E[0-9]{1,4}$/)), evidenceMax),
  decisiveWords: TextOf(sentenceLengthMax),
})
