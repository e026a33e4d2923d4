/**
 * A scripted venue and news, and the service that looks for predetermined outcomes, on its own store.
 *
 * @module
 */
import { Context, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../../../src/feed/postgres/feedStore.ts"
import type { Proposal } from "../../../src/markets/domain/proposal.ts"
import { type Market, MarketId, Slug, TokenId } from "../../../src/markets/domain/market.ts"
import type { RelatedStory } from "../../../src/news/domain/reading.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import type { ProposalRecord } from "../../../src/feed/domain/item.ts"
import { ContestedRecord } from "../../../src/predetermined/ContestedRecord.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { News } from "../../../src/news/News.ts"
import { NewsReader } from "../../../src/news/NewsReader.ts"
import { Predetermined } from "../../../src/predetermined/Predetermined.ts"
import { VenueClient, VenueUnavailable } from "../../../src/markets/VenueClient.ts"
import { market, now } from "../movers/market.ts"
import { bookOf } from "../products.ts"
import { embeddedStore } from "../stores.ts"
import { report } from "./report.ts"

export const tickIntervalMs = 10 * minute

/** The answers of the ports; a test changes them in place between ticks. */
export interface Script {
  markets: ReadonlyArray<Market>
  proposals: ReadonlyArray<Proposal>
  /** What was read, by market. */
  stories: Readonly<Record<string, ReadonlyArray<RelatedStory>>>
  /** USD on each side of every book. */
  depthUsd: (market: Market) => number
  /** The mid of every book with both sides. */
  mid: (market: Market) => number
  /** The best bid of books that have no asks; null for books with both sides. */
  oneSidedAt: number | null
  down: ReadonlySet<"books" | "proposals" | "news">
  /** The stored record of proposals. */
  record: ProposalRecord | null
}

export const makeScript = (fields: Partial<Script> = {}): Script => ({
  ...{ markets: [], proposals: [], stories: {}, depthUsd: () => 10_000, down: new Set() },
  mid: () => 0.93,
  ...{ record: null, oneSidedAt: null },
  ...fields,
})

/** The n-th market. */
export const candidate = (n: number, fields: Partial<Market> = {}): Market =>
  market({
    id: MarketId.make(`m${n}`),
    slug: Slug.make(`lighthouse-${n}`),
    question: `Will lighthouse ${n} be opened?`,
    eventSlug: `event-${n}`,
    tokenIds: [TokenId.make(`yes-${n}`), TokenId.make(`no-${n}`)],
    status: "proposed",
    ...fields,
  })

/** A proposal of an hour ago that settles in an hour. */
export const proposed = (n: number, fields: Partial<Proposal> = {}): Proposal => ({
  ...{ marketId: MarketId.make(`m${n}`), outcome: 0, disputed: false },
  ...{ proposedAt: now - hour, settlesAt: now + hour },
  ...fields,
})

/** Two publishers' own reports that the lighthouse was opened. */
export const openedTwice: ReadonlyArray<RelatedStory> = [
  report("Lighthouse opened by the mayor", "wire"),
  report("Visitors climb the lamp as lighthouse opens", "post"),
]

const scriptedPorts = (of: Script) => {
  const answer = <A>(operation: "books" | "proposals", rows: () => ReadonlyArray<A>) =>
    Effect.suspend(() =>
      of.down.has(operation)
        ? Effect.fail(new VenueUnavailable({ operation, reason: "down" }))
        : Effect.succeed({ rows: rows(), rejected: {} })
    )
  return Layer.mergeAll(
    Layer.mock(VenueClient, {
      wallets: null,
      books: (tokens) =>
        answer(
          "books",
          () =>
            of.markets.filter(({ tokenIds }) => tokens.includes(tokenIds[0])).map((market) => {
              const book = bookOf(market, now)
              const size = of.depthUsd(market)
              const shift = of.mid(market) - 0.6
              if (of.oneSidedAt !== null) {
                return { ...book, bids: [{ price: of.oneSidedAt, size }], asks: [] }
              }
              return {
                ...book,
                bids: book.bids.map(({ price }) => ({ price: price + shift, size })),
                asks: book.asks.map(({ price }) => ({ price: price + shift, size })),
              }
            }),
        ),
      proposals: (ids) =>
        answer("proposals", () => of.proposals.filter(({ marketId }) => ids.includes(marketId))),
    }),
    Layer.mock(MarketStore, {
      recentlyPriced: () =>
        Effect.sync(() => of.markets.map((market) => ({ market, price: { at: now, mid: 0.6 } }))),
    }),
    Layer.mock(News, {
      storiesAbout: (markets) =>
        Effect.suspend(() =>
          of.down.has("news") ? Effect.die("the news is down") : Effect.succeed({
            stories: markets.map(({ id }) => of.stories[id] ?? []),
            coverage: { sources: 1, answered: 1 },
          })
        ),
    }),
    Layer.succeed(ContestedRecord, { read: Effect.sync(() => of.record) }),
    Layer.mock(NewsReader, { name: "model" }),
  )
}

export type Ports = Context.Context<
  VenueClient | MarketStore | News | NewsReader | ContestedRecord | FeedStore
>

/** On the live clock: the store's periodic work must not run for every day that a test skips. */
export const portsOf = (of: Script) =>
  TestClock.withLive(Layer.build(
    Layer.mergeAll(
      scriptedPorts(of),
      feedStore.layer.pipe(Layer.provide(embeddedStore)),
    ),
  ))

/** One tick in a new process. */
export const tickOf = (ports: Ports, slot: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(slot)
    return yield* Effect.flatMap(Predetermined, ({ tick }) => tick(slot)).pipe(
      Effect.provide(Layer.fresh(Predetermined.layer({ tick: Duration.millis(tickIntervalMs) }))),
      Effect.provide(ports),
    )
  })

/** Every predetermined item of the feed. */
export const itemsOf = Effect.fnUntraced(function* (ports: Ports) {
  const items = yield* Context.get(ports, FeedStore).page({
    ...{ since: 0, count: 1_000, type: "predetermined" },
  })
  return items.flatMap((item) => item.type === "predetermined" ? [item] : [])
})
