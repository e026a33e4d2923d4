/**
 * The port to whoever judges from evidence whether an outcome already exists. Its answer is a claim;
 * the rules of acceptance decide.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Detection, DetectionQuestion } from "./domain/detection.ts"

export class DetectorFailed extends Schema.TaggedError<DetectorFailed>()("DetectorFailed", {
  /** In a few words; never a key, a header or a body. */
  reason: Schema.String,
}) {}

export class Detector extends Context.Service<Detector, {
  /** The model's name, or `rules`. */
  readonly name: string
  readonly detect: (question: DetectionQuestion) => Effect.Effect<Detection, DetectorFailed>
}>()("bellwether/services/Detector") {}
