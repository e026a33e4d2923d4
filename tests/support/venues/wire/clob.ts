/**
 * The simulated world in the CLOB's format: numbers as strings, the best level last.
 *
 * @module
 */
import { type EpochMs, hour, isoTime, minute, second } from "../../../../src/core/domain/time.ts"
import type { Level } from "../../../../src/markets/domain/book.ts"
import { midOf, roundPrice } from "../../../../src/venues/simulated/books.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"
import type { WorldClock } from "./clock.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/catalogue.ts"
import { hex, mix } from "../../../../src/venues/simulated/seed.ts"
import type { Json } from "./gamma.ts"

/** One book; null for a token without one. */
export function clobBook(
  world: World,
  clock: WorldClock,
  tokenId: string,
  at: EpochMs,
): Json | null {
  const token = world.catalogue.byToken(tokenId)
  const book = world.book(tokenId, at)
  const quote = token === undefined ? null : world.quote(token.market, at)
  if (token === undefined || book === undefined || quote === null) return null
  const mid = midOf(quote)
  return {
    market: token.market.id,
    asset_id: tokenId,
    timestamp: String(clock.fromWorld(book.observedAt)),
    hash: hex(mix(quote.key, 300 + token.outcome), 40),
    bids: worstFirst(book.bids),
    asks: worstFirst(book.asks),
    min_order_size: "5",
    tick_size: String(1 / quote.ticksPerUsd),
    neg_risk: token.market.rivals > 0,
    last_trade_price: String(token.outcome === 0 ? mid : roundPrice(1 - mid)),
  }
}

/** The exchange's page of a market, which names the winner once it is published. */
export function clobMarket(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): Json {
  const published = at < market.resolvedAt ? [0, 0] : world.truth.payouts(market) ?? [0, 0]
  return {
    condition_id: market.id,
    market_slug: market.slug,
    question: market.question,
    active: true,
    closed: at >= market.resolvedAt,
    accepting_orders: at < market.resolvedAt,
    end_date_iso: isoTime(clock.fromWorld(market.endsAt)),
    is_50_50_outcome: published[0] === 0.5,
    tokens: market.tokenIds.map((token_id, outcome) => ({
      token_id,
      outcome: market.outcomes[outcome],
      winner: published[outcome] === 1,
    })),
  }
}

/** The response to a price history request. */
export function clobHistory(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
): { readonly status: number; readonly body: Json } {
  const tokenId = query.get("market") ?? ""
  const range = rangeOf(query, clock.fromWorld(now))
  const fidelity = Math.max(1, Number(query.get("fidelity") ?? "1") || 1)
  const points = world.history(
    tokenId,
    { from: clock.toWorld(range.from), to: Math.min(now, clock.toWorld(range.to)) },
    Math.max(minute, fidelity * minute * clock.speed),
  )
  return {
    status: 200,
    body: {
      history: points.map(({ at, price }) => ({
        t: Math.floor(clock.fromWorld(at) / second),
        p: price,
      })),
    },
  }
}

const intervals: { readonly [name: string]: number } = {
  "1h": hour,
  "6h": 6 * hour,
  "1d": 24 * hour,
  "1w": 7 * 24 * hour,
  "1m": 15 * 24 * hour,
  "max": 15 * 24 * hour,
}

function rangeOf(query: URLSearchParams, now: EpochMs) {
  const start = Number(query.get("startTs"))
  const end = Number(query.get("endTs"))
  if (start > 0 && end >= start) return { from: start * second, to: end * second }
  return { from: now - (intervals[query.get("interval") ?? ""] ?? 0), to: now }
}

function worstFirst(levels: ReadonlyArray<Level>) {
  return levels.toReversed().map(({ price, size }) => ({
    price: String(price),
    size: String(size),
  }))
}
