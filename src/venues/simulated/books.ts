/**
 * The visible prices of a simulated market: its order book, listing row and price history.
 *
 * The book is centred on the true probability, on a tick grid; that of a misquoted rung is above it. It follows a change of the probability at
 * the next quote. Between such changes it moves by noise only.
 *
 * @module
 */
import { day, type EpochMs, minute, second } from "../../core/domain/time.ts"
import type { Level, OrderBook } from "../../markets/domain/book.ts"
import { eventKeyOf, type PriceWindow } from "../../markets/domain/eventKey.ts"
import {
  isCryptoPrice,
  type Market,
  type MarketStatus,
  type PricePoint,
} from "../../markets/domain/market.ts"
import { rulesDatesOf } from "../../markets/domain/rungs.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { rulesOf } from "./endings.ts"
import { misquoteOf } from "./probability.ts"
import { between, gaussian, type Key, mix, uniform } from "./seed.ts"

/** Makers update their quotes at this interval; the book does not change in between. */
const quoteMs = 5 * second

/** Best prices in whole ticks, of the first outcome. */
export interface Quote {
  readonly bidTicks: number
  readonly askTicks: number
  /** Ticks in one dollar: 100 or 1,000. */
  readonly ticksPerUsd: number
  readonly fault: "none" | "one_sided" | "ghost"
  readonly key: Key
}

/** The part of a market's key from which its quotes are drawn. */
const quotePart = 7
/** Makers skew their quotes by at most half the spread, so the target stays between bid and ask. */
const skewMax = 0.5
/** Share of half hours with the fault of the market's `bookKind`. */
const faultShare = 0.8
/** Share of minutes in which any market's book is one-sided. */
const oneSidedShare = 0.003

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
  return { bidTicks, askTicks: bidTicks + spread, ticksPerUsd, fault: faultOf(market, at), key }
}

function faultOf(market: SimulatedMarket, at: EpochMs): Quote["fault"] {
  const ofMinute = mix(mix(market.key, 8), Math.floor(at / minute))
  if (uniform(ofMinute) < oneSidedShare) return "one_sided"
  if (market.bookKind === "valid") return "none"
  const ofHalfHour = mix(mix(market.key, 9), Math.floor(at / (30 * minute)))
  return uniform(ofHalfHour) < faultShare ? market.bookKind : "none"
}

/** The mid as in the venue's price history; for an invalid book, the mid that it has without its fault. */
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
  const sides = sidesOf(market, quote)
  const mirror = (levels: ReadonlyArray<Level>) =>
    levels.map(({ price, size }) => ({ price: roundPrice(1 - price), size }))
  return outcome === 0 ? { tokenId: market.tokenIds[0], ...sides, observedAt } : {
    tokenId: market.tokenIds[1],
    bids: mirror(sides.asks),
    asks: mirror(sides.bids),
    observedAt,
  }
}

function sidesOf(market: SimulatedMarket, quote: Quote) {
  const { bidTicks, askTicks, ticksPerUsd } = quote
  if (quote.fault === "ghost") {
    return { bids: [{ price: 0.01, size: 500 }], asks: [{ price: 0.99, size: 500 }] }
  }
  const bids = ladder(market, mix(quote.key, 3), ticksPerUsd, { best: bidTicks, step: -1 })
  const asks = ladder(market, mix(quote.key, 4), ticksPerUsd, { best: askTicks, step: 1 })
  if (quote.fault === "one_sided") {
    return mix(market.key, 10) % 2 === 0 ? { bids: [], asks } : { bids, asks: [] }
  }
  return { bids, asks }
}

const levelsWithin5c = 5

/** One side, best first: half the market's depth within 5 cents, and one more level far outside. */
function ladder(
  market: SimulatedMarket,
  key: Key,
  ticksPerUsd: number,
  side: { readonly best: number; readonly step: 1 | -1 },
): ReadonlyArray<Level> {
  const gap = Math.max(1, Math.round(between(mix(key, 1), 0.004, 0.007) * ticksPerUsd))
  const places: Array<number> = []
  for (let i = 0; i < levelsWithin5c; i++) {
    const place = side.best + side.step * gap * i
    if (place < 1 || place > ticksPerUsd - 1) break
    places.push(place)
  }
  const wide = (place: number) => Math.abs(place - side.best) > 0.045 * ticksPerUsd - gap
  const near = places.filter((place) => places.length < 2 || !wide(place))
  const usd = market.depthUsd / 2 * between(mix(key, 2), 0.85, 1.15)
  const weights = near.map((_, i) => between(mix(key, 10 + i), 0.5, 1.5))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const levels = near.map((place, i) => level(place, ticksPerUsd, usd * (weights[i] ?? 0) / total))
  const far = side.best + side.step * Math.round(0.09 * ticksPerUsd)
  if (far >= 1 && far <= ticksPerUsd - 1) levels.push(level(far, ticksPerUsd, usd))
  return levels
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
  return {
    id: market.id,
    slug: market.slug,
    question: market.question,
    eventSlug: market.eventSlug,
    url: pageOf(market),
    category: market.category,
    outcomes: market.outcomes,
    tokenIds: market.tokenIds,
    endsAt: market.listedEndsAt,
    createdAt: market.opensAt,
    rulesDates: rulesDatesOf(market.question, rulesOf(market)),
    gameStartsAt: market.kind === "sports" ? market.endsAt : null,
    eventKey: eventKeyOf({ eventSlug: market.eventSlug, window: windowOf(market) }),
    exclusive: false,
    volumeUsd: volumeUsd(market, at),
    volume24hUsd: Math.round(market.volumePerDayUsd * 100) / 100,
    liquidityUsd: Math.round(market.depthUsd * 150) / 100,
    status: statusOf(market, at),
    listed: bestOf(seen),
    takerFeeRate: market.takerFeeRate,
    mechanical: market.mechanical,
  }
}

function windowOf(market: SimulatedMarket): PriceWindow | null {
  const { listedEndsAt: endsAt, mechanical } = market
  return endsAt === null || !isCryptoPrice({ ...market, tags: [] })
    ? null
    : { assets: "crypto", endsAt, short: mechanical !== null }
}

function volumeUsd(market: SimulatedMarket, at: EpochMs): number {
  const end = Math.min(at, market.resolvedAt)
  const age = Math.max(0, end - market.opensAt) / day
  return Math.round((market.volumeAtOpenUsd + market.volumePerDayUsd * age) * 100) / 100
}

function statusOf(market: SimulatedMarket, at: EpochMs): MarketStatus {
  if (at >= market.resolvedAt) return market.end === "cancelled" ? "closed" : "resolved"
  return at >= market.proposedAt ? "proposed" : "open"
}

/** The URL of a market's page, in the real venue's format. */
function pageOf({ slug, eventSlug }: SimulatedMarket): string {
  const event = `https://polymarket.com/event/${eventSlug}`
  return eventSlug === slug ? event : `${event}/${slug}`
}

/** Best prices in the listing; null while the book is one-sided. */
function bestOf(quote: Quote | null): Market["listed"] {
  if (quote === null || quote.fault === "one_sided") return null
  if (quote.fault === "ghost") return { bestBid: 0.01, bestAsk: 0.99 }
  return {
    bestBid: quote.bidTicks / quote.ticksPerUsd,
    bestAsk: quote.askTicks / quote.ticksPerUsd,
  }
}

/** Points at uneven times; about one in 50 is a duplicate of the one before it. */
export function historyOf(
  market: SimulatedMarket,
  range: { readonly from: EpochMs; readonly to: EpochMs },
  stepMs: number,
  priceAt: (at: EpochMs) => number | null,
): ReadonlyArray<PricePoint> {
  const points: Array<PricePoint> = []
  const first = Math.ceil(Math.max(range.from, market.opensAt) / stepMs)
  const last = Math.floor(Math.min(range.to, market.resolvedAt - 1) / stepMs)
  const key = mix(market.key, 60)
  for (let step = first; step <= last; step++) {
    const draw = mix(key, step)
    const late = uniform(draw) < 0.02 ? 0 : between(mix(draw, 1), 0, 0.1) * stepMs
    const at = Math.floor((step * stepMs + late) / 1000) * 1000
    if (at > range.to || at < range.from) continue
    const price = priceAt(at)
    if (price === null) continue
    points.push({ at, price })
    if (uniform(mix(draw, 2)) < 0.02) points.push({ at, price })
  }
  return points
}
