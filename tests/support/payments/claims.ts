/**
 * Claims of payments in the store.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"

type ClaimArguments = Parameters<PaymentStore["Service"]["claim"]>

/** The claimed payment; none when another call has the payment, or another payment its key. */
export const claim = (...args: ClaimArguments) =>
  Effect.flatMap(PaymentStore, (store) => store.claim(...args))

/** The claimed payment; dies when there is none. */
export const claimed = (...args: ClaimArguments) => Effect.map(claim(...args), Option.getOrThrow)
