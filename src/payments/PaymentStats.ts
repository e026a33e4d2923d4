/**
 * The port to what an operator wants to know of all stored payments together.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { PaymentState } from "./domain/payment.ts"
import type { ScannedAccount } from "./PaymentStore.ts"

/** The states in which something still has to happen to a payment. */
export const openStates = [
  "claimed",
  "settling",
  "unresolved",
  "settled",
  "refund_due",
] satisfies ReadonlyArray<PaymentState>

interface OpenPayments {
  readonly payments: number
  /** Atomic units. */
  readonly amount: bigint
  /** Milliseconds since the oldest of them entered this state. */
  readonly oldestAgoMs: number
}

interface Stats {
  /** A state without payments is absent. */
  readonly open: ReadonlyMap<PaymentState, OpenPayments>
  /** The last block whose transfers to the account were matched; null before the first scan. */
  readonly scannedThrough: bigint | null
}

export class PaymentStats extends Context.Service<PaymentStats, {
  readonly read: (account: ScannedAccount) => Effect.Effect<Stats>
}>()("bellwether/payments/PaymentStats") {}
