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
import type { Trial } from "./domain/trial.ts"
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
      const trust = (is: boolean) =>
        Effect.andThen(Ref.set(trusted, is), Metric.update(trustedGauge, is ? 1 : 0))
      yield* trust(false)
      const measured = Effect.matchEffect(measuredJudge(judge), {
        onFailure: ({ reason }) =>
          Effect.as(
            Effect.logWarning(`The judge of claims was not measured: ${reason}; ${untrusted}`),
            retryAfter,
          ),
        onSuccess: Effect.fnUntraced(function* (trial) {
          const { isTrusted, trialWords } = yield* trials
          yield* trust(isTrusted(trial))
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

/** A trial costs a request for each `claimsOfQuestion` labelled claims: six. Without an answer it is repeated sooner. */
const measuredEvery = Duration.days(1)
const retryAfter = Duration.minutes(10)
const untrusted = "templates write until it is"

/** Asks the judge about every labelled claim. */
export const measuredJudge = (
  { supported }: Pick<Judge["Service"], "supported">,
): Effect.Effect<Trial, ModelFailed> =>
  Effect.gen(function* () {
    const { labelledClaims, labelledFacts, trialOf } = yield* trials
    const kept = yield* Effect.forEach(
      questionsOf(labelledClaims.map(({ claim }) => claim)),
      (asked) => supported(asked, labelledFacts),
      { concurrency: 2 },
    )
    return trialOf(kept.flat())
  })

/** Loaded only to measure a judge: its claims are checked when it loads, a fifth of a start without. */
const trials = Effect.promise(() => import("./domain/trial.ts"))

/** The claims in groups of at most `claimsOfQuestion`. */
export const questionsOf = (claims: ReadonlyArray<Claim>) =>
  Array.chunksOf(claims, claimsOfQuestion)

const trustedGauge = Metric.gauge("judge_trusted", {
  description: "1 when the judge of claims passed its last trial, else 0 and templates write",
})
