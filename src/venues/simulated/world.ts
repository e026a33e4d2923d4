/**
 * A prediction-market world made from a seed: markets, their true probabilities, books, trades,
 * wallets and resolutions, at any instant, before or after any other.
 *
 * Every answer is a function of (options, instant) alone. What is cached inside only saves
 * work, and is bounded.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { OrderBook } from "../../markets/domain/book.ts"
import type { Market, PricePoint } from "../../markets/domain/market.ts"
import { type ActivityLog, activityOf, fillOf, makeActivityLog } from "./activity.ts"
import {
  exact,
  historyOf,
  listedAt,
  makeBook,
  makeQuote,
  midOf,
  type Quote,
  quotedAt,
} from "./books.ts"
import { type Catalogue, makeCatalogue, type SimulatedMarket } from "./catalogue.ts"
import {
  type Ending,
  endingOf,
  isFirstProposalWrong,
  proposalAt,
  type ProposalRecord,
  publishedPayouts,
  pushPayouts,
} from "./endings.ts"
import { makeMemo, marketCacheSize } from "./memo.ts"
import { worldDefaults, type WorldOptions } from "./options.ts"
import { drawPath, type Jump, type Path } from "./probability.ts"
import { type Fill, makeTape } from "./tape.ts"
import { makeWallets, type Wallet } from "./wallets.ts"

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
  readonly history: (
    tokenId: string,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    stepMs: number,
  ) => ReadonlyArray<PricePoint>
  /** Fills in `[from, to]`, newest first, at most `count`. */
  readonly trades: (
    market: SimulatedMarket,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    count: number,
  ) => ReadonlyArray<Fill>
  /** What a wallet does in `[from, to]`, newest first, at most `count` rows. */
  readonly activity: ActivityLog["activity"]
  /** What the venue says a market paid: null for nothing, undefined before it is published. */
  readonly publishedPayouts: (
    market: SimulatedMarket,
    at: EpochMs,
  ) => readonly [number, number] | null | undefined
  readonly ending: (market: SimulatedMarket) => Ending
  /** What the oracle's record says before the market has ended; null before and after. */
  readonly proposal: (market: SimulatedMarket, at: EpochMs) => ProposalRecord | null
  readonly wallets: ReadonlyArray<Wallet>
  readonly truth: Truth
}

/** What no wallet trading in the world can see. */
interface Truth {
  /** The true probability of the first outcome; the payout once the market has closed. */
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  /** Planted jumps in `[from, to]`, ascending. */
  readonly jumps: (market: SimulatedMarket, from: EpochMs, to: EpochMs) => ReadonlyArray<Jump>
  /** Whether the market's outcome exists and its quotes do not know it yet. */
  readonly lagging: (market: SimulatedMarket, at: EpochMs) => boolean
  /** Whether the outcome that is proposed first is the wrong one. */
  readonly misproposed: (market: SimulatedMarket) => boolean
  /** What each outcome's share pays; null when the market is cancelled. */
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
  /** What every wallet does in a market: the cheapest way to many entries is market by market. */
  readonly plansIn: ActivityLog["plansIn"]
  /** What a wallet does in markets in which it does anything in `[from, to]`. */
  readonly plans: ActivityLog["plans"]
  /** A wallet's entries that begin in `[from, to]`, hedges too, ascending. */
  readonly episodes: ActivityLog["episodes"]
}

/** A market's true prices, and what its quotes show of them. */
interface Prices {
  readonly path: (market: SimulatedMarket) => Path
  readonly payouts: Truth["payouts"]
  readonly probability: Truth["probability"]
  /** The last instant whose truth the quotes of `at` may know: long ago in a market that lags. */
  readonly knownAt: (market: SimulatedMarket, at: EpochMs) => EpochMs
  readonly quote: World["quote"]
}

/** Between these the quotes of a market may lag: a book around them is valid and inside 0.03 and 0.97. */
const lagBetween = { low: 0.06, high: 0.94 }

export function makeWorld(given: Partial<WorldOptions> & { readonly seed: number }): World {
  const options: WorldOptions = { ...worldDefaults, ...given }
  const catalogue = makeCatalogue(options)
  const { path, payouts, probability, knownAt, quote } = makePrices(options)
  const ending = (market: SimulatedMarket) => endingOf(options, market)
  const wallets = makeWallets(options.seed, options.wallets)
  // Nobody trades on what no quote shows yet: then an edge at the prices paid is what it should be.
  const seenProbability = (market: SimulatedMarket, at: EpochMs) =>
    probability(market, knownAt(market, at))
  const view = { quote, probability: seenProbability, payouts, ending }
  const { plansIn, plans, episodes, activity } = makeActivityLog(options, catalogue, view, wallets)
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
        return token.outcome === 0 ? midOf(seen) : exact(1 - midOf(seen))
      })
    },
    trades: makeTape({
      quote,
      jumps: (market) => path(market).jumps,
      walletFills: (market) => plansIn(market).flatMap(activityOf).flatMap(fillOf),
    }),
    activity,
    proposal: (market, at) => proposalAt(options, market, ending(market), payouts(market), at),
    publishedPayouts: (market, at) => publishedPayouts(ending(market), payouts(market), at),
    ending,
    wallets,
    truth: {
      probability,
      jumps: (market, from, to) => path(market).jumps.filter(({ at }) => at >= from && at <= to),
      lagging: (market, at) => at >= market.closesAt && knownAt(market, at) < market.closesAt,
      misproposed: (market) => isFirstProposalWrong(options, market, ending(market)),
      ...{ payouts, plansIn, plans, episodes },
    },
  }
}

function makePrices(options: WorldOptions): Prices {
  const dislocations = options.bounceOnly ? 0 : options.dislocationShare
  const cached = makeMemo<Path>(marketCacheSize(options.markets))
  const path = (market: SimulatedMarket): Path =>
    cached(market.number, () => drawPath(options, market))

  const payouts = (market: SimulatedMarket): readonly [number, number] | null => {
    if (market.end === "cancelled") return null
    if (market.end === "push") return pushPayouts(market)
    return path(market).firstWins ? [1, 0] : [0, 1]
  }

  const probability = (market: SimulatedMarket, at: EpochMs): number =>
    at < market.closesAt ? path(market).at(at) : payouts(market)?.[0] ?? 0.5

  const knownAt = (market: SimulatedMarket, at: EpochMs): EpochMs => {
    if (at < market.revealsAt || at >= market.quotesLagUntil) return at
    const known = path(market).at(market.revealsAt)
    return known >= lagBetween.low && known <= lagBetween.high ? market.revealsAt : at
  }

  const quote = (market: SimulatedMarket, at: EpochMs): Quote | null =>
    at < market.opensAt || at >= market.resolvedAt ? null : makeQuote(
      market,
      probability(market, knownAt(market, Math.max(market.opensAt, quotedAt(at)))),
      at,
      dislocations,
    )

  return { path, payouts, probability, knownAt, quote }
}

export interface VenueOptions {
  /** World milliseconds in one of the clock's; 1 unless a faster world is wanted. */
  readonly speed?: number
  /** The clock's time when the world is at its origin; the origin itself by default. */
  readonly clockOrigin?: EpochMs
  /** Rows in one page of a wallet's activity. */
  readonly activityRows?: number
  /** Older rows of wallets' activity are not kept; all are by default. */
  readonly retentionDays?: number
}

export interface WorldClock {
  readonly toWorld: (at: EpochMs) => EpochMs
  readonly fromWorld: (at: EpochMs) => EpochMs
  readonly speed: number
}

export function worldClock(world: World, options: VenueOptions = {}): WorldClock {
  const { speed = 1, clockOrigin = world.options.origin } = options
  const { origin } = world.options
  return {
    speed,
    toWorld: (at) => Math.floor(origin + (at - clockOrigin) * speed),
    fromWorld: (at) => Math.floor(clockOrigin + (at - origin) / speed),
  }
}
