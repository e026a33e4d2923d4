/**
 * A clock that jumps: what a process remembers for some time it forgets within three times that, whichever
 * way the clock goes. Leases, HOLD and retention have the store's clock, and its laws.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Clock, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { address } from "../../src/payments/domain/payment.ts"
import { NotCharged } from "../../src/payments/domain/failedSale.ts"
import { isDisputed } from "../../src/payments/domain/paymentHealth.ts"
import { Chain } from "../../src/payments/Chain.ts"
import { watchSafeHead } from "../../src/payments/chain/heads.ts"
import type { Rpc } from "../../src/payments/chain/rpc.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { failover } from "../../src/payments/facilitator/failover.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { makeShares } from "../../src/payments/sale/shares.ts"
import { makeSolvency } from "../../src/payments/sale/solvency.ts"
import { test } from "../support/effect.ts"
import { memoryRateLimits } from "../support/memoryRateLimits.ts"
import { early, inMarket, type Market, purchase, startSeconds } from "../support/payments/sales.ts"
import { terms, token } from "../support/payments/terms.ts"
import { signedRequest } from "./facilitator/facilitator.laws.ts"

const minute = 60
const hour = 60 * minute
const day = 24 * hour
/** Seconds by which the clock jumps, one after the other. */
const jumps: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["does not jump", []],
  ["jumps by +45 s", [45]],
  ["jumps by -45 s", [-45]],
  ["jumps by +1 h", [hour]],
  ["jumps by -1 h", [-hour]],
  ["jumps by +100 days", [100 * day]],
  ["jumps by -100 days", [-100 * day]],
  ["jumps by +1 h and back", [hour, -hour]],
]

/** An endpoint whose safe block has this number. */
const rpcOf = (numberOf: () => number): Pick<Rpc, "call"> => ({
  call: ({ decode }) =>
    Effect.orDie(decode({
      number: `0x${numberOf().toString(16)}`,
      hash: `0x${"00".repeat(32)}`,
      timestamp: "0x1",
    })),
})

/** Opens a window, and returns whether it is open. */
type Window = Effect.Effect<Effect.Effect<boolean>, unknown, Market>

const windows: Readonly<Record<string, readonly [seconds: number, Window]>> = {
  "the treasury's balance": [
    10,
    Effect.gen(function* () {
      let reads = 0
      const balanceOf = () => Effect.sync(() => BigInt(++reads))
      const chain = { ...yield* Chain, balanceOf }
      const treasury = address(terms.treasury)
      const { covered } = makeSolvency({
        ...{ chain, store: yield* PaymentStore, asset: token.asset, treasury },
      })
      yield* covered
      return Effect.andThen(covered, Effect.sync(() => reads === 1))
    }),
  ],
  "the chain's safe head": [
    1,
    Effect.gen(function* () {
      let reads = 0
      const head = yield* watchSafeHead(rpcOf(() => (reads++, 7)), "safe")
      yield* head
      return Effect.andThen(Effect.orDie(head), Effect.sync(() => reads === 1))
    }),
  ],
  "a request that failed": [
    minute,
    Effect.gen(function* () {
      const shares = makeShares(memoryRateLimits(), yield* Clock.Clock)
      const failed = yield* purchase({ product: early })
      const failure = new NotCharged({ code: "venue_error", message: "It failed" })
      yield* shares.refunded(failed, failure)
      return Effect.sync(() => shares.refusal(failed)?.code === "venue_error")
    }),
  ],
  "a contradiction of the chain's endpoints": [
    minute,
    Effect.map(
      Clock.currentTimeMillis,
      (disputedAt) => Effect.map(Clock.currentTimeMillis, (now) => isDisputed({ now, disputedAt })),
    ),
  ],
  "a facilitator that did not answer": [
    30,
    Effect.gen(function* () {
      const asked: Array<string> = []
      const one = (name: string, answers: boolean) =>
        Facilitator.of({
          name,
          verify: () =>
            Effect.sync(() => {
              asked.push(name)
              return answers
                ? { outcome: "valid" }
                : { outcome: "unknown", reason: "silence", unanswered: true }
            }),
          settle: () => Effect.die("settled"),
        })
      const request = yield* signedRequest(startSeconds)
      const { verify } = failover([one("first", false), one("second", true)])
      yield* verify(request)
      return Effect.andThen(
        Effect.suspend(() => (asked.length = 0, verify(request))),
        Effect.sync(() => asked[0] === "second"),
      )
    }),
  ],
}

for (const [what, [seconds, window]] of Object.entries(windows)) {
  for (const [how, steps] of jumps) {
    test(`${what} is forgotten within three times its ${seconds} s, by a clock that ${how}`, () =>
      inMarket(Effect.gen(function* () {
        const isOpen = yield* window
        equal(yield* isOpen, true, "at once")
        for (const step of steps) {
          yield* TestClock.setTime((yield* Clock.currentTimeMillis) + step * 1_000)
        }
        yield* TestClock.adjust(3 * seconds * 1_000)
        equal(yield* isOpen, false, "in the end")
      })).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  }
}

test("a safe block that contradicts an earlier one is rejected for five minutes, also after a clock went back", function* () {
  yield* TestClock.setTime(startSeconds * 1_000)
  let number = 9
  const head = yield* watchSafeHead(rpcOf(() => number), "safe")
  yield* head
  number = 8
  yield* TestClock.adjust("2 seconds")
  equal((yield* Effect.exit(head))._tag, "Failure")
  yield* TestClock.setTime((startSeconds - hour) * 1_000)
  equal((yield* Effect.exit(head))._tag, "Failure")
  yield* TestClock.adjust("299 seconds")
  equal((yield* Effect.exit(head))._tag, "Failure")
  yield* TestClock.adjust("1 seconds")
  equal((yield* head).number, 8n)
})
