/**
 * The laws of `NewsStore` on the model and on every database, and each database against the model.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../src/news/postgres/newsStore.ts"
import { twinTest } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import { memoryNews } from "../support/news/memoryNews.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { anyOperations, newsLaws, runOperations } from "./newsStore.laws.ts"

for (const { name, body } of newsLaws) {
  twinTest(`NewsStore in memory: ${name}`, () => Effect.provide(body, memoryNews))
}

onEveryStore("NewsStore", (law) => {
  for (const { name, body } of newsLaws) law(name, Effect.provide(body, layer))

  law(
    "any operations have the same results as on the model",
    checkProperty(anyOperations, (operations) =>
      Effect.gen(function* () {
        const results = yield* Effect.provide(runOperations(operations), layer)
        equal(results, yield* Effect.provide(runOperations(operations), memoryNews))
      }), { runs: sized({ short: 10, full: 60 }) }),
  )
})
