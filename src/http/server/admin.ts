/**
 * The admin listener: liveness, readiness and metrics. It is not public.
 *
 * @module
 */
import { Clock, Duration, Effect, Metric, Option, Schedule } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { EpochMs } from "../../core/domain/time.ts"
import { Feed, type FeedIndex } from "../../feed/Feed.ts"
import { withDeadline } from "../../core/deadline.ts"
import { listen, type ListenOptions, toWebHandler } from "./server.ts"

/** The event loop has stalled when its timer has not fired for this long. */
const loopStallMs = 5_000
const loopTimerInterval = Duration.seconds(1)
/** The service is ready only when the store answers within this time. */
const storeTimeout = Duration.seconds(1)

const loopLag = Metric.gauge("event_loop_lag_seconds", {
  description: "How late the last timer fired",
})
const feedIndex = Metric.gauge("feed_index", { description: "The newest feed index" })
const tickAge = Metric.gauge("last_good_tick_age_seconds", {
  description: "Age of the last good tick",
})
const storeUp = Metric.gauge("store_up", {
  description: "1 when the store answered this scrape in time",
})
const residentBytes = Metric.gauge("process_resident_bytes", { description: "Resident memory" })

interface AdminOptions extends ListenOptions {
  /** True once the process has received a stop signal. */
  readonly draining: Effect.Effect<boolean>
}

/** Serves /livez, /readyz and /metrics until the scope closes. Returns the bound address. */
export const serveAdmin = Effect.fnUntraced(function* (options: AdminOptions) {
  const feed = yield* Feed
  const lastFiredAt = yield* watchLoop
  const routes = HttpRouter.addAll([
    HttpRouter.route("GET", "/livez", Effect.map(liveness(lastFiredAt), probe)),
    HttpRouter.route("GET", "/readyz", Effect.map(readiness(feed, options.draining), probe)),
    HttpRouter.route("GET", "/metrics", metrics(feed)),
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

/** The result of a probe: null when it passes, else the reason. */
type ProbeFailure = string | null

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

const readiness = (
  feed: Feed["Service"],
  draining: Effect.Effect<boolean>,
): Effect.Effect<ProbeFailure> =>
  Effect.gen(function* () {
    if (yield* draining) return "the process is stopping"
    const index = yield* readIndex(feed)
    if (Option.isNone(index)) return "the store does not answer"
    const { sellable, status } = index.value
    if (sellable) return null
    return status === "starting"
      ? "the service is starting: no tick has succeeded yet"
      : "no tick has succeeded for too long"
  })

/** The feed index; none when the store fails or does not answer in time. */
const readIndex = (feed: Feed["Service"]): Effect.Effect<Option.Option<FeedIndex>> =>
  Effect.catchCause(withDeadline(storeTimeout)(feed.index), () => Effect.succeedNone)

/**
 * The metrics. A value that cannot be read now is NaN: an old value would look like a feed that
 * does not move.
 */
const metrics = (feed: Feed["Service"]) =>
  Effect.gen(function* () {
    const index = yield* readIndex(feed)
    const now = yield* Clock.currentTimeMillis
    const lastTickAt = Option.isSome(index) ? index.value.lastTickAt : null
    yield* Metric.update(residentBytes, Deno.memoryUsage().rss)
    yield* Metric.update(storeUp, Option.isSome(index) ? 1 : 0)
    yield* Metric.update(feedIndex, Option.isSome(index) ? index.value.index : NaN)
    yield* Metric.update(tickAge, lastTickAt === null ? NaN : (now - lastTickAt) / 1_000)
    return HttpServerResponse.text(yield* PrometheusMetrics.format({ prefix: "bellwether" }), {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    })
  })

function probe(failure: ProbeFailure): HttpServerResponse.HttpServerResponse {
  return failure === null
    ? HttpServerResponse.text("ok\n")
    : HttpServerResponse.text(`${failure}\n`, { status: 503 })
}
