/**
 * A listener for probes and metrics, which is not public. The service and the refund worker each
 * have one.
 *
 * @module
 */
import { Clock, Duration, Effect, Metric, Record, Schedule } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { EpochMs } from "../../core/domain/time.ts"
import { listen, type ListenOptions, toWebHandler } from "./server.ts"

/** The event loop has stalled when its timer has not fired for this long. */
const loopStallMs = 5_000
const loopTimerInterval = Duration.seconds(1)

const loopLag = Metric.gauge("event_loop_lag_seconds", {
  description: "How late the last timer fired",
})
const residentBytes = Metric.gauge("process_resident_bytes", { description: "Resident memory" })

/** The result of a probe: null when it passes, else the reason. */
export type ProbeFailure = string | null

interface ProbeOptions extends ListenOptions {
  /** The probes by path. /livez is added. */
  readonly probes: Readonly<Record<`/${string}`, Effect.Effect<ProbeFailure>>>
  /** Updates the gauges that are read for a scrape. */
  readonly updateGauges: Effect.Effect<void>
}

/** Serves /livez, the other probes and /metrics until the scope closes. Returns the address. */
export const serveProbes = Effect.fnUntraced(function* (options: ProbeOptions) {
  const lastFiredAt = yield* watchLoop
  const probes = { ...options.probes, "/livez": liveness(lastFiredAt) }
  const routes = HttpRouter.addAll([
    ...Record.toEntries(probes).map(([path, result]) =>
      HttpRouter.route("GET", path, Effect.map(result, probeResponse))
    ),
    HttpRouter.route("GET", "/metrics", metrics(options.updateGauges)),
  ])
  const app = yield* HttpRouter.toHttpEffect(routes)
  const handle = yield* toWebHandler(
    Effect.catchCause(app, () => Effect.succeed(HttpServerResponse.empty({ status: 404 }))),
  )
  return yield* listen(
    options,
    (request) => handle(request, { requestId: "admin", clientAddress: "admin", body: null }),
  )
})

/** Runs a timer once a second and returns when it last fired. */
const watchLoop = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let lastFiredAt: EpochMs = clock.currentTimeMillisUnsafe()
  const fire = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const lateMs = Math.max(0, now - lastFiredAt - Duration.toMillis(loopTimerInterval))
    lastFiredAt = now
    return Metric.update(loopLag, lateMs / 1_000)
  })
  yield* Effect.forkScoped(Effect.repeat(fire, Schedule.spaced(loopTimerInterval)))
  return () => lastFiredAt
})

const liveness = (lastFiredAt: () => EpochMs): Effect.Effect<ProbeFailure> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => now - lastFiredAt() > loopStallMs ? "the event loop has stalled" : null,
  )

const metrics = (updateGauges: Effect.Effect<void>) =>
  Effect.gen(function* () {
    yield* Metric.update(residentBytes, Deno.memoryUsage().rss)
    yield* updateGauges
    return HttpServerResponse.text(yield* PrometheusMetrics.format({ prefix: "bellwether" }), {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    })
  })

function probeResponse(failure: ProbeFailure): HttpServerResponse.HttpServerResponse {
  return failure === null
    ? HttpServerResponse.text("ok\n")
    : HttpServerResponse.text(`${failure}\n`, { status: 503 })
}
