/**
 * The job that signs the head of each day.
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

test("signDay() signs the head of yesterday", () =>
  Effect.gen(function* () {
    const signed: Array<unknown> = []
    const store = FeedStore.of({
      ...memoryFeed(),
      addDailyHead: (of, sign) => Effect.sync(() => void signed.push([of, sign(head)])),
    })
    const { signDay } = yield* Effect.provide(
      FeedChain,
      FeedChain.layer.pipe(
        Layer.provide([Layer.succeed(FeedStore, store), Layer.succeed(SigningKey, testKey)]),
      ),
    )
    yield* TestClock.setTime(midnight + day - minute)
    yield* signDay
    yield* TestClock.setTime(midnight + day + minute)
    yield* signDay
    equal(signed, [
      [midnight - day, testKey.sign(headStatement("2026-11-20", head))],
      [midnight, testKey.sign(headStatement("2026-11-21", head))],
    ])
  }))
