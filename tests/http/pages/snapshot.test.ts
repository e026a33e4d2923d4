/**
 * The polled bodies: never older than three seconds, at once after a tick, and only one computation
 * for all who wait.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { Answer } from "../../../src/http/server/answer.ts"
import { makeSnapshot, type Snapshot } from "../../../src/http/pages/snapshot.ts"
import { Digest } from "../../../src/digest/Digest.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import { TrackRecord } from "../../../src/track-record/TrackRecord.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { sampleItem } from "../../support/feed/items.ts"

const options = {
  publicBaseUrl: "https://feed.example",
  version: "1.0.0",
  paymentMode: "simulated",
  venueMode: "simulated",
  network: "eip155:8453",
} as const

/** A feed whose index is how often it was asked; asking can be made to take for ever. */
const countingFeed = Effect.gen(function* () {
  const asked = yield* Ref.make(0)
  const stuck = yield* Ref.make(false)
  const index = Effect.gen(function* () {
    const count = yield* Ref.updateAndGet(asked, (before) => before + 1)
    if (yield* Ref.get(stuck)) return yield* Effect.never
    return {
      status: "live" as const,
      index: count,
      lastUpdated: 0,
      todayByType: { mover: 0, whale_entry: 0, predetermined: 0 },
      lastTickAt: 0,
      sellable: true,
    }
  })
  const layer = Layer.mergeAll(
    Layer.mock(Feed, { index, pulse: Effect.succeed([]) }),
    Layer.mock(TrackRecord, { scorecard: Effect.never }),
    Layer.mock(Digest, { latest: Effect.succeedNone }),
  )
  return { asked, stuck, layer }
})

const indexOf = (snapshot: Snapshot) => read(Promise.resolve(snapshot.index()))
const read = (made: Promise<Answer | null>) =>
  Effect.map(
    Effect.promise(() => made),
    (answer) =>
      answer === null ? null : JSON.parse(new TextDecoder().decode(answer.bytes)).index as number,
  )

test("the index is computed once a second, however many ask for it", () =>
  Effect.gen(function* () {
    const feed = yield* countingFeed
    const snapshot = yield* makeSnapshot(options).pipe(Effect.provide(feed.layer))
    const before = yield* Ref.get(feed.asked)
    for (let n = 0; n < 1_000; n++) ok(!(snapshot.index() instanceof Promise))
    strictEqual(yield* Ref.get(feed.asked), before)
    yield* TestClock.adjust("1 second")
    strictEqual(yield* Ref.get(feed.asked), before + 1)
  }))

test("refresh shows what a tick has just appended", () =>
  Effect.gen(function* () {
    const noon = Date.parse("2026-11-21T12:00:00.000Z")
    yield* TestClock.setTime(noon)
    const world = yield* makeWorld(3)
    const service = yield* makeService(world)
    yield* Ref.update(world.items, (items) => [...items, sampleItem(4, noon)])
    yield* service.refresh
    const body = yield* Effect.flatMap(
      service.get("/v1/index"),
      (response) => Effect.promise(() => response.json()),
    )
    equal([body.index, body.totalToday], [4, 4])
  }))

test("a body that could not be renewed for three seconds is computed anew or not given", () =>
  Effect.gen(function* () {
    const feed = yield* countingFeed
    const snapshot = yield* makeSnapshot(options).pipe(Effect.provide(feed.layer))
    yield* TestClock.adjust("2 seconds")
    const last = yield* indexOf(snapshot)
    yield* Ref.set(feed.stuck, true)
    yield* TestClock.adjust("3 seconds")
    strictEqual(yield* indexOf(snapshot), last)
    yield* TestClock.adjust("1 second")
    const waiting = snapshot.index()
    ok(waiting instanceof Promise)
    yield* TestClock.adjust("3 seconds")
    strictEqual(yield* read(waiting), null)
  }))

test("all who wait for a body wait for one computation", () =>
  Effect.gen(function* () {
    const feed = yield* countingFeed
    const snapshot = yield* makeSnapshot(options).pipe(Effect.provide(feed.layer))
    yield* Ref.set(feed.stuck, true)
    yield* TestClock.adjust("10 seconds")
    const before = yield* Ref.get(feed.asked)
    const waiting = Array.from({ length: 100 }, () => Promise.resolve(snapshot.index()))
    yield* TestClock.adjust("100 millis")
    strictEqual((yield* Ref.get(feed.asked)) - before, 1)
    yield* TestClock.adjust("3 seconds")
    for (const made of waiting) strictEqual(yield* read(made), null)
  }))

test("the bodies hold no value of their own request: equal feeds have equal bytes", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* makeWorld(3))
    let client = 0
    const text = Effect.fnUntraced(function* (path: string) {
      const headers = { "x-forwarded-for": `203.0.113.${client++}` }
      const response = yield* service.get(path, { headers })
      strictEqual(response.status, 200)
      return yield* Effect.promise(() => response.text())
    })
    for (const path of ["/v1/index", "/v1/pulse", "/v1/track-record"]) {
      const before = yield* text(path)
      yield* TestClock.adjust("5 seconds")
      strictEqual(yield* text(path), before)
    }
  }))
