/**
 * The metrics of requests: durations by route and class of status, with few names for routes.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Arbitrary, Effect, Metric, Schema } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { routeNamer } from "../../../src/http/server/requestMetrics.ts"
import { law, test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"

const nameOf = routeNamer({
  named: ["/v1/index", "/a2a"],
  prefixes: { "/markets/": "/markets/{slug}" },
  routes: new Map([["/v1/index", 1], ["/a2a", 1], ["/docs", 1], ["/llms.txt", 1]]),
})

law(
  "a path of a stranger never becomes the name of a route",
  Arbitrary.schema(Schema.Struct({
    prefix: Schema.Literals(["", "/", "/v1/", "/markets/", "/docs", "/v1/index", "__proto__"]),
    rest: Schema.String,
  })),
  ({ prefix, rest }) => {
    const names = ["/v1/index", "/a2a", "/markets/{slug}", "documents", "other"]
    ok(names.includes(nameOf(prefix + rest)))
  },
)

Deno.test("a named path, a document, a prefix and an unknown path have their names", () => {
  equal(
    ["/v1/index", "/docs", "/markets/a-b", "/v1/index/", "/constructor"].map(nameOf),
    ["/v1/index", "documents", "/markets/{slug}", "other", "other"],
  )
})

test("http_request_seconds counts every answer by route and class of status", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* makeWorld(1))
    const paths = ["/v1/index", "/v1/index?since=1", "/v1/latest", "/llms.txt", "/nowhere"]
    for (const path of [...paths, "/v1/payments/none", "/markets/none"]) yield* service.get(path)
    const text = yield* PrometheusMetrics.format()
    const counts = [
      ...[[`/v1/index`, 2, 2], ["/v1/latest", 4, 1], ["documents", 2, 1], ["other", 4, 1]],
      ...[["/v1/payments/{paymentId}", 4, 1], ["/markets/{slug}", 4, 1]],
    ]
    for (const [route, status, count] of counts) {
      const line = `http_request_seconds_count{route="${route}",status="${status}xx"} ${count}\n`
      ok(text.includes(line), line)
    }
    match(text, /^queue_running\{queue="requests"\} 0$/m)
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
