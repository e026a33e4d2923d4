/**
 * CPU time of the spans of one sale, without a tracer and with one whose spans are all exported.
 *
 *     COLLECTOR=http://127.0.0.1:4318 deno task bench:traces
 *
 * The steps do nothing, so what is measured is the spans alone. The clock of the tracer's limit runs
 * ahead, so that no trace is left out. Rounds alternate; the first of each warms up.
 *
 * @module
 */
import process from "node:process"
import { Clock, Console, Effect, Layer, Redacted } from "effect"
import * as telemetry from "../src/app/telemetry.ts"
import { inSpan, inTrace } from "../src/core/tracing.ts"

const rounds = Number(Deno.env.get("ROUNDS") ?? 7)
const traces = Number(Deno.env.get("TRACES") ?? 2_000)
const collector = Deno.env.get("COLLECTOR") ?? "http://127.0.0.1:4318"

/** Each look at this clock is another second. */
const ahead = Effect.map(Clock.Clock, (clock): Clock.Clock => {
  let seconds = 0
  return Object.create(clock, { currentTimeMillisUnsafe: { value: () => ++seconds * 1_000 } })
})

const tracer = Layer.unwrap(
  Effect.map(ahead, (clock) =>
    telemetry.layer({
      url: `${collector}/v1/traces`,
      headers: Redacted.make({}),
      commit: null,
    }).pipe(Layer.provide(Layer.succeed(Clock.Clock, clock)))),
)

const step = Effect.void
/** The steps of a compute-first sale. */
const sale = Effect.all([
  inSpan("store", { operation: "findWithKey" })(step),
  inSpan("verify", { outcome: "valid" })(step),
  inSpan("chain", { operation: "nonce" })(step),
  inSpan("store", { operation: "claim" })(step),
  inSpan("compute")(step),
  inSpan("store", { operation: "intend" })(step),
  inSpan("settle", { outcome: "settled" })(step),
  inSpan("prove", { outcome: "paid" })(inSpan("chain", { operation: "proof" })(step)),
  inSpan("store", { operation: "answer" })(step),
]).pipe(
  inSpan("sale", { "payment.id": `0x${"1".repeat(64)}`, product: "latest" }),
  inTrace("request", () => ({ attributes: { "request.id": "request-1" } })),
)

/** CPU microseconds of a trace, over one round. */
const round = Effect.gen(function* () {
  const before = process.cpuUsage()
  // The collector gets a turn, as between the requests of a service.
  for (let n = 0; n < traces; n++) {
    yield* sale
    if (n % 20 === 0) yield* Effect.sleep("1 millis")
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / traces
})

const text = (numbers: ReadonlyArray<number>) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    .map((number) => (number ?? NaN).toFixed(1)).join(" / ")
}

const program = Effect.gen(function* () {
  const off: Array<number> = []
  const on: Array<number> = []
  for (let n = 0; n <= rounds; n++) {
    const without = yield* round
    const traced = yield* Effect.provide(round, tracer)
    if (n === 0) continue
    off.push(without)
    on.push(traced)
  }
  yield* Console.log(`CPU us of 12 spans: min / median / max of ${rounds} rounds of ${traces}`)
  yield* Console.log(`without a tracer ${text(off)}, exported ${text(on)}`)
})

await Effect.runPromise(program)
