/**
 * Builds the facts of a digest from typed values. A statement spells the values by their slot names, so
 * that a fact states exactly its values.
 *
 * @module
 */
import type { DigestFact } from "./digest.ts"
import { readableName } from "../../core/domain/untrusted.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { spelled, type Value } from "../../writing/domain/values.ts"

/** A fact that has no id yet. */
export type NewDigestFact = Omit<DigestFact, "id">

export type Values = Readonly<Record<string, Value>>

interface FactParts extends Pick<DigestFact, "kind" | "topic" | "section"> {
  readonly subject?: string
  readonly direction?: "up" | "down"
  readonly negative?: boolean
  /** The fact states that something is decided. */
  readonly certain?: boolean
  /** The publisher, when it is neither the venue nor this service. */
  readonly source?: string | null
}

/** `statement` spells values; the fact has those, and its words. Digests have no links. */
export function factOf(
  parts: FactParts,
  values: Values,
  statement: (spell: Speller) => string,
): NewDigestFact {
  const used = new Set<string>()
  const text = statement((words, ...slots) => {
    slots.forEach((slot) => used.add(slot))
    return spellerOf(values)(words, ...slots)
  })
  const own = Object.entries(values).filter(([slot, { type }]) => used.has(slot) || type === "word")
  const of = (isName: boolean) =>
    own.filter(([, value]) => value.type !== "word" && (value.type === "name") === isName)
      .map(([, value]) => value.type === "name" ? value.text : spelled(value))
  return {
    kind: parts.kind,
    topic: parts.topic,
    section: parts.section,
    subject: parts.subject ?? null,
    values: Object.fromEntries(own),
    direction: parts.direction ?? null,
    negative: parts.negative ?? false,
    statement: text,
    figures: [...new Set(of(false))],
    names: [...new Set(of(true))],
    links: [],
    certain: parts.certain ?? false,
    source: parts.source ?? null,
  }
}

/** A template tag whose parts are slot names: each becomes the spelling of its value. */
export type Speller = (words: TemplateStringsArray, ...slots: ReadonlyArray<string>) => string

/** Throws for a slot without a value: that is a defect of the caller. */
export function spellerOf(values: Values): Speller {
  return (words, ...slots) =>
    words.map((word, i) => {
      const slot = slots[i]
      if (slot === undefined) return word
      const value = values[slot]
      if (value === undefined) throw new Error(`Cannot spell ${slot}: the fact has no such value`)
      return `${word}${spelled(value)}`
    }).join("")
}

/** Characters of a question: more than any seen so far, and it still fits into a title. */
const questionMax = 110
/** Characters of an outcome, a pseudonym or a publisher. */
const labelMax = 50
const headlineMax = 140

function nameOf(text: string, max: number, fallback: string): Value {
  const name = readableName(text, max)
  return { type: "name", text: name === nameless ? readableName(fallback, max) : name }
}

const nameless = readableName("")

export function marketValue(market: { readonly question: string; readonly slug: string }): Value {
  return nameOf(market.question, questionMax, market.slug)
}

export function labelValue(label: string, fallback: string = ""): Value {
  return nameOf(label, labelMax, fallback)
}

export function headlineValue(title: string): Value {
  return nameOf(title, headlineMax, "")
}

export const price = (value: number): Value => ({ type: "price", value })
/** The size of a price difference; the direction is in the fact's words. */
export const cents = (value: number): Value => ({ type: "change", value: Math.abs(value) })
export const rate = (value: number): Value => ({ type: "rate", value })
export const usd = (value: number): Value => ({ type: "usd", value })
export const word = (text: string): Value => ({ type: "word", text })
export const duration = (ms: number): Value => ({ type: "duration", ms })
export const time = (at: EpochMs, today: EpochMs): Value => ({ type: "time", at, today })
export const count = (value: number, noun: string, nouns: string = `${noun}s`): Value => ({
  type: "count",
  value,
  noun,
  nouns,
})

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: ReadonlyArray<string>): string {
  const last = parts.at(-1) ?? ""
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`
}
