/**
 * The data of a page is made again only when it has changed.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok } from "node:assert/strict"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makePageData } from "../../../src/http/free/pageData.ts"
import { makeSnapshot } from "../../../src/http/free/snapshot.ts"
import type { RateLimiter } from "../../../src/http/server/limits.ts"
import { test } from "../../support/effect.ts"
import { makeWorld, servicesOver } from "../../support/http/httpService.ts"
import { sampleItem } from "../../support/feed/items.ts"

const options = {
  publicBaseUrl: "https://feed.example",
  version: "1.0.0",
  commit: null,
  paymentMode: "simulated",
  venueMode: "simulated",
  chainId: 8453,
} as const

const limiter: RateLimiter = {
  policyField: null,
  refusal: () => null,
  take: () => Effect.die("not asked"),
}

/** Longer than the pause between two computations of any body. */
const refresh = "16 seconds"

test("no body of a page is encoded again while nothing has changed", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
    const world = yield* makeWorld(3)
    yield* Effect.gen(function* () {
      const { routes } = yield* makePageData(limiter)
      const snapshot = yield* makeSnapshot(options)
      const bodies = {
        ...{ index: snapshot.index, pulse: snapshot.pulse, brief: snapshot.digestBrief },
        ...{ record: snapshot.trackRecord, health: snapshot.health },
        ...Object.fromEntries(
          Object.entries(routes).map(([id, { current }]) => [id, () => current?.("") ?? null]),
        ),
      }
      const read = Effect.forEach(
        Object.entries(bodies),
        ([name, current]) =>
          Effect.map(Effect.promise(async () => await current()), (body) => {
            ok(body !== null, name)
            return [name, body] as const
          }),
      )
      const before = yield* read
      yield* TestClock.adjust(refresh)
      const after = yield* read
      equal(after.filter(([, body], at) => body !== before[at]?.[1]).map(([name]) => name), [])
      yield* Ref.update(world.items, (items) => [...items, sampleItem(4, 0)])
      yield* TestClock.adjust(refresh)
      notStrictEqual((yield* read)[0]?.[1], before[0]?.[1])
    }).pipe(Effect.provide(servicesOver(world)))
  }))
