/**
 * Writes each report once for all concurrent callers, on any replica.
 *
 * On one replica all callers of a market wait for one fiber, which outlives each of them. Across
 * replicas the holder of the lease writes the report, and the others poll its state. The lease is short
 * and renewed by a heartbeat: when its holder is killed, a waiting replica takes over and still answers
 * in time. A failure reaches every waiting caller, and the next call starts again.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit, Fiber, FiberMap, Metric, Option } from "effect"
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
/** How many leases one caller waits for before it fails. */
const leasesMax = 5
/** How long a shutdown waits for running reports: buyers are waiting for them. */
const shutdownWait = Duration.seconds(60)

export interface SharedReport extends StoredReport {
  /** Whether the report existed before the call. */
  readonly cached: boolean
}

type NotWritten = VenueFailed | BelowThreshold | DataStale

/** Writes the report on a market; must finish or fail by `deadline` on the Effect clock. */
type WriteReport = (market: Market, deadline: number) => Effect.Effect<Report, NotWritten>

/** Reads reports from the store, and writes those that are missing. */
export const sharedReports = Effect.fnUntraced(function* (
  store: ReportStore["Service"],
  writeReport: WriteReport,
) {
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
    for (let n = 0; n < leasesMax; n++) {
      const begun = yield* store.begin(market.id, { ageMax: reportAgeMax, lease })
      if (begun.state === "made") {
        const { generatedAt, report } = begun
        return { generatedAt, report, cached: n === 0 }
      }
      if (begun.state === "acquired") {
        return yield* writeUnderLease(store, writeReport, market, begun.generation, deadline)
      }
      const end = yield* awaitGeneration(store, market.id, begun.generation)
      if (end.state === "made") {
        const { generatedAt, report } = end
        return { generatedAt, report, cached: false }
      }
      if (end.state === "failed") return yield* notWritten
    }
    return yield* notWritten
  }).pipe(
    Effect.timeoutOrElse({ duration: waitMax, orElse: () => Effect.fail(late) }),
  )

type Store = ReportStore["Service"]

const notWritten = new VenueFailed({ message: "The report on this market could not be written" })
const late = new VenueFailed({ message: "The report on this market was not written in time" })

/** Polls until the generation is no longer being written. */
const awaitGeneration = Effect.fnUntraced(function* (
  store: Store,
  marketId: MarketId,
  generation: number,
) {
  while (true) {
    yield* Effect.sleep(pollEvery)
    const state = yield* store.generationState(marketId, generation)
    if (state.state !== "making") return state
  }
})

/** Writes and stores the report, or stores the failure. */
const writeUnderLease = Effect.fnUntraced(function* (
  store: Store,
  writeReport: WriteReport,
  market: Market,
  generation: number,
  deadline: number,
) {
  const report = yield* Effect.raceFirst(
    writeReport(market, deadline),
    renewing(store, market.id, generation),
  ).pipe(
    Effect.onExit((exit) =>
      Effect.andThen(
        count(Exit.isSuccess(exit) ? "made" : "failed"),
        Exit.isSuccess(exit) ? Effect.void : storeFailure(store, market.id, generation),
      )
    ),
  )
  // Null when the lease was lost; the callers waiting here have paid, so they get this report anyway.
  const generatedAt = (yield* store.finish(market.id, generation, report)) ??
    (yield* Clock.currentTimeMillis)
  return { generatedAt, report, cached: false }
})

/** Renews the lease until it is lost; never ends. */
const renewing = Effect.fnUntraced(function* (
  store: Store,
  marketId: MarketId,
  generation: number,
) {
  let leased = true
  while (leased) {
    yield* Effect.sleep(heartbeat)
    leased = yield* store.renew(marketId, generation, lease).pipe(
      Effect.timeout(heartbeatTimeout),
      Effect.catchCause(() => Effect.succeed(true)),
    )
  }
  yield* Effect.logWarning("The lease of a report was lost: another replica writes it too")
  return yield* Effect.never
})

/** If the failure cannot be stored, callers wait until the lease expires. */
const storeFailure = (store: Store, marketId: MarketId, generation: number) =>
  store.fail(marketId, generation).pipe(
    Effect.timeout(heartbeatTimeout),
    Effect.catchCause((cause) => Effect.logWarning("Cannot store that a report failed", cause)),
  )

const count = (outcome: "made" | "failed") =>
  Metric.update(generations.pipe(Metric.withAttributes({ outcome })), 1)

const generations = Metric.counter("research_generations_total", {
  description: "Reports that this replica began to write, by outcome",
  incremental: true,
})
