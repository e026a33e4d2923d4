/**
 * The laws of `CalibrationStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { hour } from "../../src/core/domain/time.ts"
import { noSums } from "../../src/whales/domain/score.ts"
import { whaleRow } from "../support/products.ts"
import { onEveryWhaleStore, type WhaleStores } from "../support/whales/whaleStores.ts"
import {
  activityEventOf,
  addActivity,
  countUncounted,
  entryOf,
  factsOf,
  marketOf,
  positionOf,
  readAll,
  resolutionOf,
  start,
  walletOf,
} from "./whaleStores.laws.ts"

const calibrated = (wallet: number, at: number, resolved = 84) => ({
  computedAt: start + at,
  row: whaleRow({ wallet: walletOf(wallet), resolved }),
})

const wallet = walletOf(0)

/** The uncounted wallets at `start`. */
const uncounted = (store: WhaleStores) =>
  Effect.map(store.uncounted(9, start), (all) => all.map(({ wallet }) => wallet))

onEveryWhaleStore("CalibrationStore", (law) => {
  law(
    "uncounted() returns a wallet after a resolution until it is counted, and positions() all it has",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 3)
      yield* store.saveFacts([{ ...factsOf(3), endsAt: null }], [], start)
      yield* readAll(store, [activityEventOf(0, 3, 0)])
      yield* store.saveEntries([1, 2, 3].map((market) => positionOf(market)))
      equal(yield* uncounted(store), [])
      yield* store.saveResolutions([resolutionOf(1, 0, 9), resolutionOf(3, 4)], [], start)
      const [found, ...others] = yield* store.uncounted(9, start)
      const base = { entries: [entryOf(0)], isCounted: false }
      const positions = yield* store.positions(wallet)
      const theme = (n: number) => positions[n]?.theme
      equal([others, found?.wallet, found?.source, found?.trackedAt], [[], wallet, "volume", start])
      equal(positions, [
        {
          ...{ ...base, marketId: marketOf(1), theme: theme(0), feeRate: 0.01 },
          ...{ dueAt: factsOf(1).endsAt, endedAt: start + 9_000, payouts: [1, 0] },
        },
        {
          ...{ ...base, marketId: marketOf(2), theme: theme(1), feeRate: 0.02 },
          ...{ dueAt: factsOf(2).endsAt, endedAt: null, payouts: null },
        },
        {
          ...{ ...base, marketId: marketOf(3), theme: theme(1), feeRate: 0.03 },
          ...{ dueAt: null, endedAt: start, payouts: null },
        },
      ])
      equal(yield* countUncounted(store, { newlyCounted: [marketOf(3)] }), [true])
      equal(yield* uncounted(store), [])
      yield* store.saveResolutions([resolutionOf(2, 0)], [], start)
      equal(yield* uncounted(store), [wallet])
      const again = yield* store.positions(wallet)
      equal(again.map(({ isCounted }) => isCounted), [false, false, true])
    }),
  )

  law(
    "uncounted() returns the wallet counted longest ago first, and each when its next result may count",
    Effect.fnUntraced(function* (store) {
      yield* store.track(
        [0, 1].map((n) => ({ wallet: walletOf(n), name: `${n}`, source: "volume" as const })),
        start,
      )
      yield* store.saveFacts([factsOf(0)], [], start)
      for (const n of [0, 1]) {
        const read = { readFrom: start, readTo: start, history: "whole" as const }
        yield* store.saveRead({
          ...read,
          wallet: walletOf(n),
          activity: [activityEventOf(n, 0, 0)],
        })
        yield* store.saveEntries([{ ...positionOf(0), wallet: walletOf(n) }])
      }
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      equal(yield* uncounted(store), [walletOf(0), walletOf(1)])
      yield* countUncounted(store, { nextAt: start + hour }, 1)
      yield* store.saveResolutions([resolutionOf(0, 1)], [], start)
      equal(yield* uncounted(store), [walletOf(1), walletOf(0)])
      yield* countUncounted(store, { nextAt: start + hour })
      equal(yield* store.uncounted(9, start + hour - 1), [])
      equal((yield* store.uncounted(9, start + hour)).length, 2)
    }),
  )

  law(
    "saveCounted() changes nothing when the wallet changed meanwhile",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      yield* store.saveEntries([positionOf(0)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const before = yield* store.uncounted(9, start)
      yield* store.saveResolutions([resolutionOf(0, 1)], [], start)
      const state = Effect.all([
        store.uncounted(9, start),
        store.counted,
        store.calibrationVersion,
      ])
      const changed = yield* state
      equal(yield* countUncounted(store, { newlyCounted: [marketOf(0)] }, 9, before), [false])
      equal(yield* state, changed)
      equal(yield* countUncounted(store), [true])
      equal(yield* countUncounted(store, {}, 9, before), [false])
      notStrictEqual(yield* store.calibrationVersion, changed[2])
    }),
  )

  law(
    "counted returns records bit by bit, of wallets with a whole history",
    Effect.fnUntraced(function* (store) {
      yield* addActivity(store, 1)
      yield* store.saveEntries([positionOf(0)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      const edges = { ...noSums.edges, n: 0.1 + 0.2, s: 1e300 / 3 }
      const record = { sums: { ...noSums, edges }, evidence: { follow: 1 / 3, fade: 7 ** 40 } }
      equal(yield* store.counted, new Map())
      yield* countUncounted(store, { record })
      equal(yield* store.counted, new Map([[wallet, record]]))
      const read = { wallet, activity: [], readFrom: start, readTo: start }
      yield* store.saveRead({ ...read, history: "truncated" })
      equal(yield* store.counted, new Map())
    }),
  )

  law(
    "a wallet of a profit board that is found on a volume board is counted again",
    Effect.fnUntraced(function* (store) {
      const found = (source: "profit" | "volume") =>
        store.track([{ wallet, name: "Wallet", source }], start)
      yield* found("profit")
      yield* readAll(store, [activityEventOf(0, 0, 0)])
      yield* store.saveFacts([factsOf(0)], [], start)
      yield* store.saveEntries([positionOf(0)])
      yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
      yield* countUncounted(store)
      yield* found("profit")
      equal(yield* uncounted(store), [])
      equal(yield* found("volume"), 0)
      equal((yield* store.uncounted(9, start)).map(({ source }) => source), ["volume"])
      yield* countUncounted(store)
      yield* found("profit")
      equal(yield* uncounted(store), [])
      equal((yield* store.tracked)[0]?.source, "volume")
    }),
  )

  law(
    "saveCalibrated() stores a replaced row as previous, replaces a row of the same time, and ignores an older one",
    Effect.fnUntraced(function* (store) {
      const found = Effect.map(
        store.calibrations([walletOf(0)]),
        (rows) => rows.get(walletOf(0)),
      )
      yield* store.saveCalibrated([calibrated(0, 1, 83)], [])
      yield* store.saveCalibrated([calibrated(0, 3)], [])
      equal(yield* found, [calibrated(0, 3), calibrated(0, 1, 83)])
      yield* store.saveCalibrated([calibrated(0, 3, 85)], [])
      equal(yield* found, [calibrated(0, 3, 85), calibrated(0, 1, 83)])
      const version = yield* store.calibrationVersion
      yield* store.saveCalibrated([calibrated(0, 3, 85)], [walletOf(1)])
      yield* store.saveCalibrated([calibrated(0, 2)], [])
      equal(yield* found, [calibrated(0, 3, 85), calibrated(0, 1, 83)])
      equal(yield* store.calibrationVersion, version)
      yield* store.saveCalibrated([], [walletOf(0)])
      equal(yield* found, undefined)
      notStrictEqual(yield* store.calibrationVersion, version)
    }),
  )
})
