/**
 * The template of the digest: it passes the whole check for any material, fills its page, and consists of
 * statements only.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { type DigestDraft, digestSections } from "../../../src/digest/domain/digest.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import type { DigestMaterial } from "../../../src/digest/domain/material.ts"
import { templateDigest } from "../../../src/digest/domain/template.ts"
import { digestComplaints, digestOf } from "../../../src/digest/domain/text.ts"
import { factsById, wordCount } from "../../../src/writing/domain/factCheck.ts"
import { whaleItem } from "../../../src/whales/domain/whaleItem.ts"
import { anyMaterial, quiet, until } from "../../support/digest/digests.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { storedEntry, trackedWallet } from "../../support/whales/entries.ts"
import { market as ordinary, microstructureWith } from "../../support/movers/market.ts"

const metadata = { slot: until, createdAt: until, narrator: "template", venue: "Venue" }

function passagesOf({ sections }: DigestDraft) {
  return digestSections.flatMap((section) => sections[section])
}

law(
  "templateDigest() passes the whole check, in 400 to 800 words, headings and all",
  anyMaterial,
  (material) => {
    const brief = digestBrief(material)
    const draft = templateDigest(brief)
    equal(digestComplaints(draft, brief), [])
    equal(templateDigest(brief), draft)
    const textWords = passagesOf(draft).reduce((sum, { text }) => sum + wordCount(text), 0)
    const words = wordCount(digestOf(draft, brief, metadata).fullAnalysis)
    return textWords >= 400 && words <= 800
  },
  { runs: sized({ short: 200, full: 3_000 }) },
)

law(
  "templateDigest() consists of statements of the facts it cites, each once",
  anyMaterial,
  (material) => {
    const brief = digestBrief(material)
    const facts = factsById(brief.facts)
    const passages = passagesOf(templateDigest(brief))
    const cited = passages.flatMap((passage) => passage.facts)
    strictEqual(new Set(cited).size, cited.length)
    for (const passage of passages) {
      const rest = passage.facts.reduce((text, id) => {
        const fact = brief.facts.find((it) => it.id === id)
        ok(facts.has(id) && fact !== undefined)
        const statement = [fact.statement, fact.short].find((it) => text.startsWith(it))
        ok(statement !== undefined, text)
        return text.slice(statement.length).trimStart()
      }, passage.text)
      strictEqual(rest, "")
    }
  },
  { runs: sized({ short: 100, full: 500 }) },
)

law(
  "templateDigest() always contains coverage, totals, and the strongest move and entry",
  anyMaterial,
  (material) => {
    const { facts, ...brief } = digestBrief(material)
    const cited = new Set(passagesOf(templateDigest({ ...brief, facts })).flatMap((it) => it.facts))
    const strongest = [
      facts.find(({ topic }) => topic === "rise" || topic === "fall"),
      facts.find(({ topic }) => topic === "flow" || topic === "entry"),
    ]
    ok(facts.every(({ id, topic }) => topic !== "limit" || !cited.has(id)))
    return facts.filter(({ topic }) => topic === "coverage" || topic === "count")
      .concat(strongest.flatMap((fact) => fact ?? []))
      .every(({ id }) => cited.has(id))
  },
  { runs: sized({ short: 100, full: 500 }) },
)

/** A window with one move. */
const moved = (fields: Partial<DigestMaterial["movers"][number]["data"]> = {}): DigestMaterial => ({
  ...quiet,
  movers: [move(1, fields)],
})

function move(
  feedIndex: number,
  fields: Partial<DigestMaterial["movers"][number]["data"]>,
): DigestMaterial["movers"][number] {
  const delta = fields.delta ?? 0.14
  return {
    feedIndex,
    type: "mover",
    title: "Any",
    createdAt: "2026-11-21T05:20:30.000Z",
    data: {
      market: market("lighthouse", "Will the lighthouse be lit?", 120_000),
      window: "24h",
      priceStart: 0.42,
      priceNow: 0.42 + delta,
      delta,
      startedAt: "2026-11-20T05:20:00.000Z",
      zScore: 5.23,
      confirmedBy: "trades",
      microstructure: microstructureWith({ mid: 0.56, depthUsd: 30_000 }),
      ...fields,
    },
  }
}

function market(slug: string, question: string, liquidityUsd: number) {
  return {
    slug,
    question,
    outcomes: ["Yes", "No"] as const,
    url: `https://venue.example/${slug}`,
    category: "Harbour",
    eventEndDate: null,
    volumeUsd: 900_000,
    liquidityUsd,
  }
}

Deno.test("templateDigest() names the strongest move in its title: size times liquidity", () => {
  const large = move(2, { market: market("pier", "Will the pier close?", 1_000), delta: 0.3 })
  const title = (material: DigestMaterial) => templateDigest(digestBrief(material)).title.text
  strictEqual(title(moved()), "“Yes” in “Will the lighthouse be lit?” rose by 0.14 to 0.56")
  strictEqual(
    title({ ...quiet, movers: [large, ...moved().movers] }),
    "“Yes” in “Will the lighthouse be lit?” rose by 0.14 to 0.56",
  )
  strictEqual(
    title(moved({ delta: -0.12, priceNow: 0.3 })),
    "“Yes” in “Will the lighthouse be lit?” fell by 0.12 to 0.30",
  )
  strictEqual(title(quiet), "No market moved far enough to be reported")
})

Deno.test("templateDigest() never cuts a title: a fact that is too long is passed over", () => {
  const long = "W".repeat(300)
  const { title, createdAt, data } = whaleItem(
    {
      wallet: trackedWallet({ name: long }),
      market: { ...ordinary({ question: long }), outcomes: [long, "No"] },
      entry: storedEntry(),
      microstructure: null,
    },
    until,
  )
  ok("stakeUsd" in data)
  const whaleEntries = [{
    ...{ type: "whale_entry" as const, title, createdAt, feedIndex: 1 },
    data,
  }]
  const brief = digestBrief({ ...quiet, whaleEntries })
  const draft = templateDigest(brief)
  strictEqual(draft.title.text, "No market moved far enough to be reported")
  equal(digestComplaints(draft, brief), [])
})

Deno.test("templateDigest() of a quiet window says what quiet means", () => {
  const { sections, summary } = templateDigest(digestBrief(quiet))
  strictEqual(
    summary.text,
    "No market moved far enough to be reported. No new position of a tracked wallet was reported. No " +
      "predetermined outcome was found. No market with enough liquidity is expected to resolve soon.",
  )
  const repriced = sections.repriced.map(({ text }) => text).join(" ")
  ok(repriced.includes("a window without a move means that they stayed within their usual range"))
})

Deno.test("templateDigest() relates news to a move of the same hours without calling it the cause", () => {
  const headline = {
    title: "Keeper returns",
    url: "https://news.example/1",
    source: "Harbour News",
    publishedAt: Date.parse("2026-11-21T04:55:00.000Z"),
    markets: ["lighthouse"],
  }
  const context = (publishedAt: number) => {
    const material = { ...moved(), headlines: [{ ...headline, publishedAt }] }
    return templateDigest(digestBrief(material)).sections.context.map(({ text }) => text).join(" ")
  }
  const during = context(headline.publishedAt)
  ok(during.includes(
    "“Keeper returns” was published by “Harbour News” at 04:55 UTC, in the same hours as the move in " +
      "“Will the lighthouse be lit?”.",
  ))
  ok(during.includes("it is not known whether it caused the move"))
  for (const later of ["2026-11-21T05:21:00.000Z", "2026-11-20T05:19:00.000Z"]) {
    const after = context(Date.parse(later))
    ok(after.includes("and its words are similar to those of “Will the lighthouse be lit?”."))
    ok(!after.includes("in the same hours as the move in"))
  }
})
