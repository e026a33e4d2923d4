/**
 * The end of a report: how well its reading is supported, what the price asks for, and what to watch.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import { challengeWindowMs } from "../../markets/domain/proposal.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { breakEvenProbability, halfGivenBackAt } from "../../markets/domain/tradeCosts.ts"
import type { RelatedStory } from "../../news/domain/relation.ts"
import { binsOf, driftOf } from "../../movers/domain/moveOutcomes.ts"
import { publicOutcomes } from "../../movers/domain/publicOutcomes.ts"
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
  directionOf,
  explanationOf,
  type Movement,
  movementOf,
  reasonLagMax,
  toldStory,
} from "./movement.ts"
import type { Confidence } from "./report.ts"
import { fitsLadder, impliedHere, ownContradiction } from "./siblingLines.ts"
import { directional, labelledEntries } from "./whaleView.ts"
import { listed, phrase, type Statement } from "../../writing/domain/statement.ts"

/** How well the evidence supports the reading of the price, and why. */
interface JudgedConfidence {
  readonly confidence: Confidence
  readonly reason: Line
}

/**
 * Low when the price itself is weak, the venue's proposal contradicts it, or a move has no known reason;
 * high when the venue has decided, or a reason in several outlets came before the move; medium between.
 */
export function confidenceOf(material: ReportMaterial): JudgedConfidence {
  const judged = venueConfidence(material) ?? gateConfidence(material) ??
    proposalConfidence(material) ?? ladderConfidence(material) ?? newsConfidence(material)
  const [confidence, reason, negative = false] = judged
  return {
    confidence,
    reason: line(
      "method",
      phrase`Confidence is ${word("confidence", confidence)}: ${reason}.`,
      { subject: material.market.slug, negative },
    ),
  }
}

type Judged = readonly [Confidence, Statement, negative?: boolean]

function venueConfidence({ market }: ReportMaterial): Judged | null {
  if (market.status === "resolved") return ["high", phrase`the venue has decided the question`]
  if (market.status === "closed") {
    return ["low", phrase`the market is closed, and its prices are from the past`]
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
    ...gate.depth
      ? []
      : [phrase`only ${usd("depth", book.depthUsdWithin5c.total)} stands near the price`],
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
  return until <= now && convergenceOf(mid) === "converged"
    ? [
      "high",
      phrase`proposal and price agree on ${outcome}, and the time for a challenge has passed`,
    ]
    : ["medium", phrase`proposal and price point to ${outcome}, but the venue has not decided`]
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

/** The first story that came while the price was known: a price that did not move held through it. */
function testOf({ news, priceAction: [first] }: ReportMaterial): RelatedStory | null {
  const since = (news?.stories ?? []).filter(({ firstAt }) => firstAt > first.at)
  return toldStory(since, null)?.story ?? null
}

/** Depth from which a price that no news moves is well supported. */
const deepUsd = 10_000

function newsConfidence(material: ReportMaterial): Judged {
  const { news, microstructure: book } = material
  const { main, step, whole, gapless } = movementOf(material)
  const told = news === null ? null : toldStory(news.stories, step)
  if (main === null) {
    const depth = book?.depthUsdWithin5c.total ?? 0
    const tested = testOf(material)
    return tested !== null && depth >= deepUsd
      ? [
        "high",
        phrase`the price held through a related headline, with ${
          usd("depth", depth)
        } of orders near it`,
      ]
      : tested !== null
      ? [
        "medium",
        phrase`the price held through a related headline, but in a book of only ${
          usd("depth", depth)
        }`,
      ]
      : whole === null
      ? ["low", phrase`only one price is known`]
      : ["medium", phrase`the price is steady, but no headline tests it`, true]
  }
  if (told === null) return ["low", phrase`no headline says why the price moved`, true]
  if (step === null) {
    return [
      "medium",
      gapless
        ? phrase`there is related news, but the price drifted and no hour shows a reaction`
        : phrase`there is related news, but the hour of the move is not known`,
    ]
  }
  if (told.order === "after") {
    const explanation = explanationOf(material)
    return explanation.kind === "followed"
      ? [
        "medium",
        phrase`the first headline followed the price by ${duration("lag", explanation.lagMs)}`,
      ]
      : ["low", phrase`the price moved before the first headline`]
  }
  if (told.lagMs > reasonLagMax) {
    return [
      "low",
      phrase`the last headline was ${duration("lag", told.lagMs)} old when the price moved`,
    ]
  }
  const { outlets, corrected, strength } = told.story
  if (corrected) return ["low", phrase`the report before the move was corrected`]
  if (outlets.length > 1 && strength === "direct") {
    return [
      "high",
      phrase`a report in ${count("outlets", outlets.length, "outlet")} came before the move`,
    ]
  }
  return [
    "medium",
    phrase`a report came before the move, but only one outlet has it`,
  ]
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
  return [
    beliefLine(material, movement),
    meaningLine(material),
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
  const breakEven = (ask: number) => breakEvenProbability(ask, market.takerFeeRate)
  const [need, needOther] = [
    rate("breakEven", breakEven(quote.ask)),
    rate("breakEven2", breakEven(second.ask)),
  ]
  const start = market.takerFeeRate > 0
    ? phrase`With the fee, a buyer of ${yes}`
    : phrase`A buyer of ${yes}`
  return line(
    "price",
    phrase`${start} at ${price("ask", quote.ask)} breaks even at a chance of ${need}, of ${no} at ${
      price("ask2", second.ask)
    } at one of ${needOther}${evidenceWords(material)}.`,
    details,
  )
}

/** What speaks for another chance than the price's: the wallets with a label. */
function evidenceWords(material: ReportMaterial): Statement {
  const labelled = labelledEntries(directional(material.entries ?? []))
  const [first, ...more] = labelled
  if (first === undefined) return phrase``
  const favoured = labelled.map(({ entry: { outcome }, label }) =>
    label === "follow" ? outcome : other(outcome)
  )
  const [side = 0] = favoured
  const weak = labelled.some(({ proven }) => proven) ? "" : "weak "
  const on = outcomeName(material, side, "outcome3")
  if (more.length === 0) {
    const { entry, label } = first
    return phrase`; the only ${weak}sign of a higher chance is the entry of ${
      named("wallet", entry.name)
    } (${label} on ${outcomeName(material, entry.outcome, "outcome4")})${
      label === "fade" ? phrase`, which points to ${on}` : phrase``
    }`
  }
  const all = count("wallets", labelled.length, "labelled wallet")
  return favoured.every((each) => each === side)
    ? phrase`; the ${all} ${
      more.length === 1 ? "both" : "all"
    } point to ${on}, a ${weak}sign of a higher chance`
    : phrase`; the ${all} point both ways`
}

const other = (outcome: 0 | 1): 0 | 1 => outcome === 0 ? 1 : 0

/** What a reader may believe of the price, with what such moves did next. */
function beliefLine(material: ReportMaterial, movement: Movement): Line {
  const { market, proposal } = material
  const { main } = movement
  const details = { subject: market.slug }
  if (proposal !== null && !proposal.disputed) {
    const left = 1 - priceOfOutcome(material, proposal.outcome)
    return line(
      "market",
      phrase`If the proposal of ${
        outcomeName(material, proposal.outcome, "outcome")
      } stands, a share gains ${
        cents("change", left)
      }; traders ask that much for the risk that it does not.`,
      details,
    )
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
  const ladder = ladderBelief(material)
  if (ladder !== null) return line("relation", ladder, details)
  if (main === null) {
    const tested = testOf(material)
    return line(
      "price",
      tested === null
        ? phrase`${passesGate(material) ? "Believe" : "Take only as a rough guide"} the price of ${
          price("price", priceOf(material).mid)
        } until news tests it.`
        : phrase`The price of ${
          price("price", priceOf(material).mid)
        } already includes the report of ${named("publisher", tested.source)}.`,
      details,
    )
  }
  const explanation = explanationOf(material)
  const isReason = explanation.kind === "followed" ||
    explanation.kind === "reported" && !explanation.story.corrected
  const change = cents("change", main.to.mid - main.from.mid)
  const record = recordWords(material, movement)
  const text = !isReason
    ? record === null
      ? phrase`Treat the ${change} as unexplained.`
      : phrase`Treat the ${change} as unexplained, but not as noise: of ${record}.`
    : record === null
    ? phrase`Believe the direction of the move as far as the report.`
    : phrase`Of ${record}.`
  return line("record", text, { ...details, direction: directionOf(main) })
}

/** What to make of a price that another market of the event contradicts; null without one. */
function ladderBelief(material: ReportMaterial): Statement | null {
  const implied = impliedHere(material)
  if (implied !== null) {
    return phrase`Find out whether both markets ask about the same day and source: then the proposal decides this one too.`
  }
  const found = ownContradiction(material)
  if (found === null) return null
  const excess = cents("excess", found.midExcess)
  const fits = fitsLadder(material)
  return fits === null
    ? phrase`Before believing this price, find out which of the two is stale: they are ${excess} apart in the wrong order.`
    : fits
    ? phrase`The rest of the ladder agrees with this price: more likely the other one is stale or wrong, by up to ${excess}.`
    : phrase`The rest of the ladder speaks against this price: more likely it is stale or wrong, by up to ${excess}.`
}

/** What moves of this kind did next, by our own scorecard, else on public prices; null if not known. */
function recordWords(
  material: ReportMaterial,
  { main, lastDay, price: now }: Movement,
): Statement | null {
  if (main === null || main !== lastDay) return null
  const delta = main.to.mid - main.from.mid
  if (Math.abs(halfSteps(delta)) < halfSteps(movesMin)) return null
  const bins = binsOf({
    ...{ window: "24h", delta, zScore: 0, endsAt: null, emittedAt: material.now },
    converged: convergenceOf(now.mid) === "converged",
  }).slice(-2)
  const sources = [
    ...material.moveSums === null ? [] : [{ basis: "own_movers", sums: material.moveSums }],
    publicOutcomes,
  ]
  for (const bin of bins) {
    for (const { basis, sums } of sources) {
      const found = sums["24h"].get(bin)
      const drift = found === undefined ? null : driftOf(found)
      if (found === undefined || drift === null) continue
      const such = count("resolved", found.moves, "earlier move", "earlier moves")
      return phrase`${such} ${bin.includes("24h") ? sizeWords(delta) : "of any size"}${
        basis === "own_movers" ? "" : " in public price records"
      }, ${
        rate("kept", drift.shareKept)
      } still kept half or more a day later, and on average the price ${
        drift.drift < 0 ? "came back" : "went on by"
      } ${cents("drift", roundTo(drift.drift, 1_000))}`
    }
  }
  return null
}

/** The sizes of moves that are counted together, as in `moveOutcomes.ts`. */
function sizeWords(delta: number): Statement {
  const [small, large] = [cents("sizeMin", 0.1), cents("sizeMax", 0.2)]
  const size = Math.abs(halfSteps(delta))
  return size >= halfSteps(0.2)
    ? phrase`of ${large} or more in a day`
    : size >= halfSteps(0.1)
    ? phrase`of ${small} to ${large} in a day`
    : phrase`of less than ${small} in a day`
}

/** The smallest move that the record counts. */
const movesMin = 0.05

/** The prices at which the reading of this report would be wrong. */
function levelLines(
  material: ReportMaterial,
  { main, whole, low, high, price: now }: Movement,
): ReadonlyArray<Line> {
  const details = { subject: material.market.slug }
  if (material.proposal !== null) return []
  const isInside = halfSteps(low.mid) < halfSteps(now.mid) &&
    halfSteps(now.mid) < halfSteps(high.mid)
  if (main !== null) {
    const half = halfGivenBackAt({ priceStart: main.from.mid, priceNow: main.to.mid })
    const up = directionOf(main) === "up"
    const beyond = up ? high : low
    const [level, end] = [
      price("halfLevel", roundTo(half, 1_000)),
      price(up ? "high" : "low", beyond.mid),
    ]
    return [line(
      "price",
      halfSteps(beyond.mid) === halfSteps(now.mid)
        ? phrase`Watch ${level}: there half of the move is given back.`
        : phrase`Watch ${level}, where half of the move is given back, and ${end}, the ${
          up ? "highest" : "lowest"
        } price so far: beyond it the move goes on.`,
      { ...details, direction: directionOf(main) },
    )]
  }
  if (whole === null || !isInside) return []
  return [line(
    "price",
    phrase`Watch ${price("low", low.mid)} and ${
      price("high", high.mid)
    }: a price outside would end the calm of ${duration("window", whole.to.at - whole.from.at)}.`,
    details,
  )]
}

/** What comes next: the end of a challenge, another report, the scheduled end. */
function eventLine(material: ReportMaterial): Line {
  const { market: { slug, endsAt }, proposal, news, now } = material
  const { main, step } = movementOf(material)
  const told = news === null ? null : toldStory(news.stories, step)
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
    ...main === null || proposal !== null
      ? []
      : told === null
      ? [phrase`a first report that explains the move`]
      : step !== null && told.order === "after"
      ? explanationOf(material).kind === "followed" ? [] : [phrase`a report that explains the step`]
      : told.story.outlets.length === 1
      ? [phrase`a second outlet with the report of ${named("publisher", told.story.source)}`]
      : [],
    ...endsAt === null || until !== null ? [] : endsAt > now
      ? [
        phrase`the scheduled end in ${duration("left", endsAt - now)} (${
          time("endsAt", endsAt, now)
        })`,
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
