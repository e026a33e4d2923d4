/**
 * Decision cards: what can be acted on in one market, each with its value in USD. A report has all cards
 * of its market, a digest the best of those that came about in its window.
 *
 * A card is worth what the stated number leaves at the ask. Evidence that the number does not contain is
 * worth a named share of what the price may change: less, so that what can be traded at a gain comes
 * first.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Contradiction } from "../../markets/domain/ladders.ts"
import { complement } from "../../markets/domain/quote.ts"
import { offeredUsdOf } from "../../markets/domain/tradeCosts.ts"
import { phrase } from "../domain/statement.ts"
import { type About, factOf, type NewFact, present } from "./fact.ts"
import { citation, readFor, reportedFact, sideStoryFact } from "./headlines.ts"
import { basketLegs, impliedFact, type Leg, legsFact, pairOf, sumFact } from "./ladders.ts"
import { halfLevelOf, isGivenBack, moveFact } from "./moves.ts"
import {
  baseRateFacts,
  carryFact,
  doubtedBelow,
  proposalFact,
  proposalFlip,
  proposedFact,
} from "./proposals.ts"
import {
  aboutOf,
  isDead,
  isDoubted,
  isSureOf,
  labelledPositions,
  type MarketView,
  priceOfOutcome,
  sidesOf,
  storyFor,
  tradeOf,
  tradeUsdMax,
} from "./view.ts"
import {
  edgeLeftAt,
  favouredBy,
  type LabelledPosition,
  positionFact,
  walletRecordFact,
} from "./wallets.ts"

/** What a card is about; of equal values the earlier kind comes first. */
const cardKinds = ["contradiction", "proposal", "report", "wallet", "move"] as const

export interface Card {
  readonly kind: typeof cardKinds[number]
  /** The slug of the market. */
  readonly market: string
  /** At least 0; a card of 0 leads no text. */
  readonly valueUsd: number
  /** Whether a trade gains at both ends of what is known; null for no trade, or no interval. */
  readonly isSure: boolean | null
  /** The outcome that it speaks for; null where it speaks for none. */
  readonly favours: 0 | 1 | null
  /** What can be decided, with its main figure. */
  readonly lead: (about: About) => NewFact
  readonly details: ReadonlyArray<NewFact>
  /** What is bought together; empty for what is not a combination. */
  readonly legs?: ReadonlyArray<Leg>
  /** What would change it before its time, as the end of a sentence after "until", and its price. */
  readonly flip: string
  readonly level: number | null
  /** When it came about: what was printed before it is no evidence against it. */
  readonly since: EpochMs
}

/**
 * The best first, and no trade that may lose before one that gains at both ends: they change places.
 * Deterministic: ties by kind, then by slug.
 */
export function ranked<C extends Pick<Card, "kind" | "market" | "valueUsd" | "isSure">>(
  cards: ReadonlyArray<C>,
): ReadonlyArray<C> {
  const best = cards.toSorted((a, b) =>
    b.valueUsd - a.valueUsd || cardKinds.indexOf(a.kind) - cardKinds.indexOf(b.kind) ||
    (a.market < b.market ? -1 : a.market > b.market ? 1 : 0)
  )
  const trades = [true, false].flatMap((isSure) => best.filter((card) => card.isSure === isSure))
  const places = best.flatMap(({ isSure }, n) => isSure === null ? [] : [n])
  const placed = new Map(places.map((place, n) => [place, trades[n]]))
  return best.map((card, n) => placed.get(n) ?? card)
}

/** What a book without sizes is taken to offer, USD. */
const offeredUsdUnknown = 50
/** The share of a possible change that each kind of evidence is worth. */
const shares = { report: 0.5, proposal: 0.1, move: 0.02 } as const
/** Labelled wallets with facts of their own: those with the largest stakes. */
const labelledMax = 3

/** The best first. Of a market where all is decided by its price, none is worth anything. */
export function marketCards(view: MarketView): ReadonlyArray<Card> {
  return ranked([
    ...reportCard(view),
    ...proposalCard(view),
    ...eventCards(view),
    ...walletCard(view),
    ...moveCard(view),
  ])
}

/** What the stated number leaves of an outcome at its ask, USD; 0 for nothing. */
function tradeUsd(view: MarketView, outcome: 0 | 1): number {
  const trade = tradeOf(view)
  return trade?.outcome === outcome ? trade.gainUsd : 0
}

/** `Card.isSure` of evidence for an outcome: that of the trade it leads to. */
function isSureFor(view: MarketView, outcome: 0 | 1): boolean | null {
  const trade = tradeOf(view)
  return trade?.outcome === outcome ? isSureOf(trade) : null
}

function attentionUsd(view: MarketView, outcome: 0 | 1, change: number, share: number): number {
  const offeredUsd = offeredUsdOf(view.offers[outcome])
  return isDead(view)
    ? 0
    : Math.abs(change) * share * Math.min(tradeUsdMax, offeredUsd || offeredUsdUnknown)
}

function reportCard(view: MarketView): ReadonlyArray<Card> {
  const { market, reported } = view
  if (reported === null) return []
  const { outcome } = reported
  const mid = priceOfOutcome(view, outcome)
  return [{
    ...{ kind: "report", market: market.slug, favours: outcome, level: null, since: 0 },
    isSure: isSureFor(view, outcome),
    valueUsd: Math.max(
      tradeUsd(view, outcome),
      attentionUsd(view, outcome, 1 - mid, shares.report),
    ),
    lead: (about) => reportedFact(about, reported, mid),
    details: forFacts(view, outcome),
    flip: "the report is corrected",
  }]
}

/** The newest headline that a model read for an outcome, where the price leaves it open. */
function forFacts(view: MarketView, outcome: 0 | 1): ReadonlyArray<NewFact> {
  const story = storyFor(view, outcome)
  return story === null || isDead(view)
    ? []
    : [sideStoryFact(aboutOf(view.market), "For", story, outcome, view.now)]
}

function proposalCard(view: MarketView): ReadonlyArray<Card> {
  const { market, now, proposal } = view
  if (proposal === null) return []
  const { outcome } = proposal
  const mid = priceOfOutcome(view, outcome)
  const about = aboutOf(market)
  return [{
    ...{ kind: "proposal", market: market.slug, favours: outcome, level: null, since: 0 },
    isSure: isSureFor(view, outcome),
    valueUsd: Math.max(
      tradeUsd(view, outcome),
      attentionUsd(view, outcome, 1 - mid, shares.proposal),
    ),
    lead: (about) => proposedFact(about, proposal, mid),
    details: [
      ...proposal.disputed ? [] : [proposalFact(about, proposal, now, true)],
      ...mid < doubtedBelow || proposal.disputed
        ? []
        : present(carryFact(about, outcome, sidesOf(view)[outcome].breakEven)),
      ...baseRateFacts(about, proposal, mid, view.estimate),
      ...view.reported?.outcome === outcome ? [] : forFacts(view, outcome),
      ...isDoubted(view) ? doubtFacts(view, outcome === 0 ? 1 : 0) : [],
    ],
    flip: proposalFlip(proposal, now),
  }]
}

/** Why a price doubts a proposal: a headline that is too late to count, or none; one that counts speaks against it. */
function doubtFacts(view: MarketView, other: 0 | 1): ReadonlyArray<NewFact> {
  const { market: { outcomes, slug }, now, stories } = view
  if (isDead(view) || storyFor(view, other) !== null) return []
  const late = stories.find((story) => readFor(story, outcomes) === other)
  return late === undefined
    ? [factOf("resolution", slug, phrase`No headline that we read says why its price doubts it.`)]
    : [factOf("news", slug, phrase`Why its price may doubt it: ${citation(late, now)}.`, {
      links: [late.url],
    })]
}

/** What the other markets of the event contradict: by an end, by a price, or all together. */
function eventCards(view: MarketView): ReadonlyArray<Card> {
  const { event: { contradictions, implied, sum }, market: { slug } } = view
  const isOwn = ({ easier, harder }: Contradiction) =>
    [easier, harder].some(({ market }) => market.slug === slug)
  const basket = sum?.basket ?? null
  const [pair] = contradictions
  const shared = { kind: "contradiction", market: slug, level: null, since: 0 } as const
  const found = pair === undefined ? null : pairOf(pair, view.now)
  return [
    ...implied === null ? [] : [{
      ...shared,
      valueUsd: attentionUsd(view, implied.outcome, complement(implied.mid), shares.proposal),
      ...{ favours: implied.outcome, isSure: null },
      ...{ lead: () => impliedFact(implied), details: [], flip: "that market ends in another way" },
    }],
    ...pair === undefined || found === null ? [] : [{
      ...shared,
      // A pair of other markets leads no text about this one.
      valueUsd: isOwn(pair) ? pair.size?.gainUsd ?? 0 : 0,
      ...{ favours: null, isSure: isOwn(pair) && found.isSure ? true : null },
      lead: (about: About) => about.isNamed ? found.lead : found.opening,
      ...{ details: found.details, legs: found.legs, flip: "a quote changes" },
    }],
    ...sum === null || basket === null ? [] : [{
      ...shared,
      valueUsd: basket.gainUsd,
      ...{ favours: null, isSure: true },
      lead: (about: About) => sumFact(about, sum, basket),
      ...{ details: [legsFact(aboutOf(view.market), basket)], legs: basketLegs(basket) },
      flip: "a quote changes",
    }],
  ]
}

/** All labelled wallets of a market in one card, as their records add up, or cancel. */
function walletCard(view: MarketView): ReadonlyArray<Card> {
  const { market } = view
  const positions = labelledPositions(view)
  const trade = tradeOf(view)
  const edgeOf = (it: LabelledPosition) => edgeLeftAt(it, priceOfOutcome(view, favouredBy(it))).edge
  const [first] = positions.toSorted((a, b) =>
    Number(favouredBy(b) === trade?.outcome) - Number(favouredBy(a) === trade?.outcome) ||
    edgeOf(b) - edgeOf(a)
  )
  if (first === undefined) return []
  const favours = favouredBy(first)
  return [{
    ...{ kind: "wallet", market: market.slug, favours, since: first.firstFillAt },
    ...{ valueUsd: tradeUsd(view, favours), isSure: isSureFor(view, favours) },
    lead: (about) => positionFact(about, first, view.now),
    details: walletDetails(view, first, positions),
    ...{ flip: "a labelled wallet buys", level: null },
  }]
}

/** The record of the first, then the others; the record of the other side's first. */
function walletDetails(
  view: MarketView,
  first: LabelledPosition,
  positions: ReadonlyArray<LabelledPosition>,
): ReadonlyArray<NewFact> {
  const about = aboutOf(view.market)
  const others = positions.filter((it) => it !== first).slice(0, labelledMax - 1)
  const recordOf = (it: LabelledPosition) => {
    const outcome = favouredBy(it)
    const mid = priceOfOutcome(view, outcome)
    return present(walletRecordFact(about, it, sidesOf(view)[outcome], mid))
  }
  const opposed = others.find((it) => favouredBy(it) !== favouredBy(first))
  return [
    ...recordOf(first),
    ...others.flatMap((it) => [
      positionFact(about, it, view.now),
      ...it === opposed ? recordOf(it) : [],
    ]),
  ]
}

/** Worth less the nearer its price is to 0 or 1, and nothing once half of it is given back. */
function moveCard(view: MarketView): ReadonlyArray<Card> {
  const { market, move, now, quote } = view
  if (move === null || quote === null) return []
  const favours = move.to > move.from ? 0 : 1
  const change = (move.to - move.from) * 4 * quote.mid * complement(quote.mid)
  return [{
    ...{ kind: "move", market: market.slug, favours, isSure: null },
    since: (move.step ?? move).startedAt,
    valueUsd: isGivenBack(move, quote.mid) ? 0 : attentionUsd(view, favours, change, shares.move),
    lead: (about) => moveFact(about, move, quote.mid, now),
    details: [],
    flip: "half of the move is given back",
    level: halfLevelOf(move),
  }]
}

/** A headline that a model read for the outcome that a proposal, else a report, else the first card speaks against. */
export function counterFact(view: MarketView, cards: ReadonlyArray<Card>): NewFact | null {
  const card = cards.find(({ kind }) => kind === "proposal") ??
    cards.find(({ kind }) => kind === "report") ?? cards.find(({ favours }) => favours !== null)
  if (card === undefined) return null
  const other = card.favours === 0 ? 1 : 0
  const story = storyFor(view, other, card.since)
  return story === null || isDead(view)
    ? null
    : sideStoryFact(aboutOf(view.market), "Against", story, other, view.now)
}
