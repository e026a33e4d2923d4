/**
 * Whether a move is more than moved quotes.
 *
 * @module
 */
import { fromHalfSteps, halfSteps, isPrice } from "../../markets/domain/book.ts"
import type { MoverData, MoveWindow } from "../../feed/domain/item.ts"
import type { SeriesPoint, Trade } from "../../markets/domain/market.ts"
import type { Move, MoveEvidence } from "./move.ts"

/** How many ticks a point may lie from the instant it stands for: one may be missed. */
export const slackTicks = 2

/** What somebody must have paid beyond half of the move, so that it is more than moved quotes. */
const confirmingUsdMin: Readonly<Record<MoveWindow, number>> = { "1h": 100, "24h": 500 }

/**
 * Gate 6: what stands behind a move beside the quotes. `trades`: at least 100 USD (1 h) or 500 USD
 * (24 h) changed hands beyond its half-way point. `persistence`: it stood for two ticks. Else null;
 * prices that only bounce between bid and ask pass neither.
 */
export function confirmation(move: Move, evidence: MoveEvidence): MoverData["confirmedBy"] | null {
  if (tradedUsdBeyondHalf(move, evidence.trades) >= confirmingUsdMin[move.window]) return "trades"
  if (persisted(move, evidence.previous)) return "persistence"
  return null
}

/**
 * Whether the move starts from a quote that strayed: at the ticks before and after it the price
 * already stood beyond half of the way to where it is now. A stray quote over, the price only came
 * home; that is no move, although it persists and people trade there. Where one of the two ticks is
 * missing the start is believed.
 */
export function startIsStray(move: Move, history: ReadonlyArray<SeriesPoint>): boolean {
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
function travelled(move: Move, point: SeriesPoint): number {
  return (halfSteps(point.mid) - halfSteps(move.priceStart)) * Math.sign(move.delta)
}

/**
 * USD that changed hands during the move at prices beyond its half-way point, at the first outcome's
 * price: a buy of the second outcome at q is a sale of the first at 1 - q. A tape may show a fill
 * from both of its sides, always as one purchase and one sale, so the larger of the two sums is
 * taken: no dollar counts twice. Rounded to millionths, against float sums.
 */
function tradedUsdBeyondHalf(move: Move, trades: ReadonlyArray<Trade>): number {
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

/** The tick before this one, too, stood beyond two thirds of the move. (This one does.) */
function persisted(move: Move, previous: SeriesPoint | undefined): boolean {
  if (previous === undefined || !isPrice(previous.mid)) return false
  const recent = previous.at < move.now &&
    previous.at >= move.now - slackTicks * move.tickIntervalMs
  return recent && 3 * travelled(move, previous) > 2 * Math.abs(halfSteps(move.delta))
}
