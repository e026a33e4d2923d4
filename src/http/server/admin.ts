/**
 * The admin listener: is the process alive, is it ready, what has it counted. Not for the public.
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

/** The event loop has stalled when it has not turned for this long. */
const turnMsMax = 5_000
const turnEvery = Duration.seconds(1)
/** The store must answer a question within this time for the service to be ready. */
const storeWithin = Duration.seconds(1)

const loopLag = Metric.gauge("event_loop_lag_seconds", {
  description: "How much later than asked a timer fired last",
})
const feedIndex = Metric.gauge("feed_index", { description: "The newest feed index" })
const tickAge = Metric.gauge("last_good_tick_age_seconds", {
  description: "Age of the last good tick",
})
const storeUp = Metric.gauge("store_up", {
  description: "1 when the store answered this scrape in time",
})
const memory = Metric.gauge("process_resident_bytes", { description: "Resident memory" })

interface AdminOptions extends ListenOptions {
  /** True from the moment the process was asked to stop. */
  readonly draining: Effect.Effect<boolean>
}

/** Serves /livez, /readyz and /metrics for as long as the scope lives. Gives the address taken. */
export const serveAdmin = Effect.fnUntraced(function* (options: AdminOptions) {
  const feed = yield* Feed
  const turned = yield* watchLoop
  const routes = HttpRouter.addAll([
    HttpRouter.route("GET", "/livez", Effect.map(liveness(turned), probe)),
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

/** What a probe found: null when all is well, else why not. */
type Finding = string | null

/** Turns once a second, and remembers when it last did. */
const watchLoop = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let turnedAt: EpochMs = clock.currentTimeMillisUnsafe()
  const turn = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const lateMs = Math.max(0, now - turnedAt - Duration.toMillis(turnEvery))
    turnedAt = now
    return Metric.update(loopLag, lateMs / 1_000)
  })
  yield* Effect.forkScoped(Effect.repeat(turn, Schedule.spaced(turnEvery)))
  return () => turnedAt
})

const liveness = (turnedAt: () => EpochMs): Effect.Effect<Finding> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => now - turnedAt() > turnMsMax ? "the event loop has stalled" : null,
  )

const readiness = (
  feed: Feed["Service"],
  draining: Effect.Effect<boolean>,
): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    if (yield* draining) return "the process is stopping"
    const asked = yield* ask(feed)
    if (Option.isNone(asked)) return "the store does not answer"
    const { sellable, status } = asked.value
    if (sellable) return null
    return status === "starting"
      ? "the service is starting: no tick has succeeded yet"
      : "no tick has succeeded for too long"
  })

/** Where the feed stands, or none when the store fails or does not answer in time. */
const ask = (feed: Feed["Service"]): Effect.Effect<Option.Option<FeedIndex>> =>
  Effect.catchCause(withDeadline(storeWithin)(feed.index), () => Effect.succeedNone)

/**
 * What has been counted and measured, read now. What cannot be known now is not a number: an old
 * value would look like a feed that stands still.
 */
const metrics = (feed: Feed["Service"]) =>
  Effect.gen(function* () {
    const asked = yield* ask(feed)
    const now = yield* Clock.currentTimeMillis
    const lastTickAt = Option.isSome(asked) ? asked.value.lastTickAt : null
    yield* Metric.update(memory, Deno.memoryUsage().rss)
    yield* Metric.update(storeUp, Option.isSome(asked) ? 1 : 0)
    yield* Metric.update(feedIndex, Option.isSome(asked) ? asked.value.index : NaN)
    yield* Metric.update(tickAge, lastTickAt === null ? NaN : (now - lastTickAt) / 1_000)
    return HttpServerResponse.text(yield* PrometheusMetrics.format({ prefix: "bellwether" }), {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    })
  })

function probe(finding: Finding): HttpServerResponse.HttpServerResponse {
  return finding === null
    ? HttpServerResponse.text("ok\n")
    : HttpServerResponse.text(`${finding}\n`, { status: 503 })
}
