/**
 * A price move: the input and the results of the gates.
 *
 * @module
 */
import type { Result } from "effect"
import type { BookFault, Microstructure } from "../../markets/domain/book.ts"
import type { MoverData, MoveWindow } from "../../feed/domain/item.ts"
import type { Market, SeriesPoint, Trade } from "../../markets/domain/market.ts"
import type { EmittedMove } from "./novelty.ts"
import type { EpochMs } from "../../core/domain/time.ts"

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

/** A move that passed gates 1-4. */
export interface PriceMove {
  readonly market: Market
  readonly microstructure: Microstructure
  readonly window: MoveWindow
  readonly now: EpochMs
  readonly tickIntervalMs: number
  readonly startedAt: EpochMs
  readonly priceStart: number
  readonly priceNow: number
  /** priceNow - priceStart, exact to six decimals. */
  readonly delta: number
}

/** The input of gates 5-7. */
export interface MoveContext {
  /** The market's raw points in `historyRange`, in any order. */
  readonly history: ReadonlyArray<SeriesPoint>
  /** Fills of the market since `startedAt`, in any order; earlier and later ones are ignored. */
  readonly trades: ReadonlyArray<Trade>
  /** The market's mid at the previous tick. */
  readonly previous: SeriesPoint | undefined
  /** The market's movers in the feed of the last 24 hours, both windows, in any order. */
  readonly emitted: ReadonlyArray<EmittedMove>
}

/** A move that passed all seven gates. */
export interface Mover extends PriceMove {
  /** |logit move| divided by its expected size; at least 3, finite. */
  readonly zScore: number
  readonly confirmedBy: MoverData["confirmedBy"]
}
