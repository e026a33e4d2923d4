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
import { complement } from "../../markets/domain/quote.ts"
import type { About, NewFact } from "./fact.ts"
import { counterStoryFact, firstReportFact, reportedFact } from "./headlines.ts"
import { impliedFact, pairFacts, sumFact } from "./ladders.ts"
import { halfLevelOf, isGivenBack, moveFact, stepFact } from "./moves.ts"
import { baseRateFacts, proposalFact, proposalFlip, proposedFact } from "./proposals.ts"
import {
  aboutOf,
  isDead,
  labelledPositions,
  type MarketView,
  priceOfOutcome,
  sidesOf,
  storyFor,
  tradeOf,
  tradeUsdMax,
} from "./view.ts"
import {
  counterWalletFact,
  favouredBy,
  type LabelledPosition,
  positionFact,
  walletRecordFacts,
} from "./wallets.ts"

/** What a card is about; of equal values the earlier kind comes first. */
const cardKinds = ["contradiction", "proposal", "report", "wallet", "move"] as const

export interface Card {
  readonly kind: typeof cardKinds[number]
  /** The slug of the market. */
  readonly market: string
  /** At least 0; a card of 0 leads no text. */
  readonly valueUsd: number
  /** The outcome that it speaks for; null where it speaks for none. */
  readonly favours: 0 | 1 | null
  /** What can be decided, with its main figure. */
  readonly lead: (about: About) => NewFact
  readonly details: ReadonlyArray<NewFact>
  /** What would change it before its time, as the end of a sentence after "until", and its price. */
  readonly flip: string
  readonly level: number | null
  /** When it came about: what was printed before it is no evidence against it. */
  readonly since: EpochMs
}

/** The best first. Deterministic: ties by kind, then by slug. */
export function ranked<C extends Pick<Card, "kind" | "market" | "valueUsd">>(
  cards: ReadonlyArray<C>,
): ReadonlyArray<C> {
  return cards.toSorted((a, b) =>
    b.valueUsd - a.valueUsd || cardKinds.indexOf(a.kind) - cardKinds.indexOf(b.kind) ||
    (a.market < b.market ? -1 : a.market > b.market ? 1 : 0)
  )
}

/** What a book without sizes is taken to offer, USD. */
const offeredUsdUnknown = 50
/** The share of a possible change that each kind of evidence is worth. */
const shares = { report: 0.5, paid: 0.5, proposal: 0.1, move: 0.02 } as const
/** Labelled wallets with facts of their own: those with the largest stakes. */
const labelledMax = 3
/** A step counts as the move when it is at least this share of it. */
const stepShareMin = 0.5

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

function attentionUsd(view: MarketView, outcome: 0 | 1, change: number, share: number): number {
  const { offeredUsd } = sidesOf(view)[outcome]
  return isDead(view)
    ? 0
    : Math.abs(change) * share * Math.min(tradeUsdMax, offeredUsd || offeredUsdUnknown)
}

function reportCard(view: MarketView): ReadonlyArray<Card> {
  const { market, now, reported } = view
  if (reported === null) return []
  const { outcome } = reported
  const mid = priceOfOutcome(view, outcome)
  return [{
    ...{ kind: "report", market: market.slug, favours: outcome, level: null, since: 0 },
    valueUsd: Math.max(
      tradeUsd(view, outcome),
      attentionUsd(view, outcome, 1 - mid, shares.report),
    ),
    lead: (about) => reportedFact(about, reported, mid),
    details: [firstReportFact(aboutOf(market), reported, now)],
    flip: "the report is corrected",
  }]
}

function proposalCard(view: MarketView): ReadonlyArray<Card> {
  const { market, now, proposal, proposalRecord } = view
  if (proposal === null) return []
  const { outcome } = proposal
  const mid = priceOfOutcome(view, outcome)
  const about = aboutOf(market)
  return [{
    ...{ kind: "proposal", market: market.slug, favours: outcome, level: null, since: 0 },
    valueUsd: Math.max(
      tradeUsd(view, outcome),
      attentionUsd(view, outcome, 1 - mid, shares.proposal),
    ),
    lead: (about) => proposedFact(about, proposal, mid),
    details: [
      ...proposal.disputed ? [] : [proposalFact(about, proposal, now)],
      ...baseRateFacts(about, proposal, mid, proposalRecord),
    ],
    flip: proposalFlip(proposal, now),
  }]
}

/** What the other markets of the event contradict: by an end, by a price, or all together. */
function eventCards(view: MarketView): ReadonlyArray<Card> {
  const { event: { contradictions: [pair], implied, sum }, market: { slug } } = view
  const shared = { kind: "contradiction", market: slug, level: null, since: 0 } as const
  const impliedWords = implied === null ? null : impliedFact(implied)
  const [first, ...rest] = pair === undefined ? [] : pairFacts(pair) ?? []
  return [
    ...implied === null || impliedWords === null ? [] : [{
      ...shared,
      valueUsd: attentionUsd(
        view,
        implied.outcome,
        complement(implied.mid ?? 1),
        implied.state === "resolved" ? shares.paid : shares.proposal,
      ),
      favours: implied.outcome,
      ...{ lead: () => impliedWords, details: [], flip: "that market ends in another way" },
    }],
    ...pair === undefined || first === undefined ? [] : [{
      ...shared,
      valueUsd: pair.size?.gainUsd ?? 0,
      favours: null,
      ...{ lead: () => first, details: rest, flip: "a quote changes" },
    }],
    ...sum === null || sum.basket === null ? [] : [{
      ...shared,
      valueUsd: sum.basket.gainUsd,
      favours: null,
      lead: (about: About) => sumFact(about, sum),
      ...{ details: [], flip: "a quote changes" },
    }],
  ]
}

/** All labelled wallets of a market in one card, as their records add up, or cancel. */
function walletCard(view: MarketView): ReadonlyArray<Card> {
  const { market } = view
  const positions = labelledPositions(view)
  const trade = tradeOf(view)
  const favouring = positions.filter((it) => favouredBy(it) === trade?.outcome)
  const first = favouring[0] ?? positions[0]
  if (first === undefined) return []
  const favours = favouredBy(first)
  return [{
    ...{ kind: "wallet", market: market.slug, favours, since: first.firstFillAt },
    valueUsd: tradeUsd(view, favours),
    lead: (about) => positionFact(about, first, view.now),
    details: walletDetails(view, first, positions),
    flip: trade === null ? "a labelled wallet buys" : "the price passes our limit",
    level: trade?.limit ?? null,
  }]
}

function walletDetails(
  view: MarketView,
  first: LabelledPosition,
  positions: ReadonlyArray<LabelledPosition>,
): ReadonlyArray<NewFact> {
  const about = aboutOf(view.market)
  const sides = sidesOf(view)
  const record = (position: LabelledPosition) => {
    const outcome = favouredBy(position)
    return walletRecordFacts(about, position, sides[outcome].ask, priceOfOutcome(view, outcome))
  }
  const others = positions.filter((it) => it !== first).slice(0, labelledMax - 1)
  return [
    ...record(first),
    ...others.flatMap((it) => [positionFact(about, it, view.now), ...record(it)]),
  ]
}

/** Worth less the nearer its price is to 0 or 1, and nothing once half of it is given back. */
function moveCard(view: MarketView): ReadonlyArray<Card> {
  const { market, move, now, quote } = view
  if (move === null || quote === null) return []
  const favours = move.to > move.from ? 0 : 1
  const change = (move.to - move.from) * 4 * quote.mid * complement(quote.mid)
  const about = aboutOf(market)
  const { step } = move
  const isStep = step !== null && (step.to - step.from) / (move.to - move.from) >= stepShareMin
  return [{
    ...{ kind: "move", market: market.slug, favours },
    since: step === null ? now - move.windowMs : step.at - step.windowMs,
    valueUsd: isGivenBack(move, quote.mid) ? 0 : attentionUsd(view, favours, change, shares.move),
    lead: (about) => moveFact(about, move),
    details: isStep ? [stepFact(about, move, step, now)] : [],
    flip: "half of the move is given back",
    level: halfLevelOf(move),
  }]
}

/**
 * What speaks against the first card that speaks for an outcome: a headline since that a model read as
 * pointing to the other one, else a labelled wallet. Null where nothing is known to.
 */
export function counterFact(view: MarketView, cards: ReadonlyArray<Card>): NewFact | null {
  const card = cards.find(({ favours }) => favours !== null)
  if (card === undefined) return null
  const other = card.favours === 0 ? 1 : 0
  const story = storyFor(view, other, card.since)
  const about = aboutOf(view.market)
  if (story !== null) return counterStoryFact(about, story, view.now)
  const wallet = labelledPositions(view).find((position) => favouredBy(position) === other)
  return wallet === undefined ? null : counterWalletFact(about, wallet)
}
