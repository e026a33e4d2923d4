/**
 * A process whose clock is wrong, among a store, a chain and a facilitator whose clocks are right.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Chain } from "../../src/payments/Chain.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { clockAhead } from "./effect.ts"

/** Runs a service on a clock that is `ms` ahead; what it asks over a wire stays on the right one. */
export const onClockAhead = <A, E, R>(effect: Effect.Effect<A, E, R>, ms: number) =>
  Effect.clockWith((right) => {
    const timely = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(effect, Clock.Clock, right)
    return effect.pipe(
      Effect.updateService(Facilitator, ({ name, verify, settle }) => ({
        name,
        verify: (request) => timely(verify(request)),
        settle: (request) => timely(settle(request)),
      })),
      Effect.updateService(Chain, (inner) => ({
        ...inner,
        paymentProof: (expected) => timely(inner.paymentProof(expected)),
        transfers: (query) => timely(inner.transfers(query)),
      })),
      Effect.updateService(PaymentStore, (inner) => ({
        ...inner,
        claim: (...args) => timely(inner.claim(...args)),
        find: (paymentId) => timely(inner.find(paymentId)),
        move: (...args) => timely(inner.move(...args)),
        markSent: (paymentId) => timely(inner.markSent(paymentId)),
        waiting: (query) => timely(inner.waiting(query)),
        insertUnmatched: (orphan) => timely(inner.insertUnmatched(orphan)),
      })),
      Effect.provideService(Clock.Clock, clockAhead(right, ms)),
    )
  })
