/**
 * The five stores of whales together, on every store: any program of calls finds what it would find in
 * memory.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { holds, onEveryStore } from "../support/stores.ts"
import { memoryWhales } from "../support/whales/memoryWhales.ts"
import { postgresWhales, whaleStores } from "../support/whales/whaleStores.ts"
import { called, everything, program, type Worker, worker } from "./whaleStores.laws.ts"
import { sized } from "../support/size.ts"

type Call = Parameters<typeof called>[1]

/** A call's answer, and whether what is published of wallets is said to be another after it. */
const answered = Effect.fnUntraced(function* (by: Worker, call: Call, n: number) {
  const before = yield* by.store.calibrationVersion
  const answer = yield* called(by, call, n)
  return { n, call, answer, same: before === (yield* by.store.calibrationVersion) }
})

onEveryStore("The stores of whales", (law) =>
  law(
    "do what the model does, call by call",
    holds(program, (calls) =>
      Effect.gen(function* () {
        const model = worker(memoryWhales())
        const real = worker(yield* whaleStores)
        for (const [n, call] of calls.entries()) {
          equal(yield* answered(real, call, n), yield* answered(model, call, n))
          equal([n, call, yield* everything(real.store)], [n, call, yield* everything(model.store)])
        }
      }).pipe(Effect.provide(postgresWhales)), { runs: sized({ short: 5, full: 25 }) }),
  ))
