/**
 * The page of a report: what its sentences must state, and what they may not.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { halfSteps } from "../../../src/markets/domain/book.ts"
import { MarketId, type SeriesPoint, Slug } from "../../../src/markets/domain/market.ts"
import { quoteOf, quoteOfMid } from "../../../src/markets/domain/quote.ts"
import type { ReportMaterial } from "../../../src/research/domain/material.ts"
import { movementOf, statedStory } from "../../../src/research/domain/movement.ts"
import { reportPage, slotsOf } from "../../../src/research/domain/page.ts"
import { risksMax } from "../../../src/research/domain/risks.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
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
  untrustedTexts,
} from "../../support/research/reports.ts"

const many = { runs: sized({ short: 300, full: 1_500 }) }

/** The sentences that are published without a narrator. */
const sentencesOf = (material: ReportMaterial) =>
  fillSlots(slotsOf(reportPage(material)), []).flatMap(({ sentences }) => sentences)

const analysisOf = (material: ReportMaterial) => templateReportOf(material).analysis

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

/** From 0.325 to 0.535 in a day; 11 cents of it in the hour that ends 8 hours ago. */
const jump = reportMaterial({
  priceAction: hourly(0.325, ...flat(20, 0.325), 0.375, 0.485, ...flat(8, 0.53)),
  ...bookWith({ mid: 0.535, depthUsd: 20_000 }),
})
const stepAt = now - 8 * hour
const election = market({
  question: "Will the Civic Alliance win the most seats in Japan?",
  endsAt: now + 10 * day,
})
/** Titles that point for and against Yes in `election`. */
const gain = "Civic Alliance could win the most seats in Japan, poll suggests"
const loss = "Civic Alliance lose ground in new poll of Japan"

law("every figure and name of a sentence is a value of its facts", anyMaterial, (material) => {
  const page = reportPage(material)
  const facts = new Map(page.facts.map((fact) => [fact.id, fact]))
  strictEqual(facts.size, page.facts.length)
  for (const { text, facts: ids } of sentencesOf(material)) {
    const cited = ids.map((id) => facts.get(id))
    const spellings = cited.flatMap((fact) => Object.values(fact?.values ?? {}).map(spelled))
      .sort((a, b) => b.length - a.length)
    const rest = spellings.reduce((left, value) => left.replaceAll(value, " "), text)
    ok(!/[\p{N}“”]/u.test(rest), `${text}\n${rest}`)
  }
}, many)

law(
  "each slot can be written: it cites its own facts, which the page has",
  anyMaterial,
  (material) => {
    const page = reportPage(material)
    const ids = new Set(page.facts.map(({ id }) => id))
    const slots = slotsOf(page)
    equal(slots.map(({ id }) => id), slots.map((_, n) => `S${n + 1}`))
    for (const { facts, sentences } of slots) {
      ok(facts.every((id) => ids.has(id)) && new Set(facts).size === facts.length)
      ok(sentences.every((sentence) => sentence.facts.every((id) => facts.includes(id))))
    }
    ok(page.risks.length <= risksMax)
  },
  many,
)

law("no sentence is stated twice", anyMaterial, (material) => {
  const texts = sentencesOf(material).map(({ text }) => text)
  equal(texts, [...new Set(texts)])
}, many)

law("a report is plain text, whatever the names are", anyMaterial, (material) => {
  ok(!/[*_`#|~<>[\]\\]|:\/\/|[\r\t]/.test(textOf(material)), textOf(material))
}, many)

law("a report is certain of nothing but of a market that has resolved", anyMaterial, (material) => {
  const certain = reportPage(material).facts.some((fact) => fact.certain)
  strictEqual(certain, material.market.status === "resolved")
})

law(
  "the thesis states the first publication of a related story, and its lag to the step",
  anyMaterial,
  (
    material,
  ) => {
    const { facts, thesis } = reportPage(material)
    const { step } = movementOf(material)
    const stories = (material.news?.stories ?? []).filter(({ strength }) => strength !== "family")
    const stated = facts.filter(({ id, values, kind }) =>
      thesis.facts.includes(id) && kind === "news" && values["headline"] !== undefined
    )
    strictEqual(stated.length, stories.length > 0 ? 1 : 0)
    const [fact] = stated
    if (fact === undefined) return
    const { publishedAt, lag } = fact.values
    const firsts = stories.map(({ firstAt }) => firstAt)
    ok(publishedAt?.type === "time" && firsts.includes(publishedAt.at))
    if (step === null) return
    ok(lag?.type === "duration")
    strictEqual(lag.ms, Math.abs(step.to.at - publishedAt.at))
    const isAfter = publishedAt.at > step.to.at
    strictEqual(/ after that step, so it did not start it: /.test(fact.statement), isAfter)
    ok(!isAfter || !/possible reason/.test(fact.statement))
  },
  many,
)

law(
  "statedStory() prefers a story shortly before the step, and the earliest of these",
  anyMaterial,
  (
    { news },
  ) => {
    const stories = (news?.stories ?? []).filter(({ strength }) => strength === "direct")
    const step = { from: { at: stepAt - hour, mid: 0.3 }, to: { at: stepAt, mid: 0.5 } }
    const stated = statedStory(stories, step)
    const near = stories.map(({ firstAt }) => firstAt)
      .filter((at) => at <= stepAt && at >= stepAt - 6 * hour)
    if (near.length > 0) strictEqual(stated?.story.firstAt, Math.min(...near))
    else if (stated?.order === "after") ok(stories.every(({ firstAt }) => firstAt > stepAt))
  },
)

law(
  "the opening states the direction, the ends and the size of the change correctly",
  anyMaterial,
  (material) => {
    const { main, low, high, whole } = movementOf(material)
    const { facts } = reportPage(material)
    const [opening] = facts
    const range = facts.find(({ values }) =>
      values["low"] !== undefined || values["high"] !== undefined
    )
    if (main !== null) {
      const up = halfSteps(main.to.mid) > halfSteps(main.from.mid)
      strictEqual(opening?.direction, up ? "up" : "down")
      strictEqual(/ rose /.test(opening?.statement.replaceAll(/“[^”]*”/g, "") ?? ""), up)
      equal(opening?.values["from"], { type: "price", value: main.from.mid })
      equal(opening?.values["to"], { type: "price", value: main.to.mid })
    } else ok(!/ (?:rose|fell) /.test(opening?.statement.replaceAll(/“[^”]*”/g, "") ?? ""))
    if (whole === null) return
    const { low: lowest, high: highest } = range?.values ?? {}
    ok(lowest === undefined || lowest.type === "price" && lowest.value === low.mid)
    ok(highest === undefined || highest.type === "price" && highest.value === high.mid)
  },
  many,
)

Deno.test("a story of the hours before the step is a possible reason, with its outlets since", () => {
  const outlets = [
    headline({ title: "Keepers agree", source: "Quillon Post", publishedAt: stepAt - 95 * minute }),
    headline({ source: "Harbor Ledger", publishedAt: stepAt + hour, url: "https://b.example/1" }),
  ] as const
  const later = story([headline({ title: "Much later", url: "https://c.example/1" })])
  const material = { ...jump, news: { stories: [later, story(outlets)], sources: 5, answered: 5 } }
  const { thesis, confidence, bottomLine } = analysisOf(material)
  ok(
    /^Yes in “Will the lighthouse be lit\?” rose 21 cents in 24 hours, from 0\.325 to 0\.535, after a report by one outlet\./
      .test(thesis),
  )
  ok(
    thesis.includes(
      "52% of the move: 11 cents within 1 hour, from 0.375 to 0.485, seen at 04:00 UTC; since then it went on by 5 cents",
    ),
    thesis,
  )
  ok(
    /possible reason.*95 minutes before.*Keepers agree.*Quillon Post, 02:25 UTC; 1 more outlet by 05:00/
      .test(thesis),
    thesis,
  )
  ok(thesis.includes("Also published: “Much later”"), thesis)
  strictEqual(confidence, "medium")
  ok(
    bottomLine.startsWith(
      "Confidence that the move is more than noise (no forecast): medium, because a report came before it (1 outlet before the step, 1 more after it), but its title does not show",
    ),
    bottomLine,
  )
  ok(bottomLine.includes("0.43"), bottomLine)
})

Deno.test("a headline after the step is no reason for it, and the confidence says so", () => {
  const late = story([headline({ publishedAt: stepAt + 7 * hour })])
  const { thesis, confidence, bottomLine } = analysisOf({
    ...jump,
    news: { stories: [late], sources: 5, answered: 5 },
  })
  ok(
    /and no headline explains it\..* came 7 hours after that step, so it did not start it/.test(
      thesis,
    ),
    thesis,
  )
  strictEqual(confidence, "low")
  ok(
    bottomLine.startsWith(
      "Confidence that the move is more than noise (no forecast): low, because the price moved before the first headline.",
    ),
    bottomLine,
  )
})

Deno.test("of several reports before the step the earliest is stated with it", () => {
  const at = (hours: number, title: string) =>
    story([
      headline({ title, url: `https://n.example/${hours}`, publishedAt: stepAt - hours * hour }),
    ])
  const stories = [at(1, "Second"), at(4, "First"), at(30, "Much earlier"), at(2, "Between")]
  for (const order of [stories, stories.toReversed()]) {
    const stated = statedStory(order, {
      from: { at: stepAt - hour, mid: 0.3 },
      to: { at: stepAt, mid: 0.5 },
    })
    equal([stated?.story.title, stated?.order, stated?.lagMs], ["First", "before", 4 * hour])
  }
})

Deno.test("a headline that follows the step within hours makes the price the first to know", () => {
  const soon = story([headline({ publishedAt: stepAt + 43 * minute })])
  const { thesis, confidence, risks } = analysisOf({
    ...jump,
    news: { stories: [soon], sources: 5, answered: 5 },
  })
  ok(thesis.includes("to 0.535, ahead of the first headline."), thesis)
  strictEqual(confidence, "medium")
  ok(risks.some((risk) => /the step came 43 minutes before the first headline/.test(risk)))
  ok(!risks.some((risk) => /No reason/.test(risk)), risks.join("\n"))
})

Deno.test("a move without a step is a drift only where every hour is known", () => {
  const drift = Array.from({ length: 30 }, (_, n) => 0.4 + n / 200)
  const known = analysisOf(
    reportMaterial({ priceAction: hourly(0.4, ...drift), ...bookWith({ mid: 0.545 }) }),
  )
  ok(known.thesis.includes("The price drifted: no hour alone"), known.thesis)
  const gap = analysisOf(reportMaterial())
  ok(gap.thesis.includes("When it moved is not known"), gap.thesis)
  ok(!gap.thesis.includes("drifted"), gap.thesis)
})

Deno.test("a steady price is tested only by news that came while it was known", () => {
  const quiet = (publishedAt: number, title: string) =>
    analysisOf(reportMaterial({
      market: election,
      priceAction: hourly(0.6, ...flat(20, 0.6)),
      ...bookWith({ depthUsd: 20_000 }),
      news: { stories: [story([headline({ publishedAt, title })])], sources: 5, answered: 5 },
    }))
  strictEqual(quiet(now - 2 * hour, "Keepers ready the lighthouse").confidence, "medium")
  const against = quiet(now - 2 * hour, loss)
  strictEqual(against.confidence, "high")
  ok(
    against.bottomLine.includes(
      "The price did not change after the report of “news․example”, whose title points against Yes: it was 0.60 before the report and is 0.60 now.",
    ),
    against.bottomLine,
  )
  ok(!/already includes/.test(against.bottomLine), against.bottomLine)
  strictEqual(quiet(now - 40 * hour, loss).confidence, "medium")
  ok(quiet(now - 40 * hour, loss).bottomLine.includes("No news has tested the price of 0.60"))
})

Deno.test("both of two opposite headlines are named with a steady price", () => {
  const { bottomLine } = analysisOf(reportMaterial({
    market: election,
    priceAction: hourly(0.6, ...flat(20, 0.6)),
    news: {
      stories: [
        story([headline({ title: loss, source: "Quillon Post", publishedAt: now - 9 * hour })]),
        story([headline({ title: gain, source: "Harbor Ledger", url: "https://b.example/1" })]),
      ],
      ...{ sources: 5, answered: 5 },
    },
  }))
  ok(
    /after the report of Quillon Post, whose title points against Yes: .*; the headline of Harbor Ledger points the other way\./
      .test(bottomLine),
    bottomLine,
  )
})

Deno.test("a headline that points against the move does not explain it", () => {
  const of = (title: string) => {
    const outlets = [
      headline({ title, source: "Quillon Post", publishedAt: stepAt - 2 * hour }),
      headline({
        ...{ title, source: "Harbor Ledger", url: "https://b.example/1" },
        publishedAt: stepAt - hour - minute,
      }),
    ] as const
    return analysisOf({
      ...{ ...jump, market: election },
      news: { stories: [story(outlets)], sources: 5, answered: 5 },
    })
  }
  const against = of(loss)
  ok(/no headline explains it: the related one points the other way\./.test(against.thesis))
  ok(/No headline explains the step: .* points the other way: “/.test(against.thesis))
  ok(!/possible reason/.test(against.thesis), against.thesis)
  strictEqual(against.confidence, "low")
  ok(/the related one points the other way/.test(against.bottomLine), against.bottomLine)
  const along = of(gain)
  ok(/possible reason/.test(along.thesis), along.thesis)
  strictEqual(along.confidence, "high")
})

Deno.test("only outlets before the step raise the confidence", () => {
  const of = (secondAt: number, title = gain, question = election.question) => {
    const outlets = [
      headline({ title, source: "Quillon Post", publishedAt: stepAt - 2 * hour }),
      headline({ title, source: "Harbor Ledger", publishedAt: secondAt }),
    ] as const
    return analysisOf({
      ...{ ...jump, market: { ...election, question } },
      news: { stories: [story(outlets)], sources: 5, answered: 5 },
    })
  }
  const before = of(stepAt - hour - minute)
  strictEqual(before.confidence, "high")
  ok(before.bottomLine.includes("before it (2 outlets before the step), its title"))
  ok(before.thesis.includes("after a report by 2 outlets."), before.thesis)
  const after = of(stepAt + 5 * hour)
  strictEqual(after.confidence, "medium")
  ok(
    after.bottomLine.includes(
      "medium, because a report came before it (1 outlet before the step, 1 more after it).",
    ),
    after.bottomLine,
  )
  const asset = "Will Dogecoin gain 65% by November 26?"
  const priced = of(stepAt - hour - minute, "Dogecoin climbs as holders buy", asset)
  strictEqual(priced.confidence, "medium")
  ok(priced.bottomLine.includes("its headline describes the price, not a reason"))
  ok(!/possible reason/.test(priced.thesis), priced.thesis)
  const caused = of(stepAt - hour - minute, "Dogecoin climbs after payment firm adopts it", asset)
  strictEqual(caused.confidence, "high")
})

Deno.test("many outlets alone do not make the confidence high", () => {
  const outlets = [0, 1, 2, 3].map((n) =>
    headline({ source: `Post ${n}`, url: `https://n.example/${n}`, publishedAt: stepAt - 2 * hour })
  )
  const [first, ...more] = outlets
  ok(first !== undefined)
  const { confidence } = analysisOf({
    ...jump,
    news: { stories: [story([first, ...more])], sources: 5, answered: 5 },
  })
  strictEqual(confidence, "medium")
})

Deno.test("the level to watch is that of the step when the step is larger than the move", () => {
  const of = (...last: ReadonlyArray<number>) =>
    analysisOf(reportMaterial({
      priceAction: hourly(0.66, ...flat(18, 0.66), 0.39, 0.665, ...last),
      ...bookWith({ mid: 0.69, spread: 0.02 }),
    })).bottomLine
  ok(of(...flat(5, 0.69)).includes("Watch 0.528, where half of the step is given back."))
  ok(!of(...flat(5, 0.69)).includes("0.675"))
  ok(of(0.72, 0.69).includes("and 0.72, the highest price of"), of(0.72, 0.69))
  const small = analysisOf(reportMaterial({
    priceAction: hourly(0.65, ...flat(24, 0.65), 0.69),
    ...bookWith({ mid: 0.69, spread: 0.03 }),
  })).bottomLine
  ok(!/half of the/.test(small), small)
})

Deno.test("a step whose next day is nearly over says what the price did with it", () => {
  const of = (hoursAgo: number) =>
    analysisOf(reportMaterial({
      priceAction: hourly(0.325, ...flat(30 - hoursAgo, 0.325), ...flat(hoursAgo + 1, 0.535)),
      ...bookWith({ mid: 0.535, depthUsd: 20_000 }),
    })).bottomLine
  ok(of(22).includes("The step is 22 hours old, and the price has kept more than half of it."))
  ok(!of(21).includes("hours old"), of(21))
})

Deno.test("a corrected report is no reason to be confident", () => {
  const corrected = story([headline({ publishedAt: stepAt - hour })], { corrected: true })
  const { thesis, confidence, risks } = analysisOf({
    ...jump,
    news: { stories: [corrected], sources: 5, answered: 5 },
  })
  ok(thesis.includes("corrected since"), thesis)
  strictEqual(confidence, "low")
  ok(risks.some((risk) => /was corrected since/.test(risk)), risks.join("\n"))
})

const missing: ReadonlyArray<readonly [string, Partial<ReportMaterial>, RegExp]> = [
  ["wallets could not be read", { entries: null }, /wallets could not be read/],
  ["no wallet has an open entry", { entries: [] }, /No tracked wallet is known/],
  ["news could not be read", { news: null }, /news could not be read/],
  ["news is off", { news: { stories: [], sources: 0, answered: 0 } }, /No news was read/],
  [
    "some sources did not answer",
    { news: { stories: [story()], sources: 3, answered: 1 } },
    /2 news sources did not answer/,
  ],
  [
    "no related headline was found",
    { news: { stories: [], sources: 3, answered: 3 } },
    /None of the 3 news sources that answered has a headline/,
  ],
  [
    "there is no order book",
    { microstructure: null, quote: null },
    /There is no valid order book now/,
  ],
]
for (const [what, fields, words] of missing) {
  Deno.test(`a report says so when ${what}`, () => {
    ok(!words.test(textOf(reportMaterial())))
    ok(words.test(textOf(reportMaterial(fields))), textOf(reportMaterial(fields)))
  })
}

const percent = Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 96 }))
const rung = (question: string, mid: number, id: string) => ({
  market: market({
    ...{ id: MarketId.make(id), slug: Slug.make(id), question, outcomes: ["Over", "Under"] },
    takerFeeRate: 0.01,
  }),
  quote: quoteOf({ bestBid: mid - 0.005, bestAsk: mid + 0.005, bidShares: 900, askShares: 900 }),
  proposal: null,
})

Deno.test("a contradiction with another rung is stated, with what it gains without risk after fees", () => {
  const lower = rung("Kites vs. Rovers: O/U 1.5", 0.635, "lower")
  const upper = rung("Kites vs. Rovers: O/U 2.5", 0.735, "upper")
  const own = (one: typeof lower, other: typeof lower) =>
    reportMaterial({
      market: one.market,
      ...bookWith({ mid: one.quote?.mid ?? 0 }),
      siblings: { markets: [other], complete: true },
    })
  const cheaper = analysisOf(own(lower, upper)).thesis
  ok(
    /Over here, at 0\.635, is cheaper than Over in “Kites vs\. Rovers: O\/U 2\.5”, at 0\.735/.test(
      cheaper,
    ),
    cheaper,
  )
  const { bottomLine } = analysisOf(own(lower, upper))
  ok(
    /^The hedged pair of Over in “[^”]*1\.5” at 0\.64 and Under in “[^”]*2\.5” at 0\.27 gains 8\.\d cents a share after both fees, for up to \$\d+ of cost, whichever price is wrong, if both are paid by their rules\. Confidence in the price: low/
      .test(bottomLine),
    bottomLine,
  )
  const second = reportPage(own(lower, upper)).thesis.sentences[1]?.text ?? ""
  ok(
    /is wrong, and a hedged pair of purchases gains 8\.\d cents a share after both fees, for up to \$\d+ of cost\.$/
      .test(second),
    second,
  )
  const proposed = own(lower, upper)
  const unknown = analysisOf({ ...proposed, market: { ...proposed.market, status: "proposed" } })
  ok(unknown.thesis.indexOf("hedged pair") < unknown.thesis.indexOf("which one is not known"))
  const closed = analysisOf({ ...proposed, market: { ...proposed.market, status: "closed" } })
  ok(!/hedged pair/.test(closed.thesis + closed.bottomLine), closed.bottomLine)
  const dearer = analysisOf(own(upper, lower)).thesis
  ok(
    /Over here, at 0\.735, is dearer than Over in “Kites vs\. Rovers: O\/U 1\.5”, at 0\.635/.test(
      dearer,
    ),
    dearer,
  )
  ok(!/cheaper|dearer/.test(analysisOf(own(lower, { ...upper, quote: quoteOfMid(0.5) })).thesis))
})

Deno.test("a ladder of three rungs is listed, the easiest first", () => {
  const [low, own, high] = [1.5, 2.5, 3.5].map((line, n) =>
    rung(`Kites vs. Rovers: O/U ${line}`, 0.8 - n / 5, `rung${n}`)
  )
  ok(low !== undefined && own !== undefined && high !== undefined)
  const { thesis } = analysisOf(reportMaterial({
    market: own.market,
    ...bookWith({ mid: 0.6 }),
    siblings: { markets: [high, low], complete: true },
  }))
  ok(
    /Prices of Over along the ladder, the easiest first: .*1\.5” at 0\.80, .*2\.5” \(this market\) at 0\.60 and .*3\.5” at 0\.40\./
      .test(thesis),
    thesis,
  )
})

/** The bottom line of the rung `own` of a ladder with these mids, the easiest first. */
const ladderBottomLine = (own: number, ...mids: ReadonlyArray<number>) => {
  const rungs = mids.map((mid, n) => rung(`Kites vs. Rovers: O/U ${n + 1}.5`, mid, `rung${n}`))
  const market = rungs[own]?.market
  ok(market !== undefined)
  return analysisOf(reportMaterial({
    ...{ market, ...bookWith({ mid: mids[own] ?? 0 }) },
    siblings: { markets: rungs.toSpliced(own, 1), complete: true },
  })).bottomLine
}

Deno.test("a ladder in two parts that agree within themselves takes no side", () => {
  for (const own of [1, 2, 3]) {
    const text = ladderBottomLine(own, 0.02, 0.015, 0.75, 0.69, 0.155)
    ok(
      /splits into “?O\/U 1\.5”? to “?O\/U 2\.5”? \(0\.02 to 0\.015\) and “?O\/U 3\.5”? to “?O\/U 5\.5”? \(0\.75 to 0\.155\): each part agrees within itself, and which of them is wrong is not known/
        .test(text),
      text,
    )
    ok(text.startsWith("The hedged pair of Over in "), text)
    ok(!/more likely|agrees with this price|speaks against/.test(text), text)
  }
})

Deno.test("a rung that is in each contradiction of the ladder is named", () => {
  const text = ladderBottomLine(2, 0.9, 0.1, 0.7, 0.5, 0.3)
  ok(/O\/U 2\.5”?, at 0\.10, is in each of the 3 contradictions of this ladder/.test(text), text)
  const own = ladderBottomLine(1, 0.9, 0.1, 0.7, 0.5, 0.3)
  ok(/O\/U 2\.5”? \(this market\), at 0\.10, is in each/.test(own), own)
  ok(ladderBottomLine(1, 0.3, 0.5, 0.2).includes("Which of the two is wrong is not known"))
})

const mids = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 48 })))
  .check(Schema.isMinLength(4), Schema.isMaxLength(6))

law(
  "a rung is named only when the ladder without it has no contradiction",
  Arbitrary.schema(Schema.Struct({ mids, place: Schema.Int })),
  ({ mids, place }) => {
    const prices = mids.map((mid) => mid / 50)
    const own = Math.abs(place) % prices.length
    const text = ladderBottomLine(own, ...prices)
    const single = /O\/U (\d)\.5”?(?: \(this market\))?, at [\d.]+, is in each/.exec(text)?.[1]
    if (single === undefined) return
    const rest = prices.toSpliced(Number(single) - 1, 1)
    ok(rest.every((mid, n) => n === 0 || mid <= (rest[n - 1] ?? 1)), `${prices}: ${text}`)
  },
)

law(
  "a contradiction of two rungs is stated exactly when the harder one is dearer",
  Arbitrary.schema(Schema.Struct({ easier: percent, harder: percent, isHarder: Schema.Boolean })),
  ({ easier, harder, isHarder }) => {
    const lower = rung("Kites vs. Rovers: O/U 1.5", easier / 100, "lower")
    const upper = rung("Kites vs. Rovers: O/U 2.5", harder / 100, "upper")
    const [own, other] = isHarder ? [upper, lower] : [lower, upper]
    const { thesis, confidence } = analysisOf(reportMaterial({
      market: own.market,
      ...bookWith({ mid: own.quote?.mid ?? 0 }),
      siblings: { markets: [other], complete: true },
    }))
    const stated = /Over here, at [\d.]+, is (dearer|cheaper) than Over in/.exec(thesis)?.[1]
    strictEqual(stated, harder <= easier ? undefined : isHarder ? "dearer" : "cheaper")
    if (stated !== undefined) strictEqual(confidence, "low")
  },
)

Deno.test("what a proposal in another rung implies here is stated, and the confidence is low", () => {
  const own = rung("Will it be 21°C or more on November 23?", 0.315, "own")
  const warmer = rung("Will it be 22°C or more on November 23?", 0.99, "warmer")
  const named = <A extends typeof own>(one: A) => ({
    ...one,
    market: { ...one.market, outcomes: ["Yes", "No"] as const },
  })
  const proposal = {
    ...{ marketId: warmer.market.id, outcome: 0 as const, proposedAt: now - hour },
    ...{ settlesAt: null, disputed: false },
  } as const
  const material = reportMaterial({
    market: named(own).market,
    ...bookWith({ mid: 0.315 }),
    siblings: { markets: [{ ...named(warmer), proposal }], complete: true },
  })
  const { thesis, confidence } = analysisOf(material)
  ok(/outcome Yes of “Will it be 22°C or more on November 23\?” is proposed/.test(thesis), thesis)
  ok(thesis.includes("Yes here must be paid too, though it costs 0.315"), thesis)
  strictEqual(confidence, "low")
})

Deno.test("the step has the time of the ticks, not of the hour", () => {
  const ticks = [[60, 0.38], [50, 0.38], [40, 0.47], [0, 0.485]] as const
  const { thesis } = analysisOf({
    ...jump,
    ticks: ticks.map(([minutesBefore, mid]) => ({ at: stepAt - minutesBefore * minute, mid })),
    news: {
      ...{ sources: 5, answered: 5 },
      stories: [story([headline({ publishedAt: stepAt - 45 * minute })])],
    },
  })
  ok(/seen at 0[34]:\d\d UTC/.test(thesis), thesis)
  ok(/possible reason/.test(thesis), thesis)
})

Deno.test("a newer headline about another outcome is a risk, and is stated once", () => {
  const rival = story([headline({ title: "Rival wins", url: "https://r.example/1" })], {
    strength: "sibling",
  })
  const own = story([headline({ publishedAt: stepAt - hour })])
  const { thesis, risks } = analysisOf({
    ...jump,
    news: { stories: [own, rival], sources: 5, answered: 5 },
  })
  ok(
    risks.some((risk) => /another outcome of this event: “Rival wins”/.test(risk)),
    risks.join("\n"),
  )
  ok(!thesis.includes("Rival wins"), thesis)
})

Deno.test("the outcomes of an exclusive event are summed, and their excess is stated", () => {
  const sibling = (n: number, mid: number) => ({
    market: market({
      ...{ id: MarketId.make(`s${n}`), slug: Slug.make(`s${n}`), exclusive: true },
      question: `Will keeper ${n} win?`,
    }),
    quote: quoteOfMid(mid),
    proposal: null,
  })
  const thesis = (complete: boolean, ...mids: ReadonlyArray<number>) =>
    analysisOf(reportMaterial({
      market: market({ exclusive: true }),
      siblings: { markets: mids.map((mid, n) => sibling(n, mid)), complete },
    })).thesis
  const over = thesis(true, 0.3, 0.17)
  ok(
    over.includes(
      "The 3 outcomes of this event sum to 1.07, 7 cents more than all of them can be worth",
    ),
    over,
  )
  ok(over.includes("“Will keeper 0 win?” at 0.30"), over)
  ok(thesis(false, 0.2).includes("The 2 outcomes of this event that were read sum to 0.80"))
})

Deno.test("a loss in common is stated for the rungs next to this one with a near price only", () => {
  const risks = (...mids: ReadonlyArray<number>) => {
    const rungs = mids.map((mid, n) => rung(`Kites vs. Rovers: O/U ${n + 1}.5`, mid, `rung${n}`))
    const [, own] = rungs
    ok(own !== undefined)
    return analysisOf(reportMaterial({
      market: own.market,
      ...bookWith({ mid: own.quote?.mid ?? 0, depthUsd: 80_000 }),
      siblings: { markets: rungs.toSpliced(1, 1), complete: true },
    })).risks.join("\n")
  }
  const lost = (text: string) =>
    /A loss on Over here is likely .*/.exec(text)?.[0].replaceAll(/[“”]/g, "")
  strictEqual(
    lost(risks(0.65, 0.55, 0.45, 0.4)),
    "A loss on Over here is likely to come with a loss on Over in O/U 1.5 at 0.65 and Over in O/U 3.5 at 0.45.",
  )
  strictEqual(
    lost(risks(0.9, 0.5, 0.3)),
    "A loss on Over here is likely to come with a loss on Over in O/U 3.5 at 0.30.",
  )
  strictEqual(lost(risks(0.75, 0.5, 0.29)), undefined)
  // A rung at 0.97 is lost in 3 of the 20 cases in which one at 0.80 is.
  strictEqual(lost(risks(0.97, 0.8, 0.5)), undefined)
  const other = analysisOf(reportMaterial({
    siblings: { markets: [rung("Will the keeper stay?", 0.6, "other")], complete: true },
  })).risks.join("\n")
  ok(!/likely to come with|one bet|same facts/.test(other), other)
})

Deno.test("a proposal has the wording of every product, and its record", () => {
  const proposal = { marketId: market().id, outcome: 1, settlesAt: null, disputed: false } as const
  const record = {
    proposals: 19,
    upheld: 16,
    upheldRate: 0.842,
    upheldRateLow: 0.62,
    upheldRateHigh: 0.94,
  }
  const material = reportMaterial({
    market: market({ status: "proposed" }),
    proposal: { ...proposal, proposedAt: now - 26 * hour },
    proposalRecord: record,
  })
  const { thesis, confidence, risks } = analysisOf(material)
  ok(
    thesis.includes("the outcome No is proposed, undisputed for 26 hours, and it costs 0.40"),
    thesis,
  )
  ok(
    /Of 19 earlier proposals that traders doubted, 84\.2% were upheld .*: even the lower end is above the price of 0\.40/
      .test(thesis),
    thesis,
  )
  strictEqual(confidence, "low")
  ok(risks.some((risk) => risk.includes("The window to challenge No ended")), risks.join("\n"))
  ok(
    analysisOf(material).bottomLine.includes(
      "If the proposal of No stands, a share bought at the ask of 0.405 gains 59.5 cents; if not, 40.5 cents may be lost.",
    ),
    analysisOf(material).bottomLine,
  )
  const open = analysisOf({
    ...material,
    proposal: { ...proposal, proposedAt: now - hour },
  })
  ok(/A challenge .* is possible until 13:00 UTC/.test(open.risks[0] ?? ""), open.risks[0])
})

Deno.test("a headline against the proposed outcome lowers the confidence", () => {
  const of = (title: string) =>
    analysisOf(reportMaterial({
      market: { ...election, status: "proposed" },
      proposal: {
        ...{ marketId: election.id, outcome: 1, settlesAt: null, disputed: false },
        proposedAt: now - 26 * hour,
      },
      ...bookWith({ mid: 0.01, spread: 0.002 }),
      news: { stories: [story([headline({ title })])], sources: 5, answered: 5 },
    }))
  strictEqual(of(loss).confidence, "high")
  strictEqual(of(gain).confidence, "medium")
  ok(/but the headline of .* points the other way\./.test(of(gain).bottomLine), of(gain).bottomLine)
})

Deno.test("tracked money is summed by side, without market makers", () => {
  const { whaleView } = analysisOf(reportMaterial({
    entries: [
      openEntry({ wallet: "a", stakeUsd: 3_000, price: 0.5 }),
      openEntry({ wallet: "b", stakeUsd: 1_500.4, price: 0.5 }),
      openEntry({ wallet: "c", outcome: 1, stakeUsd: 700 }),
      openEntry({ wallet: "d", stakeUsd: 9e6, marketMaker: true }),
    ],
  }))
  ok(
    whaleView.includes("87% is on Yes: $4,500 in 2 entries, against $700 in 1 entry on No"),
    whaleView,
  )
  ok(whaleView.includes("paid 0.50 on average and gain 20%"), whaleView)
  ok(!whaleView.includes("9,000,000"), whaleView)
})

Deno.test("labelled wallets come first, with the edge that a copy leaves", () => {
  const row = (edge: number) => ({
    computedAt: now,
    row: whaleRow({ label: "follow", edge, edgeLow: 0.01, edgeHigh: 0.2 }),
  })
  const { whaleView, bottomLine } = analysisOf(reportMaterial({
    entries: [
      openEntry({ wallet: "a", name: "Plain-Stone1", stakeUsd: 9_000 }),
      openEntry({ wallet: "c", name: "Keen-Glacier3", price: 0.55, calibration: row(0.12) }),
      openEntry({ wallet: "c", name: "Keen-Glacier3", price: 0.55, calibration: row(0.12) }),
      openEntry({ wallet: "b", name: "Weak-Wind2", calibration: row(0.02) }),
    ],
  }))
  const places = ["Keen-Glacier3", "Weak-Wind2", "Plain-Stone1"].map((name) =>
    whaleView.indexOf(name)
  )
  equal(places, places.toSorted((a, b) => a - b))
  ok(whaleView.includes("Keen-Glacier3 (proven follow) bought Yes at 0.55"), whaleView)
  ok(
    /the ask is now 0\.605, 5\.5 cents more than it paid, which leaves 6\.5 cents of its edge/.test(
      whaleView,
    ),
    whaleView,
  )
  ok(whaleView.includes("Weak-Wind2 (proven follow"), whaleView)
  strictEqual(whaleView.split("Keen-Glacier3 won").length, 2, whaleView)
  ok(
    /The only sign of a higher chance of Yes is the entry of Keen-Glacier3 \(follow on Yes\); the edge of Weak-Wind2 is used up at today's ask/
      .test(bottomLine),
    bottomLine,
  )
})

law(
  "an entry is a sign of a higher chance only when a copy leaves some of its edge",
  Arbitrary.schema(Schema.Struct({ percent, edge: percent })),
  ({ percent, edge }) => {
    const row = whaleRow({
      label: "follow",
      edge: edge / 200,
      edgeLow: 0.01,
      edgeHigh: edge / 100,
    })
    const { whaleView, bottomLine } = analysisOf(reportMaterial({
      entries: [openEntry({ price: percent / 100, calibration: { computedAt: now, row } })],
    }))
    const left = edge / 200 - (0.605 - percent / 100)
    const isAgainst = left > edge / 100
    if (Math.abs(left) < 1e-6 || Math.abs(left - edge / 100) < 1e-6) return
    strictEqual(/sign of a higher chance/.test(bottomLine), left > 0 && !isAgainst, bottomLine)
    const reason =
      /gives a chance other than the price; the edge of [^;]* is (used up at today's ask|smaller than the later price change)\./
        .exec(
          bottomLine,
        )
    strictEqual(
      reason?.[1],
      left < 0
        ? "used up at today's ask"
        : isAgainst
        ? "smaller than the later price change"
        : undefined,
      bottomLine,
    )
    ok(!/attractive|no reason to buy/.test(bottomLine), bottomLine)
    ok(!/leaves nothing/.test(whaleView) || left < 0, whaleView)
  },
)

Deno.test("a report within the step is not said to come before it", () => {
  const inside = headline({ title: gain, publishedAt: stepAt - 20 * minute })
  const outlets = [inside, { ...inside, source: "Harbor Ledger" }] as const
  const ticks = [[40, 0.375], [0, 0.485]] as const
  const { thesis, confidence, bottomLine } = analysisOf({
    ...{ ...jump, market: election },
    ticks: ticks.map(([minutesBefore, mid]) => ({ at: stepAt - minutesBefore * minute, mid })),
    news: { stories: [story(outlets)], sources: 5, answered: 5 },
  })
  ok(thesis.includes("with a report while it moved."), thesis)
  strictEqual(confidence, "medium")
  ok(bottomLine.includes("so which was first is not known"), bottomLine)
})

Deno.test("the payoff of each side is stated in cents", () => {
  const { bottomLine } = analysisOf(reportMaterial({
    market: market({ takerFeeRate: 0.02 }),
    ...bookWith({ mid: 0.97, spread: 0.002 }),
  }))
  ok(
    bottomLine.includes(
      "Buying Yes at 0.971 risks 97.2 cents a share to gain 2.8 cents, so it needs a chance of 97.2%; No at 0.031 risks 3.2 cents to gain 96.8 cents and needs 3.2%, fee included.",
    ),
    bottomLine,
  )
})

law("no record of a wallet is stated twice", anyMaterial, (material) => {
  const { facts, whaleView } = reportPage(material)
  const recorded = facts.filter(({ id, values }) =>
    whaleView.facts.includes(id) && values["winRate"] !== undefined
  ).map(({ subject }) => subject)
  equal(recorded, [...new Set(recorded)])
})

law("only wallets without a label are said to have none", anyMaterial, (material) => {
  const { facts, whaleView } = reportPage(material)
  const own = (material.entries ?? []).filter(({ marketMaker }) => !marketMaker)
  const labelled = new Set(
    own.filter(({ calibration }) => {
      const row = calibration?.row
      return row !== undefined && row.resolved >= 30 && row.label !== "neutral"
    }).map(({ wallet }) => wallet),
  )
  const plain = new Set(own.map(({ wallet }) => wallet).filter((wallet) => !labelled.has(wallet)))
  const counted = facts.find(({ id, statement, values }) =>
    whaleView.facts.includes(id) && values["wallets"] !== undefined &&
    /no label|None|Neither/.test(statement)
  )?.values["wallets"]
  if (counted !== undefined) ok(counted.type === "count" && counted.value === plain.size)
}, many)

Deno.test("what was bought before and after the step is stated", () => {
  const { whaleView } = analysisOf({
    ...jump,
    entries: [
      openEntry({ wallet: "a", stakeUsd: 4_000, firstFillAt: stepAt - hour }),
      openEntry({ wallet: "b", outcome: 1, stakeUsd: 700, firstFillAt: stepAt + hour }),
    ],
  })
  ok(
    whaleView.includes("After the step they bought $700 on No; before it, $4,000 in all"),
    whaleView,
  )
})

Deno.test("risks are those of the market, the most important first", () => {
  const weak = reportMaterial({
    market: market({
      volumeUsd: 900,
      endsAt: now + 9 * hour,
      takerFeeRate: 0.07,
    }),
    ...bookWith({ spread: 0.08, depthUsd: 1_000 }),
    rules: "This resolves to Yes if it is lit. If the lighthouse is postponed, it resolves 50-50.",
  })
  const text = analysisOf(weak).risks.join("\n")
  for (
    const words of [
      /Only \$900 was ever traded/,
      /Buying Yes at 0\.64 and selling it at 0\.56 costs 17\.\d% of the stake, fees included/,
      /“If the lighthouse is postponed, it resolves 50-50”/,
    ]
  ) ok(words.test(text), `${words}\n${text}`)
  ok(analysisOf(weak).bottomLine.includes("the scheduled end in 9 hours"))
  ok(!/in full or not at all|large trader/.test(textOf(weak)), textOf(weak))
  const dead = analysisOf({ ...weak, microstructure: null, quote: null }).risks[0] ?? ""
  ok(/no valid order book/.test(dead), dead)
})

law(
  "the rules of an open market are quoted whenever they decide something",
  anyMaterial,
  (made) => {
    const rules = "This market resolves to Yes if the lighthouse is lit."
    const { status } = made.market
    const { risks } = analysisOf({ ...made, rules })
    strictEqual(
      risks.some((risk) => /is lit/.test(risk)),
      status === "open" || status === "proposed",
    )
    ok(risks.length <= risksMax)
  },
  many,
)

Deno.test("a side that costs nearly 1 has its lopsided payoff as a risk", () => {
  const risks = (mid: number) =>
    analysisOf(reportMaterial(bookWith({ mid, spread: 0.002 }))).risks.join("\n")
  ok(risks(0.97).includes("One loss on Yes at 0.971 takes the gain of 33 such purchases."))
  ok(!/One loss/.test(risks(0.6)))
})

Deno.test("no order can be five cents from a price near to 0 or 1", () => {
  const of = (
    mid: number,
    impact: { readonly up5c: number | null; readonly down5c: number | null },
  ) => {
    const book = bookWith({ mid, spread: 0.002 })
    const { impactUsd } = book.microstructure
    return analysisOf(reportMaterial({
      ...book,
      microstructure: { ...book.microstructure, impactUsd: { ...impactUsd, ...impact } },
    })).risks.join("\n")
  }
  for (const mid of [0.95, 0.97]) {
    const risks = of(mid, { up5c: null, down5c: 3_912 })
    ok(risks.includes("$3,912 of selling moves the price down 5 cents, and $5,000 buys all"), risks)
    ok(!risks.includes("offers end before"), risks)
  }
  for (const mid of [0.05, 0.03]) {
    const risks = of(mid, { up5c: 3_912, down5c: null })
    ok(
      risks.includes("$3,912 of buying moves the price up 5 cents, and $5,000 is bid in all"),
      risks,
    )
    ok(!risks.includes("bids end before"), risks)
  }
  ok(of(0.94, { up5c: null, down5c: 3_912 }).includes("the offers end before it is 5 cents higher"))
  ok(of(0.06, { up5c: 3_912, down5c: null }).includes("the bids end before it is 5 cents lower"))
})

Deno.test("a measurement waits for no report that explains the move", () => {
  const of = (question: string, endsAt: number | null = now + 12 * hour) =>
    analysisOf({
      ...{ ...jump, market: market({ question, endsAt }) },
      news: { stories: [], sources: 5, answered: 5 },
    }).bottomLine
  for (
    const question of [
      "Will the highest temperature in Perth be 23°C or more on November 23?",
      "Will inflation in Norway be above 3% in November?",
      "Will Dogecoin gain 65% by November 26?",
      "Will Bitcoin reach $150,000 by November 26?",
      "Will the price of gold be above 5,000 on November 26?",
    ]
  ) {
    const text = of(question)
    ok(
      /What can decide it next: the measurement itself, before the scheduled end in 12 hours \(/
        .test(text),
      text,
    )
    ok(!/explains the move/.test(text), text)
  }
  ok(
    of("Will it be 23°C or more?", null).endsWith(
      "What can decide it next: the measurement itself.",
    ),
  )
  for (
    const question of [
      election.question,
      "Will the Harbor Company raise $5 billion by November 26?",
      "Will the Civic Alliance win above 50 seats?",
    ]
  ) {
    const text = of(question)
    ok(/next: a first report that explains the move and the scheduled end/.test(text), text)
  }
})

law("the confidence is about the price or the move", anyMaterial, (material) => {
  const { bottomLine } = analysisOf(material)
  const { status } = material.market
  const about = /(?:^|\. )Confidence(.*?): (?:low|medium|high), because /.exec(bottomLine)?.[1]
  const isMove = movementOf(material).main !== null
  if (status === "resolved" || status === "closed" || material.market.mechanical !== null) {
    strictEqual(about, "")
  } else {
    ok(
      about === " in the price" ||
        isMove && about === " that the move is more than noise (no forecast)",
      bottomLine,
    )
  }
}, many)

Deno.test("a steady price has a confidence in the price, with its reason", () => {
  const { bottomLine } = analysisOf(reportMaterial({
    market: election,
    priceAction: hourly(0.6, ...flat(20, 0.6)),
    news: { stories: [story([headline({ title: loss })])], sources: 5, answered: 5 },
  }))
  ok(
    bottomLine.startsWith(
      "Confidence in the price: high, because the price held through a related headline, with $10,000 of orders",
    ),
    bottomLine,
  )
})

Deno.test("orders near the price have their distance", () => {
  const { risks, bottomLine } = analysisOf(reportMaterial(bookWith({ depthUsd: 1_000 })))
  ok(bottomLine.includes("only $1,000 of orders are within 5 cents of it"), bottomLine)
  ok(!/near the price|book of only/.test([...risks, bottomLine].join("\n")))
})

law("at most 15 % of the words of a report are about itself", anyMaterial, (material) => {
  const page = reportPage(material)
  const facts = new Map(page.facts.map((fact) => [fact.id, fact]))
  const sentences = sentencesOf(material)
  const own = sentences.filter(({ facts: ids }) =>
    ids.every((id) => ["coverage", "method"].includes(facts.get(id)?.kind ?? ""))
  )
  const words = (of: typeof sentences) => of.reduce((sum, { text }) => sum + wordCount(text), 0)
  // A report without wallets and news has little else to say.
  if (material.entries === null || material.news === null) return
  if (material.news.sources === 0 || material.news.answered < material.news.sources) return
  ok(words(own) <= 0.15 * words(sentences) + 20, own.map(({ text }) => text).join("\n"))
}, many)

Deno.test("a report with untrusted text in every place keeps every law", () => {
  for (const text of untrustedTexts) {
    const material = reportMaterial({
      market: market({ question: text, outcomes: [text, text], endsAt: now + day }),
      entries: [openEntry({ name: text })],
      news: {
        stories: [story([headline({ title: text, source: text })])],
        sources: 1,
        answered: 1,
      },
      rules: text,
      siblings: {
        markets: [{
          market: market({ id: MarketId.make("s"), question: text }),
          quote: quoteOfMid(0.2),
          proposal: null,
        }],
        complete: true,
      },
    })
    const all = textOf(material)
    ok(!/[*_`#|~<>[\]\\]|:\/\//.test(all), all)
    ok(all.split("“").length === all.split("”").length, all)
  }
})
