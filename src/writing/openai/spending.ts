/**
 * What the model was asked, and what it cost: counted for /metrics.
 *
 * @module
 */
import { Clock, Effect, Exit, Metric, Option, Schema } from "effect"
import type { ModelUse } from "../Model.ts"
import { CallFailed, type CallOutcome } from "./failures.ts"

export interface Price {
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
}

/** More tokens than any answer of ours has: what a server claims beyond it is not believed. */
const tokensBelieved = 1_000_000
const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: tokensBelieved }))
const decodeUsage = Schema.decodeUnknownOption(Schema.Struct({
  usage: Schema.Struct({ prompt_tokens: Tokens, completion_tokens: Tokens }),
}))

/** Counts a request by how it ended, and how long it took. */
export const noteCall =
  (use: ModelUse) => <A>(call: Effect.Effect<A, CallFailed>): Effect.Effect<A, CallFailed> =>
    Effect.gen(function* () {
      const from = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(call)
      const until = yield* Clock.currentTimeMillis
      const outcome = outcomeOf(exit)
      yield* Metric.update(calls.pipe(Metric.withAttributes({ use, outcome })), 1)
      yield* Metric.update(seconds.pipe(Metric.withAttributes({ use })), (until - from) / 1_000)
      return yield* exit
    })

/** Counts the tokens that a server says an answer took, whether or not the answer is of any use. */
export const noteTokens = Effect.fnUntraced(
  function* (use: ModelUse, answer: unknown, price: Price | null) {
    const used = decodeUsage(answer)
    if (Option.isNone(used)) return
    const { prompt_tokens: input, completion_tokens: output } = used.value.usage
    yield* Metric.update(tokens.pipe(Metric.withAttributes({ use, kind: "input" })), input)
    yield* Metric.update(tokens.pipe(Metric.withAttributes({ use, kind: "output" })), output)
    if (price === null) return
    const usd = (input * price.inputUsdPerMillion + output * price.outputUsdPerMillion) / 1_000_000
    yield* Metric.update(cost.pipe(Metric.withAttributes({ use })), usd)
  },
)

function outcomeOf(exit: Exit.Exit<unknown, CallFailed>): CallOutcome | "interrupted" {
  if (Exit.isSuccess(exit)) return "answered"
  const error = Option.getOrNull(Exit.findErrorOption(exit))
  return error?.outcome ?? "interrupted"
}

const calls = Metric.counter("model_calls_total", {
  description: "Requests to the model, by how they ended",
  incremental: true,
})
const tokens = Metric.counter("model_tokens_total", {
  description: "Tokens that the model's server says were used",
  incremental: true,
})
const cost = Metric.counter("model_cost_usd_total", {
  description: "What those tokens cost at the price in the settings",
  incremental: true,
})
const seconds = Metric.histogram("model_seconds", {
  description: "How long requests to the model took",
  boundaries: [0.5, 1, 2, 5, 10, 15, 20, 25, 30],
})
