/**
 * The five whale stores together: any program of calls has the same results on every store as in memory.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { memoryWhales } from "../support/whales/memoryWhales.ts"
import { postgresWhales, whaleStores } from "../support/whales/whaleStores.ts"
import { sized } from "../support/size.ts"
import { program, runCall, stateOf, type Worker, worker } from "./whaleStores.laws.ts"

type Call = Parameters<typeof runCall>[1]

/** The result of a call, and whether it left the calibration version unchanged. */
const resultOf = Effect.fnUntraced(function* (by: Worker, call: Call, n: number) {
  const before = yield* by.store.calibrationVersion
  const result = yield* runCall(by, call, n)
  return { n, call, result, same: before === (yield* by.store.calibrationVersion) }
})

onEveryStore("The whale stores", (law) =>
  law(
    "equal the model after every call",
    checkProperty(program, (calls) =>
      Effect.gen(function* () {
        const model = worker(memoryWhales())
        const real = worker(yield* whaleStores)
        for (const [n, call] of calls.entries()) {
          equal(yield* resultOf(real, call, n), yield* resultOf(model, call, n))
          equal([n, call, yield* stateOf(real.store)], [n, call, yield* stateOf(model.store)])
        }
      }).pipe(Effect.provide(postgresWhales)), { runs: sized({ short: 5, full: 25 }) }),
  ))
