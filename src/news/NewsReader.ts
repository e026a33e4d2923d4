/**
 * The port to the reader of news and rules: a model that says what headlines mean for a market, and which
 * words of its rules decide it. Its claims are checked before anything uses them.
 *
 * @module
 */
import { Cache, Context, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { forgetAfterStepBack } from "../core/cachedFor.ts"
import { type Clause, clauseOf, clauseOfAnswer } from "../markets/domain/clause.ts"
import { ClauseAnswer, clausePrompt } from "./domain/clauseReading.ts"
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
  /** The clause of a market's rules; of their fixed phrases only where the model gives no answer in time. */
  readonly clause: (question: string, rules: string) => Effect.Effect<Clause>
}>()("bellwether/news/NewsReader") {
  static readonly layerModel: Layer.Layer<NewsReader, never, Model> = Layer.effect(
    NewsReader,
    Effect.gen(function* () {
      const { name, generate } = yield* Model
      const answers = yield* Cache.makeWith(
        ({ question, rules }: { readonly question: string; readonly rules: string }) =>
          Effect.map(
            generate({
              use: "reading",
              prompt: (boundary) => clausePrompt(question, rules, boundary),
              shape: ClauseAnswer,
            }),
            (answer) => clauseOfAnswer(question, rules, answer),
          ),
        {
          capacity: clausesMax,
          timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.infinity : Duration.minutes(5),
        },
      )
      const whileTimeGoesOn = forgetAfterStepBack(Cache.invalidateAll(answers))
      const scope = yield* Effect.scope
      const clause = (question: string, rules: string) => {
        const fixed = Effect.sync(() => clauseOf(question, rules))
        // An answer that comes later serves the next caller.
        const read = whileTimeGoesOn(Cache.get(answers, { question, rules }))
        const answer = Effect.forkIn(read, scope)
        return rules === "" ? fixed : Effect.flatMap(answer, Fiber.join).pipe(
          Effect.timeout(clauseTime),
          Effect.catch(() => fixed),
        )
      }
      const read = Effect.fnUntraced(function* (task: ReadingTask) {
        const { market, rules } = task
        const [{ readings }, known] = yield* Effect.all([
          generate({
            use: "reading",
            prompt: (boundary) => readingPrompt(task, boundary),
            shape: ReadingAnswer,
          }),
          clause(market.question, rules),
        ], { concurrency: 2 })
        return verdictsOf(task, readings, known)
      })
      return NewsReader.of({ name, read, clause })
    }),
  )

  /** Reads nothing: headlines stay a match of words, and rules their fixed phrases. */
  static readonly layerNone: Layer.Layer<NewsReader> = Layer.succeed(
    NewsReader,
    NewsReader.of({
      name: null,
      read: ({ stories }) => Effect.succeed(stories.map(() => "refused")),
      clause: (question, rules) => Effect.succeed(clauseOf(question, rules)),
    }),
  )
}

/** Rules whose clause is remembered, and how long a clause is waited for: less than a report for its news. */
const clausesMax = 1_000
const clauseTime = Duration.seconds(12)
