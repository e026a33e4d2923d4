/**
 * The scorecard of tracked wallets, kept until what it says may have changed.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { type Scorecard, scorecard } from "../domain/scorecard.ts"
import { readOnChange } from "./readOnChange.ts"
import { WhaleStore } from "./WhaleStore.ts"

export class TrackRecord extends Context.Service<TrackRecord, {
  /**
   * Never refused: before anything is counted it says so in numbers. The same object until a
   * calibration changes; then, and once a minute for wallets that are new or read, it is made anew.
   */
  readonly scorecard: Effect.Effect<Scorecard>
}>()("bellwether/services/TrackRecord") {
  static readonly layer = Layer.effect(
    TrackRecord,
    Effect.gen(function* () {
      const store = yield* WhaleStore
      const read = Effect.gen(function* () {
        const tracked = yield* store.tracked
        const totals = yield* store.totals
        const whales = yield* store.calibrated
        return scorecard({ tracked, totals, whales, now: yield* Clock.currentTimeMillis })
      })
      return TrackRecord.of({
        scorecard: yield* readOnChange({
          version: store.calibrationVersion,
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
