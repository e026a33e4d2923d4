/**
 * The parts of /v1/sample agree with one another.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Schema } from "effect"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"
import { publishable } from "../../../src/whales/domain/whale.ts"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"

const { whales, feedItems, research } = Schema.decodeUnknownSync(freeRows.sample.body)(sampleBody)

/** Each published figure is rounded to a hundredth of a percent. */
const near = (a: number, b: number, digits = 0.000_11) =>
  ok(Math.abs(a - b) <= digits, `${a} is not ${b}`)

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
