/**
 * One attack in one place: what the service makes of it, with a model that obeys the attacker.
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
  /** Which way the obeying model begins with. */
  readonly seed: number
}

/** Every payload in every place. */
export const cases: ReadonlyArray<Case> = payloads.flatMap((payload, n) =>
  places.map((place, at) => ({ payload, place, seed: n + at }))
)

/** Whether the check stands between the model and the buyer, as it does, or does not. */
export type Wall = "checked" | "naive"

/** What was published, the facts it may rest on, and whose it is. */
export interface Published {
  readonly by: string
  readonly passages: ReadonlyArray<Passage>
  readonly facts: ReadonlyArray<Fact>
  /** What is sold as Markdown; empty where nothing is. */
  readonly markdown: string
}

/** Obeys this payload, however it was cut. */
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

export const publishedDigest = Effect.fnUntraced(function* (brief: DigestBrief, wall: Wall) {
  const narrator = yield* DigestNarrator
  const { draft, narrator: by } = yield* writeChecked<DigestDraft>({
    text: "digest",
    narrator: narrator.name,
    requestDraft: (complaints) => narrator.write(brief, complaints),
    complaints: (draft) => wall === "checked" ? digestComplaints(draft, brief) : [],
    template: templateDigest(brief),
    within,
  })
  const sections = digestSections.flatMap((section) => draft.sections[section])
  const passages = [draft.title, draft.summary, ...sections]
  const making = { slot: 0, createdAt: 0, narrator: by, venue: "the venue" }
  const markdown = digestOf(draft, brief, making).fullAnalysis
  return { by, passages, facts: brief.facts, markdown }
})

export const publishedReport = Effect.fnUntraced(function* (brief: ReportBrief, wall: Wall) {
  const narrator = yield* ReportNarrator
  const { draft, narrator: by } = yield* writeChecked<ReportDraft>({
    text: "report",
    narrator: narrator.name,
    requestDraft: (complaints) => narrator.write(brief, complaints),
    complaints: (draft) => wall === "checked" ? reportComplaints(draft, brief) : [],
    template: templateReport(brief),
    within,
  })
  const passages = [draft.thesis, draft.whaleView, ...draft.risks, draft.bottomLine]
  return { by, passages, facts: brief.facts, markdown: "" }
})

/** The statement of an item as a passage, and what it may say; null when nothing was believed. */
export const acceptedDetection = Effect.fnUntraced(function* (
  { place, payload }: Case,
  wall: Wall,
) {
  const question = detectionQuestionWith(place, payload.text)
  const detector = yield* Detector
  const said = yield* detector.detect(question)
  const judged = Result.getOrNull(judgeDetection(question, said))
  const accepted = wall === "checked" ? judged : {
    ...{ statement: said.statement, evidence: question.evidence, confidence: said.confidence },
    outcome: 0 as const,
  }
  if (accepted === null) return { question, published: null }
  const facts = statementFacts(question.market, accepted.outcome, accepted.evidence)
  const passages = [{ text: accepted.statement, facts: facts.map(({ id }) => id) }]
  return { question, published: { by: detector.name, passages, facts, markdown: "" }, accepted }
})
