/**
 * The memory of headlines: the laws on the plain list and on every store, and every store beside the
 * list.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../../src/news/postgres/newsStore.ts"
import { liveTest } from "../../support/effect.ts"
import { memoryNews } from "../../support/news/memoryNews.ts"
import { checkProperty, onEveryStore } from "../../support/stores.ts"
import { anyDeeds, newsLaws, story } from "./news.laws.ts"

for (const { name, body } of newsLaws) {
  liveTest(`NewsStore in memory: ${name}`, () => Effect.provide(body, memoryNews))
}

onEveryStore("NewsStore", (law) => {
  for (const { name, body } of newsLaws) law(name, Effect.provide(body, layer))

  law(
    "any story is told as the plain list tells it",
    checkProperty(anyDeeds, (deeds) =>
      Effect.gen(function* () {
        const told = yield* Effect.provide(story(deeds), layer)
        equal(told, yield* Effect.provide(story(deeds), memoryNews))
      }), { runs: 60 }),
  )
})
