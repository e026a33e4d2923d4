/**
 * The metrics of the public listener: answers by status, durations by route, requests in progress.
 *
 * A poll takes tens of microseconds, so an answer costs no Effect: its duration goes straight into
 * the histogram, and its status into a plain number that is added to the metric once a second.
 *
 * @module
 */
import { Duration, Effect, Metric } from "effect"
import { secondsBuckets } from "../../core/timed.ts"
import { publishDepth } from "../../core/places.ts"
import type { Inbound } from "./inbound.ts"
import type { PendingRequests } from "./pendingRequests.ts"

const flushInterval = Duration.seconds(1)

const answers = Metric.counter("http_answers_total", {
  description: "Answers sent on the public listener, by status",
  incremental: true,
})
const seconds = Metric.histogram("http_request_seconds", {
  description:
    "From a request's head to its answer, without the time to send it, by route and status",
  boundaries: [0.0005, 0.001, 0.0025, ...secondsBuckets],
})
const untrustedForwards = Metric.counter("http_untrusted_forwards_total", {
  description: "Requests with X-Forwarded-For while TRUSTED_PROXY_HOPS is 0",
  incremental: true,
})

/** Counts and times the answers, and updates the metrics while the scope lives. */
export const observeRequests = Effect.fnUntraced(function* (pending: PendingRequests) {
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
    if (forwards === 0 || hasWarned) return void (forwards = 0)
    forwards = 0
    hasWarned = true
    yield* Effect.logWarning(
      "Requests have X-Forwarded-For, but TRUSTED_PROXY_HOPS is 0. If a proxy is in front, set it: " +
        "otherwise all clients of the proxy share one limit",
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(flush, flushInterval)))
  const observeDuration = yield* durations
  return {
    onUntrustedForward: () => {
      forwards += 1
    },
    /** Counts an answer when it has been made. */
    count: (status: number, { route, startedAt }: Inbound) => {
      answersByStatus.set(status, (answersByStatus.get(status) ?? 0) + 1)
      observeDuration(status, route, performance.now() - startedAt)
    },
  }
})

/** Records durations; the histogram of each route and class of status is made on its first answer. */
const durations = Effect.map(Effect.context<never>(), (context) => {
  const histograms = new Map<string, Array<typeof seconds | undefined>>()
  return (status: number, route: string, durationMs: number) => {
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
