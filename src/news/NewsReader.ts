/**
 * The port to the reader of the news: a model that says what headlines mean for a market. Its claims are
 * checked before anything uses them.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import {
  ReadingAnswer,
  readingPrompt,
  type ReadingTask,
  type Verdict,
  verdictsOf,
} from "./domain/reading.ts"
import { Model, type ModelFailed } from "../writing/Model.ts"

export class NewsReader extends Context.Service<NewsReader, {
  /** The model's name; null for none: then nothing is read. */
  readonly name: string | null
  /** The verdict on each story of the task, in their order; null where the model said nothing of it. */
  readonly read: (task: ReadingTask) => Effect.Effect<ReadonlyArray<Verdict | null>, ModelFailed>
}>()("bellwether/news/NewsReader") {
  static readonly layerModel: Layer.Layer<NewsReader, never, Model> = Layer.effect(
    NewsReader,
    Effect.map(Model, ({ name, generate }) =>
      NewsReader.of({
        name,
        read: (task) =>
          Effect.map(
            generate({
              use: "reading",
              prompt: (boundary) => readingPrompt(task, boundary),
              shape: ReadingAnswer,
            }),
            ({ readings }) => verdictsOf(task, readings),
          ),
      })),
  )

  /** Reads nothing: headlines stay a match of words. */
  static readonly layerNone: Layer.Layer<NewsReader> = Layer.succeed(
    NewsReader,
    NewsReader.of({
      name: null,
      read: ({ stories }) => Effect.succeed(stories.map(() => "refused")),
    }),
  )
}
