/**
 * A long answer as a table for a model: hosts cut what a tool returns at about 25,000 tokens, so the
 * text of an answer is at most 20 kB and says what was left out. The whole answer is next to it, as
 * structured content. It imports nothing: the package of the stdio server has a copy.
 *
 * @module
 */

/** Longest text of an answer, in UTF-8 bytes. */
export const compactBytesMax = 20_000

/** The columns of the answers that can be longer, by the tool's name. */
const columns: Readonly<Record<string, ReadonlyArray<string>>> = {
  get_whales: [
    ...["wallet", "pseudonym", "label", "resolved", "events", "winRate", "edge", "edgeLow"],
    ...["edgeHigh", "mirrorRoi", "fadeRoi", "stakeUsd", "openEntries"],
  ],
  get_resolving: [
    ...["slug", "question", "eventEndDate", "hoursRemaining", "yesMid", "convergence"],
    "liquidityUsd",
  ],
}

type Row = Readonly<Record<string, unknown>>

/**
 * The table in the place of an answer's text; null where the text is short enough. `parameters`: those
 * of the tool, which narrow the answer.
 */
export function compactText(
  tool: string,
  text: string,
  parameters: ReadonlyArray<string>,
): string | null {
  const names = columns[tool]
  if (names === undefined || bytesOf(text) <= compactBytesMax) return null
  const { data } = JSON.parse(text)
  const rows: ReadonlyArray<Row> = Array.isArray(data) ? data : data?.wallets ?? []
  if (rows.length === 0) return null
  const ask = parameters.length === 0 ? "" : `; for fewer rows use ${parameters.join(", ")}`
  const noteOf = (shown: number) =>
    `${shown} of ${rows.length} rows, ${names.length} of ${
      Object.keys(rows[0] ?? {}).length
    } columns. Left out: ${rows.length - shown} rows${
      tool === "get_whales" ? " with the label neutral and the smallest stakes" : ""
    }, and the other columns. The whole answer is in structuredContent${ask}.`
  const lines = [names.join("\t")]
  let left = compactBytesMax - bytesOf(noteOf(rows.length)) - bytesOf(lines.join("\n")) - 2
  for (const row of labelledFirst(rows)) {
    const line = names.map((name) => cellOf(row[name])).join("\t")
    left -= bytesOf(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return [noteOf(lines.length - 1), ...lines].join("\n")
}

/** The rows with a proven label before the neutral ones; else in their order. */
function labelledFirst(rows: ReadonlyArray<Row>): ReadonlyArray<Row> {
  const isNeutral = (row: Row) => row["label"] === "neutral" ? 1 : 0
  return rows.toSorted((a, b) => isNeutral(a) - isNeutral(b))
}

/** A value on one line, without the column separator. */
function cellOf(value: unknown): string {
  return value === null || value === undefined ? "" : String(value).replace(/\s+/g, " ")
}

const utf8 = new TextEncoder()
const bytesOf = (text: string) => utf8.encode(text).length
