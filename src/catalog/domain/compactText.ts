/**
 * A long answer as a table for a model: hosts cut what a tool returns at about 25,000 tokens, so the
 * text of an answer is at most 20 kB and says what was left out. The whole answer is next to it, as
 * structured content. It imports nothing: the package of the stdio server has a copy.
 *
 * @module
 */

/** Longest text of an answer, in UTF-8 bytes. */
export const compactBytesMax = 20_000

/** How the rows of a long answer are shown. */
export interface TextTable {
  readonly columns: ReadonlyArray<string>
  /** Rows with this value come after the others, so they are left out first. */
  readonly last?: { readonly column: string; readonly value: string }
  /** Which rows are left out, in words. */
  readonly leftOut?: string
}

type Row = Readonly<Record<string, unknown>>

/**
 * The table in the place of an answer's text; null where the text is short enough, and without a
 * `table`. `parameters`: those of the tool, which narrow the answer.
 */
export function compactText(
  table: TextTable | undefined,
  text: string,
  parameters: ReadonlyArray<string>,
): string | null {
  if (table === undefined || bytesOf(text) <= compactBytesMax) return null
  const { columns, last, leftOut } = table
  const { data } = JSON.parse(text)
  const lists = Array.isArray(data) ? [data] : Object.values(data ?? {}).filter(Array.isArray)
  const rows: ReadonlyArray<Row> = lists[0] ?? []
  if (rows.length === 0) return null
  const ask = parameters.length === 0 ? "" : `; for fewer rows use ${parameters.join(", ")}`
  const noteOf = (shown: number) =>
    `${shown} of ${rows.length} rows, ${columns.length} of ${
      Object.keys(rows[0] ?? {}).length
    } columns. Left out: ${rows.length - shown} rows${
      leftOut === undefined ? "" : ` ${leftOut}`
    }, and the other columns. The whole answer is in structuredContent${ask}.`
  const lines = [columns.join("\t")]
  const isLast = (row: Row) => last !== undefined && row[last.column] === last.value ? 1 : 0
  let left = compactBytesMax - bytesOf(noteOf(rows.length)) - bytesOf(lines.join("\n")) - 2
  for (const row of rows.toSorted((a, b) => isLast(a) - isLast(b))) {
    const line = columns.map((name) => cellOf(row[name])).join("\t")
    left -= bytesOf(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return [noteOf(lines.length - 1), ...lines].join("\n")
}

/** A value on one line, without the column separator. */
function cellOf(value: unknown): string {
  return value === null || value === undefined ? "" : String(value).replace(/\s+/g, " ")
}

const utf8 = new TextEncoder()
const bytesOf = (text: string) => utf8.encode(text).length
