/**
 * The laws of the memory of wallets, on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../src/adapters/postgres/whales.ts"
import { WhaleStore } from "../../src/services/WhaleStore.ts"
import { memoryWhales } from "../support/memoryWhales.ts"
import { holds, onEveryStore } from "../support/stores.ts"
import { called, everything, program, type Worker } from "./whales.laws.ts"

const worker = (store: Worker["store"]): Worker => ({ store, stale: [], uncounted: [] })

onEveryStore("WhaleStore", (law) => {
  law(
    "does what the model does, call by call",
    holds(program, (calls) =>
      Effect.gen(function* () {
        const model = worker(memoryWhales())
        const real = worker(yield* WhaleStore)
        for (const [n, call] of calls.entries()) {
          const expected = [n, call.do, yield* called(model, call, n)]
          equal([n, call.do, yield* called(real, call, n)], expected)
          equal([n, call, yield* everything(real.store)], [n, call, yield* everything(model.store)])
        }
      }).pipe(Effect.provide(layer)), { runs: 25 }),
  )
})
