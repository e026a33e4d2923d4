/**
 * The decision cards of one market: what can be acted on in it, each with its value in USD.
 *
 * @module
 */
import {
  breakEvenProbability,
  limitPriceOf,
  offeredUsdOf,
} from "../../markets/domain/tradeCosts.ts"
import { hour } from "../../core/domain/time.ts"
import { resolvedEntriesMin } from "../../whales/domain/label.ts"
import { attentionOf, type Card, ranked, valueOf } from "../../writing/domain/cards.ts"
import { type About, type NewFact, present, unnamed } from "../../writing/facts/fact.ts"
import {
  decisiveFact,
  headlineFact,
  newsGapFact,
  noHeadlineFact,
  readFor,
} from "../../writing/facts/headlines.ts"
import { impliedFact, pairFacts, sumFact } from "../../writing/facts/ladders.ts"
import { halfFact, moveFact, priceFact, rangeFact, stepFact } from "../../writing/facts/moves.ts"
import { proposalFact, proposalRecordFact, standRate } from "../../writing/facts/proposals.ts"
import { stakeFact } from "../../writing/facts/quotes.ts"
import {
  copyOf,
  favouredBy,
  type LabelledPosition,
  positionFact,
} from "../../writing/facts/wallets.ts"
import {
  aboutOf,
  isLive,
  priceActionMs,
  priceOf,
  priceOfOutcome,
  type ReportMaterial,
  sideOf,
} from "./material.ts"
import { type Change, isDecisive, movementOf, placeOf, statedStories } from "./movement.ts"
import { siblingView } from "./siblings.ts"

/** A card whose facts are written when it is known whether they name the market. */
interface Draft extends Pick<Card, "kind" | "valueUsd" | "market"> {
  readonly facts: (about: About) => Card["facts"]
}

/**
 * The cards, the best first; only the first fact of the first one names the market. Never empty. What
 * the venue proposes and what reports decide explains a move, so it comes before it.
 */
export function reportCards(material: ReportMaterial): ReadonlyArray<Card> {
  const move = moveDraft(material)
  if (!isLive(material)) return [built(move, 0, material)]
  const others = ranked([
    ...proposalDrafts(material),
    ...decisiveDrafts(material),
    ...siblingDrafts(material),
    ...walletDrafts(material),
  ])
  const isBefore = ({ kind, valueUsd }: Draft) =>
    kind === "proposal" || kind === "report" || valueUsd >= move.valueUsd
  const drafts = [
    ...others.filter(isBefore),
    move,
    ...others.filter((draft) => !isBefore(draft)),
  ]
  return drafts.map((draft, n) => built(draft, n, material))
}

function built({ facts, ...draft }: Draft, place: number, { market }: ReportMaterial): Card {
  return { ...draft, facts: facts(aboutOf(market, place === 0)) }
}

/** What buying an outcome is worth when it is paid with this probability. */
function valueAt(material: ReportMaterial, outcome: 0 | 1, probability: number): number {
  const { ask, takerFeeRate } = sideOf(material, outcome)
  if (ask === null || material.book === null || takerFeeRate === null) return 0
  const edge = probability - breakEvenProbability(ask, takerFeeRate)
  const limit = limitPriceOf(probability, takerFeeRate)
  return valueOf({ edge, ask, offeredUsd: offeredUsdOf(material.book.offers[outcome], limit) })
}

/** A proposal is doubted at a lower price of its outcome, so that its record matters. */
const doubtedBelow = 0.9

/** Whether traders price the proposed outcome low. */
export const isDoubted = (material: Pick<ReportMaterial, "book" | "priceAction" | "proposal">) =>
  material.proposal !== null && !material.proposal.disputed &&
  priceOfOutcome(material, material.proposal.outcome) < doubtedBelow

function proposalDrafts(material: ReportMaterial): ReadonlyArray<Draft> {
  const { proposal, proposalRecord, now, market: { slug } } = material
  if (proposal === null) return []
  const own = priceOfOutcome(material, proposal.outcome)
  return [{
    kind: "proposal",
    market: slug,
    valueUsd: valueAt(material, proposal.outcome, standRate(proposal, proposalRecord, own)),
    facts: (about) => [
      proposalFact(about, proposal, now),
      ...present(stakeFact(unnamed(about), sideOf(material, proposal.outcome))),
      ...proposalRecord !== null && isDoubted(material)
        ? [proposalRecordFact(unnamed(about), proposalRecord)]
        : [],
    ],
  }]
}

/** The chance that a report by two publishers is right, for the rank of its card alone. */
const decisiveRate = 0.9

function decisiveDrafts(material: ReportMaterial): ReadonlyArray<Draft> {
  const { market: { slug, outcomes }, proposal, now } = material
  const [story, ...others] = statedStories(material).filter(isDecisive)
  if (story === undefined) return []
  const outcome = story.reading?.outcome === outcomes[1] ? 1 : 0
  return [{
    kind: "report",
    market: slug,
    valueUsd: valueAt(material, outcome, decisiveRate),
    facts: (about) => [
      decisiveFact(about, story, others, now),
      ...proposal?.outcome === outcome
        ? []
        : present(stakeFact(unnamed(about), sideOf(material, outcome))),
    ],
  }]
}

function siblingDrafts(material: ReportMaterial): ReadonlyArray<Draft> {
  const { market: { slug } } = material
  const { contradictions: [best], implied, sum } = siblingView(material)
  const impliedWords = implied === null ? null : impliedFact(implied)
  const pair = best === undefined ? [] : pairFacts(best, null)
  const [first, ...rest] = pair
  return [
    ...impliedWords === null || implied === null ? [] : [{
      kind: "contradiction" as const,
      market: slug,
      valueUsd: valueAt(material, implied.outcome, (1 + (implied.mid ?? 1)) / 2),
      facts: (): Card["facts"] => [impliedWords],
    }],
    ...best === undefined || first === undefined ? [] : [{
      kind: "contradiction" as const,
      market: slug,
      valueUsd: best.size?.gainUsd ?? 0,
      facts: (): Card["facts"] => [first, ...rest],
    }],
    ...sum === null || sum.basket === null ? [] : [{
      kind: "contradiction" as const,
      market: slug,
      valueUsd: sum.basket.gainUsd,
      facts: (about: About): Card["facts"] => [sumFact(about, sum)],
    }],
  ]
}

/** The positions of wallets to follow or to fade, the first of each wallet, the largest stakes first. */
export function labelledPositions({ entries }: ReportMaterial): ReadonlyArray<LabelledPosition> {
  const positions = entries.flatMap((entry): ReadonlyArray<LabelledPosition> => {
    const row = entry.calibration?.row
    if (entry.marketMaker || row === undefined || row.resolved < resolvedEntriesMin) return []
    return row.label === "neutral" ? [] : [{ ...entry, label: row.label, record: row }]
  })
  return positions.filter(({ wallet }, n, all) => all.findIndex((it) => it.wallet === wallet) === n)
}

/** Whether a headline that a model read against its side came after it: its record says less then. */
export function isOutdated(
  { market: { outcomes }, news }: ReportMaterial,
  position: LabelledPosition,
): boolean {
  const other = favouredBy(position) === 0 ? 1 : 0
  return (news?.stories ?? []).some((story) =>
    story.firstAt > position.firstFillAt && readFor(story, outcomes) === other
  )
}

/** What is left of a position's edge; null when it is not known, or the position is outdated. */
export function copyIn(material: ReportMaterial, position: LabelledPosition) {
  const { book, market } = material
  return isOutdated(material, position)
    ? null
    : copyOf(position, book?.quote ?? null, market.takerFeeRate)
}

/** The labelled wallet with the most edge left at the ask. */
function walletDrafts(material: ReportMaterial): ReadonlyArray<Draft> {
  const { market: { slug, takerFeeRate }, now, book } = material
  return labelledPositions(material).flatMap((position) => {
    const copy = copyIn(material, position)
    if (copy === null || copy.edgeLeft <= 0 || book === null || takerFeeRate === null) return []
    const { ask, edgeLeft } = copy
    const limit = limitPriceOf(breakEvenProbability(ask, takerFeeRate) + edgeLeft, takerFeeRate)
    const offeredUsd = offeredUsdOf(book.offers[favouredBy(position)], limit)
    return [{
      kind: "wallet" as const,
      market: slug,
      valueUsd: valueOf({ edge: edgeLeft, ask, offeredUsd }),
      facts: (about: About): Card["facts"] => [positionFact(about, position, now)],
    }]
  }).toSorted((a, b) => b.valueUsd - a.valueUsd).slice(0, 1)
}

/** The share of a move that counts: no record shows that moves go on. */
const moveShare = 0.02

function moveDraft(material: ReportMaterial): Draft {
  const { market: { slug }, book } = material
  const { main, recent } = movementOf(material)
  const change = main === null ? 0 : main.to.mid - main.from.mid
  const offeredUsd = book === null ? 0 : offeredUsdOf(book.offers[change > 0 ? 0 : 1])
  return {
    kind: main === null ? "price" : "move",
    market: slug,
    valueUsd: attentionOf({ change, share: moveShare, offeredUsd }),
    facts: (about) => [
      recent === null && main === null
        ? priceFact(about, priceOf(material).mid, priceOf(material).at, material.now)
        : moveFact(about, priceMove(main ?? recent, material)),
      ...detailFacts(material, unnamed(about)),
    ],
  }
}

function priceMove(change: Change | null, material: ReportMaterial) {
  const { from, to } = change ?? { from: priceOf(material), to: priceOf(material) }
  return { from: from.mid, to: to.mid, windowMs: to.at - from.at }
}

/** What belongs to the move: its step, the headlines around it, its record and its range. */
function detailFacts(material: ReportMaterial, about: About): ReadonlyArray<NewFact> {
  const { now, proposal } = material
  const { main, step, low, high, spanMs } = movementOf(material)
  return [
    ...main === null || step === null ? [] : [
      stepFact(
        about,
        priceMove(main, material),
        { ...priceMove(step, material), at: step.to.at },
        now,
      ),
    ],
    ...newsFacts(material, about),
    ...main === null || proposal !== null || !isLive(material) ||
        statedStories(material).some(isDecisive)
      ? []
      : [halfFact(about, priceMove(main, material))],
    ...main === null && low < high && spanMs >= hour
      ? [rangeFact(about, { low, high, spanMs })]
      : [],
  ]
}

function newsFacts(material: ReportMaterial, about: About): ReadonlyArray<NewFact> {
  const { news, now } = material
  const movement = movementOf(material)
  const stories = statedStories(material)
  const lead = isLive(material) ? stories.find(isDecisive) : undefined
  if (news === null) return [newsGapFact(about, null)]
  const missing = news.sources - news.answered
  return [
    ...stories.filter((story) => story !== lead).map((story, n, all) =>
      headlineFact(
        about,
        story,
        placeOf(movement, story.firstAt),
        now,
        all.findIndex(({ reading }) => reading === null) === n,
      )
    ),
    ...missing > 0 ? [newsGapFact(about, missing)] : [],
    ...stories.length === 0 && missing === 0 && news.sources > 0
      ? [noHeadlineFact(about, news.sources, priceActionMs)]
      : [],
  ]
}
