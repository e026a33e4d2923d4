/**
 * Which price moves become movers: seven gates, and a reason for every move that does not pass.
 *
 * - `screenMove` (gates 1 to 4) needs only the data of the tick.
 * - `judgeMove` (gates 5 to 7) needs history, which the caller loads for the few moves that pass the
 *   first gates.
 * - `selectMovers` limits the movers per event.
 *
 * `findMovers.ts` runs them, and judges a limited number of moves per tick (`over_budget`).
 *
 * Prices are those of the market's first outcome. They are compared in half price steps (`book.ts`), so
 * that no gate depends on a float error.
 *
 * @module
 */
import { Result } from "effect"
import { fromHalfSteps, halfSteps, isPrice } from "../../markets/domain/book.ts"
import { hasSettled, slackTicks, startIsStray } from "./confirmation.ts"
import { marketRef, type MoveWindow, type NewFeedItem, windowMs } from "../../feed/domain/item.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { screenBook, screenMarket, volumeUsdMin } from "../../markets/domain/quality.ts"
import { isNovel } from "./novelty.ts"
import type {
  Judgement,
  MarketMove,
  MoveContext,
  MoveInput,
  Mover,
  PriceMove,
} from "./priceMove.ts"
import { day, type EpochMs, hour, isoTime } from "../../core/domain/time.ts"
import { hourlyVolatility, logit } from "./volatility.ts"

/** Why a move is not in the feed, by gate; used as metric labels, so keep them stable. */
export const moverRejections = [
  // 1: enough volume, a valid book of enough depth.
  ...["low_volume", "no_book", "empty_side", "crossed", "ghost", "thin_book"],
  // 2: a narrow book.
  "wide_spread",
  // 3: an ordinary market that is open.
  ...["mechanical", "resolved", "closed", "in_settlement"],
  // 4: large enough, measured from a price at the start of the window.
  ...["no_history", "small_move"],
  // 5: a real price at both ends.
  ...["unconfirmed", "stray_start"],
  // 6: more than the feed has already published.
  "not_novel",
  // 7: unusual for this market.
  "unsurprising",
  // Selection: one move per market, few per event.
  ...["weaker_window", "event_quota"],
] as const
export type MoverRejection = (typeof moverRejections)[number]

/** What the selection compares; the market may be one of a recorded series. */
type Selectable = Judgement & Pick<PriceMove, "window"> & {
  readonly market: { readonly id: string; readonly eventKey: string }
}

/** A mover that was dropped because the same tick has stronger ones. */
interface DroppedMover<M> {
  readonly mover: M
  readonly reason: Extract<MoverRejection, "weaker_window" | "event_quota">
}

/** The move starts at the market's last point in this range. */
export function startRange(
  window: MoveWindow,
  now: EpochMs,
  tickIntervalMs: number,
): { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs } {
  const atOrBefore = now - windowMs[window]
  return { notBefore: atOrBefore - slackTicks * tickIntervalMs, atOrBefore }
}

/** A week contains quiet and busy days, and fits into the series (9 days) before a 24 h window. */
const historyMs = 7 * day

/** The points that gates 5 and 7 need: a week before the start, and the ticks right after it. */
export function historyRange(
  move: PriceMove,
): { readonly from: EpochMs; readonly to: EpochMs } {
  return {
    from: move.startedAt - historyMs,
    to: move.startedAt + slackTicks * move.tickIntervalMs,
  }
}

/** At or beyond these limits a price has converged to 0 or 1. */
export const settlement = { low: 0.03, high: 0.97 }

export function isConverged(price: number): boolean {
  return halfSteps(price) >= halfSteps(settlement.high) ||
    halfSteps(price) <= halfSteps(settlement.low)
}

/** The minimum move, in price and in spreads: a wide spread alone can look like a move. Inclusive. */
const deltaMin = 0.05
const spreadsMin = 1.5

/** Gates 1-4: quality, spread, ordinary and open market, size. Fails with the first reason. */
export function screenMove(input: MoveInput): Result.Result<MarketMove, MoverRejection> {
  const { market, book, window, now, tickIntervalMs, start } = input
  if (market.volumeUsd < volumeUsdMin) return Result.fail("low_volume")
  const screened = screenBook(book)
  if (Result.isFailure(screened)) return Result.fail(screened.failure)
  const microstructure = screened.success

  const screenedMarket = screenMarket(market)
  if (Result.isFailure(screenedMarket)) return Result.fail(screenedMarket.failure)
  if (market.status === "proposed" && isConverged(microstructure.mid)) {
    return Result.fail("in_settlement")
  }
  return Result.map(
    measureMove({ window, now, tickIntervalMs, start }, microstructure),
    (move) => ({ ...move, market, microstructure }),
  )
}

/** Gate 4: the size of a move from `start` to this price. A spread of null is not known. */
export function measureMove(
  { window, now, tickIntervalMs, start }: Omit<MoveInput, "market" | "book">,
  price: { readonly mid: number; readonly spread: number | null },
  sizeMin = deltaMin,
): Result.Result<PriceMove, "no_history" | "small_move"> {
  const range = startRange(window, now, tickIntervalMs)
  if (start === undefined || !isPrice(start.mid)) return Result.fail("no_history")
  if (start.at < range.notBefore || start.at > range.atOrBefore) return Result.fail("no_history")
  const [from, to] = [halfSteps(start.mid), halfSteps(price.mid)]
  const moved = Math.abs(to - from)
  const spread = halfSteps(price.spread ?? 0)
  if (moved < halfSteps(sizeMin) || moved < spreadsMin * spread) return Result.fail("small_move")
  return Result.succeed({
    window,
    now,
    tickIntervalMs,
    startedAt: start.at,
    priceStart: fromHalfSteps(from),
    priceNow: fromHalfSteps(to),
    delta: fromHalfSteps(to - from),
  })
}

/**
 * Inclusive. A move of fewer deviations is ordinary for its market. A higher limit selects moves that go
 * too far: on public prices those of three deviations and more went back further (docs/markets.md).
 */
const zScoreMin = 2

/**
 * Gates 5-7: real prices at both ends, novelty, surprise. Fails with the first reason; what needs the
 * whole history comes last.
 */
export function judgeMove<M extends PriceMove>(
  move: M,
  context: MoveContext,
): Result.Result<M & Judgement, MoverRejection> {
  if (!hasSettled(move, context.recent)) return Result.fail("unconfirmed")
  if (!isNovel(move, context.emitted)) return Result.fail("not_novel")
  if (startIsStray(move, context.history)) return Result.fail("stray_start")
  const zScore = zScoreOf(move, context.history)
  if (zScore < zScoreMin) return Result.fail("unsurprising")
  return Result.succeed({ ...move, zScore, converged: isConverged(move.priceNow) })
}

/**
 * |logit move| divided by the standard deviation of the window: the hourly one times the square root of
 * the number of hours. Rounded to six decimals, so that the gate uses the published figure.
 */
function zScoreOf(move: PriceMove, history: ReadonlyArray<SeriesPoint>): number {
  const { from } = historyRange(move)
  const points = history.filter(({ at, mid }) => at >= from && isPrice(mid))
  const hours = windowMs[move.window] / hour
  const sigma = hourlyVolatility(points, move.startedAt, move.priceNow) * Math.sqrt(hours)
  return Math.round(Math.abs(logit(move.priceNow) - logit(move.priceStart)) / sigma * 1e6) / 1e6
}

/** Markets of one event move together: more movers of one event in a tick repeat the same story. */
const moversPerEventMax = 3

/**
 * The movers of one tick for the feed, strongest first: the stronger window of each market, at most
 * three markets per event.
 */
export function selectMovers<M extends Selectable>(
  movers: ReadonlyArray<M>,
): { readonly chosen: ReadonlyArray<M>; readonly dropped: ReadonlyArray<DroppedMover<M>> } {
  const chosen: Array<M> = []
  const dropped: Array<DroppedMover<M>> = []
  for (const mover of movers.toSorted(byStrength)) {
    const ofMarket = chosen.some(({ market }) => market.id === mover.market.id)
    const ofEvent = chosen.filter(({ market }) => market.eventKey === mover.market.eventKey)
    if (ofMarket) dropped.push({ mover, reason: "weaker_window" })
    else if (ofEvent.length < moversPerEventMax) chosen.push(mover)
    else dropped.push({ mover, reason: "event_quota" })
  }
  return { chosen, dropped }
}

/** Strongest first; ties are ordered by market and window, so that the input order has no effect. */
function byStrength(a: Selectable, b: Selectable): number {
  if (a.zScore !== b.zScore) return b.zScore - a.zScore
  if (a.market.id !== b.market.id) return a.market.id < b.market.id ? -1 : 1
  return windowMs[a.window] - windowMs[b.window]
}

/**
 * The feed item of a mover, with the USD traded beyond half of it, null when not known; the dedupe key
 * allows one per market, window and tick.
 */
export function moverItem(
  mover: Mover,
  createdAt: EpochMs,
  tradedUsd: number | null,
): NewFeedItem {
  const { market, window, priceStart, priceNow, delta, zScore, converged, microstructure } = mover
  return {
    dedupeKey: `mover:${market.id}:${window}:${isoTime(mover.now)}`,
    type: "mover",
    title: market.question,
    createdAt: isoTime(createdAt),
    data: {
      market: marketRef(market),
      outcome: market.outcomes[0],
      window,
      priceStart,
      priceNow,
      delta,
      startedAt: isoTime(mover.startedAt),
      zScore,
      confirmedBy: "persistence",
      tradedUsd,
      microstructure,
      converged,
    },
  }
}
