/**
 * A service that is struck once, at one of the calls it makes.
 *
 * @module
 */
import { Deferred, Effect } from "effect"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Work } from "../../../src/payments/sale/sale.ts"
import { replica } from "../../support/payments/sales.ts"
import {
  type Between,
  chainBetween,
  facilitatorBetween,
  storeBetween,
  workBetween,
} from "./between.ts"

/** What can happen to a service at a call. */
export const strokes = [
  /** Its process dies: nothing that it would do ever happens, nothing it would say is ever heard. */
  "crash",
  /** The fiber that makes the call is interrupted. */
  "interrupt",
  /** The call fails. */
  "defect",
  /** The call is never answered. */
  "silence",
] as const
export type Stroke = typeof strokes[number]

export interface Strike {
  /** Which call, counted from 1. */
  readonly at: number
  readonly stroke: Stroke
  /** Whether the call itself still takes place. */
  readonly when: "before" | "after"
}

/** Another service over the same store and chain, struck as said; null: it is only counted. */
export const mortal = Effect.fnUntraced(function* (strike: Strike | null) {
  const calls: Array<string> = []
  const died = yield* Deferred.make<void>()
  let dead = false
  const alive = <A>(value: A) => dead ? Effect.never : Effect.succeed(value)

  const struck = (stroke: Stroke, call: string): Effect.Effect<never> => {
    switch (stroke) {
      case "crash":
        dead = true
        return Effect.andThen(Deferred.succeed(died, undefined), Effect.never)
      case "interrupt":
        return Effect.interrupt
      case "defect":
        return Effect.die(`${call} is struck`)
      case "silence":
        return Effect.never
    }
  }

  const between: Between = (call, effect) =>
    Effect.suspend(() => {
      if (dead) return Effect.never
      calls.push(call)
      if (strike === null || calls.length !== strike.at) return Effect.flatMap(effect, alive)
      const blow = Effect.suspend(() => struck(strike.stroke, call))
      return strike.when === "before" ? blow : Effect.andThen(effect, blow)
    })

  const payments = yield* replica.pipe(
    Effect.provideService(PaymentStore, storeBetween(yield* PaymentStore, between)),
    Effect.provideService(Facilitator, facilitatorBetween(yield* Facilitator, between)),
    Effect.provideService(Chain, chainBetween(yield* Chain, between)),
  )
  return {
    payments,
    /** The calls it has made, in order. */
    calls,
    taskOf: (task: Work) => workBetween(task, between),
    /** Whether it lives; what a dead service would say is not heard. */
    died: Deferred.await(died),
  }
})
