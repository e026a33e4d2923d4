/**
 * The reasons why there is no research report.
 *
 * @module
 */
import { Schema } from "effect"

/** The slug is neither a market's nor that of an event with a live market. */
export class MarketNotFound extends Schema.TaggedError<MarketNotFound>()("MarketNotFound", {
  slug: Schema.String,
  /** Slugs that were probably meant. */
  near: Schema.Array(Schema.String),
}) {}

const nearMax = 3
const wordsOf = (slug: string) => new Set(slug.toLowerCase().split(/[^a-z0-9]+/))

/**
 * The slugs that were probably meant by an unknown one, the nearest first: they have half or more of
 * its words, where a word counts by its rarity.
 */
export function nearSlugs(slug: string, known: ReadonlyArray<string>): ReadonlyArray<string> {
  const asked = [...wordsOf(slug)]
  const all = known.map((slug) => ({ slug, words: wordsOf(slug) }))
  const weights = asked.map((word) =>
    Math.log(1 + known.length / Math.max(1, all.filter(({ words }) => words.has(word)).length))
  )
  const sum = (words: (word: string) => boolean) =>
    asked.reduce((total, word, at) => total + (words(word) ? weights[at] ?? 0 : 0), 0)
  const half = sum(() => true) / 2
  return all.map(({ slug, words }) => ({ slug, shared: sum((word) => words.has(word)) }))
    .filter(({ shared }) => shared >= half)
    .toSorted((a, b) => b.shared - a.shared || a.slug.length - b.slug.length)
    .slice(0, nearMax).map(({ slug }) => slug)
}

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
  /** True when one client, or one IPv6 /48, asked for its part of them. */
  ofClient: Schema.Boolean,
  retryAfterSeconds: Schema.Int,
}) {}
