/**
 * The limits on a facilitator: the number of concurrent verifications, the length of their queue,
 * the longest wait, and that settlements are not limited.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  Facilitator,
  facilitatorBusy,
  type FacilitatorRequest,
} from "../../../src/payments/Facilitator.ts"
import { layerLimited } from "../../../src/payments/facilitator/limit.ts"
import { signedRequest } from "./facilitator.laws.ts"
import { test } from "../../support/effect.ts"
import { startSeconds } from "../../support/payments/sales.ts"

/** A facilitator that answers when the gate opens, and counts its calls. */
const gated = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const counts = { now: 0, most: 0, verified: 0, settled: 0 }
  const call = <A>(answer: A, kind: "verified" | "settled") =>
    Effect.suspend(() => {
      counts.now++
      counts[kind]++
      counts.most = Math.max(counts.most, counts.now)
      return Effect.as(Deferred.await(gate), answer)
    }).pipe(Effect.ensuring(Effect.sync(() => counts.now--)))
  const layer = Layer.succeed(
    Facilitator,
    Facilitator.of({
      name: "gated",
      verify: () => call({ outcome: "valid" } as const, "verified"),
      settle: () => call({ outcome: "settled", transaction: "0x1" } as const, "settled"),
    }),
  )
  return { gate, counts, layer: Layer.provide(layerLimited(3), layer) }
})

type Calls = (
  facilitator: Facilitator["Service"],
  request: FacilitatorRequest,
) => ReadonlyArray<Effect.Effect<{ readonly outcome: string }>>

/** Starts the calls, opens the gate when no call can continue, and counts the outcomes. */
const outcomes = (calls: Calls) =>
  Effect.gen(function* () {
    const { gate, counts, layer } = yield* gated
    const facilitator = yield* Facilitator.pipe(Effect.provide(layer))
    const request = yield* signedRequest(startSeconds)
    const fibers = yield* Effect.forEach(calls(facilitator, request), (call) =>
      Effect.forkChild(call, { startImmediately: true }))
    const atOnce = counts.now
    yield* Deferred.succeed(gate, undefined)
    const ended = yield* Effect.forEach(fibers, Fiber.join)
    const count: Record<string, number> = {}
    for (const { outcome } of ended) {
      count[outcome] = (count[outcome] ?? 0) + 1
    }
    return { atOnce, most: counts.most, count }
  })

for (const demand of [1, 3, 4, 9, 10, 50]) {
  test(`of ${demand} verifications at once, 3 are called, 6 wait, and the rest are unknown`, () =>
    Effect.gen(function* () {
      const { atOnce, most, count } = yield* outcomes(({ verify }, request) =>
        Array.from({ length: demand }, () => verify(request))
      )
      const accepted = Math.min(demand, 9)
      equal([atOnce, most], [Math.min(demand, 3), Math.min(demand, 3)])
      equal(count, { valid: accepted, ...demand > 9 ? { unknown: demand - accepted } : {} })
    }))
}

test("a flood of verifications delays no settlement", () =>
  Effect.gen(function* () {
    const { atOnce, count } = yield* outcomes(({ verify, settle }, request) => [
      ...Array.from({ length: 20 }, () => verify(request)),
      ...Array.from({ length: 20 }, () => settle(request)),
    ])
    equal(atOnce, 23)
    equal(count, { valid: 9, unknown: 11, settled: 20 })
  }))

test("a verification that waits for two seconds is unknown, and takes no place later", () =>
  Effect.gen(function* () {
    const { gate, counts, layer } = yield* gated
    const { verify } = yield* Facilitator.pipe(Effect.provide(layer))
    const request = yield* signedRequest(startSeconds)
    const fibers = yield* Effect.forEach(
      Array.from({ length: 5 }),
      () => Effect.forkChild(verify(request), { startImmediately: true }),
    )
    yield* TestClock.adjust(Duration.seconds(2))
    for (const fiber of fibers.slice(3)) {
      equal(yield* Fiber.join(fiber), { outcome: "unknown", reason: facilitatorBusy })
    }
    yield* Deferred.succeed(gate, undefined)
    for (const fiber of fibers.slice(0, 3)) equal((yield* Fiber.join(fiber)).outcome, "valid")
    equal([counts.verified, counts.now], [3, 0])
  }))

test("a caller that stops waiting frees its place", () =>
  Effect.gen(function* () {
    const { gate, layer } = yield* gated
    const { verify } = yield* Facilitator.pipe(Effect.provide(layer))
    const request = yield* signedRequest(startSeconds)
    const start = () => Effect.forkChild(verify(request), { startImmediately: true })
    const waiting = yield* Effect.forEach(Array.from({ length: 9 }), start)
    equal(yield* verify(request), { outcome: "unknown", reason: facilitatorBusy })
    yield* Fiber.interruptAll(waiting.slice(0, 4))
    const next = yield* Effect.forEach(Array.from({ length: 4 }), start)
    equal((yield* verify(request)).outcome, "unknown")
    yield* Deferred.succeed(gate, undefined)
    for (const fiber of next) equal((yield* Fiber.join(fiber)).outcome, "valid")
  }))
