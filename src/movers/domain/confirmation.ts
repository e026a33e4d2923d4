/**
 * Gate 6: whether more than a change of quotes confirms a move.
 *
 * @module
 */
import { fromHalfSteps, halfSteps, isPrice } from "../../markets/domain/book.ts"
import type { MoverData, MoveWindow } from "../../feed/domain/item.ts"
import type { SeriesPoint, Trade } from "../../markets/domain/market.ts"
import type { MoveContext, PriceMove } from "./priceMove.ts"

/** How many ticks a point may be from its nominal instant: one tick may be missing. */
export const slackTicks = 2

/** USD that must be traded beyond half of the move. */
const confirmingUsdMin: Readonly<Record<MoveWindow, number>> = { "1h": 100, "24h": 500 }

/**
 * What confirms a move. `trades`: at least 100 USD (1 h) or 500 USD (24 h) were traded beyond its
 * midpoint. `persistence`: the previous tick was already beyond two thirds of it. Else null; a price
 * that only bounces between bid and ask passes neither.
 */
export function confirmation(
  move: PriceMove,
  context: MoveContext,
): MoverData["confirmedBy"] | null {
  if (tradedUsdBeyondHalf(move, context.trades) >= confirmingUsdMin[move.window]) return "trades"
  if (persisted(move, context.previous)) return "persistence"
  return null
}

/**
 * Whether the move starts at a stray quote: at the ticks before and after the start the price was
 * already beyond half of the move. The price then only returned from the stray quote. That is no move,
 * although the price persists and has trades. If one of the two ticks is missing, the start is accepted.
 */
export function startIsStray(move: PriceMove, history: ReadonlyArray<SeriesPoint>): boolean {
  const reach = slackTicks * move.tickIntervalMs
  const near = history.filter(({ at, mid }) =>
    isPrice(mid) && at !== move.startedAt && Math.abs(at - move.startedAt) <= reach
  )
  const before = near.filter(({ at }) => at < move.startedAt)
  const after = near.filter(({ at }) => at > move.startedAt)
  const last = before.reduce<SeriesPoint | undefined>((a, b) => a && a.at > b.at ? a : b, undefined)
  const next = after.reduce<SeriesPoint | undefined>((a, b) => a && a.at < b.at ? a : b, undefined)
  const beyondHalf = (point: SeriesPoint | undefined) =>
    point !== undefined && 2 * travelled(move, point) > Math.abs(halfSteps(move.delta))
  return beyondHalf(last) && beyondHalf(next)
}

/** Half price steps from the move's start to this point, positive in the move's direction. */
function travelled(move: PriceMove, point: SeriesPoint): number {
  return (halfSteps(point.mid) - halfSteps(move.priceStart)) * Math.sign(move.delta)
}

/**
 * USD traded during the move at prices beyond its midpoint. All prices are those of the first outcome: a
 * buy of the second outcome at q is a sale of the first at 1 - q. The venue may report a fill twice, as
 * a buy and as a sale. So only the larger of the two sums counts, and no dollar counts twice. Rounded to
 * millionths because of float sums.
 */
function tradedUsdBeyondHalf(move: PriceMove, trades: ReadonlyArray<Trade>): number {
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

/** Whether the mid of the previous tick was beyond two thirds of the move. */
function persisted(move: PriceMove, previous: SeriesPoint | undefined): boolean {
  if (previous === undefined || !isPrice(previous.mid)) return false
  const recent = previous.at < move.now &&
    previous.at >= move.now - slackTicks * move.tickIntervalMs
  return recent && 3 * travelled(move, previous) > 2 * Math.abs(halfSteps(move.delta))
}
