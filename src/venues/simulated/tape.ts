/**
 * The tape (trade history) of a simulated market: noise traders hit bids and lift asks, more often
 * after a jump, each against a maker on the other side of the same transaction.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { Trade } from "../../markets/domain/market.ts"
import { type Quote, roundPrice } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { makeMemo } from "./memo.ts"
import type { Jump } from "./probability.ts"
import { gaussian, hex, type Key, mix, pick, poisson, uniform } from "./seed.ts"

/** A fill, and the role of its wallet in the trade. */
export interface Fill extends Trade {
  readonly role: "taker" | "maker"
}

interface TapeSource {
  readonly jumps: (market: SimulatedMarket) => ReadonlyArray<Jump>
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  /** The fills of wallets of known skill in a market, in any order. */
  readonly walletFills: (market: SimulatedMarket) => ReadonlyArray<Fill>
}

/** Fills of a market in `[from, to]`, newest first, at most `count`. */
type Tape = (
  market: SimulatedMarket,
  range: { readonly from: EpochMs; readonly to: EpochMs },
  count: number,
) => ReadonlyArray<Fill>

/** The tape is drawn in windows of this length. */
const windowMs = 10 * minute
/** A jump adds up to this many times the usual rate of trades, and fades over an hour. */
const jumpActivity = 6
/** Trades an hour at the smallest and (about) the largest volume above the gate. */
const tradesPerHourMin = 2
const tradesPerHourMax = 60
const noiseTraders = 4_000
/** Share of trades whose maker side is on the tape too. */
const makerShare = 0.5
/** Share of trades that appear twice, with identical fields. */
const repeatShare = 0.04

/** A wallet without skill that trades at random. */
function noiseTrader(key: Key): string {
  return `0x${hex(mix(0x57a, key % noiseTraders), 40)}`
}

/** Markets for which the fills of wallets of known skill are cached. */
const cachedMarketsMax = 512

export function makeTape(source: TapeSource): Tape {
  const cached = makeMemo<ReadonlyMap<number, ReadonlyArray<Fill>>>(cachedMarketsMax)
  const walletFills = (market: SimulatedMarket): ReadonlyMap<number, ReadonlyArray<Fill>> =>
    cached(
      market.number,
      () => Map.groupBy(source.walletFills(market), ({ at }) => Math.floor(at / windowMs)),
    )
  return (market, range, count) => {
    const from = Math.max(range.from, market.opensAt)
    const to = Math.min(range.to, market.resolvedAt - 1)
    const jumps = source.jumps(market)
    const known = walletFills(market)
    const rows: Array<Fill> = []
    const first = Math.floor(from / windowMs)
    for (let index = Math.floor(to / windowMs); index >= first && rows.length < count; index--) {
      const fills = [...noiseFills(source, market, jumps, index), ...known.get(index) ?? []]
      rows.push(
        ...fills.filter(({ at }) => at >= from && at <= to).sort((a, b) => b.at - a.at),
      )
    }
    return rows.slice(0, count)
  }
}

/** The noise traders' fills of one window `[index, index + 1) * windowMs`. */
function noiseFills(
  source: TapeSource,
  market: SimulatedMarket,
  jumps: ReadonlyArray<Jump>,
  index: number,
): ReadonlyArray<Fill> {
  const from = index * windowMs
  const key = mix(mix(market.key, 70), index)
  const perHour = tradesPerHour(market) * activityFactor(jumps, from + windowMs)
  const count = poisson(key, perHour * windowMs / hour)
  const trades: Array<Fill> = []
  for (let i = 0; i < count; i++) {
    const draw = mix(key, 10 + i)
    const at = from + Math.floor((i + uniform(draw)) / count * windowMs / second) * second
    if (at < market.opensAt || at >= market.resolvedAt) continue
    const quote = source.quote(market, at)
    if (quote === null || quote.fault !== "none" || quote.dislocated) continue
    trades.push(...fillsOf(market, quote, draw, at))
  }
  return trades
}

function tradesPerHour(market: SimulatedMarket): number {
  return Math.min(tradesPerHourMax, Math.max(tradesPerHourMin, market.volumePerDayUsd / 1_500))
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

/** A taker's fill, and often the maker's. Each may be in either token: buying one is selling the other. */
function fillsOf(
  market: SimulatedMarket,
  quote: Quote,
  key: Key,
  at: EpochMs,
): ReadonlyArray<Fill> {
  const lifts = uniform(mix(key, 1)) < 0.5
  const first = (lifts ? quote.askTicks : quote.bidTicks) / quote.ticksPerUsd
  const taker = fillSide(market, uniform(mix(key, 2)) < 0.65 ? 0 : 1, lifts, first)
  const maker = fillSide(market, uniform(mix(key, 3)) < 0.5 ? 0 : 1, !lifts, first)
  const usd = Math.min(20_000, 45 * Math.exp(1.3 * gaussian(mix(key, 4))))
  const size = Math.max(5, Math.round(usd / taker.price * 100) / 100)
  const shared = { marketId: market.id, size, at, transaction: `0x${hex(mix(key, 5), 64)}` }
  const fill = { ...shared, ...taker, role: "taker" as const, wallet: noiseTrader(mix(key, 6)) }
  const fills = uniform(mix(key, 7)) < repeatShare ? [fill, fill] : [fill]
  return uniform(mix(key, 8)) < makerShare
    ? [...fills, { ...shared, ...maker, role: "maker", wallet: makerOf(market, key) }]
    : fills
}

/** Buying or selling the first outcome at `first`, expressed in either token. */
function fillSide(market: SimulatedMarket, token: 0 | 1, buysFirst: boolean, first: number) {
  return {
    tokenId: market.tokenIds[token],
    side: buysFirst === (token === 0) ? "buy" as const : "sell" as const,
    price: token === 0 ? first : roundPrice(1 - first),
  }
}

/** Each market has three makers. */
function makerOf(market: SimulatedMarket, key: Key): string {
  return noiseTrader(mix(market.key, pick(mix(key, 9), [1, 2, 3])))
}
