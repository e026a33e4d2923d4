/**
 * How well the evidence supports the price, by rule: no model's opinion, and no forecast.
 *
 * @module
 */
import { isDeep, isNarrow, volumeUsdMin } from "../../markets/domain/quality.ts"
import { phrase, type Statement } from "../../writing/domain/statement.ts"
import { cents, factOf, named, type NewFact, price, usd } from "../../writing/facts/fact.ts"
import { causeLagMax, readFor } from "../../writing/facts/headlines.ts"
import { settlesAtOf } from "../../writing/facts/proposals.ts"
import { priceOfOutcome, type ReportMaterial } from "./material.ts"
import { isDecisive, movementOf, placeOf, statedStories } from "./movement.ts"
import type { Confidence } from "./report.ts"
import { siblingView } from "./siblings.ts"

interface JudgedConfidence {
  readonly confidence: Confidence
  readonly reason: NewFact
}

type Judged = readonly [Confidence, Statement]

/** The confidence, and its reason as a sentence. */
export function confidenceOf(material: ReportMaterial): JudgedConfidence {
  const [confidence, reason] = venueConfidence(material) ?? bookConfidence(material) ??
    siblingConfidence(material) ?? proposalConfidence(material) ?? moveConfidence(material)
  return {
    confidence,
    reason: factOf("method", material.market.slug, phrase`${reason}.`),
  }
}

function venueConfidence({ market }: ReportMaterial): Judged | null {
  if (market.status === "resolved") return ["high", phrase`The venue has decided the question`]
  if (market.status === "closed") return ["low", phrase`The market is closed`]
  return market.mechanical === null ? null : ["low", phrase`So short a bet moves by design`]
}

/** Null when the price passes the quality gate of movers. */
function bookConfidence({ market, book }: ReportMaterial): Judged | null {
  if (book === null) return ["low", phrase`There is no order book behind the price`]
  const { spread, depthUsdWithin5c } = book.microstructure
  if (!isNarrow(book.microstructure)) {
    return ["low", phrase`The spread is ${cents("spread", spread)}`]
  }
  if (!isDeep(book.microstructure)) {
    return [
      "low",
      phrase`Only ${usd("depth", depthUsdWithin5c.total)} of orders are near the price`,
    ]
  }
  return market.volumeUsd >= volumeUsdMin
    ? null
    : ["low", phrase`Only ${usd("volume", market.volumeUsd)} was ever traded`]
}

/** A price of the proposed outcome from here on agrees with the proposal. Inclusive. */
const agreedMin = 0.9

function proposalConfidence(material: ReportMaterial): Judged | null {
  const { proposal, now, market } = material
  if (proposal === null) return null
  const outcome = named("outcome", market.outcomes[proposal.outcome])
  const own = priceOfOutcome(material, proposal.outcome)
  if (proposal.disputed) return ["low", phrase`The proposal of ${outcome} is disputed`]
  if (own < agreedMin) {
    return [
      own < 0.5 ? "low" : "medium",
      phrase`${outcome} is proposed and priced at ${price("price", own)}`,
    ]
  }
  return settlesAtOf(proposal) <= now
    ? ["high", phrase`Price and proposal agree on ${outcome}, and its window is over`]
    : ["medium", phrase`Price and proposal agree on ${outcome}, and its window is open`]
}

function siblingConfidence(material: ReportMaterial): Judged | null {
  const { implied, contradictions } = siblingView(material)
  if (implied !== null) return ["low", phrase`The end of another market contradicts the price`]
  const isOwn = contradictions.some(({ harder, easier }) =>
    [harder, easier].some((rung) => rung.market.id === material.market.id)
  )
  return isOwn ? ["low", phrase`Another rung of its ladder contradicts the price`] : null
}

function moveConfidence(material: ReportMaterial): Judged {
  const movement = movementOf(material)
  const decisive = statedStories(material).find(isDecisive)
  if (decisive !== undefined) {
    const agrees = priceOfOutcome(
      material,
      decisive.reading?.outcome === material.market.outcomes[1] ? 1 : 0,
    ) >= agreedMin
    return agrees
      ? ["high", phrase`Reports of the outcome agree with the price`]
      : ["low", phrase`Reports of the outcome disagree with the price`]
  }
  if (movement.main === null) return ["medium", phrase`The price is steady`]
  const side = movement.main.to.mid > movement.main.from.mid ? 0 : 1
  const places = (material.news?.stories ?? [])
    .filter((story) => readFor(story, material.market.outcomes) === side)
    .flatMap((story) => placeOf(movement, story.firstAt) ?? [])
    .filter(({ position }) => position !== "after")
  if (places.some(({ position, lagMs }) => position === "before" && lagMs <= causeLagMax)) {
    return ["medium", phrase`A headline read for the side of the move came before it`]
  }
  return places.some(({ position }) => position === "inside")
    ? ["low", phrase`The headline read for the side of the move may have followed it`]
    : places.length > 0
    ? ["low", phrase`The headline read for the side of the move came long before it`]
    : ["low", phrase`No headline is read for the side of the move`]
}
