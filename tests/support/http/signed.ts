/**
 * Payments that buyers really signed.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Product } from "../../../src/catalog/domain/product.ts"
import type { Authorization } from "../../../src/payments/domain/payment.ts"
import { buyer, sign } from "../payments/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../payments/terms.ts"

/** What a payment has besides its authorization: its buyer, and when it was signed, by default now. */
interface Signing {
  readonly n?: number
  readonly atSeconds?: number
}

/** A payment for a product, signed by the n-th buyer, with its wire form and header. */
export const signedFor = Effect.fnUntraced(function* (
  product: Product,
  { n = 0, atSeconds, ...changes }: Partial<Authorization> & Signing = {},
) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const account = buyer(n)
  const authorization = authorizationFor(account, product, atSeconds ?? now, changes)
  const signature = yield* sign(account, authorization)
  const wire = wirePayment(product, authorization, signature)
  return { product, authorization, signature, wire, header: headerOf(wire) }
})
export type Signed = Effect.Success<ReturnType<typeof signedFor>>
export type Wire = Signed["wire"]
