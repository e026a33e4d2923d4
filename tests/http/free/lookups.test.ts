/**
 * The free answers with parameters, and the heads of the feed, over HTTP.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert"
import { Effect, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import { proofFault } from "../../../src/feed/domain/chain.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { test } from "../../support/effect.ts"
import { headOf, proofOf } from "../../support/feed/chain.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")

const open = Effect.fnUntraced(function* (items: number) {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(items)
  const { get } = yield* makeService(world)
  const read = Effect.fnUntraced(function* (path: string) {
    const response = yield* get(path)
    const body: unknown = yield* Effect.promise(() => response.json())
    return { status: response.status, headers: response.headers, body: Object(body) }
  })
  return { world, read }
})

test("/v1/feed/proof leads from the head in /v1/index to the item, and to the newest without an index", () =>
  Effect.gen(function* () {
    const { world, read } = yield* open(30)
    const items = yield* Ref.get(world.items)
    const index = yield* read("/v1/index")
    equal(index.body.head, headOf(items))
    for (const [query, at] of [["?index=4", 4], ["", 30]] as const) {
      const { status, body } = yield* read(`/v1/feed/proof${query}`)
      const { success, feedIndex, ...proof } = body
      equal([status, success, feedIndex], [200, true, at])
      equal(proof, Option.getOrThrow(proofOf(items, at)))
      strictEqual(proofFault(proof, sha256), null)
      equal(proof.head, index.body.head)
    }
  }))

test("an item that is not in the feed has no proof, and a wrong index says what is expected", () =>
  Effect.gen(function* () {
    const { read } = yield* open(3)
    const missing = yield* read("/v1/feed/proof?index=4")
    equal([missing.status, missing.body.error.code], [404, "signal_not_found"])
    strictEqual(missing.body.error.charged, false)
    for (const wrong of ["0", "x", "", "1&index=2"]) {
      const { status, body } = yield* read(`/v1/feed/proof?index=${wrong}`)
      equal([status, body.error.code, body.error.charged], [400, "invalid_parameter", false])
      strictEqual(body.error.details[0].param, "index")
    }
  }))

test("an empty feed has no proof, and a head of zeros", () =>
  Effect.gen(function* () {
    const { read } = yield* open(0)
    const { status, body: { error } } = yield* read("/v1/feed/proof")
    equal([status, error.retryable, error.retryAfterSeconds], [404, true, 60])
    equal((yield* read("/.well-known/feed-heads")).body, {
      success: true,
      head: { index: 0, hash: "0".repeat(64) },
      days: [],
    })
    equal((yield* read("/v1/outcomes?since=5")).body, {
      success: true,
      since: 5,
      count: 0,
      data: [],
    })
  }))
