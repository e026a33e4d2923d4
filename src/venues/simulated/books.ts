/**
 * The visible prices of a simulated market: its order book, listing row and price history.
 *
 * The book is centred on the true probability, on a tick grid; that of a misquoted rung is above it. It
 * follows a change of the probability at the next quote, and else moves by noise only.
 *
 * @module
 */
import { day, type EpochMs, second } from "../../core/domain/time.ts"
import type { Level, OrderBook } from "../../markets/domain/book.ts"
import { eventKeyOf } from "../../markets/domain/eventKey.ts"
import type { Market, MarketStatus } from "../../markets/domain/market.ts"
import { rulesDatesOf } from "../../markets/domain/rungs.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { rulesOf } from "./endings.ts"
import { misquoteOf } from "./path.ts"
import { between, gaussian, type Key, mix } from "./seed.ts"

/** Makers update their quotes at this interval; the book does not change in between. */
const quoteMs = 5 * second

/** Best prices in whole ticks, of the first outcome. */
export interface Quote {
  readonly bidTicks: number
  readonly askTicks: number
  /** Ticks in one dollar: 100 or 1,000. */
  readonly ticksPerUsd: number
  readonly key: Key
}

/** The part of a market's key from which its quotes are drawn. */
const quotePart = 7
/** Makers skew their quotes by at most half the spread, so the target stays between bid and ask. */
const skewMax = 0.5

/** The time of the last quote at or before `at`. */
export function quotedAt(at: EpochMs): EpochMs {
  return Math.floor(at / quoteMs) * quoteMs
}

/** The quote at `at`; `truth` is the true probability at `quotedAt(at)`. */
export function makeQuote(market: SimulatedMarket, truth: number, at: EpochMs): Quote {
  const key = mix(mix(market.key, quotePart), Math.floor(at / quoteMs))
  const ticksPerUsd = truth < 0.04 || truth > 0.96 ? 1_000 : 100
  const width = market.spread * Math.max(0.25, 2 * Math.sqrt(truth * (1 - truth)))
  const spread = Math.max(1, Math.round(width * ticksPerUsd + 0.3 * gaussian(mix(key, 1))))
  const skew = Math.max(-skewMax, Math.min(skewMax, 0.3 * gaussian(mix(key, 2))))
  const misquote = 4 * truth * (1 - truth) * misquoteOf(market)
  const centre = (truth + misquote + skew * width) * ticksPerUsd
  const bidTicks = Math.min(
    ticksPerUsd - 1 - spread,
    Math.max(1, Math.round(centre - spread / 2)),
  )
  return { bidTicks, askTicks: bidTicks + spread, ticksPerUsd, key }
}

/** The mid as in the venue's price history. */
export function midOf(quote: Quote): number {
  return (quote.bidTicks + quote.askTicks) / (2 * quote.ticksPerUsd)
}

/** The book of one token. The second token's book mirrors the first's. */
export function makeBook(
  market: SimulatedMarket,
  outcome: 0 | 1,
  quote: Quote,
  observedAt: EpochMs,
): OrderBook {
  const { bidTicks, askTicks, ticksPerUsd, key } = quote
  const bids = ladder(market, mix(key, 3), ticksPerUsd, { best: bidTicks, step: -1 })
  const asks = ladder(market, mix(key, 4), ticksPerUsd, { best: askTicks, step: 1 })
  const mirror = (levels: ReadonlyArray<Level>) =>
    levels.map(({ price, size }) => ({ price: roundPrice(1 - price), size }))
  const sides = outcome === 0 ? { bids, asks } : { bids: mirror(asks), asks: mirror(bids) }
  return { tokenId: market.tokenIds[outcome], ...sides, observedAt }
}

/** Levels of a side near the mid: all of them are within five cents of it, for a narrow spread. */
const nearLevels = 4
/** The distance of two levels, and of the outermost one from the best price, USD. */
const [levelGap, farGap] = [0.006, 0.09]

/** One side, best first: half the market's depth near the mid, and one more level far outside. */
function ladder(
  market: SimulatedMarket,
  key: Key,
  ticksPerUsd: number,
  { best, step }: { readonly best: number; readonly step: 1 | -1 },
): ReadonlyArray<Level> {
  const places = (ticks: ReadonlyArray<number>) =>
    ticks.map((away) => best + step * Math.round(away))
      .filter((place) => place >= 1 && place <= ticksPerUsd - 1)
  const near = places(Array.from({ length: nearLevels }, (_, n) => n * levelGap * ticksPerUsd))
  const usd = market.depthUsd / 2 * between(mix(key, 2), 0.85, 1.15)
  const weights = near.map((_, n) => between(mix(key, 10 + n), 0.5, 1.5))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return [
    ...near.map((place, n) => level(place, ticksPerUsd, usd * (weights[n] ?? 0) / total)),
    ...places([farGap * ticksPerUsd]).map((place) => level(place, ticksPerUsd, usd)),
  ]
}

function level(ticks: number, ticksPerUsd: number, usd: number): Level {
  const price = ticks / ticksPerUsd
  return { price, size: Math.max(5, Math.round(usd / price * 100) / 100) }
}

/** Rounds a price to 0.0001, which removes floating-point error from sums of ticks. */
export function roundPrice(price: number): number {
  return Math.round(price * 10_000) / 10_000
}

/** The listing's best prices are up to this old. */
const listingAgeMs = 30_000

export function listedAt(
  market: SimulatedMarket,
  at: EpochMs,
  quote: (market: SimulatedMarket, at: EpochMs) => Quote | null,
): Market {
  const seen = quote(market, Math.max(market.opensAt, at - at % listingAgeMs))
  const age = Math.max(0, Math.min(at, market.resolvedAt) - market.opensAt) / day
  return {
    id: market.id,
    slug: market.slug,
    question: market.question,
    eventSlug: market.eventSlug,
    // A reserved name (RFC 2606): a simulated market must not link to the real venue.
    url: `https://simulated.example/event/${market.eventSlug}/${market.slug}`,
    category: market.category,
    outcomes: market.outcomes,
    tokenIds: market.tokenIds,
    endsAt: market.listedEndsAt,
    createdAt: market.opensAt,
    rulesDates: rulesDatesOf(market.question, rulesOf(market)),
    gameStartsAt: market.kind === "sports" ? market.endsAt : null,
    eventKey: eventKeyOf(market),
    exclusive: market.rivals > 0,
    volumeUsd: toCent(market.volumeAtOpenUsd + market.volumePerDayUsd * age),
    volume24hUsd: toCent(market.volumePerDayUsd),
    liquidityUsd: toCent(market.depthUsd * 1.5),
    status: statusOf(market, at),
    listed: seen && {
      bestBid: seen.bidTicks / seen.ticksPerUsd,
      bestAsk: seen.askTicks / seen.ticksPerUsd,
    },
    takerFeeRate: market.takerFeeRate,
    mechanical: null,
  }
}

function statusOf(market: SimulatedMarket, at: EpochMs): MarketStatus {
  if (at >= market.resolvedAt) return market.end === "cancelled" ? "closed" : "resolved"
  return at >= market.proposedAt ? "proposed" : "open"
}

const toCent = (usd: number) => Math.round(usd * 100) / 100
