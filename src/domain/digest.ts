/**
 * The digest: what is written every four hours, the draft it is made of, and its shape on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import type { Fact, Passage } from "./facts.ts"
import { type EpochMs, hour, IsoTime, minute } from "./time.ts"

/** A digest is due at whole multiples of this since the epoch: at 00:00, 04:00, … UTC. */
export const digestEvery = 4 * hour
/** A digest older than this is not sold. */
export const digestAgeMax = digestEvery + 20 * minute
/** How long digests are kept: 42 of them. */
export const digestKept = 42 * digestEvery

/**
 * What a fact is about, finer than its kind: what the facts of a digest are grouped by. `related`: a
 * headline found for a market of the digest; `count` and `flow`: sums over all of a kind.
 */
export type DigestTopic =
  | "coverage"
  | "method"
  | "count"
  | "rise"
  | "fall"
  | "flow"
  | "follow"
  | "fade"
  | "neutral"
  | "unlabelled"
  | "predetermined"
  | "resolution"
  | "related"
  | "headline"
  | "upcoming"

export interface DigestFact extends Fact {
  readonly topic: DigestTopic
}

/** What a narrator is given: everything it may say. */
export interface DigestBrief {
  readonly from: EpochMs
  readonly until: EpochMs
  /** The most important of each kind first. Never empty: coverage is a fact, too. */
  readonly facts: readonly [DigestFact, ...ReadonlyArray<DigestFact>]
}

/** The sections of the analysis, in the order in which they stand. */
export const digestSections = ["repriced", "whales", "predetermined", "context", "watch"] as const
export type DigestSection = typeof digestSections[number]

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
