/**
 * The port to what this machine remembers of answers it has handed over, until the store does.
 *
 * A process that is killed between the two would else have its answer given back as well as delivered:
 * our loss. The next one on the machine tells the store. Where nothing can be kept, that is all.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { PaymentId } from "./domain/payment.ts"

export interface HandOvers {
  /** Answers that processes before this one handed over, and may not have told the store of. */
  readonly untold: ReadonlyArray<PaymentId>
  /** Keeps that an answer was handed over; done, as far as the machine lives, when it returns. */
  readonly keep: (paymentId: PaymentId) => Effect.Effect<void>
  /** The store knows: nothing has to be kept any more. */
  readonly told: (paymentId: PaymentId) => Effect.Effect<void>
}

/** Keeps nothing, unless it is given something better. */
export const HandOvers = Context.Reference<HandOvers>("bellwether/payments/HandOvers", {
  defaultValue: () => ({ untold: [], keep: () => Effect.void, told: () => Effect.void }),
})
