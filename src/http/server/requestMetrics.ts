/**
 * The metrics of the public listener: answers by status, durations by route, requests in progress.
 *
 * A poll takes tens of microseconds, so an answer costs no Effect: its duration goes straight into
 * the histogram, and its status into a plain number that is added to the metric once a second.
 *
 * @module
 */
import { Duration, Effect, Metric } from "effect"
import { publishDepth } from "../../core/places.ts"
import { pendingOfEdge } from "./edge.ts"

const flushInterval = Duration.seconds(1)

const answers = Metric.counter("http_answers_total", {
  description: "Answers sent on the public listener, by status",
  incremental: true,
})
const seconds = Metric.histogram("http_request_seconds", {
  description:
    "From a request's head to its answer, without the time to send it, by route and status",
  boundaries: [
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    2.5,
    5,
    10,
    30,
    60,
  ],
})
const untrustedForwards = Metric.counter("http_untrusted_forwards_total", {
  description: "Requests with X-Forwarded-For while TRUSTED_PROXY_HOPS is 0",
  incremental: true,
})

/** The few names that routes have in metrics; a path that a stranger chooses is never one. */
export interface RouteNames {
  /** Paths that are names themselves. */
  readonly named: Iterable<string>
  /** The names of paths that begin with a prefix. */
  readonly prefixes: Readonly<Record<`/${string}`, string>>
  /** All known paths; one that is not named counts as a document. */
  readonly routes: ReadonlyMap<string, unknown>
}

/** The name of a path's route. */
export function routeNamer({ named, prefixes, routes }: RouteNames): (path: string) => string {
  const names = new Map([...routes.keys()].map((path) => [path, "documents"]))
  for (const path of named) names.set(path, path)
  const byPrefix = Object.entries(prefixes)
  return (path) =>
    names.get(path) ?? byPrefix.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "other"
}

/** The observers of an edge, which update the metrics while the scope lives. */
export const observeRequests = Effect.fnUntraced(function* (routes: RouteNames) {
  const pending = pendingOfEdge()
  yield* publishDepth("requests", { running: pending.total, waiting: () => 0 })
  const answersByStatus = new Map<number, number>()
  let forwards = 0
  let hasWarned = false
  const flush = Effect.gen(function* () {
    const entries = [...answersByStatus]
    answersByStatus.clear()
    for (const [status, count] of entries) {
      yield* Metric.update(Metric.withAttributes(answers, { status: String(status) }), count)
    }
    yield* Metric.update(untrustedForwards, forwards)
    if (forwards === 0) return
    forwards = 0
    if (hasWarned) return
    hasWarned = true
    yield* Effect.logWarning(
      "Requests have X-Forwarded-For, but TRUSTED_PROXY_HOPS is 0. If a proxy is in front, set it: " +
        "otherwise all clients of the proxy share one limit",
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(flush, flushInterval)))
  const observeDuration = yield* durations(routeNamer(routes))
  return {
    pending,
    onAnswer: (status: number, path: string, durationMs: number) => {
      answersByStatus.set(status, (answersByStatus.get(status) ?? 0) + 1)
      observeDuration(status, path, durationMs)
    },
    onUntrustedForward: () => {
      forwards += 1
    },
  }
})

/** Records durations; the histogram of each route and class of status is made on its first answer. */
const durations = (nameOf: (path: string) => string) =>
  Effect.map(Effect.context<never>(), (context) => {
    const histograms = new Map<string, Array<typeof seconds | undefined>>()
    return (status: number, path: string, durationMs: number) => {
      const route = nameOf(path)
      let byClass = histograms.get(route)
      if (byClass === undefined) histograms.set(route, byClass = [])
      const statusClass = Math.floor(status / 100)
      const histogram = byClass[statusClass] ??= Metric.withAttributes(seconds, {
        route,
        status: `${statusClass}xx`,
      })
      histogram.updateUnsafe(durationMs / 1_000, context)
    }
  })
