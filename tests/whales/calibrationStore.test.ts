/**
 * The laws of `CalibrationStore` on every store.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { whaleRow } from "../support/products.ts"
import { onEveryWhaleStore } from "../support/whales/whaleStores.ts"
import { start, upTo, walletOf } from "./whaleStores.laws.ts"

const calibrated = (wallet: number, at: number, resolved = 84) => ({
  computedAt: start + at,
  row: whaleRow({ wallet: walletOf(wallet), resolved }),
})

onEveryWhaleStore("CalibrationStore", (law) => {
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
      yield* store.saveCalibrated([calibrated(0, 3, 85), calibrated(0, 2)], [walletOf(1)])
      equal(yield* found, [calibrated(0, 3, 85), calibrated(0, 1, 83)])
      equal(yield* store.calibrationVersion, version)
      yield* store.saveCalibrated([], [walletOf(0)])
      equal(yield* found, undefined)
      notStrictEqual(yield* store.calibrationVersion, version)
    }),
  )

  law(
    "saveCalibrated() stores more rows than fit into one statement",
    Effect.fnUntraced(function* (store) {
      const many = 2_345
      yield* store.saveCalibrated(upTo(many).map((wallet) => calibrated(wallet, 0)), [])
      equal((yield* store.calibrated).length, many)
      yield* store.saveCalibrated([], upTo(many).slice(1).map(walletOf))
      equal(yield* store.calibrated, [calibrated(0, 0)])
    }),
  )
})
