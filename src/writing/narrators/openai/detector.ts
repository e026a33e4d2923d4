/**
 * A detector that is a model: a question and its evidence as data, a claim of the shape asked for.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Detector, DetectorFailed } from "../../../predetermined/Detector.ts"
import { boundary } from "./dataBlock.ts"
import { Model } from "./model.ts"
import { detectionPrompt } from "./prompts.ts"
import { detectionShape } from "./shapes.ts"

export const layer: Layer.Layer<Detector, never, Model> = Layer.effect(
  Detector,
  Effect.gen(function* () {
    const { name, ask } = yield* Model
    return Detector.of({
      name,
      detect: (question) =>
        boundary.pipe(
          Effect.map((mark) => detectionPrompt(question, mark)),
          Effect.flatMap((prompt) => ask({ use: "detection", shape: detectionShape, ...prompt })),
          Effect.mapError(({ reason }) => new DetectorFailed({ reason })),
        ),
    })
  }),
)
