/**
 * Refunds with a faulty facilitator, an unavailable chain, or one invalid refund among many.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Misbehaviour } from "../../support/payments/simulated.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { attemptsMax } from "../../../src/payments/domain/refund.ts"
import { ChainUnavailable } from "../../../src/payments/Chain.ts"
import { RefundQueue } from "../../../src/payments/refunds/Refunds.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { Debts } from "../../support/payments/memoryRefunds.ts"
import { test } from "../../support/effect.ts"
import {
  eachPaidOnce,
  owed,
  paidBack,
  statesOf,
  sweepFor,
  withRefundHarness,
  worker,
} from "../../support/payments/refunds.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { token } from "../../support/payments/terms.ts"

const range = (length: number) => Array.from({ length }, (_, n) => n)
const nothing = { spent: 0n, received: 0n }

/** Whether the refund is paid when the facilitator has this fault. */
const paysWith: Readonly<Record<Misbehaviour, boolean>> = {
  success_without_transaction: false,
  failure_after_broadcast: true,
  double_broadcast: true,
  late_broadcast: true,
  error_after_broadcast: true,
  html: false,
  garbage: false,
  silence: false,
  silence_after_broadcast: true,
}

for (const misbehaviour of Object.keys(paysWith) as ReadonlyArray<Misbehaviour>) {
  test(`a facilitator with a permanent fault, ${misbehaviour}: no refund is paid twice or abandoned`, () => {
    let recovered = false
    return withRefundHarness(({ signed, memory }) =>
      Effect.gen(function* () {
        const debts = yield* Effect.forEach(range(3), (n) => owed(n))
        const currentWorker = yield* worker()
        yield* sweepFor(currentWorker, 3_600)
        const states = yield* statesOf(debts)
        if (paysWith[misbehaviour]) {
          equal(new Set(states), new Set(["confirmed"]))
        } else {
          ok(states.every((state) => state === "signed" || state === "broadcast"), states.join())
          equal(yield* paidBack(debts), nothing)
          // Signed again only after the previous signature has expired, about every ten minutes.
          ok(signed.length >= 3 * 5 && signed.length <= 3 * 6, String(signed.length))
          equal([...memory.rows.values()].map(({ attempts }) => attempts), [0, 0, 0])
        }
        recovered = true
        yield* sweepFor(currentWorker, 900)
        equal(new Set(yield* statesOf(debts)), new Set(["confirmed"]))
        equal(yield* paidBack(debts), eachPaidOnce(debts))
        equal(new Set(signed.map(({ nonce }) => nonce)).size, 3)
      }), { simulation: { misbehave: () => recovered ? null : misbehaviour } })
  })
}

test("a refund that is always declined needs review, and is confirmed when it is paid later", () =>
  withRefundHarness(({ memory, signed }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      const currentWorker = yield* worker()
      yield* sweepFor(currentWorker, 1_800)
      ok((memory.rows.get(debt.paymentId)?.attempts ?? 0) < attemptsMax)
      yield* sweepFor(currentWorker, 4 * 3_600)
      equal(yield* statesOf([debt]), ["needs_review"])
      const row = memory.rows.get(debt.paymentId)
      equal([row?.attempts, row?.lastReason], [attemptsMax, "declined_too_often"])
      equal(yield* paidBack([debt]), nothing)
      const before = signed.length
      yield* sweepFor(currentWorker, 7_200)
      equal([signed.length, memory.rows.get(debt.paymentId)?.lastReason], [
        before,
        "declined_too_often",
      ])
      // A person has sent the last signature to the chain by hand.
      const ledger = yield* Ledger
      const last = signed.at(-1)
      ok(last !== undefined)
      yield* ledger.transfer({
        ...{ ...last, asset: token.asset, transaction: "0xee" },
        blockTime: BigInt(startSeconds + 20_000),
      })
      yield* sweepFor(currentWorker, 3_700)
      equal(yield* statesOf([debt]), ["confirmed"])
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
    }), {
    facilitator: (port) => ({
      ...port,
      settle: () => Effect.succeed({ outcome: "declined", reason: "blacklisted" }),
    }),
  }))

test("a refund whose nonce the treasury cancelled needs review, and nothing is signed", () =>
  withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      const ledger = yield* Ledger
      const { refundNonce } = yield* Signatures
      const { address: treasury } = yield* Treasury
      yield* ledger.cancel({
        ...{ asset: debt.asset, from: treasury, transaction: "0xcc" },
        nonce: refundNonce({ ...token, from: debt.payer, nonce: debt.paymentNonce }),
        blockTime: BigInt(startSeconds),
      })
      yield* sweepFor(yield* worker(), 60)
      equal([yield* statesOf([debt]), signed.length], [["needs_review"], 0])
      equal(yield* paidBack([debt]), nothing)
    })
  ))

for (const [state, fault] of [["down", "chainDown"], ["silent", "chainSilent"]] as const) {
  test(`a chain that is ${state} changes nothing: no refund is signed, cancelled or marked for review`, () => {
    let down = true
    return withRefundHarness(({ signed, memory }) =>
      Effect.gen(function* () {
        const debts = yield* Effect.forEach(range(3), (n) => owed(n))
        const currentWorker = yield* worker()
        yield* sweepFor(currentWorker, 1_800)
        equal([yield* statesOf(debts), signed.length], [["queued", "queued", "queued"], 0])
        ok([...memory.rows.values()].every(({ lastReason, attempts }) =>
          attempts === 0 && lastReason?.startsWith("chain unavailable") === true
        ))
        down = false
        yield* sweepFor(currentWorker, 240)
        equal(yield* paidBack(debts), eachPaidOnce(debts))
        equal(new Set(yield* statesOf(debts)), new Set(["confirmed"]))
      }), { simulation: { [fault]: () => down } })
  })
}

for (const lost of ["signature", "row"] as const) {
  test(`a refund whose ${lost} a restore lost is found on the chain at any age, and not paid again`, () => {
    let down = true
    return withRefundHarness(({ signed, memory }) =>
      Effect.gen(function* () {
        const debts = [yield* owed(0)]
        const backup = new Map(memory.rows)
        const currentWorker = yield* worker()
        yield* sweepFor(currentWorker, 2 * 3_600)
        down = false
        yield* sweepFor(currentWorker, 120)
        equal(yield* statesOf(debts), ["confirmed"])
        memory.rows.clear()
        yield* TestClock.adjust("9 hours")
        if (lost === "signature") {
          for (const [paymentId, row] of backup) memory.rows.set(paymentId, row)
        } else {
          // The scan finds the payment again.
          const { owe } = yield* Debts
          yield* Effect.forEach(debts, (debt) => owe({ ...debt, queue: "unmatched" }))
        }
        yield* sweepFor(currentWorker, 15 * 60)
        equal(yield* statesOf(debts), ["confirmed"])
        equal(signed.length, 1)
        equal(yield* paidBack(debts), eachPaidOnce(debts))
      }), {
      simulation: { chainDown: () => down },
      // Like a chain over JSON-RPC, which searches for a use from half an hour before the expiry on,
      // and for a use before that from `since` on.
      chain: (chain) => ({
        ...chain,
        paymentProof: Effect.fnUntraced(function* (expected) {
          const proof = yield* chain.paymentProof(expected)
          if (proof.proof !== "paid" || expected.from === address(buyer(0).address)) return proof
          const { block } = proof.at
          const { timestamp, number } = yield* chain.head
          const { validBefore, since = number } = expected
          const expiry = validBefore < timestamp ? validBefore : timestamp
          if (block * 2n >= expiry - 1_800n || block >= since) return proof
          return timestamp <= validBefore
            ? { proof: "not_yet" }
            : yield* new ChainUnavailable({ reason: "a used nonce without a log of its use" })
        }),
      }),
    })
  })
}

test("a defect in one refund stops neither the others nor the worker", () =>
  withRefundHarness(({ memory }) =>
    Effect.gen(function* () {
      const debts = yield* Effect.forEach(range(9), (n) => owed(n))
      const currentWorker = yield* worker()
      const outcomes = yield* currentWorker.sweep
      equal(outcomes.filter(({ reason }) => reason === "defect").length, 1)
      equal(outcomes.filter(({ to }) => to === "broadcast").length, 8)
      yield* sweepFor(currentWorker, 60)
      equal(yield* statesOf(debts), debts.map((_, n) => n === 4 ? "queued" : "confirmed"))
      const broken = debts[4]
      ok(broken !== undefined)
      // It is tried again whenever its lease has expired.
      const fences = memory.rows.get(broken.paymentId)?.fence ?? 0
      yield* sweepFor(currentWorker, 600)
      ok((memory.rows.get(broken.paymentId)?.fence ?? 0) > fences + 3)
    }), {
    chain: (chain) => ({
      ...chain,
      paymentProof: (expected) =>
        expected.from === address(buyer(4).address)
          ? Effect.die("a defect")
          : chain.paymentProof(expected),
    }),
  }))

test("a silent store ends the sweep in time, and the next sweep continues", () => {
  let silent = true
  return withRefundHarness(() =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const { sweep } = yield* worker()
      const sweeping = yield* Effect.forkChild(Effect.exit(sweep))
      yield* TestClock.adjust("6 seconds")
      equal(sweeping.pollUnsafe()?._tag, "Success")
      silent = false
      yield* sweepFor({ sweep }, 60)
      equal(yield* statesOf(debts), ["confirmed"])
    }), {
    store: (store) => ({
      ...store,
      claimDue: (...args) => Effect.suspend(() => silent ? Effect.never : store.claimDue(...args)),
    }),
  })
})

test("the outcomes of a sweep contain no secret, and mark repeats as unchanged", () =>
  withRefundHarness(({ memory }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      const { sweep } = yield* worker()
      const outcomes: Array<readonly [string, string | null, boolean]> = []
      for (let n = 0; n < 4; n++) {
        for (const { to, reason, unchanged } of yield* sweep) outcomes.push([to, reason, unchanged])
        yield* TestClock.adjust("30 seconds")
      }
      equal(outcomes, [
        ["signed", "unknown: html", false],
        ["signed", "unknown: html", true],
        ["signed", "unknown: html", true],
        ["signed", "unknown: html", true],
      ])
      const row = memory.rows.get(debt.paymentId)
      ok(row?.signed && !JSON.stringify(outcomes).includes(row.signed.signature))
      const totals = yield* Effect.flatMap(RefundQueue, ({ totals }) => totals)
      equal(totals.find(({ state }) => state === "signed")?.oldestAgoMs, 120_000)
    }), { simulation: { misbehave: () => "html" } }))

test("a signature that could not be stored is never sent", () => {
  let sent = 0
  let lost = true
  return withRefundHarness(({ signed }) =>
    Effect.gen(function* () {
      const debts = [yield* owed(0)]
      const currentWorker = yield* worker()
      const outcomes = yield* currentWorker.sweep
      equal(outcomes.map(({ to, reason }) => [to, reason]), [["queued", "lost"]])
      equal([signed.length, sent], [1, 0])
      lost = false
      yield* sweepFor(currentWorker, 180)
      equal(yield* statesOf(debts), ["confirmed"])
      equal(yield* paidBack(debts), eachPaidOnce(debts))
    }), {
    store: (store) => ({
      ...store,
      sign: (...args) => Effect.suspend(() => lost ? Effect.succeed("lost") : store.sign(...args)),
    }),
    facilitator: (port) => ({
      ...port,
      settle: (request) => Effect.suspend(() => port.settle((sent++, request))),
    }),
  })
})

test("a refund that an operator queued again is signed with a later expiry than its previous signature", () => {
  let recovered = false
  return withRefundHarness(({ signed, memory }) =>
    Effect.gen(function* () {
      const debt = yield* owed(0)
      yield* sweepFor(yield* worker({ timing: { validity: Duration.minutes(30) } }), 60)
      const row = memory.rows.get(debt.paymentId)
      ok(row !== undefined)
      memory.rows.set(debt.paymentId, { ...row, state: "queued", attempts: 0 })
      recovered = true
      yield* sweepFor(yield* worker(), 90)
      equal(yield* statesOf([debt]), ["confirmed"])
      const [first, second] = signed
      ok(first !== undefined && second !== undefined && second.validBefore > first.validBefore)
      equal(yield* paidBack([debt]), eachPaidOnce([debt]))
    }), { simulation: { misbehave: () => recovered ? null : "garbage" } })
})
