/**
 * The port to the second check, which judges the claims that the grounding can neither pass nor refuse.
 * It can only delete: a claim is kept when code finds the words of its verdict in a cited fact.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Claim } from "./domain/page.ts"
import type { Fact } from "./domain/facts.ts"
import { CheckAnswer, checkPrompt, type CheckVerdict } from "./domain/secondCheck.ts"
import { Model, type ModelFailed } from "./Model.ts"

export class ClaimCheck extends Context.Service<ClaimCheck, {
  /** Verdicts on the claims, by their place from 1: `C1`. A claim without one is dropped. */
  readonly check: (
    claims: ReadonlyArray<Claim>,
    facts: ReadonlyMap<string, Fact>,
  ) => Effect.Effect<ReadonlyArray<CheckVerdict>, ModelFailed>
}>()("bellwether/writing/ClaimCheck") {
  static readonly layerModel: Layer.Layer<ClaimCheck, never, Model> = Layer.effect(
    ClaimCheck,
    Effect.map(Model, ({ generate }) =>
      ClaimCheck.of({
        check: (claims, facts) =>
          Effect.map(
            generate({
              use: "check",
              prompt: (boundary) => checkPrompt(claims, facts, boundary),
              shape: CheckAnswer,
            }),
            ({ verdicts }) => verdicts,
          ),
      })),
  )

  /** Supports nothing, so every asked claim is dropped. */
  static readonly layerNone: Layer.Layer<ClaimCheck> = Layer.succeed(
    ClaimCheck,
    ClaimCheck.of({ check: () => Effect.succeed([]) }),
  )
}
