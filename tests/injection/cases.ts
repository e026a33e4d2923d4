/**
 * One payload in one place, and what the service publishes with a model that obeys the payload.
 *
 * @module
 */
import { Duration, Effect, Result } from "effect"
import {
  type DigestBrief,
  type DigestDraft,
  digestSections,
} from "../../src/digest/domain/digest.ts"
import { digestBrief } from "../../src/digest/domain/facts.ts"
import { templateDigest } from "../../src/digest/domain/template.ts"
import { digestComplaints, digestOf } from "../../src/digest/domain/text.ts"
import type { Fact, Passage } from "../../src/writing/domain/facts.ts"
import { judgeDetection, statementFacts } from "../../src/predetermined/domain/predetermined.ts"
import type { ReportBrief, ReportDraft } from "../../src/research/domain/report.ts"
import { reportBrief } from "../../src/research/domain/facts.ts"
import { templateReport } from "../../src/research/domain/template.ts"
import { reportComplaints } from "../../src/research/domain/text.ts"
import { safeName } from "../../src/core/domain/untrusted.ts"
import { Detector } from "../../src/predetermined/Detector.ts"
import { DigestNarrator } from "../../src/digest/DigestNarrator.ts"
import { ReportNarrator } from "../../src/research/ReportNarrator.ts"
import { writeChecked } from "../../src/writing/writing.ts"
import type { Behaviour } from "../support/writing/modelServer.ts"
import { obeys } from "./obeying.ts"
import { type Payload, payloads } from "./payloads.ts"
import {
  detectionQuestionWith,
  digestMaterialWith,
  type Place,
  places,
  reportMaterialWith,
} from "./world.ts"

export interface Case {
  readonly payload: Payload
  readonly place: Place
  /** Selects the first way in which the model obeys. */
  readonly seed: number
}

/** Every payload in every place. */
export const cases: ReadonlyArray<Case> = payloads.flatMap((payload, n) =>
  places.map((place, at) => ({ payload, place, seed: n + at }))
)

/** Whether the fact check runs. `naive` shows that the suite detects its absence. */
export type Checking = "checked" | "naive"

/** What was published, its facts, and its author. */
export interface Published {
  readonly by: string
  readonly passages: ReadonlyArray<Passage>
  readonly facts: ReadonlyArray<Fact>
  /** The Markdown of a digest; empty for other texts. */
  readonly markdown: string
}

/** Obeys the payload, even if it was truncated. */
export function obeying(
  { payload, seed }: Case,
  note: (found: boolean) => void,
): Behaviour {
  const start = safeName(payload.text, 40).replace(/…$/, "").trim()
  return obeys((text) => start !== "" && text.startsWith(start), seed, note)
}

export const briefOfDigest = ({ place, payload }: Pick<Case, "place" | "payload">): DigestBrief =>
  digestBrief(digestMaterialWith(place, payload.text))
export const briefOfReport = ({ place, payload }: Pick<Case, "place" | "payload">): ReportBrief =>
  reportBrief(reportMaterialWith(place, payload.text))

const within = Duration.minutes(5)

export const publishedDigest = Effect.fnUntraced(
  function* (brief: DigestBrief, checking: Checking) {
    const narrator = yield* DigestNarrator
    const { draft, narrator: by } = yield* writeChecked<DigestDraft>({
      text: "digest",
      narrator: narrator.name,
      requestDraft: (complaints) => narrator.write(brief, complaints),
      complaints: (draft) => checking === "checked" ? digestComplaints(draft, brief) : [],
      template: templateDigest(brief),
      within,
    })
    const sections = digestSections.flatMap((section) => draft.sections[section])
    const passages = [draft.title, draft.summary, ...sections]
    const making = { slot: 0, createdAt: 0, narrator: by, venue: "the venue" }
    const markdown = digestOf(draft, brief, making).fullAnalysis
    return { by, passages, facts: brief.facts, markdown }
  },
)

export const publishedReport = Effect.fnUntraced(
  function* (brief: ReportBrief, checking: Checking) {
    const narrator = yield* ReportNarrator
    const { draft, narrator: by } = yield* writeChecked<ReportDraft>({
      text: "report",
      narrator: narrator.name,
      requestDraft: (complaints) => narrator.write(brief, complaints),
      complaints: (draft) => checking === "checked" ? reportComplaints(draft, brief) : [],
      template: templateReport(brief),
      within,
    })
    const passages = [draft.thesis, draft.whaleView, ...draft.risks, draft.bottomLine]
    return { by, passages, facts: brief.facts, markdown: "" }
  },
)

/** The statement of an accepted detection as a passage with its facts; null when it was rejected. */
export const acceptedDetection = Effect.fnUntraced(function* (
  { place, payload }: Case,
  checking: Checking,
) {
  const question = detectionQuestionWith(place, payload.text)
  const detector = yield* Detector
  const answer = yield* detector.detect(question)
  const judged = Result.getOrNull(judgeDetection(question, answer))
  const accepted = checking === "checked" ? judged : {
    ...{ statement: answer.statement, evidence: question.evidence, confidence: answer.confidence },
    outcome: 0 as const,
  }
  if (accepted === null) return { question, published: null }
  const { market, now } = question
  const facts = statementFacts(market, accepted.outcome, accepted.evidence, now)
  const passages = [{ text: accepted.statement, facts: facts.map(({ id }) => id) }]
  return { question, published: { by: detector.name, passages, facts, markdown: "" }, accepted }
})
