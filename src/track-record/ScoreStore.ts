/**
 * The port to the memory of how the service's own items fared.
 *
 * Items are taken up from the feed in the order of their index, in one transaction with the cursor
 * that says how far: none is skipped and none is taken twice, with any number of replicas, and what
 * was taken up outlives the feed's forgetting it.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MarketId, SeriesPoint } from "../markets/domain/market.ts"
import type { Resolution } from "../markets/domain/resolution.ts"
import type { Check, Verdict, VerdictCounts } from "./domain/selfScore.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** A check that can be judged now. */
export interface DueCheck {
  readonly check: Check
  /** Names the word on the market that `resolution` is. */
  readonly version: number
  readonly resolution: Resolution | null
  /** Whether it has a verdict already, which a new word on the market may change. */
  readonly judged: boolean
  /** The point of the market's series that it was judged by. */
  readonly point: SeriesPoint | null
}

export interface JudgedCheck extends Pick<DueCheck, "version" | "point"> {
  readonly check: Check
  /** Null for an outcome whose market has not ended. */
  readonly verdict: Verdict | null
}

/** Which markets are asked how they ended. */
export interface DueMarketsQuery {
  readonly limit: number
  readonly now: EpochMs
  /** Markets of outcomes that were told and are open are asked if they were not since. */
  readonly askedBefore: EpochMs
  /**
   * Markets that ended, or had a mover looked at, after `endedAfter` are asked again if they were not
   * since `askedAgainBefore`: a venue is late at times, and corrects itself.
   */
  readonly endedAfter: EpochMs
  readonly askedAgainBefore: EpochMs
}

export class ScoreStore extends Context.Service<ScoreStore, {
  /** The index of the last item of the feed that was taken up; 0 before the first. */
  readonly cursor: Effect.Effect<number>
  /**
   * Takes up the checks of the items in `(from, to]` and moves the cursor there, if it is at `from`;
   * else it does nothing and says false.
   */
  readonly take: (
    from: number,
    to: number,
    checks: ReadonlyArray<Check>,
  ) => Effect.Effect<boolean>
  /**
   * Besides those of the query: markets with a mover that is due and that were not asked since it was.
   * Those not asked for longest first.
   */
  readonly dueMarkets: (query: DueMarketsQuery) => Effect.Effect<ReadonlyArray<MarketId>>
  /**
   * Remembers how markets ended, and that `asked` were asked; a market nobody took up is left out.
   * Checks in markets of which there is another word than before become due. Returns how many such
   * markets there are.
   */
  readonly saveResolutions: (
    resolutions: ReadonlyArray<Resolution>,
    asked: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<number>
  /**
   * Checks that are due at `now`, those due for longest first. A mover's waits until its market was
   * asked how it ended, but not when it has been due since before `overdueBefore`.
   */
  readonly due: (
    query: { readonly now: EpochMs; readonly overdueBefore: EpochMs; readonly limit: number },
  ) => Effect.Effect<ReadonlyArray<DueCheck>>
  /**
   * Writes verdicts, but none that was made from another word on the market than the newest: that check
   * stays due. Returns how many were written.
   */
  readonly saveVerdicts: (judged: ReadonlyArray<JudgedCheck>) => Effect.Effect<number>
  readonly counts: Effect.Effect<VerdictCounts>
  /** The same word as long as `counts` are the same. */
  readonly version: Effect.Effect<string>
}>()("bellwether/track-record/ScoreStore") {}
