/**
 * The fault code of each invalid payment.
 *
 * @module
 */
import { strictEqual as equal } from "node:assert/strict"
import { Result } from "effect"
import { faultOf, type PaymentFault } from "../../../src/payments/domain/failedSale.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import {
  checkTimes,
  decodePaymentJson,
  matchPayment,
} from "../../../src/payments/domain/x402/paymentPayload.ts"
import { authorizationFor, terms, wirePayment } from "../../support/payments/terms.ts"

const now = 1_800_000_000
const product = products.latest
const payer = { address: `0x${"Ab".repeat(20)}` }
const wire = wirePayment(
  product,
  authorizationFor(payer, product, now),
  `0x${"11".repeat(32)}${"22".repeat(32)}1b`,
)
const signed = (changes: Readonly<Record<string, string>>) => ({
  ...wire,
  payload: {
    ...wire.payload,
    authorization: { ...wire.payload.authorization, ...changes },
  },
})
const accepting = (changes: Readonly<Record<string, unknown>>) => ({
  ...wire,
  accepted: { ...wire.accepted, ...changes },
})

const cases: ReadonlyArray<readonly [payment: unknown, fault: PaymentFault]> = [
  ["no payment", "malformed"],
  [{ ...wire, padding: "x".repeat(9_000) }, "malformed"],
  [accepting({ scheme: "upto" }), "invalid_terms"],
  [accepting({ network: "eip155:1" }), "invalid_network"],
  [accepting({ amount: "9999" }), "invalid_amount"],
  [accepting({ asset: `0x${"1".repeat(40)}` }), "invalid_terms"],
  [accepting({ payTo: `0x${"1".repeat(40)}` }), "invalid_terms"],
  [accepting({ extra: { paymentFlow: "upfront" } }), "invalid_terms"],
  [{ ...wire, resource: { url: "https://any.host/v1/signals" } }, "invalid_terms"],
  [signed({ to: `0x${"1".repeat(40)}` }), "invalid_terms"],
  [signed({ value: "9999" }), "invalid_amount"],
  [signed({ from: terms.treasury }), "invalid_terms"],
  [signed({ validAfter: String(now + 1) }), "expired"],
  [signed({ validBefore: String(now) }), "expired"],
  [signed({ validBefore: String(now + 9_000) }), "expired"],
  [
    { ...wire, payload: { ...wire.payload, signature: `0x${"11".repeat(64)}05` } },
    "invalid_signature",
  ],
  [
    { ...wire, payload: { ...wire.payload, signature: `0x${"ff".repeat(64)}1b` } },
    "invalid_signature",
  ],
]

Deno.test("every invalid payment is refused with the code of its fault", () => {
  for (const [payment, fault] of cases) {
    const decoded = decodePaymentJson(payment)
    const matched = Result.flatMap(decoded, (decoded) => matchPayment(product, decoded, terms))
    const inTime = Result.flatMap(
      matched,
      (payment) => checkTimes(payment, terms, BigInt(now)),
    )
    equal(Result.isFailure(inTime) ? inTime.failure.fault : "none", fault, JSON.stringify(payment))
  }
})

Deno.test("faultOf() maps the known reasons of facilitators, and every other reason to refused", () => {
  equal(faultOf("insufficient_funds"), "insufficient_funds")
  equal(faultOf("invalid_exact_evm_nonce_already_used"), "nonce_used")
  equal(faultOf("invalid_exact_evm_signature"), "invalid_signature")
  equal(faultOf("invalid_exact_evm_payload_authorization_valid_before"), "expired")
  for (const word of ["", "insufficient funds, or so", "INSUFFICIENT_FUNDS", "constructor"]) {
    equal(faultOf(word), "refused", word)
  }
})
