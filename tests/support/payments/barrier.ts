/**
 * Blocks a sale at one of its steps, so that a test can act while the sale waits.
 *
 * @module
 */
import { Deferred, Effect } from "effect"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { ReplicaPorts, Works } from "../http/socketReplicas.ts"

/** The steps of a sale, in order; only settle-early has `check` and `charge`. */
export type Step =
  | "claim"
  | "check"
  | "verify"
  | "work"
  | "intend"
  | "settle"
  | "proof"
  | "charge"
  | "answer"

export interface ClosedStep {
  /** Completed when a sale waits at the step. */
  readonly reached: Effect.Effect<void>
  /** Reopens the step, for the waiting sale and all later ones. */
  readonly open: Effect.Effect<void>
}

export interface Barrier {
  /** Blocks every sale that reaches the step. */
  readonly close: (at: Step) => Effect.Effect<ClosedStep>
  /** The work of a product, which passes through the barrier. */
  readonly works: Works
  /** Wraps the ports of a shop, so that each call passes through its step. */
  readonly guard: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | ReplicaPorts>
}

export const makeBarrier = (): Barrier => {
  const closed = new Map<
    Step,
    { readonly reached: () => void; readonly gate: Deferred.Deferred<void> }
  >()
  const pass = (at: Step) =>
    Effect.suspend(() => {
      const step = closed.get(at)
      if (step === undefined) return Effect.void
      step.reached()
      return Deferred.await(step.gate)
    })
  const passAt = <A, E>(at: Step, effect: Effect.Effect<A, E>) => Effect.andThen(pass(at), effect)

  return {
    close: Effect.fnUntraced(function* (at) {
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      closed.set(at, { reached: () => Deferred.doneUnsafe(reached, Effect.void), gate })
      return {
        reached: Deferred.await(reached),
        open: Effect.suspend(() => {
          closed.delete(at)
          return Effect.asVoid(Deferred.succeed(gate, undefined))
        }),
      }
    }),
    works: { latest: pass("work"), check: pass("check"), list: pass("work") },
    guard: (effect) =>
      effect.pipe(
        Effect.updateService(Facilitator, (inner) => ({
          ...inner,
          verify: (request) => passAt("verify", inner.verify(request)),
          settle: (request) => passAt("settle", inner.settle(request)),
        })),
        Effect.updateService(Chain, (inner) => ({
          ...inner,
          paymentProof: (expected) => passAt("proof", inner.paymentProof(expected)),
        })),
        Effect.updateService(PaymentStore, (inner) => ({
          ...inner,
          claim: (...args) => passAt("claim", inner.claim(...args)),
          move: (row, move) => {
            const moved = inner.move(row, move)
            switch (move.event) {
              case "intend":
              case "answer":
                return passAt(move.event, moved)
              case "settle":
                return passAt("charge", moved)
              default:
                return moved
            }
          },
        })),
      ),
  }
}
