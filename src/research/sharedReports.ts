/**
 * One making of a report for all who ask at one time, on any replica.
 *
 * On one replica all who ask for a market wait for one fiber, which outlives each of them. Of several
 * replicas one makes the report, and the others look every half second what became of it. Its lease is
 * short and under a heartbeat: whoever waited for a maker that was killed takes over and is still
 * answered in time. A making that failed fails all who waited for it, and the next who asks begins
 * another.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit, Fiber, FiberMap, Metric, Option } from "effect"
import type { Market, MarketId } from "../markets/domain/market.ts"
import { VenueFailed } from "./domain/report.ts"
import type { Report } from "./domain/research.ts"
import type { ReportStore, StoredReport } from "./ReportStore.ts"

/** How long a report is given again. */
export const reportAgeMax = Duration.minutes(30)
/** How long a maker may be silent before another takes its turn. */
export const lease = Duration.seconds(12)
/** A third of the lease: two heartbeats may be lost. */
const heartbeat = Duration.seconds(4)
/** How long the store may take over a heartbeat. */
const heartbeatPatience = Duration.seconds(3)
/** How often a replica that waits looks what became of a making: 110 times at most. */
export const pollEvery = Duration.millis(500)
/** The longest that anybody waits here: under the minute of a paid work, so that its end is told. */
export const waitMax = Duration.seconds(55)
/** Makers that may be lost under one who waits. */
const turnsMax = 5
/** How long a closing service waits for its reports; buyers are waiting for them. */
const drain = Duration.seconds(60)

export interface SharedReport extends StoredReport {
  /** Whether the report stood before it was asked for. */
  readonly cached: boolean
}

/** Makes the report on a market; done, or failed, by `deadline` on the Effect clock. */
type Make = (market: Market, deadline: number) => Effect.Effect<Report, VenueFailed>

/** Gives reports from the store, and has those made that are missing. */
export const sharedReports = Effect.fnUntraced(function* (
  store: ReportStore["Service"],
  make: Make,
) {
  const flights = yield* FiberMap.make<MarketId, SharedReport, VenueFailed>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberMap.awaitEmpty(flights), drain))
  )
  const run = yield* FiberMap.runtime(flights)<never>()
  return (market: Market): Effect.Effect<SharedReport, VenueFailed> =>
    Effect.flatMap(
      // Nobody comes between the look and the start.
      Effect.sync(() =>
        Option.getOrElse(
          FiberMap.getUnsafe(flights, market.id),
          () => run(market.id, flight(store, make, market)),
        )
      ),
      Fiber.join,
    )
})

const flight = (store: Store, make: Make, market: Market) =>
  Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(waitMax)
    for (let turn = 0; turn < turnsMax; turn++) {
      const begun = yield* store.begin(market.id, { ageMax: reportAgeMax, lease })
      if (begun.state === "made") {
        const { generatedAt, report } = begun
        return { generatedAt, report, cached: turn === 0 }
      }
      if (begun.state === "ours") {
        return yield* made(store, make, market, begun.generation, deadline)
      }
      const end = yield* ended(store, market.id, begun.generation)
      if (end.state === "made") {
        const { generatedAt, report } = end
        return { generatedAt, report, cached: false }
      }
      if (end.state === "failed") return yield* notMade
    }
    return yield* notMade
  }).pipe(
    Effect.timeoutOrElse({ duration: waitMax, orElse: () => Effect.fail(late) }),
  )

type Store = ReportStore["Service"]

const notMade = new VenueFailed({ message: "The report on this market could not be made" })
const late = new VenueFailed({ message: "The report on this market was not made in time" })

/** What became of a making, as soon as that is known. */
const ended = Effect.fnUntraced(function* (store: Store, marketId: MarketId, generation: number) {
  while (true) {
    yield* Effect.sleep(pollEvery)
    const end = yield* store.ended(marketId, generation)
    if (end.state !== "making") return end
  }
})

/** Makes the report in a turn of ours, and tells all who wait how that ended. */
const made = Effect.fnUntraced(function* (
  store: Store,
  make: Make,
  market: Market,
  generation: number,
  deadline: number,
) {
  const report = yield* Effect.raceFirst(
    make(market, deadline),
    beating(store, market.id, generation),
  ).pipe(
    Effect.onExit((exit) =>
      Effect.andThen(
        count(Exit.isSuccess(exit) ? "made" : "failed"),
        Exit.isSuccess(exit) ? Effect.void : told(store, market.id, generation),
      )
    ),
  )
  // Lost under us, the turn is another's; who waits here has still paid for what was made.
  const generatedAt = (yield* store.finish(market.id, generation, report)) ??
    (yield* Clock.currentTimeMillis)
  return { generatedAt, report, cached: false }
})

/** Keeps the lease for as long as it is ours; never ends. */
const beating = Effect.fnUntraced(function* (
  store: Store,
  marketId: MarketId,
  generation: number,
) {
  let ours = true
  while (ours) {
    yield* Effect.sleep(heartbeat)
    ours = yield* store.renew(marketId, generation, lease).pipe(
      Effect.timeout(heartbeatPatience),
      Effect.catchCause(() => Effect.succeed(true)),
    )
  }
  yield* Effect.logWarning("A report was too long in silence: another replica makes it, too")
  return yield* Effect.never
})

/** A store that does not hear of the failure finds the maker silent soon. */
const told = (store: Store, marketId: MarketId, generation: number) =>
  store.fail(marketId, generation).pipe(
    Effect.timeout(heartbeatPatience),
    Effect.catchCause((cause) => Effect.logWarning("Cannot tell that a report failed", cause)),
  )

const count = (outcome: "made" | "failed") =>
  Metric.update(generations.pipe(Metric.withAttributes({ outcome })), 1)

const generations = Metric.counter("research_generations_total", {
  description: "Reports that were begun here, by how that ended",
  incremental: true,
})
