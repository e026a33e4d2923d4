/**
 * What a simulated market shows of its price: its order book, its row in the listing, its history.
 *
 * The book stands around the true probability, on a tick grid, and is never quite still: it moves
 * with the truth at the next quote, and bounces with noise when the truth does not move.
 *
 * @module
 */
import { day, type EpochMs, minute, second } from "../../core/domain/time.ts"
import type { Level, OrderBook } from "../../markets/domain/book.ts"
import type { Market, MarketStatus, PricePoint } from "../../markets/domain/market.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { between, gaussian, type Key, mix, uniform } from "./seed.ts"

/** Makers look at the market this often; between two looks the book stands still. */
const quoteMs = 5 * second

/** Best prices in whole ticks, of the first outcome. */
export interface Quote {
  readonly bidTicks: number
  readonly askTicks: number
  /** Ticks in one dollar: 100 or 1,000. */
  readonly ticksPerUsd: number
  readonly fault: "none" | "one_sided" | "ghost" | "crossed"
  /** The quotes stand away from the truth for a few minutes, and no wallet trades at them. */
  readonly dislocated: boolean
  readonly key: Key
}

const quoteNoise = 7
/** Makers lean to a side by up to half the spread: what they aim at stays between bid and ask. */
const leanMax = 0.5
/** A market with an odd habit shows it in this share of its half hours; crossed books less. */
const oddTime = 0.8
/** Any market loses one side of its book in this share of its minutes. */
const blinkShare = 0.003

/** The instant at which the makers last looked. */
export function quotedAt(at: EpochMs): EpochMs {
  return Math.floor(at / quoteMs) * quoteMs
}

/**
 * `truth` is the true probability at `quotedAt(at)`; quotes are dislocated once in a share
 * `dislocationShare` of the market's half hours.
 */
export function makeQuote(
  market: SimulatedMarket,
  truth: number,
  at: EpochMs,
  dislocationShare: number,
): Quote {
  const key = mix(mix(market.key, quoteNoise), Math.floor(at / quoteMs))
  const shift = dislocationAt(market, quotedAt(at), dislocationShare)
  const aim = shift === 0 ? truth : Math.min(0.98, Math.max(0.02, truth + shift))
  const ticksPerUsd = market.fineTicks || aim < 0.04 || aim > 0.96 ? 1_000 : 100
  const width = market.spread * Math.max(0.25, 2 * Math.sqrt(aim * (1 - aim)))
  const spread = Math.max(1, Math.round(width * ticksPerUsd + 0.3 * gaussian(mix(key, 1))))
  const lean = Math.max(-leanMax, Math.min(leanMax, 0.3 * gaussian(mix(key, 2))))
  const centre = (aim + lean * width) * ticksPerUsd
  const bidTicks = Math.min(
    ticksPerUsd - 1 - spread,
    Math.max(1, Math.round(centre - spread / 2)),
  )
  const fault = faultOf(market, at)
  return { bidTicks, askTicks: bidTicks + spread, ticksPerUsd, fault, dislocated: shift !== 0, key }
}

/** A spell of 2 to 8 minutes, 5 to 12 points away: shorter than the 10 minutes between two ticks. */
function dislocationAt(market: SimulatedMarket, at: EpochMs, share: number): number {
  const half = 30 * minute
  const key = mix(mix(market.key, 11), Math.floor(at / half))
  if (share === 0 || uniform(key) >= share) return 0
  const from = between(mix(key, 1), 0, 20) * minute
  const age = at % half - from
  if (age < 0 || age >= between(mix(key, 2), 2, 8) * minute) return 0
  const size = between(mix(key, 3), 0.05, 0.12)
  return mix(key, 4) % 2 === 0 ? size : -size
}

function faultOf(market: SimulatedMarket, at: EpochMs): Quote["fault"] {
  const blink = mix(mix(market.key, 8), Math.floor(at / minute))
  if (uniform(blink) < blinkShare) return "one_sided"
  if (market.bookKind === "valid") return "none"
  const spell = mix(mix(market.key, 9), Math.floor(at / (30 * minute)))
  const share = market.bookKind === "crossed" ? oddTime / 4 : oddTime
  return uniform(spell) < share ? market.bookKind : "none"
}

/** The mid as the venue's own history shows it; the last good guess while the book is invalid. */
export function midOf(quote: Quote): number {
  return (quote.bidTicks + quote.askTicks) / (2 * quote.ticksPerUsd)
}

/** The book of one token. The second token's book mirrors the first's, share for share. */
export function makeBook(
  market: SimulatedMarket,
  outcome: 0 | 1,
  quote: Quote,
  observedAt: EpochMs,
): OrderBook {
  const sides = sidesOf(market, quote)
  const mirror = (levels: ReadonlyArray<Level>) =>
    levels.map(({ price, size }) => ({ price: exact(1 - price), size }))
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
  if (quote.fault === "crossed") {
    const price = Math.min(ticksPerUsd - 1, askTicks + 1) / ticksPerUsd
    return { bids: [{ price, size: 25 }, ...bids], asks }
  }
  return { bids, asks }
}

const levelsWithin5c = 5

/** Best first. Half the market's depth stands within 5 cents; one more level stands far outside. */
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

/** A price to the nearest ten-thousandth: what a sum of ticks should have been. */
export function exact(price: number): number {
  return Math.round(price * 10_000) / 10_000
}

/** The listing shows best prices of up to this long ago. */
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
    endsAt: market.endsAt,
    volumeUsd: volumeUsd(market, at),
    liquidityUsd: Math.round(market.depthUsd * 150) / 100,
    status: statusOf(market, at),
    listed: bestOf(seen),
    takerFeeRate: market.takerFeeRate,
    mechanical: market.mechanical,
  }
}

export function volumeUsd(market: SimulatedMarket, at: EpochMs): number {
  const end = Math.min(at, market.resolvedAt)
  const age = Math.max(0, end - market.opensAt) / day
  return Math.round((market.volumeAtOpenUsd + market.volumePerDayUsd * age) * 100) / 100
}

export function statusOf(market: SimulatedMarket, at: EpochMs): MarketStatus {
  if (at >= market.resolvedAt) return market.end === "cancelled" ? "closed" : "resolved"
  return at >= market.proposedAt ? "proposed" : "open"
}

/** A market's page, as the venue addresses it. */
function pageOf({ slug, eventSlug }: SimulatedMarket): string {
  const event = `https://polymarket.com/event/${eventSlug}`
  return eventSlug === slug ? event : `${event}/${slug}`
}

/** Best prices as the listing gives them; none while a side of the book is missing. */
function bestOf(quote: Quote | null): Market["listed"] {
  if (quote === null || quote.fault === "one_sided") return null
  if (quote.fault === "ghost") return { bestBid: 0.01, bestAsk: 0.99 }
  return {
    bestBid: quote.bidTicks / quote.ticksPerUsd,
    bestAsk: quote.askTicks / quote.ticksPerUsd,
  }
}

/** Points at uneven times: about one in 50 repeats the time of the one before it. */
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
