/**
 * The admin listener: liveness, readiness with its reason, and Prometheus metrics, also of requests.
 *
 * @module
 */
import { Duration, Effect, Logger, Metric, Ref } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { serveAdmin } from "../../../src/http/server/admin.ts"
import { liveTest, test } from "../../support/effect.ts"
import {
  healthyPayments,
  makeService,
  makeWorld,
  serviceOptions,
  servicesOver,
  type World,
} from "../../support/http/httpService.ts"

const serving = Effect.fnUntraced(function* (world: World) {
  const draining = yield* Ref.make(false)
  const { port } = yield* serveAdmin({
    hostname: "127.0.0.1",
    port: 0,
    drain: Duration.seconds(1),
    draining: Ref.get(draining),
  }).pipe(Effect.provide(servicesOver(world)))
  const get = (path: string) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      return [response.status, await response.text()] as const
    })
  return { draining, get }
})

liveTest("/readyz is 200, or 503 with the most important reason", function* () {
  const world = yield* makeWorld(3)
  const { draining, get } = yield* serving(world)
  equal(yield* get("/readyz"), [200, "ok\n"])
  yield* Ref.set(world.lastTickAt, 0)
  equal(yield* get("/readyz"), [200, "ok\n"], "a venue that cannot be read for days")
  yield* Ref.set(world.clockFault, "the clocks disagree")
  equal(yield* get("/readyz"), [503, "the clocks disagree\n"])
  yield* Ref.set(world.clockFault, null)
  yield* Ref.set(world.items, [])
  yield* Ref.set(world.lastTickAt, null)
  equal(yield* get("/readyz"), [503, "the service is starting: no tick has succeeded yet\n"])
  yield* Ref.set(world.storeUp, false)
  equal(yield* get("/readyz"), [503, "the store does not answer\n"])
  yield* Ref.set(draining, true)
  equal(yield* get("/readyz"), [503, "the process is stopping\n"])
  equal(yield* get("/livez"), [200, "ok\n"])
})

liveTest(
  "/readyz is 503 with the reason while the store refuses writes, and writes once a second",
  function* () {
    const world = yield* makeWorld(3)
    yield* Ref.set(world.writeFault, "the store is read-only")
    const { get } = yield* serving(world)
    for (let n = 0; n < 5; n++) {
      equal(yield* get("/readyz"), [503, "the store is read-only\n"])
      equal(yield* get("/readyz/free"), [503, "the store is read-only\n"])
    }
    ok(yield* Effect.map(Ref.get(world.writes), (writes) => writes < 10))
    match((yield* get("/metrics"))[1], /^bellwether_store_writable 0$/m)
  },
)

liveTest("/readyz is 503 while the chain cannot be read, and /readyz/free is 200", function* () {
  const world = yield* makeWorld(3)
  const { get } = yield* serving(world)
  const chain = { verdict: "failing", reason: "Payments are not sold" } as const
  const parts = { ...healthyPayments.parts, chain }
  yield* Ref.set(world.paymentHealth, { ...healthyPayments, parts })
  equal(yield* get("/readyz"), [503, "Payments are not sold\n"])
  equal(yield* get("/readyz/free"), [200, "ok\n"])
  yield* Ref.set(world.paymentHealth, healthyPayments)
  equal(yield* get("/readyz"), [200, "ok\n"])
})

test("X-Forwarded-For is counted, and warned of once, while no proxy is trusted", () =>
  Effect.gen(function* () {
    const warnings: Array<unknown> = []
    const logger = Logger.make(({ message }) => void warnings.push(message))
    const requests = Effect.fnUntraced(function* (trustedProxyHops: number) {
      const options = { ...serviceOptions, trustedProxyHops }
      const service = yield* makeService(yield* makeWorld(1), undefined, options)
      for (const path of ["/v1/index", "/v1/latest", "/v1/index"]) {
        yield* service.get(path, { headers: { "x-forwarded-for": "203.0.113.9" } })
        yield* TestClock.adjust("1 second")
      }
      yield* service.get("/v1/index")
      yield* TestClock.adjust("1 second")
    }, Effect.provide(Logger.layer([logger])))
    yield* requests(1)
    equal(warnings, [])
    yield* requests(0)
    strictEqual(warnings.length, 1)
    match(String(warnings[0]), /TRUSTED_PROXY_HOPS/)
    match(yield* PrometheusMetrics.format(), /^http_untrusted_forwards_total 3$/m)
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

liveTest(
  "/metrics reads the feed at each scrape, and returns NaN for an unknown value",
  () =>
    Effect.gen(function* () {
      const world = yield* makeWorld(3)
      const { get } = yield* serving(world)
      const scraped = Effect.map(
        get("/metrics"),
        ([, text]) => (name: string) =>
          new RegExp(`^bellwether_${name} (\\S+)$`, "m").exec(text)?.[1],
      )
      const first = yield* scraped
      strictEqual(first("feed_index"), "3")
      ok(Number(first("last_good_tick_age_seconds")) < 60)
      strictEqual(first("store_up"), "1")
      yield* Ref.set(world.items, [])
      yield* Ref.set(world.lastTickAt, null)
      const second = yield* scraped
      strictEqual(second("feed_index"), "0")
      strictEqual(second("last_good_tick_age_seconds"), "NaN")
      yield* Ref.set(world.storeUp, false)
      const third = yield* scraped
      strictEqual(third("feed_index"), "NaN")
      strictEqual(third("store_up"), "0")
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
)

liveTest("/metrics is Prometheus text, and the public paths are not served here", function* () {
  const { get } = yield* serving(yield* makeWorld(3))
  const [status, text] = yield* get("/metrics")
  strictEqual(status, 200)
  match(text, /^# TYPE bellwether_process_resident_bytes gauge$/m)
  match(text, /^bellwether_feed_index 3$/m)
  for (const line of text.trimEnd().split("\n")) {
    match(line, /^(# (HELP|TYPE) [a-z0-9_]+ .*|[a-z0-9_]+(\{.*\})? \S+)$/)
  }
  equal(yield* get("/v1/index"), [404, ""])
})

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
