/**
 * The tape of trades of a simulated market: strangers hitting bids and lifting asks, more of them
 * after a jump, each against a maker on the other side of the same transaction.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { Trade } from "../../markets/domain/market.ts"
import { exact, type Quote } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { makeMemo } from "./memo.ts"
import type { Jump } from "./probability.ts"
import { gaussian, hex, type Key, mix, pick, poisson, uniform } from "./seed.ts"

/** A fill, and which side of the trade its wallet was on. */
export interface Fill extends Trade {
  readonly role: "taker" | "maker"
}

interface TapeSource {
  readonly jumps: (market: SimulatedMarket) => ReadonlyArray<Jump>
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  /** The fills of wallets of known skill in a market, in no particular order. */
  readonly walletFills: (market: SimulatedMarket) => ReadonlyArray<Fill>
}

/** Fills of a market in `[from, to]`, newest first, at most `count`. */
type Tape = (
  market: SimulatedMarket,
  range: { readonly from: EpochMs; readonly to: EpochMs },
  count: number,
) => ReadonlyArray<Fill>

/** The tape is drawn in stretches of this length. */
const stretchMs = 10 * minute
/** A jump multiplies trading by up to this, and wears off over an hour. */
const jumpRush = 6
/** Trades an hour at the smallest and (about) the largest volume above the gate. */
const tradesPerHourMin = 2
const tradesPerHourMax = 60
const strangers = 4_000
/** The makers' side is printed for this share of trades, the rest being on another day's page. */
const makerShare = 0.5
/** One trade in this many is printed twice over, alike in every field. */
const repeatShare = 0.04

/** A wallet that trades for no reason of its own. */
function stranger(key: Key): string {
  return `0x${hex(mix(0x57a, key % strangers), 40)}`
}

/** Markets whose wallets' fills are cached, by stretch. */
const keptMarkets = 512

export function makeTape(source: TapeSource): Tape {
  const cached = makeMemo<ReadonlyMap<number, ReadonlyArray<Fill>>>(keptMarkets)
  const walletFills = (market: SimulatedMarket): ReadonlyMap<number, ReadonlyArray<Fill>> =>
    cached(
      market.number,
      () => Map.groupBy(source.walletFills(market), ({ at }) => Math.floor(at / stretchMs)),
    )
  return (market, range, count) => {
    const from = Math.max(range.from, market.opensAt)
    const to = Math.min(range.to, market.resolvedAt - 1)
    const jumps = source.jumps(market)
    const known = walletFills(market)
    const rows: Array<Fill> = []
    const first = Math.floor(from / stretchMs)
    for (let index = Math.floor(to / stretchMs); index >= first && rows.length < count; index--) {
      const fills = [...stretchOf(source, market, jumps, index), ...known.get(index) ?? []]
      rows.push(
        ...fills.filter(({ at }) => at >= from && at <= to).sort((a, b) => b.at - a.at),
      )
    }
    return rows.slice(0, count)
  }
}

/** The strangers' fills of one stretch `[index, index + 1) * stretchMs`. */
function stretchOf(
  source: TapeSource,
  market: SimulatedMarket,
  jumps: ReadonlyArray<Jump>,
  index: number,
): ReadonlyArray<Fill> {
  const from = index * stretchMs
  const key = mix(mix(market.key, 70), index)
  const perHour = tradesPerHour(market) * rush(jumps, from + stretchMs)
  const count = poisson(key, perHour * stretchMs / hour)
  const trades: Array<Fill> = []
  for (let i = 0; i < count; i++) {
    const draw = mix(key, 10 + i)
    const at = from + Math.floor((i + uniform(draw)) / count * stretchMs / second) * second
    if (at < market.opensAt || at >= market.resolvedAt) continue
    const quote = source.quote(market, at)
    if (quote === null || quote.fault !== "none" || quote.dislocated) continue
    trades.push(...printed(market, quote, draw, at))
  }
  return trades
}

function tradesPerHour(market: SimulatedMarket): number {
  return Math.min(tradesPerHourMax, Math.max(tradesPerHourMin, market.volumePerDayUsd / 1_500))
}

/** How much busier than usual the market is at `at`. */
function rush(jumps: ReadonlyArray<Jump>, at: EpochMs): number {
  let factor = 1
  for (const jump of jumps) {
    const age = at - jump.at
    if (age >= 0 && age < 2 * hour) factor += jumpRush * Math.exp(-age / (40 * minute))
  }
  return factor
}

/** A taker's fill, and often the maker's, of either token: buying one is selling the other. */
function printed(
  market: SimulatedMarket,
  quote: Quote,
  key: Key,
  at: EpochMs,
): ReadonlyArray<Fill> {
  const lifts = uniform(mix(key, 1)) < 0.5
  const first = (lifts ? quote.askTicks : quote.bidTicks) / quote.ticksPerUsd
  const taker = side(market, uniform(mix(key, 2)) < 0.65 ? 0 : 1, lifts, first)
  const maker = side(market, uniform(mix(key, 3)) < 0.5 ? 0 : 1, !lifts, first)
  const usd = Math.min(20_000, 45 * Math.exp(1.3 * gaussian(mix(key, 4))))
  const size = Math.max(5, Math.round(usd / taker.price * 100) / 100)
  const shared = { marketId: market.id, size, at, transaction: `0x${hex(mix(key, 5), 64)}` }
  const fill = { ...shared, ...taker, role: "taker" as const, wallet: stranger(mix(key, 6)) }
  const fills = uniform(mix(key, 7)) < repeatShare ? [fill, fill] : [fill]
  return uniform(mix(key, 8)) < makerShare
    ? [...fills, { ...shared, ...maker, role: "maker", wallet: makerOf(market, key) }]
    : fills
}

/** Buying the first outcome at `first`, or selling it, said of either token. */
function side(market: SimulatedMarket, token: 0 | 1, buysFirst: boolean, first: number) {
  return {
    tokenId: market.tokenIds[token],
    side: buysFirst === (token === 0) ? "buy" as const : "sell" as const,
    price: token === 0 ? first : exact(1 - first),
  }
}

/** Three makers share every market. */
function makerOf(market: SimulatedMarket, key: Key): string {
  return stranger(mix(market.key, pick(mix(key, 9), [1, 2, 3])))
}
