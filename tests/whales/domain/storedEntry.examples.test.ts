/**
 * Stored entries by example: late activity, and when an entry is due.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import type { Entry } from "../../../src/whales/domain/entry.ts"
import { carryOver, isDue, type StoredEntry } from "../../../src/whales/domain/storedEntry.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { start } from "../../support/whales/activityEvents.ts"
import { calibration } from "../../support/whales/entries.ts"
import { entry as anyEntry } from "../../support/whales/records.ts"

/** An entry from one minute to another. */
const entry = (from: number, to: number, fields: Partial<Entry> = {}): Entry =>
  anyEntry({
    ...{ price: 0.4, firstFillAt: start + from * minute, lastFillAt: start + to * minute },
    ...fields,
  })

const first = calibration(start - hour)
const second = calibration(start + 2 * minute)
const newest = (instant: number) => instant > start + 2 * minute ? second : first

function carried(stored: ReadonlyArray<StoredEntry>, ...recomputed: ReadonlyArray<Entry>) {
  return carryOver(stored, recomputed, newest)
}

function published(one: StoredEntry): StoredEntry {
  return { ...one, emitted: true }
}

/** Minutes of `openedAt` and of the fills, whether it is emitted, and whether it is fully hedged. */
function brief(entries: ReadonlyArray<StoredEntry>) {
  const minutes = (instant: number) => (instant - start) / minute
  return entries.map((one) => [
    minutes(one.openedAt),
    minutes(one.firstFillAt),
    minutes(one.lastFillAt),
    one.emitted ? "emitted" : "unpublished",
    one.hedgedShares < one.shares ? "open" : "hedged",
  ])
}

Deno.test("carryOver() gives an unpublished entry a calibration from before its earlier fill", () => {
  const stored = carried([], entry(10, 20))
  equal(carried(stored, entry(1, 20))[0]?.calibration, first)
  equal(carried(stored, entry(3, 20))[0]?.calibration, second)
  equal(brief(carried(stored, entry(1, 20))), [[10, 1, 20, "unpublished", "open"]])
})

Deno.test("carryOver() adds no calibration to an entry without one", () => {
  const stored = carryOver([], [entry(10, 20)], () => null)
  equal(carried(stored, entry(10, 30))[0]?.calibration, null)
})

Deno.test("carryOver() never publishes again what an emitted entry was", () => {
  const stored = carried([], entry(10, 40)).map(published)
  const states = (...recomputed: ReadonlyArray<Entry>) => brief(carried(stored, ...recomputed))
  equal(states(), [[10, 10, 40, "emitted", "hedged"]])
  equal(states(entry(5, 90)), [[10, 5, 90, "emitted", "open"]])
  equal(states(entry(5, 7), entry(10, 20), entry(30, 50)), [
    [5, 5, 7, "unpublished", "open"],
    [10, 10, 20, "emitted", "open"],
    [10, 10, 40, "emitted", "hedged"],
    [30, 30, 50, "emitted", "open"],
  ])
  const shortened = carried(stored, entry(10, 20))
  ok(carried(shortened, entry(10, 20), entry(40, 40)).every(({ emitted }) => emitted))
  const two = carried([], entry(10, 20), entry(30, 40)).map(published)
  equal(brief(carried(two, entry(10, 40))), [[10, 10, 40, "emitted", "open"]])
})

Deno.test("isDue() needs the minimum stake and a recent fill, and excludes emitted entries, hedges, sweeps and market makers", () => {
  const terms = { stakeMinUsd: 1_000, notBefore: start + 20 * minute, marketMaker: false }
  const due = (fields: Partial<StoredEntry>, other = {}) =>
    carried([], entry(10, 20)).map((one) => isDue({ ...one, ...fields }, { ...terms, ...other }))
  equal(due({}), [true])
  equal(due({ stakeUsd: 999.99 }), [false])
  equal(due({ emitted: true }), [false])
  equal(due({}, { notBefore: start + 20 * minute + 1 }), [false])
  equal(due({}, { marketMaker: true }), [false])
  equal(due({ hedgedShares: 1_250 }), [true])
  equal(due({ hedgedShares: 1_251 }), [false])
  equal(due({ price: 0.95 }), [false])
  equal(due({ price: 0.949 }), [true])
})
