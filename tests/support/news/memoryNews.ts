/**
 * The memory of headlines as a plain list: what every store of them is compared with.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { NewsStore, type SourceStatus } from "../../../src/news/NewsStore.ts"

/** Empty whenever it is built. */
export const memoryNews: Layer.Layer<NewsStore> = Layer.sync(NewsStore, () => {
  let held: ReadonlyArray<Headline> = []
  const heard = new Map<string, SourceStatus>()
  const newestFirst = () =>
    held.toSorted((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
  return NewsStore.of({
    add: (headlines) =>
      Effect.sync(() => {
        const before = held.length
        for (const headline of headlines) {
          if (held.every(({ url }) => url !== headline.url)) held = [...held, { ...headline }]
        }
        return held.length - before
      }),
    heard: (name, askedAt, answered) =>
      Effect.sync(() => {
        const last = heard.get(name)
        if (last !== undefined && last.askedAt > askedAt) return
        heard.set(name, {
          name,
          askedAt,
          answeredAt: answered ? askedAt : last?.answeredAt ?? null,
        })
      }),
    sources: Effect.sync(() => [...heard.values()].sort((a, b) => a.name < b.name ? -1 : 1)),
    between: ({ from, to }, limit) =>
      Effect.sync(() =>
        newestFirst().filter(({ publishedAt }) => publishedAt >= from && publishedAt <= to)
          .slice(0, limit)
      ),
    prune: (before, most) =>
      Effect.sync(() => {
        const count = held.length
        held = newestFirst().slice(0, most).filter(({ publishedAt }) => publishedAt >= before)
        for (const [name, { askedAt }] of heard) if (askedAt < before) heard.delete(name)
        return count - held.length
      }),
  })
})
