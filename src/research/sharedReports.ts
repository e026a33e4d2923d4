/**
 * Writes each report once for all concurrent callers, on any replica.
 *
 * On one replica all callers of a market wait for one fiber, which outlives each of them. Across
 * replicas the holder of the lease writes the report, and the others ask for it until it is stored. The
 * lease is short and renewed by a heartbeat: when its holder fails or is killed, a waiting replica takes
 * over and still answers in time. A failure reaches every caller that waits on its replica.
 *
 * @module
 */
import { Clock, Duration, Effect, Fiber, FiberMap, Option, Schedule } from "effect"
import type { BelowThreshold } from "../core/domain/belowThreshold.ts"
import type { DataStale } from "../core/domain/freshness.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import { VenueFailed } from "./domain/report.ts"
import type { Report } from "./domain/research.ts"
import type { ReportStore, StoredReport } from "./ReportStore.ts"

/** How long a report is served from the store. */
export const reportAgeMax = Duration.minutes(30)
/** Without a heartbeat for this long, another replica takes over. */
export const lease = Duration.seconds(12)
/** A third of the lease: two heartbeats may be lost. */
const heartbeat = Duration.seconds(4)
const heartbeatTimeout = Duration.seconds(3)
/** At most 116 polls in `waitMax`. */
export const pollEvery = Duration.millis(500)
/** Less than the minute that a paid request may take, so that the caller still gets a failure. */
export const waitMax = Duration.seconds(58)
/** How long a shutdown waits for running reports: buyers are waiting for them. */
const shutdownWait = Duration.seconds(60)

export interface SharedReport extends StoredReport {
  /** Whether the report existed before the call. */
  readonly cached: boolean
}

type NotWritten = VenueFailed | BelowThreshold | DataStale
type Store = ReportStore["Service"]

/** Writes the report on a market; must finish or fail by `deadline` on the Effect clock. */
type WriteReport = (market: Market, deadline: number) => Effect.Effect<Report, NotWritten>

/** Reads reports from the store, and writes those that are missing. */
export const sharedReports = Effect.fnUntraced(function* (store: Store, writeReport: WriteReport) {
  const running = yield* FiberMap.make<MarketId, SharedReport, NotWritten>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberMap.awaitEmpty(running), shutdownWait))
  )
  const run = yield* FiberMap.runtime(running)<never>()
  return (market: Market): Effect.Effect<SharedReport, NotWritten> =>
    Effect.flatMap(
      // Synchronous, so that no other caller starts a fiber between the lookup and the start.
      Effect.sync(() =>
        Option.getOrElse(
          FiberMap.getUnsafe(running, market.id),
          () => run(market.id, obtain(store, writeReport, market)),
        )
      ),
      Fiber.join,
    )
})

/** Reads the report, waits for it or writes it, until `waitMax`. */
const obtain = (store: Store, writeReport: WriteReport, market: Market) =>
  Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(waitMax)
    let cached = true
    while (true) {
      const begun = yield* store.begin(market.id, { ageMax: reportAgeMax, lease })
      if (begun.state === "made") {
        const { generatedAt, report } = begun
        return { generatedAt, report, cached }
      }
      if (begun.state === "acquired") {
        return yield* underLease(store, market.id, begun.generation, writeReport(market, deadline))
      }
      cached = false
      yield* Effect.sleep(pollEvery)
    }
  }).pipe(
    Effect.timeoutOrElse({ duration: waitMax, orElse: () => Effect.fail(late) }),
  )

const late = new VenueFailed({ message: "The report on this market was not written in time" })

/** Writes and stores the report, or stores that it failed. */
const underLease = Effect.fnUntraced(function* (
  store: Store,
  marketId: MarketId,
  generation: number,
  writing: Effect.Effect<Report, NotWritten>,
) {
  const renewing = store.renew(marketId, generation, lease).pipe(
    Effect.timeout(heartbeatTimeout),
    Effect.catchCause(() => Effect.succeed(true)),
    Effect.repeat({ while: (leased) => leased, schedule: Schedule.spaced(heartbeat) }),
    Effect.delay(heartbeat),
    Effect.andThen(Effect.logWarning("The lease of a report was lost: another replica writes it")),
    Effect.andThen(Effect.never),
  )
  // If it cannot be stored, callers on other replicas wait until the lease expires.
  const storeFailure = store.finish(marketId, generation, null).pipe(
    Effect.timeout(heartbeatTimeout),
    Effect.catchCause((cause) => Effect.logWarning("Cannot store that a report failed", cause)),
  )
  const report = yield* Effect.raceFirst(writing, renewing).pipe(
    Effect.onError(() => storeFailure),
  )
  // Null when the lease was lost; the callers waiting here have paid, so they get this report anyway.
  const generatedAt = (yield* store.finish(marketId, generation, report)) ??
    (yield* Clock.currentTimeMillis)
  return { generatedAt, report, cached: false }
})
