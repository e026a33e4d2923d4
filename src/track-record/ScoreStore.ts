/**
 * The port to the stored scores of the service's own feed items.
 *
 * Checks are added in the order of the feed index, in one transaction with the cursor. So no item is
 * skipped or added twice, with any number of replicas. Checks stay when the feed prunes their items.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MarketId, SeriesPoint } from "../markets/domain/market.ts"
import type { Resolution } from "../markets/domain/resolution.ts"
import type { CheckVerdict, ScoreCheck, VerdictCounts } from "./domain/selfScore.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** A check that can be judged now. */
export interface DueCheck {
  readonly check: ScoreCheck
  /** The version of the market's stored resolution. */
  readonly version: number
  readonly resolution: Resolution | null
  /** Whether it has an earlier verdict, which a new resolution may change. */
  readonly hasVerdict: boolean
  /** The point of the market's series that the verdict used. */
  readonly point: SeriesPoint | null
}

export interface JudgedCheck extends Pick<DueCheck, "version" | "point"> {
  readonly check: ScoreCheck
  /** Null for a predetermined item whose market is not resolved. */
  readonly verdict: CheckVerdict | null
}

/** Selects the markets whose resolutions are requested. */
export interface DueMarketsQuery {
  readonly limit: number
  readonly now: EpochMs
  /** Unresolved markets with a published outcome, if last requested before this. */
  readonly requestedBefore: EpochMs
  /**
   * Markets that ended, or had a mover check, after `endedAfter`, if last requested before
   * `requestedAgainBefore`: venues resolve late, and correct resolutions.
   */
  readonly endedAfter: EpochMs
  readonly requestedAgainBefore: EpochMs
}

export class ScoreStore extends Context.Service<ScoreStore, {
  /** The index of the last feed item that was read; 0 before the first. */
  readonly cursor: Effect.Effect<number>
  /**
   * Adds the checks of the items in `(from, to]` and moves the cursor to `to`. Does nothing and returns
   * false when the cursor is not at `from`.
   */
  readonly addChecks: (
    from: number,
    to: number,
    checks: ReadonlyArray<ScoreCheck>,
  ) => Effect.Effect<boolean>
  /**
   * The markets of the query, and those that were not requested since one of their mover checks became
   * due. The least recently requested come first.
   */
  readonly dueMarkets: (query: DueMarketsQuery) => Effect.Effect<ReadonlyArray<MarketId>>
  /**
   * Saves resolutions, and that `requested` were requested; markets without checks are ignored. The
   * checks of markets with a new or changed resolution become due. Returns the number of such markets.
   */
  readonly saveResolutions: (
    resolutions: ReadonlyArray<Resolution>,
    requested: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<number>
  /**
   * Checks that are due at `now`, the longest due first. A mover check waits until the resolution of its
   * market is requested, unless it became due before `overdueBefore`.
   */
  readonly dueChecks: (
    query: { readonly now: EpochMs; readonly overdueBefore: EpochMs; readonly limit: number },
  ) => Effect.Effect<ReadonlyArray<DueCheck>>
  /**
   * Saves verdicts. A verdict of an outdated resolution version is ignored, and its check stays due.
   * Returns how many were saved.
   */
  readonly saveVerdicts: (judged: ReadonlyArray<JudgedCheck>) => Effect.Effect<number>
  readonly counts: Effect.Effect<VerdictCounts>
  /** Changes whenever `counts` change. */
  readonly version: Effect.Effect<string>
}>()("bellwether/track-record/ScoreStore") {}
