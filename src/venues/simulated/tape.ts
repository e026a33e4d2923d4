/**
 * The tape (trade history) of a simulated market: noise traders hit bids and lift asks, more often
 * after a jump.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { Trade } from "../../markets/domain/market.ts"
import { type Quote, roundPrice } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { Jump } from "./probability.ts"
import { gaussian, hex, mix, poisson, uniform } from "./seed.ts"

interface TapeSource {
  readonly jumps: (market: SimulatedMarket) => ReadonlyArray<Jump>
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
}

/** The tape is drawn in windows of this length. */
const windowMs = 10 * minute
/** A jump adds up to this many times the usual rate of trades, and fades over an hour. */
const jumpActivity = 6
/** Trades an hour at the smallest and (about) the largest volume above the gate. */
const tradesPerHourMin = 2
const tradesPerHourMax = 60
const noiseTraders = 4_000

/** Fills of a market in `[from, to]`, newest first, at most `count`. */
export function tapeOf(
  source: TapeSource,
  market: SimulatedMarket,
  range: { readonly from: EpochMs; readonly to: EpochMs },
  count: number,
): ReadonlyArray<Trade> {
  const from = Math.max(range.from, market.opensAt)
  const to = Math.min(range.to, market.resolvedAt - 1)
  const rows: Array<Trade> = []
  const first = Math.floor(from / windowMs)
  for (let index = Math.floor(to / windowMs); index >= first && rows.length < count; index--) {
    const fills = fillsIn(source, market, index).filter(({ at }) => at >= from && at <= to)
    rows.push(...fills.sort((a, b) => b.at - a.at))
  }
  return rows.slice(0, count)
}

/** The fills of one window `[index, index + 1) * windowMs`. */
function fillsIn(source: TapeSource, market: SimulatedMarket, index: number): Array<Trade> {
  const from = index * windowMs
  const key = mix(mix(market.key, 70), index)
  const usual = market.volumePerDayUsd / 1_500
  const perHour = Math.min(tradesPerHourMax, Math.max(tradesPerHourMin, usual)) *
    activityFactor(source.jumps(market), from + windowMs)
  const count = poisson(key, perHour * windowMs / hour)
  const trades: Array<Trade> = []
  for (let i = 0; i < count; i++) {
    const draw = mix(key, 10 + i)
    const at = from + Math.floor((i + uniform(draw)) / count * windowMs / second) * second
    const quote = at < market.opensAt || at >= market.resolvedAt ? null : source.quote(market, at)
    if (quote === null || quote.fault !== "none") continue
    // A trade of one outcome for p is a trade of the other, on the other side, for 1 - p.
    const lifts = uniform(mix(draw, 1)) < 0.5
    const ofFirst = (lifts ? quote.askTicks : quote.bidTicks) / quote.ticksPerUsd
    const token = uniform(mix(draw, 2)) < 0.65 ? 0 : 1
    const price = token === 0 ? ofFirst : roundPrice(1 - ofFirst)
    const usd = Math.min(20_000, 45 * Math.exp(1.3 * gaussian(mix(draw, 4))))
    trades.push({
      marketId: market.id,
      tokenId: market.tokenIds[token],
      side: lifts === (token === 0) ? "buy" : "sell",
      price,
      size: Math.max(5, Math.round(usd / price * 100) / 100),
      at,
      wallet: `0x${hex(mix(0x57a, mix(draw, 6) % noiseTraders), 40)}`,
      transaction: `0x${hex(mix(draw, 5), 64)}`,
    })
  }
  return trades
}

/** The rate of trades at `at`, as a multiple of the usual rate. */
function activityFactor(jumps: ReadonlyArray<Jump>, at: EpochMs): number {
  let factor = 1
  for (const jump of jumps) {
    const age = at - jump.at
    if (age >= 0 && age < 2 * hour) factor += jumpActivity * Math.exp(-age / (40 * minute))
  }
  return factor
}
