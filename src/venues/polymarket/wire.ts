/**
 * Lenient readers of the venue's JSON: each takes any value and never throws.
 *
 * The venue sends numbers as strings, arrays as JSON inside strings, and missing, empty or null
 * fields. A reader converts one value or returns null (or an empty value); the decoders then accept
 * or reject the whole row.
 *
 * @module
 */
import { Result } from "effect"
import { type EpochMs, second } from "../../core/domain/time.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import type { Decoded } from "../../markets/VenueClient.ts"

/** A JSON object with unchecked fields. */
export type WireObject = { readonly [key: string]: unknown }

/** Longer names and questions are cut. */
export const textCharsMax = 300

/** Longer ids are rejected (a token id has at most 78 digits). */
const idCharsMax = 100

/** Epoch numbers below this are seconds, above it milliseconds (1e11 ms is March 1973). */
const secondsMax = 1e11

/** The last instant with a four-digit year; the database cannot store a later one. */
const instantMax = Date.UTC(10_000, 0) - 1

export function object(value: unknown): WireObject | null {
  return isObject(value) ? value : null
}

/** A finite number, also from a string. */
export function number(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "string" || value.trim() === "") return null
  const parsed = Number(value)
  return Number.isFinite(parsed) ? parsed : null
}

export function flag(value: unknown): boolean | null {
  if (typeof value === "boolean") return value
  if (value === "true" || value === 1) return true
  if (value === "false" || value === 0) return false
  return null
}

/** An array, also from JSON inside a string; any other value becomes the empty array. */
export function list(value: unknown): ReadonlyArray<unknown> {
  if (Array.isArray(value)) return value
  if (typeof value !== "string" || !value.startsWith("[")) return []
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/**
 * An id: printable ASCII without spaces, at most 100 characters; null for anything else. Token ids
 * sent as JSON numbers have lost digits, so a number is accepted only when it is a safe integer.
 */
export function id(value: unknown): string | null {
  const written = Number.isSafeInteger(value) ? String(value) : value
  if (typeof written !== "string" || written.length > idCharsMax) return null
  return /^[\x21-\x7e]+$/.test(written) ? written : null
}

/**
 * A market's id in lower case. The venue also sends ids of its second protocol without their last
 * byte, which is zero.
 */
export function conditionId(value: unknown): string | null {
  const found = id(value)
  if (found === null || !/^0x[0-9a-fA-F]+$/.test(found)) return found
  const lower = found.toLowerCase()
  return /^0x0[12][0-9a-f]{60}$/.test(lower) ? `${lower}00` : lower
}

/** A wallet's address in lower case. */
export function address(value: unknown): string | null {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : null
}

/** A transaction's hash in lower case. */
export function hash(value: unknown): string | null {
  return typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value) ? value.toLowerCase() : null
}

/**
 * An instant from ISO 8601 (also with a space for the T and a short offset), epoch seconds or
 * milliseconds. Null before the epoch: the venue sends the year 1 for "none".
 */
export function instant(value: unknown): EpochMs | null {
  const epoch = number(value)
  if (epoch !== null) return epochMs(epoch)
  if (typeof value !== "string" || value === "") return null
  const written = value.includes(" ")
    ? value.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")
    : value
  return withinRange(Date.parse(written))
}

function epochMs(epoch: number): EpochMs | null {
  return withinRange(Math.trunc(epoch < secondsMax ? epoch * second : epoch))
}

function withinRange(at: number): EpochMs | null {
  return at > 0 && at <= instantMax ? at : null
}

/** Untrusted text made safe to display (`untrusted.ts`), at most `textCharsMax` characters. */
export function text(value: unknown): string {
  if (typeof value !== "string") return typeof value === "number" ? String(value) : ""
  const isPlain = value.length <= textCharsMax && ascii.test(value) && !folded.test(value)
  return isPlain ? value : excerpt(value, textCharsMax)
}

/** Almost all texts are of these characters, without white space to fold. */
const ascii = /^[ -~]*$/
const folded = /^ | $| {2}/

function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Decodes each row; a rejected row is counted and does not affect the others. */
export function decodeRows<A>(
  rows: ReadonlyArray<unknown>,
  decode: (row: unknown) => Result.Result<A, string>,
): Decoded<A> {
  const found: Array<A> = []
  const rejected: Record<string, number> = {}
  for (const row of rows) {
    const decoded = decode(row)
    if (Result.isSuccess(decoded)) found.push(decoded.success)
    else rejected[decoded.failure] = (rejected[decoded.failure] ?? 0) + 1
  }
  return { rows: found, rejected }
}

export function merge<A>(parts: ReadonlyArray<Decoded<A>>): Decoded<A> {
  const rejected: Record<string, number> = {}
  for (const part of parts) {
    for (const [reason, count] of Object.entries(part.rejected)) {
      rejected[reason] = (rejected[reason] ?? 0) + count
    }
  }
  return { rows: parts.flatMap((part) => part.rows), rejected }
}
