/**
 * A store belongs to the venue it was first started with.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { bindStoreToVenue } from "../../src/postgres/storeVenue.ts"
import { onEveryStore } from "../support/stores.ts"

onEveryStore("bindStoreToVenue()", (law) => {
  law(
    "accepts the first venue, and the same venue again",
    Effect.gen(function* () {
      yield* bindStoreToVenue("polymarket")
      yield* bindStoreToVenue("polymarket")
    }),
  )

  law(
    "refuses another venue, and keeps the first",
    Effect.gen(function* () {
      yield* bindStoreToVenue("simulated, seed 1")
      const refused = yield* Effect.flip(bindStoreToVenue("polymarket"))
      ok(refused._tag === "StoreVenueMismatch")
      equal(refused.stored, "simulated, seed 1")
      yield* bindStoreToVenue("simulated, seed 1")
    }),
  )

  law(
    "accepts one of several concurrent first starts",
    Effect.gen(function* () {
      const starts = ["a", "b", "c", "d"].map((name) => Effect.exit(bindStoreToVenue(name)))
      const exits = yield* Effect.all(starts, { concurrency: "unbounded" })
      equal(exits.filter(({ _tag }) => _tag === "Success").length, 1)
    }),
  )
})
