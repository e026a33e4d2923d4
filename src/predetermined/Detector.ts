/**
 * The port to the detector, which judges from evidence whether an outcome is already known. Its answer
 * is only a claim: `judgeDetection` accepts or rejects it.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Model, type ModelFailed } from "../writing/Model.ts"
import type { Detection, DetectionQuestion } from "./domain/detection.ts"
import { rulesDetection } from "./domain/predetermined.ts"
import { DetectionAnswer, detectionPrompt } from "./domain/prompt.ts"

export class Detector extends Context.Service<Detector, {
  /** The model's name, or `rules`. */
  readonly name: string
  readonly detect: (question: DetectionQuestion) => Effect.Effect<Detection, ModelFailed>
}>()("bellwether/predetermined/Detector") {
  static readonly layerModel: Layer.Layer<Detector, never, Model> = Layer.effect(
    Detector,
    Effect.map(Model, ({ name, generate }) =>
      Detector.of({
        name,
        detect: (question) =>
          generate({
            use: "detection",
            prompt: (boundary) => detectionPrompt(question, boundary),
            shape: DetectionAnswer,
          }),
      })),
  )

  /** Uses the venue's proposal only, without a model. */
  static readonly layerRules: Layer.Layer<Detector> = Layer.succeed(
    Detector,
    Detector.of({
      name: "rules",
      detect: (question) => Effect.sync(() => rulesDetection(question)),
    }),
  )
}
