/**
 * The names of a brief: which words of a claim name a cited fact, and which name another one.
 *
 * A name is used whole, or by a part of it: `Civic Alliance` for “Will the Civic Alliance win …?”.
 *
 * @module
 */
import type { Fact } from "../facts.ts"

/** What a name is a name of. A figure belongs to the market, the wallet or the source named with it. */
export type NameClass = "market" | "outcome" | "wallet" | "source" | "other"

/** One name of one fact. */
export interface Named {
  readonly fact: Fact
  /** The slot of its value, `market2`; `opposite` is the other outcome; empty without a slot. */
  readonly slot: string
  readonly text: string
  readonly class: NameClass
  readonly cited: boolean
  readonly words: ReadonlyArray<string>
}

/** Names that are read from a brief; the rest is unknown to the claim. */
const namesMax = 2_000

const classes: Readonly<Record<string, NameClass>> = {
  market: "market",
  outcome: "outcome",
  opposite: "outcome",
  wallet: "wallet",
  publisher: "source",
  headline: "source",
}

/** `market2` is the slot `market` with the suffix `2`. */
export function slotBase(slot: string): string {
  return slot.replace(/\d+$/, "")
}

export function slotSuffix(slot: string): string {
  return slot.slice(slotBase(slot).length)
}

/** All names of the brief; those of cited facts first. */
export function namesOf(
  cited: ReadonlySet<string>,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<Named> {
  const all = [...facts.values()]
  const own = all.filter(({ id }) => cited.has(id))
  const others = all.filter(({ id }) => !cited.has(id))
  return [
    ...own.flatMap((fact) => namesOfFact(fact, true)),
    ...own.flatMap((fact) => sharedNames(fact, all)),
    ...others.flatMap((fact) => namesOfFact(fact, false)),
  ].slice(0, namesMax)
}

/**
 * The market and the outcome that a fact is about without naming them: those of the facts with the same
 * subject, or of the only market of the brief.
 */
function sharedNames(fact: Fact, all: ReadonlyArray<Fact>): ReadonlyArray<Named> {
  const markets = new Set(all.flatMap((other) => textOf(other, "market") ?? []))
  const source = all.find((other) =>
    other !== fact && textOf(other, "market") !== undefined &&
    (markets.size === 1 || fact.subject !== null && other.subject === fact.subject)
  )
  if (source === undefined || textOf(fact, "market") !== undefined) return []
  return namesOfFact(source, true)
    .filter(({ slot }) =>
      slot === "market" ||
      textOf(fact, "outcome") === undefined && /^(?:outcome|opposite)$/.test(slot)
    )
    .map((named) => ({ ...named, fact }))
}

function namesOfFact(fact: Fact, cited: boolean): ReadonlyArray<Named> {
  const typed = Object.entries(fact.values).flatMap(([slot, value]) =>
    value.type === "name" ? [{ slot, text: value.text }] : []
  )
  const opposites = Object.keys(fact.values).filter((slot) => slotBase(slot) === "outcome")
    .flatMap((slot) =>
      oppositesOf(fact, slotSuffix(slot)).map((text) => ({
        slot: `opposite${slotSuffix(slot)}`,
        text,
      }))
    )
  const texts = new Set([...typed, ...opposites].map(({ text }) => text))
  const untyped = fact.names.filter((text) => !texts.has(text)).map((text) => ({ slot: "", text }))
  return [...typed, ...opposites, ...untyped].map(({ slot, text }) => ({
    fact,
    slot,
    text,
    class: classes[slotBase(slot)] ?? "other",
    cited,
    // A part of a wallet's name is its beginning: `Keen-Dune` of “Keen-Dune (0x6e15…9b40)”.
    words: nameWords(classes[slotBase(slot)] === "wallet" ? text.split(" ")[0] ?? "" : text),
  }))
}

/** The words and numbers of a name, without a possessive `'s`. */
export function nameWords(text: string): ReadonlyArray<string> {
  return (text.match(/\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?|\d[\d.,:]*\d%?|\d%?/gu) ?? [])
    .map(withoutPossessive)
}

export function withoutPossessive(word: string): string {
  return word.replace(/['’]s$/u, "").replace(/(?<=s)['’]$/u, "")
}

/**
 * Whether a capitalised word of a claim is a word of a name: the word itself or its adjective or plural
 * (`Kenyan` of `Kenya`).
 */
export function isNameWord(word: string, of: string): boolean {
  if (word === of) return true
  if (of.length < 4 || !/^\p{Lu}/u.test(of)) return false
  return word.startsWith(of.replace(/[aey]$/u, "")) &&
    /^(?:n|an|ian|s|ese|i|ish|es|ean)$/u.test(word.slice(of.replace(/[aey]$/u, "").length))
}

const outcomePairs: ReadonlyArray<readonly [string, string]> = [
  ["Yes", "No"],
  ["Over", "Under"],
  ["Up", "Down"],
]

/** Outcomes that are also English words; only a capital or a quotation makes them names. */
export const outcomeWords: ReadonlySet<string> = new Set(outcomePairs.flat())

/** The names of the other side of a market with two outcomes; empty when they are not known. */
function oppositesOf(fact: Fact, suffix: string): ReadonlyArray<string> {
  const outcome = textOf(fact, `outcome${suffix}`)
  if (outcome === undefined) return []
  const pair = outcomePairs.find((sides) => sides.includes(outcome))
  if (pair !== undefined) return pair.filter((side) => side !== outcome)
  const market = textOf(fact, `market${suffix}`) ?? ""
  const sides = market.split(/ vs\.? /u).map((side) => side.replace(/:.*$/u, ""))
  return sides.length === 2 && sides.includes(outcome)
    ? sides.filter((side) => side !== outcome)
    : []
}

export function textOf(fact: Fact, slot: string): string | undefined {
  const value = fact.values[slot]
  return value?.type === "name" || value?.type === "word" ? value.text : undefined
}
