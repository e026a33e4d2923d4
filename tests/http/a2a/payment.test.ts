/**
 * Payments on a task: real signatures, a simulated chain, every outcome of a sale, and hostile
 * clients, which forge payments and ids, or send inconsistent messages.
 *
 * @module
 */
import { Duration, Effect, Fiber, Ref } from "effect"
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { products } from "../../../src/catalog/domain/product.ts"
import { resend } from "../../../src/catalog/domain/refusal.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { address, type Authorization } from "../../../src/payments/domain/payment.ts"
import { recordOf } from "../../support/payments/record.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { eventLoopTurn } from "../../support/effect.ts"
import {
  dataPart,
  getTask,
  type Handle,
  objectIn,
  pay,
  rpc,
  send,
  textPart,
} from "../../support/http/a2a.ts"
import {
  a2aService,
  errorIn,
  forged,
  offer,
  pricesTaken,
  receiptsIn,
  serviceOver,
  signed,
} from "../../support/http/a2aService.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { passing, timing } from "../../support/payments/sales.ts"
import type { Misbehaviour } from "../../support/payments/simulated.ts"
import { nonce, terms, token } from "../../support/payments/terms.ts"
import { marketTest } from "../../support/http/paidService.ts"

const { latest, signal, signals, digest, resolving } = products

marketTest(
  "a skill is paid once by a message on its task, and tasks/get returns the answer again",
  function* () {
    const { service } = yield* a2aService
    for (const [n, product] of [latest, resolving].entries()) {
      const before = yield* pricesTaken
      const { id, contextId } = yield* offer(service, product)
      const payload = yield* signed(product, { nonce: nonce(n) })
      const { task, headers } = yield* pay(service, id, payload)
      equal([task.id, task.contextId, task.state], [id, contextId, "completed"])
      equal(headers.get("ratelimit"), null, "a payment spends no budget")
      equal(task.metadata["x402.payment.status"], "payment-completed")
      const [receipt] = receiptsIn(task)
      equal([receipt?.["success"], receipt?.["payer"], receipt?.["network"]], [
        ...[true, buyer(0).address.toLowerCase()],
        "eip155:8453",
      ])
      match(String(receipt?.["transaction"]), /^0x[0-9a-f]{64}$/)
      equal(task.answer?.["success"], true)
      equal((yield* getTask(service, id)).task, task)
      const again = yield* pay(service, id, payload)
      equal(again.task, task, "the same message again")
      equal((yield* pricesTaken) - before, product.price as bigint)
      const cancel = yield* rpc(service, "tasks/cancel", { id })
      equal([cancel.code, cancel.data], [-32002, { state: "completed" }])
      const another = yield* pay(service, id, yield* signed(product, { nonce: nonce(50 + n) }))
      equal([another.task, (yield* pricesTaken) - before], [task, product.price as bigint])
      const unknown = yield* pay(service, crypto.randomUUID(), payload)
      equal(unknown.code, -32001)
      match(unknown.headers.get("ratelimit") ?? "", /^"documents";/)
    }
  },
)

const paymentErrors: ReadonlyArray<
  readonly [
    code: string,
    reason: string,
    how: (wire: Effect.Success<ReturnType<typeof signed>>) => unknown,
    changes?: Partial<Authorization>,
  ]
> = [
  ["NETWORK_MISMATCH", "invalid_network", (wire) => ({
    ...wire,
    accepted: { ...wire.accepted, network: "eip155:1" },
  })],
  ["INVALID_AMOUNT", "invalid_amount", (wire) => wire, { value: latest.price - 1n }],
  ["INVALID_SIGNATURE", "invalid_signature", ({ payload, ...wire }) => ({
    ...wire,
    payload: { ...payload, signature: payload.signature.replace(/^0x../, "0x11") },
  })],
  ["EXPIRED_PAYMENT", "expired", (wire) => wire, { validBefore: 1_800_000_001n }],
  ["EXPIRED_PAYMENT", "expired", (wire) => wire, { validAfter: 1_900_000_001n }],
  ["SETTLEMENT_FAILED", "invalid_terms", (wire) => wire, { to: address(buyer(3).address) }],
  ["SETTLEMENT_FAILED", "malformed", () => ({ x402Version: 2 })],
  ["SETTLEMENT_FAILED", "malformed", () => "0x"],
]

marketTest(
  "an invalid payment has its x402 error code, is not charged, and leaves the offer open",
  function* () {
    const { service } = yield* a2aService
    for (const [code, reason, how, changes] of paymentErrors) {
      const { id, ...before } = yield* offer(service, latest)
      const { status, task } = yield* pay(service, id, how(yield* signed(latest, changes)))
      equal([status, task.state, task.answer], [200, "input-required", null], code)
      equal(task.metadata, {
        ...before.metadata,
        "x402.payment.status": "payment-failed",
        "x402.payment.error": code,
        "x402.payment.receipts": [
          { success: false, errorReason: reason, transaction: "", network: "eip155:8453" },
        ],
      })
      equal([errorIn(task)["code"], errorIn(task)["charged"]], ["payment_required", false])
      equal((yield* getTask(service, id)).task, { ...before, id })
    }
    equal(yield* pricesTaken, 0n)
  },
)

marketTest("a payer without funds and a used nonce have their own error codes", function* () {
  const { service } = yield* a2aService
  const ledger = yield* Ledger
  const { asset } = token
  const from = address(buyer(1).address)
  const spent = { asset, from, transaction: "0xcc", blockTime: 1_800_000_000n }
  yield* ledger.transfer({
    ...{ ...spent, nonce: nonce(7), to: address(buyer(2).address) },
    value: yield* ledger.balance(from),
  })
  yield* ledger.cancel({ ...spent, nonce: nonce(8) })
  const cases = [[nonce(9), "INSUFFICIENT_FUNDS"], [nonce(8), "DUPLICATE_NONCE"]] as const
  for (const [nonce, code] of cases) {
    const { id } = yield* offer(service, latest)
    const { task } = yield* pay(service, id, yield* signed(latest, { nonce }, 1))
    equal([task.state, task.metadata["x402.payment.error"]], ["input-required", code])
  }
  equal(yield* ledger.received(address(terms.payTo)), 0n)
})

marketTest("too many invalid payments are a 429, and the offer remains valid", function* () {
  const { service } = yield* a2aService
  for (let n = 0; n < 30; n++) {
    const { id } = yield* offer(service, latest)
    equal((yield* pay(service, id, {})).task.state, "input-required")
  }
  const { id } = yield* offer(service, latest)
  const expired = yield* signed(latest, { validBefore: 1_800_000_001n })
  equal((yield* pay(service, id, expired)).code, -32000, "one too many")
  equal((yield* getTask(service, id)).task.state, "input-required")
  const good = yield* offer(service, latest)
  const payload = yield* signed(latest)
  const over = yield* pay(service, good.id, payload)
  equal([over.status, over.code, over.data["code"], over.data["charged"]], [
    ...[429, -32000, "rate_limited"],
    null,
  ])
  equal(over.headers.get("retry-after"), String(over.data["retryAfterSeconds"]))
  equal((yield* getTask(service, good.id)).task, good, "its task does not change")
  yield* passing(61)
  const later = yield* pay(service, good.id, yield* signed(latest, { nonce: nonce(1) }))
  equal(later.task.state, "completed", "another payment, because the first was released")
})

marketTest("a payment of one task cannot pay another, even with the same parameters", function* () {
  const { service } = yield* a2aService
  const payload = yield* signed(signals)
  const { id } = yield* offer(service, signals, { since: 1 })
  equal((yield* pay(service, id, payload)).task.state, "completed")
  for (const params of [{ since: 1 }, { since: 2 }]) {
    const other = yield* offer(service, signals, params)
    const { task } = yield* pay(service, other.id, payload)
    equal([task.state, task.answer, task.metadata["x402.payment.error"]], [
      ...["input-required", null],
      "DUPLICATE_NONCE",
    ])
  }
  equal(yield* pricesTaken, signals.price as bigint)
})

marketTest(
  "a temporary error leaves the offer open, and the same payment succeeds later",
  function* () {
    const { service, world } = yield* a2aService
    const latestDigest = yield* world.digests.latest
    yield* world.digests.prune(Infinity)
    const { id, ...before } = yield* offer(service, digest)
    const payload = yield* signed(digest)
    const { task } = yield* pay(service, id, payload)
    equal([task.state, task.metadata], ["input-required", before.metadata])
    equal([errorIn(task)["code"], errorIn(task)["charged"]], ["digest_stale", false])
    match(task.text, /Nothing was charged/)
    equal((yield* getTask(service, id)).task, { ...before, id })
    if (latestDigest._tag === "Some") yield* world.digests.add(latestDigest.value)
    equal((yield* pay(service, id, payload)).task.state, "completed")
    equal(yield* pricesTaken, digest.price as bigint)
  },
)

marketTest("a permanent error of the product fails the task, and is not charged", function* () {
  const { service } = yield* a2aService
  const { id } = yield* offer(service, products.signal, { index: 99 })
  const { task } = yield* pay(service, id, yield* signed(products.signal))
  equal([task.state, task.metadata["x402.payment.error"]], ["failed", "SETTLEMENT_FAILED"])
  equal(receiptsIn(task)[0]?.["errorReason"], "signal_not_found")
  equal([errorIn(task)["code"], errorIn(task)["charged"]], ["signal_not_found", false])
  equal(yield* pricesTaken, 0n)
})

marketTest("an answer that is not charged completes the task, and its text says so", function* () {
  const { service } = yield* a2aService
  const { id } = yield* offer(service, signals, { since: 3 })
  const { task } = yield* pay(service, id, yield* signed(signals))
  equal([task.state, task.metadata], ["completed", { "x402.payment.status": "payment-verified" }])
  equal([task.answer?.["count"], task.answer?.["charged"]], [0, false])
  match(task.text, /nothing was charged/)
  equal(yield* pricesTaken, 0n)
})

marketTest(
  "a sale that fails after settlement fails the task with charged true and the refund",
  function* () {
    const { service, world } = yield* a2aService
    yield* Ref.set(world.productPorts.books, [])
    const { id } = yield* offer(service, resolving)
    const { task } = yield* pay(service, id, yield* signed(resolving))
    equal([task.state, task.answer, task.metadata["x402.payment.status"]], [
      ...["failed", null],
      "payment-completed",
    ])
    const { charged, refund } = errorIn(task)
    equal([charged, objectIn(refund)["state"], objectIn(refund)["amountUsd"]], [
      ...[true, "queued"],
      "0.02",
    ])
    const { task: later } = yield* getTask(service, id)
    equal([later.state, later.text, later.metadata], [task.state, task.text, task.metadata])
    equal([errorIn(later)["code"], errorIn(later)["refund"]], ["payment_refunded", refund])
  },
)

for (const how of ["error_after_broadcast", "late_broadcast"] satisfies Array<Misbehaviour>) {
  let misbehaves = true
  marketTest(
    `a task whose settlement ends in ${how} is working until it is proved, and is charged once`,
    function* () {
      const { service } = yield* a2aService
      const { id } = yield* offer(service, latest)
      const payload = yield* signed(latest)
      const { task: first } = yield* pay(service, id, payload)
      ok(["working", "completed"].includes(first.state))
      if (first.state === "working") {
        equal(first.metadata["x402.payment.status"], "payment-submitted")
        equal(errorIn(first)["charged"], null)
        ok(String(errorIn(first)["hint"]).includes(resend))
        const cancel = yield* rpc(service, "tasks/cancel", { id })
        equal(cancel.code, -32002)
      }
      misbehaves = false
      yield* passing(6)
      const { task } = yield* getTask(service, id)
      equal([task.state, task.metadata["x402.payment.status"]], [
        ...["completed", "payment-completed"],
      ])
      equal((yield* pay(service, id, payload)).task, task)
      equal(yield* pricesTaken, latest.price as bigint)
    },
    { misbehave: (call) => call === "settle" && misbehaves ? how : null },
  )
}

marketTest(
  "an answer is delivered with its task, and a sale that is never delivered is refunded",
  function* () {
    const { service, world } = yield* a2aService
    const payments = yield* Payments
    const withoutAcks = yield* serviceOver(world, { ...payments, sent: () => Effect.void })
    const payOn = Effect.fnUntraced(function* (at: Handle, n: number) {
      const { id } = yield* offer(at, latest)
      const payload = yield* signed(latest, { nonce: nonce(n) })
      equal((yield* pay(at, id, payload)).task.state, "completed")
      const { from, to, value, validAfter, validBefore } = payload.payload.authorization
      const paymentId = payments.idOf({
        ...{ from: address(from), to: address(to), value: BigInt(value), nonce: nonce(n) },
        ...{ validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
      })
      const sent = Effect.map(
        payments.status(paymentId, null),
        (row) => row._tag === "Some" && recordOf(row.value.payment).sent,
      )
      return { id, payload, sent }
    })
    const delivered = yield* payOn(service, 0)
    const fetched = yield* payOn(withoutAcks, 1)
    const lost = yield* payOn(withoutAcks, 2)
    yield* passing(1)
    equal([yield* delivered.sent, yield* fetched.sent, yield* lost.sent], [true, false, false])
    yield* getTask(service, fetched.id)
    yield* passing(1)
    equal(yield* fetched.sent, true, "by tasks/get")

    yield* passing(Duration.toSeconds(timing.answerWindow))
    for (const { id } of [delivered, fetched]) {
      equal((yield* getTask(service, id)).task.state, "completed")
    }
    for (const late of [getTask(service, lost.id), pay(service, lost.id, lost.payload)]) {
      const { task } = yield* late
      equal([task.state, task.answer], ["failed", null])
      equal(task.metadata, { "x402.payment.status": "payment-completed" })
      equal(errorIn(task)["charged"], true)
      equal(objectIn(errorIn(task)["refund"])["state"], "queued")
    }
  },
)

marketTest(
  "a free skill with payment metadata is refused, and spends the documents' budget",
  function* () {
    const { service } = yield* a2aService
    const rejection = { metadata: { "x402.payment.status": "payment-rejected" } }
    const reply = yield* send(service, [dataPart("get_index")], rejection)
    equal(reply.code, -32602)
    match(reply.headers.get("ratelimit") ?? "", /^"documents";/)
    const free = yield* send(service, [dataPart("get_index")])
    match(free.headers.get("ratelimit") ?? "", /^"free";/)
  },
)

marketTest(
  "a forged copy of a payment does not hold up the task that is paying with it",
  function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, latest)
    const payload = yield* signed(latest)
    const first = yield* Effect.forkChild(pay(service, id, payload))
    for (let n = 0; n < 20; n++) yield* eventLoopTurn
    const second = yield* pay(service, id, forged(payload))
    equal([second.task.state, second.task.answer], ["input-required", null])
    const { task } = yield* Fiber.join(first)
    equal([task.state, (yield* getTask(service, id)).task], ["completed", task])
  },
  { delay: Duration.seconds(2) },
)

marketTest(
  "the text of a payment error begins with Payment failed, a product's error does not",
  function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, signal, { index: 99 })
    const { task } = yield* pay(service, id, yield* signed(signal))
    equal(task.text, "The feed has no item with index 99. Nothing was charged.")
    const other = yield* offer(service, latest)
    const { task: failed } = yield* pay(
      service,
      other.id,
      forged(yield* signed(latest, { nonce: nonce(1) })),
    )
    match(failed.text, /^Payment failed: The signature is not the payer's/)
  },
)

marketTest(
  "a payment on an unknown task or in an invalid message is reported as not read",
  function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, latest)
    const unknown = yield* pay(service, crypto.randomUUID(), {})
    equal(unknown.code, -32001)
    const presented = { "x402.payment.payload": {} }
    const elsewhere = yield* send(service, [textPart("x")], {
      ...{ taskId: id, contextId: "another", metadata: presented },
    })
    const misspelt = yield* send(service, [textPart("x")], {
      ...{ taskId: id, metadata: { ...presented, "x402.payment.status": "paid" } },
    })
    equal([elsewhere.code, misspelt.code], [-32602, -32602])
    for (const { data } of [unknown, elsewhere, misspelt]) {
      equal(data["payment"], "The payment was not read by this call")
    }
    const unpaid = yield* rpc(service, "tasks/get", { id: crypto.randomUUID() })
    ok(!("payment" in unpaid.data))
  },
)

marketTest("over the documents' limit a payment that was not read has charged null", function* () {
  const { service } = yield* a2aService
  const payUnknown = () => pay(service, crypto.randomUUID(), {})
  for (let n = 0; n < 120; n++) equal((yield* payUnknown()).status, 200)
  const paid = yield* payUnknown()
  const unpaid = yield* rpc(service, "tasks/get", { id: crypto.randomUUID() })
  equal([paid.status, unpaid.status], [429, 429])
  equal([paid.data["charged"], unpaid.data["charged"]], [null, false])
})
