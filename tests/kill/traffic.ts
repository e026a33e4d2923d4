/**
 * The clients of a run: each makes one payment after another, until it must finish.
 *
 * @module
 */
import { Effect, Fiber, FiberSet, Schedule } from "effect"
import { Random } from "../support/random.ts"
import { buyOnce, type ClientContext } from "./client.ts"
import type { Environment } from "./environment.ts"

export interface Traffic {
  /** The number of unfinished purchases. */
  readonly open: Effect.Effect<number>
  /** No more payments: the open ones finish, with an honest facilitator. */
  readonly finish: Effect.Effect<void>
}

export interface TrafficOptions {
  readonly seed: number
  readonly openPurchasesMax: number
}

/** A client starts its next payment after this time, even when the last one is not finished. */
const nextPurchaseAfter = "2 seconds"
/** How long the clients may continue at the end. */
const drainTimeout = "25 seconds"

/** Buys until `finish`, or until the scope closes. */
export const startTraffic = Effect.fnUntraced(function* (
  { payers, facilitator }: Environment,
  context: ClientContext,
  { seed, openPurchasesMax }: TrafficOptions,
) {
  const purchases = yield* FiberSet.make()
  const freePurchaseSlot = FiberSet.size(purchases).pipe(
    Effect.filterOrFail((size) => size < openPurchasesMax),
    Effect.retry(Schedule.spaced("200 millis")),
  )
  const clients = yield* Effect.forEach(payers, (account, n) => {
    const client = { account, random: new Random(seed * 1_000 + n) }
    return FiberSet.run(purchases, buyOnce(context, client)).pipe(
      Effect.flatMap(Fiber.await),
      Effect.timeoutOption(nextPurchaseAfter),
      Effect.andThen(freePurchaseSlot),
      Effect.forever,
      Effect.forkScoped,
    )
  })
  const traffic: Traffic = {
    open: FiberSet.size(purchases),
    finish: Effect.gen(function* () {
      yield* Fiber.interruptAll(clients)
      yield* facilitator.becomeHonest
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(purchases), drainTimeout)
      yield* FiberSet.clear(purchases)
    }),
  }
  return traffic
})
