/**
 * The page of a report: its facts, and for each part a slot with the sentences of the template, drawn
 * from the market's decision cards. The best card leads.
 *
 * @module
 */
import type { Card } from "../../writing/domain/cards.ts"
import type { Fact } from "../../writing/domain/facts.ts"
import { numbering, type Slot } from "../../writing/domain/page.ts"
import {
  endedFact,
  nextCallFact,
  noEndFact,
  payoutBasisFact,
  payoutFact,
  validFact,
} from "../../writing/facts/endings.ts"
import {
  decidedVerdictFact,
  distantFact,
  estimateFact,
  noNumberFact,
  pairVerdictFact,
  verdictFact,
} from "../../writing/facts/estimates.ts"
import { type NewFact, present } from "../../writing/facts/fact.ts"
import { averageFacts, costFact, stakeFact } from "../../writing/facts/quotes.ts"
import {
  marketMakersFact,
  noWalletFact,
  otherWalletsFact,
  positionFact,
  walletRecordFacts,
} from "../../writing/facts/wallets.ts"
import { copyIn, isDoubted, labelledPositions, reportCards } from "./cards.ts"
import { confidenceOf } from "./confidence.ts"
import { averageUsd, sidesOf, validityOf } from "./decision.ts"
import {
  aboutOf,
  entriesReadMax,
  isLive,
  payoutOf,
  priceOf,
  type ReportMaterial,
  sideOf,
} from "./material.ts"
import { type Estimate, isDistant, proposalsMin } from "./estimate.ts"
import type { Confidence } from "./report.ts"
import { reportRisks } from "./risks.ts"
import { isDecisive, statedStories } from "./movement.ts"
import { siblingFacts, siblingView } from "./siblings.ts"

export interface ReportPage {
  /** `F1`, `F2`, … in the order of the text. */
  readonly facts: ReadonlyArray<Fact>
  readonly thesis: Slot
  readonly whaleView: Slot
  /** The most important first, a slot each. */
  readonly risks: readonly [Slot, ...ReadonlyArray<Slot>]
  /** By rule; no narrator changes it. */
  readonly confidence: Confidence
  /** The start of the bottom line, which no narrator changes: the verdict, and why this confidence. */
  readonly bottomOpening: Slot
  readonly bottomLine: Slot
}

type Facts = readonly [NewFact, ...ReadonlyArray<NewFact>]

/** Deterministic: the same material gives the same page. */
export function reportPage(material: ReportMaterial): ReportPage {
  const cards = reportCards(material)
  const [lead] = cards
  const { confidence, reason } = confidenceOf(material)
  const [firstRisk, ...otherRisks] = reportRisks(material, lead)
  const { facts, slot } = numbering()
  const thesis = slot("thesis", thesisFacts(material, cards))
  const whaleView = slot("whales", whaleFacts(material, lead))
  const risks = [slot("risk", firstRisk), ...otherRisks.map((risk) => slot("risk", risk))] as const
  return {
    facts,
    thesis,
    whaleView,
    risks,
    confidence,
    bottomOpening: slot("confidence", openingFacts(material, reason), true),
    bottomLine: slot("bottomLine", bottomFacts(material, cards)),
  }
}

/** All slots in the order of the text. */
export function slotsOf(page: ReportPage): ReadonlyArray<Slot> {
  return [page.thesis, page.whaleView, ...page.risks, page.bottomOpening, page.bottomLine]
}

/**
 * The cards in their order, then the other markets of the event. A wallet's card is in the whale view
 * unless it leads.
 */
function thesisFacts(material: ReportMaterial, cards: ReadonlyArray<Card>): Facts {
  const { market } = material
  const shown = cards.filter(({ kind }, n) => kind !== "wallet" || n === 0)
  const facts = [...shown.flatMap(({ facts }) => facts), ...siblingFacts(material)]
  const ended = market.status === "resolved" || market.status === "closed"
    ? [endedFact(aboutOf(market), market.status)]
    : []
  const [first, ...rest] = [...ended, ...facts]
  return first === undefined ? [noEndFact(aboutOf(market))] : [first, ...rest]
}

/** Labelled wallets with facts of their own: those with the largest stakes. */
const labelledMax = 3

function whaleFacts(material: ReportMaterial, lead: Card | undefined): Facts {
  const { market, entries, walletsRead, now } = material
  const about = aboutOf(market)
  const positions = labelledPositions(material)
  const labelled = positions.slice(0, labelledMax)
  const own = new Set(positions.map(({ wallet }) => wallet))
  const others = entries.filter(({ wallet, marketMaker }) => !marketMaker && !own.has(wallet))
  const [first, ...rest] = [
    ...labelled.flatMap((position) => [
      ...lead?.facts[0].subject === position.wallet ? [] : [positionFact(about, position, now)],
      ...walletRecordFacts(about, position, copyIn(material, position)),
    ]),
    ...present(otherWalletsFact(about, others, entries.length < entriesReadMax)),
  ]
  if (first !== undefined) return [first, ...rest]
  return [entries.length === 0 ? noWalletFact(about, walletsRead) : marketMakersFact(about)]
}

/** What the number comes to where it can be computed, then the reason of the confidence. */
function openingFacts(material: ReportMaterial, reason: NewFact): Facts {
  const { market, book, estimate } = material
  const about = aboutOf(market)
  if (book === null || !isLive(material)) return [reason]
  const [pair] = siblingView(material).contradictions
  const decisive = statedStories(material).find(isDecisive)
  const outcome = decisive?.reading?.outcome === market.outcomes[1] ? 1 : 0
  const decided = decisive === undefined || (material.proposal?.outcome ?? outcome) !== outcome
    ? null
    : decidedVerdictFact(about, sideOf(material, outcome))
  const verdict = pair?.size
    ? pairVerdictFact(about, pair.size.costUsd)
    : decided ?? (estimate === null ? null : verdictFact(about, sidesOf(material)))
  return verdict === null ? [reason] : [verdict, reason]
}

/** The stated number and what a trade costs, then when the market pays and how long this is valid. */
function bottomFacts(material: ReportMaterial, cards: ReadonlyArray<Card>): Facts {
  const { market, now, book, estimate } = material
  const about = aboutOf(market)
  if (!isLive(material)) return [nextCallFact(about)]
  const stated = new Set(cards.flatMap(({ facts }) => facts.map(({ statement }) => statement)))
  const costs = ([0, 1] as const).map((outcome) => sideOf(material, outcome))
    .filter((side) => !stated.has(stakeFact(about, side)?.statement ?? ""))
    .flatMap((side) => present(costFact(about, side)))
  const sides = book === null ? null : sidesOf(material)
  const payout = payoutOf(material)
  const { bounds } = siblingView(material)
  return [
    estimate === null ? noNumberFact(about) : estimateFact(about, statedNumber(estimate, material)),
    ...bounds !== null && isDistant(bounds, priceOf(material).mid)
      ? [distantFact(about, bounds)]
      : [],
    ...costs,
    ...sides === null ? [] : averageFacts(about, [purchases(sides[0]), purchases(sides[1])]),
    ...payout === null
      ? [noEndFact(about)]
      : [payoutFact(about, market, payout, now), ...present(payoutBasisFact(about, payout))],
    validFact(about, validityOf(material), now),
    nextCallFact(about),
  ]
}

function purchases({ averages, ...side }: ReturnType<typeof sidesOf>[number]) {
  return { ...side, purchases: averageUsd.map((usd, n) => ({ usd, price: averages[n] ?? null })) }
}

/** What moves the number from the market's price, by ingredient. */
const reasons: Readonly<Record<Estimate["basis"][number]["ingredient"], string>> = {
  move: "the record of published moves",
  proposal: "our record of doubted proposals",
  wallets: "the records of labelled wallets here",
  ladder: "the other rungs of its ladder, if they are right",
}

function statedNumber(
  { basis, ...number }: Estimate,
  { proposalRecord, ...material }: ReportMaterial,
) {
  const isUnproven = isDoubted(material) && (proposalRecord?.proposals ?? 0) < proposalsMin
  return {
    ...number,
    reasons: basis.map(({ ingredient }) => reasons[ingredient]),
    caveat: isUnproven ? "too few doubted proposals have ended to say more" : null,
  }
}
