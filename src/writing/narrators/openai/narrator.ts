/**
 * A narrator that is a model: facts as data, a draft of the shape asked for.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Narrator, NarratorFailed } from "../../Narrator.ts"
import { boundary } from "./dataBlock.ts"
import { Model } from "./model.ts"
import { digestPrompt, reportPrompt } from "./prompts.ts"
import { digestShape, reportShape } from "./shapes.ts"

export const layer: Layer.Layer<Narrator, never, Model> = Layer.effect(
  Narrator,
  Effect.gen(function* () {
    const { name, ask } = yield* Model
    return Narrator.of({
      name,
      digest: (brief, complaints) =>
        boundary.pipe(
          Effect.map((mark) => digestPrompt(brief, complaints, mark)),
          Effect.flatMap((prompt) => ask({ use: "digest", shape: digestShape, ...prompt })),
          Effect.mapError(({ reason }) => new NarratorFailed({ reason })),
        ),
      report: (brief, complaints) =>
        boundary.pipe(
          Effect.map((mark) => reportPrompt(brief, complaints, mark)),
          Effect.flatMap((prompt) => ask({ use: "report", shape: reportShape, ...prompt })),
          Effect.mapError(({ reason }) => new NarratorFailed({ reason })),
        ),
    })
  }),
)
