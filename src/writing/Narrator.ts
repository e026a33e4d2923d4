/**
 * The port to the model that writes: it drafts claims, and in another role, or as another model, it judges
 * them. The judge is measured on labelled claims before it is trusted, and until then nothing is drafted.
 *
 * @module
 */
import { Array, Context, Duration, Effect, Layer, Metric, Ref } from "effect"
import type { Fact } from "./domain/facts.ts"
import type { ClaimDraft, DraftRequest } from "./domain/claims.ts"
import { claimsOfQuestion, judgePrompt, supportedClaims, Verdicts } from "./domain/judge.ts"
import type { Claim } from "./domain/page.ts"
import { ClaimsAnswer, claimsPrompt } from "./domain/prompt.ts"
import type { Trial } from "./domain/trial.ts"
import { Model, type ModelFailed } from "./Model.ts"

export class Narrator extends Context.Service<Narrator, {
  /** The model's name. */
  readonly name: string
  /** Whether the judge's verdicts may be used. */
  readonly trusted: Effect.Effect<boolean>
  /** Drafts for the slots of a page. One is published only after its judgement. */
  readonly draft: (request: DraftRequest) => Effect.Effect<ReadonlyArray<ClaimDraft>, ModelFailed>
  /** Of at most `claimsOfQuestion` claims those that it supports; one without a verdict is not. */
  readonly supported: (
    claims: ReadonlyArray<Claim>,
    facts: ReadonlyMap<string, Fact>,
  ) => Effect.Effect<ReadonlyArray<Claim>, ModelFailed>
}>()("bellwether/writing/Narrator") {
  /** Without a measurement: for tests, and to be measured. */
  static readonly layerUnmeasured: Layer.Layer<Narrator, never, Model> = Layer.effect(
    Narrator,
    Effect.map(Model, ({ name, generate }) =>
      Narrator.of({
        name,
        trusted: Effect.succeed(true),
        draft: (request) =>
          Effect.map(
            generate({
              use: request.use,
              prompt: (boundary) => claimsPrompt(request, boundary),
              shape: ClaimsAnswer,
            }),
            ({ claims }) => claims,
          ),
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
  static readonly layerModel: Layer.Layer<Narrator, never, Model> = Layer.effect(
    Narrator,
    Effect.gen(function* () {
      const narrator = yield* Narrator
      const trusted = yield* Ref.make(false)
      const trust = (is: boolean) =>
        Effect.andThen(Ref.set(trusted, is), Metric.update(trustedGauge, is ? 1 : 0))
      yield* trust(false)
      const measured = Effect.matchEffect(measuredJudge(narrator), {
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
      return Narrator.of({ ...narrator, trusted: Ref.get(trusted) })
    }),
  ).pipe(Layer.provide(Narrator.layerUnmeasured))

  /** Drafts nothing: the page keeps the sentences of its template. */
  static readonly layerNone: Layer.Layer<Narrator> = Layer.succeed(Narrator, {
    name: "template",
    trusted: Effect.succeed(false),
    draft: () => Effect.succeed([]),
    supported: () => Effect.succeed([]),
  })
}

/** A trial costs a request for each `claimsOfQuestion` labelled claims: six. Without an answer it is repeated sooner. */
const measuredEvery = Duration.days(1)
const retryAfter = Duration.minutes(10)
const untrusted = "templates write until it is"

/** Asks the judge about every labelled claim. */
export const measuredJudge = (
  { supported }: Pick<Narrator["Service"], "supported">,
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
