/**
 * The service's score of itself over a scripted venue and an embedded store, tick by tick.
 *
 * @module
 */
import { Context, Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../../../src/feed/postgres/feedStore.ts"
import * as marketStore from "../../../src/markets/postgres/marketStore.ts"
import * as scoreStore from "../../../src/track-record/postgres/scoreStore.ts"
import type { NewFeedItem } from "../../../src/feed/domain/item.ts"
import type { OrderBook } from "../../../src/markets/domain/book.ts"
import type { MarketId } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import type { ExpectedMarket } from "../../../src/markets/domain/resolving.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { Resolving } from "../../../src/markets/Resolving.ts"
import { VenueClient, VenueUnavailable } from "../../../src/markets/VenueClient.ts"
import { ScoreStore } from "../../../src/track-record/ScoreStore.ts"
import { SelfScore } from "../../../src/track-record/SelfScore.ts"
import * as whaleMarketStore from "../../../src/whales/postgres/whaleMarketStore.ts"
import { test } from "../effect.ts"
import { now } from "../movers/market.ts"
import { candidate } from "../predetermined/candidates.ts"
import { embeddedStore } from "../stores.ts"

/** The n-th of four markets; each is an event of its own. */
export const marketOf = (n: number) => candidate(n, { eventKey: `event-${n}` })

export const paid = (n: number, first: number, at: number | null = now + 2 * hour): Resolution => ({
  ...{ marketId: marketOf(n).id, resolvedAt: at, state: "paid" },
  payouts: [first, 1 - first],
})

export const cancelled = (n: number): Resolution => ({
  ...{ marketId: marketOf(n).id, resolvedAt: now + 3 * day, state: "cancelled" },
})

/** The venue's answers; tests change them in place. */
interface Venue {
  resolutions: ReadonlyArray<Resolution>
  /** Best prices and shares of the n-th market's first outcome; absent: no book. */
  books: Readonly<Record<number, readonly [bid: number, ask: number, shares: number]>>
  down: boolean
  /** How long the venue takes. */
  delayMs: number
  bookRequests: number
  /** The markets of /v1/resolving. */
  expected: ReadonlyArray<ExpectedMarket>
  readonly requested: Array<MarketId>
}

const scripted = (venue: Venue) => {
  const answer = <A>(rows: () => ReadonlyArray<A>) =>
    Effect.suspend(() =>
      venue.down
        ? Effect.fail(new VenueUnavailable({ operation: "any", reason: "down" }))
        : Effect.as(
          venue.delayMs > 0 ? TestClock.adjust(venue.delayMs) : Effect.void,
          { rows: rows(), rejected: {} },
        )
    )
  return Layer.mock(VenueClient, {
    wallets: null,
    resolutions: (ids) =>
      answer(() => {
        venue.requested.push(...ids)
        return venue.resolutions.filter(({ marketId }) => ids.includes(marketId))
      }),
    books: (tokens) => {
      venue.bookRequests += 1
      return answer(() =>
        Object.entries(venue.books).flatMap(([n, [bid, ask, size]]): ReadonlyArray<OrderBook> => {
          const [tokenId] = marketOf(Number(n)).tokenIds
          const [bids, asks] = [[{ price: bid, size }], [{ price: ask, size }]]
          return tokens.includes(tokenId) ? [{ tokenId, bids, asks, observedAt: now }] : []
        })
      )
    },
  })
}

export const openScores = Effect.gen(function* () {
  yield* TestClock.setTime(now - 1)
  const venue: Venue = {
    ...{ resolutions: [], books: {}, down: false, delayMs: 0, bookRequests: 0 },
    ...{ expected: [], requested: [] },
  }
  // On the live clock: the store's periodic work must not run for every day that a test skips.
  const ports = yield* TestClock.withLive(Layer.build(Layer.mergeAll(
    Layer.mergeAll(
      feedStore.layer,
      marketStore.layer,
      scoreStore.layer,
      whaleMarketStore.layer,
    ).pipe(Layer.provide(embeddedStore)),
    scripted(venue),
  )))
  yield* Context.get(ports, MarketStore).save([0, 1, 2, 3].map((n) => marketOf(n)), now)
  const resolving = Layer.mock(Resolving, { expected: () => Effect.sync(() => venue.expected) })
  /** A new process without any state in memory. */
  const service = <A>(
    use: (service: SelfScore["Service"]) => Effect.Effect<A>,
    through: typeof ports = ports,
  ) =>
    Effect.flatMap(SelfScore, use).pipe(
      Effect.provide(Layer.fresh(SelfScore.layer.pipe(Layer.provide(resolving)))),
      Effect.provide(through),
    )
  const at = <A>(time: number, use: (service: SelfScore["Service"]) => Effect.Effect<A>) =>
    Effect.andThen(TestClock.setTime(time), service(use))
  return {
    ...{ venue, ports, service, store: Context.get(ports, ScoreStore) },
    tick: (time: number) => at(time, ({ tick }) => tick(time)),
    read: (time: number) => at(time, ({ readBooks }) => readBooks(time)),
    publish: (items: ReadonlyArray<NewFeedItem>) => Context.get(ports, FeedStore).append(items),
    /** Mids of the n-th market, by minutes after noon. */
    price: (n: number, mids: Readonly<Record<number, number>>) =>
      Context.get(ports, MarketStore).appendMids(
        Object.entries(mids).map(([minutes, mid]) => ({
          ...{ marketId: marketOf(n).id, at: now + Number(minutes) * minute, mid },
        })),
      ),
  }
})

type Opened = Effect.Success<typeof openScores>

/** A test without the warnings of intended failures. */
export const onScores = <E>(name: string, body: (opened: Opened) => Effect.Effect<void, E>) =>
  test(name, () =>
    Effect.flatMap(openScores, body).pipe(
      Effect.provideService(References.MinimumLogLevel, "None"),
    ))
