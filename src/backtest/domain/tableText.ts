/**
 * Rows of a text file: CSV with a header, or JSON lines. The first line decides.
 *
 * @module
 */
import { Result } from "effect"

/** The fields of one row by column name; undefined, null and "" mean that there is no value. */
export type RawRow = Readonly<Record<string, unknown>>

/** Why a line is no row. */
type LineFault = "not_json" | "wrong_column_count"

/** Reads the lines of one file. */
export interface LineReader {
  /** The columns of the header; null for JSON lines, where each row names its own. */
  readonly header: ReadonlyArray<string> | null
  readonly read: (line: string) => Result.Result<RawRow, LineFault>
}

/** The reader for a file with this first line: a JSON object, else a CSV header. */
export function lineReader(firstLine: string): LineReader {
  const text = firstLine.replace(/^\uFEFF/, "").trim()
  if (text.startsWith("{")) return { header: null, read: readJson }
  const header = fieldsOf(text).map((name) => name.trim())
  return { header, read: (line) => readCsv(header, line) }
}

function readJson(line: string): Result.Result<RawRow, LineFault> {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === "object" && row !== null && !Array.isArray(row)
      ? Result.succeed(row as RawRow)
      : Result.fail("not_json")
  } catch {
    return Result.fail("not_json")
  }
}

function readCsv(
  header: ReadonlyArray<string>,
  line: string,
): Result.Result<RawRow, LineFault> {
  const fields = fieldsOf(line)
  if (fields.length !== header.length) return Result.fail("wrong_column_count")
  const row: Record<string, unknown> = {}
  for (const [n, name] of header.entries()) row[name] = fields[n]
  return Result.succeed(row)
}

/** The fields of a CSV line (RFC 4180, without line breaks inside quotes). */
function fieldsOf(line: string): ReadonlyArray<string> {
  if (!line.includes('"')) return line.split(",")
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
    .map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain)
}

/**
 * The columns that are missing: each entry of `required` names alternatives, such as `mid` or `bid`.
 * Empty when none is missing.
 */
export function missingColumns(
  required: ReadonlyArray<ReadonlyArray<string>>,
  columns: ReadonlyArray<string>,
): ReadonlyArray<string> {
  return required
    .filter((names) => !names.some((name) => columns.includes(name)))
    .map((names) => names.join(" or "))
}

/** A field as text; null without a value. */
export function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null
  return typeof value === "object" ? null : String(value)
}

/** A field as a number; null without a value, NaN when it is no number. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value
  const text = textOf(value)
  return text === null ? null : Number(text)
}

/** Below this a number is taken as seconds, else as milliseconds; in milliseconds it is March 1973. */
const secondsMax = 1e11

/**
 * A time as milliseconds since the Unix epoch: seconds, milliseconds, or ISO 8601; a time without a zone
 * is UTC. Null without a value, NaN when it is no time.
 */
export function timeOf(value: unknown): number | null {
  const number = numberOf(value)
  if (number === null) return null
  if (Number.isFinite(number)) return Math.abs(number) < secondsMax ? number * 1_000 : number
  const text = String(value).trim().replace(" ", "T")
  return Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text)
}
