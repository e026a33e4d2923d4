/**
 * What became of the published items.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type Outcome, outcomesMax, outcomesOf } from "./domain/outcomes.ts"
import { ScoreStore } from "./ScoreStore.ts"

export class Outcomes extends Context.Service<Outcomes, {
  /**
   * The outcomes of the items after `since`, ascending, at most `outcomesMax`; none of an item younger
   * than `outcomeDelayMs`.
   */
  readonly after: (since: number) => Effect.Effect<ReadonlyArray<Outcome>>
}>()("bellwether/track-record/Outcomes") {
  static readonly layer = Layer.effect(
    Outcomes,
    Effect.map(ScoreStore, (scores) =>
      Outcomes.of({
        after: Effect.fn("Outcomes.after")(function* (since: number) {
          const stored = yield* scores.outcomes(since, outcomesMax)
          return outcomesOf(stored, yield* Clock.currentTimeMillis, outcomesMax)
        }),
      })),
  )
}
