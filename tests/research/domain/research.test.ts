/**
 * The report on the wire: its shape, its evidence, its prices.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Schema } from "effect"
import { Report, resampleHourly } from "../../../src/research/domain/research.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { microstructureWith, now } from "../../support/movers/market.ts"
import {
  anyMaterial,
  openEntry,
  reportMaterial,
  templateReportOf,
} from "../../support/research/reports.ts"
import { whaleRow } from "../../support/products.ts"

law("reportOf() has the documented shape", anyMaterial, (material) => {
  const report = templateReportOf(material)
  ok(Schema.is(Report)(report))
  equal(JSON.parse(JSON.stringify(report)), report)
}, { runs: sized({ short: 200, full: 1_000 }) })

Deno.test("reportOf() lists entries of tracked wallets, with the records of those that have one", () => {
  const { evidence } = templateReportOf(reportMaterial({
    entries: [
      openEntry({ price: 0.123_456, stakeUsd: 2_000.006 }),
      openEntry({
        outcome: 1,
        marketMaker: true,
        calibration: { computedAt: now, row: whaleRow({ resolved: 29 }) },
      }),
      openEntry({ calibration: null }),
    ],
  }))
  const [first, second, third] = evidence.whales
  equal(
    [first?.outcome, first?.entryPrice, first?.stakeUsd, first?.pseudonym, first?.marketMaker],
    ["Yes", 0.123_45, 2_000.01, "Scary-Barrel", false],
  )
  equal([first?.calibration?.resolved, first?.calibration?.label], [84, "neutral"])
  equal([second?.outcome, second?.marketMaker, second?.calibration], ["No", true, null])
  equal(third?.calibration, null)
})

Deno.test("reportOf() lists all facts, and the ids that each part cites", () => {
  const { evidence: { facts, grounds, news } } = templateReportOf(reportMaterial())
  const ids = facts.map(({ id }) => id)
  equal(ids, facts.map((_, n) => `F${n + 1}`))
  const parts = [grounds.thesis, grounds.whaleView, ...grounds.risks, grounds.bottomLine]
  ok(parts.every((part) => part.length > 0 && part.every((id) => ids.includes(id))))
  equal(news, [{
    title: "Keepers ready the lighthouse",
    url: "https://news.example/lighthouse",
    source: "news.example",
    publishedAt: "2026-11-20T10:00:00.000Z",
  }])
})

Deno.test("reportOf() without a book has null", () => {
  const { evidence } = templateReportOf(reportMaterial({ book: null }))
  strictEqual(evidence.microstructure, null)
  const named = templateReportOf(reportMaterial()).evidence
  equal(named.microstructure, { outcome: "Yes", ...microstructureWith() })
  strictEqual(named.outcome, "Yes")
})

Deno.test("resampleHourly() keeps the last valid price of each hour, ascending", () => {
  const start = Math.floor(now / hour) * hour
  const at = (minutes: number, mid: number) => ({ at: start + minutes * minute, mid })
  equal(
    resampleHourly([at(70, 0.3), at(10, 0.1), at(59, 0.2), at(61, 0.25), at(130, NaN), at(200, 2)]),
    [at(59, 0.2), at(70, 0.3)],
  )
})
