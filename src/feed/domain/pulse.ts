/**
 * The strongest moves of the day, for the free pulse.
 *
 * @module
 */
import { Array, Order } from "effect"
import { slugKey } from "../../markets/domain/market.ts"
import type { FeedItem, MoveWindow } from "./item.ts"

export type MoverItem = Extract<FeedItem, { type: "mover" }>

/** One row of the pulse, as on the wire. */
export interface PulseMover {
  readonly question: string
  readonly slug: string
  /** The outcome that the prices belong to. */
  readonly outcome: string
  readonly window: MoveWindow
  readonly priceStart: number
  readonly priceNow: number
  readonly delta: number
  readonly liquidityUsd: number
}

const strongest = Order.mapInput(
  Order.flip(Order.Number),
  (mover: MoverItem) => Math.abs(mover.data.delta),
)

/**
 * The `count` strongest moves, one per market, without those whose price has converged. All `24h` moves come before all `1h` moves; equal moves
 * keep their order in `movers`.
 */
export function strongestMoves(
  movers: ReadonlyArray<MoverItem>,
  count: number,
): ReadonlyArray<PulseMover> {
  const over = (window: MoveWindow) =>
    Array.sort(
      movers.filter(({ data }) => data.window === window && !data.converged),
      strongest,
    )
  const ranked = Array.dedupeWith(
    [...over("24h"), ...over("1h")],
    (a, b) => slugKey(a.data.market.slug) === slugKey(b.data.market.slug),
  )
  return ranked.slice(0, count).map(({ data }) => ({
    question: data.market.question,
    slug: data.market.slug,
    outcome: data.outcome,
    window: data.window,
    priceStart: data.priceStart,
    priceNow: data.priceNow,
    delta: data.delta,
    liquidityUsd: data.market.liquidityUsd,
  }))
}
