/**
 * The figures of the wallets in /v1/sample are consistent.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Schema } from "effect"
import { bandEdges, winRateOf } from "../../../src/whales/domain/oddsBands.ts"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"
import { publishable, type WhaleRow } from "../../../src/whales/domain/whale.ts"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"

const { whales, feedItems, research } = Schema.decodeUnknownSync(freeRows.sample.body)(sampleBody)

/** Each published figure is rounded to a hundredth of a percent. */
const near = (a: number, b: number, digits = 0.000_11) =>
  ok(Math.abs(a - b) <= digits, `${a} is not ${b}`)

const mean = ({ oddsBands, resolved }: WhaleRow, of: "winRate" | "meanEntryPrice") =>
  oddsBands.reduce((sum, band) => sum + band.entries * band[of], 0) / resolved

for (const row of whales) {
  Deno.test(`the odds bands of the sample's ${row.label} wallet add up to its totals`, () => {
    strictEqual(row.oddsBands.reduce((sum, { entries }) => sum + entries, 0), row.resolved)
    near(mean(row, "winRate"), row.winRate)
    near(mean(row, "meanEntryPrice"), row.meanEntryPrice)
    const edges: ReadonlyArray<number> = bandEdges
    for (const { from, to, band, meanEntryPrice } of row.oddsBands) {
      strictEqual(edges.indexOf(to), edges.indexOf(from) + 1)
      strictEqual(band, `${from.toFixed(2)}-${to.toFixed(2)}`)
      ok(from <= meanEntryPrice && meanEntryPrice < to)
    }
  })

  Deno.test(`the win rates of the sample's ${row.label} wallet have their Wilson intervals`, () => {
    const parts = [{ ...row, entries: row.resolved }, ...row.oddsBands]
    for (const { entries, winRate, winRateLow, winRateHigh } of parts) {
      const expected = winRateOf({ wins: Math.round(winRate * entries), decisive: entries })
      near(expected.winRate, winRate)
      near(expected.winRateLow, winRateLow)
      near(expected.winRateHigh, winRateHigh)
    }
  })

  Deno.test(`the edge and returns of the sample's ${row.label} wallet follow from its rates`, () => {
    near(row.edge, row.winRate - row.meanEntryPrice)
    near(row.edgeHigh - row.edge, row.edge - row.edgeLow)
    strictEqual(row.label, row.edgeLow > 0 ? "follow" : "neutral")
    for (const { winRate, meanEntryPrice, followRoi, fadeRoi } of row.oddsBands) {
      near(followRoi, winRate / meanEntryPrice - 1, 0.000_3)
      near(fadeRoi ?? NaN, (1 - winRate) / (1 - meanEntryPrice) - 1, 0.000_3)
    }
    const within = (rois: ReadonlyArray<number>, roi: number) =>
      ok(Math.min(...rois) <= roi && roi <= Math.max(...rois))
    within(row.oddsBands.map(({ followRoi }) => followRoi), row.mirrorRoi)
    within(row.oddsBands.map(({ fadeRoi }) => fadeRoi ?? NaN), row.fadeRoi ?? NaN)
    ok(row.events <= row.resolved)
  })
}

Deno.test("the sample's wallets are publishable, in the order of /v1/whales", () => {
  equal(publishable(whales), whales)
  const [position] = research.data.evidence.whales
  equal([position?.wallet, position?.pseudonym], [whales[1]?.wallet, whales[1]?.pseudonym])
  strictEqual(position?.calibration?.winRate, whales[1]?.winRate)
})

Deno.test("the sample's whale entry has its wallet's calibration from before the entry", () => {
  const entry = feedItems.find((item) => item.type === "whale_entry")?.data
  ok(entry !== undefined && entry.calibration !== null)
  const { calibration, wallet, entryPrice, shares, stakeUsd, firstFillAt, lastFillAt } = entry
  const row = whales.find((row) => row.wallet === wallet)
  ok(calibration.computedAt < firstFillAt && firstFillAt <= lastFillAt)
  near(entryPrice * shares, stakeUsd, 0.01)
  for (const key of ["label", "resolved", "winRate", "edge", "edgeLow", "fadeRoi"] as const) {
    strictEqual(calibration[key], row?.[key])
  }
  strictEqual(calibration.followRoi, row?.mirrorRoi)
})
