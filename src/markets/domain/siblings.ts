/**
 * The exclusive outcomes of one event, and what they are bid for together.
 *
 * Of the exclusive markets with one `eventSlug` at most one pays its first outcome, so bids of more
 * than 1 together contradict that. Asks of less than 1 would contradict nothing: the outcome that happens
 * need not be among the markets.
 *
 * @module
 */
import { fromHalfSteps, halfSteps } from "./book.ts"
import { tradedUsdMin } from "./ladders.ts"
import { type MarketFacts, slugKey } from "./market.ts"
import { complement, type Quote, roundMicroUsd, takerFee } from "./quote.ts"

/** A market with its price; a null quote is a market whose price is not known. */
export interface QuotedMarket {
  readonly market: MarketFacts
  readonly quote: Quote | null
}

/** Markets of one event that are summed; of more, none, because a part would mislead. */
export const siblingsMax = 128

/** What one event's first outcomes are bid for together. */
export interface SiblingSum {
  readonly eventSlug: string
  /** The summed markets, dearest first. */
  readonly markets: ReadonlyArray<QuotedMarket>
  /**
   * Whether outcomes are known to be missing: the caller did not read all, or some have no price. A
   * text must then say "of the outcomes seen".
   */
  readonly partial: boolean
  /** Sum of the bids; null when one of them is not known. */
  readonly bidSum: number | null
  /**
   * What buying the second outcome of some of the markets gains, at most one of which fails to pay;
   * null when no such purchase of at least `tradedUsdMin` gains after fees.
   */
  readonly basket: {
    /** Of each market its second outcome, USD a share before the fee. */
    readonly legs: ReadonlyArray<{ readonly market: MarketFacts; readonly price: number }>
    /** Shares of each that are offered at their quotes. */
    readonly shares: number
    readonly costUsd: number
    readonly gainUsd: number
  } | null
}

/**
 * The sums of the exclusive events among these markets that have at least two priced outcomes, ordered
 * by slug. `isComplete` says whether every market of the event that can still pay was given.
 */
export function siblingSums(
  markets: ReadonlyArray<QuotedMarket>,
  isComplete: (eventSlug: string) => boolean,
): ReadonlyArray<SiblingSum> {
  const unique = new Map(
    markets.flatMap((one) => one.market.exclusive ? [[one.market.id, one]] : []),
  ).values()
  const events = Map.groupBy(unique, ({ market }) => slugKey(market.eventSlug))
  return [...events].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, event]) => {
    const sum = sumOf(event, isComplete)
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
  const bids = priced.flatMap(({ quote: { bid } }) => bid ?? [])
  return {
    eventSlug: first.market.eventSlug,
    markets: priced,
    partial: priced.length < event.length || !isComplete(first.market.eventSlug),
    bidSum: bids.length < priced.length
      ? null
      : fromHalfSteps(bids.reduce((sum, bid) => sum + halfSteps(bid), 0)),
    basket: basketOf(priced),
  }
}

/**
 * The basket of the n dearest bids, of equal ones the larger, that gains most in its worst state: all of its shares pay 1 USD but
 * one, whose cost is lost.
 */
function basketOf(
  priced: ReadonlyArray<{ readonly market: MarketFacts; readonly quote: Quote }>,
): SiblingSum["basket"] {
  const legs = priced.flatMap(({ market, quote: { bid, bidShares } }) =>
    bid === null || bidShares === null || market.takerFeeRate === null
      ? []
      : [{ market, price: complement(bid), bid, bidShares, takerFeeRate: market.takerFeeRate }]
  ).toSorted((a, b) =>
    b.bid - a.bid || b.bidShares - a.bidShares || a.takerFeeRate - b.takerFeeRate
  )
  let [cost, shares] = [0, Number.POSITIVE_INFINITY]
  let best: SiblingSum["basket"] = null
  for (const [n, { bidShares, price, takerFeeRate }] of legs.entries()) {
    cost += price + takerFee(price, takerFeeRate)
    shares = Math.min(shares, bidShares)
    const gainUsd = roundMicroUsd((n - cost) * shares)
    const costUsd = roundMicroUsd(cost * shares)
    if (gainUsd > (best?.gainUsd ?? 0) && costUsd >= tradedUsdMin) {
      best = { legs: legs.slice(0, n + 1), shares, costUsd, gainUsd }
    }
  }
  return best
}
