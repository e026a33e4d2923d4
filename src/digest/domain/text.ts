/**
 * Turns the written page into the digest that is sold. Headings, bold leads and fact ids are our own
 * Markdown; no other character of the text has a meaning in it (`readableName`).
 *
 * @module
 */
import {
  type Digest,
  type DigestBrief,
  type DigestFact,
  type DigestPage,
  type DigestSection,
  digestSections,
  type DigestSlot,
} from "./digest.ts"
import { digestLengths } from "./paragraphs/headline.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { FilledSlot, Sentence } from "../../writing/domain/page.ts"
import { spelled } from "../../writing/domain/values.ts"

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
  `The digest of a service that watches a prediction market, published every four hours and paid for by programs and traders. It says which markets changed price and which news came before, what tracked wallets bought and what their record is worth, which outcomes are proposed or reported, and what resolves next. The title names the strongest finding with its numbers in at most ${digestLengths.title} characters; the summary has two to four sentences; the whole text has 400 to 800 words.`

/** All slots of the page in reading order. */
export function slotsOf({ sections, summary, title }: DigestPage): ReadonlyArray<DigestSlot> {
  return [title, summary, ...digestSections.flatMap((section) => sections[section])]
}

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
  brief: DigestBrief,
  metadata: DigestMetadata,
): Digest {
  const { slot, createdAt, narrator, venue, methodUrl } = metadata
  const sentencesOf = ({ id, sentences }: DigestSlot): ReadonlyArray<Sentence> =>
    filled.find((it) => it.id === id)?.sentences ?? sentences
  const title = titleOf(page, filled)
  const summary = sentencesOf(page.summary)
  const cited = [
    title,
    ...summary,
    ...digestSections.flatMap((section) => page.sections[section].flatMap(sentencesOf)),
  ]
  const used = usedFacts(cited, brief)
  return {
    id: `digest-${isoTime(slot).slice(0, 13)}`,
    title: title.text,
    summary: cutSummary(summary),
    fullAnalysis: [
      ...digestSections.flatMap((section) => {
        const paragraphs = page.sections[section].map((it) => paragraph(it, sentencesOf(it)))
        return paragraphs.length === 0 ? [] : [`## ${digestHeadings[section]}`, ...paragraphs]
      }),
      ...methodUrl === null ? [] : [`[How digests are made](${methodUrl})`],
    ].join("\n\n"),
    sourcesUsed: [...new Set(used.flatMap((fact) => sourcesOf(fact, venue)))],
    createdAt: isoTime(createdAt),
    facts: used.map(({ id, statement }) => ({ id, statement })),
    narrator,
  }
}

/** The first sentence that states facts and fits, without its full stop; else the template's. */
function titleOf({ title }: DigestPage, filled: ReadonlyArray<FilledSlot>): Sentence {
  const [own] = title.sentences
  const found = filled.find(({ id }) => id === title.id)?.sentences.find(({ kind, text }) =>
    (kind === "fact" || kind === "template") && text.length <= digestLengths.title
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

/** The facts that the text cites, in the order of the brief. */
function usedFacts(
  cited: ReadonlyArray<Sentence>,
  { facts }: DigestBrief,
): ReadonlyArray<DigestFact> {
  const ids = new Set(cited.flatMap(({ facts }) => facts))
  return facts.filter(({ id }) => ids.has(id))
}

function paragraph({ lead }: DigestSlot, sentences: ReadonlyArray<Sentence>): string {
  const ids = [...new Set(sentences.flatMap(({ facts }) => facts))]
  const text = sentences.map(({ text }) => text).join(" ")
  // A lead is a question or a pseudonym, so a stranger's words: they stay in quotation marks.
  const name = lead === null ? "" : `**${spelled({ type: "name", text: lead })}** `
  return `${name}${text} (${ids.join(", ")})`
}

function sourcesOf({ kind, source, topic }: DigestFact, venue: string): ReadonlyArray<string> {
  if (topic === "calibration") return [venue, whaleSource]
  if (kind === "news") return source === null ? [] : [source]
  return source === null ? [venue] : [venue, source]
}
