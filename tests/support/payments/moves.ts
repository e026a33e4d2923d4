/**
 * The tables of legal moves, derived from the rules one move at a time.
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

/** The state after each legal event, by settlement order and state. */
export const moves: { readonly [O in SettlementOrder]: Moves } = {
  "compute-first": movesOf("compute-first"),
  "settle-early": movesOf("settle-early"),
}

/** The legal events of a refund in state `from`. */
const refundEventsFrom = (from: RefundState): ReadonlyArray<RefundEvent> =>
  refundEvents.filter((event) => Result.isSuccess(refundStep(from, event)))

/** The legal events of a refund, by state. */
export const refundMoves = {
  queued: refundEventsFrom("queued"),
  signed: refundEventsFrom("signed"),
  broadcast: refundEventsFrom("broadcast"),
  confirmed: refundEventsFrom("confirmed"),
  cancelled: refundEventsFrom("cancelled"),
  needs_review: refundEventsFrom("needs_review"),
  settled_by_hand: refundEventsFrom("settled_by_hand"),
} satisfies { readonly [S in RefundState]: ReadonlyArray<RefundEvent> }
