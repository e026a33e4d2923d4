/**
 * A page of sentences: what a buyer reads. Each slot of the page holds the sentences of the template
 * until claims of a model replace them, one by one.
 *
 * @module
 */
import type { NewFact } from "../facts/fact.ts"
import type { Fact } from "./facts.ts"

/**
 * - `fact`: states what the cited facts say.
 * - `inference`: our reading of two facts or more; rendered by code as such.
 * - `watch`: what to watch next.
 */
export const claimKinds = ["fact", "inference", "watch"] as const
export type ClaimKind = typeof claimKinds[number]

/** One sentence and the facts it rests on. */
export interface Sentence {
  readonly text: string
  readonly facts: ReadonlyArray<string>
}

/** A value that code filled into a claim. */
export interface StatedValue {
  readonly fact: string
  /** As the claim and the fact's statement spell it. */
  readonly text: string
}

/** A sentence that a model proposes for a slot. Its text is filled: it has no open value. */
export interface Claim extends Sentence {
  readonly slot: string
  readonly kind: ClaimKind
  readonly values: ReadonlyArray<StatedValue>
}

/** One paragraph of a page. */
export interface Slot {
  /** `S1`, `S2`, …: unique in one page. */
  readonly id: string
  /** What it is about, for the narrator: `move`, `whales`, `risk`, … */
  readonly topic: string
  /** The sentences of the template, in order; each is true by construction. Never empty. */
  readonly sentences: readonly [Sentence, ...ReadonlyArray<Sentence>]
  /** Whether the sentences speak about the text itself (coverage, method) and not about markets. */
  readonly aboutItself: boolean
}

/** A sentence of the page that a buyer reads, and who wrote it. */
export interface FilledSentence extends Sentence {
  readonly kind: "template" | ClaimKind
}

/** A slot with the sentences that are published. Never empty when the slot was not. */
export interface FilledSlot {
  readonly id: string
  readonly topic: string
  readonly aboutItself: boolean
  readonly sentences: ReadonlyArray<FilledSentence>
}

/** Gives slots and facts their ids, in the order of the page. A fact that is stated twice has one. */
export function numbering() {
  const ids = new Map<NewFact, string>()
  const facts: Array<Fact> = []
  let slots = 0
  const sentenceOf = (fact: NewFact): Sentence => {
    const id = ids.get(fact) ?? `F${facts.length + 1}`
    if (!ids.has(fact)) facts.push({ id, ...fact })
    ids.set(fact, id)
    return { text: fact.statement, facts: [id] }
  }
  type Facts = readonly [NewFact, ...ReadonlyArray<NewFact>]
  const slot = (topic: string, [first, ...rest]: Facts, aboutItself = false): Slot => {
    const sentences = [sentenceOf(first), ...rest.map(sentenceOf)] as const
    return { id: `S${++slots}`, topic, sentences, aboutItself }
  }
  return { facts, slot }
}

/** Inference may be one word of so many. */
const inferenceShareMax = 1 / 3
/** Whole sentences need more words than the template's, which lean on those before them. */
const longerMax = 1.1

/**
 * The page with its accepted claims. In a slot its first sentence comes first, then the claims in their
 * order, then the sentences of the template that state a fact which no claim of the kind `fact` states. Without such a claim the
 * sentences of the template come first, so that a reading stands behind what it rests on.
 *
 * The last inferences are left out while they are more than a third of the words. They, and then the last
 * claims, are left out while the page has more words than both `wordsMax` and its template, and a tenth.
 */
export function fillSlots(
  slots: ReadonlyArray<Slot>,
  accepted: ReadonlyArray<Claim>,
  wordsMax: number = Number.POSITIVE_INFINITY,
): ReadonlyArray<FilledSlot> {
  const own = accepted.filter((claim) => slots.some(({ id }) => id === claim.slot))
  const filled = slots.map((slot) => filledSlot(slot, own.filter((it) => it.slot === slot.id)))
  const sentences = filled.flatMap((slot) => slot.sentences)
  const words = wordsOf(sentences)
  const inferences = wordsOf(sentences.filter(({ kind }) => kind === "inference"))
  const template = wordsOf(slots.flatMap((slot) => slot.sentences))
  const isLong = words > longerMax * Math.max(wordsMax, template)
  if (!isLong && inferences <= words * inferenceShareMax) return filled
  // The last inference, or without one (-1) the last claim.
  const left = own.findLastIndex(({ kind }) => kind === "inference")
  return fillSlots(slots, own.toSpliced(left, 1), wordsMax)
}

function filledSlot(slot: Slot, claims: ReadonlyArray<Claim>): FilledSlot {
  const { id, topic, aboutItself } = slot
  const stated = new Set(
    claims.filter(({ kind }) => kind === "fact").flatMap(({ facts }) => facts),
  )
  const kept = slot.sentences
    .filter(({ facts }) => facts.length === 0 || facts.some((fact) => !stated.has(fact)))
    .map((sentence): FilledSentence => ({ ...sentence, kind: "template" }))
  const written = claims.map((claim): FilledSentence => ({
    text: claim.kind === "inference" ? `Our reading: ${claim.text}` : claim.text,
    facts: claim.facts,
    kind: claim.kind,
  }))
  // What a slot opens with stays in front until a claim states it.
  const [first] = slot.sentences
  const opening = kept.filter(({ text }) => text === first.text)
  const rest = kept.filter((sentence) => !opening.includes(sentence))
  const sentences = stated.size > 0 ? [...opening, ...written, ...rest] : [...kept, ...written]
  return { id, topic, aboutItself, sentences }
}

function wordsOf(sentences: ReadonlyArray<Sentence>): number {
  return sentences.reduce((sum, { text }) => sum + wordCount(text), 0)
}

/** Runs of characters between spaces that have a letter or a digit. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
