/**
 * The scorecard of tracked wallets and of the service itself, cached until its content may have changed.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { type Scorecard, scorecard } from "./domain/scorecard.ts"
import { readOnChange } from "../core/readOnChange.ts"
import { ScoreStore } from "./ScoreStore.ts"
import { CalibrationStore } from "../whales/CalibrationStore.ts"
import { CountingStore } from "../whales/CountingStore.ts"
import { WalletStore } from "../whales/WalletStore.ts"

export class TrackRecord extends Context.Service<TrackRecord, {
  /**
   * Always available: before the first count all numbers are zero or null. It is recomputed when a
   * calibration or a verdict on a feed item changes, and once a minute for newly tracked wallets; else
   * the same object is returned.
   */
  readonly scorecard: Effect.Effect<Scorecard>
}>()("bellwether/track-record/TrackRecord") {
  static readonly layer = Layer.effect(
    TrackRecord,
    Effect.gen(function* () {
      const wallets = yield* WalletStore
      const counting = yield* CountingStore
      const calibrations = yield* CalibrationStore
      const scores = yield* ScoreStore
      const read = Effect.gen(function* () {
        const tracked = yield* wallets.tracked
        const totals = yield* counting.totals
        const whales = yield* calibrations.calibrated
        const verdicts = yield* scores.counts
        const now = yield* Clock.currentTimeMillis
        return scorecard({ tracked, totals, whales, verdicts, now })
      })
      return TrackRecord.of({
        scorecard: yield* readOnChange({
          version: Effect.zipWith(
            calibrations.calibrationVersion,
            scores.version,
            (rows, verdicts) => `${rows} ${verdicts}`,
          ),
          read,
          intervalMin: readIntervalMin,
          ageMax: readAgeMax,
        }),
      })
    }),
  )
}

/** The minimum time between two computations while many resolutions are counted in batches. */
const readIntervalMin = Duration.seconds(5)
/** A new wallet, or a newly read history, changes the scorecard without a new calibration. */
const readAgeMax = Duration.minutes(1)
