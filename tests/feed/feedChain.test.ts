/**
 * The job that keeps the chain complete and signs the head of each day.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { day, minute } from "../../src/core/domain/time.ts"
import { headStatement } from "../../src/feed/domain/chain.ts"
import { FeedChain } from "../../src/feed/FeedChain.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { SigningKey } from "../../src/signing/SigningKey.ts"
import { test } from "../support/effect.ts"
import { memoryFeed } from "../support/feed/memoryFeed.ts"
import { testKey } from "../support/signing/key.ts"

const midnight = Date.UTC(2026, 10, 21)
const head = { index: 7, hash: "ab".repeat(32) }

test("update() links all waiting items in batches, and then signs the head of yesterday", () =>
  Effect.gen(function* () {
    const batches: Array<number> = []
    const signed: Array<unknown> = []
    let waiting = 1_200
    const store = FeedStore.of({
      ...memoryFeed(),
      link: (limit) =>
        Effect.sync(() => {
          batches.push(limit)
          return waiting = Math.max(0, waiting - limit)
        }),
      addDailyHead: (of, sign) => Effect.sync(() => void signed.push([of, sign(head)])),
    })
    const { update } = yield* Effect.provide(
      FeedChain,
      FeedChain.layer.pipe(
        Layer.provide([Layer.succeed(FeedStore, store), Layer.succeed(SigningKey, testKey)]),
      ),
    )
    yield* TestClock.setTime(midnight + day - minute)
    equal(yield* update, 0)
    equal(batches, [500, 500, 500])
    yield* TestClock.setTime(midnight + day + minute)
    yield* update
    equal(signed, [
      [midnight - day, testKey.sign(headStatement("2026-11-20", head))],
      [midnight, testKey.sign(headStatement("2026-11-21", head))],
    ])
  }))
