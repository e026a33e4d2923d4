/**
 * What the other markets of the event say about the price.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import { siblingSums } from "../../markets/domain/siblings.ts"
import {
  type Contradiction,
  contradictionsOf,
  type ImpliedEnd,
  impliedEnds,
  type LadderRung,
  laddersOf,
} from "../../markets/domain/ladders.ts"
import { cents, count, type Line, line, named, price, roundTo, usd } from "./lines.ts"
import { outcomeName, priceOf, type ReportMaterial } from "./material.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import { complement, type Quote, quoteOfMid, quoteOfOutcome } from "../../markets/domain/quote.ts"

/** The outcomes of an event may sum to this much more or less than 1 without being worth a sentence. */
const distanceMin = 0.02

/** A smaller contradiction of two mids is noise. */
const excessMin = 0.01

/** What another rung of the ladder implies or contradicts. */
export function ladderLines(material: ReportMaterial): ReadonlyArray<Line> {
  return [...impliedLines(material), ...contradictionLines(material), ...rungLines(material)]
}

/** A ladder of fewer priced rungs shows nothing that the contradiction does not. */
const rungsMin = 3
/** Rungs on either side of this market that are listed. */
const rungsAround = 3

/**
 * The priced rungs of this market's ladder, the easiest first; null when they are too few. Of several
 * ladders it is the one with the contradiction.
 */
function pricedRungs(material: ReportMaterial): ReadonlyArray<LadderRung> | null {
  const found = ownContradiction(material)
  const isMember = (rungs: ReadonlyArray<LadderRung>, id: string) =>
    rungs.some(({ market }) => market.id === id)
  return laddersIn(material)
    .map(({ rungs }) => rungs.filter(({ quote }) => quote !== null))
    .filter((rungs) => rungs.length >= rungsMin && isMember(rungs, material.market.id))
    .find((rungs) =>
      found === null ||
      isMember(rungs, found.harder.market.id) && isMember(rungs, found.easier.market.id)
    ) ?? null
}

function isOwn(material: ReportMaterial, { market }: LadderRung): boolean {
  return market.id === material.market.id
}

/** The prices of the rungs around this market: which of them is out of line. */
function rungLines(material: ReportMaterial): ReadonlyArray<Line> {
  const rungs = pricedRungs(material)
  if (rungs === null) return []
  const own = rungs.findIndex((rung) => isOwn(material, rung))
  const listedRungs = rungs.slice(Math.max(0, own - rungsAround), own + rungsAround + 1)
  const [first] = listedRungs
  if (first === undefined) return []
  const priced = listedRungs.map((rung, n) =>
    phrase`${named(`rung${n + 1}`, rung.rung.label)}${
      isOwn(material, rung) ? " (this market)" : ""
    } at ${rungPrice(rung, `price${n + 1}`)}`
  )
  return [line(
    "relation",
    phrase`Prices of ${rungOutcome(first, "outcome")} along the ladder, the easiest first: ${
      listed(priced)
    }.`,
    { subject: material.market.slug },
  )]
}

/** Rungs with a larger difference of prices are too different to be lost together. Inclusive. */
const neighbourDistanceMax = 0.2

/** The rungs next to this one with which it is likely to be lost; null without one. */
export function commonLossWords(material: ReportMaterial): Statement | null {
  for (const { rungs } of laddersIn(material)) {
    const priced = rungs.filter(({ quote }) => quote !== null)
    const at = priced.findIndex((rung) => isOwn(material, rung))
    const own = priced[at]
    if (own === undefined) continue
    const near = [priced[at - 1], priced[at + 1]].flatMap((rung) =>
      rung !== undefined && isLostWith(own, rung) ? [rung] : []
    )
    if (near.length === 0) continue
    const others = near.map((rung, n) =>
      phrase`${rungOutcome(rung, `outcome${n + 2}`)} in ${rungName(rung, `market${n + 2}`)} at ${
        rungPrice(rung, `price${n + 2}`)
      }`
    )
    return phrase`A loss on ${rungOutcome(own, "outcome")} here is likely to come with a loss on ${
      listed(others)
    }.`
  }
  return null
}

/**
 * Of two rungs the easier one is lost only together with the harder one, so the quotient of their
 * chances of a loss is the chance that one is lost when the other is.
 */
function isLostWith(one: LadderRung, other: LadderRung): boolean {
  const losses = [one, other].map((rung) => halfSteps(1) - halfSteps(midOf(rung)))
  const [least, most] = [Math.min(...losses), Math.max(...losses)]
  return most - least <= halfSteps(neighbourDistanceMax) && 2 * least >= most
}

/** With fewer rungs, a ladder cannot say more than its pair. */
const splitRungsMin = 4

/**
 * What the whole ladder says about a contradiction: that one rung is in each, or that it splits into
 * parts that agree within themselves. It cannot say which price is wrong.
 */
function splitWords(material: ReportMaterial): Statement | null {
  const rungs = pricedRungs(material)?.filter(({ known }) => known === null) ?? []
  const pairs = contradictingPairs(rungs)
  if (rungs.length < splitRungsMin || pairs.length < 2) return null
  const inEach = rungs.filter((rung) => pairs.every((pair) => pair.includes(rung)))
  const [single] = inEach
  if (single !== undefined && inEach.length === 1) {
    return phrase`${rungName(single, "market3")}${
      isOwn(material, single) ? " (this market)" : ""
    }, at ${rungPrice(single, "price3")}, is in each of the ${
      count("contradictions", pairs.length, "contradiction")
    } of this ladder: check first whether its price is stale, it has ended or it has other rules.`
  }
  const [easy, hard, ...more] = partsOf(rungs.filter((rung) => pairs.flat().includes(rung)))
  if (easy === undefined || hard === undefined || more.length > 0) return null
  if ([easy, hard].some((part) => contradictingPairs(part).length > 0)) return null
  return phrase`The ladder splits into ${partWords(easy, 3)} and ${
    partWords(hard, 5)
  }: each part agrees within itself, and which of them is wrong is not known.`
}

function rungName({ rung }: LadderRung, slot: string): Statement {
  return named(slot, rung.label)
}

type Pair = readonly [LadderRung, LadderRung]

/** The pairs of rungs of which the harder one is dearer. `rungs` are in the order of a ladder. */
function contradictingPairs(rungs: ReadonlyArray<LadderRung>): ReadonlyArray<Pair> {
  return rungs.flatMap((easier, n) =>
    rungs.slice(n + 1)
      .filter((harder) => harder.rung.rank > easier.rung.rank && isDearer(harder, easier))
      .map((harder) => [easier, harder] as const)
  )
}

function isDearer(harder: LadderRung, easier: LadderRung): boolean {
  return halfSteps(midOf(harder)) - halfSteps(midOf(easier)) >= halfSteps(excessMin)
}

/** Rungs of a ladder, cut wherever the price rises from a rung to the next harder one. */
function partsOf(rungs: ReadonlyArray<LadderRung>): ReadonlyArray<ReadonlyArray<LadderRung>> {
  const parts: Array<Array<LadderRung>> = []
  rungs.forEach((rung, n) => {
    const before = rungs[n - 1]
    const last = parts.at(-1)
    if (last === undefined || before === undefined || isDearer(rung, before)) parts.push([rung])
    else last.push(rung)
  })
  return parts
}

/** `slot` is the number of the part's first value; the second one has the next. */
function partWords(part: ReadonlyArray<LadderRung>, slot: number): Statement {
  const [first, last] = [part[0], part.at(-1)]
  if (first === undefined || last === undefined) return phrase``
  const from = (rung: LadderRung, n: number) =>
    [rungName(rung, `market${n}`), rungPrice(rung, `price${n}`)] as const
  const [[easiest, high], [hardest, low]] = [from(first, slot), from(last, slot + 1)]
  return first === last
    ? phrase`${easiest} (${high})`
    : phrase`${easiest} to ${hardest} (${high} to ${low})`
}

/**
 * What the ladder says of a price that another market of the event contradicts. Empty without a
 * contradiction.
 */
export function ladderBelief(material: ReportMaterial): ReadonlyArray<Statement> {
  if (impliedHere(material) !== null) {
    return [
      phrase`Find out whether both markets ask about the same day and source: then the proposal decides this one too.`,
    ]
  }
  const found = ownContradiction(material)
  if (found === null) return []
  const split = splitWords(material) ??
    phrase`Which of the two is wrong is not known: they are ${
      cents("excess", found.midExcess)
    } apart in the wrong order, so check first whether one is stale, has ended or has other rules.`
  return [split]
}

/** Two purchases that gain whichever of two contradicting prices is wrong. */
interface HedgedPair extends Pick<Contradiction, "harder" | "easier" | "size"> {
  readonly ask: number
  /** Of the harder rung's other outcome. */
  readonly oppositeAsk: number
  /** USD a share, after both fees. */
  readonly gain: number
}

/** Null also when a proposal explains the price, or nothing can be bought. */
export function hedgedPair(material: ReportMaterial): HedgedPair | null {
  const { market: { status }, proposal } = material
  if (status === "resolved" || status === "closed" || proposal !== null) return null
  const found = impliedHere(material) === null ? ownContradiction(material) : null
  if (found === null) return null
  const { harder, easier, size, level, bid, ask, risklessSpread: gain } = found
  if (level !== "riskless" || gain === null || bid === null || ask === null) return null
  return { harder, easier, size, ask, oppositeAsk: complement(bid), gain }
}

/** What the hedged pair gains a share, and the cost that its quotes allow. */
function gainWords({ gain, size }: HedgedPair): Statement {
  return phrase`gains ${cents("riskless", roundTo(gain, 1_000))} a share after both fees${
    size === null ? phrase`` : phrase`, for up to ${usd("stake", size.costUsd)} of cost`
  }`
}

/** The hedged pair, if there is one: the first sentence of the bottom line. */
export function hedgeLines(material: ReportMaterial): ReadonlyArray<Line> {
  const pair = hedgedPair(material)
  if (pair === null) return []
  const { harder, easier, ask, oppositeAsk } = pair
  const opposite = harder.market.outcomes[harder.rung.outcome === 0 ? 1 : 0]
  return [line(
    "relation",
    phrase`The hedged pair of ${rungOutcome(easier, "outcome")} in ${
      rungName(easier, "market")
    } at ${price("ask", ask)} and ${named("outcome2", opposite)} in ${
      rungName(harder, "market2")
    } at ${price("ask2", oppositeAsk)} ${
      gainWords(pair)
    }, whichever price is wrong, if both are paid by their rules.`,
    { subject: material.market.slug },
  )]
}

/** The ladders of this market and the others of its event. */
function laddersIn(material: ReportMaterial) {
  const { market, siblings, proposal } = material
  const known = (of: Proposal | null) =>
    of === null || of.disputed ? null : { outcome: of.outcome, state: "proposed" as const }
  return laddersOf([
    { market, quote: currentQuote(material), known: known(proposal) },
    ...(siblings?.markets ?? []).map(({ market, quote, proposal }) => ({
      ...{ market, quote, known: known(proposal) },
    })),
  ])
}

/** The largest contradiction between this market and another rung of its ladder; null without one. */
export function ownContradiction(material: ReportMaterial): Contradiction | null {
  return contradictionsOf(laddersIn(material)).find(({ harder, easier, midExcess }) =>
    midExcess >= excessMin &&
    [harder, easier].some((rung) => rung.market.id === material.market.id)
  ) ?? null
}

/** What the proposal of another rung implies here; null without one. */
export function impliedHere(material: ReportMaterial): ImpliedEnd | null {
  return impliedEnds(laddersIn(material)).find(({ target, mid }) =>
    target.market.id === material.market.id && mid !== null && mid < 1 - excessMin
  ) ?? null
}

function impliedLines(material: ReportMaterial): ReadonlyArray<Line> {
  const implied = impliedHere(material)
  if (implied === null || implied.mid === null) return []
  const { source, outcome, mid, reason } = implied
  const proposed = source.known === null ? "" : source.market.outcomes[source.known.outcome]
  return [line(
    "relation",
    phrase`At the venue the outcome ${named("outcome2", proposed)} of ${
      named("market2", source.market.question)
    } is proposed, and ${reason}: if that proposal stands, ${
      outcomeName(material, outcome, "outcome")
    } here must be paid too, though it costs ${price("price", mid)}.`,
    { subject: material.market.slug },
  )]
}

function contradictionLines(material: ReportMaterial): ReadonlyArray<Line> {
  const found = ownContradiction(material)
  if (found === null) return []
  const { harder, easier, level, reason } = found
  const isHarder = harder.market.id === material.market.id
  const [own, other] = isHarder ? [harder, easier] : [easier, harder]
  const here = phrase`${rungOutcome(own, "outcome")} here, at ${rungPrice(own, "price")},`
  const there = phrase`${rungOutcome(other, "outcome2")} in ${
    named("market2", other.market.question)
  }, at ${rungPrice(other, "price2")}`
  const pair = hedgedPair(material)
  const gain = pair !== null
    ? phrase`, and a hedged pair of purchases ${gainWords(pair)}`
    : level === "riskless"
    ? phrase``
    : level === "quotes"
    ? phrase`; fees cost more than the difference`
    : phrase`; the spreads cost more than the difference`
  return [line(
    "relation",
    phrase`${here} is ${
      isHarder ? "dearer" : "cheaper"
    } than ${there}, though ${reason}: one of the two prices is wrong${gain}.`,
    { subject: material.market.slug },
  )]
}

function rungOutcome({ market, rung }: LadderRung, slot: string): Statement {
  return named(slot, market.outcomes[rung.outcome])
}

function rungPrice({ quote, rung }: LadderRung, slot: string): Statement {
  return price(slot, midOf({ quote, rung }))
}

function midOf({ quote, rung }: Pick<LadderRung, "quote" | "rung">): number {
  return quote === null ? 0 : quoteOfOutcome(quote, rung.outcome).mid
}

function currentQuote(material: ReportMaterial): Quote | null {
  return material.quote ?? quoteOfMid(priceOf(material).mid)
}

/** The sum of the exclusive outcomes of the event, and the dearest other one. */
export function sumLines(material: ReportMaterial): ReadonlyArray<Line> {
  const { market, siblings } = material
  if (siblings === null) return []
  const own = { market, quote: currentQuote(material) }
  const [sum] = siblingSums([own, ...siblings.markets], () => siblings.complete)
  if (sum === undefined) return []
  const rival = sum.markets.find(({ market: { id } }) => id !== market.id)
  if (rival === undefined || rival.quote === null) return []
  const seen = count("siblings", sum.markets.length, "outcome")
  const total = phrase`The ${seen} of this event${sum.partial ? " that were read" : ""} sum to ${
    price("sum", sum.midSum)
  }`
  const nearest = phrase`the dearest other one is ${named("market2", rival.market.question)} at ${
    price("price2", rival.quote.mid)
  }`
  const details = { subject: market.slug }
  if (sum.risklessSpread !== null && sum.risklessSpread > 0) {
    return [line(
      "relation",
      phrase`${total}, a contradiction: buying the second outcome of each gains ${
        cents("riskless", sum.risklessSpread)
      } a share after fees, whichever happens; ${nearest}.`,
      details,
    )]
  }
  const off = sum.distance > distanceMin
    ? phrase`, ${cents("excess", sum.distance)} more than all of them can be worth`
    : phrase``
  return [line("relation", phrase`${total}${off}; ${nearest}.`, details)]
}
