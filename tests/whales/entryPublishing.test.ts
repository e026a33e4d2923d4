/**
 * Which due entries are published in a tick, and what the others wait for.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { FeedItem, NewFeedItem } from "../../src/feed/domain/item.ts"
import type { StoredEntry } from "../../src/whales/domain/storedEntry.ts"
import { type Market, MarketId, Slug, TokenId } from "../../src/markets/domain/market.ts"
import { hour } from "../../src/core/domain/time.ts"
import type { FeedStore } from "../../src/feed/FeedStore.ts"
import type { MarketStore } from "../../src/markets/MarketStore.ts"
import { type VenueClient, VenueUnavailable } from "../../src/markets/VenueClient.ts"
import { publishEntries } from "../../src/whales/entryPublishing.ts"
import { test } from "../support/effect.ts"
import { storedEntry } from "../support/whales/entries.ts"
import { hashOf } from "../support/whales/activityEvents.ts"
import { market, now } from "../support/movers/market.ts"
import { embeddedWhales } from "../support/whales/whaleStores.ts"

const terms = { stakeMinUsd: 1_000, notBefore: now - hour }

const marketOf = (n: number, fields: Partial<Market> = {}) =>
  market({
    id: MarketId.make(`m${n}`),
    slug: Slug.make(`market-${n}`),
    question: `Will number ${n} come?`,
    tokenIds: [TokenId.make(`yes${n}`), TokenId.make(`no${n}`)],
    ...fields,
  })

/** Stores with one wallet that has these entries, each in a market of its own, all due. */
const stage = Effect.fnUntraced(function* (
  entries: ReadonlyArray<StoredEntry>,
  history: "reading" | "whole" = "whole",
) {
  yield* TestClock.setTime(now)
  const whales = yield* embeddedWhales
  const wallet = "0xaaaa"
  yield* whales.track([{ wallet, name: "Calm-Comet", source: "volume" }], now)
  const markets = entries.map((_, n) => marketOf(n))
  const activity = markets.map(({ id, tokenIds }, n) => ({
    ...{ wallet, marketId: id, kind: "buy" as const, tokenId: tokenIds[0], size: 10 },
    ...{ price: 0.4, at: now, transaction: hashOf(n), occurrence: 0 },
  }))
  yield* whales.saveRead({ wallet, activity, readFrom: 0, readTo: now, history })
  yield* whales.saveFacts(markets, [], now)
  const stale = yield* whales.stale(1_000)
  yield* whales.saveEntries(stale.map(({ market: { id }, version }) => ({
    ...{ wallet, marketId: id, version, boughtBoth: false, farmed: false, due: true },
    entries: entries.filter((_, n) => id === `m${n}`),
  })))

  const listed = new Map(markets.map((each) => [each.id, each]))
  const published: Array<NewFeedItem> = []
  const feed: Pick<FeedStore["Service"], "append"> = {
    append: (items) =>
      Effect.sync(() => {
        const fresh = items.filter((item) =>
          !published.some(({ dedupeKey }) => dedupeKey === item.dedupeKey)
        )
        published.push(...fresh)
        return fresh.map(({ dedupeKey: _, ...item }, n): FeedItem => ({
          feedIndex: n + 1,
          ...item,
        }))
      }),
  }
  let books: VenueClient["Service"]["books"] = (tokens) =>
    Effect.succeed({
      rejected: {},
      rows: tokens.map((tokenId) => ({
        tokenId,
        bids: [{ price: 0.59, size: 9_000 }],
        asks: [{ price: 0.61, size: 9_000 }],
        observedAt: now,
      })),
    })
  const publish = Effect.fnUntraced(function* (notBefore = terms.notBefore) {
    const done = { items: new Array<string>(), rejected: {} }
    const ports = {
      wallets: whales,
      entries: whales,
      feed: feed as FeedStore["Service"],
      markets: { byIds: () => Effect.succeed(listed) } as unknown as MarketStore["Service"],
      venue: { books: (...args) => books(...args) } as VenueClient["Service"],
    }
    yield* publishEntries(ports, { ...terms, notBefore }, done)
    return done
  })
  return {
    whales,
    listed,
    published,
    publish,
    setBooks: (given: typeof books) => {
      books = given
    },
  }
})

test("publishEntries() publishes the largest stakes, fifty a tick, and the others at the next", () =>
  Effect.gen(function* () {
    const stakes = Array.from({ length: 70 }, (_, n) => 1_000 + n * 37 % 70)
    const { published, publish } = yield* stage(stakes.map((stakeUsd) => storedEntry({ stakeUsd })))
    const first = yield* publish()
    equal([first.items.length, first.rejected], [50, { over_budget: 20 }])
    strictEqual((yield* publish()).items.length, 20)
    strictEqual((yield* publish()).items.length, 0)
    const amounts = published.flatMap((item) =>
      item.type === "whale_entry" ? [item.data.stakeUsd] : []
    )
    equal(amounts, stakes.toSorted((a, b) => b - a))
  }))

test("publishEntries() waits for a market to be listed, as long as the entry is fresh", () =>
  Effect.gen(function* () {
    const { listed, published, publish, whales } = yield* stage([storedEntry(), storedEntry()])
    const [one, two] = [marketOf(0), marketOf(1)]
    listed.delete(one.id)
    listed.delete(two.id)
    equal((yield* publish()).rejected, { market_unknown: 2 })
    listed.set(two.id, two)
    equal((yield* publish()).items, [two.question])
    strictEqual((yield* whales.due(9)).length, 1)
    equal((yield* publish(now)).rejected, {})
    equal(yield* whales.due(9), [])
    listed.set(one.id, one)
    strictEqual((yield* publish()).items.length, 0)
    strictEqual(published.length, 1)
  }))

test("publishEntries() waits until the wallet's history is read", () =>
  Effect.gen(function* () {
    const { publish, whales } = yield* stage([storedEntry()], "reading")
    equal(yield* publish(), { items: [], rejected: { history_unread: 1 } })
    yield* whales.saveRead({
      ...{ wallet: "0xaaaa", activity: [], readFrom: 0, readTo: now, history: "whole" },
    })
    strictEqual((yield* publish()).items.length, 1)
  }))

test("publishEntries() never publishes an entry in an ended market", () =>
  Effect.gen(function* () {
    const { listed, publish } = yield* stage([storedEntry(), storedEntry()])
    listed.set(marketOf(0).id, marketOf(0, { status: "resolved" }))
    listed.set(marketOf(1).id, marketOf(1, { status: "closed" }))
    equal((yield* publish()).rejected, { market_ended: 2 })
    listed.set(marketOf(0).id, marketOf(0))
    equal(yield* publish(), { items: [], rejected: {} })
  }))

test("publishEntries() publishes an entry without microstructure when no valid book is available", () =>
  Effect.gen(function* () {
    const down = new VenueUnavailable({ operation: "books", reason: "down" })
    for (
      const answer of [
        Effect.fail(down),
        Effect.succeed({ rows: [], rejected: {} }),
        Effect.succeed({
          rejected: {},
          rows: [{
            tokenId: TokenId.make("yes0"),
            bids: [{ price: 0.7, size: 1 }],
            asks: [{ price: 0.6, size: 1 }],
            observedAt: now,
          }],
        }),
      ]
    ) {
      const { published, publish, setBooks } = yield* stage([storedEntry()])
      setBooks(() => answer)
      strictEqual((yield* publish()).items.length, 1)
      const [item] = published
      ok(item?.type === "whale_entry" && item.data.microstructure === null)
    }
  }))

test("publishEntries() stops waiting for books before its stage times out", () =>
  Effect.gen(function* () {
    const { publish, setBooks } = yield* stage([storedEntry()])
    const requested = yield* Deferred.make<void>()
    setBooks(() => Effect.andThen(Deferred.succeed(requested, undefined), Effect.never))
    const publishing = yield* Effect.forkChild(Effect.timeout(publish(), "30 seconds"))
    yield* Deferred.await(requested)
    yield* TestClock.adjust("10 seconds")
    const { items, rejected } = yield* Fiber.join(publishing)
    equal([items.length, rejected], [1, { unavailable: 1 }])
  }))

test("publishEntries() makes no request when nothing is due", () =>
  Effect.gen(function* () {
    const { publish, setBooks } = yield* stage([storedEntry({ emitted: true })])
    setBooks(() => Effect.die("requested"))
    equal(yield* publish(), { items: [], rejected: {} })
  }))
