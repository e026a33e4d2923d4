/**
 * The sentences of a report's template. Each is a fact of its own, with the values it spells, so a
 * sentence can state nothing but its fact.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { nameLengthMax, readableName } from "../../core/domain/untrusted.ts"
import type { Fact } from "../../writing/domain/facts.ts"
import type { Statement } from "../../writing/domain/statement.ts"
import { value } from "../../writing/domain/statement.ts"

/** A fact that has no id yet. Its statement is a sentence of the template, or of no slot. */
export type Line = Omit<Fact, "id">

type Details = Partial<Pick<Fact, "subject" | "direction" | "negative" | "links" | "certain">>

export function line(
  kind: Fact["kind"],
  { text: statement, ...spelled }: Statement,
  details: Details = {},
): Line {
  const none = { subject: null, direction: null, negative: false, links: [], certain: false }
  return { kind, statement, ...spelled, ...none, ...details }
}

/** A price or a probability: `0.345`. */
export const price = (slot: string, of: number): Statement =>
  value(slot, { type: "price", value: of })

/** The size of a difference of prices: `14 cents`. */
export const cents = (slot: string, of: number): Statement =>
  value(slot, { type: "change", value: of })

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

/** `26 hours`. */
export const duration = (slot: string, ms: number): Statement =>
  value(slot, { type: "duration", ms })

/** `01:57 UTC`, with the date unless it is the day of `today`. */
export const time = (slot: string, at: EpochMs, today: EpochMs): Statement =>
  value(slot, { type: "time", at, today })

/** Untrusted text, sanitized. */
export const named = (slot: string, text: string, max: number = nameLengthMax): Statement =>
  value(slot, { type: "name", text: readableName(text, max) })

/** A word of our own with a fixed meaning. */
export const word = (slot: string, text: string): Statement => value(slot, { type: "word", text })

/** To a whole number of `parts` of 1: more digits of a mean are noise. */
export function roundTo(value: number, parts: number): number {
  return Math.round(value * parts) / parts
}
