/**
 * Which of the entries that wait are told in a tick, and what the others wait for.
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
import { market, now } from "../support/movers/market.ts"
import { memoryWhales } from "../support/whales/memoryWhales.ts"

const terms = { stakeMinUsd: 1_000, notBefore: now - hour }

const marketOf = (n: number, fields: Partial<Market> = {}) =>
  market({
    id: MarketId.make(`m${n}`),
    slug: Slug.make(`market-${n}`),
    question: `Will number ${n} come?`,
    tokenIds: [TokenId.make(`yes${n}`), TokenId.make(`no${n}`)],
    ...fields,
  })

/** A memory in which one wallet has these entries, each in a market of its own, all due. */
const stage = Effect.fnUntraced(function* (
  entries: ReadonlyArray<StoredEntry>,
  history: "reading" | "whole" = "whole",
) {
  yield* TestClock.setTime(now)
  const whales = memoryWhales()
  const wallet = "0xaaaa"
  yield* whales.track([{ wallet, name: "Calm-Comet", source: "volume" }], now)
  const markets = entries.map((_, n) => marketOf(n))
  const activity = markets.map(({ id, tokenIds }) => ({
    ...{ wallet, marketId: id, kind: "buy" as const, tokenId: tokenIds[0], size: 10 },
    ...{ price: 0.4, at: now, transaction: `0x${id}`, occurrence: 0 },
  }))
  yield* whales.saveRead({ wallet, activity, readFrom: 0, readTo: now, history })
  yield* whales.saveFacts(markets, [], now)
  const stale = yield* whales.stale(1_000)
  yield* whales.saveEntries(stale.map(({ market: { id }, version }) => ({
    ...{ wallet, marketId: id, version, boughtBoth: false, due: true },
    entries: entries.filter((_, n) => id === `m${n}`),
  })))

  const listed = new Map(markets.map((each) => [each.id, each]))
  const told: Array<NewFeedItem> = []
  const feed: Pick<FeedStore["Service"], "append"> = {
    append: (items) =>
      Effect.sync(() => {
        const fresh = items.filter((item) =>
          !told.some(({ dedupeKey }) => dedupeKey === item.dedupeKey)
        )
        told.push(...fresh)
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
  const tell = Effect.fnUntraced(function* (notBefore = terms.notBefore) {
    const done = { items: new Array<string>(), rejected: {} }
    const ports = {
      wallets: whales,
      entries: whales,
      feed: feed as FeedStore["Service"],
      markets: { byIds: () => Effect.succeed(listed) } as unknown as MarketStore["Service"],
      venue: { books: (...asked) => books(...asked) } as VenueClient["Service"],
    }
    yield* publishEntries(ports, { ...terms, notBefore }, done)
    return done
  })
  return {
    whales,
    listed,
    told,
    tell,
    setBooks: (given: typeof books) => {
      books = given
    },
  }
})

test("publishEntries() tells the largest stakes, fifty a tick, and the others at the next", () =>
  Effect.gen(function* () {
    const stakes = Array.from({ length: 70 }, (_, n) => 1_000 + n * 37 % 70)
    const { told, tell } = yield* stage(stakes.map((stakeUsd) => storedEntry({ stakeUsd })))
    const first = yield* tell()
    equal([first.items.length, first.rejected], [50, { over_budget: 20 }])
    strictEqual((yield* tell()).items.length, 20)
    strictEqual((yield* tell()).items.length, 0)
    const amounts = told.flatMap((item) => item.type === "whale_entry" ? [item.data.stakeUsd] : [])
    equal(amounts, stakes.toSorted((a, b) => b - a))
  }))

test("publishEntries() waits for a market to be listed, as long as the entry is fresh", () =>
  Effect.gen(function* () {
    const { listed, told, tell, whales } = yield* stage([storedEntry(), storedEntry()])
    const [one, two] = [marketOf(0), marketOf(1)]
    listed.delete(one.id)
    listed.delete(two.id)
    equal((yield* tell()).rejected, { market_unknown: 2 })
    listed.set(two.id, two)
    equal((yield* tell()).items, [two.question])
    strictEqual((yield* whales.due(9)).length, 1)
    equal((yield* tell(now)).rejected, {})
    equal(yield* whales.due(9), [])
    listed.set(one.id, one)
    strictEqual((yield* tell()).items.length, 0)
    strictEqual(told.length, 1)
  }))

test("publishEntries() tells no entry of a wallet whose past is unread, until it is read", () =>
  Effect.gen(function* () {
    const { tell, whales } = yield* stage([storedEntry()], "reading")
    equal(yield* tell(), { items: [], rejected: { history_unread: 1 } })
    yield* whales.saveRead({
      ...{ wallet: "0xaaaa", activity: [], readFrom: 0, readTo: now, history: "whole" },
    })
    strictEqual((yield* tell()).items.length, 1)
  }))

test("publishEntries() tells nothing of markets that have ended, nor later", () =>
  Effect.gen(function* () {
    const { listed, tell } = yield* stage([storedEntry(), storedEntry()])
    listed.set(marketOf(0).id, marketOf(0, { status: "resolved" }))
    listed.set(marketOf(1).id, marketOf(1, { status: "closed" }))
    equal((yield* tell()).rejected, { market_ended: 2 })
    listed.set(marketOf(0).id, marketOf(0))
    equal(yield* tell(), { items: [], rejected: {} })
  }))

test("publishEntries() tells an entry without microstructure where no sound book is to be had", () =>
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
      const { told, tell, setBooks } = yield* stage([storedEntry()])
      setBooks(() => answer)
      strictEqual((yield* tell()).items.length, 1)
      const [item] = told
      ok(item?.type === "whale_entry" && item.data.microstructure === null)
    }
  }))

test("publishEntries() does not wait for books that never come until its stage is over", () =>
  Effect.gen(function* () {
    const { tell, setBooks } = yield* stage([storedEntry()])
    const asked = yield* Deferred.make<void>()
    setBooks(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
    const telling = yield* Effect.forkChild(Effect.timeout(tell(), "30 seconds"))
    yield* Deferred.await(asked)
    yield* TestClock.adjust("30 seconds")
    const { items, rejected } = yield* Fiber.join(telling)
    equal([items.length, rejected], [1, { unavailable: 1 }])
  }))

test("publishEntries() asks nothing of the venue while nothing waits", () =>
  Effect.gen(function* () {
    const { tell, setBooks } = yield* stage([storedEntry({ emitted: true })])
    setBooks(() => Effect.die("asked"))
    equal(yield* tell(), { items: [], rejected: {} })
  }))
