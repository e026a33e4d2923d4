/**
 * The statements of a digest, word for word.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert"
import type { DigestTopic } from "../../../src/digest/domain/digest.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import type {
  DigestMaterial,
  EndedMarket,
  PredeterminedItem,
} from "../../../src/digest/domain/material.ts"
import { type FrozenCalibration, marketRef } from "../../../src/feed/domain/item.ts"
import { MarketId, Slug } from "../../../src/markets/domain/market.ts"
import { hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { whaleItem } from "../../../src/whales/domain/whaleItem.ts"
import { quiet, until } from "../../support/digest/digests.ts"
import { calibration, storedEntry, trackedWallet } from "../../support/whales/entries.ts"
import { market } from "../../support/movers/market.ts"

/** The full and the short statement of the only fact of a topic. */
function statements(
  material: Partial<DigestMaterial>,
  topic: DigestTopic,
): readonly [string, string] {
  const facts = digestBrief({ ...quiet, ...material }).facts.filter((fact) => fact.topic === topic)
  strictEqual(facts.length, 1)
  return [facts[0]?.statement ?? "", facts[0]?.short ?? ""]
}

function entry(frozen: Partial<FrozenCalibration> | null): Partial<DigestMaterial> {
  const it = frozen === null ? null : { ...calibration(until - hour), ...frozen }
  const stored = storedEntry({ stakeUsd: 12_300, price: 0.4124, fills: 3, calibration: it })
  const item = whaleItem(
    {
      wallet: trackedWallet(),
      market: market(),
      entry: { ...stored, lastFillAt: until - 20 * minute },
      microstructure: null,
    },
    until,
  )
  if (item.type !== "whale_entry") throw new Error("Cannot happen: whaleItem() made no entry")
  return { whaleEntries: [{ ...item, feedIndex: 1 }] }
}

const bought =
  "“Scary-Barrel” bought “Yes” in “Will the lighthouse be lit?” for 12,300 USD, at a " +
  "mean price of 0.4124 in 3 fills, the last at 07:40 UTC."
const put = "put 12,300 USD on “Yes” in “Will the lighthouse be lit?”."

Deno.test("an entry of an unlabelled wallet says that too little is known", () => {
  equal(statements(entry(null), "entry"), [
    `${bought} Too little is known about this wallet to label it.`,
    `“Scary-Barrel”, not labelled, ${put}`,
  ])
})

Deno.test("an entry of a labelled wallet states the evidence of the label, and what it means", () => {
  const figures = { resolved: 212, winRate: 0.56, meanEntryPrice: 0.55, edge: 0.01 }
  const record = { ...figures, edgeLow: -0.08, edgeHigh: 0.1 }
  const evidence =
    "over 212 entries, counted as held to resolution, it had a win rate of 0.56 at a mean entry price of " +
    "0.55, and an edge of 0.01 with an interval from -0.08 to 0.10;"
  for (
    const [label, meaning] of [
      ["neutral", "after fees, this record is not shown to differ from the prices paid"],
      ["follow", "luck hardly explains such good results at these prices"],
      ["fade", "luck hardly explains such poor results at these prices"],
    ] as const
  ) {
    equal(statements(entry({ ...record, label }), "entry"), [
      `${bought} The wallet was labelled ${label}: ${evidence} ${meaning}.`,
      `“Scary-Barrel”, labelled ${label} after 212 entries, ${put}`,
    ])
  }
})

Deno.test("an invisible question is replaced by the slug, and an invisible name by `unnamed`", () => {
  const [one] = entry(null).whaleEntries ?? []
  if (one === undefined) throw new Error("Cannot happen: no entry")
  const data = { ...one.data, outcome: "\u2800", pseudonym: "\u200b", wallet: "0xabc" }
  const unseen = { ...data, market: { ...data.market, question: "\u200b\n" } }
  strictEqual(
    statements({ whaleEntries: [{ ...one, data: unseen }] }, "entry")[1],
    "“0xabc”, not labelled, put 12,300 USD on “unnamed” in “will-the-lighthouse-be-lit”.",
  )
})

Deno.test("entries in one market are added up by outcome", () => {
  const [one] = entry(null).whaleEntries ?? []
  if (one === undefined) throw new Error("Cannot happen: no entry")
  const on = (outcome: string, stakeUsd: number, feedIndex: number) => ({
    ...one,
    feedIndex,
    data: { ...one.data, outcome, stakeUsd },
  })
  const whaleEntries = [on("No", 5_000, 1), on("Yes", 30_000, 2), on("Yes", 10_000, 3)]
  strictEqual(
    statements({ whaleEntries }, "flow")[0],
    "In “Will the lighthouse be lit?”, 40,000 USD in 2 entries went to “Yes” and 5,000 USD in 1 entry " +
      "went to “No”.",
  )
})

Deno.test("the fact of an ended market states its payouts", () => {
  const stated = (
    way: { state: "cancelled" } | { state: "paid"; payouts: readonly [number, number] },
    resolvedAt: number | null,
  ) => {
    const ended: EndedMarket = {
      market: { slug: Slug.make("match"), question: "Who wins?", outcomes: ["Falcons", "Comets"] },
      endedAt: until - 2 * hour,
      resolution: { marketId: MarketId.make("m"), resolvedAt, source: "oracle", ...way },
    }
    return statements({ resolutions: [ended] }, "resolution")[0]
  }
  const paid = (a: number, b: number) =>
    stated({ state: "paid", payouts: [a, b] }, until - 3 * hour)
  strictEqual(paid(1, 0), "“Who wins?” resolved as “Falcons” at 05:00 UTC.")
  strictEqual(paid(0, 1), "“Who wins?” resolved as “Comets” at 05:00 UTC.")
  strictEqual(
    paid(0.25, 0.75),
    "“Who wins?” resolved with 0.25 USD for a share of “Falcons” and 0.75 USD for a share of " +
      "“Comets” at 05:00 UTC.",
  )
  strictEqual(
    stated({ state: "cancelled" }, null),
    "“Who wins?” was closed without a payout, known since 06:00 UTC.",
  )
})

Deno.test("the fact of a predetermined outcome names its evidence and what found it", () => {
  const evidence = { title: "It is lit", url: "https://n.example", source: "Harbour News" }
  const finding = (detector: string, pieces: number): Partial<DigestMaterial> => {
    const first = { ...evidence, publishedAt: isoTime(until) }
    const item: PredeterminedItem = {
      ...{ feedIndex: 1, type: "predetermined", title: "Any", createdAt: isoTime(until) },
      data: {
        ...{ market: marketRef(market()), outcome: "Yes", statement: "Not ours to repeat." },
        ...{
          confidence: "high",
          evidence: [first, ...Array.from({ length: pieces - 1 }, () => first)],
        },
        ...{
          marketPrice: 0.87,
          impliedEdge: 0.13,
          detectedAt: isoTime(until - 50 * minute),
          detector,
        },
        microstructure: null,
      },
    }
    return { predetermined: [item] }
  }
  const found =
    "found at 07:10 UTC with high confidence that “Yes” is already the outcome of “Will the " +
    "lighthouse be lit?”. Its price was 0.87 then, an implied edge of 0.13; the finding rests on"
  equal(statements(finding("rules", 1), "predetermined"), [
    `Rules ${found} 1 piece of evidence: “It is lit” from “Harbour News”.`,
    "“Yes” is already the outcome of “Will the lighthouse be lit?”, at a price of 0.87.",
  ])
  strictEqual(
    statements(finding("gpt-9", 2), "predetermined")[0],
    `The model “gpt-9” ${found} 2 pieces of evidence, first “It is lit” from “Harbour News”.`,
  )
})

Deno.test("the fact of an expected resolution states its price, and whether that has converged", () => {
  const coming = (mid: number) => ({
    upcoming: [{
      ...{ slug: Slug.make("vote"), question: "Will it pass?", outcomes: ["Yes", "No"] as const },
      ...{ liquidityUsd: 54_000, resolvesAt: until + 9 * hour, mid },
    }],
  })
  const start = "“Will it pass?” is expected to resolve at about 17:00 UTC"
  equal(statements(coming(0.61), "upcoming"), [
    `${start}, 9 hours after this digest ends, with “Yes” at 0.61; the price is still contested, and ` +
    `the market has 54,000 USD of liquidity.`,
    `${start}, with “Yes” at 0.61.`,
  ])
  strictEqual(statements(coming(0.945), "upcoming")[0].includes("the price has converged"), true)
})
