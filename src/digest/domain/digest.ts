/**
 * The digest: what is written every four hours, the draft it is made of, and its shape on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact, Passage } from "../../writing/domain/facts.ts"
import { type EpochMs, hour, IsoTime, minute } from "../../core/domain/time.ts"

/** A digest is due at whole multiples of this since the epoch: at 00:00, 04:00, … UTC. */
export const digestEvery = 4 * hour
/** A digest older than this is not sold. */
export const digestAgeMax = digestEvery + 20 * minute
/** How long digests are kept: 42 of them. */
export const digestRetention = 42 * digestEvery

/** The sections of the analysis, in the order in which they stand. */
export const digestSections = ["repriced", "whales", "predetermined", "context", "watch"] as const
export type DigestSection = typeof digestSections[number]

/**
 * What a fact is to a digest. `coverage`: how much was looked at; `method`: how to read the rest;
 * `count`: sums over all that happened; `limit`: how much of that has no fact of its own; `flow`: what several wallets did in one market;
 * `related`: a headline that was found for a market of the digest.
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
  /** Where it belongs; a passage elsewhere may rest on it as well. */
  readonly section: DigestSection
  /** The statement without its details, as sound as that; for titles, summaries and long lists. */
  readonly short: string
  /** Who published it, by a name of `names`; null where it is the venue's, or our own. */
  readonly source: string | null
}

/** What a narrator is given: everything it may say. */
export interface DigestBrief {
  readonly from: EpochMs
  readonly until: EpochMs
  /** The most important of each kind first. Never empty: coverage is a fact, too. */
  readonly facts: readonly [DigestFact, ...ReadonlyArray<DigestFact>]
}

/** What a narrator gives back: plain text, no markup. */
export interface DigestDraft {
  readonly title: Passage
  readonly summary: Passage
  readonly sections: Readonly<Record<DigestSection, ReadonlyArray<Passage>>>
}

/** A digest as it is sold. */
export const Digest = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  summary: Schema.String,
  fullAnalysis: Schema.String.annotate({
    description: "Markdown, 400 to 800 words; each paragraph ends with the facts it rests on",
  }),
  sourcesUsed: Schema.Array(Schema.String),
  createdAt: IsoTime,
  /** What the analysis rests on. */
  facts: Schema.Array(Schema.Struct({ id: Schema.String, statement: Schema.String })),
  narrator: Schema.String.annotate({ description: "Who wrote it: a model, or `template`" }),
}).annotate({ identifier: "DigestData" })
export type Digest = typeof Digest.Type

/** No digest is young enough to be sold. `latestAt` is null before the first digest. */
export class DigestStale extends Schema.TaggedError<DigestStale>()("DigestStale", {
  latestAt: Schema.NullOr(IsoTime),
  retryAfterSeconds: Schema.Int,
}) {}
