/**
 * The gambler's wealth is an e-process, and the closed e-BH procedure equals its definition.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { discoveries } from "../../../src/whales/domain/closedEBH.ts"
import {
  addEvidence,
  type Bet,
  eventEvidence,
  logEvidenceOf,
  noEvidence,
} from "../../../src/whales/domain/evidence.ts"
import { law } from "../../support/effect.ts"

const bet = (price: number, paid: number, openedAt = 0, early = false): Bet => ({
  ...{ price, paid, openedAt, early },
})
const wealthOf = (...bets: ReadonlyArray<Bet>) => {
  const { follow, fade } = logEvidenceOf(eventEvidence(bets))
  return { follow: Math.exp(follow), fade: Math.exp(fade) }
}

const prices = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 94 }))),
    (cents) => cents / 100,
  ),
  { minLength: 1, maxLength: 6 },
)

/** The mean wealth after one event whose markets all depend on one draw, or on draws of their own. */
function meanWealth(prices: ReadonlyArray<number>, side: "follow" | "fade", together: boolean) {
  if (together) {
    const cuts = [0, ...prices.toSorted((a, b) => a - b), 1]
    return cuts.slice(1).reduce((sum, cut, i) => {
      const from = cuts[i] ?? 0
      const paid = prices.map((price, n) => bet(price, (from + cut) / 2 < price ? 1 : 0, n))
      return sum + (cut - from) * wealthOf(...paid)[side]
    }, 0)
  }
  return Array.from({ length: 2 ** prices.length }, (_, results) => {
    const won = (n: number) => (results >> n) % 2 === 1
    const chance = prices.reduce((all, price, n) => all * (won(n) ? price : 1 - price), 1)
    return chance * wealthOf(...prices.map((price, n) => bet(price, won(n) ? 1 : 0, n)))[side]
  }).reduce((sum, part) => sum + part, 0)
}

law(
  "at fair prices the mean wealth stays 1, however the markets of an event depend on each other",
  prices,
  (prices) =>
    (["follow", "fade"] as const).every((side) =>
      [true, false].every((together) => Math.abs(meanWealth(prices, side, together) - 1) < 1e-9)
    ),
)

Deno.test("the wealth of a single bet is the likelihood ratio of the tilted odds", () => {
  const tilts = [0.08, 0.15, 0.25, 0.35, 0.55, 1]
  const { late } = eventEvidence([bet(0.3, 1)])
  tilts.forEach((tilt, i) => {
    const tilted = 0.3 * Math.exp(tilt) / (0.7 + 0.3 * Math.exp(tilt))
    ok(Math.abs((late.follow[i] ?? 0) - Math.log(tilted / 0.3)) < 1e-12)
  })
})

Deno.test("no event takes all of the wealth, whatever it pays and however many markets it has", () => {
  for (const paid of [0, 1]) {
    for (const price of [0.01, 0.5, 0.94]) {
      const { follow, fade } = wealthOf(
        ...Array.from({ length: 500 }, (_, n) => bet(price, paid, n)),
      )
      ok(follow >= 0.199 && fade >= 0.199, `${price} ${paid}: ${follow} ${fade}`)
    }
  }
})

Deno.test("wealth from before the selection counts a twelfth, and with half of the capital", () => {
  const record = (early: boolean) =>
    Array.from({ length: 200 }, (_, n) => eventEvidence([bet(0.5, n % 3 === 0 ? 0 : 1, n, early)]))
      .reduce((sums, event) => addEvidence(sums, event, 1), noEvidence)
  const [late, early] = [record(false), record(true)].map((sums) => logEvidenceOf(sums).follow)
  const expected = Math.log(0.5 + 0.5 / 12 * Math.exp(late ?? 0))
  ok(Math.abs((early ?? 0) - expected) < 1e-9, `${early}, ${expected}`)
})

Deno.test("addEvidence() subtracts what it added, and leaves nothing after the last event", () => {
  const [one, other] = [eventEvidence([bet(0.3, 1)]), eventEvidence([bet(0.7, 0, 0, true)])]
  const both = addEvidence(addEvidence(noEvidence, one, 1), other, 1)
  equal(addEvidence(addEvidence(both, one, -1), other, -1), noEvidence)
})

/** Whether the r largest are discoveries, by every set of hypotheses. */
function areDiscoveries(values: ReadonlyArray<number>, r: number, rate: number): boolean {
  return Array.from({ length: 2 ** values.length - 1 }, (_, n) => n + 1).every((set) => {
    const chosen = values.flatMap((value, i) => (set >> i) % 2 === 1 ? [{ value, i }] : [])
    const mean = chosen.reduce((sum, { value }) => sum + value, 0) / chosen.length
    const among = chosen.filter(({ i }) => i < r).length
    return mean >= among / (rate * r) - 1e-9
  })
}

const eValues = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: -30, maximum: 70 }))),
    { minLength: 1, maxLength: 9 },
  ),
  (tenths) => tenths.map((tenth) => Math.exp(tenth / 10)).sort((a, b) => b - a),
)

law("discoveries() equals the definition over all sets of hypotheses", eValues, (values) => {
  const rate = 0.05
  const largest = values.filter((value) => value >= 0.999_999 / rate).length
  const cut = values.map((value) => Math.min(value, values.length / rate))
  const expected = [...Array(largest).keys()].map((n) => largest - n)
    .find((r) => areDiscoveries(cut, r, rate)) ?? 0
  return discoveries(values.map(Math.log), rate) === expected
})

law("discoveries() finds all that e-BH finds", eValues, (values) => {
  const found = values.findLastIndex((value, i) => value >= values.length / (0.05 * (i + 1))) + 1
  return discoveries(values.map(Math.log), 0.05) >= found
})

Deno.test("discoveries() of nothing, of a huge e-value and of ruin", () => {
  strictEqual(discoveries([], 0.05), 0)
  strictEqual(discoveries([5_000, -5_000], 0.05), 1)
  strictEqual(discoveries([-5_000], 0.05), 0)
})
