/**
 * The port to the judge of claims: the model, or another one, in another role. It is measured on labelled
 * claims before it is trusted, and until then no text is written by a model.
 *
 * @module
 */
import { Array, Context, Duration, Effect, Layer, Metric, Ref } from "effect"
import type { Fact } from "./domain/facts.ts"
import { claimsOfQuestion, judgePrompt, supportedClaims, Verdicts } from "./domain/judge.ts"
import type { Claim } from "./domain/page.ts"
import {
  isTrusted,
  labelledClaims,
  labelledFacts,
  type Trial,
  trialOf,
  trialWords,
} from "./domain/trial.ts"
import { Model, type ModelFailed } from "./Model.ts"

export class Judge extends Context.Service<Judge, {
  /** Whether its verdicts may be used. */
  readonly trusted: Effect.Effect<boolean>
  /** Of at most `claimsOfQuestion` claims those that it supports; one without a verdict is not. */
  readonly supported: (
    claims: ReadonlyArray<Claim>,
    facts: ReadonlyMap<string, Fact>,
  ) => Effect.Effect<ReadonlyArray<Claim>, ModelFailed>
}>()("bellwether/writing/Judge") {
  /** Without a measurement: for tests, and to be measured. */
  static readonly layerUnmeasured: Layer.Layer<Judge, never, Model> = Layer.effect(
    Judge,
    Effect.map(Model, ({ generate }) =>
      Judge.of({
        trusted: Effect.succeed(true),
        supported: (claims, facts) =>
          Effect.map(
            generate({
              use: "judge",
              prompt: (boundary) => judgePrompt(claims, facts, boundary),
              shape: Verdicts,
            }),
            ({ verdicts }) => supportedClaims(claims, verdicts, facts),
          ),
      })),
  )

  /** Measured when it starts and every day; used while it is trusted. */
  static readonly layerModel: Layer.Layer<Judge, never, Model> = Layer.effect(
    Judge,
    Effect.gen(function* () {
      const judge = yield* Judge
      const trusted = yield* Ref.make(false)
      const measured = Effect.matchEffect(measuredJudge(judge), {
        onFailure: ({ reason }) =>
          Effect.as(
            Effect.logWarning(`The judge of claims could not be measured: ${reason}; ${untrusted}`),
            retryAfter,
          ),
        onSuccess: Effect.fnUntraced(function* (trial) {
          yield* Ref.set(trusted, isTrusted(trial))
          yield* Metric.update(stoppedShare, trial.stopped / trial.false)
          yield* Metric.update(keptShare, trial.kept / trial.honest)
          yield* isTrusted(trial)
            ? Effect.logInfo(`The judge of claims is trusted: ${trialWords(trial)}`)
            : Effect.logWarning(
              `The judge of claims is not trusted: ${trialWords(trial)}; ${untrusted}`,
            )
          return measuredEvery
        }),
      })
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(measured, Effect.sleep)))
      return Judge.of({ ...judge, trusted: Ref.get(trusted) })
    }),
  ).pipe(Layer.provide(Judge.layerUnmeasured))

  /** Supports nothing. */
  static readonly layerNone: Layer.Layer<Judge> = Layer.succeed(
    Judge,
    Judge.of({ trusted: Effect.succeed(false), supported: () => Effect.succeed([]) }),
  )
}

/** A trial costs a request for each 20 of the 113 labelled claims. One without an answer is repeated sooner. */
const measuredEvery = Duration.days(1)
const retryAfter = Duration.minutes(10)
const untrusted = "templates write the texts until it is"

/** Asks the judge about every labelled claim. */
export const measuredJudge = (
  { supported }: Pick<Judge["Service"], "supported">,
): Effect.Effect<Trial, ModelFailed> =>
  Effect.map(
    Effect.forEach(
      questionsOf(labelledClaims.map(({ claim }) => claim)),
      (asked) => supported(asked, labelledFacts),
      { concurrency: 2 },
    ),
    (kept) => trialOf(kept.flat()),
  )

/** The claims in groups of at most `claimsOfQuestion`. */
export const questionsOf = (claims: ReadonlyArray<Claim>) =>
  Array.chunksOf(claims, claimsOfQuestion)

const stoppedShare = Metric.gauge("judge_stopped_share", {
  description: "Share of labelled false sentences that the judge stops",
})
const keptShare = Metric.gauge("judge_kept_share", {
  description: "Share of labelled honest sentences that the judge keeps",
})
