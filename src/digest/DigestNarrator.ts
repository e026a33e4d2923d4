/**
 * The port to a writer of digests: facts in, a draft out. A draft is published only after the fact check.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Model, type ModelFailed } from "../writing/Model.ts"
import type { DigestBrief, DigestDraft } from "./domain/digest.ts"
import { DigestAnswer, digestPrompt } from "./domain/prompt.ts"
import { templateDigest } from "./domain/template.ts"

export class DigestNarrator extends Context.Service<DigestNarrator, {
  /** The model's name, or `template`. */
  readonly name: string
  /** `complaints`: the fact check's complaints about the previous draft; empty for the first. */
  readonly write: (
    brief: DigestBrief,
    complaints: ReadonlyArray<string>,
  ) => Effect.Effect<DigestDraft, ModelFailed>
}>()("bellwether/digest/DigestNarrator") {
  static readonly layerModel: Layer.Layer<DigestNarrator, never, Model> = Layer.effect(
    DigestNarrator,
    Effect.map(Model, ({ name, generate }) =>
      DigestNarrator.of({
        name,
        write: (brief, complaints) =>
          generate({
            use: "digest",
            prompt: (boundary) => digestPrompt(brief, complaints, boundary),
            shape: DigestAnswer,
          }),
      })),
  )

  /** Never fails; its drafts always pass the check, so it ignores complaints. */
  static readonly layerTemplate: Layer.Layer<DigestNarrator> = Layer.succeed(
    DigestNarrator,
    DigestNarrator.of({
      name: "template",
      write: (brief) => Effect.sync(() => templateDigest(brief)),
    }),
  )
}
