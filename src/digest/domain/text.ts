/**
 * Turns the written page into the digest that is sold. Headings and bold markets are our own Markdown;
 * no other character of the text has a meaning in it (`readableName`).
 *
 * @module
 */
import {
  type Digest,
  digestLengths,
  type DigestPage,
  type DigestParagraph,
  type DigestSection,
  digestSections,
} from "./digest.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { quoted, readableName } from "../../core/domain/untrusted.ts"
import { type Fact, factRow } from "../../writing/domain/facts.ts"
import { markOf } from "../../writing/facts/fact.ts"
import { linesOf } from "../../writing/facts/lines.ts"
import type { FilledSlot, Sentence, Slot } from "../../writing/domain/page.ts"

/** The headings of the sections. */
export const digestHeadings: Readonly<Record<DigestSection, string>> = {
  repriced: "What repriced",
  whales: "Whale flows, read through calibration",
  predetermined: "Predetermined and resolved",
  context: "International context",
  watch: "What to watch",
}

/** The source name of wallet labels. */
const whaleSource = "Whale calibration table"

/** What the text is and who reads it, for a narrator. */
export const digestTask =
  `The digest of a service that watches a prediction market, published every four hours and paid for by programs and traders. Each paragraph is about one market, which its heading names; its first sentence says what can be decided: what changed there in the window, what a trade costs and pays now, which dated report came before or that none was found, what tracked wallets bought, what is proposed, and when it pays. The title names the most valuable finding with its numbers in at most ${digestLengths.title} characters; the summary is one sentence; the whole text has at most 800 words, in short sentences.`

/** All slots of the page in reading order. */
export function slotsOf({ sections, summary, title }: DigestPage): ReadonlyArray<Slot> {
  return [title, summary, ...paragraphsOf(sections).map(({ slot }) => slot)]
}

const paragraphsOf = (sections: DigestPage["sections"]): ReadonlyArray<DigestParagraph> =>
  digestSections.flatMap((section) => sections[section])

export interface DigestMetadata {
  /** When it was due; determines its id. */
  readonly slot: EpochMs
  readonly createdAt: EpochMs
  /** The author: a model's name, or `template`. */
  readonly narrator: string
  /** The source name of the venue. */
  readonly venue: string
  /** The page that says how digests are made; null for none. */
  readonly methodUrl: string | null
}

/** `filled`: the slots of the page with their published sentences; one that is missing stays as it is. */
export function digestOf(
  page: DigestPage,
  filled: ReadonlyArray<FilledSlot>,
  metadata: DigestMetadata,
): Digest {
  const { slot, createdAt, narrator, venue, methodUrl } = metadata
  const sentencesOf = ({ id, sentences }: Slot): ReadonlyArray<Sentence> =>
    filled.find((it) => it.id === id)?.sentences ?? sentences
  const title = titleSentenceOf(page, filled)
  const summary = sentencesOf(page.summary)
  const paragraphs = paragraphsOf(page.sections).map(({ market, slot }) => ({
    slug: market?.slug ?? null,
    marketId: market?.id ?? null,
    facts: [...new Set(sentencesOf(slot).flatMap(({ facts }) => facts))],
  }))
  const ids = new Set([
    ...title.facts,
    ...[...summary, ...paragraphs].flatMap(({ facts }) => facts),
  ])
  const used = page.facts.filter(({ id }) => ids.has(id))
  return {
    id: `digest-${isoTime(slot).slice(0, 13)}`,
    title: title.text,
    summary: cutSummary(summary),
    fullAnalysis: [
      ...digestSections.flatMap((section) => {
        const texts = page.sections[section].map((paragraph) =>
          markdownOf(paragraph, sentencesOf(paragraph.slot), page.facts)
        )
        return texts.length === 0 ? [] : [`## ${digestHeadings[section]}`, ...texts]
      }),
      ...methodUrl === null ? [] : [`[How digests are made](${methodUrl})`],
    ].join("\n\n"),
    sourcesUsed: [...new Set(used.flatMap((fact) => sourcesOf(fact, venue)))],
    createdAt: isoTime(createdAt),
    facts: used.map(factRow),
    paragraphs,
    narrator,
  }
}

/** The first sentence that states facts and fits, without its full stop; else the template's. */
function titleSentenceOf({ title }: DigestPage, filled: ReadonlyArray<FilledSlot>): Sentence {
  const [own] = title.sentences
  const found = filled.find(({ id }) => id === title.id)?.sentences.find(({ kind, text }) =>
    kind === "fact" && text.length <= digestLengths.title
  )
  const { facts, text } = found ?? own
  return { text: text.replace(/\.$/, ""), facts }
}

/** The leading sentences that fit; at least one. */
function cutSummary(sentences: ReadonlyArray<Sentence>): string {
  return sentences.map(({ text }) => text).reduce((summary, text) =>
    `${summary} ${text}`.length > digestLengths.summary ? summary : `${summary} ${text}`
  )
}

/** What stands before the facts of a list. */
const introductions: Readonly<Record<string, string>> = {
  moves: "Moved:",
  proposals: "Other doubted proposals:",
  ahead: "In the next 24 hours:",
  called: "Named before:",
}

/** A card is a heading with what can be decided, then its other facts, a line each; other facts are a list. */
function markdownOf(
  { mark, market, slot: { topic } }: DigestParagraph,
  sentences: ReadonlyArray<Sentence>,
  facts: ReadonlyArray<Fact>,
): string {
  const texts = sentences.map(({ text }) => text)
  if (market === null) {
    const start = introductions[topic]
    return start === undefined && (texts.length < 2 || topic === "coverage")
      ? texts.join(" ")
      : [...start === undefined ? [] : [start], ...texts.map((text) => `- ${text}`)].join("\n")
  }
  const [opening = ""] = texts
  // In quotation marks, because its name is a stranger's words.
  const title = `**${quoted(readableName(market.question))}**${markOf(market).text}`
  if (topic === "line") return `${title}${mark}: ${texts.join(" ")}`
  return [
    `${title}${mark}: ${opening}`,
    ...linesOf(sentences.slice(1), facts).map(({ label, text }) =>
      `- **${text.slice(0, label.length)}**${text.slice(label.length)}`
    ),
  ].join("\n")
}

function sourcesOf({ kind, values }: Fact, venue: string): ReadonlyArray<string> {
  const publisher = values["publisher"]
  if (kind === "news") return publisher?.type === "name" ? [publisher.text] : []
  if (kind === "predetermined" && publisher?.type === "name") return [venue, publisher.text]
  return values["label"] === undefined ? [venue] : [venue, whaleSource]
}
