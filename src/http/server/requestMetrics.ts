/**
 * The metrics of the public listener: answers by status, durations by route, requests in progress.
 *
 * A poll takes tens of microseconds, so an answer costs no Effect: it goes straight into the metrics.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import { secondsBuckets } from "../../core/timed.ts"
import { publishDepth } from "../../core/places.ts"
import type { Inbound } from "./inbound.ts"
import type { Pending } from "./middleware.ts"

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

/** Counts and times the answers. */
export const observeRequests = Effect.fnUntraced(function* observeRequests(pending: Pending) {
  yield* publishDepth("requests", pending)
  const context = yield* Effect.context<never>()
  const answersOf = remembered((status: number) =>
    Metric.withAttributes(answers, { status: String(status) })
  )
  const secondsOf = remembered((route: string) =>
    remembered((statusClass: number) =>
      Metric.withAttributes(seconds, { route, status: `${statusClass}xx` })
    )
  )
  let hasWarned = false
  return {
    onUntrustedForward: () => {
      untrustedForwards.updateUnsafe(1, context)
      if (hasWarned) return
      hasWarned = true
      Effect.runForkWith(context)(Effect.logWarning(
        "Requests have X-Forwarded-For, but TRUSTED_PROXY_HOPS is 0. If a proxy is in front, set it: " +
          "otherwise all clients of the proxy share one limit",
      ))
    },
    /** Counts an answer when it has been made. */
    count: (status: number, { route, startedAt }: Inbound) => {
      answersOf(status).updateUnsafe(1, context)
      const durationMs = performance.now() - startedAt
      secondsOf(route)(Math.floor(status / 100)).updateUnsafe(durationMs / 1_000, context)
    },
  }
})

/** Metrics by key, each made when it is first needed: attributes cost more than an update. */
function remembered<Key, Of>(make: (key: Key) => Of): (key: Key) => Of {
  const made = new Map<Key, Of>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}
