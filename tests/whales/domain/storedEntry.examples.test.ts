/**
 * What becomes of remembered entries, by hand: acts that turn up late, and when an entry is told.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import type { Entry } from "../../../src/whales/domain/entry.ts"
import { carryOver, isDue, type StoredEntry } from "../../../src/whales/domain/storedEntry.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { start } from "../../support/whales/activityEvents.ts"
import { calibration } from "../../support/whales/entries.ts"

function entry(from: number, to: number, fields: Partial<Entry> = {}): Entry {
  return {
    outcome: 0,
    price: 0.4,
    openingPrice: 0.4,
    stakeUsd: 1_000,
    shares: 2_500,
    hedgedShares: 0,
    fills: 2,
    firstFillAt: start + from * minute,
    lastFillAt: start + to * minute,
    ...fields,
  }
}

const first = calibration(start - hour)
const second = calibration(start + 2 * minute)
const newest = (instant: number) => instant > start + 2 * minute ? second : first

function carried(held: ReadonlyArray<StoredEntry>, ...found: ReadonlyArray<Entry>) {
  return carryOver(held, found, newest)
}

function told(one: StoredEntry): StoredEntry {
  return { ...one, emitted: true }
}

/** Minute of the name, minutes of the fills, told or not, and whether anything of it is left. */
function brief(entries: ReadonlyArray<StoredEntry>) {
  const minutes = (instant: number) => (instant - start) / minute
  return entries.map((one) => [
    minutes(one.openedAt),
    minutes(one.firstFillAt),
    minutes(one.lastFillAt),
    one.emitted ? "told" : "untold",
    one.hedgedShares < one.shares ? "left" : "gone",
  ])
}

Deno.test("a new entry is named after its first fill, and takes the calibration before it", () => {
  equal(carried([], entry(10, 20)), [{
    ...entry(10, 20),
    openedAt: start + 10 * minute,
    calibration: second,
    emitted: false,
  }])
  equal(carried([], entry(1, 20))[0]?.calibration, first)
})

Deno.test("an entry grows under its name", () => {
  const held = carried([], entry(10, 20)).map(told)
  equal(brief(carried(held, entry(10, 90))), [[10, 10, 90, "told", "left"]])
})

Deno.test("an earlier fill changes neither name nor calibration of an entry that was told", () => {
  const held = carried([], entry(10, 20)).map(told)
  const after = carried(held, entry(1, 20))
  equal(brief(after), [[10, 1, 20, "told", "left"]])
  equal(after[0]?.calibration, second)
})

Deno.test("untold, it keeps its name and takes a calibration from before the earlier fill", () => {
  const held = carried([], entry(10, 20))
  equal(carried(held, entry(1, 20))[0]?.calibration, first)
  equal(carried(held, entry(3, 20))[0]?.calibration, second)
  equal(brief(carried(held, entry(1, 20))), [[10, 1, 20, "untold", "left"]])
})

Deno.test("an entry without a calibration gets none later", () => {
  const held = carryOver([], [entry(10, 20)], () => null)
  equal(carried(held, entry(10, 30))[0]?.calibration, null)
})

Deno.test("two that turn out to be one: the told one gives its name", () => {
  const [a, b] = carried([], entry(10, 20), entry(30, 40))
  ok(a !== undefined && b !== undefined)
  equal(brief(carried([a, b], entry(10, 40))), [[10, 10, 40, "untold", "left"]])
  equal(brief(carried([a, told(b)], entry(10, 40))), [[30, 10, 40, "told", "left"]])
})

Deno.test("two told that turn out to be one are both remembered", () => {
  const held = carried([], entry(10, 20), entry(30, 40)).map(told)
  const one = carried(held, entry(10, 40))
  equal(brief(one), [[10, 10, 40, "told", "left"], [30, 30, 40, "told", "gone"]])
  const again = carried(one, entry(10, 20), entry(30, 40))
  equal(brief(again).slice(0, 2), [[10, 10, 20, "told", "left"], [30, 30, 40, "told", "left"]])
})

Deno.test("one told that turns out to be two is told in both, under its name in one", () => {
  const held = carried([], entry(10, 40)).map(told)
  const two = carried(held, entry(5, 7), entry(10, 20), entry(30, 50))
  equal(brief(two).filter(([, , , , left]) => left === "left"), [
    [5, 5, 7, "untold", "left"],
    [10, 10, 20, "told", "left"],
    [30, 30, 50, "told", "left"],
  ])
})

Deno.test("what was told and is found no more stays as given up, and is never told again", () => {
  const held = carried([], entry(10, 20)).map(told)
  const gone = carried(held)
  equal(brief(gone), [[10, 10, 20, "told", "gone"]])
  equal(brief(carried(gone)), brief(gone))
  equal(brief(carried(gone, entry(15, 30))), [
    [10, 15, 30, "told", "left"],
  ])
})

Deno.test("what was told of a time an entry has no more is not told again", () => {
  const held = carried([], entry(10, 40)).map(told)
  const shrunk = carried(held, entry(10, 20))
  equal(brief(shrunk), [[10, 10, 20, "told", "left"], [40, 10, 40, "told", "gone"]])
  ok(carried(shrunk, entry(10, 20), entry(40, 40)).every(({ emitted }) => emitted))
})

Deno.test("what was not told and is found no more is forgotten", () => {
  equal(carried(carried([], entry(10, 20))), [])
})

Deno.test("the other outcome, or another time, is another entry", () => {
  const held = carried([], entry(10, 20)).map(told)
  equal(brief(carried(held, entry(10, 20), entry(10, 20, { outcome: 1 }), entry(21, 30))), [
    [10, 10, 20, "told", "left"],
    [10, 10, 20, "untold", "left"],
    [21, 21, 30, "untold", "left"],
  ])
})

Deno.test("isDue() from the least stake on, once, for news, of no hedge, sweep or market maker", () => {
  const telling = { stakeMinUsd: 1_000, notBefore: start + 20 * minute, marketMaker: false }
  const due = (fields: Partial<StoredEntry>, other = {}) =>
    carried([], entry(10, 20)).map((one) => isDue({ ...one, ...fields }, { ...telling, ...other }))
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
