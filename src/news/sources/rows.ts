/**
 * Converts the rows of a source into headlines. An invalid row is counted and skipped.
 *
 * @module
 */
import { Result } from "effect"
import { type Headline, headlineOf, type RawHeadline } from "../domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { tally } from "../../core/stages.ts"
import vocabulary from "../domain/vocabulary.json" with { type: "json" }
import type { Decoded } from "../../markets/VenueClient.ts"

/** The headlines of the first `rowsMax` rows. */
export function headlinesOf(
  rows: ReadonlyArray<RawHeadline>,
  now: EpochMs,
  rowsMax: number,
): Decoded<Headline> {
  const found: Array<Headline> = []
  const rejected: Record<string, number> = {}
  for (const row of rows.slice(0, rowsMax)) {
    const decoded = headlineOf(row, now)
    if (Result.isSuccess(decoded)) found.push(decoded.success)
    else tally(rejected, { [decoded.failure]: 1 })
  }
  if (rows.length > rowsMax) tally(rejected, { over_limit: rows.length - rowsMax })
  return { rows: found, rejected }
}

/** Decodes by the header, the XML declaration, else as UTF-8. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ??
    declaredCharset(body) ?? "utf-8"
  return decoderOf(charset).decode(body)
}

/** The charset of the XML declaration, which is ASCII and within the first hundred bytes. */
function declaredCharset(body: Uint8Array): string | undefined {
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

/** Zone abbreviations that occur in feeds and that `Date.parse` does not know. */
const zones: Readonly<Record<string, string>> = vocabulary.zones

/** Parses an RFC 822 or ISO 8601 date; without a zone it is UTC. Null when invalid. */
export function dateOf(text: string): EpochMs | null {
  if (text.length > 60) return null
  const trimmed = text.trim().replace(/\b([A-Z]{1,4})$/, (name) => zones[name] ?? name)
  const zoned = /(?:\b[A-Z]{3,4}|[+-]\d{2}:?\d{2}|Z)$/.test(trimmed) && /\d:\d/.test(trimmed)
  const at = Date.parse(zoned ? trimmed : `${trimmed}${/T\d/.test(trimmed) ? "Z" : " GMT"}`)
  return Number.isNaN(at) ? null : at
}
