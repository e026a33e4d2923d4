/**
 * Replays the movers' rule over the rows of a price file, one row at a time, next to the naive rule.
 *
 * The rule is the service's own: `measureMove`, `judgeMove` and `selectMovers` decide here too. A file
 * has no listing and no trades, so gates about them are not applied; a spread, a depth or a volume counts
 * where the file has it.
 *
 * A market is kept with its points of 9 days while it has rows, at most `marketsMax` at once; then the
 * one whose last row is oldest is closed.
 *
 * @module
 */
import { Result } from "effect"
import { halfSteps } from "../../markets/domain/book.ts"
import { depthUsdMin, isNarrow, volumeUsdMin } from "../../markets/domain/quality.ts"
import type { MoveWindow } from "../../feed/domain/item.ts"
import { windowMs } from "../../feed/domain/item.ts"
import {
  deltaMin,
  historyRange,
  judgeMove,
  measureMove,
  selectMovers,
  startRange,
} from "../../movers/domain/gates.ts"
import { settlingRange } from "../../movers/domain/confirmation.ts"
import type { EmittedMove } from "../../movers/domain/novelty.ts"
import type { Judgement, PriceMove } from "../../movers/domain/priceMove.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { type Awaiting, awaiting, type Horizon, settle, settleAll } from "./outcomes.ts"
import { naiveAlerts, noSilence, type Silence } from "./naiveRule.ts"
import { append, firstTimeIn, lastIn, pointsIn, type PriceSeries } from "./priceSeries.ts"
import type { PriceRow } from "./priceRow.ts"

/** Markets in memory at once; each has at most about 1,600 points at ten minutes (26 kB). */
const marketsMax = 20_000

/** A file in order of time may have all markets mixed; in order of market each is one block. */
export type RowOrder = "time" | "market"

/** An item of a rule. */
export interface ReplayItem extends PriceMove {
  readonly market: string
  readonly event: string
  /** Points of the naive rules that fired; null for a mover. */
  readonly naive: ReadonlyArray<number> | null
  /** Null for an alert of the naive rule. */
  readonly zScore: number | null
  /** The scheduled end, if the file has it. */
  readonly endsAt: EpochMs | null
  /** Ticks since the price first was 5 points from the start of the move. */
  readonly delayTicks: number
}

/** Receives items, and later what their price was; null when it is not known. */
export interface ReplayListener {
  readonly onItem: (item: ReplayItem) => void
  readonly onOutcome: (item: ReplayItem, horizon: Horizon, price: number | null) => void
}

interface MarketState {
  readonly market: string
  readonly event: string
  readonly series: PriceSeries
  readonly awaiting: Awaiting<ReplayItem>
  readonly silentUntil: Silence
  emitted: ReadonlyArray<EmittedMove>
  /** The last row, which is the tick's price once the tick is over. */
  row: PriceRow
  volumeUsd: number | null
}

/** A replay in progress. */
interface PriceReplay {
  /** Why the row is not used; null when it is. Rows of a market must come in order of time. */
  readonly observe: (row: PriceRow) => "out_of_order" | "market_again" | null
  readonly finish: () => void
}

export function priceReplay(
  order: RowOrder,
  tickIntervalMs: number,
  listener: ReplayListener,
): PriceReplay {
  const markets = new Map<string, MarketState>()
  const finished = new Set<string>()
  const touched = new Set<MarketState>()
  let slot = Number.NEGATIVE_INFINITY

  const flush = () => {
    runTick([...touched], slot, tickIntervalMs, listener)
    for (const state of touched) if (state.row.resolution !== null) close(state)
    touched.clear()
  }
  const close = (state: MarketState) => {
    settleAll(state.awaiting, state.row.resolution, listener.onOutcome)
    markets.delete(state.market)
    if (order === "market" || state.row.resolution !== null) finished.add(state.market)
  }
  const closeOldest = () => {
    for (const state of markets.values()) {
      if (touched.has(state)) continue
      return close(state)
    }
  }
  const observe = (row: PriceRow) => {
    if (finished.has(row.market)) return "market_again"
    const known = markets.get(row.market)
    if (known !== undefined && row.at < known.row.at) return "out_of_order"
    const rowSlot = Math.ceil(row.at / tickIntervalMs) * tickIntervalMs
    const isNext = order === "time" ? rowSlot > slot : known === undefined || rowSlot > slot
    if (order === "time" && rowSlot < slot) return "out_of_order"
    if (isNext) flush()
    if (order === "market" && known === undefined) [...markets.values()].forEach(close)
    if (markets.size >= marketsMax && known === undefined) closeOldest()
    slot = rowSlot
    const state = known ?? newMarket(row)
    state.row = row
    state.volumeUsd = row.volumeUsd === null
      ? state.volumeUsd
      : Math.max(row.volumeUsd, state.volumeUsd ?? 0)
    // The markets stay in the order of their last rows, so that the first one is the oldest.
    markets.delete(row.market)
    markets.set(row.market, state)
    touched.add(state)
    return null
  }
  const finish = () => {
    flush()
    for (const state of [...markets.values()]) close(state)
  }
  return { observe, finish }
}

function newMarket(row: PriceRow): MarketState {
  return {
    market: row.market,
    event: row.event,
    series: { times: [], mids: [] },
    awaiting: awaiting(),
    silentUntil: noSilence(),
    emitted: [],
    row,
    volumeUsd: null,
  }
}

const windows: ReadonlyArray<MoveWindow> = ["1h", "24h"]

type Found = PriceMove & Judgement & {
  readonly market: { readonly id: string; readonly eventKey: string }
  readonly state: MarketState
}

/** One tick over the markets with a row in it. */
function runTick(
  states: ReadonlyArray<MarketState>,
  now: EpochMs,
  tickIntervalMs: number,
  listener: ReplayListener,
): void {
  const found: Array<Found> = []
  for (const state of states) {
    const { row: { mid, spread }, series } = state
    if (mid === null || (spread !== null && !isNarrow({ spread }))) continue
    const point = { at: now, mid }
    append(series, point)
    settle(state.awaiting, series, point, tickIntervalMs, listener.onOutcome)
    found.push(...judgeMarket(state, now, mid, tickIntervalMs))
    for (const alert of alertsOf(state, now, mid, tickIntervalMs)) emit(state, alert, listener)
  }
  for (const { state, market: _, ...mover } of selectMovers(found).chosen) {
    emit(state, itemOf(state, mover, null, mover.zScore), listener)
    const last = { window: mover.window, delta: mover.delta, emittedAt: now }
    state.emitted = [...state.emitted.filter(({ emittedAt }) => emittedAt > now - day), last]
  }
}

function emit({ awaiting: { open } }: MarketState, item: ReplayItem, listener: ReplayListener) {
  listener.onItem(item)
  open["1h"].push(item)
  open["24h"].push(item)
}

/** The moves of a market at this tick that pass the service's gates. */
function judgeMarket(
  state: MarketState,
  now: EpochMs,
  mid: number,
  tickIntervalMs: number,
): ReadonlyArray<Found> {
  const { market, event, series, row, volumeUsd, emitted } = state
  if (row.depthUsd !== null && row.depthUsd < depthUsdMin) return []
  if (volumeUsd !== null && volumeUsd < volumeUsdMin) return []
  const recent = settlingRange({ now, tickIntervalMs })
  return windows.flatMap((window): ReadonlyArray<Found> => {
    if (windowMs[window] < tickIntervalMs) return []
    const { notBefore, atOrBefore } = startRange(window, now, tickIntervalMs)
    const start = lastIn(series, notBefore, atOrBefore)
    const price = { mid, spread: row.spread }
    const move = measureMove({ window, now, tickIntervalMs, start }, price)
    if (Result.isFailure(move)) return []
    const { from, to } = historyRange(move.success)
    const judged = judgeMove(move.success, {
      // Lazy: only settled moves need it.
      get history() {
        return pointsIn(series, from, to)
      },
      recent: pointsIn(series, recent.from, recent.to),
      emitted,
    })
    if (Result.isFailure(judged)) return []
    return [{ ...judged.success, market: { id: market, eventKey: event }, state }]
  })
}

/** The alerts of the naive rule, which knows nothing but the price. */
function alertsOf(
  state: MarketState,
  now: EpochMs,
  mid: number,
  tickIntervalMs: number,
): ReadonlyArray<ReplayItem> {
  const moves = windows.flatMap((window): ReadonlyArray<PriceMove> => {
    if (windowMs[window] < tickIntervalMs) return []
    const { notBefore, atOrBefore } = startRange(window, now, tickIntervalMs)
    const start = lastIn(state.series, notBefore, atOrBefore)
    if (start === undefined || start.mid === mid) return []
    const [priceStart, startedAt] = [start.mid, start.at]
    const delta = mid - priceStart
    return [{ window, now, tickIntervalMs, startedAt, priceStart, priceNow: mid, delta }]
  })
  return naiveAlerts(moves, now, state.silentUntil).flatMap(({ points }, n) => {
    const move = moves[n]
    return move === undefined || points.length === 0 ? [] : [itemOf(state, move, points, null)]
  })
}

function itemOf(
  { market, event, row: { endsAt }, series }: MarketState,
  move: PriceMove,
  naive: ReadonlyArray<number> | null,
  zScore: number | null,
): ReplayItem {
  const direction = Math.sign(move.delta)
  const reached = (mid: number) =>
    halfSteps(mid - move.priceStart) * direction >= halfSteps(deltaMin)
  const firstAt = firstTimeIn(series, move.startedAt + 1, move.now, reached) ?? move.now
  const delayTicks = Math.round((move.now - firstAt) / move.tickIntervalMs)
  return { ...move, market, event, naive, zScore, endsAt, delayTicks }
}
