/**
 * Which price moves become movers: six gates, and a reason for every move that does not pass.
 *
 * - `screenMove` (gates 1 to 4) needs only the data of the tick.
 * - `judgeMove` (gates 5 and 6) needs the market's points since the start, which the caller loads for the
 *   few moves that pass the first gates; `confirmMove` also the trades.
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
import {
  hasPersisted,
  hasSettled,
  slackTicks,
  startIsStray,
  tradesConfirm,
} from "./confirmation.ts"
import { marketRef, type MoveWindow, type NewFeedItem, windowMs } from "../../feed/domain/item.ts"
import { screenBook, screenMarket, volumeUsdMin } from "../../markets/domain/quality.ts"
import { isNovel } from "./novelty.ts"
import type {
  Confirmation,
  Judgement,
  MarketMove,
  MoveContext,
  MoveInput,
  Mover,
  PriceMove,
} from "./priceMove.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"

/** Why a move is not in the feed, by gate; used as metric labels, so keep them stable. */
export const moverRejections = [
  // 1: enough volume, a valid book of enough depth.
  ...["low_volume", "no_book", "empty_side", "crossed", "ghost", "thin_book"],
  // 2: a narrow book.
  "wide_spread",
  // 3: an ordinary market that is open, at a price that leaves something to trade.
  ...["mechanical", "resolved", "closed", "decided"],
  // 4: large enough, measured from a price at the start of the window.
  ...["no_history", "small_move"],
  // 5: a real price at both ends.
  ...["unconfirmed", "stray_start"],
  // 6: more than the feed has already published.
  "not_novel",
  // Selection: one move per market, few per event.
  ...["longer_window", "event_quota"],
] as const
export type MoverRejection = (typeof moverRejections)[number]

/** What the selection compares; the market may be one of a recorded series. */
type Selectable = Pick<PriceMove, "window" | "delta"> & {
  readonly market: { readonly id: string; readonly eventKey: string }
}

/** A mover that was dropped because the same tick has others that come first. */
interface DroppedMover<M> {
  readonly mover: M
  readonly reason: Extract<MoverRejection, "longer_window" | "event_quota">
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

/** The points that gate 5 needs: from two ticks before the start up to now. */
export function pointsRange(move: PriceMove): { readonly from: EpochMs; readonly to: EpochMs } {
  return { from: move.startedAt - slackTicks * move.tickIntervalMs, to: move.now - 1 }
}

/** Beyond these limits a price leaves nothing to trade: of public movers most ended there. */
const tradable = { low: 0.05, high: 0.95 }

function isTradable(price: number): boolean {
  const steps = halfSteps(price)
  return steps >= halfSteps(tradable.low) && steps <= halfSteps(tradable.high)
}

/** The minimum move, in price and in spreads: a wide spread alone can look like a move. Inclusive. */
const deltaMin = 0.05
const spreadsMin = 1.5

/** Gates 1-4: quality, spread, ordinary open market, size. Fails with the first reason. */
export function screenMove(input: MoveInput): Result.Result<MarketMove, MoverRejection> {
  const { market, book, window, now, tickIntervalMs, start } = input
  if (market.volumeUsd < volumeUsdMin) return Result.fail("low_volume")
  const screened = screenBook(book)
  if (Result.isFailure(screened)) return Result.fail(screened.failure)
  const microstructure = screened.success

  const screenedMarket = screenMarket(market)
  if (Result.isFailure(screenedMarket)) return Result.fail(screenedMarket.failure)
  return Result.map(
    measureMove({ window, now, tickIntervalMs, start }, microstructure),
    (move) => ({ ...move, market, microstructure }),
  )
}

/** The price of gate 3, and gate 4: the size of a move from `start`. A spread of null is not known. */
export function measureMove(
  { window, now, tickIntervalMs, start }: Omit<MoveInput, "market" | "book">,
  price: { readonly mid: number; readonly spread: number | null },
  sizeMin = deltaMin,
): Result.Result<PriceMove, "decided" | "no_history" | "small_move"> {
  if (!isTradable(price.mid)) return Result.fail("decided")
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
 * Gates 5 and 6: real prices at both ends, as far as the series shows, and novelty. Fails with the first
 * reason.
 */
export function judgeMove<M extends PriceMove>(
  move: M,
  { points, emitted }: MoveContext,
): Result.Result<M & Judgement, MoverRejection> {
  const phase = hasSettled(move, points) ? "settled" : "running"
  const persisted = phase === "settled" || hasPersisted(move, points)
  const judged: M & Judgement = { ...move, phase, persisted }
  if (!isNovel(judged, emitted)) return Result.fail("not_novel")
  if (startIsStray(move, points)) return Result.fail("stray_start")
  return Result.succeed(judged)
}

/** The rest of gate 5: a new price that did not persist needs trades; null when they are not known. */
export function confirmMove<M extends PriceMove & Judgement>(
  move: M,
  tradedUsd: number | null,
): Result.Result<M & Confirmation, MoverRejection> {
  if (move.persisted) return Result.succeed({ ...move, confirmedBy: "persistence", tradedUsd })
  if (!tradesConfirm(move, tradedUsd)) return Result.fail("unconfirmed")
  return Result.succeed({ ...move, confirmedBy: "trades", tradedUsd })
}

/** Markets of one event move together: more movers of one event in a tick repeat the same story. */
const moversPerEventMax = 3

/**
 * The movers of one tick for the feed: moves over an hour before those over a day, each the largest first;
 * one of each market, and at most three markets per event.
 */
export function selectMovers<M extends Selectable>(
  movers: ReadonlyArray<M>,
): { readonly chosen: ReadonlyArray<M>; readonly dropped: ReadonlyArray<DroppedMover<M>> } {
  const chosen: Array<M> = []
  const dropped: Array<DroppedMover<M>> = []
  for (const mover of movers.toSorted(newestAndLargest)) {
    const ofMarket = chosen.some(({ market }) => market.id === mover.market.id)
    const ofEvent = chosen.filter(({ market }) => market.eventKey === mover.market.eventKey)
    if (ofMarket) dropped.push({ mover, reason: "longer_window" })
    else if (ofEvent.length < moversPerEventMax) chosen.push(mover)
    else dropped.push({ mover, reason: "event_quota" })
  }
  return { chosen, dropped }
}

/** Ties are ordered by market, so that the input order has no effect. */
function newestAndLargest(a: Selectable, b: Selectable): number {
  return windowMs[a.window] - windowMs[b.window] ||
    Math.abs(b.delta) - Math.abs(a.delta) ||
    (a.market.id < b.market.id ? -1 : 1)
}

/** The feed item of a mover; the dedupe key allows one per market, window and tick. */
export function moverItem(mover: Mover, createdAt: EpochMs): NewFeedItem {
  const { market, window, phase, priceStart, priceNow, delta, confirmedBy, tradedUsd } = mover
  return {
    dedupeKey: `mover:${market.id}:${window}:${isoTime(mover.now)}`,
    type: "mover",
    title: market.question,
    createdAt: isoTime(createdAt),
    data: {
      market: marketRef(market),
      outcome: market.outcomes[0],
      window,
      phase,
      priceStart,
      priceNow,
      delta,
      startedAt: isoTime(mover.startedAt),
      confirmedBy,
      tradedUsd,
      microstructure: mover.microstructure,
    },
  }
}
