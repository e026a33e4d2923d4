/**
 * The metrics of requests: durations by route and class of status, with few names for routes.
 *
 * @module
 */
import { match, ok } from "node:assert/strict"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"

test("http_request_seconds counts every answer by route and class of status", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* makeWorld(1))
    const paths = ["/v1/index", "/v1/index?since=1", "/v1/latest", "/llms.txt", "/nowhere"]
    const strangers = ["/v1/index/", "/V1/INDEX", "/constructor", "/__proto__", "/v1", "/docs/x"]
    for (const path of [...paths, ...strangers, "/v1/payments/none", "/markets/none"]) {
      yield* service.get(path)
    }
    const text = yield* PrometheusMetrics.format()
    const counts = [
      ...[[`/v1/index`, 2, 2], ["/v1/latest", 4, 1], ["documents", 2, 1], ["other", 4, 7]],
      ...[["/v1/payments/{paymentId}", 4, 1], ["/markets/{slug}", 4, 1]],
    ]
    for (const [route, status, count] of counts) {
      const line = `http_request_seconds_count{route="${route}",status="${status}xx"} ${count}\n`
      ok(text.includes(line), line)
    }
    for (const [status, count] of [[200, 3], [402, 1], [404, 8], [400, 1]]) {
      match(text, new RegExp(`^http_answers_total\\{status="${status}"\\} ${count}$`, "m"))
    }
    match(text, /^queue_running\{queue="requests"\} 0$/m)
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
