/**
 * Polymarket as a venue: Gamma lists, the CLOB has books and histories, the Data API has the tape
 * and the wallets behind it.
 *
 * @module
 */
import { Clock, Effect, Layer, Result, Semaphore } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { OrderBook } from "../../markets/domain/book.ts"
import type { MarketId, PricePoint, TokenId, Trade } from "../../markets/domain/market.ts"
import { day, type EpochMs, minute, second } from "../../core/domain/time.ts"
import { type Decoded, VenueClient } from "../../markets/VenueClient.ts"
import { inBatches } from "./batches.ts"
import { decodeBook, decodeHistory } from "./clob.ts"
import { dataPage, decodeTrades, oldest } from "./data.ts"
import { merge } from "./decoded.ts"
import { facts } from "./facts.ts"
import { defaultLimits, type Limits } from "./limits.ts"
import { listMarkets } from "./listing.ts"
import { proposals } from "./proposals.ts"
import { type Ask, asks } from "./requests.ts"
import { resolutions } from "./resolutions.ts"
import { rules } from "./rules.ts"
import { walletSource } from "./wallets.ts"

interface PolymarketOptions {
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
      const listing = { ask: asks(client, gamma, pace.facts, limits), url: options.gammaUrl }
      const oracle = { ask: asks(client, data, pace.resolutions, limits), url: options.dataUrl }
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
        facts: facts(listing, limits),
        resolutions: resolutions({
          oracle,
          listing,
          page: { ask: asks(client, clob, pace.page, limits), url: options.clobUrl },
        }, limits),
        proposals: proposals(oracle, limits),
        rules: rules(listing, limits),
        wallets: walletSource(
          {
            activity: asks(client, data, pace.activity, limits),
            leaderboard: asks(client, data, pace.leaderboard, limits),
          },
          options.dataUrl,
          limits,
        ),
      })
    }),
  )
}

function books(ask: Ask, options: PolymarketOptions, limits: Limits) {
  const readBatch = Effect.fnUntraced(function* (tokenIds: ReadonlyArray<TokenId>) {
    const request = HttpClientRequest.post(`${options.clobUrl}/books`).pipe(
      HttpClientRequest.bodyJsonUnsafe(tokenIds.map((tokenId) => ({ token_id: tokenId }))),
    )
    const rows = yield* ask("books", request, rowsOf)
    const now = yield* Clock.currentTimeMillis
    return decodeBooks(rows, new Set(tokenIds), now)
  })
  const batching = {
    size: limits.bookBatch,
    atOnce: limits.bookBatchesAtOnce,
    splitsMax: limits.bookSplitsMax,
  }
  return Effect.fn("polymarket.books")(function* (tokenIds: ReadonlyArray<TokenId>) {
    return yield* inBatches([...new Set(tokenIds)], batching, readBatch)
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
        const read = dataPage(body)
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
  return Array.isArray(body) ? body : null
}
