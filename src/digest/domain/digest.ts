/**
 * The types of the digest: its page, and the digest on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import type { Estimate } from "../../writing/domain/estimate.ts"
import type { Fact } from "../../writing/domain/facts.ts"
import type { Market } from "../../markets/domain/market.ts"
import type { About } from "../../writing/facts/fact.ts"
import type { Slot } from "../../writing/domain/page.ts"
import { described, FactRow, text } from "../../core/domain/fields.ts"
import { hour, IsoTime, minute } from "../../core/domain/time.ts"

/** A digest is due at multiples of this since the epoch: at 00:00, 04:00, … UTC. */
export const digestEvery = 4 * hour
/** A digest older than this is not sold. */
export const digestAgeMax = digestEvery + 20 * minute
/** How long digests are kept: 42 of them. */
export const digestRetention = 42 * digestEvery

/** Characters: room for a question and a price move; a few sentences with names. */
export const digestLengths = { title: 280, summary: 1_200 } as const

/** The sections of the analysis, in order. */
export const digestSections = ["repriced", "whales", "predetermined", "context", "watch"] as const
export type DigestSection = typeof digestSections[number]

/** A paragraph, and the market that it is about; null where it is about none or several. */
export interface DigestParagraph {
  readonly market:
    | Pick<Market, "id" | "slug" | "eventKey" | "question" | "endsAt" | "gameStartsAt">
      & Pick<About, "mark">
    | null
  /** What the digest before said of this market; empty for no market, or no digest before. */
  readonly mark: string
  readonly slot: Slot
}

/** A probability that a digest states, to be scored a day later. */
export interface StatedNumber
  extends Pick<Market, "eventKey">, Pick<Estimate, "mid" | "probability"> {
  readonly marketId: Market["id"]
}

/** The template of a digest. */
export interface DigestPage {
  readonly stated: ReadonlyArray<StatedNumber>
  /** All that the digest states. */
  readonly facts: ReadonlyArray<Fact>
  readonly title: Slot
  readonly summary: Slot
  readonly sections: Readonly<Record<DigestSection, ReadonlyArray<DigestParagraph>>>
}

/** The digest on the wire. */
export const Digest = Schema.Struct({
  id: text("Identifies the digest by the hour it was due: digest-2026-11-02T08"),
  title: text("The strongest finding, with its figures"),
  summary: text("A few sentences that sum it up"),
  fullAnalysis: Schema.String.annotate({
    description:
      "Markdown, roughly 400 to 800 words, fewer when little happened; `paragraphs` says what each rests on",
  }),
  sourcesUsed: Schema.Array(Schema.String).annotate({
    description: "The sources of the cited facts that answered in the window of the digest",
  }),
  createdAt: described(IsoTime, "When the digest was written"),
  facts: described(Schema.Array(FactRow), "The facts that the digest cites"),
  paragraphs: described(
    Schema.Array(Schema.Struct({
      slug: described(
        Schema.NullOr(Schema.String),
        "The market that it is about; null for none or several",
      ),
      marketId: described(
        Schema.NullOr(Schema.String),
        "The venue's id of that market; null where slug is",
      ),
      facts: Schema.Array(Schema.String).annotate({
        description: "Ids of the facts that it states",
      }),
    })),
    "The paragraphs of fullAnalysis between its headings, in order",
  ),
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
