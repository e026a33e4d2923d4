/**
 * Reads a CSV file or a file of JSON lines row by row, in bounded memory.
 *
 * @module
 */
import { Clock, Console, Effect, Result, Schema, Stream } from "effect"
import { second } from "../core/domain/time.ts"
import { type LineReader, lineReader, missingColumns, type RawRow } from "./domain/tableText.ts"

/** The file cannot be read as a table; the message says why. */
export class FileRefused
  extends Schema.TaggedError<FileRefused>()("FileRefused", { message: Schema.String }) {}

/** A longer line is not kept in memory; it counts as a bad row. */
const lineCharsMax = 100_000

const progressEveryMs = 5 * second

/** Bad rows by reason, with the line of the first one. */
type BadRows = Map<string, { count: number; readonly firstLine: number }>

interface TableRead {
  readonly rows: number
  readonly bad: BadRows
}

/** How a table is read. */
interface TableReader {
  /** Each entry names alternatives; see `missingColumns`. */
  readonly required: ReadonlyArray<ReadonlyArray<string>>
  /** Reading ends after this many rows. */
  readonly rowsMax: number
  /** Uses a row; returns why it cannot, or null. */
  readonly onRow: (row: RawRow) => string | null
}

/**
 * Reads every row of the file. A bad row is counted and does not stop the others. Fails when the file
 * cannot be opened, has no row, or misses a column.
 */
export const readTable = Effect.fn("readTable")(function* (path: string, table: TableReader) {
  const bad: BadRows = new Map()
  const lines = lineHandler(path, table, bad)
  const started = yield* Clock.currentTimeMillis
  let printed = started
  const file = yield* Effect.tryPromise({
    try: () => Deno.open(path, { read: true }),
    catch: (error) => new FileRefused({ message: `Cannot open ${path}: ${reason(error)}` }),
  })
  yield* Stream.fromReadableStream({
    evaluate: () => file.readable,
    onError: (error) => new FileRefused({ message: `Cannot read ${path}: ${reason(error)}` }),
  }).pipe(
    Stream.decodeText(),
    Stream.takeUntil(() => lines.rows >= table.rowsMax),
    Stream.runForEach(Effect.fnUntraced(function* (text) {
      lines.feed(text)
      if (lines.refusal !== null) return yield* new FileRefused({ message: lines.refusal })
      const now = yield* Clock.currentTimeMillis
      if (now - printed < progressEveryMs) return
      printed = now
      yield* Console.error(`${lines.rows} rows, ${Math.round((now - started) / second)} s`)
    })),
  )
  lines.end()
  if (lines.refusal !== null) return yield* new FileRefused({ message: lines.refusal })
  if (lines.rows === 0) {
    const message = [`${path} has no usable row`, ...badRowLines(bad)].join("\n")
    return yield* new FileRefused({ message })
  }
  return { rows: lines.rows, bad } satisfies TableRead
})

/** One line for each reason. */
export function badRowLines(bad: BadRows): ReadonlyArray<string> {
  return [...bad].map(([why, { count, firstLine }]) =>
    `bad rows: ${count} ${why}, the first in line ${firstLine}`
  )
}

function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file"
  return error instanceof Error ? error.message : String(error)
}

/** Splits text into lines and hands on the rows. */
function lineHandler(path: string, { required, rowsMax, onRow }: TableReader, bad: BadRows) {
  let [rest, lineNumber, tooLong] = ["", 0, false]
  let reader: LineReader | null = null
  const isComplete = (columns: ReadonlyArray<string>) => {
    const missing = missingColumns(required, columns)
    if (missing.length > 0) state.refusal = `${path} has no column ${missing.join(", ")}`
    return missing.length === 0
  }
  const reject = (why: string) => {
    const known = bad.get(why)
    if (known === undefined) bad.set(why, { count: 1, firstLine: lineNumber })
    else known.count += 1
  }
  const onLine = (line: string) => {
    lineNumber += 1
    if (state.refusal !== null || state.rows >= rowsMax || line.trim() === "") return
    if (reader === null) {
      reader = lineReader(line)
      if (reader.header !== null) return void isComplete(reader.header)
      line = line.replace(/^\uFEFF/, "")
    }
    const row = reader.read(line)
    if (Result.isFailure(row)) return reject(row.failure)
    const isFirst = reader.header === null && state.rows === 0 && bad.size === 0
    if (isFirst && !isComplete(Object.keys(row.success))) return
    const why = onRow(row.success)
    if (why === null) state.rows += 1
    else reject(why)
  }
  const feed = (text: string) => {
    const parts = text.split("\n")
    parts[0] = rest + parts[0]
    rest = parts.pop() ?? ""
    for (const line of parts) {
      if (tooLong || line.length > lineCharsMax) {
        lineNumber += 1
        reject("too_long")
        tooLong = false
      } else onLine(line.endsWith("\r") ? line.slice(0, -1) : line)
    }
    if (rest.length > lineCharsMax) [rest, tooLong] = ["", true]
  }
  const end = () => {
    if (rest !== "" || tooLong) feed("\n")
  }
  const state: { rows: number; refusal: string | null; feed: typeof feed; end: typeof end } = {
    ...{ rows: 0, refusal: null, feed, end },
  }
  return state
}
