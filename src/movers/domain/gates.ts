/**
 * Which price moves are news: seven gates, and the reason for every move that does not pass them.
 *
 * `screenMove` (gates 1 to 4) needs only what a tick has at hand; `judgeMove` (gates 5 to 7) needs
 * history and trades, which the caller loads for the few moves that got so far; `selectMovers` keeps one
 * event from filling the feed. `Movers.ts` runs them, and judges a limited number of moves a tick
 * (`over_budget`).
 *
 * Prices are of the market's first outcome, compared in half price steps (`book.ts`), so that no
 * gate turns on a float error.
 *
 * @module
 */
import { Result } from "effect"
import { fromHalfSteps, halfSteps, isPrice } from "../../markets/domain/book.ts"
import { confirmation, slackTicks, startIsStray } from "./confirmation.ts"
import { marketRef, type MoveWindow, type NewFeedItem, windowMs } from "../../feed/domain/item.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { screenBook, screenMarket, volumeUsdMin } from "../../markets/domain/quality.ts"
import { isNovel } from "./novelty.ts"
import type { Move, MoveEvidence, MoveInput, Mover } from "./move.ts"
import { day, type EpochMs, hour, isoTime } from "../../core/domain/time.ts"
import { hourlyVolatility, logit } from "./volatility.ts"

/** Why a move is not in the feed, by gate; short and stable, for metrics. */
export const moverRejections = [
  // 1: enough volume, a valid book of enough depth.
  ...["low_volume", "no_book", "empty_side", "crossed", "ghost", "thin_book"],
  // 2: a narrow book.
  "wide_spread",
  // 3: an ordinary market that is open.
  ...["mechanical", "resolved", "closed", "in_settlement"],
  // 4: large enough; a price that far back is needed to say so.
  ...["no_history", "small_move"],
  // 5: unusual for this market.
  "unsurprising",
  // 6: a real price at both ends.
  ...["stray_start", "unconfirmed"],
  // 7: more than the feed has already published.
  "not_novel",
  // Selection: one move a market, few an event.
  ...["weaker_window", "event_quota"],
] as const
export type MoverRejection = (typeof moverRejections)[number]

/** A mover that one tick left out in favour of stronger ones. */
interface DroppedMover {
  readonly mover: Mover
  readonly reason: Extract<MoverRejection, "weaker_window" | "event_quota">
}

/** Where the start of a move is looked for: its last point in this range. */
export function startRange(
  window: MoveWindow,
  now: EpochMs,
  tickIntervalMs: number,
): { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs } {
  const atOrBefore = now - windowMs[window]
  return { notBefore: atOrBefore - slackTicks * tickIntervalMs, atOrBefore }
}

/** A week has quiet and busy days in it, and is what the series (9 days) still holds before 24 h. */
const historyMs = 7 * day

/** What says how much this market moves in an ordinary hour, and whether its start was real. */
export function historyRange(
  move: Move,
): { readonly from: EpochMs; readonly to: EpochMs } {
  return {
    from: move.startedAt - historyMs,
    to: move.startedAt + slackTicks * move.tickIntervalMs,
  }
}

/** With an outcome proposed, a price beyond these is on its way to 0 or 1: settlement, not news. */
const settlement = { low: 0.03, high: 0.97 }

/** The least move anyone would call one, and what the spread alone can fake. Both inclusive. */
const deltaMin = 0.05
const spreadsMin = 1.5

/** Gates 1-4: quality, spread, ordinary and open market, size. Fails with the first that does. */
export function screenMove(input: MoveInput): Result.Result<Move, MoverRejection> {
  const { market, book, window, now, tickIntervalMs, start } = input
  if (market.volumeUsd < volumeUsdMin) return Result.fail("low_volume")
  const screened = screenBook(book)
  if (Result.isFailure(screened)) return Result.fail(screened.failure)
  const shown = screened.success
  const spread = halfSteps(shown.spread)

  const facts = screenMarket(market)
  if (Result.isFailure(facts)) return Result.fail(facts.failure)
  const mid = halfSteps(shown.mid)
  const atAnEnd = mid >= halfSteps(settlement.high) || mid <= halfSteps(settlement.low)
  if (market.status === "proposed" && atAnEnd) return Result.fail("in_settlement")

  const range = startRange(window, now, tickIntervalMs)
  if (start === undefined || !isPrice(start.mid)) return Result.fail("no_history")
  if (start.at < range.notBefore || start.at > range.atOrBefore) return Result.fail("no_history")
  const from = halfSteps(start.mid)
  const moved = Math.abs(mid - from)
  if (moved < halfSteps(deltaMin) || moved < spreadsMin * spread) return Result.fail("small_move")

  return Result.succeed({
    market,
    microstructure: shown,
    window,
    now,
    tickIntervalMs,
    startedAt: start.at,
    priceStart: fromHalfSteps(from),
    priceNow: shown.mid,
    delta: fromHalfSteps(mid - from),
  })
}

/** How many times its ordinary size a move must have. */
const zScoreMin = 3

/** Gates 5-7: surprise, confirmation of both ends, novelty. Fails with the first that does. */
export function judgeMove(
  move: Move,
  evidence: MoveEvidence,
): Result.Result<Mover, MoverRejection> {
  const zScore = surprise(move, evidence.history)
  if (zScore < zScoreMin) return Result.fail("unsurprising")
  if (startIsStray(move, evidence.history)) return Result.fail("stray_start")
  const confirmedBy = confirmation(move, evidence)
  if (confirmedBy === null) return Result.fail("unconfirmed")
  if (!isNovel(move, evidence.emitted)) return Result.fail("not_novel")
  return Result.succeed({ ...move, zScore, confirmedBy })
}

/**
 * |logit move| in standard deviations of such a window: the hourly one times the root of the hours.
 * Rounded to six decimals, so that the figure published is the figure judged.
 */
function surprise(move: Move, history: ReadonlyArray<SeriesPoint>): number {
  const { from } = historyRange(move)
  const points = history.filter(({ at, mid }) => at >= from && isPrice(mid))
  const hours = windowMs[move.window] / hour
  const sigma = hourlyVolatility(points, move.startedAt, move.priceNow) * Math.sqrt(hours)
  return Math.round(Math.abs(logit(move.priceNow) - logit(move.priceStart)) / sigma * 1e6) / 1e6
}

/** Sibling markets move together: more than this of one event in a tick is one story told again. */
const moversPerEventMax = 3

/**
 * The movers of one tick that go out, strongest first: one a market, the stronger of its windows; at
 * most three an event.
 */
export function selectMovers(
  movers: ReadonlyArray<Mover>,
): { readonly chosen: ReadonlyArray<Mover>; readonly dropped: ReadonlyArray<DroppedMover> } {
  const chosen: Array<Mover> = []
  const dropped: Array<DroppedMover> = []
  for (const mover of movers.toSorted(byStrength)) {
    const ofMarket = chosen.some(({ market }) => market.id === mover.market.id)
    const ofEvent = chosen.filter(({ market }) => market.eventSlug === mover.market.eventSlug)
    if (ofMarket) dropped.push({ mover, reason: "weaker_window" })
    else if (ofEvent.length < moversPerEventMax) chosen.push(mover)
    else dropped.push({ mover, reason: "event_quota" })
  }
  return { chosen, dropped }
}

/** Strongest first; ties fall by market and window, so that the order of arrival decides nothing. */
function byStrength(a: Mover, b: Mover): number {
  if (a.zScore !== b.zScore) return b.zScore - a.zScore
  if (a.market.id !== b.market.id) return a.market.id < b.market.id ? -1 : 1
  return windowMs[a.window] - windowMs[b.window]
}

/** The feed item of a mover; at most one a market, window and tick. */
export function moverItem(mover: Mover, createdAt: EpochMs): NewFeedItem {
  const { market, window, priceStart, priceNow, delta, zScore, confirmedBy, microstructure } = mover
  return {
    dedupeKey: `mover:${market.id}:${window}:${isoTime(mover.now)}`,
    type: "mover",
    title: market.question,
    createdAt: isoTime(createdAt),
    data: {
      market: marketRef(market),
      window,
      priceStart,
      priceNow,
      delta,
      startedAt: isoTime(mover.startedAt),
      zScore,
      confirmedBy,
      microstructure,
    },
  }
}
