/**
 * A listener for probes and metrics, which is not public. The service and the refund worker each
 * have one. It shares no code with the public listener, which the refund worker must not load.
 *
 * @module
 */
import { Clock, Duration, Effect, Metric, Schedule, type Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { type CannotListen, serveAt } from "./listening.ts"

const loopTimerInterval = Duration.seconds(1)

const loopLag = Metric.gauge("event_loop_lag_seconds", {
  description: "How late the last timer fired",
})
const residentBytes = Metric.gauge("process_resident_bytes", { description: "Resident memory" })

/** The result of a probe: null when it passes, else the reason. */
export type ProbeFailure = string | null

export interface ProbeListenOptions {
  readonly hostname: string
  /** 0 means any free port. */
  readonly port: number
  /** How long a shutdown waits for the requests in flight. */
  readonly drain: Duration.Duration
}

interface ProbeOptions extends ProbeListenOptions {
  /** The probes by path. /livez is added. */
  readonly probes: Readonly<Record<`/${string}`, Effect.Effect<ProbeFailure>>>
  /** Updates the gauges that are read for a scrape. */
  readonly updateGauges: Effect.Effect<void>
}

/** Serves /livez, the other probes and /metrics until the scope closes. Returns the address. */
export const serveProbes = Effect.fnUntraced(function* (options: ProbeOptions) {
  yield* watchLoop
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const routes = new Map<string, Effect.Effect<Response>>([
    ...Object.entries(options.probes).map(([path, result]) =>
      [path, Effect.map(result, probeResponse)] as const
    ),
    // A process whose event loop has stalled gives no answer.
    ["/livez", Effect.sync(() => probeResponse(null))],
    ["/metrics", metrics(options.updateGauges)],
  ])
  return yield* listen(options, ({ method, url }) => {
    const route = method === "GET" ? routes.get(new URL(url).pathname) : undefined
    return route === undefined ? new Response(null, { status: 404 }) : run(route)
  })
})

const listen = (
  options: ProbeListenOptions,
  handler: (request: Request) => Response | Promise<Response>,
): Effect.Effect<Deno.NetAddr, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(
    serveAt(options, handler),
    (server) =>
      Effect.ignore(Effect.timeout(Effect.promise(() => server.shutdown()), options.drain)),
  ).pipe(Effect.map((server) => server.addr))

/** Measures once a second how late a timer fires. */
const watchLoop = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let firedAt = clock.monotonicTimeNanosUnsafe()
  const fire = Effect.suspend(() => {
    const before = firedAt
    firedAt = clock.monotonicTimeNanosUnsafe()
    const lateMs = Number(firedAt - before) / 1e6 - Duration.toMillis(loopTimerInterval)
    return Metric.update(loopLag, Math.max(0, lateMs) / 1_000)
  })
  yield* Effect.forkScoped(Effect.repeat(fire, Schedule.spaced(loopTimerInterval)))
})

const metrics = (updateGauges: Effect.Effect<void>) =>
  Effect.gen(function* () {
    yield* Metric.update(residentBytes, Deno.memoryUsage().rss)
    yield* updateGauges
    return new Response(yield* PrometheusMetrics.format({ prefix: "bellwether" }), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    })
  })

function probeResponse(failure: ProbeFailure): Response {
  const text = { headers: { "content-type": "text/plain" } }
  return failure === null
    ? new Response("ok\n", text)
    : new Response(`${failure}\n`, { ...text, status: 503 })
}
