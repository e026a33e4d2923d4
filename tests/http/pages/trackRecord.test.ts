/**
 * /track-record: every number on the page is the one that the API answers.
 *
 * @module
 */
import { entrySummary } from "../../../src/track-record/domain/entryScore.ts"
import { deepStrictEqual, match, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import { type freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { sampleScorecard } from "../../support/catalog/samples.ts"
import { PageContent } from "../../../src/http/pages/sections.tsx"
import { trackRecordPage } from "../../../src/http/pages/trackRecord.ts"
import { Scorecard } from "../../../src/track-record/domain/scorecard.ts"
import { noForecasts } from "../../../src/track-record/domain/forecasts.ts"
import { scorecard } from "../../../src/track-record/domain/scorecard.ts"
import { law } from "../../support/effect.ts"
import { numberFaults } from "../../support/http/pageNumbers.ts"

type Body = typeof freeRows["track_record"]["body"]["Type"]

const page = (record: Scorecard): string => {
  const body: Body = { success: true, ...record }
  return String(PageContent({ page: trackRecordPage(body) }))
}

const empty = scorecard({
  ...{
    tracked: [],
    sums: [],
    whales: [],
    moves: [],
    entries: entrySummary([]),
  },
  verdicts: { mover_1h: {}, mover_6h: {}, mover_24h: {}, predetermined: {} },
  forecasts: { resolution: noForecasts, price: noForecasts },
  readAt: { wallets: null, scores: null },
})

Deno.test("trackRecordPage() shows only numbers of its body, rich or empty", () => {
  const sample = sampleScorecard(0)
  deepStrictEqual(numberFaults(page(sample), [sample]), [])
  deepStrictEqual(numberFaults(page(empty), [empty]), [])
})

law(
  "trackRecordPage() shows only numbers of its body, whatever they are",
  Arbitrary.schema(Scorecard),
  (record) => deepStrictEqual(numberFaults(page(record), [record]), []),
)

Deno.test("trackRecordPage() opens with three plots, and folds the other answers", () => {
  const html = page(sampleScorecard(0))
  const [open = "", folded = ""] = html.split('id="more"')
  deepStrictEqual(open.match(/<svg /g)?.length, 3)
  deepStrictEqual(folded.replaceAll(/<details>.*?<\/details>/gs, "").match(/<(table|svg)/g), null)
  match(folded, /<details>.*probabilities.*<\/details>/s)
})

Deno.test("trackRecordPage() without data says of every question that it is not known", () => {
  const html = page(empty)
  const verdicts = [...html.matchAll(/<strong>([^<]*)/g)].map(([, verdict = ""]) => verdict)
  deepStrictEqual(verdicts.length, 3)
  for (const verdict of verdicts) match(verdict, /^Not known yet: /)
  ok(!html.includes("<svg"))
})

Deno.test("trackRecordPage() plots the share that won less the price that was paid", () => {
  const record = sampleScorecard(0)
  const [band] = record.oddsBands
  if (band === undefined || band.winRate === null) throw new Error("The sample has no band")
  const html = page({ ...record, oddsBands: [{ ...band, meanEntryPrice: 0.053, winRate: 0.082 }] })
  match(html, /<svg [^>]*>(?:(?!<\/svg>).)*\+2\.9 %/s)
})
