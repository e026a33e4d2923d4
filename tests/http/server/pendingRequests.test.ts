/**
 * Requests that wait: one client gets a share of them, and the rest stays free for others.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import {
  Arbitrary,
  Cause,
  Context,
  Duration,
  Effect,
  Exit,
  type Fiber,
  Layer,
  Option,
  Schema,
} from "effect"
import { makePartedPlaces } from "../../../src/core/places.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import { layer, Served } from "../../../src/http/layer.ts"
import { pendingMax, pendingPerClientMax } from "../../../src/http/server/middleware.ts"
import { clientOf } from "../../../src/http/server/limits.ts"
import { law, liveTest } from "../../support/effect.ts"
import {
  makeWorld,
  paymentFor,
  serviceOptions,
  servicesOver,
} from "../../support/http/httpService.ts"
import { faultOf } from "../../support/http/shape.ts"

const max = { total: 12, perClient: 3, perSite: 5 }

/** Requests that arrive, from one of 12 clients of 3 sites, and whether an earlier one ends first. */
const arrivals = Arbitrary.schema(
  Schema.Array(
    Schema.Struct({
      site: Schema.Literals([1, 2, 3]),
      client: Schema.Literals([1, 2, 3, 4]),
      ends: Schema.Boolean,
    }),
  ),
)

law(
  "a client, a /48 and all clients together have at most their number waiting",
  arrivals,
  (requests) => {
    const places = makePartedPlaces(max)
    type Request = { client: string; site: string | null; fiber: Fiber.Fiber<never, string> }
    const waiting: Array<Request> = []
    return requests.every(({ site, client, ends }) => {
      if (ends) waiting.shift()?.fiber.interruptUnsafe()
      const address = `2001:db8:${site}:${client}::1`
      const keys = clientOf(address)
      const of = (key: "client" | "site") => waiting.filter((one) => one[key] === keys[key]).length
      const expected = of("client") >= max.perClient || of("site") >= max.perSite
        ? "client"
        : waiting.length >= max.total
        ? "total"
        : null
      const fiber = Effect.runFork(places.run(keys, "client", "total")(Effect.never))
      const ended = fiber.pollUnsafe()
      const refused = ended === undefined || Exit.isSuccess(ended)
        ? null
        : Option.getOrNull(Cause.findErrorOption(ended.cause))
      if (expected === null) waiting.push({ ...keys, fiber })
      return refused === expected && places.running() === waiting.length
    })
  },
)

liveTest(
  "a client with thousands of waiting paid calls does not affect other clients",
  () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(servicesOver(yield* makeWorld(3)))
      const sent = pendingMax + 500
      const arrived = Promise.withResolvers<void>()
      let waiting = 0
      const answers: Array<string> = []
      const count = () => waiting + answers.length === sent && arrived.resolve()
      // A call of /v1/latest waits for ever; one of /v1/signals is answered.
      const blocked = Context.add(services, Feed, {
        ...Context.get(services, Feed),
        latest: Effect.andThen(Effect.sync(() => (waiting++, count())), Effect.never),
      })
      const served = yield* Layer.build(
        layer({ ...serviceOptions, hostname: "127.0.0.1", port: 0, drain: Duration.zero }).pipe(
          Layer.provide(Layer.succeedContext(blocked)),
        ),
      )
      const base = `http://127.0.0.1:${Context.get(served, Served).address.port}`
      const payment = yield* paymentFor(products.latest)
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => Deno.createHttpClient({ poolMaxIdlePerHost: 0 })),
        (client) => Effect.sync(() => client.close()),
      )
      const abort = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (abort) => Effect.sync(() => abort.abort()),
      )
      for (let n = 0; n < sent; n++) {
        fetch(`${base}/v1/latest`, {
          headers: { "payment-signature": payment, "x-forwarded-for": "192.0.2.66" },
          signal: abort.signal,
          client,
        }).then(async (response) => {
          const { error } = await response.clone().json()
          const fault = await Effect.runPromise(faultOf("/v1/latest", "GET", response))
          await response.body?.cancel()
          const retryAfter = response.headers.get("retry-after")
          answers.push(`${response.status} ${error.code} ${error.charged} ${retryAfter} ${fault}`)
          count()
        }, () => {})
      }
      yield* Effect.promise(() => arrived.promise)
      strictEqual(waiting, pendingPerClientMax)
      equal([...new Set(answers)], ["429 rate_limited null 1 null"])
      const call = (address: string, path: string, headers: Record<string, string> = {}) =>
        Effect.promise(async () => {
          const response = await fetch(base + path, {
            headers: { ...headers, "x-forwarded-for": address },
          })
          await response.body?.cancel()
          return response.status
        })
      const signals = { "payment-signature": yield* paymentFor(products.signals, 1) }
      strictEqual(yield* call("192.0.2.77", "/v1/signals", signals), 200)
      strictEqual(yield* call("192.0.2.77", "/v1/index"), 200)
      strictEqual(yield* call("192.0.2.66", "/v1/signals", signals), 429)
    }),
)
