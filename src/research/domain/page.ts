/**
 * The page of a report: its facts, and for each part a slot with the sentences of the template, drawn
 * from the market's decision cards. The best card leads.
 *
 * @module
 */
import { day, minute } from "../../core/domain/time.ts"
import { isPrice } from "../../markets/domain/book.ts"
import { clauseOf } from "../../markets/domain/clause.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { quoteOfMid } from "../../markets/domain/quote.ts"
import { settledStories } from "../../news/domain/evidence.ts"
import { eventViewOf } from "../../writing/domain/event.ts"
import type { Fact } from "../../writing/domain/facts.ts"
import { numbering, type Slot } from "../../writing/domain/page.ts"
import { phrase } from "../../writing/domain/statement.ts"
import { type Card, counterFact, marketCards } from "../../writing/facts/cards.ts"
import { type Confidence, confidenceFact, confidenceOf } from "../../writing/facts/confidence.ts"
import { clauseFacts, noClauseFact } from "../../writing/facts/clauses.ts"
import { endedFact, noEndFact, payoutFact, validFact } from "../../writing/facts/endings.ts"
import {
  actFact,
  estimateFact,
  exitFact,
  movedFact,
  noNumberFact,
  noTradeFact,
  noViewFact,
  rangeFact,
  referenceFact,
  scoredFact,
  tradeFact,
} from "../../writing/facts/estimates.ts"
import { factOf, type NewFact, present, time, unnamed } from "../../writing/facts/fact.ts"
import {
  headlineFact,
  newsGapFact,
  noHeadlineFact,
  reportedIn,
} from "../../writing/facts/headlines.ts"
import { middleFact, outcomesFact, rungsFact } from "../../writing/facts/ladders.ts"
import { pastFact, placeOf, type PricePast } from "../../writing/facts/moves.ts"
import { noProposalFact } from "../../writing/facts/proposals.ts"
import { costFact, depthFact, noBookFact } from "../../writing/facts/quotes.ts"
import {
  aboutOf,
  endOf,
  isDead,
  isForecast,
  isSureOf,
  labelledPositions,
  type MarketView,
  payoutOf,
  placedStories,
  sidesOf,
  type Trade,
  tradeOf,
} from "../../writing/facts/view.ts"
import { noWalletFact, otherWalletsFact } from "../../writing/facts/wallets.ts"
import { type Decision, validityOf } from "./decision.ts"
import { entriesReadMax, isLive, priceOf, type ReportMaterial } from "./material.ts"

export interface ReportPage {
  readonly view: MarketView
  readonly verdict: Decision["verdict"]
  /** `F1`, `F2`, … in the order of the text. */
  readonly facts: ReadonlyArray<Fact>
  readonly thesis: Slot
  readonly whaleView: Slot
  /** Counter-evidence first where there is any, a slot each. */
  readonly risks: readonly [Slot, ...ReadonlyArray<Slot>]
  /** By rule; no narrator changes it. */
  readonly confidence: Confidence
  readonly bottomLine: Slot
}

type Facts = readonly [NewFact, ...ReadonlyArray<NewFact>]

/** Deterministic: the same material gives the same page. */
export function reportPage(material: ReportMaterial): ReportPage {
  const view = viewOf(material)
  const cards = isLive(material) ? marketCards(view) : []
  const verdict = isLive(material) ? verdictOf(view, cards) : null
  const { facts, slot } = numbering()
  const thesis = slot("thesis", thesisFacts(material, view, cards, verdict))
  const whaleView = slot("whales", whaleFacts(material, view))
  const [risk, ...risks] = riskFacts(material, view, cards)
  return {
    view,
    verdict: {
      action: verdict?.action ?? "none",
      outcome: verdict === null || verdict.trade === null
        ? null
        : material.market.outcomes[verdict.trade.outcome],
      legs: verdict?.cards[0]?.legs ?? [],
      reason:
        (verdict?.action === "combination"
          ? verdict.facts[0]
          : verdict?.reason ?? thesisFacts(material, view, cards, null)[0]).statement,
    },
    facts,
    thesis,
    whaleView,
    risks: [slot("risk", risk), ...risks.map((risk) => slot("risk", risk))],
    confidence: confidenceOf(view).confidence,
    bottomLine: slot("bottomLine", bottomFacts(material, view, cards, verdict?.trade ?? null)),
  }
}

/** All slots in the order of the text. */
export function slotsOf({ bottomLine, risks, thesis, whaleView }: ReportPage): ReadonlyArray<Slot> {
  return [thesis, whaleView, ...risks, bottomLine]
}

/** The market as all texts read it. */
export function viewOf(material: ReportMaterial): MarketView {
  const { book, clause, entries, estimate, market, news, now, proposal, siblings } = material
  const quote = book?.quote ?? quoteOfMid(priceOf(material).mid)
  const stories = placedStories(
    { clause, market },
    settledStories({ ...material, stories: news?.stories ?? [] }),
  )
  return {
    ...{ clause, entries, estimate, market, now, proposal, quote, stories },
    book: book?.microstructure ?? null,
    offers: book?.offers ?? [[], []],
    event: eventViewOf(
      { market, quote, proposal, rules: material.rules },
      siblings?.markets ?? null,
      siblings?.complete ?? false,
    ),
    move: material.published ?? null,
    reported: reportedIn(stories, market.outcomes),
  }
}

/** A point this far from a day ago still counts as a day ago: an hour may lack a price. */
const dayStartSlack = 90 * minute

/** What the price was in the time that is known. */
function pastOf(material: ReportMaterial): PricePast {
  const { priceAction, ticks } = material
  const [first] = priceAction
  const price = priceOf(material)
  const mids = [...ticks, ...priceAction, price].map(({ mid }) => mid).filter(isPrice)
  const awayOf = ({ at }: SeriesPoint) => Math.abs(at - (price.at - day))
  const [nearest] = priceAction.toSorted((a, b) => awayOf(a) - awayOf(b))
  return {
    before: first.mid,
    day: nearest !== undefined && awayOf(nearest) <= dayStartSlack ? nearest.mid : null,
    low: Math.min(...mids),
    high: Math.max(...mids),
    spanMs: price.at - first.at,
  }
}

/** What to do and why, what decides it and when, then the cards, the headlines and the event. Wallets have a part of their own. */
function thesisFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
  verdict: Verdict | null,
): Facts {
  const { estimate, market } = material
  const about = aboutOf(market)
  const { at, mid } = priceOf(material)
  const isMoved = cards.some(({ kind }) => kind === "move")
  const past = present(pastFact(about, mid, pastOf(material), isMoved))
  const asOf = factOf("market", market.slug, phrase`Prices are of ${time("pricesAt", at, 0)}.`)
  if (verdict === null) {
    const ended = endedFact(about, market.status === "resolved")
    return [ended, asOf, ...past, ...newsFacts(material, view, cards)]
  }
  // Where the price has decided, only what may still change that is said.
  const isDecided = isDead(view)
  const shown = cards.filter((card) =>
    !verdict.cards.includes(card) && card.kind !== "wallet" &&
    !(isDecided && (card.kind === "move" || card.kind === "contradiction"))
  )
  const [first, ...rest] = verdict.facts
  const payout = payoutOf(view)
  return [
    first,
    asOf,
    ...rest,
    verdict.reason,
    ...clausesOf(material).slice(0, 1),
    payout === null ? noEndFact(about) : payoutFact(about, view, payout),
    ...shown.flatMap(({ details, lead }) => [lead(about), ...details]),
    ...isDecided ? [] : [
      ...past,
      ...estimate === null ? [] : [
        ...present(movedFact(about, estimate)),
        ...present(referenceFact(about, estimate, sidesOf(view)[verdict.trade?.outcome ?? 0])),
      ],
      ...newsFacts(material, view, cards),
      ...eventFacts(material, view),
    ],
  ]
}

/** What can be bought at a gain, or that nothing can; the first fact names the market. */
interface Verdict {
  readonly action: Decision["verdict"]["action"]
  /** Of one outcome alone. */
  readonly trade: Trade | null
  readonly facts: Facts
  readonly reason: NewFact
  /** Those that it states. */
  readonly cards: ReadonlyArray<Card>
}

function verdictOf(view: MarketView, all: ReadonlyArray<Card>): Verdict {
  const { clause, estimate, market } = view
  // Of two dates the one that the rules name.
  const named = { ...aboutOf(market, true), endsAt: clause?.deadlineAt ?? market.endsAt }
  const about = unnamed(named)
  const cards = isDead(view) ? [] : surePairs(view, all)
  // Next to a pair, a number from the same quotes would say which of its prices is wrong.
  const isPaired = cards.length > 0 &&
    estimate?.basis.every(({ ingredient }) => ingredient === "ladder") === true
  const trade = isPaired ? null : tradeOf(view)
  const reason = estimate === null
    ? noNumberFact(about)
    : estimate.basis.length === 0
    ? noViewFact(about, estimate, view)
    : estimateFact(about, estimate, trade?.outcome ?? 0, view)
  const traded = trade === null ? [] : [tradeFact(cards.length === 0 ? named : about, trade)]
  const [first, ...rest] = [
    ...cards.flatMap(({ details, lead }, n) => [lead(n === 0 ? named : about), ...details]),
    ...traded,
  ]
  if (first !== undefined) {
    const action = cards.length > 0 ? "combination" : "buy"
    return { action, trade, facts: [first, ...rest], reason, cards }
  }
  const sides = sidesOf(view)
  const act = isDead(view) ? null : actFact(about, view)
  const facts = [noTradeFact(named, sides, estimate), ...present(act)] as const
  return { action: "none", trade, facts, reason, cards }
}

/** Pairs and baskets that gain in any case: they stand before a trade by our number that may lose. */
function surePairs(view: MarketView, cards: ReadonlyArray<Card>): ReadonlyArray<Card> {
  const trade = tradeOf(view)
  return trade !== null && isSureOf(trade) === true
    ? []
    : cards.filter(({ isSure, kind, valueUsd }) =>
      kind === "contradiction" && isSure === true && valueUsd > 0
    )
}

function eventFacts({ market, siblings }: ReportMaterial, { event }: MarketView) {
  const about = aboutOf(market)
  if (siblings === null) {
    return [factOf("relation", market.slug, phrase`The event's other markets could not be read.`)]
  }
  return event.rungs.length > 1
    ? [rungsFact(about, event), ...present(middleFact(about, event))]
    : present(outcomesFact(about, event))
}

/** Stories of one report, and of those how many where no model has read any. */
const storiesMax = 4
const unreadMax = 2

/**
 * The headlines, ascending in time: those that a model read for a side, the nearest to the move or the
 * newest; where none was read the best matches by shared words. None that another part quotes.
 */
function newsFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
): ReadonlyArray<NewFact> {
  const { market, news, now } = material
  const about = aboutOf(market)
  if (news === null) return [newsGapFact(about, null)]
  const { move } = view
  const at = (move?.step ?? move)?.at ?? now
  const links = [counterFact(view, cards), ...cards.flatMap(({ details }) => details)]
    .flatMap((fact) => fact?.links ?? [])
  const { stories } = view
  const isRead = stories.some(({ reading }) => reading !== null)
  const left = stories.filter(({ url }) => !links.includes(url))
  const read = left.filter(({ reading }) => (reading?.bears ?? null) !== null)
    .toSorted((a, b) => Math.abs(a.firstAt - at) - Math.abs(b.firstAt - at))
  const shown = (isRead ? read : left.slice(0, unreadMax)).slice(0, storiesMax - links.length)
    .toSorted((a, b) => a.firstAt - b.firstAt)
  const missing = news.sources - news.answered
  return [
    ...shown.map((story, n) =>
      headlineFact(
        about,
        story,
        isForecast(view, story)
          ? "before kick-off"
          : move === null
          ? null
          : placeOf(move, story.firstAt),
        now,
        n === 0,
      )
    ),
    ...missing > 0 ? [newsGapFact(about, missing)] : [],
    ...stories.length === 0 && missing === 0 && news.sources > 0
      ? [noHeadlineFact(about, news.sources)]
      : [],
  ]
}

function whaleFacts({ entries, market, walletsRead }: ReportMaterial, view: MarketView): Facts {
  const about = aboutOf(market)
  const card = marketCards(view).find(({ kind }) => kind === "wallet")
  const own = new Set(labelledPositions(view).map(({ wallet }) => wallet))
  const others = entries.filter(({ wallet, marketMaker }) => !marketMaker && !own.has(wallet))
  const [first, ...rest] = [
    ...card === undefined ? [] : [card.lead(about), ...card.details],
    ...present(
      otherWalletsFact(about, others, entries.length < entriesReadMax, card === undefined),
    ),
  ]
  if (first !== undefined) return [first, ...rest]
  return [noWalletFact(about, walletsRead, entries.length > 0)]
}

/** A paragraph each: what speaks against the lead, the proposal, leaving, unusual rules, a missing book. */
function riskFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
): readonly [Facts, ...ReadonlyArray<Facts>] {
  const { book, isListingRead, market, now, proposal } = material
  const about = aboutOf(market)
  const isProposed = market.status === "proposed"
  const isDue = (market.gameStartsAt ?? endOf(view) ?? now) <= now
  const isRead = isListingRead && !isProposed
  const proposed = proposal === null && (isDue || !isRead)
    ? [noProposalFact(about, isProposed, isListingRead)]
    : []
  const [clause, ...unusual] = clausesOf(material)
  const paragraphs = isLive(material)
    ? [
      present(counterFact(view, cards)),
      proposed,
      book === null ? [noBookFact(about)] : [exitFact(about, view)],
      unusual,
    ]
    : []
  const [first, ...rest] = paragraphs.flatMap(([first, ...rest]): ReadonlyArray<Facts> =>
    first === undefined ? [] : [[first, ...rest]]
  )
  return first === undefined ? [[clause]] : [first, ...rest]
}

/** Unusual sentences of the rules in a report. */
const exceptionsMax = 3

/** What pays, then what in the rules is unusual. */
function clausesOf({ clause, market, now, rules }: ReportMaterial): Facts {
  const about = aboutOf(market)
  const [first, ...rest] = rules === null
    ? []
    : clauseFacts(about, rules, clause ?? clauseOf(market.question, rules), now, exceptionsMax)
  return first === undefined ? [noClauseFact(about)] : [first, ...rest]
}

/** What a trade costs, and how long this is valid. */
function bottomFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
  trade: Trade | null,
): Facts {
  const { market, now } = material
  const about = aboutOf(market)
  if (!isLive(material)) {
    return [factOf("method", market.slug, phrase`Nothing is left to decide here.`)]
  }
  const sides = sidesOf(view)
  const lead = cards.find(({ kind, valueUsd }) => valueUsd > 0 || kind === "proposal")
  const { until, why } = validityOf(material)
  const { flip = "an outcome is proposed or reported", level = null } = lead ?? {}
  const [first, ...rest] = [
    ...present(costFact(about, sides, market.takerFeeRate)),
    ...material.book === null ? [] : [depthFact(about, view.offers)],
    ...present(confidenceFact(about, view)),
    ...view.estimate === null || view.estimate.basis.length === 0
      ? []
      : [scoredFact(view.estimate)],
    ...view.estimate === null || isDead(view) ? [] : present(rangeFact(about, view.estimate, now)),
  ]
  const valid = validFact(about, { until, why, flip, level, limit: trade?.limit ?? null }, now)
  return first === undefined ? [valid] : [first, ...rest, valid]
}
