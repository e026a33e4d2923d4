/**
 * The slope of a series with its interval, and when a rise is a breach.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { law } from "../support/effect.ts"
import { Random } from "../support/random.ts"
import { findingsOf } from "./limits.ts"
import type { HourRecord } from "./records.ts"
import { inBlocks, slopeOf } from "./slopes.ts"

const seeds = Schema.Struct({
  seed: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  rise: Schema.Int.check(Schema.isBetween({ minimum: -50, maximum: 50 })),
})

/** A line with noise, of which one point in ten is far off. */
function series(seed: number, rise: number, length = 60) {
  const random = new Random(seed)
  return Array.from({ length }, (_, n) => ({
    x: n / 24,
    y: 300 + rise * n / 24 + random.between(-1, 1) + (random.chance(0.1) ? 500 : 0),
  }))
}

law("slopeOf() finds the rise of a noisy line", Arbitrary.schema(seeds), ({ seed, rise }) => {
  const { median, low, high } = slopeOf(series(seed, rise))
  return low <= median && median <= high && Math.abs(median - rise) < 2
})

Deno.test("the interval of slopeOf() contains the rise in about 95 of 100 series", () => {
  const count = 400
  const hits = Array.from({ length: count }, (_, n) => slopeOf(series(n + 1, 3)))
    .filter(({ low, high }) => low <= 3 && 3 <= high).length
  ok(hits >= 0.92 * count && hits <= 0.98 * count, `${hits} of ${count}`)
})

Deno.test("inBlocks() leaves out a last, shorter block", () => {
  const points = [1, 2, 9, 4, 5, 6, 7].map((y, x) => ({ x, y }))
  equal(inBlocks(points, 3), [{ x: 1, y: 2 }, { x: 4, y: 5 }])
})

const tableOf = (megabytes: (hour: number) => number): ReadonlyArray<HourRecord> =>
  Array.from({ length: 720 }, (_, hour) => ({
    ...{ hour, figures: {}, openPayments: 0 },
    tableBytes: { job_slot: 1e6 * megabytes(hour) },
  }))

Deno.test("findingsOf() reports a table that is never pruned, and none that is", () => {
  const grows = findingsOf(tableOf((hour) => hour / 24))
  const pruned = findingsOf(tableOf((hour) => Math.min(hour, 168) / 24))
  equal([grows, pruned].map(([found]) => found?.isBreach), [true, false])
})

const hoursWith = (megabytes: (hour: number) => number): ReadonlyArray<HourRecord> =>
  Array.from({ length: 96 }, (_, hour) => ({
    ...{ hour, tableBytes: {}, openPayments: 0 },
    figures: { "service MB": megabytes(hour) },
  }))

Deno.test("findingsOf() reports a leak, and no growth that ended in the first half", () => {
  const noise = (hour: number) => hour % 3
  const leak = findingsOf(hoursWith((hour) => 300 + hour * 10 / 24 + noise(hour)))
  const flat = findingsOf(hoursWith((hour) => 300 + Math.min(40, hour) + noise(hour)))
  equal([leak, flat].map(([found]) => found?.isBreach), [true, false])
})
