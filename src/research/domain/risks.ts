/**
 * The risks of one market: the strongest counter-evidence first, then the proposal and its record, what
 * pays, what a trade costs, and what could not be read.
 *
 * @module
 */
import { roundTripOf } from "../../markets/domain/tradeCosts.ts"
import type { Card } from "../../writing/domain/cards.ts"
import { phrase, type Statement } from "../../writing/domain/statement.ts"
import { clauseFact, clausePartFacts, noClauseFact } from "../../writing/facts/clauses.ts"
import { duration, factOf, named, type NewFact, present, price } from "../../writing/facts/fact.ts"
import {
  disputeFacts,
  disputeRateFact,
  doubtFact,
  noProposalFact,
  unreadProposalFact,
} from "../../writing/facts/proposals.ts"
import { depthFact, noBookFact, tripFact } from "../../writing/facts/quotes.ts"
import { readFor } from "../../writing/facts/headlines.ts"
import { favouredBy } from "../../writing/facts/wallets.ts"
import { copyIn, isDoubted, labelledPositions } from "./cards.ts"
import { aboutOf, isLive, priceOfOutcome, type ReportMaterial } from "./material.ts"
import { isDecisive, movementOf, statedStories } from "./movement.ts"

type Risk = readonly [NewFact, ...ReadonlyArray<NewFact>]

/** Each risk is a paragraph. Never empty. */
export function reportRisks(
  material: ReportMaterial,
  lead: Card | undefined,
): readonly [Risk, ...ReadonlyArray<Risk>] {
  if (!isLive(material)) return [[endedRisk(material)]]
  const [first, ...rest] = [
    present(counterFact(material, lead)),
    proposalFacts(material),
    ruleFacts(material),
    bookFacts(material),
  ].flatMap(paragraph)
  return first === undefined ? [[endedRisk(material)]] : [first, ...rest]
}

function paragraph([first, ...rest]: ReadonlyArray<NewFact>): ReadonlyArray<Risk> {
  return first === undefined ? [] : [[first, ...rest]]
}

function endedRisk({ market: { slug, status } }: ReportMaterial): NewFact {
  return factOf(
    "market",
    slug,
    status === "resolved"
      ? phrase`The prices are from before the payout.`
      : phrase`Nothing can be bought or sold here: the prices are from the past.`,
  )
}

/** What speaks most against the lead of the report; null where nothing is known to. */
function counterFact(material: ReportMaterial, lead: Card | undefined): NewFact | null {
  const { proposal, now, market: { slug } } = material
  const against = (text: Statement) => factOf("method", slug, phrase`Against it: ${text}.`)
  if (proposal !== null && isDoubted(material)) {
    const own = priceOfOutcome(material, proposal.outcome)
    return doubtFact(aboutOf(material.market), proposal, own, now)
  }
  if (lead?.kind === "contradiction") {
    return against(
      phrase`which of the two prices is wrong is not known; one market may be stale, have ended or have other rules`,
    )
  }
  const [report] = statedStories(material).filter(isDecisive)
  if (report !== undefined) {
    const outcome = report.reading?.outcome === material.market.outcomes[1] ? 1 : 0
    return against(
      phrase`traders price ${named("outcome", material.market.outcomes[outcome])} at ${
        price("price", priceOfOutcome(material, outcome))
      }, ${duration("age", now - report.firstAt)} after the report`,
    )
  }
  const other = otherSide(material, lead)
  const found = other === null
    ? null
    : counterStory(material, other) ?? counterWallet(material, other) ??
      counterStakes(material, other)
  return found === null ? null : against(found)
}

/** The outcome that the lead speaks against: a wallet or a move; null where there is neither. */
function otherSide(material: ReportMaterial, lead: Card | undefined): 0 | 1 | null {
  const [wallet] = labelledPositions(material)
    .filter((it) => lead?.kind === "wallet" && it.wallet === lead.facts[0].subject)
  if (wallet !== undefined) return favouredBy(wallet) === 0 ? 1 : 0
  const { main } = movementOf(material)
  return main === null ? null : main.to.mid > main.from.mid ? 1 : 0
}

/** A headline that a model read as pointing to the other side. */
function counterStory(
  { news, now, market: { outcomes } }: ReportMaterial,
  side: 0 | 1,
): Statement | null {
  const opposed = news?.stories.find((story) => readFor(story, outcomes) === side)
  if (opposed === undefined) return null
  const { bears, outcome } = opposed.reading ?? {}
  return phrase`the headline of ${named("publisher", opposed.source)}, ${
    duration("age", now - opposed.firstAt)
  } ago, is model-read ${bears ?? "for"} ${named("outcome", outcome ?? "")}`
}

/** A labelled wallet with edge left on the other side. */
function counterWallet(material: ReportMaterial, side: 0 | 1): Statement | null {
  const found = labelledPositions(material).find((position) =>
    favouredBy(position) === side && (copyIn(material, position)?.edgeLeft ?? 0) > 0
  )
  return found === undefined
    ? null
    : phrase`the record of ${named("wallet", found.name)} speaks for ${
      named("outcome", material.market.outcomes[favouredBy(found)])
    }`
}

/** That tracked wallets without a label bought more of the other side. */
function counterStakes(material: ReportMaterial, side: 0 | 1) {
  const { entries, market: { outcomes } } = material
  const labelled = new Set(labelledPositions(material).map(({ wallet }) => wallet))
  const stakeOf = (outcome: 0 | 1) =>
    entries.filter((entry) =>
      !entry.marketMaker && !labelled.has(entry.wallet) && entry.outcome === outcome
    )
      .reduce((sum, { stakeUsd }) => sum + stakeUsd, 0)
  const own = side === 0 ? 1 : 0
  return stakeOf(side) <= stakeOf(own)
    ? null
    : phrase`tracked wallets without a label bought more of ${
      named("outcome", outcomes[side])
    } than of ${named("outcome2", outcomes[own])}`
}

function proposalFacts(
  { market, proposal, isListingRead }: ReportMaterial,
): ReadonlyArray<NewFact> {
  const about = aboutOf(market)
  if (proposal?.disputed === true) return disputeFacts(about)
  return [
    ...proposal !== null
      ? []
      : market.status !== "proposed" && isListingRead
      ? [noProposalFact(about)]
      : [unreadProposalFact(about, market.status === "proposed")],
    disputeRateFact(about, market.category),
    ...disputeFacts(about).slice(0, proposal === null ? 0 : 1),
  ]
}

function ruleFacts({ market, rules, clause, now }: ReportMaterial): ReadonlyArray<NewFact> {
  const about = aboutOf(market)
  const pays = rules === null ? null : clauseFact(about, rules)
  if (rules === null || pays === null) return [noClauseFact(about)]
  return [pays, ...clause === null ? [] : clausePartFacts(about, rules, clause, now)]
}

function bookFacts({ market, book }: ReportMaterial): ReadonlyArray<NewFact> {
  const about = aboutOf(market)
  if (book === null) return [noBookFact(about)]
  const { bid } = book.quote
  const trip = roundTripOf(book.quote, market.takerFeeRate)
  return [
    ...trip === null || bid === null ? [] : [tripFact(about, bid, trip.shareOfStake)],
    depthFact(about, book.microstructure),
  ]
}
