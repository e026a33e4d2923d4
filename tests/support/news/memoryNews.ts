/**
 * A `NewsStore` in memory: the model that the real store is compared with.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { NewsStore, type SourceStatus } from "../../../src/news/NewsStore.ts"

/** Each build is empty. */
export const memoryNews: Layer.Layer<NewsStore> = Layer.sync(NewsStore, () => {
  let stored: ReadonlyArray<Headline> = []
  const statuses = new Map<string, SourceStatus>()
  const newestFirst = () =>
    stored.toSorted((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
  return NewsStore.of({
    add: (headlines) =>
      Effect.sync(() => {
        const before = stored.length
        for (const headline of headlines) {
          if (stored.every(({ url }) => url !== headline.url)) {
            stored = [...stored, { ...headline }]
          }
        }
        return stored.length - before
      }),
    saveRead: (name, readAt, answered) =>
      Effect.sync(() => {
        const last = statuses.get(name)
        if (last !== undefined && last.readAt > readAt) return
        statuses.set(name, {
          name,
          readAt,
          answeredAt: answered ? readAt : last?.answeredAt ?? null,
        })
      }),
    sources: Effect.sync(() => [...statuses.values()].sort((a, b) => a.name < b.name ? -1 : 1)),
    between: ({ from, to }, limit) =>
      Effect.sync(() =>
        newestFirst().filter(({ publishedAt }) => publishedAt >= from && publishedAt <= to)
          .slice(0, limit)
      ),
    prune: (before, max) =>
      Effect.sync(() => {
        const count = stored.length
        stored = newestFirst().slice(0, max).filter(({ publishedAt }) => publishedAt >= before)
        for (const [name, { readAt }] of statuses) if (readAt < before) statuses.delete(name)
        return count - stored.length
      }),
  })
})
