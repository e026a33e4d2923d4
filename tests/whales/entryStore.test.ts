/**
 * The laws of `EntryStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { whaleRow } from "../support/products.ts"
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
  walletOf,
} from "./whaleStores.laws.ts"

onEveryWhaleStore("EntryStore", (law) => {
  law(
    "stale() returns the newest activity first",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 5)
      yield* readAll(store, [
        activityEventOf(0, 3, 1),
        activityEventOf(0, 1, 4),
        activityEventOf(0, 6, 2),
      ])
      // Positions become stale when the facts of their market arrive late.
      yield* store.saveFacts([factsOf(6)], [], start)
      // Older activity does not move a stale position.
      yield* readAll(store, [activityEventOf(0, 1, 1)])
      const stale = yield* store.stale(4)
      equal(stale.map(({ market }) => market.id), [1, 6, 3, 0].map(marketOf))
      yield* store.saveEntries([
        positionOf(1, 3),
        positionOf(3, 2),
        ...[0, 2, 4, 6].map((market) => positionOf(market)),
      ])
      equal((yield* store.stale(9)).length, 0)
      equal((yield* store.due(3)).length, 3)
    }),
  )

  law(
    "saveEntries() ignores positions computed from less activity than the stored ones",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      yield* readAll(store, [activityEventOf(0, 0, 1)])
      yield* store.saveEntries([{ ...positionOf(0, 2), entries: [entryOf(0), entryOf(1)] }])
      yield* readAll(store, [activityEventOf(0, 0, 2)])
      yield* store.saveEntries([positionOf(0, 1)])
      const [position] = yield* store.stale(9)
      equal(position?.entries.length, 2)
      yield* store.saveEntries([positionOf(0, 2)])
      equal((yield* store.stale(9)).map(({ entries, version }) => [entries.length, version]), [[
        1,
        3,
      ]])
    }),
  )

  law(
    "a wallet becomes uncounted when its entries in an ended market change or none is left in an open one, and only then",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 2)
      yield* store.saveEntries([positionOf(0), positionOf(1)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      equal(yield* countUncounted(store), [true])
      yield* store.saveEntries([{ ...positionOf(0), boughtBoth: true, due: false }])
      yield* store.saveEntries([{ ...positionOf(1), entries: [entryOf(1)] }])
      equal(yield* countUncounted(store), [])
      for (const entries of [[entryOf(1)], []]) {
        yield* store.saveEntries([{ ...positionOf(0), entries }])
        equal(yield* countUncounted(store), [true])
      }
      yield* store.saveEntries([{ ...positionOf(1), entries: [] }])
      equal(yield* countUncounted(store), [true])
      yield* store.saveEntries([{ ...positionOf(1), entries: [] }])
      yield* store.saveEntries([positionOf(1)])
      equal(yield* countUncounted(store), [])
    }),
  )

  law(
    "a market has entries as long as one of its positions has",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      const source = "volume" as const
      yield* store.track([{ wallet: walletOf(1), name: "Other", source }], start)
      const read = { readFrom: start, readTo: start, history: "whole" as const }
      const activity = [activityEventOf(1, 0, 0)]
      yield* store.saveRead({ wallet: walletOf(1), activity, ...read })
      const [one, other] = [positionOf(0), { ...positionOf(0), wallet: walletOf(1) }]
      const open = Effect.all([
        store.unresolved({
          ...{ limit: 9, checkedBefore: far, endedAfter: far, recheckedBefore: 0 },
          ending: { from: 0, to: 0, checkedBefore: 0 },
        }),
        Effect.map(store.openEntries, (open) => [...open].sort()),
      ])
      equal(yield* open, [[], []])
      yield* store.saveEntries([one, { ...other, entries: [entryOf(0), entryOf(1)] }])
      equal(yield* open, [[marketOf(0)], [[walletOf(0), 1], [walletOf(1), 2]]])
      yield* store.saveEntries([{ ...one, entries: [] }])
      equal(yield* open, [[marketOf(0)], [[walletOf(1), 2]]])
      yield* store.saveEntries([{ ...other, entries: [] }])
      equal(yield* open, [[], []])
      yield* store.saveEntries([one])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      equal(yield* open, [[], []])
    }),
  )

  // Three wallets with three entries each: the second entry is a hedge, the third wallet is `reading`.
  law(
    "entriesIn() returns the largest entries of a market until it ends",
    Effect.fnUntraced(function* (store) {
      yield* store.track(
        [2, 0, 1].map((n) => ({
          ...{ wallet: walletOf(n), name: `name ${n}`, source: "volume" as const },
        })),
        start,
      )
      yield* store.saveFacts([factsOf(0)], [], start)
      for (const n of [0, 1, 2]) {
        const history = n === 2 ? "reading" as const : "whole" as const
        yield* store.saveRead({
          ...{ wallet: walletOf(n), activity: [activityEventOf(n, 0, 0)], history },
          ...{ readFrom: start, readTo: start },
        })
        yield* store.saveEntries([{
          ...{ ...positionOf(0), wallet: walletOf(n), boughtBoth: true, due: false },
          entries: [entryOf(0), entryOf(1), entryOf(2)],
        }])
      }
      yield* store.saveCalibrated([
        { computedAt: start, row: whaleRow({ wallet: walletOf(1) }) },
      ], [])
      const largestIn = Effect.fnUntraced(function* (limit: number) {
        return (yield* store.entriesIn(marketOf(0), limit)).map((entry) => [
          ...[entry.wallet, entry.name, entry.stakeUsd, entry.calibration?.row.wallet ?? null],
        ])
      })
      const [first, second] = [[walletOf(0), "name 0"], [walletOf(1), "name 1"]]
      const largest = [[...first, 33.5, null], [...second, 33.5, walletOf(1)]]
      equal(yield* largestIn(2), largest)
      const rest = [[...first, 100 / 3, null], [...second, 100 / 3, walletOf(1)]]
      equal(yield* largestIn(9), [...largest, ...rest])
      equal(yield* store.entriesIn(marketOf(1), 9), [])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      equal(yield* largestIn(9), [])
    }),
  )

  law(
    "stale() returns the saved activity bit by bit",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      const given = [Number.MIN_VALUE, Number.MAX_VALUE, 1e-7, 0.1 + 0.2].map((size, n) => ({
        ...activityEventOf(0, 0, 2 + n),
        ...{ transaction: `0x${"ab".repeat(32)}`, size, price: 1 - size, at: start },
      }))
      yield* readAll(store, given)
      const [position] = yield* store.stale(1)
      const key = (event: unknown) => JSON.stringify(Object.entries(Object(event)).sort())
      equal(
        position?.activity.map(key).sort(),
        [activityEventOf(0, 0, 0), ...given].map(key).sort(),
      )
    }),
  )
})
