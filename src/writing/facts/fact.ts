/**
 * Builds facts from statements. Every text draws its facts from the builders of this folder, so each
 * fact is worded once; the words of values are here.
 *
 * @module
 */
import { day, type EpochMs } from "../../core/domain/time.ts"
import { nameLengthMax, quoted, readableName } from "../../core/domain/untrusted.ts"
import type { Fact, FactKind } from "../domain/facts.ts"
import { phrase, type Statement, value } from "../domain/statement.ts"

/** A fact without an id: a page numbers its facts. */
export type NewFact = Omit<Fact, "id">

/** The market that facts are about. */
export interface About {
  readonly slug: string
  readonly question: string
  readonly outcomes: readonly [string, string]
  readonly endsAt: EpochMs | null
  readonly gameStartsAt: EpochMs | null
  /** Where another market has the same title: when this one ends, else the end of its slug. */
  readonly mark?: EpochMs | string
  /** Whether the facts name the market. The first fact of a paragraph does, the others need not. */
  readonly isNamed: boolean
}

/** The same market in a sentence that follows one that named it. */
export const unnamed = (about: About): About => ({ ...about, isNamed: false })

type Details = Partial<Pick<Fact, "direction" | "links">>

/** `subject` is a market's slug, or a wallet's address. */
export function factOf(
  kind: FactKind,
  subject: string | null,
  { text: statement, ...spelled }: Statement,
  details: Details = {},
): NewFact {
  const none = { direction: null, links: [] }
  return { kind, subject, statement, ...spelled, ...none, ...details }
}

/** `Yes`, or `Yes in “Will the lighthouse be lit?” (2026-12-31)` where the fact names the market. */
export function outcomeOf(about: About, outcome: 0 | 1, slot: string = "outcome"): Statement {
  const side = named(slot, about.outcomes[outcome])
  return about.isNamed ? phrase`${side} in ${titleOf(about)}` : side
}

/** What in a title says until when it asks. */
const dated =
  /\b20\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b/i

/** What a title is made of. */
export type Titled =
  & Pick<About, "endsAt" | "question">
  & Partial<Pick<About, "gameStartsAt" | "mark">>

/** A market's title, and what follows it; of a longer title `max` characters. */
export function titleOf(
  market: Titled,
  slot: string = "market",
  max: number = nameLengthMax,
): Statement {
  return phrase`${named(slot, market.question, max)}${markOf(market, slot)}`
}

/** ` (2026-12-31)` after a title: its mark, else its kick-off or its listed end unless it has a date. */
export function markOf(
  { endsAt, gameStartsAt = null, mark, question }: Titled,
  slot: string = "market",
): Statement {
  const at = gameStartsAt ?? endsAt
  const suffix = `${slot}Date`
  if (typeof mark === "string") return phrase` (${named(suffix, mark)})`
  if (mark !== undefined) return phrase` (listed end ${time(suffix, mark, 0)})`
  return at === null || dated.test(question) ? phrase`` : phrase` (${date(suffix, at)})`
}

/** A price or a probability: `0.345`. */
export const price = (slot: string, of: number): Statement =>
  value(slot, { type: "price", value: of })

/** A computed price to a tenth of a cent, or near 0 and 1 to a hundredth: more digits are noise. */
export function rounded(slot: string, of: number): Statement {
  const parts = of < 0.01 || of > 0.99 ? 10_000 : 1_000
  return price(slot, Math.round(of * parts) / parts)
}

/** The size of a difference of prices, to a tenth of a cent: `14 cents`. */
export const cents = (slot: string, of: number): Statement =>
  value(slot, { type: "change", value: Math.round(Math.abs(of) * 1_000) / 1_000 })

/** A share: `62.8%`. */
export const rate = (slot: string, of: number): Statement =>
  value(slot, { type: "rate", value: of })

/** `$12,300`. */
export const usd = (slot: string, of: number): Statement => value(slot, { type: "usd", value: of })

/** `3 wallets`. */
export const count = (
  slot: string,
  of: number,
  noun: string,
  nouns: string = `${noun}s`,
): Statement => value(slot, { type: "count", value: of, noun, nouns })

/** `12 of`: the part of a whole that follows it. */
export const part = (slot: string, of: number): Statement => count(slot, Math.round(of), "of", "of")

/** `26 hours`. */
export const duration = (slot: string, ms: number): Statement =>
  value(slot, { type: "duration", ms })

/** `01:57 UTC`, with the date unless it is within 12 hours of `today`. */
export const time = (slot: string, at: EpochMs, today: EpochMs): Statement =>
  value(slot, { type: "time", at, today })

/** `2026-12-31`: the day in UTC. */
export const date = (slot: string, at: EpochMs): Statement => value(slot, { type: "date", at })

/** An instant to the minute within two days of now, else its day: a far one is known no better. */
export const nearTime = (slot: string, at: EpochMs, now: EpochMs): Statement =>
  at - now < 2 * day ? time(slot, at, now) : date(slot, at)

/** Untrusted text, sanitized. */
export const named = (slot: string, text: string, max: number = nameLengthMax): Statement =>
  value(slot, { type: "name", text: readableName(text, max) })

/** Untrusted text that is always in quotation marks. */
export function quotation(slot: string, text: string, max?: number): Statement {
  const name = named(slot, text, max)
  return name.text.startsWith("“")
    ? name
    : { ...name, text: quoted(name.text), says: quoted(name.says) }
}

/** A word of our own with a fixed meaning. */
export const word = (slot: string, text: string): Statement => value(slot, { type: "word", text })

/** A builder's fact as a list: builders give null where there is nothing to state. */
export function present(fact: NewFact | null): ReadonlyArray<NewFact> {
  return fact === null ? [] : [fact]
}
