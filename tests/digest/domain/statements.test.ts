/**
 * Facts and paragraphs of a digest, word for word.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { digestSections, type DigestTopic } from "../../../src/digest/domain/digest.ts"
import { digestBrief } from "../../../src/digest/domain/facts.ts"
import type {
  DigestMaterial,
  DigestStory,
  EndedMarket,
  MoverItem,
  PredeterminedItem,
  QuotedMarket,
  Strength,
  WhaleEntryItem,
} from "../../../src/digest/domain/material.ts"
import { digestPage } from "../../../src/digest/domain/template.ts"
import { type FrozenCalibration, marketRef } from "../../../src/feed/domain/item.ts"
import { type Market, MarketId, Slug } from "../../../src/markets/domain/market.ts"
import { proposalWords } from "../../../src/markets/domain/proposal.ts"
import { quoteOf, quoteOfMid } from "../../../src/markets/domain/quote.ts"
import { hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { whaleItem } from "../../../src/whales/domain/whaleItem.ts"
import { quiet, until } from "../../support/digest/digests.ts"
import { calibration, storedEntry, trackedWallet } from "../../support/whales/entries.ts"
import { market, microstructureWith } from "../../support/movers/market.ts"

/** The statements of a topic. */
function statements(
  material: Partial<DigestMaterial>,
  topic: DigestTopic,
): ReadonlyArray<string> {
  return digestBrief({ ...quiet, ...material }).facts.filter((fact) => fact.topic === topic)
    .map(({ statement }) => statement)
}

/** The paragraphs of a topic, with their leads. */
function paragraphs(material: Partial<DigestMaterial>, topic: string): ReadonlyArray<string> {
  const { sections } = digestPage(digestBrief({ ...quiet, ...material }))
  return digestSections.flatMap((name) => sections[name]).filter((slot) => slot.topic === topic)
    .map(({ lead, sentences }) =>
      `${lead === null ? "" : `${lead} | `}${sentences.map(({ text }) => text).join(" ")}`
    )
}

const seen = until - 2 * hour

function move(fields: Partial<MoverItem["data"]> = {}, of: Partial<Market> = {}): MoverItem {
  const delta = fields.delta ?? 0.14
  return {
    ...{ feedIndex: 1, type: "mover", title: "Any", createdAt: isoTime(seen) },
    data: {
      ...{ market: marketRef(market(of)), outcome: market(of).outcomes[0] },
      ...{ window: "1h", priceStart: 0.345, delta },
      ...{ priceNow: 0.345 + delta, startedAt: isoTime(seen - hour), zScore: 6 },
      ...{ confirmedBy: "persistence", tradedUsd: null, converged: false },
      microstructure: microstructureWith({ mid: 0.485, depthUsd: 36_053 }),
      ...fields,
    },
  }
}

function story(fields: Partial<DigestStory> = {}, strength: Strength = "direct"): DigestStory {
  const [title, url, source] = ["The keeper returns", "https://news.example/1", "Harbour News"]
  const firstAt = fields.firstAt ?? seen - 61 * minute
  return {
    ...{ title, url, source, firstAt, label: "none", corrected: false },
    outlets: [{ title, url, source, publishedAt: firstAt }],
    markets: [{ slug: market().slug, strength }],
    ...fields,
  }
}

function quoted(fields: Partial<Market>, price: number | readonly [number, number]): QuotedMarket {
  const quote = typeof price === "number"
    ? quoteOfMid(price)
    : quoteOf({ bestBid: price[0], bestAsk: price[1] })
  return { market: market(fields), quote, known: null }
}

Deno.test("a move stands with its strength, its earliest news, its half level and the cost of trading", () => {
  const outlets = [0, 10, 43].map((minutes) => ({
    ...{ title: "Any", url: `https://n${minutes}.example`, source: `Paper ${minutes}` },
    publishedAt: seen - (61 - minutes) * minute,
  }))
  const material = {
    movers: [move({ tradedUsd: 12_300 })],
    stories: [story({ outlets })],
    quoted: [quoted({ takerFeeRate: 0.02 }, 0.475)],
  }
  equal(paragraphs(material, "move"), [
    "Will the lighthouse be lit? | Yes rose 14 cents within 1 hour, from 0.345 to 0.485, seen at 06:00 " +
    "UTC: 6.0 standard deviations of the usual hourly change, $12,300 of a stable new price, $36,053 of depth and a spread of 1 " +
    "cent. “The keeper returns” was first published by Harbour News at 04:59 UTC, 61 minutes before " +
    "this move was seen; 2 more outlets by 05:42 UTC. At the ask of 0.49, Yes breaks " +
    "even at 49.5%; a round trip costs 2 cents a share. Half of the move is given back at 0.415 (now " +
    "0.475).",
  ])
})

Deno.test("a fall without news says once that no headline was found", () => {
  const fall = move({ delta: -0.12 })
  equal(paragraphs({ movers: [fall] }, "move"), [
    "Will the lighthouse be lit? | Yes fell 12 cents within 1 hour, from 0.345 to 0.225, seen at 06:00 " +
    "UTC: 6.0 standard deviations of the usual hourly change, a stable new price, $36,053 of depth and a " +
    "spread of 1 cent. Half of the move is given back at 0.285.",
  ])
  equal(paragraphs({ movers: [fall] }, "unexplained"), [
    "No headline about the question was found for the move in “Will the lighthouse be lit?”.",
  ])
  const off = { ...quiet.coverage, news: null }
  equal(paragraphs({ movers: [fall], coverage: off }, "unexplained"), [])
})

Deno.test("a story is stated by its place in time and its kind of relation", () => {
  const news = (fields: Partial<DigestStory>, strength: Strength, steps: DigestMaterial["steps"]) =>
    statements({ movers: [move()], stories: [story(fields, strength)], steps }, "story")[0]
  const { slug } = market()
  const step = [{ slug, from: seen - 50 * minute, to: seen - 20 * minute }]
  const start = "“The keeper returns” was first published by Harbour News at"
  const of = "the move in “Will the lighthouse be lit?”"
  strictEqual(news({}, "direct", []), `${start} 04:59 UTC, 61 minutes before ${of} was seen.`)
  strictEqual(
    news({}, "direct", step),
    `${start} 04:59 UTC, 11 minutes before the largest step of ${of} began.`,
  )
  strictEqual(
    news({ firstAt: seen + 5 * minute }, "sibling", []),
    `${start} 06:05 UTC, 5 minutes after ${of} was seen. It names another outcome of the same event.`,
  )
  strictEqual(
    news({ firstAt: seen - 30 * minute, corrected: true }, "direct", step),
    `${start} 05:30 UTC, in the hour of ${of}. A later story corrects it.`,
  )
})

Deno.test("a headline after the step of a move may still explain the rest of it", () => {
  const paragraph = (steps: DigestMaterial["steps"]) =>
    paragraphs(
      { movers: [move()], stories: [story({ firstAt: seen + 5 * minute })], steps },
      "move",
    )[0] ?? ""
  const step = [{ slug: market().slug, from: seen - 50 * minute, to: seen - 20 * minute }]
  const late = paragraph(step)
  ok(late.includes("at 06:05 UTC, 25 minutes after the largest part of this move."), late)
  ok(!late.includes("too late"), late)
  ok(paragraph([]).includes("5 minutes after this move was seen, too late to explain it."))
})

Deno.test("the story of a move is a direct one, and the earliest while the price moved", () => {
  const at = (n: number, minutes: number, strength: Strength = "direct") =>
    story(
      { title: `Story ${n}`, url: `https://n.example/${n}`, firstAt: seen - minutes * minute },
      strength,
    )
  const chosen = (...stories: ReadonlyArray<DigestStory>) => {
    const [fact] = statements({ movers: [move()], stories }, "story")
    return /Story (\d)/.exec(fact ?? "")?.[1]
  }
  strictEqual(chosen(at(1, 10), at(2, 50), at(3, 30)), "2")
  strictEqual(chosen(at(1, 600), at(2, 90), at(3, -5)), "2")
  strictEqual(chosen(at(1, 50, "family"), at(2, -20), at(3, -5)), "3")
  strictEqual(chosen(at(1, 50, "family")), undefined)
})

Deno.test("a headline that points the other way is in its paragraph, and in no title or summary", () => {
  const question = "Will 'The Salt Road' win the grand prize in November?"
  const page = (title: string, delta: number, firstAt = seen - 62 * minute) =>
    digestPage(digestBrief({
      ...quiet,
      movers: [move({ delta }, { question })],
      stories: [story({ title, firstAt })],
      steps: [{ slug: market().slug, from: seen - 50 * minute, to: seen - 20 * minute }],
    }))
  const top = ({ summary, title }: ReturnType<typeof page>) =>
    [title, ...[summary]].flatMap(({ sentences }) => sentences.map(({ text }) => text)).join(" ")
  const [hope, doubt] = [
    "'The Salt Road' could win the grand prize",
    "Critics cool on 'The Salt Road'",
  ]
  const other = page(hope, -0.12)
  ok(!top(other).includes(hope) && !top(other).includes("after a headline"), top(other))
  const text = other.sections.repriced[0]?.sentences.map(({ text }) => text).join(" ") ?? ""
  ok(
    text.includes(`No headline found explains the fall; “${hope}” (Harbour News, 04:58 UTC)`),
    text,
  )
  ok(text.includes("points the other way and came 12 minutes before its largest step began"), text)
  for (const same of [page(doubt, -0.12), page(hope, 0.14)]) {
    ok(top(same).includes("; its largest step began 12 minutes after a headline "), top(same))
    ok(top(same).includes("; its largest step began 12 minutes after “"), top(same))
  }
})

Deno.test("a headline about another day or an earlier match is not that of a move", () => {
  const unexplained = (question: string, title: string) =>
    statements({ movers: [move({}, { question })], stories: [story({ title })] }, "unexplained")
  const treaty = "Will Chile and Peru sign a treaty by November 30?"
  strictEqual(unexplained(treaty, "Chile and Peru let November 22 pass").length, 1)
  strictEqual(unexplained(treaty, "Chile and Peru close in on a treaty").length, 0)
  strictEqual(unexplained("Wolves vs. Gulls", "Gulls beat Wolves").length, 1)
  strictEqual(
    unexplained("Wolves vs. Gulls", "Gulls without their captain against Wolves").length,
    0,
  )
})

Deno.test("a headline of two moves is stated in both paragraphs, in different words", () => {
  const pier = { slug: Slug.make("pier"), question: "Will the pier close?", liquidityUsd: 1 }
  const both = story({
    markets: [market().slug, pier.slug].map((slug) => ({ slug, strength: "direct" as const })),
  })
  const [, second] = paragraphs({ movers: [move(), move({}, pier)], stories: [both] }, "move")
  ok(
    second?.includes("“The keeper returns” (Harbour News, 04:59 UTC) came 61 minutes before"),
    second,
  )
})

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

Deno.test("entries of unlabelled wallets are stated in one sentence", () => {
  equal(paragraphs(entry(null), "whales"), [
    "Without a record long enough for a label, 1 tracked wallet put $12,300 into 1 entry; the largest " +
    "is $12,300 on Yes in “Will the lighthouse be lit?” at 0.4124. No entry came from a wallet labelled " +
    "follow or fade.",
  ])
})

Deno.test("an entry of a labelled wallet stands with the price now, and with the record once", () => {
  const figures = { resolved: 212, winRate: 0.628, meanEntryPrice: 0.55, edge: 0.078 }
  const record = { ...figures, edgeLow: -0.008, edgeHigh: 0.1 }
  const stated = (label: FrozenCalibration["label"], price: number) => {
    const material = entry({ ...record, label })
    const twice = material.whaleEntries?.flatMap((it) => [it, { ...it, feedIndex: 2 }]) ?? []
    return paragraphs({ whaleEntries: twice, quoted: [quoted({}, price)] }, "wallet")
  }
  const put =
    "The wallet put $12,300 on Yes in “Will the lighthouse be lit?” at 0.4124, last at 07:40 UTC"
  const evidence =
    "over 212 resolved entries it had a win rate of 62.8% at a mean entry price of 0.55, a gain of 7.8 " +
    "cents a share on average (from a loss of 0.8 cents to a gain of 10 cents);"
  equal(stated("follow", 0.4424), [
    `Scary-Barrel | ${put}; now 0.4424, 3 cents above the entry. It is labelled follow: ${evidence} luck ` +
    "hardly explains such good results.",
  ])
  ok(stated("fade", 0.4)[0]?.includes("now 0.40, 1.24 cents below the entry. It is labelled fade:"))
  ok(stated("neutral", 0.4124)[0]?.includes("now 0.4124, unchanged. It is labelled neutral:"))
})

Deno.test("an invisible question is replaced by the slug, and an invisible name by the address", () => {
  const [one] = entry(null).whaleEntries ?? []
  if (one === undefined) throw new Error("Cannot happen: no entry")
  const data = { ...one.data, outcome: "\u2800", pseudonym: "\u200b", wallet: "0xabc" }
  const unseen = { ...data, market: { ...data.market, question: "\u200b\n" } }
  strictEqual(
    statements({ whaleEntries: [{ ...one, data: unseen }] }, "entry")[0],
    "0xabc put $12,300 on “unnamed” in “will-the-lighthouse-be-lit” at a mean price of 0.4124, last " +
      "at 07:40 UTC.",
  )
})

Deno.test("entries in one market are added up by outcome, to the same dollar in any order", () => {
  const [one] = entry(null).whaleEntries ?? []
  if (one === undefined) throw new Error("Cannot happen: no entry")
  const on = (outcome: string, stakeUsd: number, feedIndex: number) => ({
    ...one,
    feedIndex,
    data: { ...one.data, outcome, stakeUsd },
  })
  const whaleEntries = [on("No", 5_000, 1), on("Yes", 30_000, 2), on("Yes", 10_000, 3)]
  equal(statements({ whaleEntries }, "flow"), [
    "Tracked wallets put $40,000 on Yes in “Will the lighthouse be lit?” with 2 entries, and $5,000 on " +
    "No with 1 entry.",
  ])
  const sums = [[0.7, 0.1, 0.7], [0.7, 0.7, 0.1]].map((stakes) =>
    statements({ whaleEntries: stakes.map((usd, n) => on("Yes", usd, n + 1)) }, "flow")[0]
  )
  strictEqual(sums[0], sums[1])
})

function rung(limit: string, price: number | readonly [number, number]): QuotedMarket {
  const id = `inflation-${limit}`
  return quoted({
    ...{ id: MarketId.make(id), slug: Slug.make(id), eventKey: "inflation", takerFeeRate: 0.02 },
    question: `Will inflation in Kenya be above ${limit}% in November?`,
  }, price)
}

Deno.test("a ladder that contradicts itself is stated with its riskless spread after fees", () => {
  const stated = (...quoted: ReadonlyArray<QuotedMarket>) => paragraphs({ quoted }, "contradiction")
  const lead = "Will inflation in Kenya be above 5.2% in November? | "
  const start =
    "Yes at “above 5.2%” costs 0.74, but Yes at “above 4.8%” only 0.64, and a value above " +
    "the higher limit is also above the lower one."
  equal(stated(rung("5.2", [0.73, 0.75]), rung("4.8", [0.63, 0.65])), [
    `${lead}${start} Yes at “above 4.8%” for 0.65 and No at “above 5.2%” for 0.27 together gain 7.15 ` +
    "cents a share after fees, if both are paid by their rules; the depth at these quotes is not known, " +
    "the liquidity is $20,000 and $20,000.",
  ])
  equal(stated(rung("5.2", 0.74), rung("4.8", 0.64)), [
    `${lead}${start} Only their mid prices are known, so the spread after fees is not.`,
  ])
  equal(stated(rung("5.2", 0.3), rung("4.8", 0.64)), [])
})

Deno.test("the summary says what a contradiction is worth at the quotes, and that its depth is not known", () => {
  const quoted = [rung("5.2", [0.73, 0.75]), rung("4.8", [0.63, 0.65])]
  const { summary } = digestPage(digestBrief({ ...quiet, quoted }))
  ok(
    summary.sentences[0].text.endsWith(
      "of the easier “above 4.8%”; at the quoted prices, 7.15 cents a share are left after fees; the " +
        "depth is not known.",
    ),
    summary.sentences[0].text,
  )
})

Deno.test("a move in a market of a contradiction says so, and one in another market does not", () => {
  const rungs = [rung("5.2", [0.73, 0.75]), rung("4.8", [0.63, 0.65])]
  const [first] = rungs
  const of = (fields: Partial<Market>) =>
    paragraphs({ quoted: rungs, movers: [move({}, fields)] }, "move")[0] ?? ""
  ok(of(first?.market ?? {}).includes(". This market is in the contradiction above. "))
  ok(!of({}).includes("contradiction"))
})

Deno.test("of several contradictions of one ladder the rung that most of them have is named", () => {
  const prices = { "4.8": 0.2, "5": 0.61, "5.2": 0.5, "5.4": 0.4 }
  const quoted = Object.entries(prices).map(([limit, price]) => rung(limit, price))
  const [stated] = paragraphs({ quoted }, "contradiction")
  ok(
    stated?.endsWith(
      "such gains overlap and cannot be added. Of 3 pairs, “above 4.8%” is in 3 of them: check first " +
        "whether its quote is old, or its rules differ.",
    ),
    stated,
  )
})

Deno.test("news of a bought market says whether the wallet bought before or after it", () => {
  const question = "Will Ana Silva win the Lagos mayoral election?"
  const bought = (title: string, firstAt: number) => {
    const { whaleEntries = [] } = entry(null)
    const entries = whaleEntries.map((it) => ({
      ...it,
      data: { ...it.data, market: { ...it.data.market, question } },
    }))
    return statements({ whaleEntries: entries, stories: [story({ title, firstAt })] }, "story")[0]
  }
  const [hope, doubt] = ["Ana Silva takes the lead in Lagos", "Setback for Ana Silva in Lagos"]
  ok(
    bought(hope, until - 80 * minute)?.endsWith(
      "Scary-Barrel last bought Yes, which the headline favours, 1 hour after it.",
    ),
    bought(hope, until - 80 * minute),
  )
  ok(
    bought(doubt, until - 10 * minute)?.endsWith(
      "Scary-Barrel last bought Yes, against the headline, 10 minutes before it.",
    ),
    bought(doubt, until - 10 * minute),
  )
})

Deno.test("a proposal in a bought market is stated with news whose words favour an outcome", () => {
  const question = "Will Ana Silva win the Lagos mayoral election?"
  const asked = <I extends PredeterminedItem | WhaleEntryItem>(it: I): I => ({
    ...it,
    data: { ...it.data, market: { ...it.data.market, question } },
  })
  const { whaleEntries = [] } = entry(null)
  const { predetermined = [] } = finding({ kind: "contested_proposal" })
  const [stated] = paragraphs({
    whaleEntries: whaleEntries.map(asked),
    predetermined: predetermined.map(asked),
    stories: [story({ title: "Setback for Ana Silva in Lagos" })],
  }, "proposal")
  ok(stated?.includes("The first related headline is “Setback for Ana Silva in Lagos”"), stated)
})

Deno.test("outcomes of one event that cost more than their payout are stated", () => {
  const candidates = ["A", "B"].map((name) =>
    quoted({
      ...{ id: MarketId.make(name), slug: Slug.make(name), eventSlug: "seat", exclusive: true },
      question: `Will ${name} win the seat?`,
    }, 0.6)
  )
  const stated = (wholeEvents: ReadonlyArray<string>) =>
    statements({ quoted: candidates, wholeEvents }, "sum")[0]
  const end =
    "of one event add up to 1.20, but at most one of them can be paid; the dearest are “Will A win the " +
    "seat?” at 0.60 and “Will B win the seat?” at 0.60. After fees and spreads nothing is left of the " +
    "difference."
  strictEqual(stated(["seat"]), `The prices of 2 outcomes ${end}`)
  strictEqual(stated([]), `The prices of 2 outcomes seen ${end}`)
})

Deno.test("a proposed limit implies the end of an easier one", () => {
  const proposed = {
    ...rung("5.2", 0.9),
    known: { outcome: 0, state: "proposed" } as const,
  }
  equal(statements({ quoted: [proposed, rung("4.8", 0.64)] }, "implied"), [
    "Yes in “Will inflation in Kenya be above 5.2% in November?” is proposed, and implies Yes in “Will " +
    "inflation in Kenya be above 4.8% in November?”, which trades at 0.64: a value above the higher " +
    "limit is also above the lower one.",
  ])
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
  strictEqual(paid(1, 0), "“Who wins?” resolved as Falcons at 05:00 UTC.")
  strictEqual(paid(0, 1), "“Who wins?” resolved as Comets at 05:00 UTC.")
  strictEqual(
    paid(0.25, 0.75),
    "“Who wins?” resolved with 0.25 for a share of Falcons and 0.75 for a share of Comets at 05:00 UTC.",
  )
  strictEqual(
    stated({ state: "cancelled" }, null),
    "“Who wins?” was closed without a payout, known since 06:00 UTC.",
  )
})

function finding(fields: Partial<PredeterminedItem["data"]> = {}, pieces = 1) {
  const evidence = {
    ...{ title: "It is lit", url: "https://n.example", source: "Harbour News" },
    publishedAt: isoTime(until),
  }
  const item: PredeterminedItem = {
    ...{ feedIndex: 1, type: "predetermined", title: "Any", createdAt: isoTime(until) },
    data: {
      ...{ market: marketRef(market()), outcome: "Yes", statement: "Not ours to repeat." },
      ...{ kind: "evidence", confidence: "high" },
      evidence: [evidence, ...Array.from({ length: pieces - 1 }, () => evidence)],
      ...{ marketPrice: 0.87, impliedEdge: 0.13, detectedAt: isoTime(until - 50 * minute) },
      ...{ detector: "rules", microstructure: null },
      ...fields,
    },
  }
  return { predetermined: [item] }
}

Deno.test("a predetermined outcome is stated with its reports, its price and the confidence", () => {
  const end = "It traded at 0.87 at 07:10 UTC, 13 cents below its payout; the confidence is high."
  const stated = (pieces: number) => paragraphs(finding({}, pieces), "finding")
  equal(stated(1), [
    "Will the lighthouse be lit? | Yes is the reported outcome, by 1 report: “It is lit” of Harbour " +
    `News at 08:00 UTC. ${end}`,
  ])
  equal(stated(2), [
    "Will the lighthouse be lit? | Yes is the reported outcome, by 2 reports, first “It is lit” of " +
    `Harbour News at 08:00 UTC. ${end}`,
  ])
})

Deno.test("a proposal is stated in the one wording of all products, and never as an outcome", () => {
  for (
    const [age, disputed] of [[26 * hour + minute, false], [3 * hour, true], [1, false]] as const
  ) {
    const state = { proposedAt: until - age, disputed }
    const record = {
      proposals: 40,
      upheld: 28,
      upheldRate: 0.7,
      upheldRateLow: 0.55,
      upheldRateHigh: 0.82,
    }
    const proposal = { proposedAt: isoTime(state.proposedAt), disputed, record }
    const material = finding({
      kind: "contested_proposal",
      proposal,
      confidence: "low",
      marketPrice: 0.19,
      detectedAt: isoTime(until),
    })
    const seen = age > hour && !disputed ? " at 08:00 UTC" : ""
    const [stated, ...watched] = paragraphs(material, "proposal")
    strictEqual(
      stated,
      `Will the lighthouse be lit? | Yes is ${
        proposalWords(state, until)
      }${seen}, and trades at 0.19, 81 ` +
        "cents below its payout if the proposal stands. " +
        (disputed
          ? ""
          : `The usual time for a dispute ${age > hour ? "ended" : "ends"} at ${
            age > hour ? "2026-11-20 07:59" : "09:59"
          } UTC${age > hour ? ", and no dispute was raised in it" : ""}. `) +
        "Our confidence that the proposal stands is low: " +
        (age > hour && !disputed ? "it is undisputed past half of the usual time, but " : "") +
        "the price is below one half. " +
        "Of 40 earlier contested proposals, 70% were paid as proposed, with an interval from 55% to 82%.",
    )
    equal(watched, [
      "Will the lighthouse be lit? | If the proposal stands, a share of Yes at 0.19 pays in full; a " +
      "dispute would open the question again.",
    ])
    ok(digestBrief({ ...quiet, ...material }).facts.every(({ certain }) => !certain))
  }
})

Deno.test("news of a market that resolves soon says which outcome its words favour", () => {
  const upcoming = [{
    ...{ slug: market().slug, question: "Will Ana Silva win the Lagos election?" },
    ...{ outcomes: ["Yes", "No"] as const, liquidityUsd: 54_000 },
    ...{ resolvesAt: until + 9 * hour, mid: 0.61 },
  }]
  const stated = (title: string) =>
    paragraphs({ upcoming, stories: [story({ title })] }, "upcoming")[0]
  ok(stated("Setback for Ana Silva in Lagos")?.endsWith("UTC); its words go against Yes."))
  ok(stated("Ana Silva takes the lead in Lagos")?.endsWith("UTC); its words favour Yes."))
  ok(stated("Ana Silva visits Lagos")?.endsWith("UTC)."))
})

Deno.test("a market that resolves soon is stated with its price, its end and its liquidity", () => {
  const coming = (mid: number) => ({
    upcoming: [{
      ...{ slug: Slug.make("vote"), question: "Will it pass?", outcomes: ["Yes", "No"] as const },
      ...{ liquidityUsd: 54_000, resolvesAt: until + 9 * hour, mid },
    }],
  })
  equal(paragraphs(coming(0.61), "upcoming"), [
    "Will it pass? | Yes trades at 0.61, 9 hours before the market resolves at about 17:00 UTC; $54,000 of liquidity.",
  ])
  equal(paragraphs(coming(0.945), "upcoming"), [])
})

Deno.test("a result that headlines report at a contested price leads, and is never called decided", () => {
  const question = "Will 'The Salt Road' win the festival grand prize in November 2026?"
  const title = "'The Salt Road' wins the festival grand prize in November 2026"
  const page = (fields: Partial<DigestStory>, price: readonly [number, number]) => {
    const brief = digestBrief({
      ...quiet,
      movers: [move({}, { question })],
      stories: [story({ title, ...fields })],
      quoted: [quoted({ question }, price)],
    })
    const { sections, summary, title: { sentences } } = digestPage(brief)
    const textOf = (slot: { sentences: ReadonlyArray<{ text: string }> } | undefined) =>
      slot?.sentences.map(({ text }) => text).join(" ")
    return {
      ...{ brief, title: sentences[0].text, summary: summary.sentences[0].text },
      first: textOf(sections.predetermined[0]) ?? "",
    }
  }
  const outlets = ["Quillon Post", "Harbour News"].map((source, i) => ({
    ...{ title, url: `https://n.example/${i}`, source, publishedAt: seen - hour },
  }))
  const two = page({ outlets }, [0.742, 0.751])
  strictEqual(
    two.first,
    `2 outlets report a result: “${title}” (Harbour News, 04:59 UTC), whose words favour Yes; Yes is at ` +
      "0.7465, ask 0.751. The venue has not resolved it; check the official result.",
  )
  strictEqual(two.title, `2 outlets report a result for “${question}”, but Yes is at 0.7465`)
  ok(two.summary.startsWith(`2 outlets report “${title}” (Harbour News); the venue has not`))
  ok(two.brief.facts.every(({ certain }) => !certain))
  ok(two.brief.facts.every(({ statement }) => !statement.startsWith("No market was found whose")))
  ok(page({}, [0.742, 0.751]).first.startsWith("Only 1 outlet reports a result: “"))
  const none = [
    page({}, [0.95, 0.97]),
    page({ corrected: true }, [0.742, 0.751]),
    page({ title: "'The Salt Road' could win the festival grand prize" }, [0.742, 0.751]),
  ]
  for (const { brief, first } of none) {
    strictEqual(first, "")
    ok(brief.facts.some(({ statement }) => statement.startsWith("No market was found whose")))
  }
})

Deno.test("one closing sentence says what was not found, under no heading of its own", () => {
  const { sections } = digestPage(
    digestBrief({
      ...quiet,
      movers: [move(), move({}, { slug: Slug.make("pier"), question: "Will the pier close?" })],
    }),
  )
  equal([sections.whales, sections.predetermined, sections.context], [[], [], []])
  strictEqual(
    sections.watch[0]?.sentences[0].text,
    "No other headline about a market of this digest was found, no tracked wallet opened a position, no " +
      "market was found whose outcome is reported or proposed at a contested price and no contested " +
      "market with enough liquidity is expected to resolve soon.",
  )
})
