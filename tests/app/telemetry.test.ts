/**
 * The exporter of traces against collectors that misbehave: nothing waits for it, and only what is
 * listed leaves the process.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Deferred, Effect, Metric, Redacted, References, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { layer, tracesPerSecondMax, valueLengthMax } from "../../src/app/telemetry.ts"
import { annotate, inSpan, inTrace } from "../../src/core/tracing.ts"
import { type Collector, startCollector, treeOf } from "../support/collector.ts"
import { eventLoopTurn, liveTest, test } from "../support/effect.ts"

const request = inTrace("request", () => ({ attributes: { "request.id": "request-1" } }))
const job = inTrace("job", () => ({ attributes: { job: "tick" } }))

/** Runs an effect with a tracer that is closed, and so flushed, at its end. */
const traced = <A, E>(collector: Pick<Collector, "url">, effect: Effect.Effect<A, E>) =>
  Effect.scoped(Effect.provide(
    effect,
    layer({
      url: `${collector.url}/v1/traces`,
      headers: Redacted.make({ "x-key": "hunter2" }),
      commit: "0123456789ab",
    }),
  ))

/** The values of a counter by their reason. */
const counted = (id: string) =>
  Effect.map(
    Metric.snapshot,
    (metrics) =>
      Object.fromEntries(
        metrics.filter((metric) => metric.id === id && metric.type === "Counter")
          .map(({ attributes, state }) => [
            attributes?.["reason"] ?? "",
            Number("count" in state ? state.count : 0),
          ]),
      ),
  )

/** How much each value of a counter grew while `effect` ran. */
const growth = Effect.fnUntraced(function* <A, E>(id: string, effect: Effect.Effect<A, E>) {
  const before = yield* counted(id)
  yield* effect
  return Object.fromEntries(
    Object.entries(yield* counted(id))
      .map(([reason, count]) => [reason, count - (before[reason] ?? 0)] as const)
      .filter(([, count]) => count !== 0),
  )
})

liveTest(
  "a trace is delivered with its tree, its ids and the headers of the setting",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      yield* traced(
        collector,
        request(
          inSpan("sale", { "payment.id": "0x1" })(
            Effect.all([inSpan("verify")(Effect.void), inSpan("settle")(Effect.void)]),
          ),
        ),
      )
      equal(treeOf(collector.spans), ["request", "  sale", "    verify", "    settle"])
      equal(new Set(collector.spans.map(({ traceId }) => traceId)).size, 1)
      equal(collector.headers[0]?.get("x-key"), "hunter2")
      ok(collector.bodies[0]?.includes("0123456789ab"))
    }),
)

liveTest(
  "no name, attribute or error text leaves the process unless it is listed",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      const canary = "canary-0xdeadbeef"
      const leaky = Effect.gen(function* () {
        yield* Effect.annotateCurrentSpan("http.request.header.payment-signature", canary)
        yield* Effect.annotateCurrentSpan({ "payment.id": { canary } })
        yield* annotate({ outcome: `${"x".repeat(valueLengthMax)}${canary}` })
        return yield* Effect.fail(Object.assign(new Error(canary), { _tag: "Refused", canary }))
      })
      yield* traced(
        collector,
        Effect.all([
          request(inSpan("sale")(Effect.withSpan(leaky, canary, { attributes: { canary } }))),
          request(inSpan("sale")(leaky)),
          request(Effect.die(canary)),
          request(Effect.die(new Error(canary))),
          request(Effect.die({ _tag: `${canary} with spaces` })),
          request(Effect.void).pipe(Effect.annotateSpans({ canary })),
          Effect.withSpan(Effect.void, canary),
          inSpan("sale", { outcome: canary })(Effect.void),
        ].map(Effect.exit)),
      )
      ok(!collector.bodies.join().includes("canary"), collector.bodies.join())
      equal(collector.spans.filter(({ failed }) => failed).length, 7)
      const refused = collector.bodies.join().split("Refused").length - 1
      ok(refused > 0, "the type of an error is exported")
    }),
)

liveTest(
  "a step belongs to the next exported span around it, and a statement is none",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      const statement = Effect.withSpan(Effect.void, "db.example:5432", { kind: "client" })
      const inHelper = Effect.withSpan(inSpan("store")(statement), "a helper's span")
      yield* traced(collector, Effect.all([request(inHelper), statement]))
      equal(treeOf(collector.spans), ["request", "  store"])
    }),
)

liveTest(
  "a caller's span is linked and never adopted, and the log lines have our trace's id",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      const caller = Tracer.externalSpan({
        traceId: "c".repeat(32),
        spanId: "d".repeat(16),
        sampled: false,
      })
      const seen = yield* traced(
        collector,
        inTrace("request", () => ({ attributes: {}, caller }))(
          Effect.service(References.CurrentLogAnnotations),
        ),
      )
      const [span] = collector.spans
      equal(span?.links, [caller.traceId])
      ok(span !== undefined && span.traceId !== caller.traceId && span.parentSpanId === null)
      equal(seen, { traceId: span.traceId })
    }),
)

liveTest(
  "a second has a limited number of traces of requests, and jobs do not count",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      const stopped: Clock.Clock = Object.create(yield* Clock.Clock, {
        currentTimeMillisUnsafe: { value: () => 1_000 },
      })
      const left = yield* growth(
        "traces_left_out_total",
        traced(
          collector,
          Effect.forEach(
            Array.from({ length: tracesPerSecondMax + 7 }),
            () => Effect.andThen(request(inSpan("sale")(Effect.void)), job(Effect.void)),
          ),
        ).pipe(Effect.provideService(Clock.Clock, stopped)),
      )
      const named = (name: string) => collector.spans.filter((span) => span.name === name).length
      equal([named("request"), named("sale")], [tracesPerSecondMax, tracesPerSecondMax])
      equal(named("job"), tracesPerSecondMax + 7)
      equal(left, { "": 7 })
    }),
)

for (const behaviour of ["garbage", "endless"] as const) {
  liveTest(`an answer that is ${behaviour} changes nothing`, () =>
    Effect.gen(function* () {
      const collector = yield* startCollector(behaviour)
      yield* traced(collector, request(Effect.void))
      equal(collector.spans.length, 1)
    }))
}

for (const behaviour of ["refuses", "redirects"] as const) {
  liveTest(`a collector that ${behaviour} is asked once`, () =>
    Effect.gen(function* () {
      const collector = yield* startCollector(behaviour)
      yield* traced(collector, request(Effect.void))
      equal([collector.bodies.length, collector.spans.length], [1, 0])
    }))
}

test("a silent collector delays no work, and an end for a limited time", () =>
  Effect.gen(function* () {
    const collector = yield* startCollector("silent")
    const work = Effect.andThen(
      Effect.forEach(Array.from({ length: 1_000 }), () => job(inSpan("chain")(Effect.void))),
      Clock.currentTimeMillis,
    )
    const ended = yield* Deferred.make<number>()
    const fiber = yield* Effect.forkChild(
      traced(collector, Effect.tap(work, (now) => Deferred.succeed(ended, now))),
    )
    equal(yield* Deferred.await(ended), 0)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("1 second")
      yield* eventLoopTurn
    }
    ok((yield* Clock.currentTimeMillis) <= 10_000)
  }))
