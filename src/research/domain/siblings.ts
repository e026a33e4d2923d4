/**
 * What the other markets of the event say about the price: all rungs of its ladders are compared, not
 * only those with this market.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import {
  type Contradiction,
  contradictionsOf,
  type ImpliedEnd,
  impliedEnds,
  ladderBounds,
  type LadderRung,
  laddersOf,
  type PriceBounds,
} from "../../markets/domain/ladders.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { type SiblingSum, siblingSums } from "../../markets/domain/siblings.ts"
import { pairGainMax } from "../../writing/domain/cards.ts"
import { phrase } from "../../writing/domain/statement.ts"
import { factOf, type NewFact } from "../../writing/facts/fact.ts"
import { rungsFact, sumFact } from "../../writing/facts/ladders.ts"
import { aboutOf, isLive, quoteNow, type ReportMaterial } from "./material.ts"

interface SiblingView {
  /** The priced rungs of this market's ladder, the easiest first; empty without a ladder. */
  readonly rungs: ReadonlyArray<LadderRung>
  /** Of any two rungs of the ladder: those with this market first, then the best. */
  readonly contradictions: ReadonlyArray<Contradiction>
  /** What the books of the other rungs leave for this market's price; null without a ladder. */
  readonly bounds: PriceBounds | null
  /** What the end of another rung implies here; null without one. */
  readonly implied: ImpliedEnd | null
  /** The exclusive outcomes of the event; null when they are none, or not read. */
  readonly sum: SiblingSum | null
}

/** An implied outcome at this price or more agrees with it. */
const impliedMax = 0.99

export function siblingView(material: ReportMaterial): SiblingView {
  const { market, siblings, proposal } = material
  const known = (of: Proposal | null) =>
    of === null || of.disputed ? null : { outcome: of.outcome, state: "proposed" as const }
  const own = { market, quote: quoteNow(material), known: known(proposal) }
  const others = siblings?.markets ?? []
  const ladders = laddersOf([
    own,
    ...others.map(({ market, quote, proposal }) => ({ market, quote, known: known(proposal) })),
  ])
  const isOwn = ({ market: { id } }: LadderRung) => id === market.id
  const isHere = ({ easier, harder }: Contradiction) => isOwn(easier) || isOwn(harder)
  const ladder = ladders.map(({ rungs }) => rungs.filter(({ quote }) => quote !== null))
    .filter((rungs) => rungs.length > 1 && rungs.some(isOwn))
    .toSorted((a, b) => b.length - a.length)[0] ?? []
  const isRung = ({ market: { id } }: LadderRung) => ladder.some((rung) => rung.market.id === id)
  return {
    rungs: ladder,
    contradictions: contradictionsOf(ladders)
      .filter(({ harder, easier, gainPerShare, size }) =>
        size !== null && gainPerShare <= pairGainMax && isRung(harder) && isRung(easier)
      )
      .toSorted((a, b) => Number(isHere(b)) - Number(isHere(a))),
    bounds: ladderBounds(ladders, market.id),
    implied:
      impliedEnds(ladders).find(({ target, mid }) =>
        isOwn(target) && mid !== null && halfSteps(mid) < halfSteps(impliedMax)
      ) ?? null,
    sum: siblings === null
      ? null
      : siblingSums([own, ...others], () => siblings.complete)[0] ?? null,
  }
}

/** The ladder with all its rungs, and the exclusive outcomes. */
export function siblingFacts(material: ReportMaterial): ReadonlyArray<NewFact> {
  const { market, siblings } = material
  if (!isLive(material)) return []
  const about = aboutOf(market)
  const { rungs, sum } = siblingView(material)
  if (siblings === null) {
    return [factOf("coverage", market.slug, phrase`The event's other markets could not be read.`)]
  }
  return [
    ...rungs.length > 1 ? [rungsFact(about, rungs)] : [],
    ...sum === null || sum.basket !== null ? [] : [sumFact(about, sum)],
  ]
}
