/**
 * The normal tail equals the values of another library.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert"
import { normalTail, z95 } from "../../../src/whales/domain/significance/normal.ts"

/** cdf(-x, 0, 1) of @stdlib/stats-base-dists-normal-cdf 0.3.1, November 2026. */
const published: ReadonlyArray<readonly [x: number, tail: number]> = [
  [0, 0.5],
  [0.5, 0.30853753872598694],
  [1, 0.15865525393145707],
  [1.959963984540054, 0.025000000000000015],
  [2.5, 0.006209665325776139],
  [2.999, 0.0013543365337271066],
  [3, 0.0013498980316300957],
  [3.001, 0.0013454728250849683],
  [4, 0.000031671241833119965],
  [5, 2.866515718791946e-7],
  [6, 9.865876450377014e-10],
  [8, 6.220960574271819e-16],
  [10, 7.619853024160593e-24],
  [20, 2.7536241186063314e-89],
  [37, 5.725571222525139e-300],
]

Deno.test("normalTail() equals the published values, however small", () => {
  for (const [x, tail] of published) {
    ok(Math.abs(normalTail(x) / tail - 1) < 1e-12, `${x}`)
    ok(Math.abs(normalTail(-x) - (1 - tail)) < 1e-15, `${-x}`)
  }
})

Deno.test("normalTail() is decreasing, also where its two formulas meet", () => {
  for (let i = -3_000; i < 8_000; i++) {
    ok(normalTail(i / 1_000) > normalTail((i + 1) / 1_000), `${i / 1_000}`)
  }
  strictEqual(normalTail(40), 0)
})

Deno.test("z95 leaves 2.5 % in each tail", () => {
  ok(Math.abs(normalTail(z95) - 0.025) < 1e-15)
})
