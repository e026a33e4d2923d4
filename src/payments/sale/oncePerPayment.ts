/**
 * One call at a time for a payment: the same payment on thousands of connections then costs one
 * wait and one read of the chain.
 *
 * @module
 */
import { Effect, type Option } from "effect"
import type { PaymentId } from "../domain/payment.ts"

export interface OncePerPayment {
  /** Runs the effect; none, and nothing runs, while another call runs one for this payment. */
  readonly run: <A, E>(
    paymentId: PaymentId,
    effect: Effect.Effect<A, E>,
  ) => Effect.Effect<Option.Option<A>, E>
}

export function makeOncePerPayment(): OncePerPayment {
  const running = new Set<PaymentId>()
  return {
    run: (paymentId, effect) =>
      // An interruption between the two steps would leave the payment in the set for ever.
      Effect.uninterruptibleMask((restore) => {
        if (running.has(paymentId)) return Effect.succeedNone
        running.add(paymentId)
        return Effect.ensuring(
          Effect.asSome(restore(effect)),
          Effect.sync(() => running.delete(paymentId)),
        )
      }),
  }
}
