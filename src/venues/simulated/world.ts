/**
 * A prediction-market world made from a seed: markets, their true probabilities, books, trades,
 * wallets and resolutions, at any instant, before or after any other.
 *
 * Every answer is a function of (options, instant) alone. What is remembered inside only saves
 * work, and is bounded.
 *
 * @module
 */
import type { OrderBook } from "../../markets/domain/book.ts"
import type { Market, MarketStatus, PricePoint } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { exact, makeBook, makeQuote, midOf, type Quote, quotedAt } from "./books.ts"
import { type Catalogue, makeCatalogue } from "./catalogue.ts"
import { deedsOf, fillOf } from "./deeds.ts"
import { type Ending, endingOf, toldAt, unevenPayouts } from "./endings.ts"
import { type Histories, makeHistories } from "./histories.ts"
import { historyOf, listedAt, statusOf, volumeUsd } from "./listings.ts"
import type { SimulatedMarket } from "./lives.ts"
import { makeMemo, marketsKept } from "./memo.ts"
import type { Jump, Path } from "./paths.ts"
import { drawPath } from "./repricings.ts"
import { type Fill, makeTape } from "./tape.ts"
import { isWrong, proposalAt, type ProposalRecord } from "./proposals.ts"
import { defaultGroups, makeWallets, type Wallet, type WalletGroup } from "./wallets.ts"

interface WorldOptions {
  readonly seed: number
  /** Live markets at any instant. */
  readonly markets: number
  /** An instant the world is laid out around; it has markets before and after it, for ever. */
  readonly origin: EpochMs
  /** Planted jumps a market-day, on average. */
  readonly liveliness: number
  /** True probabilities never move and nothing resolves while it is listed: only bid-ask noise. */
  readonly bounceOnly: boolean
  /** Share of ordinary markets above the quality gate (volume 10,000 USD, depth 2,500 USD). */
  readonly gateShare: number
  /** Multiplies every market's rate of trades. */
  readonly tradeRate: number
  readonly mechanicalShare: number
  readonly sportsShare: number
  /** Share of markets whose book is often one-sided, ghostly or crossed. */
  readonly oddBookShare: number
  /**
   * Share of a market's half hours in which its quotes leave the truth for some minutes, by 5 to 12
   * points, without trades; none in a bounce-only world.
   */
  readonly dislocationShare: number
  /** An ordinary market is listed for a time between these; the shorter the likelier. */
  readonly lifeDays: readonly [number, number]
  /** No market has siblings: as many events as markets. */
  readonly loneMarkets: boolean
  readonly wallets: ReadonlyArray<WalletGroup>
  /** Wallets began to trade this many days before the origin. */
  readonly walletDays: number
  /** Share of decided markets whose payout is told 1 to 5 days late. */
  readonly lateShare: number
  /** Share of decided markets that are first said to have paid the other outcome, for 6 to 72 hours. */
  readonly correctedShare: number
  /** Share of decided markets of whose payout the oracle's record never speaks. */
  readonly silentShare: number
  /**
   * Share of the decided, sound ordinary markets above the gate whose outcome is known 6 to 60 hours
   * before their quotes follow, if these can stand between 0.06 and 0.94 meanwhile.
   */
  readonly laggardShare: number
  /** Share of decided ordinary and sports markets at which the other outcome is proposed first. */
  readonly wrongProposalShare: number
}

export const worldDefaults: Omit<WorldOptions, "seed"> = {
  markets: 200,
  origin: Date.UTC(2026, 10, 1),
  liveliness: 0.5,
  bounceOnly: false,
  gateShare: 0.7,
  tradeRate: 1,
  mechanicalShare: 0.05,
  sportsShare: 0.1,
  oddBookShare: 0.06,
  dislocationShare: 0.01,
  lifeDays: [10, 40],
  loneMarkets: false,
  wallets: defaultGroups,
  walletDays: 90,
  lateShare: 0.01,
  correctedShare: 0.005,
  silentShare: 0.02,
  laggardShare: 0,
  wrongProposalShare: 0,
}

export interface World {
  readonly options: WorldOptions
  readonly catalogue: Catalogue
  /** The live market of every seat in `[from, from + count)`, as listed at `at`. */
  readonly list: (at: EpochMs, from: number, count: number) => ReadonlyArray<Market>
  readonly listed: (market: SimulatedMarket, at: EpochMs) => Market
  readonly status: (market: SimulatedMarket, at: EpochMs) => MarketStatus
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
  readonly deeds: Histories["deeds"]
  /** What the venue says a market paid, at an instant; null for nothing, undefined before a word. */
  readonly told: (
    market: SimulatedMarket,
    at: EpochMs,
  ) => readonly [number, number] | null | undefined
  readonly ending: (market: SimulatedMarket) => Ending
  /** What the oracle's record says before the market has ended; null before and after. */
  readonly proposal: (market: SimulatedMarket, at: EpochMs) => ProposalRecord | null
  readonly volumeUsd: (market: SimulatedMarket, at: EpochMs) => number
  readonly wallets: ReadonlyArray<Wallet>
  readonly truth: Truth
}

/** What nobody trading in the world can see. */
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
  readonly plansIn: Histories["plansIn"]
  /** What a wallet does in markets in which it does anything in `[from, to]`. */
  readonly plans: Histories["plans"]
  /** A wallet's entries that begin in `[from, to]`, hedges too, ascending. */
  readonly episodes: Histories["episodes"]
}

/** Between these the quotes of a market may lag: a book around them is sound and inside 0.03 and 0.97. */
const lagBetween = { low: 0.06, high: 0.94 }

export function makeWorld(given: Partial<WorldOptions> & { readonly seed: number }): World {
  const options: WorldOptions = { ...worldDefaults, ...given }
  const catalogue = makeCatalogue(options)
  const dislocations = options.bounceOnly ? 0 : options.dislocationShare
  const paths = makeMemo<Path>(marketsKept(options.markets))

  const pathOf = (market: SimulatedMarket): Path => {
    const name = market.seat * 2 ** 26 + market.turn + 10_000_000
    const known = paths.get(name)
    if (known !== undefined) return known
    const path = drawPath(options, market)
    paths.set(name, path)
    return path
  }

  const payouts = (market: SimulatedMarket): readonly [number, number] | null => {
    if (market.end === "cancelled") return null
    if (market.end === "push") return unevenPayouts(market)
    return pathOf(market).firstWins ? [1, 0] : [0, 1]
  }

  const probability = (market: SimulatedMarket, at: EpochMs): number =>
    at < market.closesAt ? pathOf(market).at(at) : payouts(market)?.[0] ?? 0.5

  /** The last instant whose truth the quotes of `at` may know: long ago in a market that lags. */
  const seenOf = (market: SimulatedMarket, at: EpochMs): EpochMs => {
    if (at < market.revealsAt || at >= market.lagsUntil) return at
    const known = pathOf(market).at(market.revealsAt)
    return known >= lagBetween.low && known <= lagBetween.high ? market.revealsAt : at
  }

  const quote = (market: SimulatedMarket, at: EpochMs): Quote | null =>
    at < market.opensAt || at >= market.resolvedAt ? null : makeQuote(
      market,
      probability(market, seenOf(market, Math.max(market.opensAt, quotedAt(at)))),
      at,
      dislocations,
    )

  const ending = (market: SimulatedMarket) => endingOf(options, market)
  const wallets = makeWallets(options.seed, options.wallets)
  const view = {
    quote,
    // Nobody trades on what no quote shows yet: then an edge at the prices paid is what it should be.
    probability: (market: SimulatedMarket, at: EpochMs) => probability(market, seenOf(market, at)),
    payouts,
    ending,
  }
  const histories = makeHistories(options, catalogue, view, wallets)

  const trades = makeTape({
    tradeRate: options.tradeRate,
    quote,
    jumps: (market) => pathOf(market).jumps,
    walletFills: (market) => histories.plansIn(market).flatMap(deedsOf).flatMap(fillOf),
  })

  return {
    options,
    catalogue,
    listed: (market, at) => listedAt(market, at, quote),
    list: (at, from, count) => {
      const markets: Array<Market> = []
      const end = Math.min(catalogue.seats, from + count)
      for (let seat = from; seat < end; seat++) {
        markets.push(listedAt(catalogue.at(seat, at), at, quote))
      }
      return markets
    },
    status: statusOf,
    quote,
    book: (tokenId, at) => {
      const token = catalogue.byToken(tokenId)
      if (token === undefined) return undefined
      const seen = quote(token.market, at)
      return seen === null ? undefined : makeBook(token.market, token.outcome, seen, quotedAt(at))
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
    trades,
    deeds: histories.deeds,
    proposal: (market, at) => proposalAt(options, market, ending(market), payouts(market), at),
    told: (market, at) => toldAt(ending(market), payouts(market), at),
    ending,
    volumeUsd,
    wallets,
    truth: {
      probability,
      jumps: (market, from, to) =>
        pathOf(market).jumps.filter((jump) => jump.at >= from && jump.at <= to),
      lagging: (market, at) => at >= market.closesAt && seenOf(market, at) < market.closesAt,
      misproposed: (market) => isWrong(options, market, ending(market)),
      payouts,
      plansIn: histories.plansIn,
      plans: histories.plans,
      episodes: histories.episodes,
    },
  }
}
