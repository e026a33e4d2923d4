/**
 * How well the evidence supports the price, by rule: no model's opinion, and no forecast.
 *
 * @module
 */
import { isDeep, isNarrow, volumeUsdMin } from "../../markets/domain/quality.ts"
import { phrase, type Statement } from "../../writing/domain/statement.ts"
import { cents, factOf, named, type NewFact, price, usd, word } from "../../writing/facts/fact.ts"
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

/** The confidence with its reason, in one sentence. */
export function confidenceOf(material: ReportMaterial): JudgedConfidence {
  const [confidence, reason] = venueConfidence(material) ?? bookConfidence(material) ??
    siblingConfidence(material) ?? proposalConfidence(material) ?? moveConfidence(material)
  return {
    confidence,
    reason: factOf(
      "method",
      material.market.slug,
      phrase`Confidence in the price is ${word("confidence", confidence)}: ${reason}.`,
    ),
  }
}

function venueConfidence({ market }: ReportMaterial): Judged | null {
  if (market.status === "resolved") return ["high", phrase`the venue has decided the question`]
  if (market.status === "closed") return ["low", phrase`the market is closed`]
  return market.mechanical === null ? null : ["low", phrase`so short a bet moves by design`]
}

/** Null when the price passes the quality gate of movers. */
function bookConfidence({ market, book }: ReportMaterial): Judged | null {
  if (book === null) return ["low", phrase`there is no order book behind it`]
  const { spread, depthUsdWithin5c } = book.microstructure
  if (!isNarrow(book.microstructure)) {
    return ["low", phrase`the spread is ${cents("spread", spread)}`]
  }
  if (!isDeep(book.microstructure)) {
    return ["low", phrase`only ${usd("depth", depthUsdWithin5c.total)} of orders are near it`]
  }
  return market.volumeUsd >= volumeUsdMin
    ? null
    : ["low", phrase`only ${usd("volume", market.volumeUsd)} was ever traded`]
}

/** A price of the proposed outcome from here on agrees with the proposal. Inclusive. */
const agreedMin = 0.9

function proposalConfidence(material: ReportMaterial): Judged | null {
  const { proposal, now, market } = material
  if (proposal === null) return null
  const outcome = named("outcome", market.outcomes[proposal.outcome])
  const own = priceOfOutcome(material, proposal.outcome)
  if (proposal.disputed) return ["low", phrase`the proposal of ${outcome} is disputed`]
  if (own < agreedMin) {
    return [
      own < 0.5 ? "low" : "medium",
      phrase`${outcome} is proposed and priced at ${price("price", own)}`,
    ]
  }
  return settlesAtOf(proposal) <= now
    ? ["high", phrase`price and proposal agree on ${outcome}, and its window is over`]
    : ["medium", phrase`price and proposal agree on ${outcome}, and its window is open`]
}

function siblingConfidence(material: ReportMaterial): Judged | null {
  const { implied, contradictions } = siblingView(material)
  if (implied !== null) return ["low", phrase`the end of another market contradicts it`]
  const isOwn = contradictions.some(({ harder, easier }) =>
    [harder, easier].some((rung) => rung.market.id === material.market.id)
  )
  return isOwn ? ["low", phrase`another rung of its ladder contradicts it`] : null
}

function moveConfidence(material: ReportMaterial): Judged {
  const movement = movementOf(material)
  const stories = (material.news?.stories ?? []).filter(({ reading }) => reading !== null)
  const decisive = statedStories(material).find(isDecisive)
  if (decisive !== undefined) {
    const agrees = priceOfOutcome(
      material,
      decisive.reading?.outcome === material.market.outcomes[1] ? 1 : 0,
    ) >= agreedMin
    return agrees
      ? ["high", phrase`reports of the outcome agree with it`]
      : ["low", phrase`reports of the outcome disagree with it`]
  }
  if (movement.main === null) return ["medium", phrase`it is steady`]
  const before = stories.some(({ firstAt, corrected }) =>
    !corrected && placeOf(movement, firstAt)?.position === "before"
  )
  return before
    ? ["medium", phrase`a report on the question came before the move`]
    : ["low", phrase`no report is known to explain the move`]
}
