/**
 * The cards of a digest: one for each of its markets, with all that the window brought there. A market
 * has one card, so its open proposal and what speaks against it stand in every text about it.
 *
 * @module
 */
import type { DigestParagraph, DigestSection, StatedNumber } from "./digest.ts"
import { nextDigestAt, tradedFact } from "./facts.ts"
import {
  type DigestMarket,
  type DigestMaterial,
  isEnded,
  isLabelled,
  isThin,
  type Move,
  unexplainedUsdMin,
} from "./material.ts"
import { clauseOf } from "../../markets/domain/clause.ts"
import { contradictionsOf, laddersOf } from "../../markets/domain/ladders.ts"
import { slugKey } from "../../markets/domain/market.ts"
import { type QuotedMarket, siblingSums } from "../../markets/domain/siblings.ts"
import { headlineLag } from "../../markets/domain/priceStep.ts"
import { settledStories } from "../../news/domain/evidence.ts"
import { eventViewOf, isWorthwhile, onLadder } from "../../writing/domain/event.ts"
import { type Card, counterFact, marketCards, ranked } from "../../writing/facts/cards.ts"
import { confidenceFact } from "../../writing/facts/confidence.ts"
import { clauseFacts } from "../../writing/facts/clauses.ts"
import { noEndFact, payoutFact, validFact } from "../../writing/facts/endings.ts"
import {
  estimateFact,
  movedFact,
  noTradeFact,
  scoredFact,
  tradeFact,
} from "../../writing/facts/estimates.ts"
import { type About, type NewFact, present, unnamed } from "../../writing/facts/fact.ts"
import {
  causeLagMax,
  headlineFact,
  noCauseFact,
  readFor,
  reportedIn,
} from "../../writing/facts/headlines.ts"
import { legsFact, pairOf, sumFact } from "../../writing/facts/ladders.ts"
import { moveOf, placeOf } from "../../writing/facts/moves.ts"
import { noProposalFact, proposalFact } from "../../writing/facts/proposals.ts"
import { costFact } from "../../writing/facts/quotes.ts"
import {
  aboutOf,
  estimateIn,
  isDead,
  isDoubted,
  isForecast,
  isSureOf,
  labelledPositions,
  type MarketView,
  payoutOf,
  placedStories,
  sidesOf,
  tradeOf,
} from "../../writing/facts/view.ts"
import { otherWalletsFact, positionFact } from "../../writing/facts/wallets.ts"

/** A card and where it stands. Each of its facts is stated once in a digest. */
export interface DigestCard extends Pick<Card, "kind" | "market" | "valueUsd" | "isSure"> {
  readonly section: DigestSection
  /** The market that its paragraph is about. */
  readonly about: NonNullable<DigestParagraph["market"]>
  /** What can be decided, with its main figure; names the market. */
  readonly lead: NewFact
  /** Why, in one sentence; null where the lead says it. */
  readonly why: NewFact | null
  /** Its paragraph: what can be decided, then why, then what a reader must know of it. */
  readonly facts: readonly [NewFact, ...ReadonlyArray<NewFact>]
  /**
   * What one line says of it, and where that is enough: where the digest before says the same, where a
   * card of the same event came first, or always. Null where it is not.
   */
  readonly line: {
    readonly where: "as before" | "same event" | "always"
    readonly facts: DigestCard["facts"]
  } | null
  /** The number that it states; null for none. */
  readonly stated: StatedNumber | null
}

/** Events whose best combination has a card. */
const combinationsMax = 2
/** A quote farther than this from the price that a move reached is of another time, USD a share. */
const quoteDistanceMax = 0.05

const sections: Readonly<Record<Card["kind"], DigestSection>> = {
  contradiction: "predetermined",
  proposal: "predetermined",
  report: "predetermined",
  wallet: "whales",
  move: "repriced",
}

/** The best first. Deterministic. */
export function digestCards(material: DigestMaterial): ReadonlyArray<DigestCard> {
  const cards = material.markets.filter(({ market }) => !isEnded(material, market))
    .flatMap((one) => cardOf(one, material) ?? [])
  return ranked([...combinationCards(material), ...cards])
}

/** The market as all texts read it. */
function viewOf(one: DigestMarket, material: DigestMaterial): MarketView {
  const { quoted, record, recentMoves, until: now } = material
  const { market } = one
  const others = quoted.filter((other) =>
    other.market.id !== market.id &&
    (other.market.eventKey === market.eventKey || other.market.eventSlug === market.eventSlug)
  )
  const clause = one.rules === null ? null : clauseOf(market.question, one.rules)
  const stories = placedStories(
    { clause, market },
    settledStories({ market, now, stories: one.stories }),
  )
  const view = {
    ...{ ...one, clause },
    now,
    stories,
    event: eventViewOf(one, others, false),
    move: moveIn(one, material),
    reported: reportedIn(stories, market.outcomes),
  }
  return { ...view, estimate: record === null ? null : estimateIn(view, record, recentMoves) }
}

/** A move that a reader can trade: not on little money or in a wide book, and with an end. */
function moveIn(one: DigestMarket, { moves }: DigestMaterial): MarketView["move"] {
  const move = moves.find(({ item }) => isOf(one, item.data))
  const isOffered = one.quote !== null && one.quote.ask !== null && one.market.takerFeeRate !== null
  if (move === undefined || !isOffered || isThin(move, one.quote)) return null
  return moveOf(move.item, move.step)
}

const isOf = ({ market }: DigestMarket, data: { readonly market: { readonly slug: string } }) =>
  slugKey(data.market.slug) === slugKey(market.slug)

/** Its events, the best first, then what every card has; null where nothing new can be acted on. */
function cardOf(one: DigestMarket, material: DigestMaterial): DigestCard | null {
  const view = viewOf(one, material)
  if (isDead(view)) return null
  const [head, ...others] = marketCards(view).filter((card) => isNew(card, view, one, material))
  if (head === undefined || head.kind === "move" && head.valueUsd === 0) return null
  const { market } = view
  const named = aboutOf(market, true)
  const about = unnamed(named)
  const { estimate } = view
  // A number that leaves nothing at the book is not worth a sentence.
  const trade = tradeOf(view)
  const viewed = trade === null ? null : estimate
  const move = material.moves.find(({ item }) => isOf(one, item.data))
  const isMoved = view.move !== null && move !== undefined
  const cause = isMoved && material.coverage.news !== null ? causeOf(view) : null
  const isCaused = head.kind === "move" && cause !== null
  const isUnexplained = head.kind === "move" && cause === null && trade === null
  if (isUnexplained && (move?.item.data.tradedUsd ?? Infinity) < unexplainedUsdMin) return null
  const why = trade !== null && estimate !== null
    ? estimateFact(about, estimate, trade.outcome, view)
    : head.kind === "wallet"
    ? noTradeFact(about, sidesOf(view), estimate)
    : isCaused
    ? cause
    : null
  const end = endOf(view, head)
  return {
    ...{ kind: head.kind, market: market.slug, section: sections[head.kind] },
    ...{
      about: market,
      valueUsd: head.valueUsd,
      isSure: trade === null ? head.isSure : isSureOf(trade),
      lead: trade === null ? head.lead(named) : tradeFact(named, trade),
    },
    stated: viewed === null ? null : { marketId: market.id, eventKey: market.eventKey, ...viewed },
    why,
    line: trade === null ? lineOf([head, ...others], isMoved, why, view) : null,
    facts: [
      trade === null ? head.lead(about) : tradeFact(about, trade),
      ...present(why),
      ...trade === null
        ? [validFact(about, { ...end, verdict: "Watch" }, view.now)]
        : [head.lead(about)],
      ...head.details,
      ...present(counterFact(view, [head])),
      ...others.flatMap(({ details, lead }) => [lead(about), ...details]),
      ...isMoved
        ? movedFacts(about, view, move, isCaused && why === cause ? "stated" : cause, material)
        : [],
      ...sharedFacts(one, view, [head, ...others]),
      ...viewed === null ? [] : [...present(confidenceFact(about, view)), scoredFact(viewed)],
      ...trade === null ? [] : [validFact(about, { ...end, limit: trade.limit }, view.now)],
    ],
  }
}

/** One line is enough for what did not change, for a move alone, and for wallets that leave no trade. */
function lineOf(
  [head, ...others]: readonly [Card, ...ReadonlyArray<Card>],
  isMoved: boolean,
  why: NewFact | null,
  { market, proposal }: MarketView,
): DigestCard["line"] {
  const lead = head.lead(aboutOf(market))
  const isState = [head, ...others]
    .every(({ kind }) => kind === "proposal" || kind === "contradiction")
  if (!isMoved && isState) return { where: "as before", facts: [lead] }
  if (others.length > 0 || proposal !== null || market.status === "proposed") return null
  if (head.kind === "move") return { where: "same event", facts: [lead] }
  return head.kind === "wallet" ? { where: "always", facts: [lead, ...present(why)] } : null
}

/** Whether what a card is about came about in the window; without its price it cannot be acted on. */
function isNew(card: Card, view: MarketView, one: DigestMarket, material: DigestMaterial): boolean {
  const { from, markets, until, whaleEntries } = material
  const isInWindow = (at: number) => at >= from && at <= until
  const { event: { implied } } = view
  switch (card.kind) {
    case "proposal":
      return isDoubted(view)
    case "contradiction": {
      const source = markets.find(({ market }) => market.id === implied?.source.market.id)
      return card.favours !== null && isInWindow(source?.proposal?.proposedAt ?? 0)
    }
    case "wallet":
      return whaleEntries.some((entry) => isLabelled(entry) && isOf(one, entry.data))
    case "report":
      return isInWindow(view.reported?.newestAt ?? 0)
    case "move":
      return true
  }
}

/** The cause of a move, unless it is stated, was not looked for or is the game itself, and the money behind it. */
function movedFacts(
  about: About,
  view: MarketView,
  { item: { data } }: Move,
  cause: NewFact | "stated" | null,
  { coverage, until }: DigestMaterial,
): ReadonlyArray<NewFact> {
  const isPlayed = (about.gameStartsAt ?? Infinity) <= until
  const isRead = coverage.news !== null && coverage.news.answered === coverage.news.sources
  const shown = cause ??
    (isPlayed || !isRead ? "stated" : noCauseFact(about, laterStory(view), until))
  return [
    ...coverage.news === null || shown === "stated" ? [] : [shown],
    ...present(tradedFact(about, data)),
    ...view.estimate === null ? [] : present(movedFact(about, view.estimate)),
  ]
}

/** The first headline after a move, within `causeLagMax`; null for none. */
function laterStory({ move, stories }: MarketView) {
  if (move === null) return null
  const [first] = stories.filter(({ corrected }) => !corrected)
    .map((story) => ({ story, placed: placeOf(move, story.firstAt) }))
    .filter(({ placed: { lagMs, position } }) => position === "after" && lagMs <= causeLagMax)
    .toSorted((a, b) => a.placed.lagMs - b.placed.lagMs || (a.story.url < b.story.url ? -1 : 1))
  return first ?? null
}

/** The nearest headline before a move: one that a model read as pointing its way, else any; null for none. */
function causeOf(view: MarketView): NewFact | null {
  const { market, move, now, stories } = view
  if (move === null) return null
  const { at: to, startedAt: from } = move.step ?? move
  const near = stories.filter((story) => !story.corrected && !isForecast(view, story))
    .map((story) => ({ story, ...headlineLag(story.firstAt, { from, to }) }))
    .filter(({ position, lagMsMin }) => position !== "after" && lagMsMin <= causeLagMax)
    .toSorted((a, b) => a.lagMsMin - b.lagMsMin || (a.story.url < b.story.url ? -1 : 1))
    .map(({ story }) => story)
  const favours = move.to > move.from ? 0 : 1
  const cause = near.find((story) => readFor(story, market.outcomes) === favours) ?? near[0]
  return cause === undefined
    ? null
    : headlineFact(aboutOf(market), cause, placeOf(move, cause.firstAt), now)
}

/** Unusual sentences of the rules in a card. */
const exceptionsMax = 1

/** What every card has, unless its events said it: proposal, wallets, cost, what pays, and when. */
function sharedFacts(
  one: DigestMarket,
  view: MarketView,
  said: ReadonlyArray<Card>,
): ReadonlyArray<NewFact> {
  const { entries, market, now, proposal } = view
  const about = aboutOf(market)
  const proposed = said.some(({ kind }) => kind === "proposal")
    ? []
    : proposal !== null
    ? [proposalFact(about, proposal, now)]
    : market.status === "proposed"
    ? [noProposalFact(about, true, true)]
    : []
  const positions = labelledPositions(view)
  const labelled = new Set(positions.map(({ wallet }) => wallet))
  const [largest] = said.some(({ kind }) => kind === "wallet") ? [] : positions
  const others = entries.filter(({ marketMaker, wallet }) => !marketMaker && !labelled.has(wallet))
  const payout = payoutOf(view)
  const clause = one.rules === null || view.clause === null
    ? []
    : clauseFacts(about, one.rules, view.clause, now, exceptionsMax, true)
  return [
    ...proposed,
    ...largest === undefined ? [] : [positionFact(about, largest, now)],
    ...present(otherWalletsFact(about, others, true)),
    ...present(costFact(about, sidesOf(view), market.takerFeeRate)),
    ...clause,
    payout === null ? noEndFact(about) : payoutFact(about, view, payout),
  ]
}

/** What ends the card's validity before the next digest: the kick-off or the payout, and its own end. */
function endOf(view: MarketView, { flip, level }: Card) {
  const { market: { gameStartsAt }, now } = view
  const payout = payoutOf(view)
  const [end] = [
    ...gameStartsAt === null ? [] : [{ until: gameStartsAt, why: "the kick-off" }],
    ...payout === null ? [] : [{ until: payout.at, why: "the expected payout" }],
  ].filter(({ until: at }) => at > now && at < nextDigestAt(now)).sort((a, b) => a.until - b.until)
  return { ...end, flip, level }
}

/** What is bought together and gains, the best of each event; none with a stale leg. */
function combinationCards(material: DigestMaterial): ReadonlyArray<DigestCard> {
  const isLive = (legs: ReadonlyArray<QuotedMarket>) => !legs.some((leg) => isStale(material, leg))
  const pairs = contradictionsOf(laddersOf(material.quoted.map(onLadder))).flatMap((pair) => {
    const { easier, harder, size } = pair
    const found = isWorthwhile(pair) && isLive([easier, harder])
      ? pairOf(pair, material.until)
      : null
    return found === null ? [] : [{ ...found, ...easier, gainUsd: size?.gainUsd ?? 0 }]
  })
  const baskets = siblingSums(material.quoted, () => false).flatMap((sum) => {
    const { basket, markets } = sum
    const [dearest] = markets
    if (dearest === undefined || basket === null || !isLive(markets)) return []
    const about = { ...dearest.market, gameStartsAt: null, isNamed: true }
    const [lead, opening] = [about, unnamed(about)].map((it) => sumFact(it, sum, basket))
    return lead === undefined || opening === undefined ? [] : [{
      ...{ ...dearest, lead, opening, isSure: true, gainUsd: basket.gainUsd },
      details: [legsFact(about, basket)],
    }]
  })
  const found = [...pairs, ...baskets].toSorted((a, b) => b.gainUsd - a.gainUsd)
  return [...Map.groupBy(found, ({ market }) => market.eventKey).values()].flatMap(([best]) =>
    best ?? []
  ).slice(0, combinationsMax)
    .map(({ details, gainUsd, isSure, lead, market, opening }): DigestCard => {
      const about = { ...market, gameStartsAt: null }
      const flip = "a quote changes, or a leg is proposed or reported"
      const valid = validFact({ ...about, isNamed: false }, { flip }, material.until)
      return {
        ...{ kind: "contradiction", section: "repriced", market: market.slug, about },
        ...{ lead, why: null, facts: [opening, ...details, valid] },
        ...{ line: null, stated: null, valueUsd: gainUsd, isSure: isSure || null },
      }
    })
}

/** Whether a quote is likely of the past: its market should have ended, is reported, or moved away. */
function isStale(
  { moves, predetermined, until }: DigestMaterial,
  { market: { endsAt, slug }, quote }: QuotedMarket,
): boolean {
  const isHere = (it: { readonly market: { readonly slug: string } }) =>
    slugKey(it.market.slug) === slugKey(slug)
  return endsAt !== null && endsAt <= until || predetermined.some(({ data }) => isHere(data)) ||
    moves.some(({ item: { data } }) =>
      isHere(data) && Math.abs(data.priceNow - (quote?.mid ?? 0)) > quoteDistanceMax
    )
}
