/**
 * The risks of one market: reasons why its price, or this reading of it, may be wrong or costly.
 *
 * Each has a weight, so that the most important ones of this market are stated, and none is stated only
 * because it is true of every market.
 *
 * @module
 */
import { halfSteps, type Microstructure } from "../../markets/domain/book.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import { rulesExcerpt } from "../../markets/domain/rulesExcerpt.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import { depthUsdMin, volumeUsdMin } from "../../markets/domain/quality.ts"
import { breakEvenProbability, roundTripOf } from "../../markets/domain/tradeCosts.ts"
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
} from "./lines.ts"
import { outcomeName, priceOfOutcome, type ReportMaterial } from "./material.ts"
import { type Change, explanationOf, movementOf, sizeOf, statedIn } from "./movement.ts"
import { commonLossWords } from "./siblingLines.ts"
import { directional, mainSide } from "./whaleView.ts"
import { phrase, type Statement } from "../../writing/domain/statement.ts"
import { day } from "../../core/domain/time.ts"

/** Risks of one report. */
export const risksMax = 6

/** The weight, from 0 to 100, compares a risk with the others of the report. */
interface Risk {
  readonly weight: number
  readonly line: Line
}

/** A risk of less weight is stated only among the first `minorsFrom` ones. */
const minorWeight = 35
const minorsFrom = 3

/** The most important first; never empty. */
export function riskLines(material: ReportMaterial): readonly [Line, ...ReadonlyArray<Line>] {
  const { status } = material.market
  const found = status === "resolved" || status === "closed" ? venueRisks(material) : [
    ...venueRisks(material),
    ...bookRisks(material),
    ...causeRisks(material),
    ...rivalRisks(material),
    ...moveRisks(material),
    ...walletRisks(material),
    ...siblingRisks(material),
    ...endRisks(material),
    ...payoffRisks(material),
  ]
  const rules = status === "resolved" || status === "closed" ? [] : ruleRisks(material)
  const ranked = found.toSorted((a, b) => b.weight - a.weight)
    .filter(({ weight }, n) => weight >= minorWeight || n < minorsFrom)
  const [first, ...rest] = [...ranked.slice(0, risksMax - rules.length), ...rules]
    .toSorted((a, b) => b.weight - a.weight).map(({ line }) => line)
  return first === undefined ? [volumeLine(material)] : [first, ...rest]
}

function risk(
  { market }: ReportMaterial,
  weight: number,
  kind: Line["kind"],
  statement: Statement,
  negative: boolean = false,
): Risk {
  return { weight, line: line(kind, statement, { subject: market.slug, negative }) }
}

function venueRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { market, proposal } = material
  if (market.status === "resolved") {
    return [risk(material, 99, "market", phrase`Its prices are from before the payout.`)]
  }
  if (market.status === "closed") {
    return [
      risk(
        material,
        99,
        "market",
        phrase`Nothing can be bought or sold here: the prices are from the past.`,
      ),
    ]
  }
  const mechanical = market.mechanical === null ? [] : [risk(
    material,
    80,
    "market",
    phrase`This is one of a series of short bets on a price, which move by design and on no news.`,
  )]
  return [...mechanical, ...proposal === null ? [] : [proposalRisk(material, proposal)]]
}

function proposalRisk(material: ReportMaterial, proposal: Proposal): Risk {
  const { now } = material
  const outcome = outcomeName(material, proposal.outcome, "outcome")
  const loss = priceOfOutcome(material, proposal.outcome)
  if (proposal.disputed) {
    return risk(
      material,
      95,
      "market",
      phrase`The proposal of ${outcome} is disputed: a vote may pay the other outcome, and ${
        price("price", loss)
      } a share would be lost.`,
    )
  }
  const until = proposal.settlesAt ?? proposal.proposedAt + challengeWindowMs
  return until > now
    ? risk(
      material,
      90,
      "market",
      phrase`A challenge of the proposal of ${outcome} is possible until ${
        time("endsAt", until, now)
      }; if it succeeds, a share bought at ${price("price", loss)} may pay nothing.`,
    )
    : risk(
      material,
      70,
      "market",
      phrase`The window to challenge ${outcome} ended at ${
        time("endsAt", until, now)
      } without a dispute that is known, but the venue has not paid yet.`,
    )
}

function bookRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { market, microstructure: book } = material
  const volume = market.volumeUsd >= volumeUsdMin
    ? []
    : [{ weight: 75, line: volumeLine(material) }]
  if (book === null) {
    const text =
      phrase`There is no valid order book now, so it may not be possible to trade at this price.`
    return [risk(material, 97, "book", text, true), ...volume]
  }
  return [...tripRisks(material), ...depthRisks(material), ...volume]
}

function volumeLine({ market }: ReportMaterial): Line {
  return line(
    "market",
    market.volumeUsd < volumeUsdMin
      ? phrase`Only ${
        usd("volume", market.volumeUsd)
      } was ever traded here, so the price is the view of few people.`
      : phrase`The price rests on ${usd("volume", market.volumeUsd)} of trades.`,
    { subject: market.slug },
  )
}

/** Below this share of the stake, a round trip is no risk worth a sentence. */
const tripMin = 0.01

/** The cost of buying and selling at once, for the first outcome. */
function tripRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const quote = material.quote
  const trip = quote === null ? null : roundTripOf(quote, material.market.takerFeeRate)
  if (quote === null || trip === null || quote.bid === null || quote.ask === null) return []
  if (trip.shareOfStake < tripMin) return []
  const fees = material.market.takerFeeRate > 0 ? phrase`, fees included` : phrase``
  return [risk(
    material,
    35 + 40 * Math.min(1, trip.shareOfStake / 0.1),
    "book",
    phrase`Buying ${outcomeName(material, 0, "outcome")} at ${
      price("ask", quote.ask)
    } and selling it at ${price("bid", quote.bid)} costs ${
      rate("roundTrip", trip.shareOfStake)
    } of the stake${fees}.`,
  )]
}

/** With this many times the depth of the quality gate, depth is no risk worth a sentence. */
const deepFactor = 20

/** How much money moves the price by five cents. */
function depthRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { microstructure: book } = material
  if (book === null) return []
  const { depthUsdWithin5c: { total }, impactUsd: { up5c, down5c } } = book
  const [least, most] = [Math.min(up5c ?? Infinity, down5c ?? Infinity), depthUsdMin * deepFactor]
  const { main } = movementOf(material)
  const isUnexplained = main !== null && material.proposal === null &&
    ["none", "opposed"].includes(explanationOf(material).kind)
  const words = impactWords(book)
  if (words !== null && isUnexplained) {
    return [risk(
      material,
      72,
      "book",
      phrase`No report explains the move, and in the book now ${words}.`,
      true,
    )]
  }
  if (Math.min(total, least) >= most) return []
  return [risk(
    material,
    25 + 40 * Math.max(0, 1 - Math.min(total, least) / most),
    "book",
    words === null
      ? phrase`Only ${usd("depth", total)} of orders are within ${
        cents("change", 0.05)
      } of the price, and none behind them.`
      : phrase`In the book now ${words}.`,
  )]
}

/**
 * What moves the price by five cents; null when the book ends before that on both sides. No order can be
 * five cents from a price that near to 0 or 1, so there the text has the sum of the orders.
 */
function impactWords(
  { impactUsd: { up5c, down5c }, depthUsdWithin5c, mid }: Microstructure,
): Statement | null {
  const move = cents("change", 0.05)
  if (up5c !== null && down5c !== null) {
    return phrase`${usd("depth", up5c)} of buying moves the price up ${move} and ${
      usd("depth2", down5c)
    } of selling moves it down as far`
  }
  const reach = halfSteps(0.05)
  if (up5c !== null) {
    const bids = halfSteps(mid) <= reach
      ? phrase`${usd("depth2", depthUsdWithin5c.bid)} is bid in all`
      : phrase`the bids end before it is ${move} lower`
    return phrase`${usd("depth", up5c)} of buying moves the price up ${move}, and ${bids}`
  }
  if (down5c === null) return null
  const offers = halfSteps(mid) >= halfSteps(1) - reach
    ? phrase`${usd("depth2", depthUsdWithin5c.ask)} buys all that is offered`
    : phrase`the offers end before it is ${move} higher`
  return phrase`${usd("depth", down5c)} of selling moves the price down ${move}, and ${offers}`
}

/** What is not known about the reason of the move. */
function causeRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { news, now } = material
  const { main } = movementOf(material)
  const missing = news === null || news.sources === 0 || news.answered === news.sources ? [] : [
    risk(
      material,
      45,
      "coverage",
      phrase`${
        count("missing", news.sources - news.answered, "news source")
      } did not answer recently, so a report on the question may be missing here.`,
      true,
    ),
  ]
  if (main === null || material.proposal !== null) return missing
  const explanation = explanationOf(material)
  if (explanation.kind === "unmatched") return missing
  if (explanation.kind === "none" || explanation.kind === "opposed") {
    const isStated = material.microstructure !== null &&
      impactWords(material.microstructure) !== null
    return isStated ? missing : [
      ...missing,
      risk(
        material,
        72,
        "news",
        phrase`The ${cents("change", main.to.mid - main.from.mid)} since ${
          time("at", main.from.at, now)
        } have no reported reason, so nothing shows that they will last.`,
        true,
      ),
    ]
  }
  const { story } = explanation
  if (explanation.kind === "followed") {
    return [
      ...missing,
      risk(
        material,
        66,
        "news",
        phrase`Others learn first here: the step came ${
          duration("lag", explanation.lagMs)
        } before the first headline.`,
      ),
    ]
  }
  if (story.corrected) {
    const text = phrase`The report behind the move, by ${
      named("publisher", story.source)
    }, was corrected since.`
    return [...missing, risk(material, 85, "news", text)]
  }
  if (story.outlets.length > 1) return missing
  return [
    ...missing,
    risk(
      material,
      65,
      "news",
      phrase`One publisher alone, ${
        named("publisher", story.source)
      }, has the report that may explain the move; no other followed in ${
        duration("age", now - story.firstAt)
      }.`,
      true,
    ),
  ]
}

/** A story about another outcome counts as news for this long. */
const rivalAgeMax = day

/** The newest story about another outcome of the event: it may decide this one too. */
function rivalRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { news, now } = material
  const [newest] = rivalStories(material)
  if (news === null || newest === undefined) return []
  return [risk(
    material,
    64,
    "news",
    phrase`The newest headline is about another outcome of this event: ${
      named("headline", newest.title)
    } (${named("publisher", newest.source)}, ${time("publishedAt", newest.firstAt, now)}).`,
  )]
}

/** Stories about other outcomes that are newer than every direct one, the newest first. */
export function rivalStories(material: ReportMaterial): ReadonlyArray<RelatedStory> {
  const { news, now } = material
  const stated = statedIn(material)
  const stories = news?.stories ?? []
  const direct = stories.filter(({ strength }) => strength === "direct")
  const since = Math.max(now - rivalAgeMax, ...direct.map(({ firstAt }) => firstAt))
  return stories.filter(({ strength, firstAt }) => strength === "sibling" && firstAt > since)
    .filter(({ url }) => url !== stated?.story.url)
    .toSorted((a, b) => b.firstAt - a.firstAt)
}

/** Steps of this size in a week, apart from the one that is stated, are a risk. */
const jumpMin = 0.05

/** How much the price jumps. */
function moveRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { largest, step, whole } = movementOf(material)
  const { now } = material
  if (largest === null || whole === null) return []
  const isOther = step === null || largest.to.at <= step.from.at || step.to.at <= largest.from.at
  if (!isOther || Math.abs(sizeOf(largest)) < halfSteps(jumpMin)) return []
  return [risk(
    material,
    40 + 100 * Math.min(0.3, Math.abs(largest.to.mid - largest.from.mid)),
    "price",
    phrase`The price jumps: at ${time("at", largest.to.at, now)} it was ${
      cents("change", largest.to.mid - largest.from.mid)
    } ${upOrDown(largest)} within an hour, from ${price("from", largest.from.mid)} to ${
      price("to", largest.to.mid)
    }.`,
  )]
}

function upOrDown(change: Change): string {
  return sizeOf(change) > 0 ? "higher" : "lower"
}

/** Below this share of the depth, tracked money does not crowd the exit. */
const crowdShareMin = 0.3

/** Tracked money that may have to leave through the same door. */
function walletRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const own = directional(material.entries ?? [])
  const main = mainSide(own)
  if (main === null || main.side.entries.length < 3 || main.share < 0.8) return []
  const depthUsd = material.microstructure?.depthUsdWithin5c.total ?? 0
  if (main.side.stakeUsd < depthUsd * crowdShareMin) return []
  const { side, share } = main
  return [risk(
    material,
    30 + 30 * Math.min(1, depthUsd > 0 ? side.stakeUsd / depthUsd : 1),
    "whale",
    phrase`${rate("share", roundTo(share, 100))} of the tracked money is on ${
      outcomeName(material, side.outcome, "outcome")
    }: if its ${count("evidence", side.entries.length, "entry", "entries")} are sold together, ${
      usd("stake", side.stakeUsd)
    } meets ${usd("depth", depthUsd)} of orders within ${cents("change", 0.05)} of the price.`,
  )]
}

/** Rungs next to this one: positions in both are not independent. */
function siblingRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const words = commonLossWords(material)
  return words === null ? [] : [risk(material, 37, "relation", words)]
}

/** From here on the end is far away, and the money is bound. */
const farEndMs = 180 * day

function endRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { market: { endsAt, status }, now } = material
  if (status === "resolved" || status === "closed") return []
  if (endsAt === null) {
    return [
      risk(
        material,
        25,
        "market",
        phrase`The venue names no scheduled end, so the money may be bound for long.`,
        true,
      ),
    ]
  }
  const end = time("endsAt", endsAt, now)
  const left = duration("left", Math.abs(endsAt - now))
  if (endsAt <= now) {
    return [risk(
      material,
      68,
      "market",
      phrase`The scheduled end, ${end}, passed ${left} ago: the outcome may already be known to others.`,
    )]
  }
  return endsAt - now <= farEndMs ? [] : [risk(
    material,
    45,
    "market",
    phrase`The money is bound for up to ${left}, until ${end}.`,
  )]
}

/** A loss this many times the gain is stated. */
const lossFactorMin = 8

/** A side that costs so much that one loss takes the gains of many. */
function payoffRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { quote, market: { takerFeeRate } } = material
  if (quote === null || material.proposal !== null) return []
  const outcome = quote.mid >= 0.5 ? 0 : 1
  const { ask } = quoteOfOutcome(quote, outcome)
  if (ask === null) return []
  const cost = breakEvenProbability(ask, takerFeeRate)
  const factor = Math.floor(cost / (1 - cost))
  if (!(cost < 1) || factor < lossFactorMin) return []
  return [risk(
    material,
    34,
    "price",
    phrase`One loss on ${outcomeName(material, outcome, "outcome")} at ${
      price("ask", ask)
    } takes the gain of ${count("gains", factor, "such purchase")}.`,
  )]
}

/** Characters of the rules that are quoted. */
const rulesQuotedMax = 220

/** The venue's own rules, which can decide against the common reading of the question. */
function ruleRisks(material: ReportMaterial): ReadonlyArray<Risk> {
  const { rules } = material
  if (rules === null || material.market.status === "resolved") return []
  const exception = exceptionIn(rules)
  const quote = exception ?? rulesExcerpt(rules.replaceAll(/\bvs\.\s/g, "vs "), rulesQuotedMax)
  if (quote === null) return []
  const quoted = named("quote", quote.replace(/[.\s]+$/, ""), rulesQuotedMax)
  return [risk(
    material,
    exception === null ? 36 : 58,
    "rules",
    exception === null
      ? phrase`The rules of the venue decide it: ${quoted}.`
      : phrase`The rules have a condition that the question does not show: ${quoted}.`,
  )]
}

/** The first sentence of the rules with an exception; untrusted text, to be quoted only. */
function exceptionIn(rules: string): string | null {
  const sentences = rules.split(/(?<=[.!?])\s+/).slice(0, rulesSentencesMax)
  return sentences.find((each) => exceptions.test(each)) ?? null
}

/** Sentences of the rules that are read. */
const rulesSentencesMax = 40
const exceptions =
  /\b(?:unless|except|postponed|cancel(?:l?ed)?|only if|not count|50-50|extra time|replacement)\b/i
