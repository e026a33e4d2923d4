/**
 * The page of a report: what its sentences must state, and what they may not.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { clauseOf } from "../../../src/markets/domain/clause.ts"
import { MarketId, type SeriesPoint, Slug } from "../../../src/markets/domain/market.ts"
import { quoteOf } from "../../../src/markets/domain/quote.ts"
import { isLive, type ReportMaterial } from "../../../src/research/domain/material.ts"
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
  noRecord,
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
  const lengths = reportPage(material).facts.flatMap(({ statement, names }) =>
    names.reduce((text, name) => text.replaceAll(name, "x"), statement).split(/(?<=\.) /)
      .map(wordCount)
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

law("a proposal is stated of every live market that has one", anyMaterial, (material) => {
  const { facts } = reportPage(material)
  const isStated = facts.some(({ statement }) =>
    / is proposed(?:,| and disputed,) (?:and|but) priced at /.test(statement)
  )
  strictEqual(isStated, material.proposal !== null && isLive(material))
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
  const isAbsent = /found no headline/.test(textOf(material))
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
const stepAt = now - 8 * hour
const jump = reportMaterial({
  priceAction: hourly(0.325, ...flat(20, 0.325), 0.375, 0.485, ...flat(8, 0.53)),
  book: bookWith({ mid: 0.535, depthUsd: 20_000 }),
  published: {
    ...{ from: 0.325, to: 0.535, windowMs: 24 * hour, startedAt: now - 24 * hour, at: now },
    step: { from: 0.375, to: 0.485, startedAt: stepAt - hour, at: stepAt },
  },
})

Deno.test("a move is stated with its size, then its step, and each headline is placed in time", () => {
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
  ok(thesis.includes("\nPrice so far: Yes rose 21 cents in 24 hours, from 0.325 to"), thesis)
  ok(thesis.includes(" to 0.535, most of it by 04:00 UTC."), thesis)
  ok(
    thesis.includes(
      "Our word match found Early (“news. example”, 02:30 UTC), 90 minutes before the step was seen.",
    ),
    thesis,
  )
  ok(
    thesis.includes(
      "It also found Late (“news. example”, 05:00 UTC), 1 hour after the step was seen.",
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

Deno.test("a decisive report is stated, a corrected or lone one is not", () => {
  const quiet = reportMaterial({
    priceAction: steady(0.6),
    book: bookWith({ mid: 0.665 }),
  })
  const with_ = (...stories: ReadonlyArray<typeof decided>) =>
    analysisOf({ ...quiet, news: { stories, sources: 3, answered: 3 } }).thesis
  const lead = with_(decided, own)
  ok(
    lead.includes(
      "\nReported: Yes is reported by 3 outlets, and priced at 0.665.\nFor it, model-read for Yes: “Lighthouse was lit” (The Harbor Ledger,",
    ),
    lead,
  )
  const isLead = (...stories: ReadonlyArray<typeof decided>) =>
    /is reported by/.test(with_(...stories))
  ok(!isLead({ ...decided, corrected: true }, own))
  ok(!isLead(decided), "copies of one text")
  ok(!isLead({ ...decided, reading: { ...reading, decides: false } }, own))
  ok(!isLead(decided, own, { ...own, reading: { ...reading, outcome: "No" } }), "contradicted")
})

Deno.test("after the deadline only a report of the end is evidence, and says how late it is", () => {
  const asked = market({ endsAt: now - 5 * hour, question: "Will the lighthouse be lit?" })
  const textWith = (hoursAgo: number, decides: boolean) => {
    const publishedAt = now - hoursAgo * hour
    const stories = ["Lighthouse was lit", "Keeper lights the old lamp"].map((title, n) =>
      story([
        headline({ title, source: `Wire ${n}`, url: `https://${n}.example`, publishedAt }),
      ], { reading: { ...reading, decides } })
    )
    return textOf(reportMaterial({
      ...{ market: asked, priceAction: steady(0.6), entries: [], proposal: proposed() },
      news: { stories, sources: 3, answered: 3 },
    }))
  }
  const evidence = /Against it, model-read for Yes: (.*)/
  ok(evidence.test(textWith(6, false)) && !textWith(6, false).includes("after the deadline"))
  ok(!evidence.test(textWith(2, false)), "what comes later is not what the question asks")
  ok(textWith(2, false).includes(", 3 hours after the deadline)"), textWith(2, false))
  const [, late = ""] = evidence.exec(textWith(2, true)) ?? []
  ok(late.includes(", 3 hours after the deadline)"), late)
})

Deno.test("a headline of another game of one of the sides is not listed", () => {
  const game = market({
    ...{ question: "Harbor Gulls vs. Quarry Wolves: O/U 2.5", outcomes: ["Over", "Under"] },
    ...{ gameStartsAt: now + 6 * hour, endsAt: now + 6 * hour },
  })
  const isListed = (title: string, publishedAt = now - hour) =>
    textOf(reportMaterial({
      market: game,
      news: { stories: [story([headline({ title, publishedAt })])], sources: 3, answered: 3 },
    })).includes(title)
  ok(isListed("Harbor Gulls and Quarry Wolves name their sides"))
  ok(!isListed("Harbor Gulls and Lakeside Herons name their sides"), "another opponent")
  ok(!isListed("Harbor Gulls and Quarry Wolves draw", now - 90 * hour), "another date")
})

const proposed = (fields: Partial<NonNullable<ReportMaterial["proposal"]>> = {}) => ({
  marketId: MarketId.make("m1"),
  outcome: 1 as const,
  proposedAt: now - 26 * hour,
  settlesAt: null,
  disputed: false,
  ...fields,
})

Deno.test("a proposal against the price is stated with what it pays", () => {
  const { thesis, bottomLine, confidence } = analysisOf({
    ...jump,
    market: market({ status: "proposed", category: "Politics" }),
    proposal: proposed(),
  })
  ok(
    thesis.includes(
      "\nProposal: No is proposed, but priced at 0.465. " +
        "It was made 26 hours ago and never disputed; the challenge window closed at " +
        "2026-11-19 12:00 UTC, and it is not yet paid. " +
        "No headline that we read says why its price doubts it.\n" +
        "Price so far: Yes rose 21 cents",
    ),
    thesis,
  )
  ok(bottomLine.includes("or until it is paid."), bottomLine)
  strictEqual(confidence, "low")
})

Deno.test("the base rate of a proposal is that of what is known of it", () => {
  const rate = (fields: Partial<ReportMaterial>, mid = 0.96) =>
    textOf({
      ...jump,
      market: market({ status: "proposed", category: "Politics" }),
      proposal: proposed({ outcome: 0 }),
      book: bookWith({ mid, spread: 0.01 }),
      ...fields,
    })
  const overturned = "68 of 957 disputes overturned the proposal (5.7% to 8.9%)."
  const disputed = { proposal: proposed({ outcome: 0, disputed: true }) }
  ok(rate(disputed).includes(overturned), rate(disputed))
  ok(!rate(disputed, 0.6).includes("overturned"), "nor how often a doubted one falls")
  const agreed =
    "957 of 123,499 settled proposals were disputed, and 68 were overturned (0.06% of all)."
  ok(rate({}).includes(agreed))
  ok(!rate({}, 0.6).includes("were disputed"), "the record says nothing of a doubted one")
})

Deno.test("a kick-off is no end, and a passed date no overdue payout", () => {
  const game = market({
    gameStartsAt: now + 6 * hour,
    endsAt: now + 6 * hour,
    eventSlug: "nba-a-b",
  })
  const { bottomLine, thesis: ahead } = analysisOf(reportMaterial({ market: game }))
  ok(
    /Kick-off is at 18:00 UTC; payout is expected about 22:42 UTC \(\d+% chance within 24 hours, as in 4,404 closed game markets\)\./
      .test(ahead),
    ahead,
  )
  ok(bottomLine.includes("Valid until 18:00 UTC (the kick-off), or until"), bottomLine)
  const played = analysisOf(reportMaterial({ market: { ...game, gameStartsAt: now - minute } }))
  ok(
    played.bottomLine.includes("Valid until 12:30 UTC (the game goes on, or has ended)"),
    played.bottomLine,
  )
  const ahead7d = textOf(reportMaterial({ market: market({ endsAt: now + 7 * 24 * hour }) }))
  ok(/\nPayout is expected about 2026-11-28\./.test(ahead7d), ahead7d)
  ok(!/listed date is/.test(ahead7d), "the title has the date")
  const clause = { ...clauseOf("Will it be lit?", "Lit means lit."), deadlineAt: now + 20 * hour }
  const listed = market({ endsAt: now - 60 * 24 * hour })
  const wrong = analysisOf(reportMaterial({ market: listed, clause })).thesis
  ok(/Payout is expected about 2026-11-2[12]/.test(wrong), wrong)
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
  const others = ["0xaa", "0xab", "0xac"].map((wallet, n) =>
    openEntry({ wallet, outcome: 1, stakeUsd: 900 + n - 1 })
  )
  const at = (mid: number) =>
    textOf(reportMaterial({
      priceAction: steady(mid),
      book: bookWith({ mid }),
      entries: [labelled, ...others],
    }))
  const cheap = at(0.42)
  ok(
    cheap.includes(
      "Wallets: Scary-Barrel (follow: a winning record) bought Yes at 0.40 for $2,000, 3 hours ago. " +
        "Scary-Barrel won 60 of 100 earlier settled entries at 0.25 to 0.50, for 0.40 on average; " +
        "by that alone, less luck, the price since and the fee, a buyer of Yes at 0.425 gains 3 cents a share. " +
        "3 tracked wallets without a label hold $2,700 of No, at cost.",
    ),
    cheap,
  )
  const dear = at(0.2)
  ok(dear.includes("a buyer of Yes at 0.205 gains nothing. 3 tracked wallets"), dear)
})

Deno.test("without a view a report says why its labelled wallets do not move the number", () => {
  const band = {
    ...{ band: "0.25-0.50", from: 0.25, to: 0.5, entries: 100, meanEntryPrice: 0.4 },
    ...{ winRateLow: 0.5, winRateHigh: 0.7, followRoi: 0.3, fadeRoi: null },
  }
  const bought = (wallet: string, label: "follow" | "fade", winRate: number) =>
    openEntry({
      ...{ wallet, price: 0.4 },
      calibration: {
        computedAt: now,
        row: whaleRow({ label, oddsBands: [{ ...band, winRate }] }),
      },
    })
  const why = (mid: number, ...entries: ReadonlyArray<ReturnType<typeof bought>>) => {
    const none = { probability: mid, low: null, high: null, dayLow: null, dayHigh: null }
    const estimate = { mid, ...none, ...noRecord, basis: [] }
    const book = bookWith({ mid })
    const read = reportMaterial({ priceAction: steady(mid), book, entries, estimate })
    return /No view beyond the market's price: (.*)\./.exec(textOf(read))?.[1]
  }
  const [good, bad] = [bought("0xaa", "follow", 0.6), bought("0xab", "fade", 0.2)]
  strictEqual(why(0.4, good, bad), "its labelled wallets hold both sides")
  strictEqual(why(0.2, good), "at this price nothing is left of its labelled wallets' edge")
})

Deno.test("a proposal that is not paid after its window is said to take days", () => {
  const paid = (minutes: number) => {
    const proposal = proposed({ proposedAt: now - minutes * minute })
    return analysisOf({ ...jump, market: market({ status: "proposed" }), proposal }).thesis
  }
  const late = "; a proposal not paid an hour after its window takes days."
  ok(!paid(125).includes(late), paid(125))
  ok(paid(600).includes(late), paid(600))
})

/** A market that asks whether the price is above a level. */
const rung = (level: number, mid: number, rules: string | null = null) => ({
  market: market({
    id: MarketId.make(`r${level}`),
    slug: Slug.make(`above-${level}`),
    question: `Will inflation be above ${level}% in May?`,
  }),
  quote: quoteOf({ bestBid: mid - 0.01, bestAsk: mid + 0.01, bidShares: 800, askShares: 800 }),
  ...{ proposal: null, rules },
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
    thesis.includes(
      "Yes of “above 4%” at 0.31 and No of “above 5%” at 0.51 together cost $656 for 800 shares of each and gain at least $144 after fees if both settle alike.",
    ),
    thesis,
  )
  const rules = (level: number) => `Above ${level}% by the Sample Bureau.`
  const conditional = ladder(rung(2, 0.3), rung(4, 0.2)).thesis
  ok(conditional.startsWith("No trade in "), "a gain with a condition does not lead")
  const led = analysisOf(reportMaterial({
    ...{ market: own, priceAction: steady(0.6), rules: rules(3) },
    siblings: { markets: [rung(2, 0.3, rules(2)), rung(4, 0.2)], complete: true },
  })).thesis
  ok(
    /^Trade: Yes in “Will inflation be above 2% in May\?” at 0\.31 and No in “Will inflation be above 3% in May\?” at 0\.\d+ together cost/
      .test(led),
    led,
  )
  ok(thesis.includes("Its ladder has 4 priced rungs, the easiest first:"), thesis)
  for (const [low, leads] of [[null, false], [0.55, false], [0.69, true]] as const) {
    const { thesis } = analysisOf(reportMaterial({
      market: own,
      priceAction: steady(0.6),
      rules: rules(3),
      siblings: { markets: [rung(2, 0.3, rules(2)), rung(4, 0.2)], complete: true },
      estimate: {
        ...{
          mid: 0.6,
          probability: 0.7,
          low,
          high: low && 0.8,
          dayLow: null,
          dayHigh: null,
          ...noRecord,
        },
        basis: [{ ingredient: "wallets", won: null, cases: null, meanPrice: null, shift: 0.1 }],
      },
    }))
    const trade = thesis.search(/Yes (?:in .*? )?at 0\.69 or less/)
    strictEqual(trade > 0 && trade < thesis.indexOf("together cost"), leads, thesis)
  }
  const ruled = (other: string | null) => ladder(rung(4, 0.3, rules(4)), rung(5, 0.5, other)).thesis
  ok(ruled(null).includes(", but their rules could not be read."), ruled(null))
  ok(ruled(rules(5)).includes(", and the rules of both read the same but for their figures."))
  const differing = ruled("Above 5% by another bureau.")
  ok(
    differing.includes(
      ", but their rules differ in more than figures. Where they settle differently both may pay nothing: " +
        "$656 is lost. Only “above 4%” says “Above 4% by the Sample Bureau”. " +
        "Only “above 5%” says “Above 5% by another bureau”.",
    ),
    differing,
  )
  ok(!ladder(rung(4, 0.5), rung(5, 0.4)).thesis.includes("after fees"))
})

Deno.test("the stated number is the market's own, or the estimate with what it is worth", () => {
  const unread = analysisOf(reportMaterial()).thesis
  ok(unread.includes("\nOur own fair price could not be read.\n"), unread)
  const own = templateReportOf(
    reportMaterial({
      estimate: {
        ...{ mid: 0.6, probability: 0.6, low: null, high: null, basis: [], doubted: null },
        ...{ dayLow: 0.5, dayHigh: 0.7 },
        scored: { judged: 0, brier: null, midBrier: null },
        provenWorse: false,
        moved: null,
        references: [{
          ...{ from: 0.5, to: 0.75, entries: 812, meanEntryPrice: 0.62 },
          ...{ winRate: 0.6, winRateLow: 0.55, winRateHigh: 0.65 },
        }, null],
      },
    }),
  )
  const none =
    "No trade in “Will the lighthouse be lit?” (2026-11-30) unless your own chance of Yes is " +
    "above 0.605 (Yes at its ask of 0.605) or below 0.595 (No at 0.405): the market's price of Yes is " +
    "0.60. Prices are of 2026-11-20 12:00 UTC.\n" +
    "No view beyond the market's price: nothing that we read says otherwise.\n"
  ok(own.analysis.thesis.startsWith(none), own.analysis.thesis)
  const { action, reason } = own.decision.verdict
  equal([action, none.includes(`\n${reason}\n`)], ["none", true])
  const priced =
    "Reference: such prices were fair: 60% of 812 settled entries at 0.50 to 0.75 won, " +
    "for 0.62 on average; Yes at its ask must win 60.5%."
  ok(own.analysis.thesis.includes(priced), own.analysis.thesis)
  // The spread is 0.01, without a fee.
  ok(
    own.analysis.risks[0] ===
      "Bought and sold again at once, $1,000 of Yes loses $17, and $1,000 of No loses $25.",
    own.analysis.risks[0],
  )
  const { bottomLine: end } = own.analysis
  ok(
    end.startsWith("Price now: Yes is bid 0.595 and asked 0.605, No at 0.405, without a fee."),
    end,
  )
  for (const { limitPrice, sizeUsd } of own.decision.sides) {
    equal([limitPrice, sizeUsd], [null, null], "no limit without a view")
  }
  const estimate = {
    ...{
      mid: 0.6,
      probability: 0.7,
      low: 0.63,
      high: 0.76,
      dayLow: null,
      dayHigh: null,
      ...noRecord,
    },
    basis: [{ ingredient: "reports", won: 90, cases: 100, meanPrice: null, shift: 0.1 } as const],
  }
  const { analysis: { thesis }, decision } = templateReportOf(reportMaterial({ estimate }))
  const stated =
    /^Trade: Yes in .* at 0\.69 or less before the fee, up to \$[\d,]+: \$[\d,]+ is expected to gain \$\d+ after the fee \(range \$[\d,]+ to \$[\d,]+\)\. It pays \$[\d,]+ if Yes is paid; else \$[\d,]+ is lost, with the fee\. Prices are of [\d: -]+ UTC\.\nOur fair price of Yes is 0\.70 \(0\.63 to 0\.76\), the market's 0\.60: 90 of 100 reported outcomes paid at any price, counted half as the price doubts this one\.\n/
  ok(stated.test(thesis), thesis)
  equal([decision.sides[0]?.limitPrice, decision.sides[1]?.sizeUsd], [0.69, 0])
  equal([decision.verdict.action, decision.verdict.outcome], ["buy", "Yes"])
  const proposal = proposed({ outcome: 0, proposedAt: now - 90 * minute, settlesAt: now + hour })
  const unseen = { ...estimate, probability: 0.6, low: null, high: null, basis: [] }
  const doubted = {
    ...{ proposals: 72, upheld: 49, meanPrice: 0.62 },
    ...{ upheldRateLow: 0.562, upheldRateHigh: 0.781 },
  }
  const unrecorded = textOf(reportMaterial({ estimate: { ...unseen, doubted }, proposal }))
  const words = "price: such proposals were upheld about as often as their prices said.\n"
  ok(unrecorded.includes(words), unrecorded)
  const counts =
    "49 of 72 doubted proposals in our record were paid as proposed (56.2% to 78.1%), priced 0.62 on average."
  ok(unrecorded.includes(counts), unrecorded)
  const dear = analysisOf(reportMaterial({ estimate: { ...estimate, probability: 0.603 } })).thesis
  ok(
    /^No trade in .* is above 0\.605 \(Yes at .*: our fair price of Yes is 0\.603\./
      .test(
        dear,
      ),
  )
})

Deno.test("a market that has ended says so, and nothing about trading it", () => {
  for (const status of ["resolved", "closed"] as const) {
    const material = reportMaterial({ market: market({ status }) })
    const { thesis, bottomLine } = analysisOf(material)
    ok(/^No trade in .*: the venue (?:has resolved it|takes no more orders), /.test(thesis), thesis)
    strictEqual(bottomLine, "Nothing is left to decide here.")
    equal(templateReportOf(material).decision.sides, [])
  }
})
