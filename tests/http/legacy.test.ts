/**
 * The predecessor's paths redirect to paths of this service, and no request makes them lead
 * elsewhere.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { second } from "../../src/core/domain/time.ts"
import { legacyRoute, legacyRoutes } from "../../src/http/free/legacy.ts"
import { law, test } from "../support/effect.ts"
import { makeService, makeWorld } from "../support/http/httpService.ts"
import { faultOf } from "../support/http/shape.ts"
import { unlimited } from "../support/memoryRateLimits.ts"
import { terms } from "../support/payments/terms.ts"

const base = terms.publicBaseUrl
const defaultSuccessor = freeRows.index.path
/** The day on which this interface replaced its predecessor. */
const deprecatedAt = Date.parse("2026-11-01T00:00:00.000Z") / second
const successors = new Set<string>([...legacyRoutes.values(), defaultSuccessor])

const legacyService = Effect.flatMap(makeWorld(3), (world) => makeService(world))

test("every path of the table is redirected permanently, with its query", function* () {
  const { get } = yield* legacyService
  ok(legacyRoutes.size > 10)
  for (const [path, successor] of legacyRoutes) {
    const response = yield* get(`${path}?since=5&type=mover`)
    const { headers } = response
    strictEqual(response.status, 308, path)
    strictEqual(headers.get("location"), `${base}${successor}?since=5&type=mover`)
    strictEqual(headers.get("link"), `<${base}${successor}>; rel="successor-version"`)
    strictEqual(headers.get("deprecation"), `@${deprecatedAt}`)
    strictEqual(headers.get("cache-control"), "private, max-age=300")
    strictEqual(yield* faultOf(path, "GET", response), null)
  }
})

test("an unknown path under /api leads to the index, and a similar path is a 404", function* () {
  const { get } = yield* legacyService
  for (const path of ["/api", "/api/", "/api/nowhere", "/api/v1", "/api/signals/1"]) {
    const response = yield* get(`${path}?a=1`)
    equal([response.status, response.headers.get("location")], [308, `${base}/v1/index?a=1`])
  }
  const versioned = yield* get("/api/v1/signals?since=3")
  strictEqual(versioned.headers.get("location"), `${base}/v1/signals?since=3`)
  const slashed = yield* get("/api/whales/")
  strictEqual(slashed.headers.get("location"), `${base}/v1/whales`)
  for (const path of ["/apis", "/api-docs", "/v1/api", "/API/signals"]) {
    strictEqual((yield* get(path)).status, 404, path)
  }
})

test("a redirect spends the documents' budget, reads no payment, and is never a 304", function* () {
  const { get } = yield* legacyService
  const headers = { "payment-signature": "e30=", "if-none-match": "*" }
  const response = yield* get("/api/whales", { headers })
  strictEqual(response.status, 308)
  match(response.headers.get("ratelimit") ?? "", /^"documents";r=119/)
})

const route = legacyRoute({ publicBaseUrl: base, limiter: unlimited })

const anyWords = Arbitrary.schema(Schema.Tuple([Schema.String, Schema.String]))

law("any text after /api leads to a path of this service", anyWords, ([rest, query]) => {
  const { current } = route(`/${rest}`, `?${query}`)
  const redirect = Effect.runSync(current(`http://any.host/${rest}`))
  ok(redirect !== null && "headers" in redirect)
  ok(Array.isArray(redirect.headers))
  const headers = new Headers(redirect.headers)
  const location = headers.get("location") ?? ""
  match(location, /^[!-~]+$/)
  const { origin, pathname, hash } = new URL(location)
  equal([origin, successors.has(pathname), hash], [base, true, ""])
})
