/**
 * Refunds from debt to confirmation, and refunds that are not paid: caps, an empty treasury, false
 * rows, several workers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address, Bytes32, PaymentId } from "../../../src/payments/domain/payment.ts"
import { refundMax, type RefundOutcome } from "../../../src/payments/domain/refund.ts"
import { scaledRefundTiming } from "../../../src/payments/refunds/RefundWorker.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { type Debt, Debts } from "../../support/payments/memoryRefunds.ts"
import { test } from "../../support/effect.ts"
import {
  debtOf,
  eachPaidOnce,
  owed,
  paidBack,
  pay,
  product,
  statesOf,
  sweepFor,
  withRefundHarness,
  worker,
} from "../../support/payments/refunds.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { nonce, token } from "../../support/payments/terms.ts"

const range = (length: number) => Array.from({ length }, (_, n) => n)

test("an owed refund is signed, relayed and confirmed only by the chain", () =>
  withRefundHarness(({ signed, memory }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      const { sweep } = yield* worker()
      const outcomes = yield* sweep
      equal(outcomes.map(({ from, to, reason }) => [from, to, reason]), [
        ["queued", "broadcast", null],
      ])
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
      equal(yield* statesOf([debt]), ["broadcast"])
      equal(yield* sweep, [])
      yield* TestClock.adjust("15 seconds")
      equal((yield* sweep).map(({ from, to }) => [from, to]), [["broadcast", "confirmed"]])
      const read = yield* Effect.flatMap(Debts, ({ read }) => read(debt.paymentId))
      equal([read.payment, read.at?.transaction], [
        "refunded",
        memory.rows.get(debt.paymentId)?.transactionHint,
      ])
      const { refundNonce } = yield* Signatures
      const { address: treasury } = yield* Treasury
      equal(signed, [{
        ...{ from: treasury, to: debt.payer, value: debt.amount, validAfter: 0n },
        validBefore: BigInt(startSeconds + 600),
        nonce: refundNonce({ ...token, from: debt.payer, nonce: debt.paymentNonce }),
      }])
      equal(yield* sweep, [])
    })
  ))

test("nothing is signed before the payment is safe, and nothing is confirmed before the refund is safe", () =>
  withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      const currentWorker = yield* worker()
      yield* sweepFor(currentWorker, 85)
      equal([yield* statesOf([debt]), signed.length], [["queued"], 0])
      yield* sweepFor(currentWorker, 60)
      equal([yield* statesOf([debt]), signed.length], [["broadcast"], 1])
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
      yield* sweepFor(currentWorker, 90)
      equal([yield* statesOf([debt]), signed.length], [["confirmed"], 1])
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
    }), { simulation: { safeAfterSeconds: 90 } }))

test("a refund is cancelled when its payment can never be made, and paid when it is made after all", () =>
  withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debt = yield* debtOf(0)
      const { owe } = yield* Debts
      yield* owe(debt)
      const currentWorker = yield* worker()
      yield* sweepFor(currentWorker, 115)
      equal(yield* statesOf([debt]), ["queued"])
      yield* sweepFor(currentWorker, 30)
      equal(yield* statesOf([debt]), ["cancelled"])
      equal(signed, [])
      // The payment was made in time, but the chain shows it late.
      yield* pay(debt)
      yield* owe(debt)
      yield* sweepFor(currentWorker, 60)
      equal(yield* statesOf([debt]), ["confirmed"])
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
    })
  ))

test("a store restored from a backup recovers its state from the chain, and pays nothing twice", () =>
  withRefundHarness(({ signed, memory }) =>
    Effect.gen(function* () {
      const debts = yield* Effect.forEach(range(6), (n) => owed(n))
      const backup = new Map(memory.rows)
      yield* sweepFor(yield* worker(), 60)
      equal(new Set(yield* statesOf(debts)), new Set(["confirmed"]))
      equal(signed.length, 6)
      for (const [paymentId, row] of backup) memory.rows.set(paymentId, row)
      equal(new Set(yield* statesOf(debts)), new Set(["queued"]))
      // The same is true hours later.
      yield* TestClock.adjust("3 hours")
      yield* sweepFor(yield* worker(), 60)
      equal(new Set(yield* statesOf(debts)), new Set(["confirmed"]))
      equal(signed.length, 6)
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    })
  ))

test("a store restored to before the signature was stored pays with a second one, once", () =>
  withRefundHarness(({ signed, memory }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      const backup = memory.rows.get(debt.paymentId)
      // The facilitator broadcasts the first signature late.
      const currentWorker = yield* worker()
      yield* sweepFor(currentWorker, 5)
      equal(yield* statesOf([debt]), ["signed"])
      if (backup !== undefined) memory.rows.set(debt.paymentId, backup)
      yield* sweepFor(currentWorker, 400)
      equal(yield* statesOf([debt]), ["confirmed"])
      ok(signed.length >= 2)
      equal(new Set(signed.map(({ nonce }) => nonce)).size, 1)
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
    }), {
    simulation: {
      misbehave: () => "late_broadcast",
      late: Duration.seconds(200),
    },
  }))

test("a new treasury refunds the payments in its block range only", () =>
  withRefundHarness(({ signed, memory }) =>
    Effect.gen(function* () {
      const debts = [yield* owed(0), yield* owed(1)]
      const backup = new Map(memory.rows)
      const previous = yield* worker()
      yield* sweepFor(previous, 60)
      equal(yield* statesOf(debts), ["confirmed", "confirmed"])
      // The store has lost both refunds when the key changes.
      for (const [paymentId, row] of backup) memory.rows.set(paymentId, row)
      yield* TestClock.adjust("1 minute")
      const treasury = Context.get(
        yield* Layer.build(
          Treasury.layer({ privateKey: Redacted.make(`0x${"cd".repeat(32)}` as const) }),
        ),
        Treasury,
      )
      const next = yield* Effect.provideService(worker(), Treasury, treasury)
      yield* sweepFor(next, 60)
      const later = yield* owed(2)
      yield* sweepFor(next, 60)
      equal(yield* statesOf([...debts, later]), ["queued", "queued", "confirmed"])
      equal(
        debts.map(({ paymentId }) => memory.rows.get(paymentId)?.lastReason),
        ["of_another_treasury", "of_another_treasury"],
      )
      const last = yield* owed(3)
      yield* TestClock.adjust("5 minutes")
      yield* sweepFor(previous, 60)
      equal(yield* statesOf([...debts, last]), ["confirmed", "confirmed", "queued"])
      equal(signed.length, 2)
      yield* TestClock.adjust("5 minutes")
      yield* sweepFor(next, 60)
      equal(yield* statesOf([last]), ["confirmed"])
      const ledger = yield* Ledger
      for (const { payer, amount } of [...debts, later, last]) {
        equal(yield* ledger.received(payer), amount)
      }
    })
  ))

test("many concurrent workers refund each payment once", () =>
  withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debts = yield* Effect.forEach(range(40), (n) => owed(n))
      const workers = [yield* worker(), yield* worker(), yield* worker()]
      yield* Effect.forEach(workers, (each) => sweepFor(each, 60), { concurrency: "unbounded" })
      equal(new Set(yield* statesOf(debts)), new Set(["confirmed"]))
      equal(signed.length, 40)
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    })
  ))

test("a worker with an expired lease cannot move a refund that another worker claimed", () => {
  let calls = 0
  return withRefundHarness(() =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const slow = yield* worker({
        timing: { lease: Duration.seconds(30), settleTimeout: Duration.minutes(10) },
      })
      const zombie = yield* Effect.forkChild(slow.sweep)
      yield* TestClock.adjust("31 seconds")
      equal(yield* statesOf(debts), ["signed"])
      yield* sweepFor(yield* worker(), 60)
      equal(yield* statesOf(debts), ["confirmed"])
      yield* TestClock.adjust("5 minutes")
      equal((yield* Fiber.join(zombie)).map(({ to, reason }) => [to, reason]), [["signed", "lost"]])
      equal(yield* statesOf(debts), ["confirmed"])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    }), {
    facilitator: (port) => ({
      ...port,
      settle: (request) =>
        calls++ === 0 ? Effect.delay(port.settle(request), "4 minutes") : port.settle(request),
    }),
  })
})

test("a refund over the caps of an hour or a day waits, and does not need review", () =>
  withRefundHarness(() =>
    Effect.gen(function* () {
      const debts = yield* Effect.forEach(range(7), (n) => owed(n))
      const { price } = product
      const caps = { perHour: price * 3n, perDay: price * 5n + 1n }
      const workers = [yield* worker({ caps }), yield* worker({ caps })]
      const sweepAll = (seconds: number) =>
        Effect.forEach(workers, (each) => sweepFor(each, seconds), { concurrency: "unbounded" })
      const confirmedAndSpent = Effect.gen(function* () {
        const states = yield* statesOf(debts)
        ok(states.every((state) => state === "confirmed" || state === "queued"))
        const { spent } = yield* paidBack(debts)
        return [states.filter((state) => state === "confirmed").length, spent / price]
      })
      yield* sweepAll(60)
      equal(yield* confirmedAndSpent, [3, 3n])
      yield* TestClock.adjust("55 minutes")
      yield* sweepAll(600)
      equal(yield* confirmedAndSpent, [5, 5n])
      yield* TestClock.adjust("24 hours")
      yield* sweepAll(60)
      equal(yield* confirmedAndSpent, [7, 7n])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    })
  ))

test("a refund that the treasury cannot cover waits, and is not retried at once", () =>
  withRefundHarness(({ memory }) =>
    Effect.gen(function* () {
      const debts = yield* Effect.forEach(range(3), (n) => owed(n))
      const ledger = yield* Ledger
      const { address: treasury } = yield* Treasury
      yield* ledger.transfer({
        ...{ asset: token.asset, from: treasury, to: address(`0x${"99".repeat(20)}`) },
        ...{ value: playBalance - product.price - 1n, nonce: nonce(0), transaction: "0xdd" },
        blockTime: BigInt(startSeconds),
      })
      const currentWorker = yield* worker()
      yield* sweepFor(currentWorker, 900)
      const states = yield* statesOf(debts)
      equal(states.filter((state) => state === "confirmed").length, 1)
      equal(states.filter((state) => state === "needs_review").length, 0)
      // All three are tried while the balance covers one; later no refund is tried.
      ok([...memory.rows.values()].every(({ attempts }) => attempts <= 1))
      const reasons = [...memory.rows.values()].map(({ lastReason }) => lastReason)
      equal(reasons.filter((reason) => reason === "float_too_low").length, 2)
    })
  ))

test("an unreadable row is logged, and the other refunds are paid", () =>
  withRefundHarness(({ memory, signed }) =>
    Effect.gen(function* () {
      const bad = yield* owed(0)
      const row = memory.rows.get(bad.paymentId)
      if (row === undefined) return yield* Effect.die("nothing is owed")
      memory.rows.set(bad.paymentId, { ...row, state: "signed", signed: null, due: 0 })
      const debts = yield* Effect.forEach(range(6).map((n) => n + 1), (n) => owed(n))
      const { sweep } = yield* worker()
      const defects = (outcomes: ReadonlyArray<RefundOutcome>) =>
        outcomes.filter(({ reason }) => reason === "defect").map(({ paymentId }) => paymentId)
      const first = yield* sweep
      equal([first.length, defects(first)], [7, [bad.paymentId]])
      equal(new Set(yield* statesOf(debts)), new Set(["broadcast"]))
      yield* sweepFor({ sweep }, 60)
      equal(new Set(yield* statesOf(debts)), new Set(["confirmed"]))
      // It is claimed again when its lease has expired.
      yield* TestClock.adjust("60 seconds")
      equal(defects(yield* sweep), [bad.paymentId])
      equal([yield* statesOf([bad]), signed.length], [["signed"], 6])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    })
  ))

const stranger = address(`0x${"66".repeat(20)}`)
const falseDebts: Readonly<Record<string, Partial<Debt>>> = {
  "another chain": { chainId: 1 },
  "another asset": { asset: stranger },
  "another payee": { payTo: stranger },
  "an amount above the highest price": { amount: refundMax + 1n },
  "another payer": { payer: stranger },
  "another payment": { paymentId: PaymentId.make(`0x${"45".repeat(32)}`) },
  "another nonce of the payment": { paymentNonce: Bytes32.make(`0x${"46".repeat(32)}`) },
}
for (const [name, changes] of Object.entries(falseDebts)) {
  test(`a row with ${name} needs review: nothing is signed for it, even when its payment is real`, () =>
    withRefundHarness(({ signed }) =>
      Effect.gen(function* () {
        const debt = yield* debtOf(0, changes)
        yield* pay(debt)
        yield* Effect.flatMap(Debts, ({ owe }) => owe(debt))
        const currentWorker = yield* worker()
        yield* sweepFor(currentWorker, 60)
        equal([yield* statesOf([debt]), signed.length], [["needs_review"], 0])
        yield* TestClock.adjust("3 hours")
        yield* sweepFor(currentWorker, 60)
        equal([yield* statesOf([debt]), signed.length], [["needs_review"], 0])
      })
    ))
}

test("a refund to the treasury itself needs review", () =>
  withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const { address: payer } = yield* Treasury
      const { paymentId } = yield* Signatures
      const own = yield* debtOf(0, { payer })
      const debt = {
        ...own,
        paymentId: paymentId({ ...token, from: payer, nonce: own.paymentNonce }),
      }
      yield* pay(debt)
      yield* Effect.flatMap(Debts, ({ owe }) => owe(debt))
      yield* sweepFor(yield* worker(), 60)
      equal([yield* statesOf([debt]), signed.length], [["needs_review"], 0])
    })
  ))

test("a refund whose worker stops is continued when its lease expires, and paid once", () =>
  withRefundHarness(() =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const { sweep } = yield* worker()
      const stopped = yield* Effect.forkChild(sweep)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.interrupt(stopped)
      equal(yield* statesOf(debts), ["signed"])
      yield* sweepFor({ sweep }, 300)
      equal(yield* statesOf(debts), ["confirmed"])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    }), { simulation: { delay: Duration.seconds(8) } }))

test("a claim that fails does not interrupt the refunds in progress", () => {
  let claims = 0
  return withRefundHarness(() =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const { sweepQueue } = yield* worker()
      const sweeping = yield* Effect.forkChild(Effect.exit(sweepQueue("sales")))
      yield* TestClock.adjust("30 seconds")
      equal((yield* Fiber.join(sweeping))._tag, "Failure")
      equal(yield* statesOf(debts), ["broadcast"])
    }), {
    simulation: { delay: Duration.seconds(8) },
    store: (store) => ({
      ...store,
      claimDue: (...args) =>
        Effect.suspend(() => claims++ === 0 ? store.claimDue(...args) : Effect.die("no store")),
    }),
  })
})

test("every lease is longer than the steps of a refund", () =>
  Effect.sync(() => {
    for (const seconds of [1, 10, 20, 60, 90, 120, 600]) {
      const timing = scaledRefundTiming(Duration.seconds(seconds))
      // The proofs and, for a treasury's first refund, its block range; sign; relay; store the
      // move.
      const steps = [
        ...[timing.chainTimeout, timing.chainTimeout, timing.chainTimeout, timing.chainTimeout],
        ...[timing.storeTimeout, timing.storeTimeout, timing.storeTimeout, timing.storeTimeout],
        timing.settleTimeout,
      ]
      const sumMs = steps.reduce((sum, step) => sum + Duration.toMillis(step), 0)
      ok(sumMs < Duration.toMillis(timing.lease), `${seconds} s: ${sumMs} ms`)
    }
  }))
