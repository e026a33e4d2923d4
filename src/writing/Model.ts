/**
 * The port to a model that writes or judges: a prompt in, an answer of a given shape out. An answer is
 * only a claim: it is checked before anything of it is published.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Prompt } from "./domain/prompt.ts"

/** There is no answer: the model gave none, or not in the shape it was asked for. */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", {
  /** In a few words; never a key, a header or a body. */
  reason: Schema.String,
}) {}

/** What an answer is for: names its shape, its limits and its metrics. */
export type ModelUse = "digest" | "report" | "detection"

export interface ModelRequest<A, E> {
  readonly use: ModelUse
  /** `boundary` marks where strangers' words begin and end: no stranger can know it. */
  readonly prompt: (boundary: string) => Prompt
  /** An answer with other keys, or with a text or list that is too long, is refused. */
  readonly shape: Schema.ConstraintCodec<A, E>
}

export class Model extends Context.Service<Model, {
  readonly name: string
  readonly ask: <A, E>(question: ModelRequest<A, E>) => Effect.Effect<A, ModelFailed>
}>()("bellwether/writing/Model") {}
