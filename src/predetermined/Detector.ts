/**
 * The port to the name of what reads the news for a digest's coverage.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { NewsReader } from "../news/NewsReader.ts"

export class Detector extends Context.Service<Detector, {
  /** The model's name, or `rules`. */
  readonly name: string
}>()("bellwether/predetermined/Detector") {
  static readonly layer: Layer.Layer<Detector, never, NewsReader> = Layer.effect(
    Detector,
    Effect.map(NewsReader, ({ name }) => Detector.of({ name: name ?? "rules" })),
  )
}
