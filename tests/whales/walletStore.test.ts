/**
 * The laws of `WalletStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { onEveryStore } from "../support/stores.ts"
import { onEveryWhaleStore, postgresWhales, whaleStores } from "../support/whales/whaleStores.ts"
import { activityEventOf, factsOf, readAll, start, upTo, walletOf } from "./whaleStores.laws.ts"

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
    "empty input to any of the stores, and activity of a wallet that is not tracked, change nothing",
    Effect.fnUntraced(function* (store) {
      equal(yield* store.track([], start), 0)
      equal(yield* readAll(store, [activityEventOf(0, 0, 0)]), { added: 0 })
      yield* store.saveFacts([], [], start)
      equal(yield* store.saveResolutions([], [], start), 0)
      yield* store.saveEntries([])
      equal(yield* store.saveCounted([], []), true)
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
      yield* readAll(store, [{ ...activityEventOf(0, 0, 0), transaction: "\0odd" }])
      equal((yield* store.stale(1)).map(({ activity }) => activity[0]?.transaction), ["odd"])
    }).pipe(Effect.provide(postgresWhales)),
  ))
