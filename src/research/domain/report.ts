/**
 * The written part of a research report: what its narrator is given, the draft it gives back, and why
 * there may be no report.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact, FactKind, Passage } from "../../writing/domain/facts.ts"
import type { Statement } from "../../writing/domain/statement.ts"

/** From the least to the most. */
export const confidences = ["low", "medium", "high"] as const
export type Confidence = typeof confidences[number]

/** The part of a report that a fact belongs to; `aside` for what none has to say. */
export type ReportPart = "thesis" | "whales" | "risks" | "bottom" | "aside"

export interface ReportFact extends Fact {
  readonly part: ReportPart
}

/** A fact that has no number yet. */
export type NewReportFact = Omit<ReportFact, "id">

/** A fact of sentences. */
export function fact(
  part: ReportPart,
  kind: FactKind,
  said: Statement,
  rest: Partial<Pick<ReportFact, "links" | "certain">> = {},
): NewReportFact {
  const { text: statement, figures, names } = said
  return { part, kind, statement, figures, names, links: [], certain: false, ...rest }
}

/** What a narrator is given: everything it may say of one market. */
export interface ReportBrief {
  /** The most important of each part first. */
  readonly facts: readonly [ReportFact, ...ReadonlyArray<ReportFact>]
  /** The most confidence that the evidence allows. */
  readonly confidenceMax: Confidence
}

/** What a narrator gives back: plain text, no markup. */
export interface ReportDraft {
  readonly thesis: Passage
  readonly whaleView: Passage
  readonly risks: ReadonlyArray<Passage>
  readonly confidence: Confidence
  readonly bottomLine: Passage
}

/** No market, and no event with a live one, has this slug. */
export class MarketNotFound extends Schema.TaggedError<MarketNotFound>()("MarketNotFound", {
  slug: Schema.String,
}) {}

/** The slug is an event's that has several live markets: which one is meant? */
export class MarketAmbiguous extends Schema.TaggedError<MarketAmbiguous>()("MarketAmbiguous", {
  slug: Schema.String,
  /** Slugs of its live markets, at most as many as a message holds. */
  markets: Schema.Array(Schema.String),
}) {}

/** The venue did not give what the answer is made of. */
export class VenueFailed extends Schema.TaggedError<VenueFailed>()("VenueFailed", {
  message: Schema.String,
}) {}
