/**
 * The end of a report: how well its reading is supported, what the price asks for, and what to watch.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { breakEvenProbability, halfGivenBackAt } from "../../markets/domain/tradeCosts.ts"
import { measurementOf } from "../../news/domain/bearing.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import {
  cents,
  count,
  duration,
  type Line,
  line,
  named,
  price,
  rate,
  roundTo,
  time,
  usd,
  word,
} from "./lines.ts"
import {
  gateOf,
  outcomeName,
  passesGate,
  priceOf,
  priceOfOutcome,
  type ReportMaterial,
} from "./material.ts"
import {
  bearingOn,
  type Change,
  directionOf,
  explanationOf,
  isPriceReport,
  type Movement,
  movementOf,
  outletsAround,
  reasonLagMax,
  sizeOf,
  statedIn,
  type StatedStory,
  statedStory,
} from "./movement.ts"
import { day, hour } from "../../core/domain/time.ts"
import type { Confidence } from "./report.ts"
import { impliedHere, ladderBelief, ownContradiction } from "./siblingLines.ts"
import { directional, edgeLeftOf, favouredBy, type Labelled, labelledEntries } from "./whaleView.ts"
import { joined, listed, phrase, type Statement } from "../../writing/domain/statement.ts"

/** How well the evidence supports the reading of the price, and why. */
interface JudgedConfidence {
  readonly confidence: Confidence
  readonly reason: Line
}

/**
 * Low when the price itself is weak, the venue's proposal or a ladder contradicts it, or no report
 * explains a move; high when the venue has decided, or several outlets had a report of a reason that
 * points the same way before the step, which the price has kept; medium between. It is no forecast.
 */
export function confidenceOf(material: ReportMaterial): JudgedConfidence {
  const [about, judged] = judgementOf(material)
  const [confidence, reason, negative = false] = judged
  return {
    confidence,
    reason: line(
      "method",
      phrase`Confidence${about === "" ? "" : ` ${about}`}: ${
        word("confidence", confidence)
      }, because ${reason}.`,
      { subject: material.market.slug, negative },
    ),
  }
}

type Judged = readonly [Confidence, Statement, negative?: boolean]

/** What the confidence is about, the price or the move, and how it is judged. */
function judgementOf(material: ReportMaterial): readonly [about: string, Judged] {
  const venue = venueConfidence(material)
  if (venue !== null) return ["", venue]
  const price = gateConfidence(material) ?? proposalConfidence(material) ??
    ladderConfidence(material)
  if (price !== null) return ["in the price", price]
  return movementOf(material).main === null
    ? ["in the price", steadyConfidence(material)]
    : ["that the move is more than noise (no forecast)", moveConfidence(material)]
}

function venueConfidence({ market }: ReportMaterial): Judged | null {
  if (market.status === "resolved") return ["high", phrase`the venue has decided the question`]
  if (market.status === "closed") {
    return ["low", phrase`the market is closed`]
  }
  return market.mechanical === null
    ? null
    : ["low", phrase`the price of so short a bet changes faster than a report is read`]
}

/** Null when the price passes the quality gate. */
function gateConfidence(material: ReportMaterial): Judged | null {
  if (passesGate(material)) return null
  const { market, microstructure: book } = material
  const gate = gateOf(material)
  if (book === null) return ["low", phrase`there is no order book behind the price`, true]
  const faults = [
    ...gate.spread ? [] : [phrase`the spread is ${cents("spread", book.spread)}`],
    ...gate.depth ? [] : [
      phrase`only ${usd("depth", book.depthUsdWithin5c.total)} of orders are within ${
        cents("near", nearMax)
      } of it`,
    ],
    ...gate.volume ? [] : [phrase`only ${usd("volume", market.volumeUsd)} was ever traded`],
  ]
  return ["low", listed(faults)]
}

function proposalConfidence(material: ReportMaterial): Judged | null {
  const { proposal, now } = material
  if (proposal === null) return null
  const outcome = outcomeName(material, proposal.outcome, "outcome")
  const { mid } = priceOf(material)
  const own = priceOfOutcome(material, proposal.outcome)
  if (proposal.disputed) return ["low", phrase`the proposal of ${outcome} is disputed`]
  if (own < 0.5) {
    return [
      "low",
      phrase`the venue has a proposal of ${outcome}, and traders price it at ${
        price("price", own)
      }`,
    ]
  }
  const until = proposal.settlesAt ?? proposal.proposedAt + challengeWindowMs
  const isOver = until <= now && convergenceOf(mid) === "converged"
  const opposed = opposedTo(material, proposal)
  if (opposed !== null) {
    return [
      isOver ? "medium" : "low",
      phrase`proposal and price point to ${outcome}, but the headline of ${
        named("publisher", opposed.source)
      } points the other way`,
    ]
  }
  return isOver
    ? [
      "high",
      phrase`proposal and price agree on ${outcome}, and the time for a challenge has passed`,
    ]
    : ["medium", phrase`proposal and price point to ${outcome}, but the venue has not decided`]
}

/** The newest story about the market since the proposal, if its title points to the other outcome. */
function opposedTo(material: ReportMaterial, { outcome, proposedAt }: Proposal) {
  const newest = (material.news?.stories ?? [])
    .filter(({ strength, corrected, firstAt }) =>
      strength === "direct" && !corrected && firstAt > proposedAt
    )
    .toSorted((a, b) => b.firstAt - a.firstAt)
    .find((story) => bearingOn(material, story) !== null)
  if (newest === undefined) return null
  return bearingOn(material, newest) === (outcome === 0 ? "against" : "for") ? newest : null
}

/** Null when no other rung of the ladder speaks against the price. */
function ladderConfidence(material: ReportMaterial): Judged | null {
  if (impliedHere(material) !== null) {
    return ["low", phrase`a proposal in another market of the event contradicts the price`]
  }
  const found = ownContradiction(material)
  return found === null
    ? null
    : ["low", phrase`this price and that of another market of the event cannot both be right`]
}

/** The distance from the middle within which `Microstructure` sums up the orders. */
const nearMax = 0.05

/**
 * A story that came while the price was known, and so tests a price that did not move: the earliest
 * whose title points to a side, else the earliest.
 */
function testOf(material: ReportMaterial): RelatedStory | null {
  const { news, priceAction: [first] } = material
  const since = (news?.stories ?? []).filter(({ firstAt }) => firstAt > first.at)
  const pointed = since.filter((story) => bearingOn(material, story) !== null)
  return statedStory(pointed.length > 0 ? pointed : since, null)?.story ?? null
}

/** Depth from which a price that no news moves is well supported. */
const deepUsd = 10_000

function steadyConfidence(material: ReportMaterial): Judged {
  const tested = testOf(material)
  if (tested === null) {
    return movementOf(material).whole === null
      ? ["low", phrase`only one price is known`]
      : ["medium", phrase`the price is steady, but no headline tests it`, true]
  }
  const depth = material.microstructure?.depthUsdWithin5c.total ?? 0
  const isDeepTest = depth >= deepUsd && bearingOn(material, tested) !== null
  const orders = phrase`${usd("depth", depth)} of orders within ${cents("near", nearMax)}`
  return [
    isDeepTest ? "high" : "medium",
    phrase`the price held through a related headline, with ${
      depth >= deepUsd ? "" : "only "
    }${orders}`,
  ]
}

function moveConfidence(material: ReportMaterial): Judged {
  const { step, gapless } = movementOf(material)
  const stated = statedIn(material)
  if (stated === null) return ["low", phrase`no headline says why the price moved`, true]
  const explanation = explanationOf(material)
  if (explanation.kind === "opposed") {
    return ["low", phrase`no headline explains it, and the related one points the other way`, true]
  }
  if (step === null) {
    return [
      "medium",
      gapless
        ? phrase`there is related news, but the price drifted and no hour shows a reaction`
        : phrase`there is related news, but the hour of the move is not known`,
    ]
  }
  if (stated.order === "after") {
    return explanation.kind === "followed"
      ? [
        "medium",
        phrase`the first headline followed the price by ${duration("lag", explanation.lagMs)}`,
      ]
      : ["low", phrase`the price moved before the first headline`]
  }
  if (stated.lagMs > reasonLagMax) {
    return [
      "low",
      phrase`the last headline was ${duration("lag", stated.lagMs)} old when the price moved`,
    ]
  }
  return reportedConfidence(material, stated, step)
}

/** For a move with a report. Many outlets alone show only that the report was printed. */
function reportedConfidence(
  material: ReportMaterial,
  { story, order }: StatedStory,
  step: Change,
): Judged {
  const { outlets, corrected, strength } = story
  if (corrected) return ["low", phrase`the report of the move was corrected`]
  if (order === "inside") {
    return ["medium", phrase`a report came while the price moved, so which was first is not known`]
  }
  const isRepeat = isPriceReport(material, story)
  const describes = "its headline describes the price, not a reason"
  if (outlets.length < 2) {
    return [
      "medium",
      phrase`a report came before the move, but only one outlet has it${
        isRepeat ? `, and ${describes}` : ""
      }`,
    ]
  }
  const { before, since, isInside } = outletsAround(story, step)
  const later = phrase`, ${count("outletsSince", since, "more", "more")} ${
    isInside ? "during or after it" : "after it"
  }`
  const report = phrase`a report came before it (${
    count("outlets", before, "outlet")
  } before the step${since === 0 ? "" : later})`
  if (isRepeat) return ["medium", phrase`${report}, but ${describes}`]
  if (strength !== "direct" || bearingOn(material, story) === null) {
    return ["medium", phrase`${report}, but its title does not show that it supports the move`]
  }
  if (before < 2) return ["medium", report]
  return isStepKept(movementOf(material))
    ? ["high", phrase`${report}, its title supports the direction, and the price has kept the step`]
    : ["medium", phrase`${report}, but the price has given back half of the step or more`]
}

/** Whether the price is still beyond half of the step. */
function isStepKept({ step, price }: Movement): boolean {
  if (step === null) return false
  const half = halfOf(step)
  return directionOf(step) === "up" ? price.mid > half : price.mid < half
}

/** The price at which half of a change is given back. */
function halfOf({ from, to }: Change): number {
  return halfGivenBackAt({ priceStart: from.mid, priceNow: to.mid })
}

/** In the order of the text; never empty. */
export function bottomLines(material: ReportMaterial): readonly [Line, ...ReadonlyArray<Line>] {
  const { market } = material
  if (market.status === "resolved" || market.status === "closed") {
    return [
      line(
        "market",
        phrase`There is nothing left to trade: ${
          named("market", market.question)
        } ends with the venue's payout.`,
        { subject: market.slug },
      ),
    ]
  }
  const movement = movementOf(material)
  const [belief, ...beliefs] = beliefLines(material, movement)
  return [
    belief,
    ...beliefs,
    meaningLine(material),
    ...signLines(material),
    ...levelLines(material, movement),
    eventLine(material),
  ]
}

/** What the price asks for, and what this report has against it. */
function meaningLine(material: ReportMaterial): Line {
  const { market } = material
  const details = { subject: market.slug }
  const quote = material.quote
  const [yes, no] = [outcomeName(material, 0, "outcome"), outcomeName(material, 1, "outcome2")]
  const second = quote === null ? null : quoteOfOutcome(quote, 1)
  if (quote === null || second === null || quote.ask === null || second.ask === null) {
    return line(
      "price",
      phrase`The price makes ${yes} a chance of ${
        rate("chance", priceOf(material).mid)
      }, which no order book supports now.`,
      { ...details, negative: true },
    )
  }
  const cost = breakEvenProbability(quote.ask, market.takerFeeRate)
  const cost2 = breakEvenProbability(second.ask, market.takerFeeRate)
  const fees = market.takerFeeRate > 0 ? phrase`, fee included` : phrase``
  return line(
    "price",
    phrase`Buying ${yes} at ${price("ask", quote.ask)} risks ${
      tenth("risk", cost)
    } a share to gain ${tenth("gain", 1 - cost)}, so it needs a chance of ${
      rate("breakEven", cost)
    }; ${no} at ${price("ask2", second.ask)} risks ${tenth("risk2", cost2)} to gain ${
      tenth("gain2", 1 - cost2)
    } and needs ${rate("breakEven2", cost2)}${fees}.`,
    details,
  )
}

/** To a tenth of a cent. */
function tenth(slot: string, of: number): Statement {
  return cents(slot, roundTo(of, 1_000))
}

/** What speaks for another chance than the break-even ones: labelled wallets with an edge that is left. */
function signLines(material: ReportMaterial): ReadonlyArray<Line> {
  const { quote, market } = material
  if (quote === null || quote.ask === null || quote.bid === null) return []
  const details = { subject: market.slug }
  const labelled = labelledEntries(directional(material.entries ?? []))
  const signs = labelled.filter((each) => signOf(material, each) === "sign")
  const none = labelled.filter((each) => !signs.includes(each))
  const [first] = signs
  if (first === undefined) {
    const words = noSignWords(material, none)
    return words === null ? [] : [line("whale", words, details)]
  }
  const sides = signs.map(favouredBy)
  const side = favouredBy(first)
  const on = outcomeName(material, side, "outcome")
  const sign = signs.length === 1
    ? phrase`The only sign of a higher chance of ${on} is the entry of ${
      named("wallet", first.entry.name)
    } (${first.label} on ${outcomeName(material, first.entry.outcome, "outcome3")})`
    : sides.every((each) => each === side)
    ? phrase`${
      count("wallets", signs.length, "labelled wallet")
    } point to ${on}, a sign of a higher chance`
    : phrase`${count("wallets", signs.length, "labelled wallet")} point both ways`
  return [line(
    "whale",
    none.length === 0 ? phrase`${sign}.` : phrase`${sign}; ${usedWords(material, none)}.`,
    details,
  )]
}

/** Without a sign for either side; null where a ladder or a proposal may be one. */
function noSignWords(material: ReportMaterial, used: ReadonlyArray<Labelled>): Statement | null {
  if (ladderBelief(material).length > 0 || material.proposal !== null) {
    return used.length === 0 ? null : phrase`At these prices ${usedWords(material, used)}.`
  }
  if (material.entries === null) return null
  const none = phrase`Nothing in this report gives a chance other than the price`
  return used.length === 0 ? phrase`${none}.` : phrase`${none}; ${usedWords(material, used)}.`
}

/**
 * Whether an entry with a label is a sign for a buyer at today's ask: not when its edge is used up, nor
 * when the price went against it by more than its edge, because then others know more.
 */
function signOf(material: ReportMaterial, labelled: Labelled): "sign" | "used" | "against" {
  const left = edgeLeftOf(material, labelled) ?? 0
  return left <= 0 ? "used" : left > 2 * Math.abs(labelled.row.edge) ? "against" : "sign"
}

/** Labelled wallets whose entries are no sign for a buyer. */
function usedWords(material: ReportMaterial, none: ReadonlyArray<Labelled>): Statement {
  const of = (kind: "used" | "against", words: string, slot: string) => {
    const found = none.filter((each) => signOf(material, each) === kind)
    const [first, ...more] = found
    if (first === undefined) return []
    return [
      more.length === 0
        ? phrase`the edge of ${named(`wallet${slot}`, first.entry.name)} is ${words}`
        : phrase`the edges of ${
          count(`wallets${slot}`, found.length, "labelled wallet")
        } are ${words}`,
    ]
  }
  return joined([
    ...of("used", "used up at today's ask", "2"),
    ...of("against", "smaller than the later price change", "4"),
  ], "; ")
}

/** What the ladder says of a price that it contradicts, else what the market says. */
function beliefLines(
  material: ReportMaterial,
  movement: Movement,
): readonly [Line, ...ReadonlyArray<Line>] {
  const stated = material.proposal === null ? ladderBelief(material) : []
  const [first, ...more] = stated.map((each) =>
    line("relation", each, { subject: material.market.slug })
  )
  return first === undefined ? [beliefLine(material, movement)] : [first, ...more]
}

/** What a reader may believe of the price, with what such moves did next. */
function beliefLine(material: ReportMaterial, movement: Movement): Line {
  const { market, proposal } = material
  const { main } = movement
  const details = { subject: market.slug }
  if (proposal !== null && !proposal.disputed) {
    return line("market", proposedWords(material, proposal.outcome), details)
  }
  if (proposal !== null) {
    return line(
      "market",
      phrase`A vote on the dispute decides it; the price gives ${
        outcomeName(material, proposal.outcome, "outcome")
      } a chance of ${rate("chance", priceOfOutcome(material, proposal.outcome))}.`,
      details,
    )
  }
  if (main === null) {
    const tested = testOf(material)
    return tested === null
      ? line(
        "price",
        phrase`No news has tested the price of ${price("price", priceOf(material).mid)} so far${
          passesGate(material) ? "" : ", and it is only a rough guide"
        }.`,
        details,
      )
      : testedLine(material, tested)
  }
  const explanation = explanationOf(material)
  const isReason = explanation.kind === "followed" ||
    explanation.kind === "reported" && !explanation.story.corrected
  const change = cents("change", main.to.mid - main.from.mid)
  const old = oldStepWords(material, movement)
  if (old !== null) {
    const text = isReason ? old : phrase`Treat the ${change} as unexplained. ${old}`
    return line("price", text, { ...details, direction: directionOf(main) })
  }
  const text = isReason
    ? phrase`How often such a move lasts is not known here.`
    : phrase`Treat the ${change} as unexplained.`
  return line("price", text, { ...details, direction: directionOf(main) })
}

/** What a share of the proposed outcome gains, at its ask if there is one. */
function proposedWords(material: ReportMaterial, proposed: 0 | 1): Statement {
  const { quote, market } = material
  const outcome = outcomeName(material, proposed, "outcome")
  const ask = quote === null ? null : quoteOfOutcome(quote, proposed).ask
  if (ask === null) {
    const gain = tenth("change", 1 - priceOfOutcome(material, proposed))
    return phrase`If the proposal of ${outcome} stands, a share gains ${gain} over its last price.`
  }
  const cost = breakEvenProbability(ask, market.takerFeeRate)
  return phrase`If the proposal of ${outcome} stands, a share bought at the ask of ${
    price("ask", ask)
  } gains ${tenth("gain", 1 - cost)}; if not, ${tenth("risk", cost)} may be lost.`
}

/** What the price did after the report that tests it, and the report that points the other way. */
function testedLine(material: ReportMaterial, tested: RelatedStory): Line {
  const { priceAction, market } = material
  const [first] = priceAction
  const before = priceAction.findLast(({ at }) => at <= tested.firstAt) ?? first
  const change: Change = { from: before, to: priceOf(material) }
  const direction = directionOf(change)
  const bearing = bearingOn(material, tested)
  const yes = outcomeName(material, 0, "outcome")
  const moved = direction === null
    ? phrase`did not change`
    : bearing === "against" && direction === "up"
    ? phrase`did not fall`
    : bearing === "for" && direction === "down"
    ? phrase`did not rise`
    : phrase`${direction === "up" ? "rose" : "fell"} ${cents("change", sizeInUsd(change))}`
  const points = bearing === null ? phrase`` : phrase`, whose title points ${bearing} ${yes}`
  const opposite = bearing === null ? undefined : (material.news?.stories ?? []).find((story) => {
    const other = bearingOn(material, story)
    return other !== null && other !== bearing && story.strength !== "family"
  })
  const contrary = opposite === undefined
    ? phrase``
    : phrase`; the headline of ${named("publisher2", opposite.source)} points the other way`
  return line(
    "price",
    phrase`The price ${moved} after the report of ${
      named("publisher", tested.source)
    }${points}: it was ${price("from", before.mid)} before the report and is ${
      price("to", change.to.mid)
    } now${contrary}.`,
    { subject: market.slug, direction },
  )
}

function sizeInUsd({ from, to }: Change): number {
  return roundTo(to.mid - from.mid, 10_000)
}

/** With less left of the day after the step, a record of that day says nothing. */
const leftMin = 3 * hour

/** What the price did with a step whose next day is nearly over; null for a newer one. */
function oldStepWords({ now }: ReportMaterial, movement: Movement): Statement | null {
  const { step } = movement
  if (step === null || step.to.at + day - now >= leftMin) return null
  return phrase`The step is ${duration("passed", now - step.to.at)} old, and the price has ${
    isStepKept(movement) ? "kept more than half of it" : "given back half of it or more"
  }.`
}

/** The prices at which the reading of this report would be wrong. */
function levelLines(material: ReportMaterial, movement: Movement): ReadonlyArray<Line> {
  const { main, whole, low, high, price: now } = movement
  const details = { subject: material.market.slug }
  if (material.proposal !== null) return []
  const isInside = halfSteps(low.mid) < halfSteps(now.mid) &&
    halfSteps(now.mid) < halfSteps(high.mid)
  if (main !== null) return watchLines(material, movement)
  if (whole === null || !isInside) return []
  return [line(
    "price",
    phrase`Watch ${price("low", low.mid)} and ${
      price("high", high.mid)
    }: a price outside would end the calm of ${duration("window", whole.to.at - whole.from.at)}.`,
    details,
  )]
}

/**
 * Where half of the move is given back: of its largest step when that is larger than the move itself.
 * A level that is no further than the spread, or that the price has passed, is none to watch.
 */
function watchLines(
  material: ReportMaterial,
  { main, step, whole, low, high, price: now }: Movement,
): ReadonlyArray<Line> {
  if (main === null) return []
  const isStep = step !== null && Math.abs(sizeOf(step)) > Math.abs(sizeOf(main))
  const half = halfOf(isStep ? step : main)
  const up = directionOf(main) === "up"
  const left = halfSteps(now.mid) - halfSteps(half)
  const spread = halfSteps(material.microstructure?.spread ?? 0)
  const isNear = Math.abs(left) <= spread
  const isPassed = left === 0 || left > 0 !== up
  const level = isNear || isPassed ? [] : [
    phrase`${price("halfLevel", roundTo(half, 1_000))}, where half of the ${
      isStep ? "step" : "move"
    } is given back`,
  ]
  const beyond = up ? high : low
  const room = Math.abs(halfSteps(beyond.mid) - halfSteps(now.mid))
  const end = whole === null || room <= spread ? [] : [
    phrase`${price(up ? "high" : "low", beyond.mid)}, the ${up ? "highest" : "lowest"} price of ${
      duration("window", whole.to.at - whole.from.at)
    }: beyond it the move goes on`,
  ]
  const watched = [...level, ...end]
  return watched.length === 0 ? [] : [line("price", phrase`Watch ${joined(watched, ", and ")}.`, {
    subject: material.market.slug,
    direction: directionOf(main),
  })]
}

/** The report that a move waits for: the first one, or one that supports it. */
function awaitedReport(material: ReportMaterial): ReadonlyArray<Statement> {
  const { main, step } = movementOf(material)
  if (main === null || material.proposal !== null) return []
  const stated = statedIn(material)
  const { kind } = explanationOf(material)
  if (stated === null || kind === "opposed") return [phrase`a first report that explains the move`]
  if (step !== null && stated.order === "after") {
    return kind === "followed" ? [] : [phrase`a report that explains the step`]
  }
  return stated.story.outlets.length === 1
    ? [phrase`a second outlet with the report of ${named("publisher", stated.story.source)}`]
    : []
}

/** What comes next: the end of a challenge, another report or the measurement, the scheduled end. */
function eventLine(material: ReportMaterial): Line {
  const { market: { slug, question, endsAt }, proposal, now } = material
  const report = awaitedReport(material)
  const isMeasured = report.length > 0 && measurementOf(question) !== null
  const until = proposal === null || proposal.disputed
    ? null
    : proposal.settlesAt ?? proposal.proposedAt + challengeWindowMs
  const awaited = [
    ...proposal?.disputed === true ? [phrase`the vote on the dispute`] : [],
    ...until === null ? [] : [
      until > now
        ? phrase`the end of the challenge window at ${time("settlesAt", until, now)}`
        : phrase`the venue's payout`,
    ],
    ...!isMeasured
      ? report
      : endsAt === null || endsAt <= now
      ? [phrase`the measurement itself`]
      : [],
    ...endsAt === null || until !== null ? [] : endsAt > now
      ? [
        phrase`${isMeasured ? "the measurement itself, before " : ""}the scheduled end in ${
          duration("left", endsAt - now)
        } (${time("endsAt", endsAt, now)})`,
      ]
      : [phrase`the payout, overdue since ${time("endsAt", endsAt, now)}`],
  ]
  return line(
    "upcoming",
    awaited.length === 0
      ? phrase`Nothing is scheduled that would decide it; watch for a proposal at the venue.`
      : phrase`What can decide it next: ${listed(awaited)}.`,
    { subject: slug },
  )
}
