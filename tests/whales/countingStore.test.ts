/**
 * The laws of `CountingStore`, in memory and on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { marketScore, noSums, recount } from "../../src/whales/domain/score.ts"
import { onEveryWhaleStore } from "../support/whales/whaleStores.ts"
import {
  addActivity,
  entryOf,
  marketOf,
  positionOf,
  resolutionOf,
  start,
  stateOf,
  upTo,
  walletOf,
} from "./whaleStores.laws.ts"

onEveryWhaleStore("CountingStore", (law) => {
  law(
    "uncounted() returns the oldest mark first, with its whole event",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 5)
      yield* store.saveEntries(upTo(5).map((market) => positionOf(market)))
      // Markets 0 and 1 are one event: they come together, whatever the limit is.
      for (const market of [3, 0, 4, 1]) {
        yield* store.saveResolutions([resolutionOf(market, 0)], [], start)
      }
      const marketsOf = Effect.fnUntraced(function* (limit: number) {
        return (yield* store.uncounted(limit)).map(({ positions }) =>
          positions.map(({ marketId }) => marketId).sort()
        )
      })
      // Market 2 is open.
      const [first, second] = [[marketOf(2), marketOf(3)], [marketOf(0), marketOf(1)]]
      equal(yield* marketsOf(2), [first, second])
      equal(yield* marketsOf(9), [first, second, [marketOf(4)]])
    }),
  )

  law(
    "saveCounted() rejects sums with another version",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 3)
      yield* store.saveEntries([0, 1, 2].map((market) => positionOf(market)))
      yield* store.saveResolutions([0, 1, 2].map((market) => resolutionOf(market, 0)), [], start)
      const events = yield* store.uncounted(9)
      const save = (event: number, version: number) =>
        store.saveCounted(
          (events[event]?.positions ?? []).map(({ marketId, version }) => ({
            ...{ wallet: walletOf(0), marketId, version },
            score: marketScore([entryOf(0)], [1, 0], 0),
          })),
          [{
            wallet: walletOf(0),
            version,
            sums: { ...noSums, events: version + 1 },
            judgement: null,
          }],
        )
      equal(yield* save(0, 0), true)
      const before = yield* stateOf(store)
      equal(yield* save(1, 0), false)
      equal(yield* save(1, 2), false)
      equal(yield* stateOf(store), before)
      equal(yield* save(1, 1), true)
      equal(yield* save(1, 2), false)
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0))?.version, 2)
      equal(yield* store.uncounted(9), [])
    }),
  )

  law(
    "sums() returns the saved sums bit by bit",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      const scores = upTo(40).map((n) =>
        marketScore([{ ...entryOf(n % 3), price: (n + 0.3) / 41, stakeUsd: 7 ** n }], [1, 0], 0.02)
      )
      const sums = scores.reduce((sums, score) => recount(sums, [], [score]), noSums)
      yield* store.saveEntries([positionOf(0)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const [event] = yield* store.uncounted(1)
      const [counted] = event?.positions ?? []
      const [score] = scores
      equal(
        yield* store.saveCounted(
          [{
            wallet: walletOf(0),
            marketId: marketOf(0),
            version: counted?.version ?? 0,
            score: score ?? null,
          }],
          [{ wallet: walletOf(0), version: 0, sums, judgement: null }],
        ),
        true,
      )
      equal((yield* store.sums([walletOf(0)])).get(walletOf(0)), { version: 1, sums })
      equal(yield* store.totals, [sums.totals])
    }),
  )

  law(
    "uncounted() returns more positions than fit into one statement",
    Effect.fnUntraced(function* (store) {
      const many = 2_345
      yield* addActivity(store, many)
      yield* store.saveEntries(upTo(many).map((market) => positionOf(market)))
      const resolutions = upTo(many).map((market) => resolutionOf(market, 0))
      equal(yield* store.saveResolutions(resolutions, [], start), many)
      const events = yield* store.uncounted(many)
      equal(events.flatMap(({ positions }) => positions).length, many)
    }),
  )

  law(
    "empty input changes nothing",
    Effect.fnUntraced(function* (store) {
      const before = yield* stateOf(store)
      equal(yield* store.saveCounted([], []), true)
      equal(yield* stateOf(store), before)
      equal(yield* store.calibrationVersion, "0")
    }),
  )
})
