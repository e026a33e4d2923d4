/**
 * The CLOB, the venue's exchange: its order books, price histories and market pages.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { day, type EpochMs, minute, second } from "../../core/domain/time.ts"
import type { Decoded } from "../../markets/VenueClient.ts"
import type { Level, OrderBook } from "../../markets/domain/book.ts"
import { type PricePoint, TokenId } from "../../markets/domain/market.ts"
import { inBatches, type RequestLimits, type Route } from "./requests.ts"
import { flag, id, instant, list, number, object } from "./wire.ts"

/** The venue rejects windows over 15 days. */
const historyWindowMs = 14 * day

export function books({ send, url }: Route, limits: RequestLimits) {
  const readBatch = Effect.fnUntraced(function* (tokenIds: ReadonlyArray<TokenId>) {
    const request = HttpClientRequest.post(`${url}/books`).pipe(
      HttpClientRequest.bodyJsonUnsafe(tokenIds.map((tokenId) => ({ token_id: tokenId }))),
    )
    const rows = yield* send("books", request, rowsOf)
    const now = yield* Clock.currentTimeMillis
    return decodeBooks(rows, new Set(tokenIds), now)
  })
  const batching = {
    size: limits.bookBatch,
    atOnce: limits.bookBatchesAtOnce,
    splitsMax: limits.bookSplitsMax,
  }
  return Effect.fn("polymarket.books")(function* (tokenIds: ReadonlyArray<TokenId>) {
    return yield* inBatches("books", [...new Set(tokenIds)], batching, readBatch)
  })
}

function decodeBooks(
  rows: ReadonlyArray<unknown>,
  requested: ReadonlySet<TokenId>,
  now: EpochMs,
): Decoded<OrderBook> {
  const found = new Map<TokenId, OrderBook>()
  const rejected: Record<string, number> = {}
  for (const row of rows) {
    const decoded = decodeBook(row, now)
    const reason = Result.isFailure(decoded)
      ? decoded.failure
      : requested.has(decoded.success.tokenId)
      ? null
      : "not_requested"
    if (reason !== null) rejected[reason] = (rejected[reason] ?? 0) + 1
    else if (Result.isSuccess(decoded)) found.set(decoded.success.tokenId, decoded.success)
  }
  return { rows: [...found.values()], rejected }
}

/** Reads the range in windows that the venue accepts, and drops points outside the range. */
export function priceHistory({ send, url }: Route, limits: RequestLimits) {
  return Effect.fn("polymarket.priceHistory")(function* (
    tokenId: TokenId,
    range: { readonly from: EpochMs; readonly to: EpochMs; readonly stepMs: number },
  ) {
    const points: Array<PricePoint> = []
    const windows = Math.min(
      Math.ceil((range.to - range.from) / historyWindowMs),
      limits.historyWindowsMax,
    )
    const first = range.to - windows * historyWindowMs
    for (let window = 0; window < windows; window++) {
      const start = Math.max(range.from, first + window * historyWindowMs)
      const end = first + (window + 1) * historyWindowMs
      const request = HttpClientRequest.get(`${url}/prices-history`, {
        urlParams: {
          market: tokenId,
          startTs: Math.floor(start / second),
          endTs: Math.ceil(end / second),
          fidelity: Math.max(1, Math.round(range.stepMs / minute)),
        },
      })
      const found = yield* send("priceHistory", request, decodeHistory)
      for (const point of found) if (point.at >= start && point.at <= range.to) points.push(point)
    }
    return points
  })
}

/** Why a whole book is rejected. */
type BookRejection = "undecodable" | "missing_token" | "too_many_levels"

/** At the finest tick (0.0001) a side has at most 9,999 levels. */
const levelsMax = 10_000

/**
 * One book. The levels keep the venue's order, which can be any; a level without a numeric price and
 * size is dropped. `observedAt` is the venue's timestamp, capped at `receivedAt`.
 */
export function decodeBook(
  value: unknown,
  receivedAt: EpochMs,
): Result.Result<OrderBook, BookRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const tokenId = id(row["asset_id"] ?? row["token_id"])
  if (tokenId === null) return Result.fail("missing_token")
  const bids = list(row["bids"])
  const asks = list(row["asks"])
  if (bids.length > levelsMax || asks.length > levelsMax) return Result.fail("too_many_levels")
  return Result.succeed({
    tokenId: TokenId.make(tokenId),
    bids: levels(bids),
    asks: levels(asks),
    observedAt: Math.min(instant(row["timestamp"]) ?? receivedAt, receivedAt),
  })
}

/** The points of a price history, in the venue's order. Null when the body has no series. */
export function decodeHistory(value: unknown): ReadonlyArray<PricePoint> | null {
  const body = object(value)
  const rows = body?.["history"]
  if (body !== null && body["history"] === null) return []
  if (!Array.isArray(rows)) return null
  return rows.flatMap((row) => {
    const fields = object(row)
    if (fields === null) return []
    const at = instant(fields["t"])
    const price = number(fields["p"])
    return at === null || price === null || price < 0 || price > 1 ? [] : [{ at, price }]
  })
}

/**
 * What a share of each outcome paid, by the market's page: 1 if its token won, or half each. `none`
 * for an open market and for a closed one without a winner: pages of old markets flag none although one
 * outcome won. `unread` when the page does not say that of two tokens of the market. It has its own token
 * order; `tokenIds` gives the market's order when known.
 */
export function payoutsFromPage(
  value: unknown,
  tokenIds: readonly [string, string] | null,
): readonly [number, number] | "none" | "unread" {
  const page = object(value)
  const tokens = list(page?.["tokens"]).map((token) => object(token))
  const closed = flag(page?.["closed"])
  if (closed === false) return "none"
  const flags = tokens.map((token) => flag(token?.["winner"]))
  if (closed === null || tokens.length !== 2 || flags.includes(null)) return "unread"
  const winners = tokens.filter((_, n) => flags[n])
  if (winners.length === 0) return flag(page?.["is_50_50_outcome"]) === true ? [0.5, 0.5] : "none"
  const won = id(winners[0]?.["token_id"])
  const [first, second] = tokenIds ?? tokens.map((token) => id(token?.["token_id"]))
  if (winners.length > 1 || won === null || first === second) return "unread"
  return won === first ? [1, 0] : won === second ? [0, 1] : "unread"
}

function levels(rows: ReadonlyArray<unknown>): ReadonlyArray<Level> {
  const found: Array<Level> = []
  for (const row of rows) {
    const fields = object(row)
    const price = number(fields?.["price"])
    const size = number(fields?.["size"])
    if (price !== null && size !== null) found.push({ price, size })
  }
  return found
}

function rowsOf(body: unknown): ReadonlyArray<unknown> | null {
  return Array.isArray(body) ? body : null
}
