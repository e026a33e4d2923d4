/**
 * A `NewsStore` in memory: the model that the real store is compared with.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { day, pruneStepMs } from "../../../src/core/domain/time.ts"
import type { Headline } from "../../../src/news/domain/headline.ts"
import { NewsStore, type StoredVerdict } from "../../../src/news/NewsStore.ts"

const dayOf = ({ publishedAt }: Headline) => Math.floor(publishedAt / day)

/** Each build is empty. */
export const memoryNews: Layer.Layer<NewsStore> = Layer.sync(NewsStore, () => {
  let stored: ReadonlyArray<Headline> = []
  let verdicts: ReadonlyArray<StoredVerdict> = []
  const isStored = (url: string) => stored.some((it) => it.url === url)
  const statuses = new Map<string, { readAt: number; answeredAt: number | null }>()
  const newestFirst = () =>
    stored.toSorted((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
  return NewsStore.of({
    add: (headlines) =>
      Effect.sync(() => {
        const before = stored.length
        for (const headline of headlines) {
          const isKnown = stored.some((it) =>
            it.url === headline.url ||
            it.source === headline.source && it.title === headline.title &&
              dayOf(it) === dayOf(headline)
          )
          if (!isKnown) stored = [...stored, { ...headline }]
        }
        return stored.length - before
      }),
    saveRead: (name, readAt, answered) =>
      Effect.sync(() => {
        const last = statuses.get(name)
        if (last !== undefined && last.readAt > readAt) return
        statuses.set(name, {
          readAt,
          answeredAt: answered ? readAt : last?.answeredAt ?? null,
        })
      }),
    answered: (after) =>
      Effect.sync(() =>
        [...statuses].filter(([, { answeredAt }]) => (answeredAt ?? 0) > after)
          .map(([name]) => name).sort()
      ),
    since: (from, limit) =>
      Effect.sync(() =>
        newestFirst().filter(({ publishedAt }) => publishedAt >= from).slice(0, limit)
      ),
    addVerdicts: (rows) =>
      Effect.sync(() => {
        for (const row of rows) {
          const isKnown = verdicts.some((it) => it.marketId === row.marketId && it.url === row.url)
          if (!isKnown && isStored(row.url)) verdicts = [...verdicts, row]
        }
      }),
    verdicts: (ids) => Effect.sync(() => verdicts.filter(({ marketId }) => ids.includes(marketId))),
    prune: (before, max) =>
      Effect.sync(() => {
        const end = (times: ReadonlyArray<number>) =>
          Math.min(before, Math.min(...times) + pruneStepMs)
        const firstKept = end(stored.map(({ publishedAt }) => publishedAt))
        stored = newestFirst().slice(0, max).filter(({ publishedAt }) => publishedAt >= firstKept)
        verdicts = verdicts.filter(({ url }) => isStored(url))
        const firstRead = end([...statuses.values()].map(({ readAt }) => readAt))
        for (const [name, { readAt }] of statuses) if (readAt < firstRead) statuses.delete(name)
      }),
  })
})
