/**
 * Gate 5: whether both ends of a move are real prices, by the points of the series and by trades.
 *
 * @module
 */
import { fromHalfSteps, halfSteps, isPrice } from "../../markets/domain/book.ts"
import type { SeriesPoint, Trade } from "../../markets/domain/market.ts"
import { type EpochMs, minute } from "../../core/domain/time.ts"
import type { MarketMove, PriceMove } from "./priceMove.ts"

/** How many ticks a point may be from its nominal instant: one tick may be missing. */
export const slackTicks = 2

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
export function hasSettled(move: PriceMove, recent: ReadonlyArray<SeriesPoint>): boolean {
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
export function hasPersisted(move: PriceMove, recent: ReadonlyArray<SeriesPoint>): boolean {
  const before = nearest(recent, move.now, -slackTicks * move.tickIntervalMs)
  return before !== undefined && isBeyondHalf(move, before)
}

/** USD that must trade beyond half of a move to confirm a price that has not persisted. Inclusive. */
const tradedUsdMin = { "1h": 100, "24h": 500 } as const

export function tradesConfirm({ window }: PriceMove, tradedUsd: number | null): boolean {
  return tradedUsd !== null && tradedUsd >= tradedUsdMin[window]
}

/**
 * Whether the move starts at a stray quote: at the ticks before and after the start the price was
 * already beyond half of the move. The price then only returned from the stray quote. That is no move,
 * although the price has settled and has trades. If one of the two ticks is missing, the start is
 * accepted.
 */
export function startIsStray(move: PriceMove, points: ReadonlyArray<SeriesPoint>): boolean {
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
