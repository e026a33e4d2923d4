/**
 * The whale calibration table: every tracked wallet with enough resolved entries to be judged.
 *
 * @module
 */
import { Context, Duration, Effect, Layer } from "effect"
import { eventsMin } from "./domain/calibration.ts"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import { type CalibrationTable, calibrationTable, resolvedEntriesMin } from "./domain/whale.ts"
import { readOnChange } from "../core/readOnChange.ts"
import { WhaleStore } from "./WhaleStore.ts"

export class WhaleTable extends Context.Service<WhaleTable, {
  /**
   * Fails while no wallet has enough resolved entries: an empty table is worth nothing. The same
   * object as long as no calibration changed, and at most a few seconds behind.
   */
  readonly table: Effect.Effect<CalibrationTable, BelowThreshold>
}>()("bellwether/whales/WhaleTable") {
  static readonly layer = Layer.effect(
    WhaleTable,
    Effect.gen(function* () {
      const store = yield* WhaleStore
      const held = yield* readOnChange({
        version: store.calibrationVersion,
        read: Effect.map(store.calibrated, calibrationTable),
        apart: readingsApart,
        ageMax: Duration.infinity,
      })
      const table = Effect.flatMap(
        held,
        (table) => table === null ? Effect.fail(tooFew) : Effect.succeed(table),
      )
      return WhaleTable.of({ table })
    }),
  )
}

/** While a thousand resolutions are counted, batch after batch, the table is read this often. */
const readingsApart = Duration.seconds(5)

const tooFew = new BelowThreshold({
  message:
    `No tracked wallet has ${resolvedEntriesMin} resolved entries in ${eventsMin} events yet`,
})
