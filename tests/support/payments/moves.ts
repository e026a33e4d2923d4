/**
 * The tables of legal moves, asked of the rules one move at a time.
 *
 * @module
 */
import { Result } from "effect"
import type { SettlementOrder } from "../../../src/catalog/domain/product.ts"
import {
  type PaymentEvent,
  paymentEvents,
  type PaymentState,
  paymentStates,
  step,
} from "../../../src/payments/domain/payment.ts"
import {
  type RefundEvent,
  refundEvents,
  type RefundState,
  refundStep,
} from "../../../src/payments/domain/refund.ts"

type Moves = { readonly [S in PaymentState]: { readonly [E in PaymentEvent]?: PaymentState } }

const movesFrom = (order: SettlementOrder, from: PaymentState) =>
  Object.fromEntries(paymentEvents.flatMap((event) => {
    const to = Result.getOrNull(step(order, from, event))
    return to === null ? [] : [[event, to]]
  }))

const movesOf = (order: SettlementOrder) =>
  Object.fromEntries(paymentStates.map((from) => [from, movesFrom(order, from)])) as Moves

/** Where each event that may happen takes a payment, by order of settlement and state. */
export const moves: { readonly [O in SettlementOrder]: Moves } = {
  "compute-first": movesOf("compute-first"),
  "settle-early": movesOf("settle-early"),
}

/** The events that may happen to a refund that stands at `from`. */
const refundEventsFrom = (from: RefundState): ReadonlyArray<RefundEvent> =>
  refundEvents.filter((event) => Result.isSuccess(refundStep(from, event)))

/** The events that may happen to a refund, by state. */
export const refundMoves = {
  queued: refundEventsFrom("queued"),
  signed: refundEventsFrom("signed"),
  broadcast: refundEventsFrom("broadcast"),
  confirmed: refundEventsFrom("confirmed"),
  cancelled: refundEventsFrom("cancelled"),
  needs_review: refundEventsFrom("needs_review"),
} satisfies { readonly [S in RefundState]: ReadonlyArray<RefundEvent> }
