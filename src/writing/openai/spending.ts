/**
 * Metrics of model requests: outcomes, durations and tokens.
 *
 * @module
 */
import { Effect, Exit, Metric, Option, Schema } from "effect"
import { timed } from "../../core/timed.ts"
import type { ModelUse } from "../Model.ts"
import { CallFailed, type CallOutcome } from "./failures.ts"

/** Far above any real answer: a larger claim of a server is ignored. */
const tokensMax = 1_000_000
const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: tokensMax }))
const decodeUsage = Schema.decodeUnknownOption(Schema.Struct({
  usage: Schema.Struct({ prompt_tokens: Tokens, completion_tokens: Tokens }),
}))

/** Counts a request by its outcome, and records its duration. */
export const recordCall = (use: ModelUse) => <A>(call: Effect.Effect<A, CallFailed>) =>
  call.pipe(timed((exit, duration) =>
    Effect.andThen(
      Metric.update(Metric.withAttributes(calls, { use, outcome: outcomeOf(exit) }), 1),
      Metric.update(Metric.withAttributes(seconds, { use }), duration),
    )
  ))

/** Counts the tokens that the server reports, whether or not the answer is usable. */
export const recordTokens = Effect.fnUntraced(
  function* (use: ModelUse, answer: unknown) {
    const used = decodeUsage(answer)
    if (Option.isNone(used)) return
    const { prompt_tokens: input, completion_tokens: output } = used.value.usage
    yield* Metric.update(tokens.pipe(Metric.withAttributes({ use, kind: "input" })), input)
    yield* Metric.update(tokens.pipe(Metric.withAttributes({ use, kind: "output" })), output)
  },
)

function outcomeOf(exit: Exit.Exit<unknown, CallFailed>): CallOutcome | "interrupted" {
  if (Exit.isSuccess(exit)) return "answered"
  const error = Option.getOrNull(Exit.findErrorOption(exit))
  return error?.outcome ?? "interrupted"
}

const calls = Metric.counter("model_calls_total", {
  description: "Requests to the model, by outcome",
  incremental: true,
})
const tokens = Metric.counter("model_tokens_total", {
  description: "Tokens used, as reported by the model's server",
  incremental: true,
})
const seconds = Metric.histogram("model_seconds", {
  description: "Duration of requests to the model",
  boundaries: [0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 90, 120, 180],
})
