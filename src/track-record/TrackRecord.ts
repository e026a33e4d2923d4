/**
 * The scorecard of tracked wallets and of the service itself, cached until its content may have changed,
 * and what became of each published item.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { entrySummary, type WalletScore } from "./domain/entryScore.ts"
import { type Outcome, outcomesMax, outcomesOf } from "./domain/outcomes.ts"
import { type Scorecard, scorecard } from "./domain/scorecard.ts"
import { inputs, scoresJob } from "../core/domain/freshness.ts"
import { Freshness } from "../core/Freshness.ts"
import { readOnChange } from "../core/readOnChange.ts"
import { ScoreStore } from "./ScoreStore.ts"
import { CalibrationStore } from "../whales/CalibrationStore.ts"
import { WalletStore } from "../whales/WalletStore.ts"

export class TrackRecord extends Context.Service<TrackRecord, {
  /**
   * Always available: before the first count all numbers are zero or null. It is recomputed when a
   * calibration or a verdict on a feed item changes, and once a minute for newly tracked wallets; else
   * the same object is returned.
   */
  readonly scorecard: Effect.Effect<Scorecard>
  /**
   * What is known of each wallet's published entries. The same object is returned as long as no score and no
   * calibration changes.
   */
  readonly walletScores: Effect.Effect<ReadonlyMap<string, WalletScore>>
  /**
   * What became of the items after `since`, ascending, at most `outcomesMax`; none of an item younger
   * than `outcomeDelayMs`.
   */
  readonly outcomes: (since: number) => Effect.Effect<ReadonlyArray<Outcome>>
}>()("bellwether/track-record/TrackRecord") {
  static readonly layer = Layer.effect(
    TrackRecord,
    Effect.gen(function* () {
      const wallets = yield* WalletStore
      const calibrations = yield* CalibrationStore
      const scores = yield* ScoreStore
      const freshness = yield* Freshness
      const version = Effect.zipWith(
        calibrations.calibrationVersion,
        scores.version,
        (rows, verdicts) => `${rows} ${verdicts}`,
      )
      const published = yield* readOnChange({
        version,
        read: Effect.map(scores.entries, entrySummary),
        intervalMin: entriesIntervalMin,
        ageMax: Duration.infinity,
      })
      const read = Effect.gen(function* () {
        return scorecard({
          tracked: yield* wallets.tracked,
          sums: [...(yield* calibrations.counted).values()].map(({ sums }) => sums),
          whales: yield* calibrations.calibrated,
          verdicts: yield* scores.counts,
          forecasts: yield* scores.forecastTotals,
          entries: yield* published,
          moves: yield* scores.moveTotals,
          readAt: {
            wallets: yield* freshness.asOf(inputs.walletRecords),
            scores: yield* freshness.asOf({ job: scoresJob }),
          },
        })
      })
      return TrackRecord.of({
        scorecard: yield* readOnChange({
          version,
          read,
          intervalMin: readIntervalMin,
          ageMax: readAgeMax,
        }),
        walletScores: Effect.map(published, ({ wallets }) => wallets),
        outcomes: Effect.fn("TrackRecord.outcomes")(function* (since: number) {
          const stored = yield* scores.outcomes(since, outcomesMax)
          return outcomesOf(stored, yield* Clock.currentTimeMillis, outcomesMax)
        }),
      })
    }),
  )
}

/** The minimum time between two computations while many resolutions are counted in batches. */
const readIntervalMin = Duration.seconds(5)
/** The figures of published entries are computed from all of them. */
const entriesIntervalMin = Duration.minutes(1)
/** A new wallet, or a newly read history, changes the scorecard without a new calibration. */
const readAgeMax = Duration.minutes(1)
