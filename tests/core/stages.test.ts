/**
 * The stages of a tick: one that fails or takes too long is counted and timed, and the next one runs.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { stages } from "../../src/core/stages.ts"
import { test } from "../support/effect.ts"

const limits = { reading: Duration.seconds(10), judging: Duration.seconds(10) }

test("each stage is timed by its outcome, and a late one returns its fallback", () =>
  Effect.gen(function* () {
    const failed: Array<keyof typeof limits> = []
    const failures = Metric.counter("failures_total")
    const stage = stages("Tick", limits, failures, failed)
    const run = Effect.gen(function* () {
      const read = yield* stage("reading", Effect.delay(Effect.succeed("read"), "2 seconds"), "")
      const judged = yield* stage("judging", Effect.delay(Effect.succeed("judged"), "1 hour"), "")
      return [read, judged, yield* stage("reading", Effect.die("broken"), "none")]
    })
    const fiber = yield* Effect.forkChild(run)
    yield* TestClock.adjust("1 minute")
    equal(yield* Fiber.join(fiber), ["read", "", "none"])
    equal(failed, ["judging", "reading"])
    const text = yield* PrometheusMetrics.format()
    for (
      const [labels, count, sum] of [
        [`tick="tick",stage="reading",outcome="ok"`, 1, 2],
        [`tick="tick",stage="judging",outcome="failed"`, 1, 10],
        [`tick="tick",stage="reading",outcome="failed"`, 1, 0],
      ]
    ) {
      ok(text.includes(`tick_stage_seconds_count{${labels}} ${count}\n`), `${labels}`)
      ok(text.includes(`tick_stage_seconds_sum{${labels}} ${sum}\n`), `${labels}`)
    }
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
