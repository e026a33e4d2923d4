/**
 * How a simulated market stands in the venue's listing, and the prices its history shows.
 *
 * @module
 */
import type { Market, MarketStatus, PricePoint } from "../../markets/domain/market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import type { Quote } from "./books.ts"
import type { SimulatedMarket } from "./lives.ts"
import { between, mix, uniform } from "./seed.ts"

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
