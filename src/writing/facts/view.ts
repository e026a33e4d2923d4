/**
 * What a text knows of one market. A digest and a report read it here, so they come to one number, to
 * the same cards and to the same counter-evidence.
 *
 * @module
 */
import { isDecidedPrice, type Level, type Microstructure } from "../../markets/domain/book.ts"
import {
  type ExpectedResolution,
  expectedResolution,
} from "../../markets/domain/expectedResolution.ts"
import type { Market } from "../../markets/domain/market.ts"
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import type { Clause } from "../../markets/domain/clause.ts"
import { complement, type Quote, quoteOfOutcome, takerFee } from "../../markets/domain/quote.ts"
import {
  averagePriceOf,
  breakEvenProbability,
  limitPriceOf,
  offeredUsdOf,
} from "../../markets/domain/tradeCosts.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import {
  type DoubtedRecord,
  type Estimate,
  type EstimateInputs,
  estimateOf,
  floorPrice,
} from "../domain/estimate.ts"
import type { EventView } from "../domain/event.ts"
import type { About } from "./fact.ts"
import { type PrintedStory, readFor, type Reported } from "./headlines.ts"
import { type MarketMove, newestMove, type PublishedMove } from "./moves.ts"
import { doubtedBelow, isEarly, settlesAtOf } from "./proposals.ts"
import {
  favouredBy,
  type LabelledPosition,
  type WalletPosition,
  type WalletRecord,
} from "./wallets.ts"

/** An open entry of a tracked wallet. */
interface WalletEntry extends WalletPosition {
  /** A market maker's entries express no opinion. */
  readonly marketMaker: boolean
  readonly calibration: {
    readonly row: WalletRecord & { readonly label: "follow" | "fade" | "neutral" }
  } | null
}

export interface MarketView {
  readonly market: Market
  /** Of the first outcome; without bid and ask where there is no book. Null when no price is known. */
  readonly quote: Quote | null
  /** Null without a valid book. */
  readonly book: Microstructure | null
  /** What is offered of each outcome; empty without a book. */
  readonly offers: readonly [ReadonlyArray<Level>, ReadonlyArray<Level>]
  /** Null for none, and for one that could not be read. */
  readonly proposal: Proposal | null
  /** Null where the rules could not be read. */
  readonly clause: Clause | null
  /** The largest stakes first. */
  readonly entries: ReadonlyArray<WalletEntry>
  readonly stories: ReadonlyArray<PrintedStory>
  readonly event: EventView
  /** The move to explain; null for none. */
  readonly move: MarketMove | null
  /** What is reported of its end; null for nothing. */
  readonly reported: Reported | null
  /** Null when it could not be read, or nothing can be traded. */
  readonly estimate: Estimate | null
  readonly now: EpochMs
}

/** The market as facts name it. */
export const aboutOf = (market: Market, isNamed = false): About => ({ ...market, isNamed })

/** The price of an outcome now. */
export function priceOfOutcome({ quote }: Pick<MarketView, "quote">, outcome: 0 | 1): number {
  const mid = quote?.mid ?? 0
  return outcome === 0 ? mid : complement(mid)
}

/** Whether an outcome is all but certain at its price, or not one side of the book is left. */
export function isDead({ quote }: Pick<MarketView, "quote">): boolean {
  return quote === null || isDecidedPrice(quote.mid)
}

/** Whether traders price the proposed outcome low. */
export const isDoubted = ({ proposal, quote }: Pick<MarketView, "proposal" | "quote">): boolean =>
  proposal !== null && quote !== null && priceOfOutcome({ quote }, proposal.outcome) < doubtedBelow

/** Whether what happens next is open: a doubted or early proposal that can still be disputed. */
export function isDisputable(view: Pick<MarketView, "market" | "now" | "proposal" | "quote">) {
  const { market, now, proposal } = view
  return proposal !== null && !proposal.disputed && settlesAtOf(proposal) > now &&
    (isDoubted(view) || isEarly(market, proposal))
}

/** The rules may end a question at most so long after the listed end, which may lack their zone. */
const deadlineLagMax = 2 * day

/** When it ends: the listed date, unless the rules name a later one near to it; null where neither does. */
export function endOf(
  { clause, market: { endsAt }, now }: Pick<MarketView, "clause" | "market" | "now">,
): EpochMs | null {
  const deadline = clause?.deadlineAt ?? endsAt
  if (endsAt === null || deadline === null) return deadline
  // A listed date that passed before the rules end the question is wrong.
  const isNear = deadline <= endsAt + deadlineLagMax || endsAt <= now && deadline > now
  return isNear ? Math.max(endsAt, deadline) : endsAt
}

/** Null when nothing is known of it. */
export function payoutOf(
  view: Pick<MarketView, "clause" | "market" | "now" | "proposal" | "quote">,
): ExpectedResolution | null {
  const { market, now, proposal, quote } = view
  const evidence = { market: { ...market, endsAt: endOf(view) }, proposal, mid: quote?.mid ?? null }
  return expectedResolution(evidence, now)
}

/** How far from the start of a game a headline without a reading may be of that game. */
const fixtureMs = 3 * day

/**
 * Without the headlines that no model has read and that are of another game of one of the sides; each
 * with how long after the deadline it came.
 */
export function placedStories<S extends PrintedStory>(
  view: Pick<MarketView, "clause" | "market">,
  stories: ReadonlyArray<S>,
): ReadonlyArray<S> {
  const { gameStartsAt, question } = view.market
  const deadlineAt = deadlineOf(view) ?? Infinity
  const [, ...sides] = /^(?:[^:]*: )?(.+?) vs\.? ([^:?(]+)/i.exec(question) ?? []
  // Of a side's name the longest word is its own.
  const names = sides.map((side) =>
    (side.match(/[\p{L}\p{N}]+/gu) ?? []).toSorted((a, b) => b.length - a.length)[0] ?? ""
  )
  return stories.filter(({ firstAt, reading, title }) =>
    gameStartsAt === null || reading !== null ||
    Math.abs(firstAt - gameStartsAt) <= fixtureMs &&
      names.every((name) => title.toLowerCase().includes(name.toLowerCase()))
  ).map((story) =>
    story.firstAt > deadlineAt ? { ...story, afterMs: story.firstAt - deadlineAt } : story
  )
}

/** A headline from before a game starts is a forecast, whatever its words are. */
export function isForecast(
  { market, now }: Pick<MarketView, "market" | "now">,
  { firstAt }: PrintedStory,
): boolean {
  return market.gameStartsAt !== null && firstAt < market.gameStartsAt && market.gameStartsAt <= now
}

/** The open positions of wallets whose record luck does not explain, the first of each wallet. */
export function labelledPositions(
  { entries }: Pick<MarketView, "entries">,
): ReadonlyArray<LabelledPosition> {
  const positions = entries.flatMap((entry): ReadonlyArray<LabelledPosition> => {
    const record = entry.calibration?.row ?? null
    if (entry.marketMaker || record === null || record.label === "neutral") return []
    return [{ ...entry, label: record.label, record }]
  })
  return positions.filter(({ wallet }, n, all) => all.findIndex((it) => it.wallet === wallet) === n)
}

/** What comes after this is not what the question asks; null for a market that has no such time. */
const deadlineOf = (
  { clause, market }: Pick<MarketView, "clause" | "market">,
): EpochMs | null => market.gameStartsAt === null ? clause?.deadlineAt ?? market.endsAt : null

/**
 * The uncorrected headline since a time that a model read as pointing to an outcome: a report of the end
 * before any other, then the newest; null for none.
 * After the deadline only a report of the end is evidence: any other speaks of a later time.
 */
export function storyFor(
  view: Omit<MarketView, "estimate">,
  outcome: 0 | 1,
  since: EpochMs = 0,
): PrintedStory | null {
  return view.stories.filter((story) =>
    story.firstAt >= since && readFor(story, view.market.outcomes) === outcome &&
    !isForecast(view, story) &&
    (story.reading?.decides === true || story.afterMs === undefined)
  ).toSorted((a, b) =>
    Number(b.isOfEnd === true) - Number(a.isOfEnd === true) || b.firstAt - a.firstAt
  )[0] ?? null
}

/** What the service has measured of itself. */
export interface OwnRecord {
  readonly movers: {
    readonly drift: {
      readonly after24h: Readonly<
        Record<"running" | "settled", NonNullable<EstimateInputs["move"]>["record"]>
      >
    }
  }
  readonly predetermined: {
    readonly byKind: {
      readonly evidence: NonNullable<EstimateInputs["reports"]>["record"]
      readonly proposal: {
        readonly record: Omit<DoubtedRecord, "meanPrice"> | null
        readonly meanPrice: number | null
      }
    }
  }
  readonly estimates: EstimateInputs["scored"] & { readonly comparison: string | null }
  readonly oddsBands: EstimateInputs["bands"]
}

/** The stated number of a market with a price. `hourly`: its last week, for the range of a day. */
export function estimateIn(
  view: Omit<MarketView, "estimate">,
  record: OwnRecord,
  moves: ReadonlyArray<PublishedMove>,
  hourly: EstimateInputs["hourly"] = [],
): Estimate | null {
  const { event: { bounds, rungBounds }, market, now, quote } = view
  if (quote === null) return null
  const { proposal: doubted } = record.predetermined.byKind
  const newest = newestMove(moves, market.slug)
  const moved = newest !== null && Date.parse(newest.createdAt) >= now - day ? newest : null
  const ends = [endOf(view), market.gameStartsAt].flatMap((at) => at === null ? [] : [at - now])
  return estimateOf({
    mid: quote.mid,
    hourly,
    probability24h: payoutOf(view)?.probability24h ?? null,
    endsInMs: ends.length === 0 ? null : Math.min(...ends),
    move: moved === null ? null : {
      direction: moved.data.delta > 0 ? 1 : -1,
      ageMs: now - Date.parse(moved.createdAt),
      record: record.movers.drift.after24h[moved.data.phase],
    },
    proposal: contestedProposal(view, record),
    reports: view.reported === null ||
        storyFor(view, view.reported.outcome === 0 ? 1 : 0) !== null
      ? null
      : { outcome: view.reported.outcome, record: record.predetermined.byKind.evidence },
    wallets: labelledPositions(view).filter((position) => !isOutdated(view, position)),
    bounds,
    rungBounds,
    provenWorse: record.estimates.comparison === "worse",
    scored: record.estimates,
    bands: record.oddsBands,
    doubted: doubted.record === null ? null : { ...doubted.record, meanPrice: doubted.meanPrice },
  })
}

/** Whether a headline for the other side came after a position: its record says less then. */
export function isOutdated(
  view: Omit<MarketView, "estimate">,
  position: LabelledPosition,
): boolean {
  return storyFor(view, favouredBy(position) === 0 ? 1 : 0, position.firstFillAt + 1) !== null
}

/**
 * The record is of proposals past half of their window, at prices around its mean; further away from
 * that mean it says nothing. USD a share.
 */
const recordDistanceMax = 0.2

function contestedProposal(
  view: Omit<MarketView, "estimate">,
  { predetermined: { byKind: { proposal: { record, meanPrice } } } }: OwnRecord,
): EstimateInputs["proposal"] {
  const { proposal, now } = view
  if (proposal === null || record === null || meanPrice === null || isDead(view)) return null
  const { disputed, outcome, proposedAt, settlesAt } = proposal
  const windowMs = Math.max(0, (settlesAt ?? proposedAt) - proposedAt) || challengeWindowMs
  const isRecorded = !disputed && now >= proposedAt + windowMs / 2 &&
    Math.abs(priceOfOutcome(view, outcome) - meanPrice) <= recordDistanceMax
  return isRecorded ? { outcome, record: { ...record, meanPrice } } : null
}

/** One outcome at the stated number: what it costs, and is worth. */
export interface Side {
  readonly outcome: 0 | 1
  /** Null without a book. */
  readonly bid: number | null
  readonly ask: number | null
  /** Probability from which buying at the ask gains on average; null without an ask or a known fee. */
  readonly breakEven: number | null
  /** The highest price that leaves `marginMin` at the stated number; null without a number, or a known fee. */
  readonly limit: number | null
  /** What is offered at that price or less, USD. */
  readonly sizeUsd: number | null
}

/** What a buyer at the limit still gains on average after the fee, USD a share: no edge is filled to zero. */
const marginMin = 0.01

/** The stated number of an outcome. */
export const worthOf = ({ probability }: Estimate, outcome: 0 | 1): number =>
  outcome === 0 ? probability : 1 - probability

/** The highest price that leaves `marginMin` of what a share is worth; null where the fee is not known. */
export function limitAt(worth: number, takerFeeRate: number | null): number | null {
  // Down to the figures of a text, so that an order at the price in words keeps the margin.
  return takerFeeRate === null
    ? null
    : floorPrice(limitPriceOf(Math.max(0, worth - marginMin), takerFeeRate))
}

/** Both outcomes in the market's order. */
export function sidesOf(view: MarketView): readonly [Side, Side] {
  const { estimate, market: { takerFeeRate }, offers, quote } = view
  const sideOf = (outcome: 0 | 1): Side => {
    const { bid = null, ask = null } = quote === null ? {} : quoteOfOutcome(quote, outcome)
    const limit = estimate === null ? null : limitAt(worthOf(estimate, outcome), takerFeeRate)
    return {
      ...{ outcome, bid, ask, limit },
      breakEven: ask === null || takerFeeRate === null
        ? null
        : breakEvenProbability(ask, takerFeeRate),
      sizeUsd: limit === null ? null : offeredUsdOf(offers[outcome], limit),
    }
  }
  return [sideOf(0), sideOf(1)]
}

/** What the stated number leaves to a buyer of one side. */
export interface Trade extends Side {
  /** At most `tradeUsdMax`, and what it gains on average after the fee, USD. */
  readonly stakeUsd: number
  readonly gainUsd: number
  /** What its shares pay if they are paid, and cost with the fee, USD. */
  readonly payoutUsd: number
  readonly costUsd: number
  /** `gainUsd` at both ends of the number's interval, the lower first; null where it has none. */
  readonly gainRangeUsd: readonly [low: number, high: number] | null
  readonly limit: number
  readonly sizeUsd: number
}

/** The most that a reader is taken to trade, USD: more would count the depth of a book as evidence. */
export const tradeUsdMax = 1_000

/** Whether it gains at both ends of the interval; null where it has none. */
export function isSureOf({ gainRangeUsd }: Trade): boolean | null {
  return gainRangeUsd === null ? null : gainRangeUsd[0] >= 0
}

/** Null where no side is offered below its limit, or the price has decided. */
export function tradeOf(view: MarketView): Trade | null {
  const { estimate, market: { takerFeeRate }, offers } = view
  if (estimate === null || takerFeeRate === null || isDead(view)) return null
  const { high, low, probability } = estimate
  for (const side of sidesOf(view)) {
    const { limit, sizeUsd } = side
    if (limit === null || sizeUsd === null || sizeUsd <= 0) continue
    const stakeUsd = Math.min(tradeUsdMax, sizeUsd)
    const price = averagePriceOf(offers[side.outcome], stakeUsd)
    if (price === null || price === 0) continue
    const payoutUsd = stakeUsd / price
    const costUsd = payoutUsd * breakEvenProbability(price, takerFeeRate)
    const gainAt = (of: number): number => (side.outcome === 0 ? of : 1 - of) * payoutUsd - costUsd
    const gainUsd = gainAt(probability)
    const [first, last] = side.outcome === 0 ? [low, high] : [high, low]
    const gainRangeUsd = first === null || last === null
      ? null
      : [gainAt(first), gainAt(last)] as const
    const money = { stakeUsd, payoutUsd, costUsd, gainUsd, gainRangeUsd }
    if (gainUsd > 0) return { ...side, ...money, limit, sizeUsd }
  }
  return null
}

/**
 * What `tradeUsdMax`, or what is offered if less, is sold for again at once, after both fees, and whether
 * all its shares find bids. Null where it is not offered, or the fee is not known.
 */
export function exitOf(
  { market: { takerFeeRate }, offers }: MarketView,
  outcome: 0 | 1,
): { readonly stakeUsd: number; readonly backUsd: number; readonly isWhole: boolean } | null {
  if (takerFeeRate === null) return null
  const stakeUsd = Math.min(tradeUsdMax, offeredUsdOf(offers[outcome]))
  const price = averagePriceOf(offers[outcome], stakeUsd)
  if (price === null || price === 0) return null
  let [left, backUsd] = [stakeUsd / (price + takerFee(price, takerFeeRate)), 0]
  // A bid for an outcome is an offer of the other one.
  for (const { price: other, size } of offers[outcome === 0 ? 1 : 0]) {
    const sold = Math.min(left, size)
    const bid = complement(other)
    backUsd += sold * (bid - takerFee(bid, takerFeeRate))
    left -= sold
  }
  return { stakeUsd, backUsd, isWhole: left <= 0 }
}

/** A mean price of `tradeUsdMax` farther than this from the ask is of a thin book, USD a share. */
const filledWithin = 0.03

export function isFilled(view: MarketView): boolean {
  return sidesOf(view).every(({ ask, outcome }) => {
    const price = averagePriceOf(view.offers[outcome], tradeUsdMax)
    return ask !== null && price !== null && price - ask <= filledWithin
  })
}
