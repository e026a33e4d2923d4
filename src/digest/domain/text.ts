/**
 * From a draft to the digest that is sold: the whole check of the draft, and its Markdown.
 *
 * The Markdown is ours: headings, paragraphs and the ids of facts. Of a draft it takes plain text,
 * escaped.
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

/** Words of the analysis, without headings and ids. Both inclusive. */
export const analysisWords = { min: 400, max: 800 } as const
/** Characters: a question, an outcome and what they did. */
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

/** How the table of wallets is called where sources are named. */
const whaleSource = "Whale calibration table"

/** What the check has against a draft; empty when it may be published. */
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
      .map(({ where }) => `${where}: stands in the digest twice`),
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
  /** When it was due; names it. */
  readonly slot: EpochMs
  readonly createdAt: EpochMs
  /** Whose draft it is. */
  readonly narrator: string
  /** How the venue is called where sources are named. */
  readonly venue: string
}

/** A draft that passed the check, as it is sold. */
export function digestOf(draft: DigestDraft, brief: DigestBrief, making: DigestMetadata): Digest {
  const { slot, createdAt, narrator, venue } = making
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

/** The facts that some passage rests on, in the order of the brief. */
function usedFacts(draft: DigestDraft, brief: DigestBrief): ReadonlyArray<DigestFact> {
  const sections = digestSections.flatMap((section) => draft.sections[section])
  const ids = new Set([draft.title, draft.summary, ...sections].flatMap(({ facts }) => facts))
  return brief.facts.filter(({ id }) => ids.has(id))
}

/** Text that shows as it is, and the ids of its facts in brackets. */
function paragraph({ facts, text }: Passage): string {
  return `${escapedMarkdown(text)} ${escapedMarkdown(`[${[...new Set(facts)].join(", ")}]`)}`
}

function sourcesOf({ kind, source }: DigestFact, venue: string): ReadonlyArray<string> {
  if (kind === "method") return []
  if (kind === "whale_entry") return [venue, whaleSource]
  if (kind === "news") return source === null ? [] : [source]
  return source === null ? [venue] : [venue, source]
}
