/**
 * The laws of `WalletStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { onEveryStore } from "../support/stores.ts"
import { onEveryWhaleStore, postgresWhales, whaleStores } from "../support/whales/whaleStores.ts"
import {
  activityEventOf,
  addActivity,
  factsOf,
  positionOf,
  readAll,
  start,
  upTo,
  walletOf,
} from "./whaleStores.laws.ts"

onEveryWhaleStore("WalletStore", (law) => {
  law(
    "track() and saveRead() store more rows than fit into one statement",
    Effect.fnUntraced(function* (store) {
      const many = 2_345
      const found = upTo(many).map((n) => ({
        wallet: walletOf(n),
        name: `${n}`,
        source: "volume" as const,
      }))
      equal(yield* store.track(found, start), many)
      equal(yield* store.track(found, start), 0)
      equal((yield* store.tracked).length, many)
      const activity = upTo(many).map((n) => ({ ...activityEventOf(0, n, 0), occurrence: n }))
      equal(yield* readAll(store, activity), { added: many })
      equal(yield* readAll(store, activity), { added: 0 })
    }),
  )

  law(
    "a wallet's events, markets and markets of both outcomes are counted once",
    Effect.fnUntraced(function* (store) {
      const counts = Effect.map(
        store.tracked,
        (wallets) =>
          wallets.map((
            { activityCount, markets, bothSides },
          ) => [activityCount, markets, bothSides]),
      )
      yield* addActivity(store, 2)
      equal(yield* counts, [[2, 2, 0]])
      yield* readAll(store, [activityEventOf(0, 0, 0), activityEventOf(0, 0, 1)])
      equal(yield* counts, [[3, 2, 0]])
      for (const boughtBoth of [true, true, false]) {
        yield* store.saveEntries([{ ...positionOf(0, 2), boughtBoth }, positionOf(1)])
        equal(yield* counts, [[3, 2, boughtBoth ? 1 : 0]])
      }
    }),
  )

  law(
    "saveRead() extends the known range, but not over a gap, and never takes a history back",
    Effect.fnUntraced(function* (store) {
      yield* store.track([{ wallet: walletOf(0), name: "Wallet", source: "volume" }], start)
      const read = Effect.fnUntraced(function* (
        from: number,
        to: number,
        history: "reading" | "whole" | "truncated",
      ) {
        const range = { readFrom: start + from, readTo: start + to }
        yield* store.saveRead({ wallet: walletOf(0), activity: [], ...range, history })
        return (yield* store.tracked).map(({ readFrom, readTo, history }) => [
          ...[(readFrom ?? 0) - start, (readTo ?? 0) - start],
          history,
        ])
      })
      equal(yield* read(5_000, 9_000, "reading"), [[5_000, 9_000, "reading"]])
      equal(yield* read(10_000, 12_000, "whole"), [[5_000, 9_000, "reading"]])
      equal(yield* read(1_000, 4_000, "whole"), [[5_000, 9_000, "reading"]])
      equal(yield* read(9_999, 12_000, "whole"), [[5_000, 12_000, "whole"]])
      equal(yield* read(1_000, 4_001, "reading"), [[1_000, 12_000, "whole"]])
      equal(yield* read(6_000, 7_000, "truncated"), [[1_000, 12_000, "truncated"]])
      equal(yield* read(6_000, 7_000, "whole"), [[1_000, 12_000, "truncated"]])
    }),
  )

  law(
    "empty input to any of the stores, and activity of a wallet that is not tracked, change nothing",
    Effect.fnUntraced(function* (store) {
      equal(yield* store.track([], start), 0)
      equal(yield* readAll(store, [activityEventOf(0, 0, 0)]), { added: 0 })
      yield* store.saveFacts([], [], start)
      equal(yield* store.saveResolutions([], [], start), 0)
      yield* store.saveEntries([])
      yield* store.saveCalibrated([], [])
      equal([yield* store.tracked, yield* store.unknownMarkets(9, start)], [[], []])
      equal(yield* store.calibrationVersion, "0")
    }),
  )
})

onEveryStore("The whale stores", (law) =>
  law(
    "invalid characters in names are removed, and the batch is stored",
    Effect.gen(function* () {
      const store = yield* whaleStores
      const names = ["a\0b\ud800c", "plain"]
      yield* store.track(
        names.map((name, n) => ({ wallet: walletOf(n), name, source: "profit" as const })),
        start,
      )
      equal((yield* store.tracked).map(({ name }) => name), ["ab\ufffdc", "plain"])
      yield* store.saveFacts([{ ...factsOf(0), question: "\0odd\ud800" }], [], start)
      yield* readAll(store, [activityEventOf(0, 0, 0)])
      equal((yield* store.stale(1)).map(({ market }) => market.question), ["odd\ufffd"])
    }).pipe(Effect.provide(postgresWhales)),
  ))
