/**
 * The port to a language model: a prompt in, an answer of a given shape out. An answer is only a claim:
 * it must be checked before any of it is published.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Prompt } from "./domain/prompt.ts"

/** The model gave no answer, or not in the requested shape. */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", {
  /** In a few words; never a key, a header or a body. */
  reason: Schema.String,
}) {}

/** What the answer is for: selects the limits, and labels the schema and the metrics. */
export type ModelUse = "digest" | "report" | "reading" | "judge"

export interface ModelRequest<A, E> {
  readonly use: ModelUse
  /** `boundary` marks where untrusted text begins and ends; its authors cannot guess it. */
  readonly prompt: (boundary: string) => Prompt
  /** Extra keys of an answer are dropped; one with a text or list that is too long is refused. */
  readonly shape: Schema.ConstraintCodec<A, E>
}

export class Model extends Context.Service<Model, {
  readonly name: string
  readonly generate: <A, E>(request: ModelRequest<A, E>) => Effect.Effect<A, ModelFailed>
}>()("bellwether/writing/Model") {}
