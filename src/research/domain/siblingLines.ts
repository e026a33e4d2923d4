/**
 * What the other markets of the event say about the price.
 *
 * @module
 */
import { siblingSums } from "../../markets/domain/siblings.ts"
import {
  type Contradiction,
  contradictionsOf,
  type ImpliedEnd,
  impliedEnds,
  type LadderRung,
  laddersOf,
} from "../../markets/domain/ladders.ts"
import { cents, count, type Line, line, named, price, usd } from "./lines.ts"
import { outcomeName, priceOf, type ReportMaterial } from "./material.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import { type Quote, quoteOfMid, quoteOfOutcome } from "../../markets/domain/quote.ts"

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

/** The priced rungs of this market's ladder, the easiest first; null when they are too few. */
function pricedRungs(material: ReportMaterial): ReadonlyArray<LadderRung> | null {
  return laddersIn(material)
    .map(({ rungs }) => rungs.filter(({ quote }) => quote !== null))
    .find((rungs) => rungs.length >= rungsMin && rungs.some((rung) => isOwn(material, rung))) ??
    null
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

/** With fewer rungs, the rest of a ladder cannot say which price is wrong. */
const fitRungsMin = 4

/**
 * Whether this market is one of the most rungs whose prices agree with one another; null when the rest
 * of the ladder does not say. Prices agree when they do not rise from an easier rung to a harder one.
 */
export function fitsLadder(material: ReportMaterial): boolean | null {
  const rungs = pricedRungs(material)
  if (rungs === null || rungs.length < fitRungsMin) return null
  const own = rungs.findIndex((rung) => isOwn(material, rung))
  const mids = rungs.map(midOf)
  const [before, after] = [mids.slice(0, own), mids.slice(own + 1)]
  const mid = mids[own] ?? 0
  const withOwn = 1 + chainLength(before.filter((each) => each >= mid)) +
    chainLength(after.filter((each) => each <= mid))
  const without = chainLength([...before, ...after])
  return withOwn === without ? null : withOwn > without
}

/** The most prices, in this order, that never rise. */
function chainLength(mids: ReadonlyArray<number>): number {
  const lengths: Array<number> = []
  mids.forEach((mid, n) => {
    const before = lengths.filter((_, earlier) => (mids[earlier] ?? 0) >= mid)
    lengths[n] = 1 + Math.max(0, ...before)
  })
  return Math.max(0, ...lengths)
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
  const { harder, easier, level, reason, risklessSpread, size } = found
  const isHarder = harder.market.id === material.market.id
  const [own, other] = isHarder ? [harder, easier] : [easier, harder]
  const here = phrase`${rungOutcome(own, "outcome")} here, at ${rungPrice(own, "price")},`
  const there = phrase`${rungOutcome(other, "outcome2")} in ${
    named("market2", other.market.question)
  }, at ${rungPrice(other, "price2")}`
  const gain = level === "riskless" && risklessSpread !== null
    ? phrase`; buying the cheaper and the opposite of the dearer gains ${
      cents("riskless", risklessSpread)
    } a share after both fees, if both are paid by their rules${
      size === null ? phrase`` : phrase`, for up to ${usd("stake", size.costUsd)}`
    }`
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
