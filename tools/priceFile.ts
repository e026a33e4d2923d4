/**
 * Reads a file of prices: CSV with a header, or the venue's own `{"history":[{"t","p"}]}`.
 *
 * @module
 */
import { createReadStream } from "node:fs"
import { type CsvError, type Info, parse } from "csv-parse"
import { Effect, Result, Schema } from "effect"
import type { EpochMs } from "../src/core/domain/time.ts"
import { excerpt } from "../src/core/domain/untrusted.ts"
import { isPrice } from "../src/markets/domain/book.ts"

/** The file cannot be used; the message says why, and what the file has. */
class FileRefused
  extends Schema.TaggedError<FileRefused>()("FileRefused", { message: Schema.String }) {}

/** One price of a market's first outcome. Null: the file does not say. */
export interface PriceRow {
  readonly market: string
  /** Markets of one event are not independent; without an event the market is its own. */
  readonly event: string
  readonly at: EpochMs
  /** Null only in a row that has nothing but a payout. */
  readonly mid: number | null
  readonly spread: number | null
  readonly depthUsd: number | null
  readonly volumeUsd: number | null
  /** What a share of the first outcome was paid, known from this row's time on. */
  readonly payout: number | null
}

interface PriceFile {
  /** In order of time. */
  readonly rows: ReadonlyArray<PriceRow>
  /** Rows that are not used, by reason, with the line of the first one. */
  readonly bad: ReadonlyMap<string, { readonly count: number; readonly firstLine: number }>
}

/** All rows are kept in memory: about 150 bytes each. */
const rowsMax = 5_000_000

/** The names of each column, of which the first one in the file is read. */
const columns = {
  market: ["market"],
  event: ["event"],
  time: ["time", "timestamp", "t"],
  mid: ["mid", "price", "p"],
  bid: ["bid"],
  ask: ["ask"],
  depth: ["depthUsd"],
  volume: ["volumeUsd", "volume24hUsd"],
  payout: ["resolution", "payout"],
} as const
type Column = keyof typeof columns
type Fields = Readonly<Partial<Record<Column, string>>>

const History = Schema.fromJsonString(Schema.Struct({
  history: Schema.Array(Schema.Struct({ t: Schema.Finite, p: Schema.Finite })),
}))

/** Reads the rows of a file. A bad row is counted, and does not stop the others. */
export const readPrices = Effect.fnUntraced(function* (path: string) {
  const name = path.split("/").at(-1) ?? path
  const start = yield* Effect.tryPromise({
    try: () => firstText(path),
    catch: (cause) => refusal(path, cause),
  })
  const { rows, bad } = /^\s*[{[]/.test(start)
    ? yield* historyRows(path, name)
    : yield* Effect.tryPromise({
      try: () => csvRows(path, name),
      catch: (cause) => cause instanceof FileRefused ? cause : refusal(path, cause),
    })
  if (rows.length === 0) {
    const reasons = [...bad].map(([why, { count, firstLine }]) =>
      `${count} ${why}, the first in line ${firstLine}`
    )
    return yield* new FileRefused({ message: [`${path} has no usable row`, ...reasons].join("\n") })
  }
  return { rows: rows.toSorted((a, b) => a.at - b.at), bad } satisfies PriceFile
})

async function firstText(path: string): Promise<string> {
  using file = await Deno.open(path, { read: true })
  const bytes = new Uint8Array(64)
  const read = await file.read(bytes)
  return new TextDecoder().decode(bytes.subarray(0, read ?? 0))
}

function refusal(path: string, cause: unknown): FileRefused {
  const why = cause instanceof Deno.errors.NotFound
    ? "there is no such file"
    : cause instanceof Error
    ? cause.message
    : String(cause)
  return new FileRefused({ message: `Cannot read ${path}: ${why}` })
}

const historyRows = Effect.fnUntraced(function* (path: string, market: string) {
  const text = yield* Effect.tryPromise({
    try: () => Deno.readTextFile(path),
    catch: (cause) => refusal(path, cause),
  })
  const { history } = yield* Schema.decodeUnknownEffect(History)(text).pipe(
    Effect.mapError(() =>
      new FileRefused({
        message: `${path} is JSON, but not {"history":[{"t":seconds,"p":price}]}: it has ${
          excerpt(text.slice(0, 200), 80)
        }`,
      })
    ),
  )
  const found = rowSink()
  for (const [n, { t, p }] of history.entries()) {
    found.add(priceRow({ time: `${t}`, mid: `${p}` }, market), n + 1)
  }
  return found
})

async function csvRows(path: string, market: string) {
  const found = rowSink()
  let names: ReadonlyMap<string, Column> = new Map()
  const parser = createReadStream(path).pipe(parse({
    bom: true,
    info: true,
    max_record_size: 100_000,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) =>
      found.add(Result.fail("unreadable"), Number(error?.["lines"] ?? 0)),
    columns: (header: ReadonlyArray<string>) => {
      names = namesOf(path, header.map((name) => name.trim()))
      return [...header].map((name) => name.trim())
    },
  }))
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    const fields: Partial<Record<Column, string>> = {}
    for (const [name, column] of names) {
      const value = record[name]
      if (value !== undefined && value !== "") fields[column] = value
    }
    found.add(priceRow(fields, market), info.lines)
    if (found.rows.length >= rowsMax) {
      throw new FileRefused({ message: `${path} has more than ${rowsMax} rows` })
    }
  }
  return found
}
interface CsvRecord {
  readonly record: Readonly<Record<string, string>>
  readonly info: Info
}

/** The columns of a header that are read, by their names in the file. */
function namesOf(path: string, header: ReadonlyArray<string>): ReadonlyMap<string, Column> {
  const found = new Map<string, Column>()
  const has = new Set<Column>()
  for (const [column, names] of Object.entries(columns)) {
    const name = names.find((name) => header.includes(name))
    if (name === undefined) continue
    found.set(name, column as Column)
    has.add(column as Column)
  }
  const missing = [
    ...has.has("time") ? [] : [columns.time.join(" or ")],
    ...has.has("mid") || has.has("bid") && has.has("ask")
      ? []
      : [`${columns.mid.join(" or ")}, nor bid and ask`],
  ]
  if (missing.length === 0) return found
  const shown = header.map((name) => excerpt(name, 40)).join(", ")
  throw new FileRefused({
    message: `${path} has no column ${missing.join(", and none of ")}. It has: ${
      excerpt(shown, 400)
    }`,
  })
}

function rowSink() {
  const rows: Array<PriceRow> = []
  const bad = new Map<string, { count: number; readonly firstLine: number }>()
  const add = (row: Result.Result<PriceRow, string>, line: number) => {
    if (Result.isSuccess(row)) return void rows.push(row.success)
    const known = bad.get(row.failure)
    if (known === undefined) bad.set(row.failure, { count: 1, firstLine: line })
    else known.count += 1
  }
  return { rows, bad, add }
}

/** A row of the file. Bid and ask, when both are there, replace `mid`. */
function priceRow(fields: Fields, file: string): Result.Result<PriceRow, string> {
  const { market = file } = fields
  const at = timeOf(fields.time)
  if (!Number.isFinite(at)) return Result.fail("without a time")
  const number = (column: Column) => fields[column] === undefined ? null : Number(fields[column])
  const [bid, ask, payout] = [number("bid"), number("ask"), number("payout")]
  const quoted = bid !== null && ask !== null
  const mid = quoted ? (bid + ask) / 2 : number("mid")
  if (mid === null && payout === null) return Result.fail("without a price")
  const prices = [mid, payout, ...quoted ? [bid, ask] : []]
  if (!prices.every((price) => price === null || isPrice(price))) {
    return Result.fail("with a price that is not from 0 to 1")
  }
  if (quoted && bid >= ask) return Result.fail("with a bid at or above the ask")
  const [depthUsd, volumeUsd] = [number("depth"), number("volume")]
  if (![depthUsd, volumeUsd].every((value) => value === null || Number.isFinite(value))) {
    return Result.fail("with a depth or volume that is no number")
  }
  return Result.succeed({
    market,
    event: fields.event ?? market,
    at,
    mid,
    spread: quoted ? ask - bid : null,
    depthUsd,
    volumeUsd,
    payout,
  })
}

/** Below this a number is taken as seconds, else as milliseconds; in milliseconds it is March 1973. */
const secondsMax = 1e11

/** Seconds, milliseconds, or ISO 8601; a time without a zone is UTC. NaN when it is no time. */
function timeOf(text: string | undefined): EpochMs {
  if (text === undefined) return Number.NaN
  const number = Number(text)
  if (Number.isFinite(number)) return Math.abs(number) < secondsMax ? number * 1_000 : number
  const iso = text.trim().replace(" ", "T")
  return Date.parse(/T[^Z+-]*$/.test(iso) ? `${iso}Z` : iso)
}
