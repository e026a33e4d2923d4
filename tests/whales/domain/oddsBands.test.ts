/**
 * Bands of entry prices: their edges and their published figures.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { overall, ratesOf } from "../../../src/whales/domain/rates.ts"
import {
  bandEdges,
  bandOf,
  entrySums,
  OddsBand,
  publishedBands,
  roisOf,
  winRateOf,
} from "../../../src/whales/domain/oddsBands.ts"
import { sumsOf } from "../../../src/whales/domain/score.ts"
import { law } from "../../support/effect.ts"
import { alike, anyRecord, counted } from "../../support/whales/records.ts"

Deno.test("bandOf() begins a band at its edge, however the price was computed", () => {
  const inBand = (prices: ReadonlyArray<number>) => prices.map((price) => bandOf(price, bandEdges))
  equal(inBand([0, 0.05, 0.0999]), [0, 0, 0])
  equal(inBand([0.1, 0.3 - 0.2, 1 - 0.9, 0.7 / 7, 0.2499]), [1, 1, 1, 1, 1])
  equal(inBand([0.25, 0.4999]), [2, 2])
  equal(inBand([0.5, 0.7499]), [3, 3])
  equal(inBand([0.75, 0.1 + 0.65, 0.8999]), [4, 4, 4])
  equal(inBand([0.9, 0.3 * 3, 0.9999, 1]), [5, 5, 5, 5])
})

Deno.test("winRateOf() is Wilson's interval as published", () => {
  // Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17
  // (1998), table I, method 3; Brown, Cai and DasGupta's formula gives the last.
  const published = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [20, 20, 0.8389, 1],
  ] as const
  for (const [wins, decisive, low, high] of published) {
    const { winRate, winRateLow, winRateHigh } = winRateOf({ wins, decisive })
    strictEqual(winRate, wins / decisive)
    ok(Math.abs(winRateLow - low) < 6e-5, `${wins}/${decisive}: ${winRateLow}`)
    ok(Math.abs(winRateHigh - high) < 6e-5, `${wins}/${decisive}: ${winRateHigh}`)
  }
})

Deno.test("winRateOf() is 0.5 in [0, 1] without a decisive entry", () => {
  equal(winRateOf({ wins: 0, decisive: 0 }), { winRate: 0.5, winRateLow: 0, winRateHigh: 1 })
})

law(
  "winRateOf() is within its interval, and the interval within [0, 1]",
  Arbitrary.schema(Schema.Struct({
    wins: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
    losses: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
  })),
  ({ wins, losses }) => {
    const { winRate, winRateLow, winRateHigh } = winRateOf({ wins, decisive: wins + losses })
    return 0 <= winRateLow && winRateLow <= winRate && winRate <= winRateHigh && winRateHigh <= 1
  },
)

Deno.test("roisOf() has no fade at a price below 0.05, and a fade is not minus the follow", () => {
  equal([0.95, 0.951].map((price) => roisOf(entrySums(price, 1_000, 1, 0)).fadeRoi), [-1, null])
  const { followRoi, fadeRoi } = roisOf(entrySums(0.9, 1_000, 0, 0))
  equal([followRoi, Math.round(fadeRoi ?? NaN)], [-1, 9])
})

law(
  "a published band has the entries of its prices, and matches its schema",
  anyRecord,
  (record) => {
    const entries = counted(record)
    return publishedBands(sumsOf(record).bands, 1).every((band) => {
      const within = entries.filter(({ price }) => price >= band.from && price < band.to)
      const decisive = within.filter(({ paid }) => paid === 0 || paid === 1)
      const wins = decisive.filter(({ paid }) => paid === 1).length
      return Schema.is(OddsBand)(band) && band.entries === within.length && band.entries > 0 &&
        band.winRate === (decisive.length === 0 ? 0.5 : wins / decisive.length)
    })
  },
)

law(
  "overall() equals the rates of one wallet with all entries, but for intervals",
  anyRecord,
  (record) => {
    const each = record.map((event) => sumsOf([event]))
    const { resolved, cancelled, winRate, followRoi, fadeRoi, sweeps, ...all } = overall(each)
    const rates = ({ winRateLow: _, winRateHigh: __, ...band }: typeof OddsBand.Type) => band
    const oddsBands = all.oddsBands.map(rates)
    const one = ratesOf(sumsOf(record))
    if (one === null) return resolved === 0 && winRate === null && followRoi === null
    return alike(
      {
        ...{ oddsBands, resolved, cancelled, winRate: winRate ?? 0.5 },
        ...{ followRoi, fadeRoi, sweeps },
      },
      {
        oddsBands: one.oddsBands.map(rates),
        resolved: one.resolved,
        cancelled: one.cancelled,
        winRate: one.winRate,
        followRoi: one.followRoi,
        fadeRoi: one.fadeRoi,
        sweeps: one.sweeps,
      },
    )
  },
)
