/**
 * Sales through the payment store alone, as many as a measurement needs: no HTTP, no facilitator.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import { Bytes32, PaymentId } from "../src/payments/domain/payment.ts"
import { PaymentStore } from "../src/payments/PaymentStore.ts"
import { ticket } from "../tests/payments/paymentStore.laws.ts"

const lease = Duration.seconds(90)
const encoder = new TextEncoder()

const hex = () => `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}` as const

/** JSON of about 5 kB with the entropy of a feed: words, prices and ids. */
function body(n: number): Uint8Array {
  const items = Array.from({ length: 14 }, (_, item) => ({
    index: n * 14 + item,
    type: "mover",
    market: hex().slice(0, 42),
    title: `Will candidate ${n % 97} win district ${item * 7 + n % 50} before the end of the year?`,
    from: Math.round(Math.random() * 1e4) / 1e4,
    to: Math.round(Math.random() * 1e4) / 1e4,
    volumeUsd: Math.round(Math.random() * 1e8) / 100,
    at: new Date(1.8e12 + Math.random() * 1e9).toISOString(),
    url: `https://polymarket.com/event/candidate-${n % 97}-district-${item}`,
  }))
  return encoder.encode(JSON.stringify({ success: true, items }))
}

/** The answer of a hundred sales in a row. */
let shared = body(0)

/** Sells and delivers one answer of 5 kB, compute-first; every second sale has a key. */
export const sell = Effect.fnUntraced(function* (n: number) {
  const store = yield* PaymentStore
  const { authorization, ...rest } = ticket(n)
  const known = {
    ...rest,
    paymentId: PaymentId.make(hex()),
    authorization: { ...authorization, nonce: Bytes32.make(hex()) },
  }
  const key = n % 2 === 0 ? Bytes32.make(hex()) : null
  const payment = Option.getOrThrow(yield* store.claim(known, Bytes32.make(hex()), lease, key))
  if (n % 100 === 0) shared = body(n)
  const answer = { body: shared }
  const intended = Option.getOrThrow(yield* store.move(payment, { event: "intend", answer, lease }))
  const paidAt = { transaction: hex(), block: BigInt(n), logIndex: 1, finality: "latest" } as const
  yield* store.move(intended, { event: "answer", answer: null, paidAt })
  yield* store.markSent(payment.paymentId)
})
