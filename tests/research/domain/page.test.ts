/**
 * The page of a report: what its sentences must state, and what they may not.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { MarketId, type SeriesPoint, Slug } from "../../../src/markets/domain/market.ts"
import { quoteOf } from "../../../src/markets/domain/quote.ts"
import { isLive, type ReportMaterial } from "../../../src/research/domain/material.ts"
import { movementOf } from "../../../src/research/domain/movement.ts"
import { reportPage, slotsOf } from "../../../src/research/domain/page.ts"
import { readableName } from "../../../src/core/domain/untrusted.ts"
import { hour, minute } from "../../../src/core/domain/time.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { fillSlots, wordCount } from "../../../src/writing/domain/page.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { market, now } from "../../support/movers/market.ts"
import { whaleRow } from "../../support/products.ts"
import {
  anyMaterial,
  bookWith,
  headline,
  openEntry,
  reportMaterial,
  story,
  templateReportOf,
} from "../../support/research/reports.ts"
import { missedPoints } from "../../support/research/twelvePoints.ts"

const many = { runs: sized({ short: 300, full: 1_500 }) }

/** The sentences that are published without a narrator. */
const sentencesOf = (material: ReportMaterial) =>
  fillSlots(slotsOf(reportPage(material)), []).flatMap(({ sentences }) => sentences)

/** Every example of this file meets the twelve points too. */
function analysisOf(material: ReportMaterial) {
  const report = templateReportOf(material)
  equal(missedPoints(material, reportPage(material), report), [])
  return report.analysis
}

const textOf = (material: ReportMaterial) => {
  const { thesis, whaleView, risks, bottomLine } = analysisOf(material)
  return [thesis, whaleView, ...risks, bottomLine].join("\n")
}

/** Hourly prices that end at `now`. */
const hourly = (...mids: readonly [number, ...ReadonlyArray<number>]) => {
  const [first, ...rest] = mids.map((mid, n): SeriesPoint => ({
    at: now - (mids.length - 1 - n) * hour,
    mid,
  }))
  return [first ?? { at: now, mid: 0.5 }, ...rest] as const
}
const flat = (hours: number, mid: number) => Array.from({ length: hours }, () => mid)

const steady = (mid: number) => hourly(mid, ...flat(29, mid))

law("a report meets its twelve points", anyMaterial, (material) => void analysisOf(material), many)

law("every figure and name of a sentence is a value of its facts", anyMaterial, (material) => {
  const page = reportPage(material)
  const facts = new Map(page.facts.map((fact) => [fact.id, fact]))
  strictEqual(facts.size, page.facts.length)
  for (const { text, facts: ids } of sentencesOf(material)) {
    const cited = ids.map((id) => facts.get(id))
    const spellings = cited.flatMap((fact) => Object.values(fact?.values ?? {}).map(spelled))
      .flatMap((spelling) => [spelling, `“${spelling}”`])
      .sort((a, b) => b.length - a.length)
    const rest = spellings.reduce((left, value) => left.replaceAll(value, " "), text)
    ok(!/[\p{N}“”]/u.test(rest), `${text}\n${rest}`)
  }
}, many)

law("no sentence is stated twice, and the slots are numbered", anyMaterial, (material) => {
  const [first, second] = material.market.outcomes.map((name) => readableName(name))
  if (first === second) return
  const texts = sentencesOf(material).map(({ text }) => text)
  equal(texts, [...new Set(texts)])
  const slots = slotsOf(reportPage(material))
  equal(slots.map(({ id }) => id), slots.map((_, n) => `S${n + 1}`))
}, many)

law("a report is plain text, whatever the names are", anyMaterial, (material) => {
  ok(!/[*_`#|~<>[\]\\]|:\/\/|[\r\t]/.test(textOf(material)), textOf(material))
}, many)

law("the median sentence has at most 18 words", anyMaterial, (material) => {
  const lengths = reportPage(material).facts.map(({ statement, names }) =>
    wordCount(names.reduce((text, name) => text.replaceAll(name, "x"), statement))
  ).sort((a, b) => a - b)
  ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= 18, lengths.join(" "))
}, many)

law("a headline that no model has read has no cause and no direction", anyMaterial, (material) => {
  if (material.news?.stories.some(({ reading }) => reading !== null)) return
  for (const { kind, statement, values } of reportPage(material).facts) {
    if (kind !== "news") continue
    const own = Object.values(values).map(spelled).sort((a, b) => b.length - a.length)
      .reduce((text, value) => text.replaceAll(value, " "), statement)
    ok(!/because|cause|explain|speaks|reports?\b/.test(own), statement)
  }
}, many)

law("a proposal comes before the move", anyMaterial, (material) => {
  const { facts } = reportPage(material)
  const place = (pattern: RegExp) => facts.findIndex(({ statement }) => pattern.test(statement))
  const proposal = place(/^The venue's proposal is /)
  strictEqual(proposal >= 0, material.proposal !== null && isLive(material))
  const move = facts.findIndex(({ kind, direction }) => kind === "price" && direction !== null)
  ok(proposal < 0 || move < 0 || proposal < move)
}, many)

law("wallets are absent only as far as they were read", anyMaterial, (material) => {
  const { whaleView } = analysisOf(material)
  const { entries, walletsRead: { tracked, read } } = material
  const isAbsent = /none opened a position here/.test(whaleView)
  if (entries.some(({ marketMaker }) => !marketMaker)) ok(!isAbsent, whaleView)
  if (isAbsent) strictEqual(/more ha(?:s|ve) not been read/.test(whaleView), read < tracked)
}, many)

law("a proposal is absent only of a recent listing", anyMaterial, (material) => {
  if (material.isListingRead && material.market.status !== "proposed") return
  ok(!/No outcome is proposed/.test(textOf(material)))
}, many)

law("headlines are absent only when every source answered", anyMaterial, (material) => {
  const { news } = material
  const isAbsent = /had no headline|found no headline/.test(textOf(material))
  if (isAbsent) ok(news !== null && news.sources > 0 && news.sources === news.answered)
}, many)

law("the price of a report's own confidence is low below the quality gate", anyMaterial, (
  material,
) => {
  const { market: { volumeUsd, status }, book } = material
  const micro = book?.microstructure
  const isGood = volumeUsd >= 10_000 && micro !== undefined && micro.spread <= 0.05 + 1e-9 &&
    micro.depthUsdWithin5c.total >= 2_500
  const { confidence } = analysisOf(material)
  if (!isGood && status !== "resolved") strictEqual(confidence, "low")
}, many)

/** From 0.325 to 0.535 in a day; 11 cents of it in the hour that ends 8 hours ago. */
const jump = reportMaterial({
  priceAction: hourly(0.325, ...flat(20, 0.325), 0.375, 0.485, ...flat(8, 0.53)),
  book: bookWith({ mid: 0.535, depthUsd: 20_000 }),
})
const stepAt = now - 8 * hour

Deno.test("a move leads with its size, then its step, and each headline is placed in time", () => {
  const at = (minutes: number, title: string) =>
    story([
      headline({
        title,
        url: `https://x.example/${minutes}`,
        publishedAt: stepAt + minutes * minute,
      }),
    ])
  const { thesis } = analysisOf({
    ...jump,
    news: { stories: [at(-90, "Early"), at(60, "Late")], sources: 3, answered: 3 },
  })
  ok(
    thesis.startsWith(
      "Yes in “Will the lighthouse be lit?” rose 21 cents in 24 hours, from 0.325 to",
    ),
  )
  ok(thesis.includes("52% of the move came in one step of 11 cents, seen at 04:00 UTC."), thesis)
  ok(
    thesis.includes(
      "Our word match found Early (“news․example”, 02:30 UTC), 90 minutes before the step was seen.",
    ),
    thesis,
  )
  ok(
    thesis.includes(
      "It also found Late (“news․example”, 05:00 UTC), 1 hour after the step was seen.",
    ),
    thesis,
  )
})

const reading = { outcome: "Yes", bears: "for", decides: true, quote: "was lit" } as const
const printed = (source: string) =>
  headline({ title: "Lighthouse was lit", source, url: `https://${source.length}.example` })
const decided = story([printed("The Harbor Ledger"), printed("Quillon Post")], { reading })
const own = story([
  headline({
    title: "Keeper lights the old lamp",
    source: "Coast Daily",
    url: "https://c.example",
  }),
], { reading })

Deno.test("a decisive report leads, a corrected or lone one does not", () => {
  const quiet = reportMaterial({
    priceAction: steady(0.6),
    book: bookWith({ mid: 0.665 }),
  })
  const with_ = (...stories: ReadonlyArray<typeof decided>) =>
    analysisOf({ ...quiet, news: { stories, sources: 3, answered: 3 } }).thesis
  const lead = with_(decided, own)
  ok(
    lead.startsWith(
      "3 outlets report Yes in “Will the lighthouse be lit?”: “Lighthouse was lit” (first The Harbor Ledger,",
    ),
    lead,
  )
  ok(lead.includes("Yes at the ask of 0.67 gains 33 cents or loses 67 cents a share."), lead)
  const isLead = (...stories: ReadonlyArray<typeof decided>) =>
    /outlets? report/.test(with_(...stories))
  ok(!isLead({ ...decided, corrected: true }, own))
  ok(!isLead(decided), "copies of one text")
  ok(!isLead({ ...decided, reading: { ...reading, decides: false } }, own))
  ok(!isLead(decided, own, { ...own, reading: { ...reading, outcome: "No" } }), "contradicted")
})

Deno.test("only a report of the last hours, read for the side of the move, explains it", () => {
  const confidence = (bears: "for" | "against" | null, hours: number, corrected = false) => {
    const publishedAt = stepAt - hours * hour
    const one = story([headline({ publishedAt })], {
      reading: { outcome: "Yes", bears, decides: false, quote: "lit" },
    })
    const news = { stories: [{ ...one, corrected }], sources: 3, answered: 3 }
    return analysisOf({ ...jump, news }).confidence
  }
  strictEqual(confidence("for", 2), "medium")
  equal(
    [
      confidence("against", 2),
      confidence(null, 2),
      confidence("for", 8),
      confidence("for", 2, true),
    ],
    ["low", "low", "low", "low"],
  )
})

const proposed = (fields: Partial<NonNullable<ReportMaterial["proposal"]>> = {}) => ({
  marketId: MarketId.make("m1"),
  outcome: 1 as const,
  proposedAt: now - 26 * hour,
  settlesAt: null,
  disputed: false,
  ...fields,
})

Deno.test("a proposal against the price leads, with what it pays and its record", () => {
  const { thesis, risks, bottomLine, confidence } = analysisOf({
    ...jump,
    market: market({ status: "proposed", category: "Politics" }),
    proposal: proposed(),
    proposalRecord: {
      ...{ proposals: 41, upheld: 36, upheldRate: 0.88, upheldRateLow: 0.74, upheldRateHigh: 0.95 },
    },
  })
  ok(
    thesis.startsWith(
      "The venue's proposal is No in “Will the lighthouse be lit?”, undisputed for 26 hours; its window ended at 2026-11-19 12:00 UTC.",
    ),
    thesis,
  )
  ok(thesis.includes("No at the ask of 0.47 gains 53 cents or loses 47 cents a share."), thesis)
  ok(
    thesis.includes(
      "36 of 41 earlier proposals that the service published were upheld (74% to 95%).",
    ),
    thesis,
  )
  strictEqual(risks[0], "Traders still price No at 0.465, 26 hours after the proposal.")
  ok(
    risks.some((risk) =>
      risk.includes(
        "In this category 1% of the venue's requests were disputed (123,499 settled requests in all). 68 of 957 disputes overturned the proposal (5.7% to 8.9%).",
      )
    ),
    risks.join("\n"),
  )
  ok(bottomLine.includes("or until it is paid."), bottomLine)
  strictEqual(confidence, "low")
})

Deno.test("a kick-off is no end, and a passed date no overdue payout", () => {
  const game = market({
    gameStartsAt: now + 6 * hour,
    endsAt: now + 6 * hour,
    eventSlug: "nba-a-b",
  })
  const ahead = analysisOf(reportMaterial({ market: game })).bottomLine
  ok(
    /Kick-off is at 18:00 UTC; the payout is expected about 22:42 UTC \(\d+% within 24 hours\)\./
      .test(ahead),
    ahead,
  )
  ok(ahead.includes("Valid until 18:00 UTC, the kick-off, or until"), ahead)
  const played = analysisOf(reportMaterial({ market: { ...game, gameStartsAt: now - minute } }))
  ok(played.bottomLine.includes("Valid until 12:30 UTC, as the game is in play"), played.bottomLine)
  const passed = textOf(reportMaterial({ market: market({ endsAt: now - 25 * hour }) }))
  ok(/The listed date was 2026-11-19 11:00 UTC; the payout is expected about/.test(passed), passed)
  ok(!/overdue/.test(passed))
})

Deno.test("a labelled wallet has its record at such prices, shrunk, and the price of a copy", () => {
  const band = {
    ...{ band: "0.25-0.50", from: 0.25, to: 0.5, entries: 100, meanEntryPrice: 0.4 },
    ...{ winRate: 0.6, winRateLow: 0.5, winRateHigh: 0.7, followRoi: 0.3, fadeRoi: null },
  }
  const labelled = openEntry({
    price: 0.4,
    calibration: { computedAt: now, row: whaleRow({ label: "follow", oddsBands: [band] }) },
  })
  const other = openEntry({ wallet: "0xaa", outcome: 1, stakeUsd: 900 })
  const at = (mid: number) =>
    textOf(reportMaterial({
      priceAction: steady(mid),
      book: bookWith({ mid }),
      entries: [labelled, other],
    }))
  const cheap = at(0.42)
  ok(
    cheap.startsWith(
      "Scary-Barrel (follow) bought Yes in “Will the lighthouse be lit?” at 0.40 for $2,000, 3 hours ago.",
    ),
    cheap,
  )
  ok(
    cheap.includes(
      "Scary-Barrel won 60 of 100 earlier entries at 0.25 to 0.50: an edge of 5.5 cents a share, shrunk for luck.",
    ),
    cheap,
  )
  ok(
    cheap.includes("Yes at the ask of 0.425 leaves 3 cents of the wallet's edge after the fee."),
    cheap,
  )
  ok(cheap.includes("1 tracked wallet without a label bought $900 of No."), cheap)
  ok(at(0.2).includes("leaves 5.5 cents of the wallet's edge"), "a price that fell adds nothing")
  const dear = at(0.7)
  ok(dear.includes("Yes at the ask of 0.705 leaves nothing of the wallet's edge."), dear)
  ok(!dear.startsWith("Scary-Barrel"))
})

/** A market that asks whether the price is above a level. */
const rung = (level: number, mid: number) => ({
  market: market({
    id: MarketId.make(`r${level}`),
    slug: Slug.make(`above-${level}`),
    question: `Will inflation be above ${level}% in May?`,
  }),
  quote: quoteOf({ bestBid: mid - 0.01, bestAsk: mid + 0.01, bidShares: 800, askShares: 800 }),
  proposal: null,
})

Deno.test("more money of tracked wallets on the other side speaks against a move, a price before it not", () => {
  const priceAction = hourly(0.5, ...flat(26, 0.5), 0.6, 0.6)
  const against = (stakeUsd: number, label: "neutral" | "fade" = "neutral") => {
    const calibration = { computedAt: now, row: whaleRow({ label }) }
    const entries = [openEntry(), openEntry({ wallet: "0xaa", outcome: 1, stakeUsd, calibration })]
    return analysisOf(reportMaterial({ priceAction, entries })).risks[0]
  }
  strictEqual(
    against(2_001),
    "Against it: tracked wallets without a label bought more of No than of Yes.",
  )
  strictEqual(against(2_000).startsWith("No outcome is proposed"), true)
  ok(
    !against(2_001, "fade").includes("bought more"),
    "the purchase of a wallet to fade is no reason",
  )
})

Deno.test("where a pair of rungs gains, the verdict is the pair and no leg of it", () => {
  const own = market({ question: "Will inflation be above 3% in May?", slug: Slug.make("above-3") })
  const verdict = (easier: number, harder: number) => {
    const siblings = { markets: [rung(4, easier), rung(5, harder)], complete: true }
    const material = { market: own, priceAction: steady(0.6), siblings }
    return analysisOf(reportMaterial(material)).bottomLine
  }
  ok(verdict(0.3, 0.5).startsWith("The trade is the pair, for at most $656 at its quotes;"))
  ok(!verdict(0.2, 0.59).includes("the pair"), "too much to be true")
})

Deno.test("three labelled wallets have their records, and market makers alone are no absence", () => {
  const labelled = (wallet: string) =>
    openEntry({
      ...{ wallet, price: 0.6 },
      calibration: {
        computedAt: now,
        row: whaleRow({ label: "follow", resolved: 400, wallet }),
      },
    })
  const wallets = ["1", "2", "3"].map((digit) => labelled(`0x${digit.repeat(40)}`))
  const { whaleView } = analysisOf(reportMaterial({ entries: wallets }))
  strictEqual(whaleView.match(/\(follow\) bought/g)?.length, 3, whaleView)
  ok(!whaleView.includes("without a label"), whaleView)
  const makers = analysisOf(reportMaterial({ entries: [openEntry({ marketMaker: true })] }))
  ok(makers.whaleView.includes("are market makers."), makers.whaleView)
  ok(!makers.whaleView.includes("none opened"), makers.whaleView)
})

Deno.test("all rungs of a ladder are compared, and an executable contradiction leads", () => {
  const own = market({ question: "Will inflation be above 3% in May?", slug: Slug.make("above-3") })
  const ladder = (...others: ReadonlyArray<ReturnType<typeof rung>>) =>
    analysisOf(reportMaterial({
      market: own,
      priceAction: steady(0.6),
      siblings: { markets: others, complete: true },
    }))
  const { thesis } = ladder(rung(4, 0.3), rung(5, 0.5), rung(6, 0.1))
  ok(
    thesis.startsWith(
      "Yes in “Will inflation be above 4% in May?” and No in “Will inflation be above 5% in May?” together cost $656 and gain $144 after fees.",
    ),
    thesis,
  )
  ok(thesis.includes("Its ladder has 4 priced rungs, the easiest first:"), thesis)
  ok(!ladder(rung(4, 0.5), rung(5, 0.4)).thesis.includes("after fees"))
})

Deno.test("the stated number is the market's own, or the estimate with what it is worth", () => {
  const unread = analysisOf(reportMaterial()).bottomLine
  ok(unread.includes("Our own chance of an outcome could not be read."), unread)
  ok(!/at our number|Our chance of/.test(unread), unread)
  const own = templateReportOf(
    reportMaterial({ estimate: { mid: 0.6, probability: 0.6, low: null, high: null, basis: [] } }),
  )
  const none = "Our chance of Yes is the market's own, 60%: no view beyond the market."
  ok(own.analysis.bottomLine.includes(none), own.analysis.bottomLine)
  const verdict = "No trade: at our number Yes is worth at most 0.60 and No 0.40 after the fee, " +
    "and neither is offered so low. No headline is read for the side of the move."
  ok(own.analysis.bottomLine.startsWith(verdict), own.analysis.bottomLine)
  strictEqual(own.decision.sides[0]?.sizeUsd, 0)
  const estimate = {
    ...{ mid: 0.6, probability: 0.7, low: 0.63, high: 0.76 },
    basis: [{ ingredient: "ladder", shift: 0.1 } as const],
  }
  const { analysis: { bottomLine }, decision } = templateReportOf(reportMaterial({ estimate }))
  const stated = "Our chance of Yes is 70% (nine of ten prices a day later: 63% to 76%), " +
    "the market's 60%: the other rungs of its ladder, if they are right."
  ok(bottomLine.includes(stated), bottomLine)
  const worth =
    /^Trade at our number: Yes up to 0\.70, where it breaks even after the fee; the book offers \$[\d,]+ up to there\. /
  ok(worth.test(bottomLine), bottomLine)
  equal([decision.sides[0]?.limitPrice, decision.sides[1]?.sizeUsd], [0.7, 0])
})

Deno.test("a market that has ended says so, and nothing about trading it", () => {
  for (const status of ["resolved", "closed"] as const) {
    const material = reportMaterial({ market: market({ status }) })
    const { thesis, bottomLine } = analysisOf(material)
    ok(/^The venue (?:has resolved|takes no more orders in) this market\./.test(thesis), thesis)
    ok(!/break|limit|Valid until|Our chance/.test(bottomLine), bottomLine)
    equal(templateReportOf(material).decision.sides, [])
  }
})

Deno.test("movementOf() takes the day's move, else the week's, and its step by the ticks", () => {
  const { main, step } = movementOf(jump)
  strictEqual(main?.to.at, Date.parse(jump.book?.microstructure.observedAt ?? ""))
  equal([step?.from.mid, step?.to.mid, step?.to.at], [0.375, 0.485, stepAt])
  strictEqual(
    movementOf(reportMaterial({
      priceAction: steady(0.6),
    })).main,
    null,
  )
})
