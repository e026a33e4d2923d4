/**
 * Tasks under hostile clients, which forge payments and ids, or send inconsistent messages.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Duration, Effect, Fiber } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { dataPart, getTask, pay, rpc, send, textPart } from "../../support/http/a2a.ts"
import { a2aService, forged, offer, signed } from "../../support/http/a2aService.ts"
import { eventLoopTurn, test } from "../../support/effect.ts"
import { inMarket } from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const { latest, signal } = products

test("a free skill with payment metadata is refused, and spends the documents' budget", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const rejection = { metadata: { "x402.payment.status": "payment-rejected" } }
    const reply = yield* send(service, [dataPart("get_index")], rejection)
    equal(reply.code, -32602)
    match(reply.headers.get("ratelimit") ?? "", /^"documents";/)
    const free = yield* send(service, [dataPart("get_index")])
    match(free.headers.get("ratelimit") ?? "", /^"free";/)
  })))

test("a forged copy of a payment does not hold up the task that is paying with it", () =>
  inMarket(
    Effect.gen(function* () {
      const { service } = yield* a2aService
      const { id } = yield* offer(service, latest)
      const payload = yield* signed(latest)
      const first = yield* Effect.forkChild(pay(service, id, payload))
      for (let n = 0; n < 20; n++) yield* eventLoopTurn
      const second = yield* pay(service, id, forged(payload))
      equal([second.task.state, second.task.answer], ["input-required", null])
      const { task } = yield* Fiber.join(first)
      equal([task.state, (yield* getTask(service, id)).task], ["completed", task])
    }),
    { delay: Duration.seconds(2) },
  ))

test("the text of a payment error begins with Payment failed, a product's error does not", () =>
  inMarket(Effect.gen(function* () {
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
  })))

test("a payment on an unknown task or in an invalid message is reported as not read", () =>
  inMarket(Effect.gen(function* () {
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
  })))

test("over the documents' limit a payment that was not read has charged null", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const payUnknown = () => pay(service, crypto.randomUUID(), {})
    for (let n = 0; n < 120; n++) equal((yield* payUnknown()).status, 200)
    const paid = yield* payUnknown()
    const unpaid = yield* rpc(service, "tasks/get", { id: crypto.randomUUID() })
    equal([paid.status, unpaid.status], [429, 429])
    equal([paid.data["charged"], unpaid.data["charged"]], [null, false])
  })))
