/**
 * The p-value of a record under fair prices, compared with exact convolution and with random draws.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { meanOf, varianceOf } from "../../../src/whales/domain/significance/cumulants.ts"
import { chanceBetween, order } from "../../../src/whales/domain/significance/harmonics.ts"
import {
  addNullSums,
  eventSums,
  type FavouredSide,
  type NullSums,
  pValueOf,
} from "../../../src/whales/domain/significance/nullModel.ts"
import {
  convolve,
  drawnPValue,
  exactPValues,
  type OpenEvent,
  pricings,
  sumsOf,
  walletOf,
  weightings,
} from "../../support/whales/fairPrices.ts"
import { sized } from "../../support/size.ts"

/** Totals compared for one wallet, spread over those with a p-value of at least `pExactMin`. */
const totalsMax = 40
const pExactMin = 1e-8

/** The ratio of the p-value to the exact one, for many totals of one wallet. */
function ratios(events: ReadonlyArray<OpenEvent>, sums: NullSums): ReadonlyArray<number> {
  const chances = convolve(events)
  const possible = exactPValues(chances).flatMap((p, observed) =>
    p >= pExactMin && p < 1 && (chances[observed] ?? 0) > pExactMin ** 2 ? [{ p, observed }] : []
  )
  const stride = Math.ceil(possible.length / totalsMax)
  return possible
    .filter((_, i) => i % stride === 0)
    .map(({ p, observed }) => pValueOf({ ...sums, observed }) / p)
}

/** The least, the median and the greatest ratio over the wallets that `isIncluded` accepts. */
function extremes(
  sizes: ReadonlyArray<number>,
  isIncluded: (sums: NullSums) => boolean,
  names = Object.keys(weightings),
  marketsMaxes: ReadonlyArray<1 | 3> = [1, 3],
) {
  const found: Array<number> = []
  for (const weighting of names) {
    for (const pricing of Object.keys(pricings)) {
      for (const size of sizes) {
        for (const marketsMax of marketsMaxes) {
          const events = walletOf(weighting, pricing, size, marketsMax, found.length)
          const sums = sumsOf(events)
          if (isIncluded(sums)) found.push(...ratios(events, sums))
        }
      }
    }
  }
  const least = found.reduce((a, b) => Math.min(a, b), Infinity)
  const greatest = found.reduce((a, b) => Math.max(a, b), 0)
  const middle = found.toSorted((a, b) => a - b)[found.length >> 1] ?? NaN
  return { count: found.length, least, greatest, middle }
}

const isWhole = ({ weightSum }: NullSums) => weightSum < order
/** Narrow enough for the harmonics to be exact except for a billionth. */
const isNarrow = (sums: NullSums) => !isWhole(sums) && Math.sqrt(varianceOf(sums.cumulants)) < 14
const isWide = (sums: NullSums) => !isWhole(sums) && Math.sqrt(varianceOf(sums.cumulants)) > 22

Deno.test("pValueOf() is exact for fewer totals than the order, for any weights and prices", () => {
  const { count, least, greatest } = extremes([10, 30, 60], isWhole)
  ok(count > 1_500)
  ok(least > 1 - 1e-6 && greatest < 1 + 1e-5, `${least} to ${greatest}`)
})

Deno.test("pValueOf() of a narrow distribution is exact except for a billionth", () => {
  const { count, least, greatest } = extremes([60, 120], isNarrow)
  ok(count > 500)
  // 2e-9 on top of 1e-8.
  ok(least > 1 - 1e-6 && greatest < 1.21, `${count}: ${least} to ${greatest}`)
})

Deno.test("pValueOf() of a wide distribution is at least 0.96 of the exact p-value", () => {
  const { count, least, greatest, middle } = extremes([15, 60, 120], isWide)
  ok(count > 1_500)
  ok(least > 0.96, `${least}`)
  ok(middle < 1.6 && greatest < 60, `${middle}, ${greatest}`)
})

Deno.test("pValueOf() of a wide distribution is slightly too large for wallets that repeat entries", () => {
  const ordinary = ["one each", "one to four", "two or three", "often repeated"]
  const { count, greatest, middle } = extremes([150, 250], isWide, ordinary)
  ok(count > 700)
  ok(middle < 1.35 && greatest < 3, `${middle}, ${greatest}`)
})

Deno.test("pValueOf() of a wide distribution is exact to 3 % when all weights are equal", () => {
  const equal = ["one each", "seven each", "twenty each"]
  const { count, least, greatest } = extremes([15, 60, 200], isWide, equal, [1])
  ok(count > 250)
  ok(least > 0.97 && greatest < 1.03, `${least} to ${greatest}`)
})

Deno.test("pValueOf() is a probability, and not too small, also for events of hundreds of entries", () => {
  const least = [0, 3, 40, 400].flatMap((singles) =>
    [50, 200, 500, 3_000].flatMap((weight) =>
      [0.03, 0.5, 0.97].flatMap((price) => {
        const events = [
          ...Array.from({ length: singles }, () => [{ weight: 1, price: 0.9 }]),
          ...Array.from({ length: 10 }, () => [{ weight, price }]),
        ]
        const sums = sumsOf(events)
        const exact = exactPValues(convolve(events))
        const stride = Math.ceil(exact.length / totalsMax)
        return exact.flatMap((p, observed) => {
          if (observed % stride > 1 && observed < exact.length - 2) return []
          const pValue = pValueOf({ ...sums, observed })
          ok(pValue > 0 && pValue <= 1, `${pValue}`)
          return p > pExactMin ? [pValue / p] : []
        })
      })
    )
  ).reduce((a, b) => Math.min(a, b), Infinity)
  // The formula is 5 % too small when all ten large events have the same result.
  ok(least > 0.94, `${least}`)
})

/** Three standard errors of a share of `draws` that is `p` / 2, doubled like the p-value. */
function slack(p: number, draws: number): number {
  return 2 * (3 * Math.sqrt(p / 2 / draws) + 2 / draws)
}

const draws = sized({ short: 4_000, full: 20_000 })

Deno.test(`pValueOf() agrees with ${draws} draws`, () => {
  for (const [i, weighting] of ["one each", "one to four", "often repeated"].entries()) {
    const events = walletOf(weighting, "wide", 40, 3, i)
    const sums = sumsOf(events)
    for (const deviations of [-2.5, -1.5, 1.5, 2.5]) {
      const deviation = deviations * Math.sqrt(varianceOf(sums.cumulants))
      const observed = Math.round(meanOf(sums.cumulants) + deviation)
      const p = pValueOf({ ...sums, observed })
      const drawn = drawnPValue(events, observed, draws, i)
      ok(p > drawn - slack(drawn, draws), `${weighting} ${deviations}: ${p}, drawn ${drawn}`)
      ok(p < 1.4 * drawn + slack(drawn, draws), `${weighting} ${deviations}: ${p}, drawn ${drawn}`)
    }
  }
})

Deno.test("under fair prices the probability of a p-value of at most a is at most a", () => {
  for (const weighting of Object.keys(weightings)) {
    for (const pricing of Object.keys(pricings)) {
      const events = walletOf(weighting, pricing, 30, 3, 7)
      const sums = sumsOf(events)
      const chances = [...convolve(events)]
      const pValues = chances.map((_, observed) => pValueOf({ ...sums, observed }))
      for (const level of [0.2, 0.05, 0.01, 1e-3, 1e-4, 1e-6]) {
        const chance = chances.reduce(
          (sum, it, i) => (pValues[i] ?? 1) <= level ? sum + it : sum,
          0,
        )
        ok(chance <= level * 1.03, `${weighting}, ${pricing}: ${chance} at ${level}`)
      }
    }
  }
})

function straightWins(entries: number, price: number): number {
  const event = eventSums([{ weight: 1, price, paid: 1 }])
  return pValueOf(
    Array.from({ length: entries - 1 }).reduce(
      (sums: NullSums) => addNullSums(sums, event, 1),
      event,
    ),
  )
}

Deno.test("straight wins at high prices prove little, and at long odds much", () => {
  const close = (a: number, b: number) => Math.abs(a / b - 1) < 1e-6
  ok(close(straightWins(30, 0.95), 2 * 0.95 ** 30))
  ok(close(straightWins(100, 0.99), 2 * 0.99 ** 100))
  ok(close(straightWins(6, 0.1), 2 * 0.1 ** 6))
  const smallest = straightWins(10, 0.02)
  ok(smallest > 0 && smallest < 1e-12)
})

Deno.test("a market with as many entries on both sides does not change the p-value", () => {
  strictEqual(pValueOf(eventSums([{ weight: 0, price: 0.5, paid: 0 }])), 1)
  const one = { weight: 1, price: 0.3, paid: 1 }
  deepStrictEqual(eventSums([one, { weight: 0, price: 0.5, paid: 0 }]), eventSums([one]))
})

Deno.test("a fractional total has the exact tails, without rounding by a whole unit", () => {
  const events = walletOf("one to four", "wide", 20, 3, 1)
  const chances = [...convolve(events)]
  const sums = sumsOf(events)
  for (let observed = 0.25; observed < chances.length - 1; observed += 0.5) {
    const tail = (isInside: (total: number) => boolean) =>
      chances.reduce((sum, chance, total) => isInside(total) ? sum + chance : sum, 0)
    const [above, below] = [tail((n) => n >= observed), tail((n) => n <= observed)]
    const exact = Math.min(1, 2 * Math.min(above, below))
    const p = pValueOf({ ...sums, observed })
    ok(Math.abs(p - exact) < 1e-12, `${observed}: ${p}, exactly ${exact}`)
  }
})

/** All totals of an exclusive event with their probabilities: one winner, or none. */
function exclusiveTotals(sides: ReadonlyArray<FavouredSide>): ReadonlyMap<number, number> {
  const yes = sides.map(({ price, exclusive }) => exclusive?.outcome === 1 ? 1 - price : price)
  const found = new Map<number, number>()
  for (const [winner, chance] of [...yes, 1 - yes.reduce((a, b) => a + b, 0)].entries()) {
    const total = sides.reduce(
      (sum, { weight, exclusive }, i) =>
        (exclusive?.outcome === 0) === (i === winner) ? sum + weight : sum,
      0,
    )
    found.set(total, (found.get(total) ?? 0) + chance)
  }
  return found
}

Deno.test("exclusive markets have one winner or none, whichever side is favoured", () => {
  const side = (weight: number, yes: number, outcome: 0 | 1, paid = 0): FavouredSide => ({
    ...{ weight, paid, price: outcome === 0 ? yes : 1 - yes },
    exclusive: { group: "race", outcome },
  })
  for (
    const sides of [
      [side(1, 0.2, 0), side(2, 0.3, 0), side(1, 0.1, 0)],
      [side(3, 0.2, 1, 1), side(1, 0.5, 0), side(5, 0.1, 1, 1)],
      [side(1, 0.2, 1, 1), side(1, 0.3, 1, 1), side(1, 0.4, 1, 1)],
    ]
  ) {
    const sums = eventSums(sides)
    for (let total = 0; total <= sums.weightSum; total++) {
      const chance = chanceBetween(sums.harmonics, total, total)
      const exact = exclusiveTotals(sides).get(total) ?? 0
      ok(Math.abs(chance - exact) < 1e-12, `${total}: ${chance}, exactly ${exact}`)
    }
  }
})

Deno.test("exclusive markets keep their probabilities where prices add up to more than 1", () => {
  const sides = [0.6, 0.5, 0.7].map((price, i): FavouredSide => ({
    ...{ weight: 10 ** i, price, paid: 0 },
    exclusive: { group: "race", outcome: 0 },
  }))
  const { cumulants } = eventSums(sides)
  ok(Math.abs(meanOf(cumulants) - (0.6 + 5 + 70)) < 1e-9)
})

Deno.test("a group of which two markets were paid is not exclusive", () => {
  const sides = [1, 1, 0].map((paid): FavouredSide => ({ weight: 1, price: 0.3, paid }))
  const marked = sides.map((side): FavouredSide => ({
    ...side,
    exclusive: { group: "race", outcome: 0 },
  }))
  deepStrictEqual(eventSums(marked), eventSums(sides))
})

Deno.test("an insider of exclusive markets is found that dependent markets would hide", () => {
  const race = (n: number, exclusive: boolean) =>
    eventSums([0, 1, 2].map((): FavouredSide => ({
      ...{ weight: 1, price: 0.9, paid: 1 },
      ...exclusive ? { exclusive: { group: `race ${n}`, outcome: 1 as const } } : {},
    })))
  const pValue = (exclusive: boolean) =>
    pValueOf(
      Array.from({ length: 30 }, (_, n) => race(n, exclusive))
        .reduce((sums, it) => addNullSums(sums, it, 1)),
    )
  // A loss each in 30 % of 30 races, against all losses together in 10 %.
  ok(Math.abs(pValue(true) / (2 * 0.7 ** 30) - 1) < 1e-6, `${pValue(true)}`)
  ok(Math.abs(pValue(false) / (2 * 0.9 ** 30) - 1) < 1e-6, `${pValue(false)}`)
})

Deno.test("markets of one event give a larger p-value than as many in separate events", () => {
  const won = { weight: 1, price: 0.5, paid: 1 }
  const add = (sums: NullSums, part: NullSums) => addNullSums(sums, part, 1)
  const apart = Array.from({ length: 24 }, () => eventSums([won])).reduce(add)
  const shared = Array.from({ length: 12 }, () => eventSums([won, won])).reduce(add)
  ok(Math.abs(pValueOf(apart) / (2 * 0.5 ** 24) - 1) < 1e-5)
  ok(Math.abs(pValueOf(shared) / (2 * 0.5 ** 12) - 1) < 1e-9)
})
