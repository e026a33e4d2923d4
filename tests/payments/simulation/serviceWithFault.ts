/**
 * A service with one fault, at one of the calls that it makes.
 *
 * @module
 */
import { Deferred, Effect } from "effect"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { replica, type Work } from "../../support/payments/sales.ts"
import {
  type Intercept,
  interceptChain,
  interceptFacilitator,
  interceptStore,
  interceptWork,
} from "./interceptors.ts"

/** The faults of a call. */
export const faultKinds = [
  /** The process dies: it does nothing more, and no response leaves it. */
  "crash",
  /** The fiber that makes the call is interrupted. */
  "interrupt",
  /** The call fails. */
  "defect",
  /** The call never returns. */
  "silence",
] as const
export type FaultKind = typeof faultKinds[number]

export interface InjectedFault {
  /** The number of the call, from 1. */
  readonly at: number
  readonly kind: FaultKind
  /** Whether the fault comes before or after the call takes effect. */
  readonly when: "before" | "after"
}

/**
 * Another service on the same store and chain, with this fault; null: it only records its calls.
 */
export const serviceWithFault = Effect.fnUntraced(function* (fault: InjectedFault | null) {
  const calls: Array<string> = []
  const died = yield* Deferred.make<void>()
  let dead = false
  const alive = <A>(value: A) => dead ? Effect.never : Effect.succeed(value)

  const inject = (kind: FaultKind, call: string): Effect.Effect<never> => {
    switch (kind) {
      case "crash":
        dead = true
        return Effect.andThen(Deferred.succeed(died, undefined), Effect.never)
      case "interrupt":
        return Effect.interrupt
      case "defect":
        return Effect.die(`${call} fails`)
      case "silence":
        return Effect.never
    }
  }

  const intercept: Intercept = (call, effect) =>
    Effect.suspend(() => {
      if (dead) return Effect.never
      calls.push(call)
      if (fault === null || calls.length !== fault.at) return Effect.flatMap(effect, alive)
      const failure = Effect.suspend(() => inject(fault.kind, call))
      return fault.when === "before" ? failure : Effect.andThen(effect, failure)
    })

  const payments = yield* replica.pipe(
    Effect.provideService(PaymentStore, interceptStore(yield* PaymentStore, intercept)),
    Effect.provideService(Facilitator, interceptFacilitator(yield* Facilitator, intercept)),
    Effect.provideService(Chain, interceptChain(yield* Chain, intercept)),
  )
  return {
    payments,
    /** The calls that it made, in order. */
    calls,
    workOf: (work: Work) => interceptWork(work, intercept),
    /** Completed when it dies. */
    died: Deferred.await(died),
  }
})
