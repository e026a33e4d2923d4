/**
 * The record of the service: what its scheduled parts did on each day, and how payments went.
 *
 * Finished days are written once, before the slots of their jobs are deleted. Changes of payments are
 * summed once, in the order of their events. A report adds the days that are not written yet.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { inputs } from "../core/domain/freshness.ts"
import { day, type EpochMs, hour } from "../core/domain/time.ts"
import { Freshness } from "../core/Freshness.ts"
import { everyMsOf, type Part, parts } from "./domain/part.ts"
import { firstDayOf, type StatusFacts, statusReport } from "./domain/report.ts"
import { dayOf, numbersOn, type PartDayRecord, recordOf } from "./domain/runs.ts"
import { daysShown, type StatusReport } from "./domain/status.ts"
import { StatusStore } from "./StatusStore.ts"

export class Status extends Context.Service<Status, {
  /** Writes the days that are over, then deletes days that are too old; and sums payments. */
  readonly record: Effect.Effect<void>
  /** The days that are shown, read now. */
  readonly report: Effect.Effect<StatusReport>
}>()("bellwether/status/Status") {
  static readonly layer = (options: StatusOptions) => Layer.effect(Status, make(options))
}

type StatusOptions = Pick<StatusFacts, "tickIntervalMs" | "paymentMode">

/** A day is written this long after its end: a run that has not ended by then counts as missing. */
const settledAfterMs = hour
/** How many days are kept: those shown, and some more, so that none is deleted while it is shown. */
const daysKept = daysShown + 10
/** Changes of payments per transaction. */
const eventsPerBatch = 5_000
/** Batches per run: more than a minute of sales. The next run continues. */
const batchesMax = 20

const make = Effect.fnUntraced(function* (options: StatusOptions) {
  const store = yield* StatusStore
  const freshness = yield* Freshness

  /** The days of a part that are not written yet, from `firstDay` to the day before `end`. */
  const unwritten = Effect.fnUntraced(function* (
    part: Part,
    span: { readonly firstDay: EpochMs; readonly end: EpochMs; readonly now: EpochMs },
    written: EpochMs | undefined,
  ) {
    const started = written === undefined ? yield* store.firstRun(part) : Option.some(written + day)
    if (Option.isNone(started)) return []
    const everyMs = everyMsOf(part, options.tickIntervalMs)
    const since = started.value
    const days: Array<PartDayRecord> = []
    for (let at = Math.max(dayOf(since), span.firstDay); at < span.end; at += day) {
      const ended = yield* store.endedRuns(part, everyMs, numbersOn(at, everyMs))
      days.push(recordOf({ part, day: at, everyMs, ended, since, now: span.now }))
    }
    return days
  })
  const unwrittenDays = Effect.fnUntraced(function* (
    span: { readonly firstDay: EpochMs; readonly end: EpochMs; readonly now: EpochMs },
  ) {
    const written = yield* store.recordedDays
    const days = yield* Effect.forEach(parts, (part) => unwritten(part, span, written.get(part)))
    return days.flat()
  })

  const record = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const firstDay = dayOf(now) - daysKept * day
    const finished = yield* unwrittenDays({ firstDay, end: dayOf(now - settledAfterMs), now })
    if (finished.length > 0) {
      yield* store.addRecords(finished)
      yield* store.prune(firstDay)
    }
    for (let batch = 0; batch < batchesMax; batch++) {
      const events = yield* store.sumPayments({ eventsMax: eventsPerBatch, from: firstDay })
      if (events < eventsPerBatch) break
    }
  }).pipe(Effect.withSpan("Status.record"))

  const report = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const firstDay = firstDayOf(now, daysShown)
    const written = yield* store.records(firstDay)
    const unwrittenNow = yield* unwrittenDays({ firstDay, end: dayOf(now) + day, now })
    const asOf = yield* Effect.forEach(
      new Set(Object.values(inputs).map(({ job }) => job)),
      (job) => Effect.map(freshness.asOf({ job }), (at) => [job, at] as const),
    )
    return statusReport({
      ...options,
      now,
      days: daysShown,
      records: [...written, ...unwrittenNow],
      asOf: new Map(asOf),
      payments: yield* store.paymentRecord(firstDay),
      waiting: yield* store.waitingRefunds,
    })
  }).pipe(Effect.withSpan("Status.report"))

  return Status.of({ record, report })
})
