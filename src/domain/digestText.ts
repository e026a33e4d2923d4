/**
 * From a draft to the digest that is sold: the whole check of the draft, and its Markdown.
 *
 * @module
 */
import { type Digest, type DigestBrief, type DigestDraft, digestSections } from "./digest.ts"
import { complaintOf, factsById, faultsOf } from "./factCheck.ts"
import type { Passage } from "./facts.ts"
import { type EpochMs, isoTime } from "./time.ts"
import { escapedMarkdown } from "./untrusted.ts"

/** What the check has against a draft; empty when it may be published. */
export function digestComplaints(draft: DigestDraft, brief: DigestBrief): ReadonlyArray<string> {
  const facts = factsById(brief.facts)
  const complaints = (passage: Passage, where: string) =>
    faultsOf(passage, facts).map((fault) => complaintOf(fault, where))
  return [
    ...complaints(draft.title, "title"),
    ...complaints(draft.summary, "summary"),
    ...digestSections.flatMap((section) =>
      draft.sections[section].flatMap((passage, i) => complaints(passage, `${section} ${i + 1}`))
    ),
  ]
}

export interface DigestMaking {
  /** When it was due; names it. */
  readonly slot: EpochMs
  readonly createdAt: EpochMs
  /** Whose draft it is. */
  readonly narrator: string
  /** How the venue is called where sources are named. */
  readonly venue: string
}

/** A checked draft as it is sold. */
export function digestOf(draft: DigestDraft, brief: DigestBrief, making: DigestMaking): Digest {
  const { slot, createdAt, narrator, venue } = making
  const passages = digestSections.flatMap((section) => draft.sections[section])
  return {
    id: `digest-${isoTime(slot).slice(0, 13)}`,
    title: draft.title.text,
    summary: draft.summary.text,
    fullAnalysis: passages.map(({ text }) => escapedMarkdown(text)).join("\n\n"),
    sourcesUsed: [venue],
    createdAt: isoTime(createdAt),
    facts: brief.facts.map(({ id, statement }) => ({ id, statement })),
    narrator,
  }
}
