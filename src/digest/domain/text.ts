/**
 * Turns the written page into the digest that is sold. Headings, bold markets and fact ids are our own
 * Markdown; no other character of the text has a meaning in it (`readableName`).
 *
 * @module
 */
import {
  type Digest,
  digestLengths,
  type DigestPage,
  type DigestSection,
  digestSections,
} from "./digest.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { quoted } from "../../core/domain/untrusted.ts"
import { type Fact, factRow } from "../../writing/domain/facts.ts"
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
  `The digest of a service that watches a prediction market, published every four hours and paid for by programs and traders. Each paragraph is about one market: what changed there in the window, what a trade costs and pays now, which dated report came before or that none was found, what tracked wallets bought, what is proposed, and when it pays. The title names the most valuable finding with its numbers in at most ${digestLengths.title} characters; the summary has two to four sentences; the whole text has at most 800 words, in short sentences.`

/** All slots of the page in reading order. */
export function slotsOf({ sections, summary, title }: DigestPage): ReadonlyArray<Slot> {
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
  metadata: DigestMetadata,
): Digest {
  const { slot, createdAt, narrator, venue, methodUrl } = metadata
  const sentencesOf = ({ id, sentences }: Slot): ReadonlyArray<Sentence> =>
    filled.find((it) => it.id === id)?.sentences ?? sentences
  const title = titleOf(page, filled)
  const summary = sentencesOf(page.summary)
  const body = digestSections.flatMap((section) => page.sections[section].flatMap(sentencesOf))
  const ids = new Set([title, ...summary, ...body].flatMap(({ facts }) => facts))
  const used = page.facts.filter(({ id }) => ids.has(id))
  return {
    id: `digest-${isoTime(slot).slice(0, 13)}`,
    title: title.text,
    summary: cutSummary(summary),
    fullAnalysis: [
      ...digestSections.flatMap((section) => {
        const paragraphs = page.sections[section].map((it) => paragraph(sentencesOf(it), page))
        return paragraphs.length === 0 ? [] : [`## ${digestHeadings[section]}`, ...paragraphs]
      }),
      ...methodUrl === null ? [] : [`[How digests are made](${methodUrl})`],
    ].join("\n\n"),
    sourcesUsed: [...new Set(used.flatMap((fact) => sourcesOf(fact, venue)))],
    createdAt: isoTime(createdAt),
    facts: used.map(factRow),
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

/** With the name of its market in bold, where it stands first; behind it the ids of facts and markets. */
function paragraph(sentences: ReadonlyArray<Sentence>, { facts, markets }: DigestPage): string {
  const ids = [...new Set(sentences.flatMap(({ facts }) => facts))]
  const cited = facts.filter(({ id }) => ids.includes(id))
  const text = sentences.map(({ text }) => text).join(" ")
  const market = cited.find(({ id }) => id === ids[0])?.values["market"]
  const name = market?.type === "name" ? quoted(market.text) : ""
  // A name is a stranger's words: it stays in quotation marks.
  const shown = name === "" ? text : text.replace(name, () => `**${name}**`)
  const about = [...new Set(cited.map(({ subject }) => subject ?? ""))]
    .map((slug) => [slug, markets.get(slug) ?? ""])
    .filter((names) => names.every((name) => plainId.test(name)))
    .map((names) => `; ${names.join(", ")}`)
  return `${shown} (${ids.join(", ")}${about.join("")})`
}

/** Without a character that has a meaning in Markdown. */
const plainId = /^[a-z\d]+(?:[_-]+[a-z\d]+)*$/i

function sourcesOf({ kind, values }: Fact, venue: string): ReadonlyArray<string> {
  const publisher = values["publisher"]
  if (kind === "news") return publisher?.type === "name" ? [publisher.text] : []
  if (kind === "predetermined" && publisher?.type === "name") return [venue, publisher.text]
  return values["label"] === undefined ? [venue] : [venue, whaleSource]
}
