/**
 * A tick: a stage that fails or takes too long is named, counted and timed, and the next one runs; the
 * report has the counts of an interrupted stage.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { runTick } from "../../src/core/stages.ts"
import { test } from "../support/effect.ts"

const limits = { reading: Duration.seconds(10), judging: Duration.seconds(10) }

test("runTick() reports and measures each stage, and a late one returns its fallback", () =>
  Effect.gen(function* () {
    const results: Array<string> = []
    const progress = { rows: 0, items: ["an item"], rejected: { stale: 2 } }
    const reading = Effect.andThen(Effect.sync(() => progress.rows = 3), Effect.sleep("1 hour"))
    const fiber = yield* Effect.forkChild(
      runTick({ name: "whales", limits }, 60_000, progress, (stage) =>
        Effect.gen(function* () {
          const read = Effect.delay(Effect.succeed("read"), "2 seconds")
          results.push(yield* stage("reading", read, ""))
          results.push(yield* stage("judging", Effect.as(reading, "judged"), "late"))
          results.push(yield* stage("reading", Effect.die("broken"), "none"))
        })),
    )
    yield* TestClock.adjust("1 minute")
    const report = yield* Fiber.join(fiber)
    equal(results, ["read", "late", "none"])
    const failed = ["judging", "reading"]
    equal(report, { slot: 60_000, ...progress, rows: 3, failed, seconds: 12 })
    const text = yield* PrometheusMetrics.format()
    for (
      const line of [
        `tick_stage_seconds_count{tick="whales",stage="reading",outcome="ok"} 1`,
        `tick_stage_seconds_sum{tick="whales",stage="reading",outcome="ok"} 2`,
        `tick_stage_seconds_sum{tick="whales",stage="judging",outcome="failed"} 10`,
        `tick_stage_seconds_count{tick="whales",stage="reading",outcome="failed"} 1`,
        `tick_seconds{tick="whales"} 12`,
        `tick_items_total{tick="whales"} 1`,
        `tick_rejections_total{tick="whales",reason="stale"} 2`,
      ]
    ) ok(text.includes(`${line}\n`), line)
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
