/**
 * Parses the answer of a news source into rows.
 *
 * @module
 */
import { type Effect, Result } from "effect"
import { feedRows } from "./feedRows.ts"
import { parseArticles, rawHeadlineOf } from "./gdeltRows.ts"
import { decodeText } from "./rows.ts"

/** An answer to parse, into at most `rowsMax` + 1 rows. */
export interface ParseRequest {
  readonly format: "feed" | "gdelt"
  readonly body: Uint8Array
  readonly contentType: string
  /** The name of the source. */
  readonly source: string
  readonly rowsMax: number
}

type Row = ReturnType<typeof rawHeadlineOf>

/** The rows, with the reason in place of a row that is none; or why nothing could be parsed. */
export type Parsed = ReadonlyArray<Row> | { readonly failed: string }

export type ParseAnswer = (request: ParseRequest) => Effect.Effect<Parsed>

export function parse({ format, body, contentType, source, rowsMax }: ParseRequest): Parsed {
  const text = decodeText(body, contentType)
  const rows: Result.Result<ReadonlyArray<Row>, string> = format === "feed"
    ? feedRows(text, source, rowsMax)
    : Result.map(
      parseArticles(text),
      (articles) => articles.slice(0, rowsMax + 1).map(rawHeadlineOf),
    )
  return Result.getOrElse(rows, (failed): Parsed => ({ failed }))
}
