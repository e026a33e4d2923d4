/**
 * A price move: the input and the results of the gates.
 *
 * @module
 */
import type { Result } from "effect"
import type { BookFault, Microstructure } from "../../markets/domain/book.ts"
import type { MoveWindow } from "../../feed/domain/item.ts"
import type { Market, SeriesPoint } from "../../markets/domain/market.ts"
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

/** The input of gates 5-7. */
export interface MoveContext {
  /** The market's raw points in `historyRange`, in any order; others are ignored. */
  readonly history: ReadonlyArray<SeriesPoint>
  /** The market's raw points in `settlingRange`, in any order; others are ignored. */
  readonly recent: ReadonlyArray<SeriesPoint>
  /** The market's movers in the feed of the last 24 hours, both windows, in any order. */
  readonly emitted: ReadonlyArray<EmittedMove>
}

/** What the gates add to a move that passed them. */
export interface Judgement {
  /** |logit move| divided by its expected size; at least 2, finite. */
  readonly zScore: number
  /** The new price is close to 0 or 1: the market's question is decided, or nearly. */
  readonly converged: boolean
}

/** A market's move that passed all seven gates. */
export type Mover = MarketMove & Judgement
