/**
 * Sentences of facts: each says what its values are, and nothing where they are not known.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { clauseOf } from "../../../src/markets/domain/clause.ts"
import type { Level } from "../../../src/markets/domain/book.ts"
import { contradictionsOf, laddersOf } from "../../../src/markets/domain/ladders.ts"
import { MarketId, Slug } from "../../../src/markets/domain/market.ts"
import { quoteOf } from "../../../src/markets/domain/quote.ts"
import { viewOf } from "../../../src/research/domain/page.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { eventViewOf } from "../../../src/writing/domain/event.ts"
import type { Estimate } from "../../../src/writing/domain/estimate.ts"
import { marketCards } from "../../../src/writing/facts/cards.ts"
import {
  actFact,
  estimateFact,
  exitFact,
  movedFact,
  noViewFact,
  rangeFact,
  scoredFact,
} from "../../../src/writing/facts/estimates.ts"
import { middleFact, pairOf } from "../../../src/writing/facts/ladders.ts"
import { depthFact } from "../../../src/writing/facts/quotes.ts"
import { aboutOf, endOf } from "../../../src/writing/facts/view.ts"
import { market, now } from "../../support/movers/market.ts"
import {
  bookWith,
  headline,
  noRecord,
  reportMaterial,
  story,
} from "../../support/research/reports.ts"

const about = aboutOf(market())
const estimate: Estimate = {
  ...{ mid: 0.4, probability: 0.4, low: null, high: null, dayLow: null, dayHigh: null },
  ...{ ...noRecord, basis: [] },
}

/** A market that asks whether the temperature reaches a number of degrees. */
const rungAt = (degrees: number, mid: number, rules: string | null = null) => ({
  market: market({
    id: MarketId.make(`t${degrees}`),
    slug: Slug.make(`t-${degrees}`),
    question: `Will the highest temperature in Perth be ${degrees}°C or more on December 1?`,
  }),
  quote: quoteOf({ bestBid: mid - 0.01, bestAsk: mid + 0.01, bidShares: 9_000, askShares: 9_000 }),
  ...{ proposal: null, rules },
})
const eventOf = ([own, ...others]: readonly [
  ReturnType<typeof rungAt>,
  ...ReadonlyArray<ReturnType<typeof rungAt>>,
]) => eventViewOf(own, others, true)
const middleOf = (...mids: readonly [number, ...ReadonlyArray<number>]) => {
  const [first, ...rest] = mids.map((mid, n) => rungAt(20 + n, mid))
  return first === undefined ? null : middleFact(about, eventOf([first, ...rest]))?.statement
}

Deno.test("the median of a ladder is where a half is passed, with the range of at least 80 %", () => {
  strictEqual(
    middleOf(0.95, 0.9, 0.6, 0.4, 0.1, 0.05),
    "By these prices the median lies between “22°C or more” and “23°C or more”, and at least 80% " +
      "from “21°C or more” to “24°C or more”.",
  )
  strictEqual(middleOf(0.4, 0.2), "By these prices the median lies short of “20°C or more”.")
  strictEqual(middleOf(0.8, 0.6), "By these prices the median lies beyond “21°C or more”.")
  strictEqual(
    middleOf(0.6, 0.61, 0.3),
    "“21°C or more” is priced above the easier “20°C or more”: one of the two is wrong, or their " +
      "rules differ.",
  )
  strictEqual(middleOf(0.4, 0.6), undefined, "a pair that gains says so")
})

Deno.test("a ladder's pull names its event, and the prices from which a combination gains", () => {
  const view = viewOf(reportMaterial())
  const basis = [{
    ingredient: "ladder",
    won: null,
    cases: null,
    meanPrice: null,
    shift: 0.03,
  }] as const
  strictEqual(
    estimateFact(about, { ...estimate, probability: 0.43, basis }, 0, view).statement,
    "Our fair price of Yes is 0.43, the market's 0.40: the prices of its event's other markets.",
  )
  const act = (mid: number, ...others: ReadonlyArray<ReturnType<typeof rungAt>>) =>
    actFact(about, {
      ...viewOf(reportMaterial({ book: bookWith({ mid }) })),
      event: eventOf([rungAt(22, mid), ...others]),
    })?.statement
  strictEqual(
    act(0.4, rungAt(21, 0.45), rungAt(23, 0.35)),
    "Act at: Yes at 0.33 or less, No at 0.53 or less: that leaves a cent a share after the fee with " +
      "its event's other markets, if all settle alike.",
  )
  strictEqual(act(0.4, rungAt(21, 0.8), rungAt(23, 0.1)), undefined, "too far to be watched")
})

Deno.test("a score says how many prices it is of, and is compared when they are enough", () => {
  const scored = (judged: number, brier: number | null, midBrier: number | null) =>
    scoredFact({ ...estimate, scored: { judged, brier, midBrier } }).statement
  strictEqual(
    scored(0, null, null),
    "Scored: 0 stated prices a day later, too few for a Brier score.",
  )
  strictEqual(
    scored(1, null, null),
    "Scored: 1 stated price a day later, too few for a Brier score.",
  )
  strictEqual(
    scored(1_204, 0.0121, 0.0124),
    "Scored: 1,204 stated prices a day later, Brier 0.0121 against the mid's 0.0124.",
  )
})

Deno.test("a move without a record says that too few are known, not where they went", () => {
  const moves = (meanDrift: number | null, driftLow: number | null, driftHigh: number | null) => {
    const moved = { ...estimate, moved: { moves: 12, meanDrift, driftLow, driftHigh } }
    const [{ statement: why }, record] = [
      noViewFact(about, moved, viewOf(reportMaterial({ entries: [], news: null }))),
      movedFact(about, moved),
    ]
    return [why.replace(/.*: /, ""), record?.statement]
  }
  equal(moves(null, null, null), [
    "too few such moves are a day old to say what follows them.",
    undefined,
  ])
  equal(moves(0.001, -0.01, 0.012), [
    "a day after such moves the price was on average where it had been.",
    "After 12 such moves the price was a day later on average where it had been, within 1.2 cents.",
  ])
})

Deno.test("headlines for one side are not passed over where there is no view", () => {
  const reading = { outcome: "Yes", bears: "for", decides: false, quote: "was lit" } as const
  const why = (stories: ReadonlyArray<ReturnType<typeof story>>) => {
    const news = { stories, sources: 1, answered: 1 }
    return noViewFact(about, estimate, viewOf(reportMaterial({ entries: [], news }))).statement
  }
  ok(why([]).endsWith(": nothing that we read says otherwise."))
  ok(
    why([story([headline()], { reading })])
      .endsWith(": its headlines decide nothing, and nothing else says otherwise."),
  )
})

const offering = (...offers: readonly [ReadonlyArray<Level>, ReadonlyArray<Level>]) => ({
  ...viewOf(reportMaterial()),
  offers,
})

Deno.test("a thin book says what its bids take, and what is not offered", () => {
  const exit = (...offers: readonly [ReadonlyArray<Level>, ReadonlyArray<Level>]) =>
    exitFact(about, offering(...offers)).statement
  strictEqual(
    exit([{ price: 0.5, size: 4_000 }], [{ price: 0.6, size: 100 }]),
    "Bought and sold again at once, $1,000 of Yes finds bids for $40 only, and $60 of No loses $10.",
  )
  strictEqual(
    exit([], [{ price: 0.6, size: 100 }]),
    "Bought and sold again at once, Yes is not offered, and $60 of No finds bids for $0 only.",
  )
  const { market: own, ...view } = offering([], [])
  strictEqual(
    exitFact(about, { ...view, market: { ...own, takerFeeRate: null } }).statement,
    "Its fee is not known, so neither is what it costs to sell again.",
  )
})

Deno.test("two sizes are priced on both sides, and a book that offers less says how much", () => {
  const depth = (...offers: readonly [ReadonlyArray<Level>, ReadonlyArray<Level>]) =>
    depthFact(about, offers).statement
  strictEqual(
    depth([{ price: 0.5, size: 200 }, { price: 0.6, size: 4_000 }], [{ price: 0.6, size: 300 }]),
    "Before the fee $100 and $1,000 buy Yes at 0.50 and 0.588, No at 0.60 (only $180 is offered) " +
      "on average.",
  )
  strictEqual(
    depth([{ price: 0.5, size: 4_000 }], []),
    "Before the fee $100 and $1,000 buy Yes at 0.50, No (only $0 is offered) on average.",
  )
})

Deno.test("a day's range is to be watched at its time", () => {
  strictEqual(
    rangeFact(about, { ...estimate, dayLow: 0.034, dayHigh: 0.341 }, now)?.statement,
    "Watch 2026-11-21 12:00 UTC: nine times in ten its mid is then 0.034 to 0.341.",
  )
  strictEqual(rangeFact(about, estimate, now), null)
})

Deno.test("a pair with a condition says what is lost, and quotes what differs of long rules", () => {
  const long = (end: string) => `${"This market resolves to Yes ".repeat(9)}by the ${end} bureau.`
  const detailsOf = (first: string, second: string) => {
    const rungs = [rungAt(22, 0.3, first), rungAt(23, 0.5, second)].map((rung) => ({
      ...rung,
      proposed: null,
    }))
    const [found] = contradictionsOf(laddersOf(rungs))
    const pair = found === undefined ? null : pairOf(found, now)
    return [pair?.isSure, pair?.details.map(({ statement }) => statement).join(" ")] as const
  }
  const [isSure, text = ""] = detailsOf(long("north"), long("south"))
  strictEqual(isSure, false)
  const lost = /together cost \$|both may pay nothing: \$7,380 is lost\./
  ok(lost.test(text), text)
  ok(text.includes("Only “22°C or more” says “north”."), text)
  const [isSame, same = ""] = detailsOf("Above 22 in May.", "Above 23 in June.")
  strictEqual(isSame, true)
  ok(!same.includes("is lost"), same)
})

Deno.test("a doubted proposal has the late headline against it, or that none was read", () => {
  const asked = market({ status: "proposed", endsAt: now - 5 * hour })
  const proposal = {
    ...{ marketId: asked.id, outcome: 0 as const, disputed: false, settlesAt: null },
    proposedAt: now - 3 * hour,
  }
  const detailsOf = (bears: "for" | "against") => {
    const reading = { outcome: "Yes", bears, decides: false, quote: "unlit" }
    const stories = [story([headline({ title: "Lighthouse stays unlit" })], { reading })]
    const news = { stories, sources: 1, answered: 1 }
    const view = viewOf(reportMaterial({ market: asked, proposal, news, entries: [] }))
    return marketCards(view).flatMap(({ details }) => details).map(({ statement }) => statement)
      .join(" ")
  }
  ok(
    detailsOf("against").endsWith(
      "Why its price may doubt it: “Lighthouse stays unlit” (“news. example”, 10:00 UTC, 3 hours " +
        "after the deadline).",
    ),
    detailsOf("against"),
  )
  ok(detailsOf("for").endsWith("No headline that we read says why its price doubts it."))
})

Deno.test("the end is the listed one, unless the rules name a later one near to it", () => {
  const ends = (endsAt: number | null, deadlineAt: number | null) => {
    const clause = { ...clauseOf("Will it be lit?", "Lit means lit."), deadlineAt }
    return endOf({ clause, market: market({ endsAt }), now })
  }
  strictEqual(ends(null, null), null)
  strictEqual(ends(null, now + day), now + day)
  strictEqual(ends(now + day, null), now + day)
  strictEqual(ends(now + day, now + 2 * day), now + 2 * day)
  strictEqual(ends(now + day, now + 9 * day), now + day)
  strictEqual(ends(now - 30 * day, now + 9 * day), now + 9 * day)
})
