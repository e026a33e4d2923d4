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
import type { Forecast, ForecastTotals } from "./domain/forecasts.ts"
import type { DueReading, PublishedEntry, ReadingResult, ScoredEntry } from "./domain/entryScore.ts"
import type { StoredOutcome } from "./domain/outcomes.ts"
import type { MoveOutcome, MoveTotals } from "./domain/moverDrift.ts"
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
  /** The point of the market's series that the verdict used; null before a verdict. */
  readonly point: SeriesPoint | null
}

export interface JudgedCheck extends Pick<DueCheck, "version" | "point"> {
  readonly check: ScoreCheck
  /** Null for an item whose market is not resolved, if its verdict needs that. */
  readonly verdict: CheckVerdict | null
  /** Of a whale entry: the price of the bought outcome; null when it is not known. */
  readonly value: number | null
  /** What the move did; null for other items, and while no later price is known. */
  readonly outcome: MoveOutcome | null
}

interface JudgedReading extends Pick<DueReading, "feedIndex" | "delayMinutes"> {
  readonly result: ReadingResult
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

/** A forecast whose 24 hours have passed. */
export interface DueForecast {
  readonly forecast: Forecast
  readonly resolution: Resolution | null
  /** Whether its market's resolution was requested after it became due. */
  readonly requested: boolean
}

export interface JudgedForecast {
  readonly forecast: Pick<Forecast, "kind" | "marketId" | "madeAt">
  /** As `valueOf`. */
  readonly value: number | null
}

export class ScoreStore extends Context.Service<ScoreStore, {
  /** The index of the last feed item that was read; 0 before the first. */
  readonly cursor: Effect.Effect<number>
  /**
   * Adds the checks of the items in `(from, to]` and moves the cursor to `to`. Does nothing and returns
   * false when the cursor is not at `from`. Each of `entries` has a check; its readings become
   * due `delaysMinutes` after the publication.
   */
  readonly addChecks: (
    from: number,
    to: number,
    checks: ReadonlyArray<ScoreCheck>,
    entries?: ReadonlyArray<PublishedEntry>,
  ) => Effect.Effect<boolean>
  /**
   * The markets of the query, and those that were not requested since one of their mover checks or
   * forecasts became due. The least recently requested come first.
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
   * Checks that are due at `now`, the longest due first. A check waits until the resolution of its
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
  /**
   * The checks of the items after `since`, ascending; of at least `items` items if there are as many.
   */
  readonly outcomes: (
    since: number,
    items: number,
  ) => Effect.Effect<ReadonlyArray<StoredOutcome>>
  /** When the newest forecasts of resolutions were made; 0 before the first. */
  readonly forecastsMadeAt: Effect.Effect<EpochMs>
  /**
   * Adds forecasts; one of the same kind, market and time is ignored. Deletes those that are older by
   * `forecastsKeptMs` than the newest of them.
   */
  readonly addForecasts: (forecasts: ReadonlyArray<Forecast>) => Effect.Effect<void>
  /** Forecasts without a verdict that are due at `now`, under the same rule as a mover's check. */
  readonly dueForecasts: (
    query: { readonly now: EpochMs; readonly overdueBefore: EpochMs; readonly limit: number },
  ) => Effect.Effect<ReadonlyArray<DueForecast>>
  /** Saves verdicts; a forecast keeps its first one. Returns how many were saved. */
  readonly saveForecastVerdicts: (
    judged: ReadonlyArray<JudgedForecast>,
  ) => Effect.Effect<number>
  readonly forecastTotals: Effect.Effect<Readonly<Record<Forecast["kind"], ForecastTotals>>>
  /** Readings that are due at `now`, the longest due first. */
  readonly dueReadings: (now: EpochMs, limit: number) => Effect.Effect<ReadonlyArray<DueReading>>
  /** Saves the results of due readings; the first result stays. Returns how many were saved. */
  readonly saveReadings: (readings: ReadonlyArray<JudgedReading>) => Effect.Effect<number>
  /** The newest published entries, at most `scoredEntriesMax`. */
  readonly entries: Effect.Effect<ReadonlyArray<ScoredEntry>>
  /** The judged movers with a known event, in any order; what has none is left out. */
  readonly moveTotals: Effect.Effect<ReadonlyArray<MoveTotals>>
  /** Changes whenever `counts`, totals or `entries` change, except by a resolution of a wallet's market. */
  readonly version: Effect.Effect<string>
}>()("bellwether/track-record/ScoreStore") {}
