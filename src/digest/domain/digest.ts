/**
 * The types of the digest: its facts, its page, and the digest on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact } from "../../writing/domain/facts.ts"
import type { Slot } from "../../writing/domain/page.ts"
import { described, FactRow, text } from "../../core/domain/fields.ts"
import { type EpochMs, hour, IsoTime, minute } from "../../core/domain/time.ts"

/** A digest is due at multiples of this since the epoch: at 00:00, 04:00, … UTC. */
export const digestEvery = 4 * hour
/** A digest older than this is not sold. */
export const digestAgeMax = digestEvery + 20 * minute
/** How long digests are kept: 42 of them. */
export const digestRetention = 42 * digestEvery

/** The sections of the analysis, in order. */
export const digestSections = ["repriced", "whales", "predetermined", "context", "watch"] as const
export type DigestSection = typeof digestSections[number]

/**
 * What a fact states.
 *
 * - `coverage`: what was read. `gap`: what was not read, so that silence means nothing.
 * - `absence`: that nothing of a kind happened.
 * - `move`: a price move. `level`: where half of it is given back.
 *   `cost`: what it costs to trade there.
 * - `story`: news about the market that is the fact's subject. `unexplained`: moves without any.
 * - `ladder`, `sum`: prices of related markets that contradict one another. `implied`: a price that
 *   the proposal or the result of a related market implies.
 * - `entry`: what a tracked wallet bought. `calibration`: its record. `since`: the price after it.
 *   `flow`: several entries in one market. `entries`: totals.
 * - `reported`: a result in a headline, at a contested price. `finding`: a predetermined outcome. `proposal`: a contested proposal. `upheld`: how often such
 *   proposals were paid.
 * - `resolution`: how a market ended. `endings`: totals.
 * - `upcoming`: a market that resolves soon.
 */
export type DigestTopic =
  | "coverage"
  | "gap"
  | "absence"
  | "move"
  | "level"
  | "cost"
  | "story"
  | "unexplained"
  | "ladder"
  | "implied"
  | "sum"
  | "entry"
  | "calibration"
  | "since"
  | "flow"
  | "entries"
  | "reported"
  | "finding"
  | "proposal"
  | "upheld"
  | "resolution"
  | "endings"
  | "upcoming"

export interface DigestFact extends Fact {
  readonly topic: DigestTopic
  readonly section: DigestSection
  /**
   * The publisher; null when it is the venue or this service, or when it is not known whether it
   * answered in the window.
   */
  readonly source: string | null
}

/** Everything that a digest may say. */
export interface DigestBrief {
  readonly from: EpochMs
  readonly until: EpochMs
  /** The most important of each topic first. Never empty: coverage is always stated. */
  readonly facts: readonly [DigestFact, ...ReadonlyArray<DigestFact>]
}

/** A paragraph of the digest. */
export interface DigestSlot extends Slot {
  /** The name of the market or wallet that it is about, printed in bold in front of it. */
  readonly lead: string | null
}

/** The template of a digest. */
export interface DigestPage {
  readonly title: DigestSlot
  readonly summary: DigestSlot
  readonly sections: Readonly<Record<DigestSection, ReadonlyArray<DigestSlot>>>
}

/** The digest on the wire. */
export const Digest = Schema.Struct({
  id: text("Identifies the digest by the hour it was due: digest-2026-11-02T08"),
  title: text("The strongest finding, with its figures"),
  summary: text("A few sentences that sum it up"),
  fullAnalysis: Schema.String.annotate({
    description:
      "Markdown, roughly 400 to 800 words, fewer when little happened; paragraphs end with the ids of their facts",
  }),
  sourcesUsed: Schema.Array(Schema.String).annotate({
    description: "The sources of the cited facts that answered in the window of the digest",
  }),
  createdAt: described(IsoTime, "When the digest was written"),
  facts: described(Schema.Array(FactRow), "The facts that the digest cites"),
  narrator: Schema.String.annotate({ description: "Who wrote it: a model, or `template`" }),
}).annotate({
  identifier: "DigestData",
  description: "A text about the last four hours, with its facts",
})
export type Digest = typeof Digest.Type

/** No digest is fresh enough to be sold. `latestAt` is null before the first digest. */
export class DigestStale extends Schema.TaggedError<DigestStale>()("DigestStale", {
  latestAt: Schema.NullOr(IsoTime),
  retryAfterSeconds: Schema.Int,
}) {}
