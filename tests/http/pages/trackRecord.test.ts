/**
 * /track-record: every number on the page is the one that the API answers.
 *
 * @module
 */
import { deepStrictEqual, match, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import { type freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { sampleAt, sampleScorecard } from "../../../src/catalog/domain/sample.ts"
import { TrackRecordPage } from "../../../src/http/pages/trackRecord.tsx"
import { Scorecard } from "../../../src/track-record/domain/scorecard.ts"
import { noForecasts } from "../../../src/track-record/domain/resolutionForecasts.ts"
import { noEstimates } from "../../../src/track-record/domain/estimates.ts"
import { scorecard } from "../../../src/track-record/domain/scorecard.ts"
import { law } from "../../support/effect.ts"
import { numberFaults, uncitedText } from "../../support/http/pageNumbers.ts"

const path = "/v1/track-record"
type Body = typeof freeRows["track_record"]["body"]["Type"]

const page = (record: Scorecard): string => {
  const body: Body = { success: true, ...record }
  return String(TrackRecordPage({ record: body }))
}

const empty = scorecard({
  ...{ tracked: [], totals: [], whales: [], moves: [], entries: new Map() },
  verdicts: { mover_1h: {}, mover_6h: {}, mover_24h: {}, predetermined: {} },
  forecasts: noForecasts,
  estimates: noEstimates,
  readAt: { wallets: null, scores: null },
})

const faults = (record: Scorecard): ReadonlyArray<string> => {
  const html = page(record)
  return [
    ...numberFaults(html, { [path]: record }),
    ...uncitedText(html, "tbody").match(/\S*\d\S*/g) ?? [],
  ]
}

Deno.test("TrackRecordPage() shows only numbers of its body, rich or empty", () => {
  deepStrictEqual(faults(sampleScorecard(sampleAt)), [])
  deepStrictEqual(faults(empty), [])
})

law(
  "TrackRecordPage() shows only numbers of its body, whatever they are",
  Arbitrary.schema(Scorecard),
  (record) => deepStrictEqual(faults(record), []),
)

Deno.test("TrackRecordPage() shows a pseudonym as one cut line in its own direction", () => {
  const record = sampleScorecard(sampleAt)
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

Deno.test("TrackRecordPage() has every section of its contents", () => {
  const html = page(empty)
  const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  deepStrictEqual(links.filter((id) => !html.includes(`id="${id}"`)), [])
})

Deno.test("TrackRecordPage() without data gives each question one answer", () => {
  const [, verdicts = ""] = page(empty).match(/<dl class="verdicts">(.*?)<\/dl>/s) ?? []
  const answers = [...verdicts.matchAll(/<dd>(.*?)<\/dd>/gs)].map(([, answer = ""]) => answer)
  deepStrictEqual(answers.length, 5)
  for (const answer of answers) {
    deepStrictEqual(answer.match(/not known/gi)?.length, 1, answer)
    match(answer, /^<strong>Not known yet: /)
  }
})
