/**
 * Clustered means: the usual interval when each observation is its own cluster, the definition
 * otherwise, and never narrower with a second clustering.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { clusteredMean, type ClusterSums } from "../../../src/core/domain/clusteredMean.ts"
import { studentQuantile } from "../../../src/core/domain/student.ts"
import { law } from "../../support/effect.ts"

const whole = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

/** Values of some events on some days. */
const sample = Arbitrary.array(
  Arbitrary.all({ value: whole(-50, 50), event: whole(0, 5), day: whole(0, 3) }),
  { minLength: 3, maxLength: 30 },
)
interface Observation {
  readonly value: number
  readonly event: number
  readonly day: number
}

const total = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, x) => sum + x, 0)

function sumsOf(
  observations: ReadonlyArray<Observation>,
  key: (one: Observation, index: number) => string | number,
): ClusterSums {
  const clusters = [...Map.groupBy(observations.entries(), ([i, one]) => key(one, i)).values()]
    .map((of) => ({ n: of.length, s: total(of.map(([, { value }]) => value)) }))
  return {
    clusters: clusters.length,
    n: total(clusters.map(({ n }) => n)),
    s: total(clusters.map(({ s }) => s)),
    nn: total(clusters.map(({ n }) => n * n)),
    ns: total(clusters.map(({ n, s }) => n * s)),
    ss: total(clusters.map(({ s }) => s * s)),
    ff: 0,
  }
}

const close = (a: number | undefined, b: number) =>
  a !== undefined && Math.abs(a - b) <= 1e-6 * (1 + Math.abs(b))

law("clusters of one give the sample's mean and standard error", sample, (observations) => {
  const n = observations.length
  const mean = total(observations.map(({ value }) => value)) / n
  const variance = total(observations.map(({ value }) => (value - mean) ** 2)) / (n - 1)
  const found = clusteredMean(sumsOf(observations, (_, i) => i))
  return close(found?.mean, mean) &&
    close(found?.high, mean + studentQuantile(n - 1) * Math.sqrt(variance / n)) &&
    close(found?.low, 2 * mean - (found?.high ?? NaN))
})

law("the deviations of whole events from the mean make the interval", sample, (observations) => {
  const events = [...Map.groupBy(observations, ({ event }) => event).values()]
  if (events.length < 2) return
  const mean = total(observations.map(({ value }) => value)) / observations.length
  const squares = total(events.map((of) => total(of.map(({ value }) => value - mean)) ** 2))
  const error = Math.sqrt(squares * events.length / (events.length - 1)) / observations.length
  const found = clusteredMean(sumsOf(observations, ({ event }) => event))
  ok(close(found?.mean, mean))
  ok(close(found?.high, mean + studentQuantile(events.length - 1) * error))
})

law("repeating every observation in its cluster changes nothing", sample, (observations) => {
  const key = ({ event }: Observation) => event
  const once = clusteredMean(sumsOf(observations, key))
  const thrice = clusteredMean(sumsOf([...observations, ...observations, ...observations], key))
  return close(thrice?.mean, once?.mean ?? NaN) && close(thrice?.low, once?.low ?? NaN)
})

law("the interval by events and days is as wide as either one, or wider", sample, (drawn) => {
  const byEvent = sumsOf(drawn, ({ event }) => event)
  const byDay = sumsOf(drawn, ({ day }) => day)
  const other = { second: byDay, both: sumsOf(drawn, ({ event, day }) => `${event} ${day}`) }
  const width = (of: { low: number; high: number } | null) => of === null ? NaN : of.high - of.low
  const found = width(clusteredMean(byEvent, other))
  ok(found >= width(clusteredMean(byEvent)) - 1e-9 && found >= width(clusteredMean(byDay)) - 1e-9)
})

Deno.test("two clusterings are the sum of both variances less the one of their pairs", () => {
  // Three events on three days each, in which every event and every day has an effect of its own.
  const drawn = [0, 1, 2].flatMap((event) =>
    [0, 1, 2].map((day) => ({ event, day, value: 6 * (event - 1) + 4 * (day - 1) }))
  )
  const other = {
    second: sumsOf(drawn, ({ day }) => day),
    both: sumsOf(drawn, ({ event, day }) => `${event} ${day}`),
  }
  const found = clusteredMean(sumsOf(drawn, ({ event }) => event), other)
  // By event 3/2 x 2 x 18^2 / 81, by day 3/2 x 2 x 12^2 / 81, by pair 9/8 x 312 / 81.
  const variance = (3 * 324 + 3 * 144 - 9 / 8 * 312) / 81
  ok(close(found?.high, studentQuantile(2) * Math.sqrt(variance)))
})

Deno.test("equal results have the interval of fair prices", () => {
  const ten = { clusters: 10, n: 10, s: 0, nn: 10, ns: 0, ss: 0, ff: 10 }
  // The standard error is 1 / sqrt(10), the quantile of 9 degrees 2.262.
  ok(close(clusteredMean(ten)?.high, studentQuantile(9) * Math.sqrt(0.1)))
  strictEqual(clusteredMean({ ...ten, clusters: 0, n: 0, nn: 0, ff: 0 }), null)
})
