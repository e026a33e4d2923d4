/**
 * The step of a move, against a search of all pairs, and its lag to a headline.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { headlineLag, stepPointsMax, stepWithin } from "../../../src/markets/domain/priceStep.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
/** Distinct times, with gaps of up to two hours. */
const series = Arbitrary.map(
  Arbitrary.array(Arbitrary.all({ gap: between(1, 24), steps: between(0, 40) }), { maxLength: 40 }),
  (points) => {
    let at = 0
    return points.map(({ gap, steps }) => {
      at += gap * 5 * minute
      return { at, mid: steps / 40 }
    })
  },
)

law("stepWithin() is the largest of all changes within an hour", series, (points) => {
  const [from, to] = [10 * minute, 30 * hour]
  const pairs = points.flatMap((a) =>
    points.filter((b) => b.at > a.at && b.at - a.at <= hour && a.at >= from && b.at <= to)
      .map((b) => ({
        size: Math.round(Math.abs(b.mid - a.mid) * 40),
        length: b.at - a.at,
        from: a.at,
      }))
  ).filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size || a.length - b.length || a.from - b.from)
  const [best] = pairs
  const found = stepWithin(points, from, to)
  if (best === undefined) return found === null
  return found !== null && Math.round(Math.abs(found.delta) * 40) === best.size &&
    found.to - found.from === best.length && found.from === best.from
})

law("stepWithin() does not depend on the order of the points", series, (points) => {
  deepStrictEqual(stepWithin(points.toReversed(), 0, 99 * hour), stepWithin(points, 0, 99 * hour))
})

Deno.test("stepWithin() needs two different prices within an hour", () => {
  const at = (hours: number, mid: number) => ({ at: hours * hour, mid })
  strictEqual(stepWithin([], 0, hour), null)
  strictEqual(stepWithin([at(0, 0.5), at(0.5, 0.5)], 0, hour), null)
  strictEqual(stepWithin([at(0, 0.5), at(2, 0.9)], 0, 3 * hour), null)
  strictEqual(stepWithin([at(0, 0.5), at(0.5, Number.NaN)], 0, hour), null)
  deepStrictEqual(stepWithin([at(0, 0.5), at(1, 0.7), at(1.5, 0.71)], 0, 3 * hour), {
    ...{ from: 0, to: hour, priceFrom: 0.5, priceTo: 0.7, delta: 0.2 },
  })
  // Of equal prices the newest starts the step.
  deepStrictEqual(stepWithin([at(0, 0.5), at(0.5, 0.5), at(1, 0.7)], 0, hour)?.from, hour / 2)
  // Of equal changes the shortest is the step, then the earliest.
  const twice = [at(0, 0.5), at(1, 0.7), at(3, 0.7), at(3.5, 0.5), at(6, 0.5), at(6.5, 0.7)]
  deepStrictEqual(stepWithin(twice, 0, 9 * hour)?.from, 3 * hour)
  // Equal times count once, so that no price changes in no time.
  deepStrictEqual(stepWithin([at(0, 0.5), at(1, 0.4), at(1, 0.9)], 0, hour)?.delta, 0.4)
})

Deno.test("stepWithin() reads the newest points of a long series", () => {
  const points = Array.from({ length: stepPointsMax + 10 }, (_, n) => ({
    ...{ at: n * minute, mid: n === 0 ? 1 : 0.5 + (n % 2) / 10 },
  }))
  strictEqual(stepWithin(points, 0, 1e9 * minute)?.delta, 0.1)
})

Deno.test("headlineLag() says on which side of the step a headline is", () => {
  const step = { from: hour, to: 2 * hour }
  deepStrictEqual(headlineLag(0, step), {
    ...{ position: "before", lagMsMin: hour, lagMsMax: 2 * hour },
  })
  strictEqual(headlineLag(hour, step).position, "inside")
  strictEqual(headlineLag(2 * hour, step).position, "inside")
  deepStrictEqual(headlineLag(3 * hour, step), {
    ...{ position: "after", lagMsMin: -2 * hour, lagMsMax: -hour },
  })
})
