/**
 * How old the inputs of answers are, and the refusal of those that are too old.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { type DataStale, dataStale, type Input, isTooOld } from "./domain/freshness.ts"
import type { EpochMs } from "./domain/time.ts"
import { JobSlots } from "./JobSlots.ts"

export class Freshness extends Context.Service<Freshness, {
  /** When the input was last read in full; null if that is unknown or more than a week ago. */
  readonly asOf: (input: Pick<Input, "job">) => Effect.Effect<EpochMs | null>
  /** The same; fails when the input is too old to be sold. */
  readonly fresh: (input: Input) => Effect.Effect<EpochMs, DataStale>
}>()("bellwether/core/Freshness") {
  static readonly layer = (options: { readonly tickIntervalMs: number }) =>
    Layer.effect(
      Freshness,
      Effect.gen(function* () {
        const slots = yield* JobSlots
        const { tickIntervalMs } = options
        const asOf = ({ job }: Pick<Input, "job">) =>
          Effect.map(slots.lastOk(job), Option.getOrNull)
        const fresh = Effect.fn("Freshness.fresh")(function* (input: Input) {
          const at = yield* asOf(input)
          const now = yield* Clock.currentTimeMillis
          if (at === null || isTooOld(input, at, { now, tickIntervalMs })) {
            return yield* dataStale(input, at, tickIntervalMs)
          }
          return at
        })
        return Freshness.of({ asOf, fresh })
      }),
    )
}
