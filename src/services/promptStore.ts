/**
 * A payment store that answers in time or not at all: whoever waits for one that has gone silent is
 * told so, as of a store that has failed.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import type { PaymentStore } from "./PaymentStore.ts"
import { within } from "./within.ts"

/** Many times what a statement takes under load; a fraction of what a buyer waits. */
export const storeWithin = Duration.seconds(5)

/**
 * The same store, each of whose answers is waited for no longer than `storeWithin`. What is late may
 * still be done: it counts as a failure after the commit, which every caller has to stand anyway.
 */
export function promptStore(store: PaymentStore["Service"]): PaymentStore["Service"] {
  return {
    claim: (...args) => prompt(store.claim(...args)),
    find: (...args) => prompt(store.find(...args)),
    move: (...args) => prompt(store.move(...args)),
    markSent: (...args) => prompt(store.markSent(...args)),
    waiting: (...args) => prompt(store.waiting(...args)),
    adopt: (...args) => prompt(store.adopt(...args)),
    scanned: (...args) => prompt(store.scanned(...args)),
    scannedThrough: (...args) => prompt(store.scannedThrough(...args)),
    standing: (...args) => prompt(store.standing(...args)),
    liability: prompt(store.liability),
    countByState: prompt(store.countByState),
  }
}

const prompt = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(
    within(storeWithin)(effect),
    Option.match({
      onNone: () => Effect.die("The payment store does not answer"),
      onSome: (value) => Effect.succeed(value),
    }),
  )
