/**
 * Rows of a source, made into headlines one by one: a bad one costs only itself, and is counted.
 *
 * @module
 */
import { Result } from "effect"
import { type Headline, headlineOf, type Told } from "../domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { Decoded } from "../../markets/VenueClient.ts"

/** The first `rowsMax` of the rows, as headlines. */
export function headlinesOf(
  rows: ReadonlyArray<Told>,
  now: EpochMs,
  rowsMax: number,
): Decoded<Headline> {
  const found: Array<Headline> = []
  const rejected: Record<string, number> = {}
  const reject = (reason: string, count: number) =>
    rejected[reason] = (rejected[reason] ?? 0) + count
  for (const row of rows.slice(0, rowsMax)) {
    const decoded = headlineOf(row, now)
    if (Result.isSuccess(decoded)) found.push(decoded.success)
    else reject(decoded.failure, 1)
  }
  if (rows.length > rowsMax) reject("over_limit", rows.length - rowsMax)
  return { rows: found, rejected }
}

/** Text as its publisher meant it: by its byte order mark, its header, its declaration, else UTF-8. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const named = markOf(body) ?? /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ??
    declared(body) ?? "utf-8"
  return decoderOf(named).decode(body)
}

function markOf(body: Uint8Array): string | null {
  const [first, second, third] = body
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : null
}

/** What the XML declaration says: it is within the first hundred bytes, and in ASCII. */
function declared(body: Uint8Array): string | undefined {
  const start = String.fromCharCode(...body.subarray(0, 200))
  return /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1]
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

/** Zones that feeds name by letters which no parser of dates knows. */
const zones: Readonly<Record<string, string>> = {
  ...{ BST: "+0100", CET: "+0100", CEST: "+0200", EET: "+0200", EEST: "+0300" },
  ...{ JST: "+0900", AEST: "+1000", UTC: "GMT", UT: "GMT", Z: "GMT" },
}

/** A date as RFC 822 or ISO 8601 spell it; without a zone it is UTC. Null for what is none. */
export function dateOf(text: string): EpochMs | null {
  if (text.length > 60) return null
  const trimmed = text.trim().replace(/\b([A-Z]{1,4})$/, (name) => zones[name] ?? name)
  const zoned = /(?:\b[A-Z]{3,4}|[+-]\d{2}:?\d{2}|Z)$/.test(trimmed) && /\d:\d/.test(trimmed)
  const at = Date.parse(zoned ? trimmed : `${trimmed}${/T\d/.test(trimmed) ? "Z" : " GMT"}`)
  return Number.isNaN(at) ? null : at
}
