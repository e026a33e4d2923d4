/**
 * A process with a wrong clock; its store, chain and facilitator have the right one.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Chain } from "../../src/payments/Chain.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { clockAhead } from "./effect.ts"

/** Runs a service on a clock that is `ms` ahead; its ports stay on the right clock. */
export const onClockAhead = <A, E, R>(effect: Effect.Effect<A, E, R>, ms: number) =>
  Effect.clockWith((right) => {
    const onRightClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(effect, Clock.Clock, right)
    return effect.pipe(
      Effect.updateService(Facilitator, ({ name, verify, settle }) => ({
        name,
        verify: (request) => onRightClock(verify(request)),
        settle: (request) => onRightClock(settle(request)),
      })),
      Effect.updateService(Chain, (inner) => ({
        ...inner,
        paymentProof: (expected) => onRightClock(inner.paymentProof(expected)),
        transfers: (query) => onRightClock(inner.transfers(query)),
      })),
      Effect.updateService(PaymentStore, (inner) => ({
        ...inner,
        claim: (...args) => onRightClock(inner.claim(...args)),
        find: (paymentId) => onRightClock(inner.find(paymentId)),
        move: (...args) => onRightClock(inner.move(...args)),
        markSent: (paymentId) => onRightClock(inner.markSent(paymentId)),
        waiting: (query) => onRightClock(inner.waiting(query)),
        insertUnmatched: (transfer) => onRightClock(inner.insertUnmatched(transfer)),
      })),
      Effect.provideService(Clock.Clock, clockAhead(right, ms)),
    )
  })
