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
  return FeedStore.of({
    ...feedOver(Effect.sync(() => items)),
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
  })
}

/** A feed of these items, which takes no others. */
export function feedOver(items: Effect.Effect<ReadonlyArray<FeedItem>>): FeedStore["Service"] {
  const at = (item: FeedItem) => Date.parse(item.createdAt)
  const read = <A>(f: (all: ReadonlyArray<FeedItem>) => A) => Effect.map(items, f)
  return FeedStore.of({
    append: () => Effect.succeed([]),
    head: (dayStart) =>
      read((all) => {
        const last = all.at(-1)
        const today = (type: FeedType) =>
          all.filter((item) => item.type === type && at(item) >= dayStart).length
        return {
          index: last?.feedIndex ?? 0,
          lastItemAt: last === undefined ? null : at(last),
          todayByType: {
            mover: today("mover"),
            whale_entry: today("whale_entry"),
            predetermined: today("predetermined"),
          },
          chain: headOf(all),
        }
      }),
    byIndex: (index) =>
      read((all) => Option.fromUndefinedOr(all.find((item) => item.feedIndex === index))),
    page: ({ since, count, type }) =>
      read((all) => {
        const ofType = all.filter((item) => type === null || item.type === type)
        return since === null
          ? ofType.slice(-count)
          : ofType.filter((item) => item.feedIndex > since).slice(0, count)
      }),
    moversSince: (since) =>
      read((all) =>
        all.toReversed().flatMap((item) => item.type === "mover" && at(item) >= since ? [item] : [])
      ),
    between: <Type extends FeedType>(
      { type, after, upTo, since, limit }: FeedRange<Type>,
    ) =>
      read((all) => {
        const found = all.slice(after, upTo).filter((item): item is OfType<Type> =>
          item.type === type && at(item) >= since
        )
        return { items: found.toReversed().slice(0, limit), total: found.length }
      }),
    headings: ({ slug, count }) => read((all) => headingsOf(all, slug, count)),
    prune: () => Effect.succeed(0),
    proof: (feedIndex) => read((all) => proofOf(all, feedIndex)),
    addDailyHead: () => Effect.void,
    dailyHeads: () => Effect.succeed([]),
  })
}

/** What `FeedStore.headings` returns over these items. */
const headingsOf = (items: ReadonlyArray<FeedItem>, slug: string | null, count: number) =>
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
