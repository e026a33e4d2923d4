/**
 * The price of a market's first outcome, as far as it is known, and what a share costs to trade.
 *
 * The venue's fee of a taker is shares x rate x p x (1 - p), in USD (`Market.takerFeeRate`).
 * It is the same for a price p of one outcome and 1 - p of the other.
 *
 * @module
 */
import {
  bookOf,
  fromHalfSteps,
  halfSteps,
  isPrice,
  type Level,
  type OrderBook,
  validLevels,
} from "./book.ts"

/** Bid and ask are null together: then only the mid is known. Prices are whole half steps. */
export interface Quote {
  readonly mid: number
  readonly bid: number | null
  readonly ask: number | null
  /** Shares offered at that price; null when not known. */
  readonly bidShares: number | null
  readonly askShares: number | null
}

/** Null for prices that are no quote: not finite, outside [0, 1], or a bid above the ask. */
export function quoteOf(
  { bestBid, bestAsk, bidShares = null, askShares = null }: {
    readonly bestBid: number
    readonly bestAsk: number
    readonly bidShares?: number | null
    readonly askShares?: number | null
  },
): Quote | null {
  if (!isPrice(bestBid) || !isPrice(bestAsk) || bestBid > bestAsk) return null
  const [bid, ask] = [halfSteps(bestBid), halfSteps(bestAsk)]
  return {
    mid: fromHalfSteps(Math.round((bid + ask) / 2)),
    bid: fromHalfSteps(bid),
    ask: fromHalfSteps(ask),
    bidShares: sharesOrNull(bidShares),
    askShares: sharesOrNull(askShares),
  }
}

/** A price without a book, such as the last mid of a series; null when it is none. */
export function quoteOfMid(mid: number): Quote | null {
  if (!isPrice(mid)) return null
  const price = fromHalfSteps(halfSteps(mid))
  return { mid: price, bid: null, ask: null, bidShares: null, askShares: null }
}

/** The best prices of a first outcome's book, with the shares at them; null without two valid sides. */
export function quoteOfBook(book: Pick<OrderBook, "bids" | "asks">): Quote | null {
  const [bids, asks] = [validLevels(book.bids), validLevels(book.asks)]
  const [bid, ask] = [bids.at(-1)?.steps, asks[0]?.steps]
  if (bid === undefined || ask === undefined) return null
  const sharesAt = (levels: typeof bids, best: number) =>
    levels.filter(({ steps }) => steps === best).reduce((sum, { size }) => sum + size, 0)
  return quoteOf({
    bestBid: fromHalfSteps(bid),
    bestAsk: fromHalfSteps(ask),
    bidShares: sharesAt(bids, bid),
    askShares: sharesAt(asks, ask),
  })
}

/** What is offered of each outcome in the first one's book, cheapest first; invalid levels are left out. */
export function offersOf(book: OrderBook): readonly [ReadonlyArray<Level>, ReadonlyArray<Level>] {
  const offers = (outcome: 0 | 1) =>
    validLevels(bookOf(outcome, book).asks)
      .map(({ steps, size }) => ({ price: fromHalfSteps(steps), size }))
  return [offers(0), offers(1)]
}

/** The quote of one outcome: the second outcome's asks are the first's bids at 1 minus their price. */
export function quoteOfOutcome(quote: Quote, outcome: 0 | 1): Quote {
  if (outcome === 0) return quote
  const { mid, bid, ask, bidShares, askShares } = quote
  return {
    mid: complement(mid),
    bid: ask === null ? null : complement(ask),
    ask: bid === null ? null : complement(bid),
    bidShares: askShares,
    askShares: bidShares,
  }
}

/** 1 minus a price, without float errors. */
export function complement(price: number): number {
  return fromHalfSteps(halfSteps(1) - halfSteps(price))
}

/** The difference of two prices, without float errors. */
export function priceDifference(a: number, b: number): number {
  return fromHalfSteps(halfSteps(a) - halfSteps(b))
}

/** The taker's fee in USD for one share at a price. */
export function takerFee(price: number, takerFeeRate: number): number {
  return takerFeeRate * price * (1 - price)
}

/** USD as published: six decimals, like USDC. */
export function roundMicroUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6 + 0
}

function sharesOrNull(shares: number | null): number | null {
  return shares !== null && Number.isFinite(shares) && shares > 0 ? shares : null
}
