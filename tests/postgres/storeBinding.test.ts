/**
 * A store belongs to the venue and to the kind of payments that it was first started with.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Layer } from "effect"
import { databaseLayer } from "../../src/app/venuePorts.ts"
import { base, networks } from "../../src/payments/domain/x402/terms.ts"
import { bindStore, StoreMismatch } from "../../src/postgres/storeBinding.ts"
import { liveTest } from "../support/effect.ts"
import { freshSchema, onEveryStore } from "../support/stores.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

onEveryStore("bindStore()", (law) => {
  law(
    "accepts the first start, and the same again",
    Effect.gen(function* () {
      yield* bindStore("venue", "polymarket")
      yield* bindStore("payments", "live")
      yield* bindStore("venue", "polymarket")
      yield* bindStore("payments", "live")
    }),
  )

  for (
    const [bound, first, other] of [
      ["venue", "simulated", "polymarket"],
      ["payments", "simulated", "live"],
      ["payments", "live", "simulated"],
      ["payments", "live", "live on base-sepolia"],
      ["payments", "live on base-sepolia", "live"],
    ] as const
  ) {
    law(
      `refuses another ${bound} than ${first}, and keeps the first`,
      Effect.gen(function* () {
        yield* bindStore(bound, first)
        const refused = yield* Effect.flip(bindStore(bound, other))
        ok(refused._tag === "StoreMismatch")
        equal(refused.stored, first)
        yield* bindStore(bound, first)
      }),
    )
  }

  law(
    "accepts one of several concurrent first starts",
    Effect.gen(function* () {
      const starts = ["a", "b", "c", "d"].map((name) => Effect.exit(bindStore("venue", name)))
      const exits = yield* Effect.all(starts, { concurrency: "unbounded" })
      equal(exits.filter(({ _tag }) => _tag === "Success").length, 1)
    }),
  )
})

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
if (testDatabaseUrl === undefined) {
  registerSkipped("the store of a service's settings", "set TEST_DATABASE_URL")
} else {
  liveTest(
    "the store of a service's settings belongs to their venue and payments",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema(testDatabaseUrl)
        const open = (
          venue: "simulated" | "polymarket",
          kind: "simulated" | "live",
          network = base,
        ) =>
          Effect.scoped(Layer.build(databaseLayer({
            ...{ database: { kind: "postgres", url }, venue },
            ...{ payments: { kind }, network },
          })))
        yield* open("polymarket", "live")
        yield* open("polymarket", "live")
        for (const [venue, kind] of [["polymarket", "simulated"], ["simulated", "live"]] as const) {
          const refused = yield* Effect.flip(open(venue, kind))
          ok(refused instanceof StoreMismatch)
        }
        const refused = yield* Effect.flip(open("polymarket", "live", networks[84532]))
        match(
          String(refused),
          /payments live on base-sepolia: this store was started with payments live/,
        )
      }),
  )
}
