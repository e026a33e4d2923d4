/**
 * The report of the service: what its scheduled parts did, and how payments go. It is read from the slots of the jobs, the digests and the payments. The good time of a day that is over is
 * stored once, because slots are kept for a week.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { cachedFor } from "../core/cachedFor.ts"
import { inputs } from "../core/domain/freshness.ts"
import { day } from "../core/domain/time.ts"
import { Freshness } from "../core/Freshness.ts"
import { everyMsOf } from "./domain/part.ts"
import {
  dayTimes,
  firstDayOf,
  firstHistoryDayOf,
  type StatusFacts,
  statusReport,
} from "./domain/report.ts"
import { dayOf } from "./domain/runs.ts"
import type { StatusReport } from "./domain/status.ts"
import { StatusStore } from "./StatusStore.ts"

export class Status extends Context.Service<Status, {
  /** The days that are shown, read now; payments are at most a minute old. */
  readonly report: Effect.Effect<StatusReport>
}>()("bellwether/status/Status") {
  static readonly layer = (options: StatusOptions) => Layer.effect(Status, make(options))
}

type StatusOptions = Pick<StatusFacts, "tickIntervalMs" | "paymentMode">

/** Payments are summed from up to a day of rows, so they are read less often than runs. */
const paymentsEvery = Duration.minutes(1)

const make = Effect.fnUntraced(function* (options: StatusOptions) {
  const store = yield* StatusStore
  const freshness = yield* Freshness
  const [payments] = yield* cachedFor(
    Effect.flatMap(Clock.currentTimeMillis, (now) => store.payments(now - day)),
    paymentsEvery,
  )
  const report = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const asOf = yield* Effect.forEach(
      new Set(Object.values(inputs).map(({ job }) => job)),
      (job) => Effect.map(freshness.asOf({ job }), (at) => [job, at] as const),
    )
    const runs = yield* store.runs(
      firstDayOf(now),
      (part) => everyMsOf(part, options.tickIntervalMs),
    )
    const from = firstHistoryDayOf(now)
    const history = yield* store.history(from)
    const known = new Set(history.map(({ day }) => day))
    const over = dayTimes({ now, tickIntervalMs: options.tickIntervalMs, runs })
      .filter(({ day }) => day < dayOf(now) && !known.has(day))
    if (over.length > 0) {
      // A store that accepts only reads stores them later: they are counted from runs for a week.
      yield* Effect.ignoreCause(store.addHistory(over), { log: "Warn" })
    }
    return statusReport({
      ...options,
      now,
      runs,
      history,
      asOf: new Map(asOf),
      payments: yield* payments,
    })
  }).pipe(Effect.withSpan("Status.report"))

  return Status.of({ report })
})
