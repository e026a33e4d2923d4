/**
 * An answer is fetched again: with the key and a new signature, or with the
 * payer's proof, without a second charge.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Effect, Schema } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { type Handle, pay } from "../../support/http/a2a.ts"
import { a2aService, offer, pricesTaken, signed } from "../../support/http/a2aService.ts"
import { test } from "../../support/effect.ts"
import { buyer, provePayer } from "../../support/payments/buyers.ts"
import { inMarket } from "../../support/payments/sales.ts"
import { headerOf, nonce, token } from "../../support/payments/terms.ts"

const { latest } = products
const key = "a-key-of-18-chars_"
type Wire = Effect.Success<ReturnType<typeof signed>>

/** What a buyer sees of a purchase. */
interface Bought {
  readonly status: number
  readonly answer: unknown
  readonly replayed: boolean
  readonly error: { readonly code?: string; readonly charged?: unknown; readonly hint?: string }
}

const send = Effect.fnUntraced(function* (
  service: Handle,
  wire: unknown,
  headers: Readonly<Record<string, string>> = {},
): Effect.fn.Return<Bought> {
  const response = yield* service.get(latest.path, {
    headers: { ...headers, "payment-signature": headerOf(wire) },
  })
  const body = yield* Effect.promise(() => response.json())
  return {
    status: response.status,
    answer: body.success === true ? body : null,
    replayed: response.headers.get("idempotent-replayed") === "true",
    error: typeof body.error === "string" ? { hint: body.error } : body.error ?? {},
  }
})

/** The payment with its payer's proof, made by the n-th buyer. */
const withProof = Effect.fnUntraced(function* (wire: Wire, n = 0) {
  const { paymentId } = yield* Signatures
  const { from, nonce: sentNonce } = wire.payload.authorization
  const id = paymentId({ ...token, from: address(from), nonce: bytes32(sentNonce) })
  const signature = yield* provePayer(buyer(n), id)
  return { ...wire, extensions: { "payer-proof": { signature } } }
})

const bytes32 = Schema.decodeUnknownSync(Bytes32)

const identified = (wire: Wire) => ({
  ...wire,
  extensions: { "payment-identifier": { info: { id: key } } },
})

test("the same Idempotency-Key with a new signature is charged once", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const header = { "idempotency-key": key }
    const first = yield* send(service, yield* signed(latest), header)
    equal([first.status, first.replayed], [200, false])
    const again = yield* send(service, yield* signed(latest, { nonce: nonce(1) }), header)
    equal(again, { ...first, replayed: true })
    equal(yield* pricesTaken, latest.price as bigint)
  })))

test("the same payment-identifier with a new signature is charged once", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const first = yield* send(service, identified(yield* signed(latest)))
    const again = yield* send(service, identified(yield* signed(latest, { nonce: nonce(1) })))
    equal([first.status, again], [200, { ...first, replayed: true }])
    equal(yield* pricesTaken, latest.price as bigint)
  })))

test("the payer's proof fetches the answer again, and another's is a 409", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const wire = yield* signed(latest)
    const first = yield* send(service, wire)
    const { status, error } = yield* send(service, wire)
    equal([first.status, status, error.code], [200, 409, "payment_already_used"])
    match(error.hint ?? "", /payer-proof.*"Fetch the answer of payment 0x[0-9a-f]{64} from http/)
    const stranger = yield* send(service, yield* withProof(wire, 1))
    equal([stranger.status, stranger.error.code, stranger.error.charged], [
      ...[409, "payment_conflict", true],
    ])
    equal(yield* send(service, yield* withProof(wire)), { ...first, replayed: true })
    equal(yield* pricesTaken, latest.price as bigint)
  })))

test("a malformed proof is a 402 that names the field, and nothing is charged", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const wire = yield* signed(latest)
    const extensions = { "payer-proof": { signature: "0x12" } }
    const { status, error } = yield* send(service, { ...wire, extensions })
    equal(status, 402)
    match(error.hint ?? "", /extensions\.payer-proof\.signature must be 0x and 130 hex digits/)
    const wrong = yield* send(service, yield* withProof(wire, 1))
    equal([wrong.status, yield* pricesTaken], [402, 0n])
    match(wrong.error.hint ?? "", /payer-proof is not the payer's signature/)
  })))

test("A2A: a payment that was sold over HTTP is fetched on a new task with the payer's proof", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const wire = yield* signed(latest)
    const first = yield* send(service, wire)
    const plain = yield* offer(service, latest)
    equal((yield* pay(service, plain.id, wire)).task.state, "input-required")
    const { id } = yield* offer(service, latest)
    const { task } = yield* pay(service, id, yield* withProof(wire))
    equal([task.state, task.answer], ["completed", first.answer])
    equal(yield* pricesTaken, latest.price as bigint)
  })))

test("A2A: the start of a task's id fetches its answer over HTTP, as the key of its payment", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, latest)
    const wire = yield* signed(latest)
    const { task } = yield* pay(service, id, wire)
    const [key = ""] = id.split(".")
    const again = yield* send(service, wire, { "idempotency-key": key })
    equal([task.state, again.answer], ["completed", task.answer])
    equal(yield* pricesTaken, latest.price as bigint)
  })))
