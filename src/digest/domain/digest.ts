/**
 * The types of the digest: its facts, the draft, and the digest on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact, Passage } from "../../writing/domain/facts.ts"
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
 * What a fact is about.
 *
 * - `coverage`: what was read.
 * - `method`: how to read the digest.
 * - `count`: totals.
 * - `limit`: how many things have no fact of their own.
 * - `flow`: several entries in one market.
 * - `related`: a headline that matches a market of the digest.
 */
export type DigestTopic =
  | "coverage"
  | "method"
  | "count"
  | "limit"
  | "rise"
  | "fall"
  | "flow"
  | "entry"
  | "predetermined"
  | "resolution"
  | "related"
  | "headline"
  | "upcoming"

export interface DigestFact extends Fact {
  readonly topic: DigestTopic
  /** Its own section; passages of other sections may cite it too. */
  readonly section: DigestSection
  /** The statement without details, for titles, summaries and long lists. It passes the check too. */
  readonly short: string
  /**
   * The publisher, one of `names`; null when it is the venue or this service, or when it is not known
   * whether it answered in the window.
   */
  readonly source: string | null
}

/** Everything that a narrator may say. */
export interface DigestBrief {
  readonly from: EpochMs
  readonly until: EpochMs
  /** The most important of each kind first. Never empty: coverage is always stated. */
  readonly facts: readonly [DigestFact, ...ReadonlyArray<DigestFact>]
}

/** A narrator's draft: plain text, no markup. */
export interface DigestDraft {
  readonly title: Passage
  readonly summary: Passage
  readonly sections: Readonly<Record<DigestSection, ReadonlyArray<Passage>>>
}

/** The digest on the wire. */
export const Digest = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  summary: Schema.String,
  fullAnalysis: Schema.String.annotate({
    description: "Markdown, 400 to 800 words; each paragraph ends with the ids of its facts",
  }),
  sourcesUsed: Schema.Array(Schema.String).annotate({
    description: "The sources of the cited facts that answered in the window of the digest",
  }),
  createdAt: IsoTime,
  /** The facts that the digest cites. */
  facts: Schema.Array(Schema.Struct({ id: Schema.String, statement: Schema.String })),
  narrator: Schema.String.annotate({ description: "Who wrote it: a model, or `template`" }),
}).annotate({ identifier: "DigestData" })
export type Digest = typeof Digest.Type

/** No digest is fresh enough to be sold. `latestAt` is null before the first digest. */
export class DigestStale extends Schema.TaggedError<DigestStale>()("DigestStale", {
  latestAt: Schema.NullOr(IsoTime),
  retryAfterSeconds: Schema.Int,
}) {}
