/**
 * A price move: the input and the results of the gates.
 *
 * @module
 */
import type { Result } from "effect"
import type { BookFault, Microstructure } from "../../markets/domain/book.ts"
import type { MovePhase, MoveWindow } from "../../feed/domain/item.ts"
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
export interface Confirmation {
  readonly confirmedBy: "persistence" | "trades"
  readonly tradedUsd: number | null
}

/** A market's move that passed all gates. */
export type Mover = MarketMove & Judgement & Confirmation
