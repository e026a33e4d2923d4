/**
 * The page of a report: its facts, and for each part a slot with the sentences of the template, drawn
 * from the market's decision cards. The best card leads.
 *
 * @module
 */
import { clauseOf } from "../../markets/domain/clause.ts"
import { quoteOfMid } from "../../markets/domain/quote.ts"
import { settledStories } from "../../news/domain/evidence.ts"
import { hour } from "../../core/domain/time.ts"
import { eventViewOf } from "../../writing/domain/event.ts"
import type { Fact } from "../../writing/domain/facts.ts"
import { numbering, type Slot } from "../../writing/domain/page.ts"
import { phrase } from "../../writing/domain/statement.ts"
import { type Card, counterFact, marketCards } from "../../writing/facts/cards.ts"
import { type Confidence, confidenceFact, confidenceOf } from "../../writing/facts/confidence.ts"
import { clauseFacts, noClauseFact } from "../../writing/facts/clauses.ts"
import { endedFact, noEndFact, payoutFact, validFact } from "../../writing/facts/endings.ts"
import {
  estimateFact,
  noNumberFact,
  noTradeFact,
  noViewFact,
  rangeFact,
  referenceFact,
  tradeFact,
} from "../../writing/facts/estimates.ts"
import { factOf, type NewFact, present, unnamed } from "../../writing/facts/fact.ts"
import {
  headlineFact,
  newsGapFact,
  noHeadlineFact,
  reportedIn,
} from "../../writing/facts/headlines.ts"
import { rungFacts } from "../../writing/facts/ladders.ts"
import { placeOf, steadyFact } from "../../writing/facts/moves.ts"
import { noProposalFact, unreadProposalFact } from "../../writing/facts/proposals.ts"
import { costFact, noBookFact } from "../../writing/facts/quotes.ts"
import {
  aboutOf,
  isDead,
  isForecast,
  isSureOf,
  labelledPositions,
  type MarketView,
  payoutOf,
  placedStories,
  sidesOf,
  tradeOf,
} from "../../writing/facts/view.ts"
import { marketMakersFact, noWalletFact, otherWalletsFact } from "../../writing/facts/wallets.ts"
import { validityOf } from "./decision.ts"
import { entriesReadMax, isLive, priceActionMs, priceOf, type ReportMaterial } from "./material.ts"
import { movementOf } from "./movement.ts"

export interface ReportPage {
  readonly view: MarketView
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
  const { facts, slot } = numbering()
  const thesis = slot("thesis", thesisFacts(material, view, cards))
  const whaleView = slot("whales", whaleFacts(material, view))
  const [risk, ...risks] = riskFacts(material, view, cards)
  return {
    view,
    facts,
    thesis,
    whaleView,
    risks: [slot("risk", risk), ...risks.map((risk) => slot("risk", risk))],
    confidence: confidenceOf(view).confidence,
    bottomLine: slot("bottomLine", bottomFacts(material, view, cards)),
  }
}

/** All slots in the order of the text. */
export function slotsOf({ bottomLine, risks, thesis, whaleView }: ReportPage): ReadonlyArray<Slot> {
  return [thesis, whaleView, ...risks, bottomLine]
}

/** The market as all texts read it. */
export function viewOf(material: ReportMaterial): MarketView {
  const { book, clause, entries, estimate, market, news, now, proposal, siblings } = material
  const { main, step } = movementOf(material)
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
    move: material.published ?? (main === null ? null : {
      ...changeOf(main),
      windowMs: main.to.at - main.from.at,
      step: step === null ? null : changeOf(step),
    }),
    reported: reportedIn(stories, market.outcomes),
  }
}

function changeOf({ from, to }: NonNullable<ReturnType<typeof movementOf>["main"]>) {
  return { from: from.mid, to: to.mid, startedAt: from.at, at: to.at }
}

/** The verdict and what it rests on, then the cards, the headlines and the event. Wallets have a part of their own. */
function thesisFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
): Facts {
  const { estimate, market } = material
  const about = aboutOf(market)
  const { high, low, spanMs } = movementOf(material)
  const range = low < high && spanMs >= hour ? { low, high, spanMs } : null
  const { mid } = priceOf(material)
  if (!isLive(material)) {
    const ended = endedFact(about, market.status === "resolved")
    return [ended, steadyFact(about, mid, range), ...newsFacts(material, view, cards)]
  }
  // Where the price has decided, only what may still change that is said.
  const isDecided = isDead(view)
  const sure = isDecided ? [] : surePairs(view, cards)
  const shown = cards.filter((card) =>
    !sure.includes(card) && card.kind !== "wallet" &&
    !(isDecided && (card.kind === "move" || card.kind === "contradiction"))
  )
  const own = estimate === null ? [noNumberFact(about)] : [
    estimate.basis.length === 0 ? noViewFact(about, estimate, view) : estimateFact(about, estimate),
  ]
  const [verdict, ...others] = verdictFacts(view, sure)
  return [
    verdict,
    ...others,
    ...own,
    ...estimate === null || isDecided ? [] : present(referenceFact(about, estimate)),
    ...shown.flatMap(({ details, lead }) => [lead(about), ...details]),
    ...view.move === null && !isDecided ? [steadyFact(about, mid, range)] : [],
    ...isDecided ? [] : newsFacts(material, view, cards),
    ...isDecided ? [] : eventFacts(material, view),
  ]
}

/** What can be bought at a gain, and why, or that nothing can; the first sentence names the market. */
function verdictFacts(view: MarketView, sure: ReadonlyArray<Card>): Facts {
  const { estimate, market } = view
  const named = aboutOf(market, true)
  const about = unnamed(named)
  const trade = tradeOf(view)
  const [first, ...rest] = [
    ...sure.flatMap(({ details, lead }, n) => [lead(n === 0 ? named : about), ...details]),
    ...trade === null ? [] : [tradeFact(sure.length === 0 ? named : about, trade)],
  ]
  return first === undefined ? [noTradeFact(named, sidesOf(view), estimate)] : [first, ...rest]
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
  return rungFacts(about, event)
}

/** Stories of one report, and of those how many where no model has read any. */
const storiesMax = 4
const unreadMax = 2

/**
 * The headlines, ascending in time: those that a model read for a side, the nearest to the move or the
 * newest; where none was read, the best matches by shared words. None that another part quotes.
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
    ...shown.map((story, n, all) =>
      headlineFact(
        about,
        story,
        isForecast(view, story)
          ? "before kick-off"
          : move === null
          ? null
          : placeOf(move, story.firstAt),
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
  return [entries.length === 0 ? noWalletFact(about, walletsRead) : marketMakersFact(about)]
}

/** A paragraph each: what speaks against the lead, the proposal, what pays, a missing book. */
function riskFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
): readonly [Facts, ...ReadonlyArray<Facts>] {
  const { book, clause, isListingRead, market, now, proposal, rules } = material
  const about = aboutOf(market)
  const isProposed = market.status === "proposed"
  const isDue = (market.gameStartsAt ?? market.endsAt ?? now) <= now
  const proposed = proposal !== null
    ? []
    : isProposed || !isListingRead
    ? [unreadProposalFact(about, isProposed)]
    : isDue
    ? [noProposalFact(about)]
    : []
  const clauses = rules === null
    ? []
    : clauseFacts(about, rules, clause ?? clauseOf(market.question, rules), now, exceptionsMax)
  const [lead, ...others] = clauses
  const pays: Facts = lead === undefined ? [noClauseFact(about)] : [lead, ...others]
  const paragraphs = isLive(material) ? [present(counterFact(view, cards)), proposed] : []
  const [first, ...rest] = [...paragraphs, pays, ...book === null ? [[noBookFact(about)]] : []]
    .flatMap(([first, ...rest]): ReadonlyArray<Facts> =>
      first === undefined ? [] : [[first, ...rest]]
    )
  return first === undefined ? [pays] : [first, ...rest]
}

/** Unusual sentences of the rules in a report. */
const exceptionsMax = 3

/** What a trade costs, where the price may be in a day, when the market pays, and how long this is valid. */
function bottomFacts(
  material: ReportMaterial,
  view: MarketView,
  cards: ReadonlyArray<Card>,
): Facts {
  const { market, now, estimate } = material
  const about = aboutOf(market)
  if (!isLive(material)) {
    return [factOf("method", market.slug, phrase`Nothing is left to decide here.`)]
  }
  const trade = tradeOf(view)
  const sides = sidesOf(view)
  const payout = payoutOf(view)
  const lead = cards.find(({ kind, valueUsd }) => valueUsd > 0 || kind === "proposal")
  const { until, why } = validityOf(material)
  const { flip = "an outcome is proposed or reported", level = null } = lead ?? {}
  const [first, ...rest] = [
    ...present(costFact(about, sides, market.takerFeeRate)),
    ...estimate === null || trade !== null || isDead(view)
      ? []
      : present(rangeFact(about, estimate)),
    payout === null ? noEndFact(about) : payoutFact(about, view, payout),
    ...present(confidenceFact(about, view)),
  ]
  const valid = validFact(about, { until, why, flip, level, limit: trade?.limit ?? null }, now)
  return first === undefined ? [valid] : [first, ...rest, valid]
}
