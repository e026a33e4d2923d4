/**
 * One tick: stages in order, each within its time limit, then one report and one set of metrics.
 *
 * A stage that fails is logged, counted and named in the report, and the next stages still run. Stages
 * add their counts to `progress` as they go, so that the report has those of an interrupted stage too.
 *
 * @module
 */
import { Clock, type Duration, Effect, Exit, Metric } from "effect"
import type { EpochMs } from "./domain/time.ts"
import { secondsBuckets, timed } from "./timed.ts"
import { inSpan } from "./tracing.ts"

/** Rejected rows or candidates, counted by reason (short, stable, `snake_case`). */
export type Rejections = Readonly<Record<string, number>>

/** Adds `counts` to `into`. */
export function tally(into: Record<string, number>, counts: Rejections): void {
  for (const [reason, count] of Object.entries(counts)) into[reason] = (into[reason] ?? 0) + count
}

/** Runs one stage; if it fails, dies or takes too long, the result is `fallback`. */
export type RunStage<Stage extends string> = <A, E>(
  stage: Stage,
  work: Effect.Effect<A, E>,
  fallback: A,
) => Effect.Effect<A>

interface TickPlan<Stage extends string> {
  /** The name of its job. */
  readonly name: string
  readonly limits: Readonly<Record<Stage, Duration.Duration>>
}

interface Progress {
  readonly rejected: Rejections
  /** Titles of the published items. */
  readonly items: ReadonlyArray<string>
}

/** What every tick reports; its `progress` says the rest. */
export interface TickReport<Stage extends string> extends Progress {
  readonly slot: EpochMs
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

/** Runs the stages of one slot. Never fails: the report lists the failed stages. */
export const runTick = Effect.fn("runTick")(
  function* <Stage extends string, Counts extends Progress>(
    plan: TickPlan<Stage>,
    slot: EpochMs,
    progress: Counts,
    stages: (stage: RunStage<Stage>) => Effect.Effect<void>,
  ) {
    const started = yield* Clock.currentTimeMillis
    const failed: Array<Stage> = []
    yield* stages(stageOf(plan, failed))
    const seconds = ((yield* Clock.currentTimeMillis) - started) / 1000
    const report = { slot, ...progress, failed, seconds }
    yield* measure(plan.name, report)
    return report
  },
)

const stageOf =
  <Stage extends string>(plan: TickPlan<Stage>, failed: Array<Stage>): RunStage<Stage> =>
  <A, E>(stage: Stage, work: Effect.Effect<A, E>, fallback: A) => {
    const of = (outcome: "ok" | "failed") =>
      Metric.withAttributes(stageSeconds, { tick: plan.name, stage, outcome })
    const run = work.pipe(
      Effect.timeout(plan.limits[stage]),
      timed((exit, seconds) => Metric.update(of(Exit.isSuccess(exit) ? "ok" : "failed"), seconds)),
      inSpan("stage", { stage }),
      Effect.catchCause((cause) =>
        Effect.logWarning(`Stage ${stage} of ${plan.name} failed`, cause).pipe(
          Effect.map(() => {
            failed.push(stage)
            return fallback
          }),
        )
      ),
    )
    // Reading the series creates it, so that an alert sees the first failure as an increase.
    return Effect.andThen(Metric.value(of("failed")), run)
  }

const stageSeconds = Metric.histogram("tick_stage_seconds", {
  description: "Duration of a stage of a tick, by tick, stage and outcome",
  boundaries: [...secondsBuckets, 120, 300],
})
const tickSeconds = Metric.gauge("tick_seconds", {
  description: "Duration of the last tick, by tick",
})
const itemsPublished = Metric.counter("tick_items_total", {
  description: "Published items, by tick",
  incremental: true,
})
const rejections = Metric.counter("tick_rejections_total", {
  description: "Rejected rows, markets, moves and entries, by tick and reason",
  incremental: true,
})

const measure = (tick: string, { seconds, items, rejected }: TickReport<string>) =>
  Effect.all([
    Metric.update(Metric.withAttributes(tickSeconds, { tick }), seconds),
    Metric.update(Metric.withAttributes(itemsPublished, { tick }), items.length),
    ...Object.entries(rejected).map(([reason, count]) =>
      Metric.update(Metric.withAttributes(rejections, { tick, reason }), count)
    ),
  ], { discard: true })
