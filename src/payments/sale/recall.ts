/**
 * What became of a payment, for whoever comes back with its secret and not with the payment itself.
 *
 * The rule is that of the same payment sent again, read from the same table: the stored answer goes to
 * the holder of the secret alone, only while the payment stands in `answered`. Nothing is claimed,
 * computed or charged here.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { type Bytes32, type PaymentId, sentAgain } from "../domain/payment.ts"
import type { Receipt, RefundNotice } from "../domain/failedSale.ts"
import { receiptOf, refundOf } from "./paymentRefusals.ts"
import type { Payment } from "../PaymentStore.ts"
import { needsChain, reconcile, type ReconcileOptions } from "../reconcile.ts"
import type { Delivery } from "./sale.ts"

export type Recalled =
  /** Whoever hands the answer over tells `Payments.sent`, as of any other. */
  | { readonly state: "answered"; readonly delivery: Delivery }
  /** It has bought its answer, which is another secret's, or is not kept any more. */
  | { readonly state: "used"; readonly receipt: typeof Receipt.Type }
  /** Taken, not answered, and paid back: the notice says how far that is. */
  | { readonly state: "refunded"; readonly refund: typeof RefundNotice.Type }
  /** It is worked on, or whether it was taken cannot be told yet: ask again later. */
  | { readonly state: "underway" }
  /** Not taken: the same payment may be sent again. */
  | { readonly state: "released" }
  /** It can never pay. */
  | { readonly state: "void" }
  /** Nobody ever showed it. */
  | { readonly state: "unknown" }

interface RecallPorts extends ReconcileOptions {
  readonly network: string
  readonly secretHash: (paymentId: PaymentId, secret: string | null) => Bytes32 | null
}

/** A store that fails has said nothing of the money, so nothing is said of it here. */
export const recall = (ports: RecallPorts) =>
  Effect.fnUntraced(
    function* (paymentId: PaymentId, secret: string | null): Effect.fn.Return<Recalled> {
      const found = yield* ports.store.find(paymentId)
      if (Option.isNone(found)) return { state: "unknown" }
      const hash = ports.secretHash(paymentId, secret)
      const isHolder = (row: Payment) => hash !== null && hash === row.secretHash
      // What has waited too long for its buyer is owed to them, not handed over besides.
      const row = isHolder(found.value) && needsChain(found.value, ports.patience)
        ? yield* reconcile(ports, found.value)
        : found.value
      return recalled(row, isHolder(row), ports.network)
    },
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("Cannot recall a payment", defect),
        { state: "underway" } satisfies Recalled,
      )
    ),
  )

function recalled(row: Payment, isHolder: boolean, network: string): Recalled {
  const { paymentId, answer } = row
  switch (sentAgain(row.state, isHolder)) {
    case "replay": {
      const receipt = receiptOf(row, network)
      if (answer === null) return { state: "used", receipt }
      const delivery = { paymentId, body: answer.body, receipt, replayed: true }
      return { state: "answered", delivery }
    }
    case "already_used":
      return { state: "used", receipt: receiptOf(row, network) }
    case "refunded":
      return { state: "refunded", refund: refundOf(row) }
    case "wait":
    case "in_progress":
    case "reconcile":
      return { state: "underway" }
    case "claim":
      return { state: "released" }
    case "challenge":
      return { state: "void" }
  }
}
