/**
 * Claims of payments in the store.
 *
 * @module
 */
import { Effect, Option } from "effect"
import type { Payment } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"

type ClaimArguments = Parameters<PaymentStore["Service"]["claim"]>

/** The claimed payment; none when another call has the payment, or another payment its key. */
export const claim = Effect.fnUntraced(function* (...args: ClaimArguments) {
  const store = yield* PaymentStore
  const { claimed, payment } = yield* store.claim(...args)
  return claimed ? Option.some(payment) : Option.none<Payment>()
})

/** The claimed payment; dies when there is none. */
export const claimed = (...args: ClaimArguments) => Effect.map(claim(...args), Option.getOrThrow)
