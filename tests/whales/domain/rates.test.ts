/**
 * The figures of a wallet equal their definitions, computed entry by entry.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { overall, ratesOf } from "../../../src/whales/domain/rates.ts"
import { noSums, sumsOf } from "../../../src/whales/domain/score.ts"
import { studentQuantile } from "../../../src/core/domain/student.ts"
import { law } from "../../support/effect.ts"
import {
  alike,
  anyRecord,
  counted,
  entry,
  played,
  type PlayedEvent,
} from "../../support/whales/records.ts"

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)

law("ratesOf() equals the definitions, computed entry by entry", anyRecord, (record) => {
  const entries = counted(record)
  const rates = ratesOf(sumsOf(record))
  if (rates === null) return entries.length === 0
  const decisive = entries.filter(({ paid }) => paid === 0 || paid === 1)
  const follow = entries.map(({ stakeUsd: c, paid, price: p, feeRate }) => ({
    back: c * paid / p,
    cost: c + c * feeRate * (1 - p),
  }))
  const fade = entries.map(({ stakeUsd: c, paid, price: p, feeRate }) => ({
    back: c * (1 - paid) / (1 - p),
    cost: c + c * feeRate * (1 - (1 - p)),
  }))
  const roi = (sides: typeof follow) =>
    sum(sides.map(({ back }) => back)) / sum(sides.map(({ cost }) => cost)) - 1
  return rates.resolved === entries.length &&
    rates.events === new Set(entries.map(({ event }) => event)).size &&
    alike(rates.stakeUsd, sum(entries.map(({ stakeUsd }) => stakeUsd))) &&
    alike(rates.meanEntryPrice, sum(entries.map(({ price }) => price)) / entries.length) &&
    alike(rates.edge, sum(entries.map(({ paid, price }) => paid - price)) / entries.length) &&
    alike(rates.followRoi, roi(follow)) && alike(rates.fadeRoi, roi(fade)) &&
    (decisive.length === 0 ||
      rates.winRate === decisive.filter(({ paid }) => paid === 1).length / decisive.length)
})

Deno.test("the edge's interval is computed from the sums of events", () => {
  // 20 events of 3 entries at .5, 11 of them won: sums of +1.5 and -1.5 about a mean of .15.
  const rates = ratesOf(sumsOf(played(60, 33, 0.5, 3)))
  const squares = 11 * (1.5 - 0.15) ** 2 + 9 * (1.5 + 0.15) ** 2
  const error = Math.sqrt(squares * 20 / 19) / 60
  ok(alike(rates?.edge, 0.05))
  ok(alike(rates?.edgeLow, 0.05 - studentQuantile(19) * error))
  ok(alike(rates?.edgeHigh, 0.05 + studentQuantile(19) * error))
})

Deno.test("a record of wins only has the interval of fair prices", () => {
  const rates = ratesOf(sumsOf(played(40, 40, 0.94)))
  const error = Math.sqrt(0.94 * 0.06 / 40)
  ok(alike(rates?.edge, 0.06))
  ok(alike(rates?.edgeLow, 0.06 - studentQuantile(39) * error))
})

Deno.test("ratesOf() is null without entries, and has a win rate of 0.5 for pushes only", () => {
  strictEqual(ratesOf(noSums), null)
  const push: PlayedEvent = [{ entries: [entry()], payouts: [0.5, 0.5], feeRate: 0 }]
  const rates = ratesOf(sumsOf([push, push]))
  equal([rates?.resolved, rates?.winRate, rates?.winRateLow, rates?.winRateHigh], [2, 0.5, 0, 1])
  equal(rates?.followRoi, 0)
})

Deno.test("four entries of one event count as one for the interval of a win rate", () => {
  const width = (perEvent: number) => {
    const rates = ratesOf(sumsOf(played(400, 200, 0.5, perEvent)))
    const [band] = rates?.oddsBands ?? []
    return [rates, band].map((of) => (of?.winRateHigh ?? 0) - (of?.winRateLow ?? 0))
  }
  const [one, four] = [width(1), width(4)]
  for (const [i, wide] of four.entries()) ok(Math.abs(wide / (one[i] ?? 0) - 2) < 0.1)
})

law(
  "overall() has the intervals of one wallet when all wallets have the same record",
  anyRecord,
  (record) => {
    const sums = sumsOf(record)
    const [one, many] = [overall([sums]), overall([sums, sums, sums])]
    const intervals = ({ winRateLow, winRateHigh }: (typeof one.oddsBands)[number]) => ({
      winRateLow,
      winRateHigh,
    })
    return alike(one.intervals, many.intervals) &&
      alike(one.oddsBands.map(intervals), many.oddsBands.map(intervals))
  },
)

Deno.test("overall() without wallets has no figures", () => {
  equal(overall([]), {
    resolved: 0,
    cancelled: 0,
    winRate: null,
    meanEntryPrice: null,
    followRoi: null,
    fadeRoi: null,
    intervals: {
      ...{ followRoiLow: null, followRoiHigh: null, fadeRoiLow: null, fadeRoiHigh: null },
      effectiveEntries: 0,
    },
    oddsBands: [],
    sweeps: { entries: 0, stakeUsd: 0, meanEntryPrice: null, winRate: null, followRoi: null },
  })
})
