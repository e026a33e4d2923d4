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
import { numberFaults, uncitedText } from "../../support/http/pageNumbers.ts"

const path = "/v1/track-record"
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

const faults = (record: Scorecard): ReadonlyArray<string> => {
  const html = page(record)
  return [
    ...numberFaults(html, { [path]: record }),
    ...uncitedText(html, "tbody").match(/\S*\d\S*/g) ?? [],
  ]
}

Deno.test("trackRecordPage() shows only numbers of its body, rich or empty", () => {
  deepStrictEqual(faults(sampleScorecard(0)), [])
  deepStrictEqual(faults(empty), [])
})

law(
  "trackRecordPage() shows only numbers of its body, whatever they are",
  Arbitrary.schema(Scorecard),
  (record) => deepStrictEqual(faults(record), []),
)

Deno.test("trackRecordPage() shows a pseudonym as one cut line in its own direction", () => {
  const record = sampleScorecard(0)
  const [wallet] = record.topWallets
  if (wallet === undefined) throw new Error("The sample has no wallet")
  const hostile = `<script>\u202eevil\u001b[31m\n${"x".repeat(300)}`
  const html = page({ ...record, topWallets: [{ ...wallet, pseudonym: hostile }] })
  const names = [...html.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, name = ""]) => name)
  deepStrictEqual(names.length, 1)
  const [name = ""] = names
  match(name, /^&lt;script&gt; evil \[31m x+…$/)
  ok(name.length < 60, name)
})

Deno.test("trackRecordPage() opens with three plots, and folds the other answers", () => {
  const html = page(sampleScorecard(0))
  const [open = "", folded = ""] = html.split('id="more"')
  deepStrictEqual(open.match(/<svg /g)?.length, 3)
  deepStrictEqual(folded.replaceAll(/<details>.*?<\/details>/gs, "").match(/<(table|svg)/g), null)
  match(folded, /Are the probabilities of reports better than the price\?/)
})

Deno.test("trackRecordPage() without data says of every question that it is not known", () => {
  const html = page(empty)
  const verdicts = [...html.matchAll(/<strong>([^<]*)/g)].map(([, verdict = ""]) => verdict)
  deepStrictEqual(verdicts.length, 7)
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
