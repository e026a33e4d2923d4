/**
 * The hourly volatility of a market: its limits, and what must not change it.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import type { SeriesPoint } from "../../../src/markets/domain/market.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { hourlyVolatility, logit } from "../../../src/movers/domain/volatility.ts"
import { law } from "../../support/effect.ts"
import { alternatingHours, now } from "../../support/movers/market.ts"

const mids = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))),
  { minLength: 30, maxLength: 168 },
)

function hourly(thousandths: ReadonlyArray<number>): ReadonlyArray<SeriesPoint> {
  return thousandths.map((mid, i) => ({ at: now - i * hour, mid: mid / 1_000 }))
}

law("hourlyVolatility() is finite and at least 0.02", mids, (sample) => {
  const sigma = hourlyVolatility(hourly(sample), now, 0.5)
  return Number.isFinite(sigma) && sigma >= 0.02
})

law("hourlyVolatility() does not depend on the order of the points", mids, (sample) => {
  const points = hourly(sample)
  const close = (a: number, b: number) => Math.abs(a - b) < 1e-9
  return close(hourlyVolatility(points.toReversed(), now, 0.5), hourlyVolatility(points, now, 0.5))
})

law("hourlyVolatility() uses only the last point of each hour", mids, (sample) => {
  const points = hourly(sample)
  const noise = points.map(({ at }, i) => ({ at: at - 20 * minute, mid: i % 2 }))
  const sigma = hourlyVolatility(points, now, 0.5)
  return hourlyVolatility([...points, ...noise], now, 0.5) === sigma &&
    hourlyVolatility(points.flatMap((point, i) => [noise[i] ?? point, point]), now, 0.5) === sigma
})

law("hourlyVolatility() ignores points after its end", mids, (sample) => {
  const later = hourly(sample).map(({ at, mid }) => ({ at: at + 200 * hour, mid }))
  const calm = alternatingHours(now, 0.5, 0.1)
  return hourlyVolatility([...later, ...calm], now, 0.5) === hourlyVolatility(calm, now, 0.5)
})

law("hourlyVolatility() is the same for a market and its complement", mids, (sample) => {
  const points = hourly(sample)
  const complement = points.map(({ at, mid }) => ({ at, mid: 1 - mid }))
  const difference = hourlyVolatility(points, now, 0.3) - hourlyVolatility(complement, now, 0.7)
  return Math.abs(difference) < 1e-9
})

Deno.test("hourlyVolatility() takes no return across a gap in the series", () => {
  const before = alternatingHours(now - 100 * hour, 0.2, 0)
  const after = alternatingHours(now, 0.7, 0).slice(0, 90)
  strictEqual(hourlyVolatility([...before, ...after], now, 0.7), 0.02)
})

Deno.test("logit() is clamped to [0.005, 0.995]", () => {
  strictEqual(logit(0), logit(0.005))
  strictEqual(logit(1), logit(0.995))
  strictEqual(logit(0.5), 0)
})
