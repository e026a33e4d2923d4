/**
 * Sample markets, books and moves for tests of the domain. Each is valid by default.
 *
 * @module
 */
import { Result } from "effect"
import {
  type Level,
  type Microstructure,
  microstructure,
  type OrderBook,
} from "../../../src/markets/domain/book.ts"
import {
  type Market,
  MarketId,
  type SeriesPoint,
  Slug,
  TokenId,
} from "../../../src/markets/domain/market.ts"
import type { MoveContext, MoveInput } from "../../../src/movers/domain/gates.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"

export const now = Date.UTC(2026, 10, 20, 12)
export const tickIntervalMs = 10 * minute

/** A live, liquid, ordinary market. */
export function market(fields: Partial<Market> = {}): Market {
  return {
    id: MarketId.make("m1"),
    slug: Slug.make("will-the-lighthouse-be-lit"),
    question: "Will the lighthouse be lit?",
    eventSlug: "lighthouse",
    url: "https://venue.example/lighthouse",
    category: null,
    outcomes: ["Yes", "No"],
    tokenIds: [TokenId.make("yes"), TokenId.make("no")],
    endsAt: null,
    createdAt: null,
    rulesDates: [],
    gameStartsAt: null,
    eventKey: "lighthouse",
    exclusive: false,
    volumeUsd: 50_000,
    volume24hUsd: 5_000,
    liquidityUsd: 20_000,
    status: "open",
    listed: null,
    takerFeeRate: 0,
    mechanical: null,
    ...fields,
  }
}

export function book(bids: ReadonlyArray<Level>, asks: ReadonlyArray<Level>): OrderBook {
  return { tokenId: TokenId.make("yes"), bids, asks, observedAt: now }
}

/** The other token's book: a bid at p is an ask at 1 - p for the same number of shares, and back. */
export function mirrored(of: OrderBook): OrderBook {
  const other = ({ price, size }: Level) => ({ price: 1 - price, size })
  return { ...of, bids: of.asks.map(other), asks: of.bids.map(other) }
}

/** The microstructure of a valid book with one level a side; its depth is split evenly in USD. */
export function microstructureWith(
  fields: { readonly mid?: number; readonly spread?: number; readonly depthUsd?: number } = {},
): Microstructure {
  const { mid = 0.6, spread = 0.01, depthUsd = 10_000 } = fields
  const level = (price: number) => ({ price, size: depthUsd / 2 / price })
  return Result.getOrThrow(
    microstructure(book([level(mid - spread / 2)], [level(mid + spread / 2)])),
  )
}

/** A move from 0.50 to 0.60 in an hour that passes gates 1 to 4. */
export function moveInput(fields: Partial<MoveInput> = {}): MoveInput {
  return {
    market: market(),
    book: Result.succeed(microstructureWith()),
    window: "1h",
    now,
    tickIntervalMs,
    start: { at: now - hour, mid: 0.5 },
    ...fields,
  }
}

/** The last 40 minutes at this price. */
export function settledAt(mid: number): ReadonlyArray<SeriesPoint> {
  return [1, 2, 3, 4].map((ticks) => ({ at: now - ticks * tickIntervalMs, mid }))
}

/** 40 minutes at the new price, and no item before. */
export function moveContext(fields: Partial<MoveContext> = {}): MoveContext {
  return { points: settledAt(0.6), emitted: [], ...fields }
}

export const yesterday = now - day
