/**
 * The laws of `WhaleMarketStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { day, second } from "../../src/core/domain/time.ts"
import { onEveryWhaleStore } from "../support/whales/whaleStores.ts"
import {
  activityEventOf,
  addActivity,
  countUncounted,
  entryOf,
  factsOf,
  far,
  marketOf,
  positionOf,
  readAll,
  resolutionOf,
  start,
  upTo,
  walletOf,
} from "./whaleStores.laws.ts"

const never = { from: 0, to: 0, checkedBefore: 0 }

onEveryWhaleStore("WhaleMarketStore", (law) => {
  law(
    "unresolved() returns the longest unchecked first, open or ended",
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
      equal(yield* unresolved(7, 9), [1, 2, 4, 0, 3].map(marketOf))
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
    "the first facts of a market decide its event, its fee and when it is due, and later ones its end",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 2)
      yield* store.saveEntries([0, 1].map((market) => positionOf(market)))
      const later = {
        ...factsOf(0),
        eventKey: "another",
        takerFeeRate: 0.5,
        endsAt: start + 7 * day,
      }
      yield* store.saveFacts([later], [], start)
      const ending = { from: start + 7 * day, to: start + 7 * day, checkedBefore: start }
      const query = { limit: 9, checkedBefore: 0, ending, endedAfter: start, recheckedBefore: 0 }
      equal([...yield* store.unresolved(query)].sort(), [marketOf(0), marketOf(1)])
      yield* store.saveResolutions([], [0, 1].map(marketOf), start - 1)
      equal(yield* store.unresolved(query), [marketOf(0)])
      yield* store.saveResolutions([0, 1].map((market) => resolutionOf(market, 0)), [], start)
      const positions = yield* store.positions(walletOf(0))
      equal(positions.map(({ feeRate, dueAt }) => [feeRate, dueAt]), [
        [0, factsOf(0).endsAt],
        [0.01, factsOf(1).endsAt],
      ])
      equal(new Set(positions.map(({ theme }) => theme)).size, 1)
    }),
  )

  law(
    "a resolution is new when its payouts are, without a time keeps when its market ended, and with another is counted",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      yield* store.saveEntries([positionOf(0)])
      const state = Effect.map(
        Effect.all([
          store.ended({ endedFrom: 0, changed: { from: 0, to: far }, limit: 9 }),
          store.uncounted(9, far),
        ]),
        ([ended, uncounted]) => ({
          endedAt: ended[0]?.endedAt,
          version: uncounted[0]?.version,
        }),
      )
      const save = (how: number, seconds: number, at: number) =>
        store.saveResolutions([resolutionOf(0, how, seconds)], [], start + at * second)
      equal(yield* save(0, 0, 5), 1)
      const first = yield* state
      equal(first.endedAt, start + 5 * second)
      equal([yield* save(0, 0, 7), yield* state], [0, first])
      equal(yield* store.saveResolutions([], [marketOf(0)], start + 8 * second), 0)
      equal(yield* state, first)
      equal(yield* save(1, 0, 9), 1)
      const corrected = yield* state
      equal([corrected.endedAt, corrected.version === first.version], [first.endedAt, false])
      equal(yield* save(1, 2, 9), 0)
      const moved = yield* state
      equal([moved.endedAt, moved.version === corrected.version], [start + 2 * second, false])
      equal([yield* save(1, 2, 9), yield* state], [0, moved])
      // An earlier check than the known one changes nothing.
      yield* store.saveResolutions([], [marketOf(0)], start + second)
      const query = { limit: 9, checkedBefore: 0, ending: never, endedAfter: start }
      const again = (at: number) =>
        store.unresolved({ ...query, recheckedBefore: start + at * second })
      equal([yield* again(9), yield* again(10)], [[], [marketOf(0)]])
    }),
  )

  law(
    "facts, resolutions and positions may be more rows than fit into one statement",
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
      yield* store.saveEntries(upTo(many).map((market) => positionOf(market)))
      const newlyCounted = upTo(many).map(marketOf)
      equal(yield* countUncounted(store, { newlyCounted }), [true])
      const positions = yield* store.positions(walletOf(0))
      equal(positions.map(({ marketId }) => marketId).sort(), newlyCounted.toSorted())
      equal(positions.every(({ isCounted }) => isCounted), true)
    }),
  )
})
