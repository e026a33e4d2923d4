/**
 * A price move on its way through the gates: what each of them looks at, and what comes out.
 *
 * @module
 */
import type { Result } from "effect"
import type { BookFault, Microstructure } from "../../markets/domain/book.ts"
import type { MoverData, MoveWindow } from "../../feed/domain/item.ts"
import type { Market, SeriesPoint, Trade } from "../../markets/domain/market.ts"
import type { EmittedMove } from "./novelty.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** What gates 1-4 look at: one market over one window, at one tick. */
export interface MoveInput {
  readonly market: Market
  /** Of the first outcome's book as of `now`; null when the venue gave none. */
  readonly book: Result.Result<Microstructure, BookFault> | null
  readonly window: MoveWindow
  /** The tick's own (aligned) time. */
  readonly now: EpochMs
  /** The time between two ticks. */
  readonly tickIntervalMs: number
  /** The last point of the market's series in `startRange`, if it has one. */
  readonly start: SeriesPoint | undefined
}

/** A move that passed gates 1-4. */
export interface Move {
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

/** What gates 5-7 look at. */
export interface MoveEvidence {
  /** The market's raw points in `historyRange`, in any order. */
  readonly history: ReadonlyArray<SeriesPoint>
  /** Fills of the market since `startedAt`, in any order; earlier and later ones are ignored. */
  readonly trades: ReadonlyArray<Trade>
  /** The market's mid at the tick before this one, if there was such a tick. */
  readonly previous: SeriesPoint | undefined
  /** What the feed said of this market in the last 24 hours, either window, in any order. */
  readonly emitted: ReadonlyArray<EmittedMove>
}

/** A move that passed all seven gates. */
export interface Mover extends Move {
  /** |logit move| over its expected size; at least 3, finite. */
  readonly zScore: number
  readonly confirmedBy: MoverData["confirmedBy"]
}
