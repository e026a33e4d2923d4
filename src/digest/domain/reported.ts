/**
 * The facts of a digest about results that headlines report while the price is contested. Such a result
 * is never certain: the venue has not resolved the market.
 *
 * @module
 */
import {
  count,
  factOf,
  headlineValue,
  labelValue,
  marketValue,
  type NewDigestFact,
  price,
  type Speller,
  time,
  type Values,
  word,
} from "./factBuilders.ts"
import type { DigestMaterial, DigestStory, QuotedMarket } from "./material.ts"
import { bearingWords } from "./stories.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { resultOf } from "../../news/domain/bearing.ts"
import { safeName } from "../../core/domain/untrusted.ts"

/** Reported results with a fact of their own. */
const reportedMax = 3

interface Report {
  readonly market: QuotedMarket["market"]
  readonly quote: NonNullable<QuotedMarket["quote"]>
  readonly story: DigestStory
}

/** Those of the most publishers first, then those of the most liquid markets. */
export function reportedFacts(material: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const found = material.quoted.flatMap((quoted) => reportOf(quoted, material))
  return found.toSorted((a, b) =>
    publishersOf(b.story) - publishersOf(a.story) ||
    b.market.liquidityUsd - a.market.liquidityUsd || (a.market.slug < b.market.slug ? -1 : 1)
  ).slice(0, reportedMax).map((report) => reportedFact(report, material))
}

/** The report of the most publishers; none where the venue knows a result, or a finding states one. */
function reportOf(
  { known, market, quote }: QuotedMarket,
  { predetermined, stories }: DigestMaterial,
): ReadonlyArray<Report> {
  if (quote === null || known !== null || convergenceOf(quote.mid) === "converged") return []
  if (predetermined.some(({ data }) => data.market.slug === market.slug)) return []
  const [story] = stories.filter((it) =>
    !it.corrected &&
    it.markets.some(({ slug, strength }) => slug === market.slug && strength === "direct") &&
    resultOf(it.title, market.question) !== null
  ).sort((a, b) =>
    publishersOf(b) - publishersOf(a) || a.firstAt - b.firstAt || (a.url < b.url ? -1 : 1)
  )
  return story === undefined ? [] : [{ market, quote, story }]
}

function publishersOf({ outlets, source }: DigestStory): number {
  return new Set([source, ...outlets.map((outlet) => outlet.source)]).size
}

function reportedFact(
  { market, quote, story }: Report,
  { from, until }: DigestMaterial,
): NewDigestFact {
  const publishers = publishersOf(story)
  const values: Values = {
    outlets: count(publishers, "outlet"),
    ...publishers === 1 ? {} : { several: word("several") },
    bearing: word(resultOf(story.title, market.question) ?? "unknown"),
    headline: headlineValue(story.title),
    publisher: labelValue(story.source),
    publishedAt: time(story.firstAt, until),
    market: marketValue(market),
    outcome: labelValue(market.outcomes[0]),
    price: price(quote.mid),
    ...quote.ask === null ? {} : { ask: price(quote.ask) },
  }
  return factOf(
    {
      ...{ kind: "predetermined", topic: "reported", section: "predetermined" },
      ...{ subject: market.slug, source: story.firstAt >= from ? safeName(story.source) : null },
    },
    values,
    (spell) => spell`On ${"market"}: ` + reportedWords(values, spell),
  )
}

/** Who reports it, the price now, and what to check. */
export function reportedWords(values: Values, spell: Speller): string {
  const ask = "ask" in values ? spell`, ask ${"ask"}` : ""
  return reporters(values, spell) +
    spell` a result: ${"headline"} (${"publisher"}, ${"publishedAt"}), whose words ` +
    `${bearingWords(values["bearing"])} ` + spell`${"outcome"}; ${"outcome"} is at ${"price"}` +
    ask +
    ". The venue has not resolved it; check the official result."
}

/** `2 outlets report`, or `Only 1 outlet reports`. */
export function reporters(values: Values, spell: Speller): string {
  return "several" in values ? spell`${"outlets"} report` : spell`Only ${"outlets"} reports`
}
