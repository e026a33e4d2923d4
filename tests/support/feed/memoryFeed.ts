/**
 * A `FeedStore` in memory, for tests of its users.
 *
 * @module
 */
import { Effect, Option } from "effect"
import type { FeedItem, FeedType } from "../../../src/feed/domain/item.ts"
import { slugKey } from "../../../src/markets/domain/market.ts"
import { headOf, proofOf } from "./chain.ts"
import { type FeedRange, FeedStore } from "../../../src/feed/FeedStore.ts"

export function memoryFeed(): FeedStore["Service"] {
  const items: Array<FeedItem> = []
  const keys = new Set<string>()
  const at = (item: FeedItem) => Date.parse(item.createdAt)
  return FeedStore.of({
    append: (added) =>
      Effect.sync(() =>
        added.flatMap(({ dedupeKey, ...item }) => {
          if (keys.has(dedupeKey)) return []
          keys.add(dedupeKey)
          const placed = { feedIndex: items.length + 1, ...item }
          items.push(placed)
          return [placed]
        })
      ),
    head: (dayStart) =>
      Effect.sync(() => {
        const last = items.at(-1)
        const today = (type: FeedType) =>
          items.filter((item) => item.type === type && at(item) >= dayStart).length
        return {
          index: items.length,
          lastItemAt: last === undefined ? null : at(last),
          todayByType: {
            mover: today("mover"),
            whale_entry: today("whale_entry"),
            predetermined: today("predetermined"),
          },
          chain: headOf(items),
        }
      }),
    latest: Effect.sync(() => Option.fromUndefinedOr(items.at(-1))),
    byIndex: (feedIndex) => Effect.sync(() => Option.fromUndefinedOr(items[feedIndex - 1])),
    page: ({ since, count, type }) =>
      Effect.sync(() => {
        const ofType = items.filter((item) => type === null || item.type === type)
        return since === null
          ? ofType.slice(-count)
          : ofType.filter((item) => item.feedIndex > since).slice(0, count)
      }),
    moversSince: (since) =>
      Effect.sync(() =>
        items.flatMap((item) => item.type === "mover" && at(item) >= since ? [item] : []).reverse()
      ),
    between: <Type extends FeedType>(
      { type, after, upTo, since, limit }: FeedRange<Type>,
    ) =>
      Effect.sync(() => {
        const found = items.slice(after, upTo).filter((item): item is OfType<Type> =>
          item.type === type && at(item) >= since
        )
        return { items: found.toReversed().slice(0, limit), total: found.length }
      }),
    headings: ({ slug, count }) => Effect.sync(() => headingsOf(items, slug, count)),
    prune: () => Effect.succeed(0),
    ...chainOf(Effect.sync(() => items)),
  })
}

/** The part of a `FeedStore` about the chain over these items. */
export const chainOf = (items: Effect.Effect<ReadonlyArray<FeedItem>>) => ({
  proof: (feedIndex: number | null) => Effect.map(items, (all) => proofOf(all, feedIndex)),
  addDailyHead: () => Effect.void,
  dailyHeads: () => Effect.succeed([]),
})

/** What `FeedStore.headings` returns over these items. */
export const headingsOf = (items: ReadonlyArray<FeedItem>, slug: string | null, count: number) =>
  items.toReversed()
    .map(({ feedIndex, type, createdAt, data }) => ({
      feedIndex,
      type,
      createdAt,
      market: data.market,
    }))
    .filter(({ market }) => slug === null || slugKey(market.slug) === slugKey(slug))
    .slice(0, count)

type OfType<Type extends FeedType> = Extract<FeedItem, { type: Type }>
