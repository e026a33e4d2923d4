/**
 * The port to a writer: facts and the slots of a page in, drafts of claims out. A draft is published only
 * after its judgement.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { ClaimDraft, DraftRequest } from "./domain/claims.ts"
import { ClaimsAnswer, claimsPrompt } from "./domain/prompt.ts"
import { Model, type ModelFailed } from "./Model.ts"

export class Narrator extends Context.Service<Narrator, {
  /** The model's name, or `template`. */
  readonly name: string
  readonly draft: (request: DraftRequest) => Effect.Effect<ReadonlyArray<ClaimDraft>, ModelFailed>
}>()("bellwether/writing/Narrator") {
  static readonly layerModel: Layer.Layer<Narrator, never, Model> = Layer.effect(
    Narrator,
    Effect.map(Model, ({ name, generate }) =>
      Narrator.of({
        name,
        draft: (request) =>
          Effect.map(
            generate({
              use: request.use,
              prompt: (boundary) => claimsPrompt(request, boundary),
              shape: ClaimsAnswer,
            }),
            ({ claims }) => claims,
          ),
      })),
  )

  /** Drafts nothing: the page keeps the sentences of its template. */
  static readonly layerNone: Layer.Layer<Narrator> = Layer.succeed(
    Narrator,
    Narrator.of({ name: "template", draft: () => Effect.succeed([]) }),
  )
}
