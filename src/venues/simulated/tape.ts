/**
 * The price history and the trades of a simulated market: noise traders hit bids and lift asks.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { PricePoint, Trade } from "../../markets/domain/market.ts"
import { type Quote, roundPrice } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { between, gaussian, hex, mix, uniform } from "./seed.ts"

type QuoteOf = (market: SimulatedMarket, at: EpochMs) => Quote | null

export interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

/** Points at uneven times, about `stepMs` apart. */
export function historyOf(
  market: SimulatedMarket,
  range: Range,
  stepMs: number,
  priceAt: (at: EpochMs) => number | null,
): ReadonlyArray<PricePoint> {
  const first = Math.ceil(Math.max(range.from, market.opensAt) / stepMs)
  const last = Math.floor(Math.min(range.to, market.resolvedAt - 1) / stepMs)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n)
    .flatMap((step) => {
      const late = between(mix(mix(market.key, 60), step), 0, 0.1) * stepMs
      const at = Math.floor((step * stepMs + late) / second) * second
      const price = at < range.from || at > range.to ? null : priceAt(at)
      return price === null ? [] : [{ at, price }]
    })
}

/** The tape is drawn in windows of this length. */
const windowMs = 10 * minute
/** Trades an hour at the smallest and (about) the largest volume above the gate. */
const tradesPerHour = { least: 2, most: 60 }
const noiseTraders = 4_000

/** Fills of a market in `[from, to]`, newest first, at most `count`. */
export function tapeOf(
  quote: QuoteOf,
  market: SimulatedMarket,
  range: Range,
  count: number,
): ReadonlyArray<Trade> {
  const from = Math.max(range.from, market.opensAt)
  const to = Math.min(range.to, market.resolvedAt - 1)
  const rows: Array<Trade> = []
  const first = Math.floor(from / windowMs)
  for (let index = Math.floor(to / windowMs); index >= first && rows.length < count; index--) {
    const fills = fillsIn(quote, market, index).filter(({ at }) => at >= from && at <= to)
    rows.push(...fills.sort((a, b) => b.at - a.at))
  }
  return rows.slice(0, count)
}

/** The fills of one window `[index, index + 1) * windowMs`. */
function fillsIn(quote: QuoteOf, market: SimulatedMarket, index: number): Array<Trade> {
  const key = mix(mix(market.key, 70), index)
  const { least, most } = tradesPerHour
  const perHour = Math.min(most, Math.max(least, market.volumePerDayUsd / 1_500))
  const count = Math.floor(perHour * windowMs / hour + uniform(key))
  return Array.from({ length: count }, (_, n) => mix(key, 10 + n)).flatMap((draw, n) => {
    const at = Math.floor((index + (n + uniform(draw)) / count) * windowMs / second) * second
    const seen = quote(market, at)
    if (seen === null) return []
    // A trade of one outcome for p is a trade of the other, on the other side, for 1 - p.
    const lifts = uniform(mix(draw, 1)) < 0.5
    const ofFirst = (lifts ? seen.askTicks : seen.bidTicks) / seen.ticksPerUsd
    const token = uniform(mix(draw, 2)) < 0.65 ? 0 : 1
    const price = token === 0 ? ofFirst : roundPrice(1 - ofFirst)
    const usd = Math.min(20_000, 45 * Math.exp(1.3 * gaussian(mix(draw, 4))))
    return [{
      marketId: market.id,
      tokenId: market.tokenIds[token],
      side: lifts === (token === 0) ? "buy" : "sell",
      price,
      size: Math.max(5, Math.round(usd / price * 100) / 100),
      at,
      wallet: `0x${hex(mix(0x57a, mix(draw, 6) % noiseTraders), 40)}`,
      transaction: `0x${hex(mix(draw, 5), 64)}`,
    }]
  })
}
