/**
 * The types of a research report's text: its facts, the draft, and the errors.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact, FactKind, Passage } from "../../writing/domain/facts.ts"
import type { Statement } from "../../writing/domain/statement.ts"

/** In ascending order. */
export const confidences = ["low", "medium", "high"] as const
export type Confidence = typeof confidences[number]

/** The part of a report that a fact belongs to; `aside` for facts that no part has to state. */
export type ReportPart = "thesis" | "whales" | "risks" | "bottom" | "aside"

export interface ReportFact extends Fact {
  readonly part: ReportPart
}

/** A fact that has no id yet. */
export type NewReportFact = Omit<ReportFact, "id">

export function fact(
  part: ReportPart,
  kind: FactKind,
  { text: statement, ...spelled }: Statement,
  rest: Partial<Pick<ReportFact, "links" | "certain" | "subject" | "direction" | "negative">> = {},
): NewReportFact {
  const none = { subject: null, direction: null, negative: false, links: [], certain: false }
  return { part, kind, statement, ...spelled, ...none, ...rest }
}

/** Everything that a narrator may say about a market. */
export interface ReportBrief {
  /** The most important of each part first. */
  readonly facts: readonly [ReportFact, ...ReadonlyArray<ReportFact>]
  /** The highest confidence that the evidence allows. */
  readonly confidenceMax: Confidence
}

/** A narrator's draft: plain text, no markup. */
export interface ReportDraft {
  readonly thesis: Passage
  readonly whaleView: Passage
  readonly risks: ReadonlyArray<Passage>
  readonly confidence: Confidence
  readonly bottomLine: Passage
}

/** The slug is neither a market's nor that of an event with a live market. */
export class MarketNotFound extends Schema.TaggedError<MarketNotFound>()("MarketNotFound", {
  slug: Schema.String,
}) {}

/** The slug is that of an event with several live markets. */
export class MarketAmbiguous extends Schema.TaggedError<MarketAmbiguous>()("MarketAmbiguous", {
  slug: Schema.String,
  /** Slugs of its live markets, up to a limit. */
  markets: Schema.Array(Schema.String),
}) {}

/** The venue did not deliver the data that a report needs, or the report was not finished in time. */
export class VenueFailed extends Schema.TaggedError<VenueFailed>()("VenueFailed", {
  message: Schema.String,
}) {}

/** The venue was not asked for an unknown slug: this replica asked for too many in a minute. */
export class LookupsExhausted extends Schema.TaggedError<LookupsExhausted>()("LookupsExhausted", {
  retryAfterSeconds: Schema.Int,
}) {}
