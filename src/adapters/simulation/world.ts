/**
 * A prediction-market world made from a seed: markets, their true probabilities, books, trades,
 * wallets and resolutions, at any instant, before or after any other.
 *
 * Every answer is a function of (options, instant) alone. What is remembered inside only saves
 * work, and is bounded.
 *
 * @module
 */
import type { OrderBook } from "../../domain/book.ts"
import type { Market, MarketStatus, PricePoint } from "../../domain/market.ts"
import { day, type EpochMs, hour } from "../../domain/time.ts"
import { exact, makeBook, makeQuote, midOf, type Quote, quotedAt } from "./books.ts"
import { type Catalogue, makeCatalogue } from "./catalogue.ts"
import type { SimulatedMarket } from "./lives.ts"
import { makeMemo, marketsKept } from "./memo.ts"
import type { Jump, Path } from "./paths.ts"
import { drawPath } from "./repricings.ts"
import { between, mix, uniform } from "./seed.ts"
import { type Fill, makeTape } from "./tape.ts"
import {
  chanceAt,
  defaultGroups,
  entryAt,
  makeWallets,
  type PlannedEntry,
  type Wallet,
  type WalletGroup,
} from "./wallets.ts"

export interface WorldOptions {
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
  readonly wallets: ReadonlyArray<WalletGroup>
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
  wallets: defaultGroups,
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
  /** Fills of one wallet in `[from, to]`, newest first, at most `count`. */
  readonly fillsOf: (
    wallet: Wallet,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    count: number,
  ) => ReadonlyArray<Fill>
  readonly volumeUsd: (market: SimulatedMarket, at: EpochMs) => number
  readonly wallets: ReadonlyArray<Wallet>
  readonly truth: Truth
}

/** What nobody trading in the world can see. */
export interface Truth {
  /** The true probability of the first outcome; the payout once the market has closed. */
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  /** Planted jumps in `[from, to]`, ascending. */
  readonly jumps: (market: SimulatedMarket, from: EpochMs, to: EpochMs) => ReadonlyArray<Jump>
  /** What each outcome's share pays; null when the market is cancelled. */
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
  /** What a wallet of known skill bought in `[from, to]`, ascending. */
  readonly entries: (wallet: Wallet, from: EpochMs, to: EpochMs) => ReadonlyArray<PlannedEntry>
}

/** The listing shows best prices of up to this long ago. */
const listingAgeMs = 30_000

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
    if (market.end === "push") return [0.5, 0.5]
    return pathOf(market).firstWins ? [1, 0] : [0, 1]
  }

  const probability = (market: SimulatedMarket, at: EpochMs): number =>
    at < market.closesAt ? pathOf(market).at(at) : payouts(market)?.[0] ?? 0.5

  const quote = (market: SimulatedMarket, at: EpochMs): Quote | null =>
    at < market.opensAt || at >= market.resolvedAt ? null : makeQuote(
      market,
      probability(market, Math.max(market.opensAt, quotedAt(at))),
      at,
      dislocations,
    )

  const wallets = makeWallets(options.seed, options.wallets)
  const view = { catalogue, quote, probability, payouts }

  const entries: Truth["entries"] = (wallet, from, to) => {
    const found: Array<PlannedEntry> = []
    for (let chance = chanceAt(wallet, from); chance <= chanceAt(wallet, to); chance++) {
      const entry = entryAt(options.seed, view, wallet, chance)
      if (entry !== null && entry.at >= from && entry.at <= to) found.push(entry)
    }
    return found
  }

  const trades = makeTape({
    tradeRate: options.tradeRate,
    quote,
    jumps: (market) => pathOf(market).jumps,
    entryFills: (from, to) =>
      wallets.flatMap((wallet) => entries(wallet, from, to).flatMap(({ fills }) => fills)),
  })

  const volumeUsd = (market: SimulatedMarket, at: EpochMs): number => {
    const end = Math.min(at, market.resolvedAt)
    const age = Math.max(0, end - market.opensAt) / day
    return Math.round((market.volumeAtOpenUsd + market.volumePerDayUsd * age) * 100) / 100
  }

  const listed = (market: SimulatedMarket, at: EpochMs): Market => {
    const seen = quote(market, Math.max(market.opensAt, at - at % listingAgeMs))
    return {
      id: market.id,
      slug: market.slug,
      question: market.question,
      eventSlug: market.eventSlug,
      url: pageOf(market),
      category: market.category,
      outcomes: market.outcomes,
      tokenIds: market.tokenIds,
      endsAt: market.endsAt,
      volumeUsd: volumeUsd(market, at),
      liquidityUsd: Math.round(market.depthUsd * 150) / 100,
      status: statusOf(market, at),
      listed: bestOf(seen),
      takerFeeRate: market.takerFeeRate,
      mechanical: market.mechanical,
    }
  }

  return {
    options,
    catalogue,
    listed,
    list: (at, from, count) => {
      const markets: Array<Market> = []
      const end = Math.min(catalogue.seats, from + count)
      for (let seat = from; seat < end; seat++) markets.push(listed(catalogue.at(seat, at), at))
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
    fillsOf: (wallet, range, count) =>
      entries(wallet, range.from - hour, range.to)
        .flatMap((entry) => entry.fills)
        .filter(({ at }) => at >= range.from && at <= range.to)
        .sort((a, b) => b.at - a.at)
        .slice(0, count),
    volumeUsd,
    wallets,
    truth: {
      probability,
      jumps: (market, from, to) =>
        pathOf(market).jumps.filter((jump) => jump.at >= from && jump.at <= to),
      payouts,
      entries,
    },
  }
}

function statusOf(market: SimulatedMarket, at: EpochMs): MarketStatus {
  if (at >= market.resolvedAt) return market.end === "cancelled" ? "closed" : "resolved"
  return at >= market.proposedAt ? "proposed" : "open"
}

/** A market's page, as the venue addresses it. */
function pageOf({ slug, eventSlug }: SimulatedMarket): string {
  const event = `https://polymarket.com/event/${eventSlug}`
  return eventSlug === slug ? event : `${event}/${slug}`
}

/** Best prices as the listing gives them; none while a side of the book is missing. */
function bestOf(quote: Quote | null): Market["listed"] {
  if (quote === null || quote.fault === "one_sided") return null
  if (quote.fault === "ghost") return { bestBid: 0.01, bestAsk: 0.99 }
  return {
    bestBid: quote.bidTicks / quote.ticksPerUsd,
    bestAsk: quote.askTicks / quote.ticksPerUsd,
  }
}

/** Points at uneven times: about one in 50 repeats the time of the one before it. */
function historyOf(
  market: SimulatedMarket,
  range: { readonly from: EpochMs; readonly to: EpochMs },
  stepMs: number,
  priceAt: (at: EpochMs) => number | null,
): ReadonlyArray<PricePoint> {
  const points: Array<PricePoint> = []
  const first = Math.ceil(Math.max(range.from, market.opensAt) / stepMs)
  const last = Math.floor(Math.min(range.to, market.resolvedAt - 1) / stepMs)
  const key = mix(market.key, 60)
  for (let step = first; step <= last; step++) {
    const draw = mix(key, step)
    const late = uniform(draw) < 0.02 ? 0 : between(mix(draw, 1), 0, 0.1) * stepMs
    const at = Math.floor((step * stepMs + late) / 1000) * 1000
    if (at > range.to || at < range.from) continue
    const price = priceAt(at)
    if (price === null) continue
    points.push({ at, price })
    if (uniform(mix(draw, 2)) < 0.02) points.push({ at, price })
  }
  return points
}
