/**
 * The whale calibration table: every tracked wallet with enough resolved entries to be judged.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { BelowThreshold } from "../domain/refusal.ts"
import type { EpochMs } from "../domain/time.ts"
import { publishable, resolvedEntriesMin, type WhaleRow } from "../domain/whale.ts"
import { WhaleStore } from "./WhaleStore.ts"

export interface CalibrationTable {
  /** When the newest row was computed. */
  readonly computedAt: EpochMs
  /** Never empty; the largest stake first. */
  readonly wallets: ReadonlyArray<WhaleRow>
}

export class WhaleTable extends Context.Service<WhaleTable, {
  /** Fails while no wallet has enough resolved entries: an empty table is worth nothing. */
  readonly table: Effect.Effect<CalibrationTable, BelowThreshold>
}>()("bellwether/services/WhaleTable") {
  static readonly layer = Layer.effect(
    WhaleTable,
    Effect.gen(function* () {
      const store = yield* WhaleStore
      const table = Effect.gen(function* () {
        const held = yield* store.calibrated
        const wallets = publishable(held.map(({ row }) => row))
        if (wallets.length === 0) return yield* tooFew
        return { computedAt: Math.max(...held.map(({ computedAt }) => computedAt)), wallets }
      })
      return WhaleTable.of({ table })
    }),
  )
}

const tooFew = new BelowThreshold({
  message: `No tracked wallet has ${resolvedEntriesMin} resolved entries yet`,
})
