/**
 * The digest over HTTP: its free part, its sale and its history; a stale digest is not charged.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { digestAgeMax, digestEvery } from "../../../src/digest/domain/digest.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { noDigestYet } from "../../../src/catalog/domain/refusal.ts"
import { isoTime, minute } from "../../../src/core/domain/time.ts"
import { storedDigest } from "../../support/digest/storedDigests.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"
import { json } from "../../support/http/paidService.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")

/** A service at noon with a digest for each of the last `count` slots; the newest is so old. */
const withDigests = Effect.fnUntraced(function* (count: number, ageMs = 0) {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(3)
  yield* world.digests.prune(Infinity)
  for (let n = 0; n < count; n++) {
    const at = noon - ageMs - n * digestEvery
    yield* world.digests.add(storedDigest(at + (n === 0 ? 0 : minute), `The digest ${n} back`))
  }
  const service = yield* makeService(world)
  let client = 0
  const free = (path: string, headers: Record<string, string> = {}) =>
    service.get(path, { headers: { "x-forwarded-for": `203.0.113.${client++}`, ...headers } })
  const buy = Effect.fnUntraced(function* (target: string) {
    const product = target.includes("history") ? products.digest_history : products.digest
    const response = yield* service.get(target, {
      headers: { "x-payment": yield* paymentFor(product) },
    })
    return { response, body: yield* json(response) }
  })
  return { world, service, free, buy }
})

test("before the first digest, free bodies have null, the brief is a 404, health is degraded", function* () {
  const { free } = yield* withDigests(0)
  strictEqual((yield* json(yield* free("/v1/index"))).digest, null)
  const pulse = yield* json(yield* free("/v1/pulse"))
  equal([pulse.digestTitle, pulse.digestAt], [null, null])
  const health = yield* json(yield* free("/health"))
  equal([health.status, health.digest], ["degraded", { latestAt: null, stale: true }])
  const brief = yield* free("/v1/digest/brief")
  strictEqual(brief.status, 404)
  strictEqual(brief.headers.get("ratelimit-policy"), '"free";q=5;w=60')
  const { error } = yield* json(brief)
  equal([error.code, error.message], ["not_found", noDigestYet])
})

test("while the digest cannot be read, the feed's fields are still returned", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const world = yield* makeWorld(3)
    const latest = Effect.die("the digest cannot be read")
    const service = yield* makeService({ ...world, digests: { ...world.digests, latest } })
    const index = yield* json(yield* service.get("/v1/index"))
    equal([index.index, index.digest], [3, null])
    const { status, digest, feed } = yield* json(yield* service.get("/health"))
    equal([status, digest.stale, feed.stale], ["degraded", true, false])
    const brief = yield* service.get("/v1/digest/brief")
    strictEqual(brief.status, 404)
    strictEqual((yield* json(brief)).error.message, "The newest digest cannot be read now")
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

test("every free body names the newest digest, and its brief has no analysis", function* () {
  const { free } = yield* withDigests(3)
  const { digest } = storedDigest(noon, "The digest 0 back")
  const { title, summary, sourcesUsed, createdAt } = digest
  equal((yield* json(yield* free("/v1/index"))).digest, { latestAt: createdAt, title })
  const pulse = yield* json(yield* free("/v1/pulse"))
  equal([pulse.digestTitle, pulse.digestAt], [title, createdAt])
  const health = yield* json(yield* free("/health"))
  equal([health.status, health.digest], ["live", { latestAt: createdAt, stale: false }])
  const brief = yield* free("/v1/digest/brief")
  equal(yield* json(brief), { success: true, data: { title, summary, sourcesUsed, createdAt } })
  const etag = brief.headers.get("etag") ?? ""
  strictEqual((yield* free("/v1/digest/brief", { "if-none-match": etag })).status, 304)
})

test("refresh puts a new digest into every free body", function* () {
  const { world, service, free } = yield* withDigests(1, digestEvery)
  yield* world.digests.add(storedDigest(noon, "News"))
  yield* service.refresh
  strictEqual((yield* json(yield* free("/v1/index"))).digest.title, "News")
  strictEqual((yield* json(yield* free("/v1/pulse"))).digestTitle, "News")
  strictEqual((yield* json(yield* free("/v1/digest/brief"))).data.title, "News")
})

test("/v1/digest sells the whole newest digest until it reaches its maximum age", function* () {
  const { buy } = yield* withDigests(2, digestAgeMax)
  const { response, body } = yield* buy("/v1/digest")
  strictEqual(response.status, 200)
  const { digest } = storedDigest(noon - digestAgeMax, "The digest 0 back")
  const { next: _, validUntil: __, ...sold } = body
  equal(sold, { success: true, data: digest, charged: true })
  yield* TestClock.adjust(1)
  const stale = yield* buy("/v1/digest")
  strictEqual(stale.response.status, 503)
  strictEqual(stale.response.headers.get("retry-after"), "60")
  const { code, charged, retryable } = stale.body.error
  equal([code, charged, retryable], ["digest_stale", false, true])
  strictEqual(
    stale.body.error.message,
    `The newest digest, from ${digest.createdAt}, is too old to be sold: the next one is late`,
  )
  strictEqual(stale.response.headers.has("payment-response"), false)
})

/** Query of the history over 50 digests; its hours, and the returned digests as slots back. */
const histories: ReadonlyArray<readonly [string, number, ReadonlyArray<number>]> = [
  ["", 24, [0, 1, 2, 3, 4, 5]],
  ["?hours=24&limit=42", 24, [0, 1, 2, 3, 4, 5, 6]],
  ["?hours=1", 1, [0]],
  ["?hours=4", 4, [0, 1]],
  ["?hours=168&limit=42", 168, Array.from({ length: 42 }, (_, n) => n)],
  ["?hours=168&limit=3", 168, [0, 1, 2]],
]

for (const [query, hours, slots] of histories) {
  test(`/v1/digest/history${query} sells ${slots.length} digests, the newest first`, function* () {
    const { buy } = yield* withDigests(50)
    const { response, body } = yield* buy(`/v1/digest/history${query}`)
    strictEqual(response.status, 200)
    const { next: _, validUntil: __, ...sold } = body
    equal(sold, {
      success: true,
      count: slots.length,
      hours,
      data: slots.map((n) => {
        const at = noon - n * digestEvery + (n === 0 ? 0 : minute)
        const { id, title, summary } = storedDigest(at, `The digest ${n} back`).digest
        return { id, title, summary, createdAt: isoTime(at) }
      }),
      charged: true,
    })
  })
}
