/**
 * Which price moves become movers: six gates, and a reason for every move that does not pass.
 *
 * - `screenMove` (gates 1 to 4) needs only the data of the tick.
 * - `judgeMove` (gates 5 and 6) needs the market's points since the start, which the caller loads for the
 *   few moves that pass the first gates; `confirmMove` also the trades.
 * - `selectMovers` limits the movers per event.
 *
 * `Ingestion.ts` runs them, and judges a limited number of moves per tick (`over_budget`).
 *
 * Prices are those of the market's first outcome. They are compared in half price steps (`book.ts`), so
 * that no gate depends on a float error.
 *
 * @module
 */
import { Result } from "effect"
import {
  type BookFault,
  fromHalfSteps,
  halfSteps,
  isPrice,
  type Microstructure,
} from "../../markets/domain/book.ts"
import {
  type FeedItem,
  marketRef,
  type MovePhase,
  type MoveWindow,
  type NewFeedItem,
  windowMs,
} from "../../feed/domain/item.ts"
import type { Market, SeriesPoint, Trade } from "../../markets/domain/market.ts"
import { screenBook, screenMarket } from "../../markets/domain/quality.ts"
import { type EpochMs, isoTime, minute } from "../../core/domain/time.ts"

/** The input of gates 1-4: one market, one window, one tick. */
export interface MoveInput {
  readonly market: Market
  /** The first outcome's book as of `now`; null when the venue returned none. */
  readonly book: Result.Result<Microstructure, BookFault> | null
  readonly window: MoveWindow
  /** The tick's aligned time. */
  readonly now: EpochMs
  readonly tickIntervalMs: number
  /** The last point of the market's series in `startRange`. */
  readonly start: SeriesPoint | undefined
}

/** A move of a price over a window, without its market: what the rule needs of a price series. */
export interface PriceMove {
  readonly window: MoveWindow
  readonly now: EpochMs
  readonly tickIntervalMs: number
  readonly startedAt: EpochMs
  readonly priceStart: number
  readonly priceNow: number
  /** priceNow - priceStart, exact to six decimals. */
  readonly delta: number
}

/** A market's move that passed gates 1-4. */
export interface MarketMove extends PriceMove {
  readonly market: Market
  readonly microstructure: Microstructure
}

/** The input of gates 5 and 6. */
export interface MoveContext {
  /** The market's raw points in `pointsRange`, in any order; others are ignored. */
  readonly points: ReadonlyArray<SeriesPoint>
  /** The market's movers in the feed of the last 24 hours, both windows, in any order. */
  readonly emitted: ReadonlyArray<EmittedMove>
}

/** What the series says of a move that passed the gates. */
export interface Judgement {
  readonly phase: MovePhase
  /** Whether the price stayed, for a tick or longer. */
  readonly persisted: boolean
}

/** What makes the new price real, and the USD traded beyond half of the move; null when not known. */
interface Confirmation {
  readonly confirmedBy: "persistence" | "trades"
  readonly tradedUsd: number | null
}

/** A market's move that passed all gates. */
export type Mover = MarketMove & Judgement & Confirmation

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
const tradable = { low: halfSteps(0.05), high: halfSteps(0.95) }

/** The minimum move, in price and in spreads: a wide spread alone can look like a move. Inclusive. */
const deltaMin = 0.05
const spreadsMin = 1.5

/** Gates 1-4: quality, spread, ordinary open market, size. Fails with the first reason. */
export function screenMove(input: MoveInput): Result.Result<MarketMove, MoverRejection> {
  return Result.gen(function* () {
    const market = yield* screenMarket(input.market)
    const microstructure = yield* screenBook(input.book)
    return { ...yield* measureMove(input, microstructure), market, microstructure }
  })
}

/** The price of gate 3, and gate 4: the size of a move from `start`. A spread of null is not known. */
export function measureMove(
  { window, now, tickIntervalMs, start }: Omit<MoveInput, "market" | "book">,
  price: { readonly mid: number; readonly spread: number | null },
  sizeMin = deltaMin,
): Result.Result<PriceMove, "decided" | "no_history" | "small_move"> {
  const to = halfSteps(price.mid)
  if (to < tradable.low || to > tradable.high) return Result.fail("decided")
  const range = startRange(window, now, tickIntervalMs)
  if (start === undefined || !isPrice(start.mid)) return Result.fail("no_history")
  if (start.at < range.notBefore || start.at > range.atOrBefore) return Result.fail("no_history")
  const from = halfSteps(start.mid)
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
  if (tradedUsd === null || tradedUsd < tradedUsdMin[move.window]) {
    return Result.fail("unconfirmed")
  }
  return Result.succeed({ ...move, confirmedBy: "trades", tradedUsd })
}

// Gate 5: both ends of a move are real prices, by the points of the series and by trades.

/** How many ticks a point may be from its nominal instant: one tick may be missing. */
const slackTicks = 2

/**
 * A price has settled when it stayed within a third of the move for 40 minutes: four ticks of ten
 * minutes. Both were chosen on the first halves of three public price sets and judged on the second
 * (docs/markets.md).
 */
const settlingMs = 40 * minute
const settledParts = 3

/**
 * Whether the new price has settled: over the last 40 minutes all mids, with the one of now, were
 * within a third of the move of one another. So each was beyond two thirds of the move, and a price that
 * bounces between bid and ask, or still runs, has not settled. The points must reach back 40 minutes, and
 * at most two ticks may be missing.
 */
function hasSettled(move: PriceMove, recent: ReadonlyArray<SeriesPoint>): boolean {
  const from = move.now - settlingMs - slackTicks * move.tickIntervalMs
  const points = recent.filter(({ at, mid }) => at >= from && at < move.now && isPrice(mid))
  const firstAt = points.reduce(
    (last, { at }) => at <= move.now - settlingMs && at > last ? at : last,
    Number.NEGATIVE_INFINITY,
  )
  const since = points.filter(({ at }) => at >= firstAt)
  const ticksMin = Math.max(1, settlingMs / move.tickIntervalMs - slackTicks)
  if (!Number.isFinite(firstAt) || since.length < ticksMin) return false
  const mids = [halfSteps(move.priceNow), ...since.map(({ mid }) => halfSteps(mid))]
  const range = Math.max(...mids) - Math.min(...mids)
  return settledParts * range <= Math.abs(halfSteps(move.delta))
}

/**
 * Whether the point before now, at most two ticks ago, was already beyond half of the move: a quote that
 * strayed for one tick has not persisted.
 */
function hasPersisted(move: PriceMove, recent: ReadonlyArray<SeriesPoint>): boolean {
  const before = nearest(recent, move.now, -slackTicks * move.tickIntervalMs)
  return before !== undefined && isBeyondHalf(move, before)
}

/** USD that must trade beyond half of a move to confirm a price that has not persisted. Inclusive. */
const tradedUsdMin = { "1h": 100, "24h": 500 } as const

/**
 * Whether the move starts at a stray quote: at the ticks before and after the start the price was
 * already beyond half of the move. The price then only returned from the stray quote. That is no move,
 * although the price has settled and has trades. If one of the two ticks is missing, the start is
 * accepted.
 */
function startIsStray(move: PriceMove, points: ReadonlyArray<SeriesPoint>): boolean {
  const reach = slackTicks * move.tickIntervalMs
  const before = nearest(points, move.startedAt, -reach)
  const after = nearest(points, move.startedAt, reach)
  return before !== undefined && after !== undefined &&
    isBeyondHalf(move, before) && isBeyondHalf(move, after)
}

/** The point nearest to `at`, but not at it, among those up to `reach` later, or earlier if negative. */
function nearest(
  points: ReadonlyArray<SeriesPoint>,
  at: EpochMs,
  reach: number,
): SeriesPoint | undefined {
  const distance = (point: SeriesPoint) => (point.at - at) * Math.sign(reach)
  return points
    .filter((point) =>
      isPrice(point.mid) && distance(point) > 0 && distance(point) <= Math.abs(reach)
    )
    .reduce<SeriesPoint | undefined>(
      (a, b) => a !== undefined && distance(a) <= distance(b) ? a : b,
      undefined,
    )
}

function isBeyondHalf(move: PriceMove, { mid }: SeriesPoint): boolean {
  const moved = (halfSteps(mid) - halfSteps(move.priceStart)) * Math.sign(move.delta)
  return 2 * moved > Math.abs(halfSteps(move.delta))
}

/**
 * USD traded during the move at prices beyond its midpoint. All prices are those of the first outcome: a
 * buy of the second outcome at q is a sale of the first at 1 - q. The venue may report a fill twice, as
 * a buy and as a sale. So only the larger of the two sums counts, and no dollar counts twice. Rounded to
 * millionths because of float sums.
 */
export function tradedUsdBeyondHalf(move: MarketMove, trades: ReadonlyArray<Trade>): number {
  const direction = Math.sign(move.delta)
  const half = (halfSteps(move.priceStart) + halfSteps(move.priceNow)) / 2
  const sums = { buy: 0, sell: 0 }
  for (const { at, tokenId, side, price, size } of trades) {
    if (at < move.startedAt || at > move.now || !(size > 0) || !isPrice(price)) continue
    const mirrored = tokenId === move.market.tokenIds[1]
    const steps = halfSteps(mirrored ? 1 - price : price)
    if ((steps - half) * direction <= 0) continue
    sums[mirrored ? opposite[side] : side] += fromHalfSteps(steps) * size
  }
  return Math.round(Math.max(sums.buy, sums.sell) * 1e6) / 1e6
}

const opposite = { buy: "sell", sell: "buy" } as const

// Gate 6: the move is new, compared with the published movers of its market.

/** A mover in the feed, as gate 6 needs it. */
export interface EmittedMove {
  readonly window: MoveWindow
  readonly phase: MovePhase
  readonly delta: number
  readonly priceNow: number
  readonly emittedAt: EpochMs
}

/** The caller passes only items of the move's market, found by `data.market.slug`. */
export function emittedMove(item: Extract<FeedItem, { type: "mover" }>): EmittedMove {
  const { window, phase, delta, priceNow } = item.data
  return { window, phase, delta, priceNow, emittedAt: Date.parse(item.createdAt) }
}

/** A move in the same direction is novel again when it has this many tenths of the last one. Inclusive. */
const growthTenths = 12

/**
 * Gate 6: after an item, a market has no further item for the length of the window, unless the move
 * grows to 1.2 times the published one or reverses. The price itself must have gone on since the item,
 * by a fifth of the published move: a start that slides, or the other window, makes no news.
 *
 * A settled move is compared with settled ones: it is published once more after it was published
 * running. It repeats a running item of the other window for an hour. The last item of each window is
 * checked, because one item covers both.
 */
export function isNovel(
  move: Omit<EmittedMove, "emittedAt"> & { readonly now: EpochMs },
  emitted: ReadonlyArray<EmittedMove>,
): boolean {
  const recent = emitted.filter(({ emittedAt }) => move.now - emittedAt < windowMs[move.window])
  const compared = move.phase === "running"
    ? recent
    : recent.filter(({ phase }) => phase === "settled")
  const running = emitted.filter(({ window, phase, emittedAt }) =>
    phase === "running" && window !== move.window && move.now - emittedAt < windowMs["1h"]
  )
  return [compared.filter(isOver("1h")), compared.filter(isOver("24h")), running]
    .every((items) => isNews(move, lastOf(items)))
}

function isNews(move: Omit<EmittedMove, "emittedAt">, last: EmittedMove | undefined): boolean {
  if (last === undefined) return true
  const direction = Math.sign(move.delta)
  const published = Math.abs(halfSteps(last.delta))
  const went = (halfSteps(move.priceNow) - halfSteps(last.priceNow)) * direction
  // All are whole half steps, so tenths of them are exact integers.
  if (went * 10 < published * (growthTenths - 10)) return false
  return Math.sign(last.delta) !== direction ||
    Math.abs(halfSteps(move.delta)) * 10 >= published * growthTenths
}

const isOver = (window: MoveWindow) => (item: EmittedMove) => item.window === window

function lastOf(items: ReadonlyArray<EmittedMove>): EmittedMove | undefined {
  return items.toSorted((a, b) => a.emittedAt - b.emittedAt).at(-1)
}

// Selection.

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
