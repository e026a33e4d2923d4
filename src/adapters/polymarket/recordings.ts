/**
 * What a recorded page of the venue holds, told by its shape, and decoded as of its recording.
 *
 * A page is judged as of the newest moment it mentions: a market that ended a month ago today had
 * not ended when it was recorded.
 *
 * @module
 */
import { Result } from "effect"
import type { OrderBook } from "../../domain/book.ts"
import type { Market, PricePoint, Trade } from "../../domain/market.ts"
import type { EpochMs } from "../../domain/time.ts"
import type { Decoded } from "../../services/VenueClient.ts"
import { asGammaRow, decodeBook, decodeHistory } from "./clob.ts"
import { decodeTrades } from "./data.ts"
import { decodeMarkets } from "./gamma.ts"
import { instant, list, object, type WireObject } from "./wire.ts"

/** A recorded page's rows by what they are. */
export interface RecordedRows {
  readonly markets: ReadonlyArray<WireObject>
  readonly books: ReadonlyArray<WireObject>
  readonly trades: ReadonlyArray<WireObject>
  readonly points: ReadonlyArray<PricePoint>
  /** Rows of kinds that no `VenueClient` call gives: leaderboards, activity, messages. */
  readonly unused: number
  /** The newest moment the rows mention; null when they mention none. */
  readonly newest: EpochMs | null
}

export interface RecordedPage {
  readonly markets: Decoded<Market>
  readonly books: Decoded<OrderBook>
  readonly trades: Decoded<Trade>
  readonly points: ReadonlyArray<PricePoint>
  readonly unused: number
}

/** Sorts a page's rows by their shape: any response of the venue, whole, bare or one row of it. */
export function recognise(body: unknown): RecordedRows {
  const markets: Array<WireObject> = []
  const books: Array<WireObject> = []
  const trades: Array<WireObject> = []
  let unused = 0
  const points = isHistory(body) ? decodeHistory(body) ?? [] : []
  for (const value of isHistory(body) ? [] : rowsOf(body)) {
    const row = object(value)
    const kind = row === null ? "other" : kindOf(row)
    if (row === null || kind === "other") unused++
    else if (kind === "event") markets.push(...marketsOfEvent(row))
    else if (kind === "market") markets.push(row)
    else if (kind === "clob_market") markets.push(asGammaRow(row))
    else if (kind === "book") books.push(row)
    else trades.push(row)
  }
  return { markets, books, trades, points, unused, newest: newest(markets, books, trades, points) }
}

/** Decodes the rows as of `asOf`. */
export function decodePage(rows: RecordedRows, asOf: EpochMs): RecordedPage {
  return {
    markets: decodeMarkets(rows.markets, asOf),
    books: decodeBooks(rows.books, asOf),
    trades: decodeTrades(rows.trades, null),
    points: rows.points,
    unused: rows.unused,
  }
}

/** Trades have a time and a price too, and more besides. */
function isHistory(body: unknown): boolean {
  const fields = object(body)
  if (Array.isArray(fields?.["history"])) return true
  const first = object(list(fields?.["data"])[0])
  return first !== null && "price" in first &&
    Object.keys(first).every((key) => historyFields.has(key))
}

const historyFields: ReadonlySet<string> = new Set(["timestamp", "price", "resolution_seconds"])

function rowsOf(body: unknown): ReadonlyArray<unknown> {
  if (Array.isArray(body)) return body
  const fields = object(body)
  if (fields === null) return []
  if (Array.isArray(fields["data"])) return fields["data"]
  if (Array.isArray(fields["events"]) && !("conditionId" in fields)) return fields["events"]
  if (Array.isArray(fields["markets"]) && !("slug" in fields)) return fields["markets"]
  return [fields]
}

type Kind = "market" | "event" | "clob_market" | "book" | "trade" | "other"

function kindOf(row: WireObject): Kind {
  if ("conditionId" in row && "clobTokenIds" in row) return "market"
  if (Array.isArray(row["markets"])) return "event"
  if ("condition_id" in row && Array.isArray(row["tokens"])) return "clob_market"
  if ("asset_id" in row && Array.isArray(row["bids"]) && Array.isArray(row["asks"])) return "book"
  const signed = "transaction_hash" in row || "transactionHash" in row
  return signed && "side" in row && "price" in row && !("type" in row) ? "trade" : "other"
}

/** A market inside of its event does not name it again. */
function marketsOfEvent(event: WireObject): ReadonlyArray<WireObject> {
  return list(event["markets"]).flatMap((value) => {
    const market = object(value)
    return market === null ? [] : [{ events: [{ ...event, markets: [] }], ...market }]
  })
}

function decodeBooks(rows: ReadonlyArray<WireObject>, asOf: EpochMs): Decoded<OrderBook> {
  const books: Array<OrderBook> = []
  const rejected: Record<string, number> = {}
  for (const row of rows) {
    const decoded = decodeBook(row, asOf)
    if (Result.isSuccess(decoded)) books.push(decoded.success)
    else rejected[decoded.failure] = (rejected[decoded.failure] ?? 0) + 1
  }
  return { rows: books, rejected }
}

function newest(
  markets: ReadonlyArray<WireObject>,
  books: ReadonlyArray<WireObject>,
  trades: ReadonlyArray<WireObject>,
  points: ReadonlyArray<PricePoint>,
): EpochMs | null {
  const moments = [
    ...markets.map((row) => instant(row["updatedAt"])),
    ...[...books, ...trades].map((row) => instant(row["timestamp"])),
    ...points.map(({ at }) => at),
  ]
  return moments.reduce<EpochMs | null>(
    (latest, at) => at !== null && (latest === null || at > latest) ? at : latest,
    null,
  )
}
