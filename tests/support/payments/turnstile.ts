/**
 * Holds up a sale at one of its calls, so that a test can do something while it stands there.
 *
 * @module
 */
import { Deferred, Effect } from "effect"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { ShopPorts, Works } from "../http/shop.ts"

/** The calls of a sale, in their order; `check` and `charge` are the early settlement's alone. */
export type Place =
  | "claim"
  | "check"
  | "verify"
  | "work"
  | "intend"
  | "settle"
  | "proof"
  | "charge"
  | "answer"

export interface Held {
  /** Done when somebody stands there. */
  readonly reached: Effect.Effect<void>
  /** Lets them go on, and everybody who comes later. */
  readonly open: Effect.Effect<void>
}

export interface Barrier {
  /** Holds up whoever comes to the place next. */
  readonly hold: (place: Place) => Effect.Effect<Held>
  /** What is passed on the way to an answer. */
  readonly works: Works
  /** Gives the ports of a shop, each call of which passes its place. */
  readonly guard: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | ShopPorts>
}

export const makeBarrier = (): Barrier => {
  const closed = new Map<
    Place,
    { readonly reached: () => void; readonly gate: Deferred.Deferred<void> }
  >()
  const pass = (place: Place) =>
    Effect.suspend(() => {
      const held = closed.get(place)
      if (held === undefined) return Effect.void
      held.reached()
      return Deferred.await(held.gate)
    })
  const at = <A, E>(place: Place, effect: Effect.Effect<A, E>) =>
    Effect.andThen(pass(place), effect)

  return {
    hold: Effect.fnUntraced(function* (place) {
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      closed.set(place, { reached: () => Deferred.doneUnsafe(reached, Effect.void), gate })
      return {
        reached: Deferred.await(reached),
        open: Effect.suspend(() => {
          closed.delete(place)
          return Effect.asVoid(Deferred.succeed(gate, undefined))
        }),
      }
    }),
    works: { latest: pass("work"), check: pass("check"), list: pass("work") },
    guard: (effect) =>
      effect.pipe(
        Effect.updateService(Facilitator, (inner) => ({
          ...inner,
          verify: (request) => at("verify", inner.verify(request)),
          settle: (request) => at("settle", inner.settle(request)),
        })),
        Effect.updateService(Chain, (inner) => ({
          ...inner,
          paymentProof: (expected) => at("proof", inner.paymentProof(expected)),
        })),
        Effect.updateService(PaymentStore, (inner) => ({
          ...inner,
          claim: (...args) => at("claim", inner.claim(...args)),
          move: (held, move) => {
            const moved = inner.move(held, move)
            switch (move.event) {
              case "intend":
              case "answer":
                return at(move.event, moved)
              case "settle":
                return at("charge", moved)
              default:
                return moved
            }
          },
        })),
      ),
  }
}
