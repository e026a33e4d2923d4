/**
 * The scorecard of tracked wallets and of the service itself, kept until what it says may have changed.
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
   * Never refused: before anything is counted it says so in numbers. The same object until a
   * calibration changes, or a verdict on an item of the feed; then, and once a minute for wallets that
   * are new or read, it is made anew.
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
          apart: readingsApart,
          ageMax: readingAgeMax,
        }),
      })
    }),
  )
}

/** While a thousand resolutions are counted, batch after batch, the scorecard is made this often. */
const readingsApart = Duration.seconds(5)
/** Wallets are tracked, and their histories read, without a calibration that changes. */
const readingAgeMax = Duration.minutes(1)
