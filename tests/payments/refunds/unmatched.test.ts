/**
 * Unmatched transfers are refunded in a queue of their own: they delay no refund of a sale,
 * use no part of the treasury that sales need, and stop no sale.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { address } from "../../../src/payments/domain/payment.ts"
import { refundMax } from "../../../src/payments/domain/refund.ts"
import { UnmatchedRefundMin } from "../../../src/core/UnmatchedRefundMin.ts"
import { RefundQueue } from "../../../src/payments/refunds/Refunds.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { test } from "../../support/effect.ts"
import { Debts } from "../../support/payments/memoryRefunds.ts"
import {
  owed,
  paidBack,
  statesOf,
  sweepFor,
  withRefundHarness,
  worker,
} from "../../support/payments/refunds.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { nonce, token } from "../../support/payments/terms.ts"

const range = (length: number) => Array.from({ length }, (_, n) => n)
/** The n-th transfer that fits no sale, of 1 USD. */
const transfer = (n: number, amount = refundMax) => owed(n, { queue: "unmatched", amount })
/** The caps of production, in atomic units. */
const caps = { perHour: 100_000_000n, perDay: 500_000_000n }
const unmatchedCaps = { perHour: 10_000_000n, perDay: 10_000_000n }

/** Leaves this much in the treasury. */
const leave = Effect.fnUntraced(function* (balance: bigint) {
  const ledger = yield* Ledger
  const { address: treasury } = yield* Treasury
  yield* ledger.transfer({
    ...{ asset: token.asset, from: treasury, to: address(`0x${"99".repeat(20)}`) },
    ...{ value: playBalance - balance, nonce: nonce(9_999), transaction: "0xdd" },
    blockTime: BigInt(startSeconds),
  })
})

test("100 transfers of $1 use their own caps, and a buyer's $0.05 is refunded at once", () =>
  withRefundHarness(() =>
    Effect.gen(function* () {
      const transfers = yield* Effect.forEach(range(100), (n) => transfer(n))
      const current = yield* worker({ caps, unmatchedCaps })
      yield* sweepFor(current, 60)
      const count = (states: ReadonlyArray<string>) =>
        states.filter((state) => state === "confirmed").length
      equal(count(yield* statesOf(transfers)), 10)
      const real = yield* owed(100, { amount: 50_000n })
      const outcomes = yield* current.sweepQueue("sales")
      equal(outcomes.map(({ to, reason }) => [to, reason]), [["broadcast", null]])
      yield* TestClock.adjust("24 hours")
      yield* sweepFor(current, 60)
      equal([count(yield* statesOf(transfers)), yield* statesOf([real])], [20, ["confirmed"]])
    })
  ))

test("transfers under the minimum wait and are in no total; one of the minimum is refunded", () =>
  withRefundHarness(() =>
    Effect.gen(function* () {
      const dust = yield* Effect.forEach(range(5), (n) => transfer(n, 9_999n))
      const least = yield* transfer(5, 10_000n)
      const sale = yield* owed(100, { amount: 9_999n })
      const { totals } = yield* RefundQueue
      equal((yield* totals).map(({ queue, refunds }) => [queue, refunds]), [
        ["unmatched", 1],
        ["sales", 1],
      ])
      const current = yield* worker()
      yield* sweepFor(current, 60)
      equal(yield* statesOf([least, sale]), ["confirmed", "confirmed"])
      equal(new Set(yield* statesOf(dust)), new Set(["queued"]))
    })
  ).pipe(Effect.provideService(UnmatchedRefundMin, 10_000n)))

test("the use of the caps is measured for each queue", () =>
  withRefundHarness(() =>
    Effect.gen(function* () {
      yield* Effect.forEach(range(12), (n) => transfer(n))
      yield* owed(100, { amount: 50_000n })
      yield* sweepFor(yield* worker({ caps, unmatchedCaps }), 30)
      yield* TestClock.adjust("2 hours")
      yield* sweepFor(yield* worker({ caps, unmatchedCaps }), 30)
      const values = (yield* Metric.snapshot).flatMap(({ id, attributes, state }) =>
        id.startsWith("refund_cap") && "value" in state
          ? [[`${id} ${attributes?.["queue"]} ${attributes?.["window"]}`, state.value] as const]
          : []
      )
      equal(Object.fromEntries(values), {
        "refund_cap_used_usdc sales hour": 0,
        "refund_cap_used_usdc sales day": 0.05,
        "refund_cap_used_usdc unmatched hour": 0,
        "refund_cap_used_usdc unmatched day": 10,
        "refund_cap_usdc sales hour": 100,
        "refund_cap_usdc sales day": 500,
        "refund_cap_usdc unmatched hour": 10,
        "refund_cap_usdc unmatched day": 10,
      })
    })
  ).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

test("a refund of a sale does not wait while a facilitator keeps a transfer's refund", () => {
  let calls = 0
  return withRefundHarness(() =>
    Effect.gen(function* () {
      yield* Effect.forEach(range(8), (n) => transfer(n))
      const current = yield* worker({ caps, unmatchedCaps })
      const sweeping = yield* Effect.forkChild(current.sweepQueue("unmatched"))
      yield* TestClock.adjust("1 second")
      const real = yield* owed(100)
      yield* current.sweepQueue("sales")
      equal(yield* statesOf([real]), ["broadcast"])
      yield* TestClock.adjust("25 seconds")
      equal((yield* Fiber.join(sweeping)).length, 8)
    }), {
    facilitator: (port) => ({
      ...port,
      settle: (request) =>
        calls++ === 0 ? Effect.delay(port.settle(request), "25 seconds") : port.settle(request),
    }),
  })
})

test("a transfer is refunded only from what the sales do not need", () =>
  withRefundHarness(({ memory }) =>
    Effect.gen(function* () {
      yield* leave(1_040_000n)
      const other = yield* transfer(0)
      const real = yield* owed(1, { amount: 50_000n })
      const current = yield* worker({ caps, unmatchedCaps })
      yield* current.sweepQueue("unmatched")
      equal(memory.rows.get(other.paymentId)?.lastReason, "float_too_low")
      yield* sweepFor(current, 900)
      equal(yield* statesOf([real, other]), ["confirmed", "queued"])
      // 990,000 are left: still too little for the transfer.
      equal((yield* paidBack([real, other])).received, real.amount)
    })
  ))

test("one transfer over the treasury waits for a person, who settles it or approves its amount", () =>
  withRefundHarness(({ memory }) =>
    Effect.gen(function* () {
      yield* leave(20_000_000n)
      const { review } = yield* Debts
      const large = [yield* transfer(0, 21_000_000n), yield* transfer(1, 11_000_000n)]
      const [settled, approved] = large
      if (settled === undefined || approved === undefined) return
      const current = yield* worker({ caps, unmatchedCaps })
      yield* sweepFor(current, 60)
      equal(yield* statesOf(large), ["needs_review", "needs_review"])
      equal(memory.rows.get(settled.paymentId)?.lastReason, "amount_over_the_dearest_product")
      yield* review(settled.paymentId, "settle")
      yield* review(approved.paymentId, "approve_amount")
      yield* sweepFor(current, 60)
      equal(yield* statesOf(large), ["settled_by_hand", "confirmed"])
      // The approved amount is larger than the cap by itself, so it does not delay the others.
      const small = yield* transfer(2)
      yield* sweepFor(current, 60)
      equal(yield* statesOf([small]), ["confirmed"])
      equal((yield* paidBack(large)).received, approved.amount)
      // A second requeue without an approval goes back to review.
      const again = yield* transfer(3, 2_000_000n)
      yield* sweepFor(current, 60)
      yield* review(again.paymentId, "requeue")
      yield* TestClock.adjust(Duration.seconds(1))
      yield* sweepFor(current, 60)
      equal(yield* statesOf([again]), ["needs_review"])
    })
  ))
