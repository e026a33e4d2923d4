/**
 * A simulated prediction-market world: markets, their true probabilities, books, trades, wallets and
 * resolutions, at any instant and in any order of calls.
 *
 * Every result is a function of (options, instant) alone. Caches only save work, and are bounded.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { listedAt, makeBook, makeQuote, midOf, type Quote, quotedAt, roundPrice } from "./books.ts"
import { makeCatalogue, type SimulatedMarket } from "./catalogue.ts"
import { isFirstProposalWrong, proposalAt } from "./endings.ts"
import { makeMemo } from "./memo.ts"
import { worldDefaults, type WorldOptions } from "./options.ts"
import { drawPath, type Path } from "./path.ts"
import { historyOf, type Range, tapeOf } from "./tape.ts"
import { makeActivityLog, makeWallets } from "./wallets.ts"

export type World = ReturnType<typeof makeWorld>

export function makeWorld(overrides: Partial<WorldOptions> & { readonly seed: number }) {
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
    listed: (market: SimulatedMarket, at: EpochMs) => listedAt(market, at, quote),
    /** The live market of every slot in `[from, from + count)`, as listed at `at`. */
    list: (at: EpochMs, from: number, count: number) => {
      const length = Math.max(0, Math.min(catalogue.slots - from, count))
      return Array.from({ length }, (_, n) => listedAt(catalogue.at(from + n, at), at, quote))
    },
    /** Best prices of the first outcome; null when the market has no book at `at`. */
    quote,
    /** Undefined for an unknown token, and for a market that is not live at `at`. */
    book: (tokenId: string, at: EpochMs) => {
      const token = catalogue.byToken(tokenId)
      const seen = token === undefined ? null : quote(token.market, at)
      return token === undefined || seen === null
        ? undefined
        : makeBook(token.market, token.outcome, seen, quotedAt(at))
    },
    /** Mids of a token in `[from, to]`, about `stepMs` apart, unevenly; never after `to`. */
    history: (tokenId: string, range: Range, stepMs: number) => {
      const token = catalogue.byToken(tokenId)
      if (token === undefined) return []
      return historyOf(token.market, range, stepMs, (at) => {
        const seen = quote(token.market, at)
        if (seen === null) return null
        return token.outcome === 0 ? midOf(seen) : roundPrice(1 - midOf(seen))
      })
    },
    /** Fills of noise traders in `[from, to]`, newest first, at most `count`. */
    trades: (market: SimulatedMarket, range: Range, count: number) =>
      tapeOf(quote, market, range, count),
    activity: makeActivityLog(options, catalogue, view, wallets),
    /** The oracle's record while an outcome is proposed; null before, and once it is paid out. */
    proposal: (market: SimulatedMarket, at: EpochMs) =>
      proposalAt(options, market, payouts(market), at),
    wallets,
    /** The hidden state of the world, which its wallets cannot see. */
    truth: {
      /** The true probability of the first outcome; the payout once the market has closed. */
      probability,
      /** Planted jumps in `[from, to]`, ascending. */
      jumps: (market: SimulatedMarket, from: EpochMs, to: EpochMs) =>
        path(market).jumps.filter(({ at }) => at >= from && at <= to),
      firstProposalIsWrong: (market: SimulatedMarket) =>
        isFirstProposalWrong(options, market, payouts(market)),
      /** What a share of each outcome pays; null when the market is cancelled. */
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
  const knownAt = ({ quotesLagUntil, revealsAt }: SimulatedMarket, at: EpochMs): EpochMs =>
    at < revealsAt || at >= quotesLagUntil ? at : revealsAt

  const quote = (market: SimulatedMarket, at: EpochMs): Quote | null => {
    if (at < market.opensAt || at >= market.resolvedAt) return null
    const seenAt = knownAt(market, Math.max(market.opensAt, quotedAt(at)))
    return makeQuote(market, probability(market, seenAt), at)
  }

  return { path, payouts, probability, knownAt, quote }
}
