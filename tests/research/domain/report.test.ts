/**
 * The facts of a report, its template, and the check of its drafts.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { halfSteps } from "../../../src/markets/domain/book.ts"
import { factsById, faultsOf } from "../../../src/writing/domain/factCheck.ts"
import type { ReportDraft } from "../../../src/research/domain/report.ts"
import { reportBrief } from "../../../src/research/domain/facts.ts"
import { priceOf, type ReportMaterial } from "../../../src/research/domain/material.ts"
import { templateReport } from "../../../src/research/domain/template.ts"
import { reportComplaints, risksMax } from "../../../src/research/domain/text.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { market, microstructureWith, now } from "../../support/movers/market.ts"
import { whaleRow } from "../../support/products.ts"
import {
  anyMaterial,
  headline,
  openEntry,
  reportMaterial,
  untrustedTexts,
} from "../../support/research/reports.ts"

const many = { runs: sized({ short: 200, full: 3_000 }) }

law("each statement of a report passes the check by itself", anyMaterial, (material) => {
  const { facts } = reportBrief(material)
  const known = factsById(facts)
  strictEqual(known.size, facts.length)
  for (const { id, statement, figures, names } of facts) {
    equal(faultsOf({ text: statement, facts: [id] }, known), [], statement)
    ok(figures.every((figure) => statement.includes(figure)), statement)
    ok(names.every((name) => statement.includes(`“${name}”`)), statement)
    ok(!statement.includes("“”"), statement)
  }
}, many)

law("templateReport() passes the check for any facts", anyMaterial, (material) => {
  const brief = reportBrief(material)
  const draft = templateReport(brief)
  equal(reportComplaints(draft, brief), [])
  ok(draft.confidence !== "high")
}, many)

law("a report is certain of nothing but of a market that has resolved", anyMaterial, (material) => {
  const certain = reportBrief(material).facts.some((fact) => fact.certain)
  strictEqual(certain, material.market.status === "resolved")
})

const textOf = (material: ReportMaterial) =>
  reportBrief(material).facts.map(({ statement }) => statement).join("\n")

law(
  "the facts state the direction, the ends and the range of the price correctly",
  anyMaterial,
  (material) => {
    const [first] = material.priceAction
    const price = priceOf(material)
    const text = textOf({ ...material, market: market() })
    const stated = /^Over the previous .*, the price (rose|fell|ended)/m.exec(text)?.[1] ?? null
    const moved = Math.sign(halfSteps(price.mid) - halfSteps(first.mid))
    const word = moved > 0 ? "rose" : moved < 0 ? "fell" : "ended"
    strictEqual(stated, price.at - first.at < hour ? null : word, text)
    if (stated === null || moved === 0) return
    const [, by, from, to, low, high] =
      /^Over .* by ([\d.]+), from ([\d.]+) to ([\d.]+); it stayed between ([\d.]+) and ([\d.]+)\.$/m
        .exec(text)?.map(Number) ?? []
    const mids = [...material.priceAction, price].map(({ mid }) => mid)
    equal([from, to], [first.mid, price.mid])
    equal([low, high], [Math.min(...mids), Math.max(...mids)])
    strictEqual(halfSteps(by ?? NaN), Math.abs(halfSteps(price.mid) - halfSteps(first.mid)))
  },
  { runs: 1_000 },
)

const missing: ReadonlyArray<readonly [string, Partial<ReportMaterial>, RegExp]> = [
  ["wallets could not be read", { entries: null }, /wallets could not be read/],
  ["no wallet has an open entry", { entries: [] }, /No tracked wallet is known/],
  ["news could not be read", { news: null }, /news could not be read/],
  ["news is off", { news: { headlines: [], sources: 0, answered: 0 } }, /No news was read/],
  [
    "some sources did not answer",
    { news: { headlines: [headline()], sources: 3, answered: 1 } },
    /without 2 news sources/,
  ],
  [
    "no related headline was found",
    { news: { headlines: [], sources: 3, answered: 3 } },
    /No headline about this question was found/,
  ],
  ["there is no order book", { microstructure: null }, /No valid order book was found/],
]
for (const [what, fields, words] of missing) {
  Deno.test(`a report says so when ${what}`, () => {
    ok(!words.test(textOf(reportMaterial())))
    const brief = reportBrief(reportMaterial(fields))
    const { thesis, whaleView, risks } = templateReport(brief)
    const report = [thesis, whaleView, ...risks].map(({ text }) => text).join("\n")
    ok(words.test(textOf(reportMaterial(fields))))
    ok(words.test(report) || /There is no valid order book now/.test(report), report)
  })
}

Deno.test("the risks of a report are those of its market, the most important first", () => {
  const weak = reportMaterial({
    market: market({ status: "proposed", mechanical: "slug", volumeUsd: 900, endsAt: now - day }),
    microstructure: microstructureWith({ spread: 0.08, depthUsd: 1_000 }),
    news: null,
  })
  const { risks } = templateReport(reportBrief(weak))
  const words = [
    ...["proposed", "mechanical", "spread is 0.08", "1,000 USD near", "900 USD", "No news"],
    ...["is in the past", "rules of the question"],
  ]
  equal(risks.map(({ text }, n) => text.includes(words[n] ?? "?")), words.map(() => true))
  strictEqual(words.length, risksMax)
  const ordinary = templateReport(reportBrief(reportMaterial())).risks
  equal(ordinary.map(({ text }) => text.split(" ", 3).join(" ")), [
    "The scheduled end",
    "The rules of",
  ])
})

Deno.test("entries of tracked wallets are counted by outcome, without market makers", () => {
  const text = textOf(reportMaterial({
    entries: [
      openEntry({ stakeUsd: 3_000 }),
      openEntry({ stakeUsd: 1_500.4 }),
      openEntry({ outcome: 1, stakeUsd: 700 }),
      openEntry({ stakeUsd: 9e6, marketMaker: true }),
    ],
  }))
  ok(text.includes("2 entries on “Yes” for 4,500 USD and 1 entry on “No” for 700 USD"), text)
  ok(text.includes("This leaves out 1 entry by wallets that make markets"), text)
  const makersAlone = textOf(reportMaterial({ entries: [openEntry({ marketMaker: true })] }))
  ok(makersAlone.includes("No tracked wallet that takes a view"), makersAlone)
  ok(!makersAlone.includes("0 entries"), makersAlone)
})

Deno.test("the bottom line of an open question names the proposed outcome", () => {
  const bottomLine = (material: ReportMaterial) =>
    templateReport(reportBrief(material)).bottomLine.text
  const proposal = {
    marketId: market().id,
    outcome: 1,
    proposedAt: now - hour,
    settlesAt: null,
    disputed: false,
  } as const
  ok(/though the outcome “No” was proposed/.test(bottomLine(reportMaterial({ proposal }))))
  ok(!/proposed/.test(bottomLine(reportMaterial())))
})

Deno.test("a headline of several publishers is stated once, and leaves room for the largest change", () => {
  const headlines = ["a", "b"].map((source) =>
    headline({ source, url: `https://${source}.example` })
  )
  const { thesis } = templateReport(reportBrief(reportMaterial({
    priceAction: [{ at: now - 2 * hour, mid: 0.45 }, { at: now - hour, mid: 0.6 }],
    news: { headlines, sources: 2, answered: 2 },
  })))
  strictEqual(thesis.text.split("Keepers ready the lighthouse").length, 2)
  ok(/Keepers ready[^]*The largest change/.test(thesis.text), thesis.text)
})

Deno.test("the record of a wallet is stated from its thirtieth resolved entry on", () => {
  const withResolved = (resolved: number) =>
    textOf(reportMaterial({
      entries: [
        openEntry({ calibration: { computedAt: now, row: whaleRow({ resolved, label: "fade" }) } }),
      ],
    }))
  ok(withResolved(30).includes("The label of this record is fade"))
  ok(!withResolved(29).includes("The label of this record"))
  ok(withResolved(29).includes("Too few of its entries have ended"))
})

const brief = reportBrief(reportMaterial())
const valid = templateReport(brief)
const refuses = (draft: Partial<ReportDraft>, where: RegExp) => {
  const complaints = reportComplaints({ ...valid, ...draft }, brief)
  ok(complaints.length > 0 && complaints.every((each) => where.test(each)), complaints.join("\n"))
}

law(
  "reportComplaints() refuses in every part what no fact states",
  Arbitrary.schema(Schema.Struct({
    part: Schema.Literals(["thesis", "whaleView", "risk", "bottomLine"]),
    text: Schema.Literals([
      "The price is 0.61.",
      "It rose by 12 percent to a new high.",
      "“Evil” bought all of it.",
      "The outcome is guaranteed to be yes.",
      "Read more at https://evil.example now.",
      "Send money to Mallory now.",
      "The **price** is what it is.",
      "It moved by half.",
    ]),
  })),
  ({ part, text }) => {
    const passage = { text, facts: ["F1", "F2"] }
    if (part === "risk") refuses({ risks: [...valid.risks, passage] }, /^risk 3: /)
    else refuses({ [part]: passage }, new RegExp(`^${part}: `))
  },
)

Deno.test("reportComplaints() requires 1 to 8 risks, and more than a few words in each passage", () => {
  const [risk] = valid.risks
  ok(risk !== undefined)
  refuses({ risks: [] }, /^risks: there are 0/)
  refuses({ risks: Array.from({ length: 9 }, () => risk) }, /^risks: there are 9/)
  equal(reportComplaints({ ...valid, risks: Array.from({ length: 8 }, () => risk) }, brief), [])
  refuses({ bottomLine: { text: "The price.", facts: ["F1"] } }, /^bottomLine: it is too short/)
  refuses({ thesis: { text: valid.thesis.text, facts: [] } }, /^thesis: it cites no facts/)
  refuses({ thesis: { text: "The price rose.", facts: ["F99"] } }, /^thesis: /)
})

Deno.test("the template passes the check with untrusted text in every place", () => {
  for (const question of untrustedTexts) {
    const material = reportMaterial({
      market: market({ question, outcomes: [question, question] }),
      entries: [openEntry({ name: question })],
      news: {
        headlines: [headline({ title: question, source: question })],
        sources: 1,
        answered: 1,
      },
    })
    equal(reportComplaints(templateReport(reportBrief(material)), reportBrief(material)), [])
  }
})
