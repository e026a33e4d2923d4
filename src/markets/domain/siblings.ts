/**
 * The exclusive outcomes of one event, and the sum of their prices.
 *
 * Of the exclusive markets with one `eventSlug` at most one pays its first outcome, so fair prices sum
 * to at most 1. They sum to exactly 1 only if the outcome that happens is surely among them, which the
 * venue does not say: a sum under 1 is no contradiction.
 *
 * @module
 */
import { fromHalfSteps, halfSteps } from "./book.ts"
import { type Market, slugKey } from "./market.ts"
import { complement, type Quote, roundMicroUsd, takerFee } from "./quote.ts"

/** A market with its price; a null quote is a market whose price is not known. */
export interface QuotedMarket {
  readonly market: SiblingMarket
  readonly quote: Quote | null
}

type SiblingMarket = Pick<
  Market,
  "id" | "slug" | "question" | "eventSlug" | "eventKey" | "exclusive" | "outcomes" | "takerFeeRate"
>

/** Markets of one event that are summed; of more, none, because a part would mislead. */
export const siblingsMax = 128

/** The sum of the prices of one event's first outcomes. */
export interface SiblingSum {
  readonly eventSlug: string
  /** The summed markets, dearest first. */
  readonly markets: ReadonlyArray<QuotedMarket>
  /**
   * Whether outcomes are known to be missing: the caller did not read all, or some have no price. A
   * text must then say "of the outcomes seen".
   */
  readonly partial: boolean
  readonly midSum: number
  /** midSum - 1. Above 0 is a contradiction, also when partial; below 0 is the price of all others. */
  readonly distance: number
  /**
   * USD that one share of each second outcome gains at its asks, after taker fees, whichever outcome
   * happens: sum of bids - 1 - fees, negative for a loss. Null when a bid is not known. It assumes
   * that every market is paid 1 or 0 by its rules.
   */
  readonly risklessSpread: number | null
  /** Shares of each that the quotes offer at that price; null when not known. */
  readonly shares: number | null
}

/**
 * The sums of the exclusive events among these markets that have at least two priced outcomes, ordered
 * by slug. `isComplete` says whether every market of the event that can still pay was given.
 */
export function siblingSums(
  markets: ReadonlyArray<QuotedMarket>,
  isComplete: (eventSlug: string) => boolean,
): ReadonlyArray<SiblingSum> {
  const events = new Map<string, Map<string, QuotedMarket>>()
  for (const one of markets) {
    if (!one.market.exclusive) continue
    const key = slugKey(one.market.eventSlug)
    const event = events.get(key) ?? new Map<string, QuotedMarket>()
    events.set(key, event.set(one.market.id, one))
  }
  return [...events].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, event]) => {
    const sum = sumOf([...event.values()], isComplete)
    return sum === null ? [] : [sum]
  })
}

function sumOf(
  event: ReadonlyArray<QuotedMarket>,
  isComplete: (eventSlug: string) => boolean,
): SiblingSum | null {
  if (event.length > siblingsMax) return null
  const priced = event.flatMap(({ market, quote }) => quote === null ? [] : [{ market, quote }])
    .sort((a, b) => b.quote.mid - a.quote.mid || (a.market.id < b.market.id ? -1 : 1))
  const [first] = priced
  if (first === undefined || priced.length < 2) return null
  const { eventSlug } = first.market
  const midSteps = priced.reduce((sum, { quote }) => sum + halfSteps(quote.mid), 0)
  return {
    eventSlug,
    markets: priced,
    partial: priced.length < event.length || !isComplete(eventSlug),
    midSum: fromHalfSteps(midSteps),
    distance: fromHalfSteps(midSteps - halfSteps(1)),
    ...basketOf(priced),
  }
}

/** Buying each second outcome: all of them pay 1 USD but at most one, whose cost is then lost. */
function basketOf(
  priced: ReadonlyArray<{ readonly market: SiblingMarket; readonly quote: Quote }>,
): Pick<SiblingSum, "risklessSpread" | "shares"> {
  let bidSteps = 0
  let fees = 0
  let shares: number | null = Number.POSITIVE_INFINITY
  for (const { market, quote } of priced) {
    if (quote.bid === null) return { risklessSpread: null, shares: null }
    bidSteps += halfSteps(quote.bid)
    fees += takerFee(complement(quote.bid), market.takerFeeRate)
    shares = shares === null || quote.bidShares === null ? null : Math.min(shares, quote.bidShares)
  }
  return {
    risklessSpread: roundMicroUsd(fromHalfSteps(bidSteps - halfSteps(1)) - fees),
    shares,
  }
}
