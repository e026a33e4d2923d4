/**
 * Clustered means: equal to the usual standard error when each observation is its own cluster, and not
 * misled by repetition.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import {
  add,
  clusterNumbers,
  clusterSums,
  estimate,
} from "../../../src/backtest/domain/clustered.ts"
import { law } from "../../support/effect.ts"

const sample = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: -50, maximum: 50 }))),
  { minLength: 3, maxLength: 30 },
)

function of(values: ReadonlyArray<number>, clusterOf: (n: number) => number) {
  const sums = clusterSums()
  values.forEach((value, n) => add(sums, clusterOf(n), value))
  return estimate(sums)
}

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b))

law("clusters of one give the sample's standard error", sample, (values) => {
  const n = values.length
  const mean = values.reduce((sum, x) => sum + x, 0) / n
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1)
  const found = of(values, (index) => index)
  return found !== null && close(found.mean, mean) &&
    close(found.standardError, Math.sqrt(variance / n))
})

law("repeating every observation within its cluster changes nothing", sample, (values) => {
  const once = of(values, (n) => n)
  const thrice = of([...values, ...values, ...values], (n) => n % values.length)
  return once !== null && thrice !== null && close(thrice.mean, once.mean) &&
    close(thrice.standardError, once.standardError) && close(thrice.low, once.low)
})

Deno.test("estimate() has no error with one cluster, and is null without observations", () => {
  strictEqual(of([1, 2, 3], () => 7)?.standardError.toString(), "NaN")
  strictEqual(of([], () => 7), null)
})

Deno.test("the interval uses Student's t: 4 degrees of freedom 2.776, 30 degrees 2.042", () => {
  for (const [n, quantile] of [[5, 2.776], [31, 2.042]] as const) {
    const found = of(Array.from({ length: n }, (_, i) => i), (i) => i)
    ok(found !== null)
    ok(Math.abs((found.high - found.mean) / found.standardError - quantile) < 0.01)
  }
})

Deno.test("clusterNumbers() shares numbers when there are too many events", () => {
  const numberOf = clusterNumbers()
  const numbers = Array.from({ length: 65_540 }, (_, n) => numberOf(`event ${n}`))
  strictEqual(new Set(numbers).size, 65_536)
  strictEqual(numberOf("event 3"), 3)
})
