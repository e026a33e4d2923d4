/**
 * Lenient readers of what the venue sends: each takes any JSON value and never throws.
 *
 * The venue writes numbers as strings, arrays as JSON inside strings, leaves fields out, empties
 * them or sends null. A reader says what a value can be taken for, or that it cannot; the decoders
 * judge the row. Rows that become values and those rejected are counted together.
 *
 * @module
 */
import { Result } from "effect"
import { type EpochMs, second } from "../../core/domain/time.ts"
import type { Decoded } from "../../markets/VenueClient.ts"

/** A JSON object whose fields are not known yet. */
export type WireObject = { readonly [key: string]: unknown }

/** A name or question longer than this is cut. */
export const textCharsMax = 300

/** Identities longer than this are not identities (a token id has at most 78 digits). */
const idCharsMax = 100

/** Epoch numbers below this are seconds, above it milliseconds (as milliseconds: March 1973). */
const secondsMax = 1e11

/** The latest instant with a year of four digits: what comes after it no store can spell. */
const instantMax = Date.UTC(10_000, 0) - 1

export function object(value: unknown): WireObject | null {
  return isObject(value) ? value : null
}

/** A finite number, also when it is spelled as a string. */
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

/** An array, also when it is JSON inside a string; anything else is the empty array. */
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
 * An identity: printable ASCII without spaces, at most 100 characters; null for anything else. Token
 * ids sent as numbers have lost their last digits, so only a safe integer can still be one.
 */
export function id(value: unknown): string | null {
  const spelled = Number.isSafeInteger(value) ? String(value) : value
  if (typeof spelled !== "string" || spelled.length > idCharsMax) return null
  return /^[\x21-\x7e]+$/.test(spelled) ? spelled : null
}

/**
 * A market's identity. Those of the venue's second protocol are also spelled without their last
 * byte, which is zero; all of them in either case of letters.
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

/**
 * An instant from ISO 8601 (a space for the T and a short offset too), epoch seconds or milliseconds;
 * null for one before the epoch, such as the year 1, which means that there is none.
 */
export function instant(value: unknown): EpochMs | null {
  const epoch = number(value)
  if (epoch !== null) return epochMs(epoch)
  if (typeof value !== "string" || value === "") return null
  const spelled = value.includes(" ")
    ? value.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")
    : value
  return sane(Date.parse(spelled))
}

function epochMs(epoch: number): EpochMs | null {
  return sane(Math.trunc(epoch < secondsMax ? epoch * second : epoch))
}

function sane(at: number): EpochMs | null {
  return at > 0 && at <= instantMax ? at : null
}

/**
 * A stranger's text made fit to show: control, bidirectional, zero-width and tag characters gone,
 * white space folded, at most `textCharsMax` characters. Empty when there is nothing to show.
 */
export function text(value: unknown): string {
  if (typeof value !== "string") return typeof value === "number" ? String(value) : ""
  const plain = hidden.test(value) || !value.isWellFormed() ? withoutHidden(value) : value
  const folded = unfolded.test(plain) ? plain.replace(/\s+/gu, " ").trim() : plain
  return folded.length <= textCharsMax ? folded : `${cut(folded, textCharsMax - 1)}…`
}

/** Control characters (but not white space), bidirectional marks, zero-width and tag characters. */
const hidden =
  // deno-lint-ignore no-control-regex -- These are exactly the characters to be found.
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u{e0000}|[\u{e0001}-\u{e007f}]/u
const hiddenEverywhere = new RegExp(hidden.source, "gu")
const unfolded = /^\s|\s$|\s\s|[^\S ]/u

function withoutHidden(value: string): string {
  return value.toWellFormed().replace(hiddenEverywhere, "")
}

/** The first `charsMax` UTF-16 units, without half a surrogate pair at the end. */
function cut(value: string, charsMax: number): string {
  const last = value.charCodeAt(charsMax - 1)
  return value.slice(0, last >= 0xd800 && last <= 0xdbff ? charsMax - 1 : charsMax)
}

function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Decodes each row. A row that is none costs only itself. */
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

/** Everything that was decoded and everything that was rejected, as one. */
export function merge<A>(parts: ReadonlyArray<Decoded<A>>): Decoded<A> {
  const rejected: Record<string, number> = {}
  for (const part of parts) {
    for (const [reason, count] of Object.entries(part.rejected)) {
      rejected[reason] = (rejected[reason] ?? 0) + count
    }
  }
  return { rows: parts.flatMap((part) => part.rows), rejected }
}
