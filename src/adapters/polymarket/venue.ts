/**
 * Polymarket as a venue: Gamma lists, the CLOB has books and histories, the Data API has the tape.
 *
 * @module
 */
import { Array, Clock, Effect, Layer, Result, Semaphore } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { OrderBook } from "../../domain/book.ts"
import type { MarketId, PricePoint, TokenId, Trade } from "../../domain/market.ts"
import { day, type EpochMs, minute, second } from "../../domain/time.ts"
import { type Decoded, VenueClient, type VenueUnavailable } from "../../services/VenueClient.ts"
import { decodeBook, decodeHistory } from "./clob.ts"
import { decodeTrades, oldest, tradePage } from "./data.ts"
import { defaultLimits, type Limits } from "./limits.ts"
import { listMarkets } from "./listing.ts"
import { type Ask, asks } from "./requests.ts"

export interface PolymarketOptions {
  readonly gammaUrl: string
  readonly clobUrl: string
  /** With its version: the venue serves the second under `/v2`. */
  readonly dataUrl: string
  /** Replaces some of `defaultLimits`. */
  readonly limits?: Partial<Limits>
}

export const polymarketUrls = {
  gammaUrl: "https://gamma-api.polymarket.com",
  clobUrl: "https://clob.polymarket.com",
  dataUrl: "https://data-api.polymarket.com/v2",
} as const satisfies PolymarketOptions

/** The venue refuses windows over 15 days. */
const historyWindowMs = 14 * day

/** `VenueClient` over the venue's public endpoints, which need no key. */
export function layer(
  options: PolymarketOptions,
): Layer.Layer<VenueClient, never, HttpClient.HttpClient> {
  const limits: Limits = { ...defaultLimits, ...options.limits }
  return Layer.effect(
    VenueClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const gamma = yield* Semaphore.make(limits.inFlightMax)
      const clob = yield* Semaphore.make(limits.inFlightMax)
      const data = yield* Semaphore.make(limits.inFlightMax)
      const pace = limits.perTenSeconds
      return VenueClient.of({
        name: "polymarket",
        listMarkets: listMarkets(
          asks(client, gamma, pace.listing, limits),
          options.gammaUrl,
          limits,
        ),
        books: books(asks(client, clob, pace.books, limits), options, limits),
        priceHistory: priceHistory(asks(client, clob, pace.history, limits), options, limits),
        trades: trades(asks(client, data, pace.trades, limits), options, limits),
        facts: () => Effect.succeed({ rows: [], rejected: {} }),
        resolutions: () => Effect.succeed({ rows: [], rejected: {} }),
        wallets: null,
      })
    }),
  )
}

/**
 * A batch the venue calls wrong holds a token it does not know: it is halved until the others are
 * read. Tokens that stay unavailable are counted; only when all are does the call fail.
 */
function books(ask: Ask, options: PolymarketOptions, limits: Limits) {
  const readBatch = Effect.fnUntraced(function* (tokenIds: ReadonlyArray<TokenId>) {
    const request = HttpClientRequest.post(`${options.clobUrl}/books`).pipe(
      HttpClientRequest.bodyJsonUnsafe(tokenIds.map((tokenId) => ({ token_id: tokenId }))),
    )
    const rows = yield* ask("books", request, rowsOf)
    const now = yield* Clock.currentTimeMillis
    return decodeBooks(rows, new Set(tokenIds), now)
  })
  return Effect.fn("polymarket.books")(function* (tokenIds: ReadonlyArray<TokenId>) {
    const asked = [...new Set(tokenIds)]
    const failures: Array<VenueUnavailable> = []
    let splits = 0
    const read = (batch: ReadonlyArray<TokenId>): Effect.Effect<Decoded<OrderBook>> =>
      readBatch(batch).pipe(Effect.catch((failure) => {
        if (failure.reason === "status 400" && batch.length > 1 && splits < limits.bookSplitsMax) {
          splits++
          const halves = Array.chunksOf(batch, Math.ceil(batch.length / 2))
          return Effect.map(Effect.forEach(halves, read), merge)
        }
        failures.push(failure)
        return Effect.succeed({ rows: [], rejected: { unavailable: batch.length } })
      }))
    const found = merge(
      yield* Effect.forEach(Array.chunksOf(asked, limits.bookBatch), read, {
        concurrency: limits.bookBatchesAtOnce,
      }),
    )
    const [failure] = failures
    if (failure !== undefined && found.rejected["unavailable"] === asked.length) {
      return yield* failure
    }
    return found
  })
}

function decodeBooks(
  rows: ReadonlyArray<unknown>,
  asked: ReadonlySet<TokenId>,
  now: EpochMs,
): Decoded<OrderBook> {
  const found = new Map<TokenId, OrderBook>()
  const rejected: Record<string, number> = {}
  for (const row of rows) {
    const decoded = decodeBook(row, now)
    const reason = Result.isFailure(decoded)
      ? decoded.failure
      : asked.has(decoded.success.tokenId)
      ? null
      : "unasked"
    if (reason !== null) rejected[reason] = (rejected[reason] ?? 0) + 1
    else if (Result.isSuccess(decoded)) found.set(decoded.success.tokenId, decoded.success)
  }
  return { rows: [...found.values()], rejected }
}

/** The whole range in windows the venue accepts, the points outside of it left out. */
function priceHistory(ask: Ask, options: PolymarketOptions, limits: Limits) {
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
      const request = HttpClientRequest.get(`${options.clobUrl}/prices-history`, {
        urlParams: {
          market: tokenId,
          startTs: Math.floor(start / second),
          endTs: Math.ceil(end / second),
          fidelity: Math.max(1, Math.round(range.stepMs / minute)),
        },
      })
      const found = yield* ask("priceHistory", request, decodeHistory)
      for (const point of found) if (point.at >= start && point.at <= range.to) points.push(point)
    }
    return points
  })
}

/** Pages from the newest fill back, until one is older than `since` or there are enough. */
function trades(ask: Ask, options: PolymarketOptions, limits: Limits) {
  return Effect.fn("polymarket.trades")(function* (marketId: MarketId, since: EpochMs) {
    const found: Array<Decoded<Trade>> = []
    const followed = new Set<string>()
    let cursor: string | null = null
    let count = 0
    for (let page = 0; page < limits.tradePagesMax && count < limits.tradesMax; page++) {
      const request: HttpClientRequest.HttpClientRequest = HttpClientRequest.get(
        `${options.dataUrl}/trades`,
        {
          urlParams: {
            condition: marketId,
            taker_only: "false",
            limit: Math.min(limits.tradeRows, limits.tradesMax),
            ...(cursor === null ? {} : { cursor }),
          },
        },
      )
      const { rows, next } = yield* ask("trades", request, (body) => {
        const read = tradePage(body)
        return read !== null && read.next !== null && followed.has(read.next) ? null : read
      })
      const decoded = decodeTrades(rows, marketId)
      found.push(decoded)
      count += rows.length
      const last = oldest(decoded.rows)
      if (next === null || (last !== null && last < since)) break
      followed.add(next)
      cursor = next
    }
    const all = merge(found)
    const recent = all.rows.filter(({ at }) => at >= since).sort((a, b) => b.at - a.at)
    return { rows: recent.slice(0, limits.tradesMax), rejected: all.rejected }
  })
}

function rowsOf(body: unknown): ReadonlyArray<unknown> | null {
  return globalThis.Array.isArray(body) ? body : null
}

/** Everything that was decoded and everything that was rejected, as one. */
function merge<A>(parts: ReadonlyArray<Decoded<A>>): Decoded<A> {
  const rejected: Record<string, number> = {}
  for (const part of parts) {
    for (const [reason, count] of Object.entries(part.rejected)) {
      rejected[reason] = (rejected[reason] ?? 0) + count
    }
  }
  return { rows: parts.flatMap((part) => part.rows), rejected }
}
