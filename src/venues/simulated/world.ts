/**
 * A simulated prediction-market world: markets, their true probabilities, books, trades, wallets and
 * resolutions, at any instant and in any order of calls.
 *
 * Every result is a function of (options, instant) alone. Caches only save work, and are bounded.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { OrderBook } from "../../markets/domain/book.ts"
import type { Market, PricePoint, Trade } from "../../markets/domain/market.ts"
import { listedAt, makeBook, makeQuote, midOf, type Quote, quotedAt, roundPrice } from "./books.ts"
import { type Catalogue, makeCatalogue, type SimulatedMarket } from "./catalogue.ts"
import { isFirstProposalWrong, proposalAt, type ProposalRecord } from "./endings.ts"
import { makeMemo } from "./memo.ts"
import { worldDefaults, type WorldOptions } from "./options.ts"
import { drawPath, type Jump, type Path } from "./path.ts"
import { historyOf, type Range, tapeOf } from "./tape.ts"
import { type ActivityLog, makeActivityLog, makeWallets, type Wallet } from "./wallets.ts"

export interface World {
  readonly options: WorldOptions
  readonly catalogue: Catalogue
  /** The live market of every slot in `[from, from + count)`, as listed at `at`. */
  readonly list: (at: EpochMs, from: number, count: number) => ReadonlyArray<Market>
  readonly listed: (market: SimulatedMarket, at: EpochMs) => Market
  /** Best prices of the first outcome; null when the market has no book at `at`. */
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  /** Undefined for an unknown token, and for a market that is not live at `at`. */
  readonly book: (tokenId: string, at: EpochMs) => OrderBook | undefined
  /** Mids of a token in `[from, to]`, about `stepMs` apart, unevenly; never after `to`. */
  readonly history: (tokenId: string, range: Range, stepMs: number) => ReadonlyArray<PricePoint>
  /** Fills of noise traders in `[from, to]`, newest first, at most `count`. */
  readonly trades: (market: SimulatedMarket, range: Range, count: number) => ReadonlyArray<Trade>
  readonly activity: ActivityLog
  /** The oracle's record while an outcome is proposed; null before, and once it is paid out. */
  readonly proposal: (market: SimulatedMarket, at: EpochMs) => ProposalRecord | null
  readonly wallets: ReadonlyArray<Wallet>
  readonly truth: Truth
}

/** The hidden state of the world, which its wallets cannot see. */
interface Truth {
  /** The true probability of the first outcome; the payout once the market has closed. */
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  /** Planted jumps in `[from, to]`, ascending. */
  readonly jumps: (market: SimulatedMarket, from: EpochMs, to: EpochMs) => ReadonlyArray<Jump>
  readonly firstProposalIsWrong: (market: SimulatedMarket) => boolean
  /** What a share of each outcome pays; null when the market is cancelled. */
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
}

/** Quotes lag only within these limits, where a book is valid and stays between 0.03 and 0.97. */
const lagBetween = { low: 0.06, high: 0.94 }

export function makeWorld(overrides: Partial<WorldOptions> & { readonly seed: number }): World {
  const options: WorldOptions = { ...worldDefaults, ...overrides }
  const catalogue = makeCatalogue(options)
  const { path, payouts, probability, knownAt, quote } = makePrices(options)
  const wallets = makeWallets(options.seed, options.wallets)
  // Wallets know only what quotes reflect; otherwise their edge at the prices paid would be wrong.
  const seenProbability = (market: SimulatedMarket, at: EpochMs) =>
    probability(market, knownAt(market, at))
  const view = { quote, probability: seenProbability, payouts }
  return {
    options,
    catalogue,
    listed: (market, at) => listedAt(market, at, quote),
    list: (at, from, count) => {
      const length = Math.max(0, Math.min(catalogue.slots - from, count))
      return Array.from({ length }, (_, n) => listedAt(catalogue.at(from + n, at), at, quote))
    },
    quote,
    book: (tokenId, at) => {
      const token = catalogue.byToken(tokenId)
      const seen = token === undefined ? null : quote(token.market, at)
      return token === undefined || seen === null
        ? undefined
        : makeBook(token.market, token.outcome, seen, quotedAt(at))
    },
    history: (tokenId, range, stepMs) => {
      const token = catalogue.byToken(tokenId)
      if (token === undefined) return []
      return historyOf(token.market, range, stepMs, (at) => {
        const seen = quote(token.market, at)
        if (seen === null) return null
        return token.outcome === 0 ? midOf(seen) : roundPrice(1 - midOf(seen))
      })
    },
    trades: (market, range, count) => tapeOf(quote, market, range, count),
    activity: makeActivityLog(options, catalogue, view, wallets),
    proposal: (market, at) => proposalAt(options, market, payouts(market), at),
    wallets,
    truth: {
      probability,
      jumps: (market, from, to) => path(market).jumps.filter(({ at }) => at >= from && at <= to),
      firstProposalIsWrong: (market) => isFirstProposalWrong(options, market),
      payouts,
    },
  }
}

/** The true prices of markets, and their quotes. */
function makePrices(options: WorldOptions) {
  const cached = makeMemo<Path>(options.markets)
  const path = (market: SimulatedMarket): Path =>
    cached(market.number, () => drawPath(options, market))

  const payouts = (market: SimulatedMarket): readonly [number, number] | null => {
    if (market.end === "cancelled") return null
    if (market.end === "push") return [0.5, 0.5]
    return path(market).firstWins ? [1, 0] : [0, 1]
  }

  const probability = (market: SimulatedMarket, at: EpochMs): number =>
    at < market.closesAt ? path(market).at(at) : payouts(market)?.[0] ?? 0.5

  /** The time whose probability the quotes at `at` reflect: `at`, or an earlier time in a laggard. */
  const knownAt = (market: SimulatedMarket, at: EpochMs): EpochMs => {
    if (at < market.revealsAt || at >= market.quotesLagUntil) return at
    const known = path(market).at(market.revealsAt)
    return known >= lagBetween.low && known <= lagBetween.high ? market.revealsAt : at
  }

  const quote = (market: SimulatedMarket, at: EpochMs): Quote | null => {
    if (at < market.opensAt || at >= market.resolvedAt) return null
    const seenAt = knownAt(market, Math.max(market.opensAt, quotedAt(at)))
    return makeQuote(market, probability(market, seenAt), at)
  }

  return { path, payouts, probability, knownAt, quote }
}
