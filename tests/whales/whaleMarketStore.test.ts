/**
 * The laws of `WhaleMarketStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { second } from "../../src/core/domain/time.ts"
import { onEveryWhaleStore } from "../support/whales/whaleStores.ts"
import {
  activityEventOf,
  addActivity,
  entryOf,
  factsOf,
  marketOf,
  positionOf,
  readAll,
  resolutionOf,
  start,
  upTo,
} from "./whaleStores.laws.ts"

const never = { from: 0, to: 0, checkedBefore: 0 }

onEveryWhaleStore("WhaleMarketStore", (law) => {
  law(
    "unresolved() returns the longest unchecked first, and reserves an eighth for ended markets",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 5)
      yield* store.saveEntries(upTo(5).map((market) => positionOf(market)))
      for (const [n, market] of [2, 4, 0, 3].entries()) {
        yield* store.saveResolutions([], [marketOf(market)], start + n * second)
      }
      yield* store.saveResolutions([resolutionOf(4, 0, 9)], [], start)
      const unresolved = (limit: number, checkedBefore: number) =>
        store.unresolved({
          limit,
          checkedBefore: start + checkedBefore * second,
          ending: never,
          endedAfter: start + 8 * second,
          recheckedBefore: start + 9 * second,
        })
      equal(yield* unresolved(7, 9), [1, 2, 0, 3, 4].map(marketOf))
      equal(yield* unresolved(8, 9), [4, 1, 2, 0, 3].map(marketOf))
      equal(yield* unresolved(2, 9), [1, 2].map(marketOf))
      equal(yield* unresolved(7, 2), [1, 2, 4].map(marketOf))

      const unknown = [7, 9, 8].map(marketOf)
      yield* readAll(store, [7, 8, 9].map((market) => activityEventOf(0, market, 0)))
      for (const [n, market] of unknown.entries()) {
        yield* store.saveFacts([], [market], start + n * second)
      }
      equal(yield* store.unknownMarkets(9, start + 9 * second), unknown)
      equal(yield* store.unknownMarkets(9, start + second), unknown.slice(0, 1))
      equal(yield* store.unknownMarkets(2, start + 9 * second), unknown.slice(0, 2))
    }),
  )

  law(
    "ended() returns the markets with the largest total stake first",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 4)
      yield* store.saveEntries([0, 1, 2].map((market) => ({
        ...positionOf(market),
        entries: upTo(1 + (market + 1) % 3).map(entryOf),
      })))
      yield* store.saveResolutions(upTo(4).map((market) => resolutionOf(market, 0, 1)), [], start)
      const query = { endedFrom: start, changed: { from: start, to: start + 1 } }
      const ended = yield* store.ended({ ...query, limit: 9 })
      equal(ended.map(({ market }) => market.id), [1, 0, 2].map(marketOf))
      equal(ended.map(({ stakeUsd }) => Math.round(stakeUsd)), [100, 67, 33])
      equal(ended[0]?.resolution, resolutionOf(1, 0, 1))
      equal(ended[0]?.endedAt, start + second)
      equal((yield* store.ended({ ...query, limit: 2 })).length, 2)
      equal(yield* store.ended({ ...query, changed: { from: 0, to: start }, limit: 9 }), [])
      equal(yield* store.ended({ ...query, endedFrom: start + 2 * second, limit: 9 }), [])
    }),
  )

  law(
    "saveFacts() and saveResolutions() store more rows than fit into one statement",
    Effect.fnUntraced(function* (store) {
      const many = 2_345
      yield* addActivity(store, 0)
      yield* readAll(store, upTo(many).map((market) => activityEventOf(0, market, 0)))
      equal((yield* store.unknownMarkets(many + 1, start + second)).length, many)
      yield* store.saveFacts(upTo(many).map((market) => factsOf(market)), [], start)
      equal(yield* store.unknownMarkets(many, start + second), [])
      equal((yield* store.stale(many)).length, many)
      const resolutions = upTo(many).map((market) => resolutionOf(market, 0))
      equal(yield* store.saveResolutions(resolutions, [], start), many)
      equal(yield* store.saveResolutions(resolutions, [], start), 0)
    }),
  )
})
