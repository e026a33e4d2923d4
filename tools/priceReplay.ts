/**
 * Replays the movers' rule over prices in order of time. The rule is the service's own: `measureMove`,
 * `judgeMove` and `selectMovers` decide here too, and `priceOfOutcomeAt` says what the price was later.
 *
 * A file has no listing and no trades, so gates about them are not applied; a spread, a depth or a volume
 * counts where the file has it.
 *
 * @module
 */
import { Result } from "effect"
import { day, type EpochMs, hour } from "../src/core/domain/time.ts"
import { type MovePhase, type MoveWindow, windowMs } from "../src/feed/domain/item.ts"
import { MarketId, type SeriesPoint } from "../src/markets/domain/market.ts"
import { isNarrow, volumeUsdMin } from "../src/markets/domain/quality.ts"
import type { Resolution } from "../src/markets/domain/resolution.ts"
import {
  confirmMove,
  type EmittedMove,
  type Judgement,
  judgeMove,
  measureMove,
  pointsRange,
  type PriceMove,
  selectMovers,
  startRange,
} from "../src/movers/domain/gates.ts"
import {
  pointAt,
  priceOffsetMsMax,
  priceOfOutcomeAt,
} from "../src/track-record/domain/selfScore.ts"
import type { PriceRow } from "./priceFile.ts"

/** A person's own thresholds. */
interface Thresholds {
  readonly tickIntervalMs: number
  /** The smallest move, USD a share. */
  readonly sizeMin: number
  readonly windows: ReadonlyArray<MoveWindow>
  /** The least depth within 5 cents of the price, where the file has it. */
  readonly depthUsdMin: number
}

export const horizonMs = { "1h": hour, "24h": day } as const
export type Horizon = keyof typeof horizonMs

/** The price of the first outcome at a later time. */
interface LaterPrice {
  readonly price: number
  /** It is the payout. */
  readonly paid: boolean
}

export interface Alert {
  readonly market: string
  readonly event: string
  readonly at: EpochMs
  readonly window: MoveWindow
  readonly priceStart: number
  readonly priceNow: number
  readonly phase: MovePhase
  /** Null when the file does not say. */
  readonly spread: number | null
  /** Null when the file does not say. */
  readonly later: Readonly<Record<Horizon, LaterPrice | null>>
}

/** One market of the file, mutated while its rows are replayed. */
interface MarketState {
  readonly market: string
  readonly event: string
  readonly series: Array<SeriesPoint>
  emitted: ReadonlyArray<EmittedMove>
  row: PriceRow
  volumeUsd: number | null
  paid: { readonly at: EpochMs; readonly payout: number } | null
}

type Found = PriceMove & Judgement & Pick<PriceRow, "spread"> & {
  readonly market: { readonly id: string; readonly eventKey: string }
  readonly state: MarketState
}

/** The alerts over these rows, which are in order of time. The last row up to a full tick is its price. */
export function replay(
  rows: ReadonlyArray<PriceRow>,
  thresholds: Thresholds,
): ReadonlyArray<Alert> {
  const { tickIntervalMs } = thresholds
  const markets = new Map<string, MarketState>()
  const moves: Array<Found> = []
  const touched = new Set<MarketState>()
  let slot = Number.NEGATIVE_INFINITY
  const runTick = () => {
    const found = [...touched].flatMap((state) => movesOf(state, slot, thresholds))
    touched.clear()
    for (const mover of selectMovers(found).chosen) {
      const { state, window, phase, delta, priceNow } = mover
      moves.push(mover)
      state.emitted = [
        ...state.emitted.filter(({ emittedAt }) => emittedAt > slot - day),
        { window, phase, delta, priceNow, emittedAt: slot },
      ]
    }
  }
  for (const row of rows) {
    const rowSlot = Math.ceil(row.at / tickIntervalMs) * tickIntervalMs
    if (rowSlot > slot) runTick()
    slot = rowSlot
    const state = markets.getOrInsertComputed(row.market, () => newMarket(row))
    // What comes after the payout is no price any more.
    if (state.paid !== null) continue
    state.row = row
    state.volumeUsd = row.volumeUsd ?? state.volumeUsd
    if (row.payout !== null) state.paid = { at: row.at, payout: row.payout }
    touched.add(state)
  }
  runTick()
  return moves.map(alertOf)
}

function newMarket(row: PriceRow): MarketState {
  const { market, event } = row
  return { market, event, series: [], emitted: [], row, volumeUsd: null, paid: null }
}

/** The moves of a market at a tick that pass every gate; adds the tick's point. */
function movesOf(
  state: MarketState,
  now: EpochMs,
  { tickIntervalMs, sizeMin, windows, depthUsdMin }: Thresholds,
): ReadonlyArray<Found> {
  const { market, event, series, emitted, volumeUsd, row: { mid, spread, depthUsd } } = state
  if (mid === null || spread !== null && !isNarrow({ spread })) return []
  series.push({ at: now, mid })
  if (depthUsd !== null && depthUsd < depthUsdMin) return []
  if (volumeUsd !== null && volumeUsd < volumeUsdMin) return []
  return windows.flatMap((window): ReadonlyArray<Found> => {
    if (windowMs[window] < tickIntervalMs) return []
    const { notBefore, atOrBefore } = startRange(window, now, tickIntervalMs)
    const start = pointsIn(series, notBefore, atOrBefore).at(-1)
    const tick = { window, now, tickIntervalMs, start }
    const move = measureMove(tick, { mid, spread }, sizeMin)
    if (Result.isFailure(move)) return []
    const { from, to } = pointsRange(move.success)
    const judged = Result.flatMap(
      judgeMove(move.success, { points: pointsIn(series, from, to), emitted }),
      (found) => confirmMove(found, null),
    )
    if (Result.isFailure(judged)) return []
    return [{ ...judged.success, spread, market: { id: market, eventKey: event }, state }]
  })
}

function alertOf({ state, now, window, priceStart, priceNow, phase, spread }: Found): Alert {
  const later = (horizon: Horizon) => laterPrice(state, now + horizonMs[horizon])
  return {
    market: state.market,
    event: state.event,
    at: now,
    window,
    priceStart,
    priceNow,
    phase,
    spread,
    later: { "1h": later("1h"), "24h": later("24h") },
  }
}

function laterPrice({ market, series, paid }: MarketState, at: EpochMs): LaterPrice | null {
  const point = pointAt(at, pointsIn(series, at - priceOffsetMsMax, at + priceOffsetMsMax))
  const resolution: Resolution | null = paid === null ? null : {
    marketId: MarketId.make(market),
    state: "paid",
    payouts: [paid.payout, 1 - paid.payout],
    resolvedAt: paid.at,
  }
  const price = priceOfOutcomeAt(at, point, resolution)
  return price === null ? null : {
    price,
    paid: paid !== null && (paid.at <= at || price !== point?.mid),
  }
}

/** The points in a range, both ends included. */
function pointsIn(
  series: ReadonlyArray<SeriesPoint>,
  from: EpochMs,
  to: EpochMs,
): ReadonlyArray<SeriesPoint> {
  return series.slice(countBefore(series, from), countBefore(series, to + 1))
}

/** The number of points before this time. */
function countBefore(series: ReadonlyArray<SeriesPoint>, at: EpochMs): number {
  let [low, high] = [0, series.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((series[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
