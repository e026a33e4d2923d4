/**
 * A payment store that answers in time or not at all: whoever waits for one that has gone silent is
 * told so, as of a store that has failed.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import type { PaymentStore } from "./PaymentStore.ts"
import { within } from "../core/within.ts"

/** Many times what a statement takes under load; a fraction of what a buyer waits. */
export const storeWithin = Duration.seconds(5)

/**
 * The same store, each of whose answers is waited for no longer than `storeWithin`. What is late may
 * still be done: it counts as a failure after the commit, which every caller has to stand anyway.
 */
export function promptStore(store: PaymentStore["Service"]): PaymentStore["Service"] {
  const name = "The payment store"
  return {
    claim: (...args) => prompt(name, store.claim(...args)),
    find: (...args) => prompt(name, store.find(...args)),
    move: (...args) => prompt(name, store.move(...args)),
    markSent: (...args) => prompt(name, store.markSent(...args)),
    waiting: (...args) => prompt(name, store.waiting(...args)),
    adopt: (...args) => prompt(name, store.adopt(...args)),
    scanned: (...args) => prompt(name, store.scanned(...args)),
    scannedThrough: (...args) => prompt(name, store.scannedThrough(...args)),
    standing: (...args) => prompt(name, store.standing(...args)),
    liability: prompt(name, store.liability),
    countByState: prompt(name, store.countByState),
  }
}

/** What a store answers within `storeWithin`; later it has failed. */
export const prompt = <A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    within(storeWithin)(effect),
    Option.match({
      onNone: () => Effect.die(`${name} does not answer`),
      onSome: (value) => Effect.succeed(value),
    }),
  )
