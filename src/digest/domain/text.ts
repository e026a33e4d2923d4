/**
 * Checks a draft, and turns it into the digest that is sold.
 *
 * Headings, paragraphs and fact ids are our own Markdown; the text of the draft is escaped.
 *
 * @module
 */
import {
  type Digest,
  type DigestBrief,
  type DigestDraft,
  type DigestFact,
  type DigestSection,
  digestSections,
} from "./digest.ts"
import { complaintOf, factsById, faultsOf, wordCount } from "../../writing/domain/factCheck.ts"
import type { Passage } from "../../writing/domain/facts.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { escapedMarkdown } from "../../core/domain/untrusted.ts"

/** Words of the analysis without headings and ids; both limits inclusive. */
export const analysisWords = { min: 400, max: 800 } as const
/** Characters: room for a question, an outcome and a price move. */
export const titleLengthMax = 220
/** Characters: a few sentences that name their markets. */
export const summaryLengthMax = 1_000
/** Paragraphs of one section. */
export const passagesMax = 10

const headings: Readonly<Record<DigestSection, string>> = {
  repriced: "What repriced",
  whales: "Whale flows, read through calibration",
  predetermined: "Predetermined and resolved",
  context: "International context",
  watch: "What to watch",
}

/** The source name of wallet labels. */
const whaleSource = "Whale calibration table"

/** The complaints about a draft; empty when it may be published. */
export function digestComplaints(draft: DigestDraft, brief: DigestBrief): ReadonlyArray<string> {
  const facts = factsById(brief.facts)
  const placed = digestSections.flatMap((section) =>
    draft.sections[section].map((passage, i) => ({ passage, where: `${section} ${i + 1}` }))
  )
  const all = [
    { passage: draft.title, where: "title" },
    { passage: draft.summary, where: "summary" },
    ...placed,
  ]
  return [
    ...lengthComplaints(draft),
    ...all.flatMap(({ passage, where }) =>
      faultsOf(passage, facts).map((fault) => complaintOf(fault, where))
    ),
    ...placed
      .filter(({ passage }, i) => placed.findIndex((it) => it.passage.text === passage.text) < i)
      .map(({ where }) => `${where}: repeats another passage of the digest`),
  ]
}

function lengthComplaints({ sections, summary, title }: DigestDraft): ReadonlyArray<string> {
  const words = digestSections
    .flatMap((section) => sections[section])
    .reduce((sum, { text }) => sum + wordCount(text), 0)
  const outside = words < analysisWords.min || words > analysisWords.max
  return [
    ...tooLong("title", title.text, titleLengthMax),
    ...tooLong("summary", summary.text, summaryLengthMax),
    ...(outside
      ? [`sections: ${words} words, not ${analysisWords.min} to ${analysisWords.max}`]
      : []),
    ...digestSections.flatMap((section) => {
      const { length } = sections[section]
      if (length === 0) return [`${section}: is empty`]
      return length > passagesMax ? [`${section}: has more than ${passagesMax} paragraphs`] : []
    }),
  ]
}

function tooLong(where: string, text: string, max: number): ReadonlyArray<string> {
  return text.length > max ? [`${where}: has more than ${max} characters`] : []
}

interface DigestMetadata {
  /** When it was due; determines its id. */
  readonly slot: EpochMs
  readonly createdAt: EpochMs
  /** The author of the draft: a model's name, or `template`. */
  readonly narrator: string
  /** The source name of the venue. */
  readonly venue: string
}

/** The digest of a draft that passed the check. */
export function digestOf(draft: DigestDraft, brief: DigestBrief, metadata: DigestMetadata): Digest {
  const { slot, createdAt, narrator, venue } = metadata
  const used = usedFacts(draft, brief)
  return {
    id: `digest-${isoTime(slot).slice(0, 13)}`,
    title: draft.title.text,
    summary: draft.summary.text,
    fullAnalysis: digestSections.map((section) => {
      const paragraphs = draft.sections[section].map(paragraph)
      return [`## ${headings[section]}`, ...paragraphs].join("\n\n")
    }).join("\n\n"),
    sourcesUsed: [...new Set(used.flatMap((fact) => sourcesOf(fact, venue)))],
    createdAt: isoTime(createdAt),
    facts: used.map(({ id, statement }) => ({ id, statement })),
    narrator,
  }
}

/** The facts that a passage cites, in the order of the brief. */
function usedFacts(draft: DigestDraft, brief: DigestBrief): ReadonlyArray<DigestFact> {
  const sections = digestSections.flatMap((section) => draft.sections[section])
  const ids = new Set([draft.title, draft.summary, ...sections].flatMap(({ facts }) => facts))
  return brief.facts.filter(({ id }) => ids.has(id))
}

/** The escaped text, followed by the ids of its facts in brackets. */
function paragraph({ facts, text }: Passage): string {
  return `${escapedMarkdown(text)} ${escapedMarkdown(`[${[...new Set(facts)].join(", ")}]`)}`
}

function sourcesOf({ kind, source }: DigestFact, venue: string): ReadonlyArray<string> {
  if (kind === "method") return []
  if (kind === "whale_entry") return [venue, whaleSource]
  if (kind === "news") return source === null ? [] : [source]
  return source === null ? [venue] : [venue, source]
}
