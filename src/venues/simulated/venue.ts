/**
 * `VenueClient` over a simulated world, on Effect's clock.
 *
 * @module
 */
import { Effect, Layer, Option, Stream } from "effect"
import type { OrderBook } from "../../markets/domain/book.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { Market, MarketFacts, MarketId, Trade } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { type EpochMs, minute, second } from "../../core/domain/time.ts"
import { type Decoded, VenueClient } from "../../markets/VenueClient.ts"
import { makeWorld, type VenueOptions, type World, type WorldClock, worldClock } from "./world.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { rulesOf } from "./endings.ts"
import { walletSource, worldNow } from "./walletSource.ts"

/** Markets in one page of the listing. */
const pageSize = 25
/** Fills that one call returns. */
const tradesMax = 1_000

/**
 * A world for `deno task dev`: it has events at any hour and is the same after a restart. It has no
 * dislocations: its ticks are seconds apart, so a dislocation, which lasts minutes, would look like a
 * confirmed move. As on a real venue most proposals come at a converged price. The prices of about one
 * ordinary market in eight doubt its proposal, and one such proposal in three is wrong.
 */
export function devWorld(seed: number): World {
  return makeWorld({
    ...{ seed, markets: 200, jumpsPerMarketDay: 0.5, gateShare: 0.85, dislocationShare: 0 },
    ...{ laggardShare: 0.2, wrongProposalShare: 0.01, wrongContestedShare: 0.33 },
  })
}

export function layer(world: World, options: VenueOptions = {}): Layer.Layer<VenueClient> {
  const clock = worldClock(world, options)
  const { toWorld, fromWorld, speed } = clock
  const now = worldNow(clock)
  /** Applies `read` to each known market, as of now. */
  const ofMarkets =
    <A>(read: (market: SimulatedMarket, at: EpochMs) => A | null) =>
    (marketIds: ReadonlyArray<MarketId>): Effect.Effect<Decoded<A>> =>
      Effect.map(now, (at) =>
        decoded(
          [...new Set(marketIds)].flatMap((id): ReadonlyArray<A> => {
            const market = world.catalogue.byId(id)
            const found = market === undefined ? null : read(market, at)
            return found === null ? [] : [found]
          }),
        ))
  return Layer.succeed(VenueClient, {
    listMarkets: Stream.paginate(0, (from) =>
      Effect.map(now, (at) => {
        const rows = world.list(at, from, pageSize).map((market) => onClock(market, fromWorld))
        const next = from + pageSize
        return [
          [decoded(rows)],
          next < world.catalogue.slots ? Option.some(next) : Option.none(),
        ] as const
      })),
    bySlug: (slug) =>
      Effect.map(now, (at) => {
        const same = (other: string) => other.toLowerCase() === slug.toLowerCase()
        const all = world.list(at, 0, world.catalogue.slots)
        const own = all.filter((market) => same(market.slug))
        const rows = own.length > 0 ? own : all.filter(({ eventSlug }) => same(eventSlug))
        return decoded(rows.map((market) => onClock(market, fromWorld)))
      }),
    books: (tokenIds) =>
      Effect.map(now, (at) =>
        decoded(
          tokenIds.flatMap((tokenId): ReadonlyArray<OrderBook> => {
            const book = world.book(tokenId, at)
            return book === undefined ? [] : [{ ...book, observedAt: fromWorld(book.observedAt) }]
          }),
        )),
    priceHistory: (tokenId, range) =>
      Effect.map(now, (at) => {
        const from = toWorld(range.from)
        const to = Math.min(at, toWorld(range.to))
        const stepMs = Math.max(minute, range.stepMs * speed)
        return world.history(tokenId, { from, to }, stepMs).map((point) => ({
          at: fromWorld(point.at),
          price: point.price,
        }))
      }),
    facts: ofMarkets((market, at) =>
      market.opensAt > at ? null : factsOf(onClock(world.listed(market, at), fromWorld))
    ),
    resolutions: ofMarkets((market, at) => resolutionOf(world, clock, market, at)),
    proposals: ofMarkets((market, at) => proposalOf(world, clock, market, at)),
    rules: ofMarkets((market, at) =>
      market.opensAt > at ? null : { marketId: market.id, text: rulesOf(market) }
    ),
    wallets: walletSource(world, clock, options),
    trades: (marketId, since) =>
      Effect.map(now, (to) => {
        const market = world.catalogue.byId(marketId)
        if (market === undefined) return decoded<Trade>([])
        const rows = world.trades(market, { from: toWorld(since), to }, tradesMax)
        return decoded(rows.map(({ role: _, ...trade }) => ({ ...trade, at: fromWorld(trade.at) })))
      }),
  })
}

/** `simulated` is a reserved name (RFC 2606), because a simulated market must not link to the real venue. */
const pages = { real: "https://polymarket.com/", simulated: "https://simulated.example/" }

/** How a market ended; null when that is not published at `at`. */
function resolutionOf(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): Resolution | null {
  const payouts = world.publishedPayouts(market, at)
  if (payouts === undefined) return null
  const { publishedAt, settledAt, source } = world.ending(market)
  const resolvedAt = clock.fromWorld(at >= settledAt ? settledAt : publishedAt)
  const ended = { marketId: market.id, resolvedAt, source }
  return payouts === null ? { ...ended, state: "cancelled" } : { ...ended, state: "paid", payouts }
}

/** The outcome proposed at `at`; null when the record names none. Times are in whole seconds. */
function proposalOf(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): Proposal | null {
  const record = world.proposal(market, at)
  const price = record?.second ?? record?.first
  if (record === null || (price !== 0 && price !== 1)) return null
  return {
    marketId: market.id,
    outcome: price === 1 ? 0 : 1,
    proposedAt: Math.floor(clock.fromWorld(record.changedAt) / second) * second,
    settlesAt: record.settlesAt === null ? null : clock.fromWorld(record.settlesAt),
    disputed: record.status !== "proposed",
  }
}

function factsOf(market: Market): MarketFacts {
  const { id, slug, question, eventSlug, url, category, outcomes, tokenIds, endsAt, gameStartsAt } =
    market
  const { eventKey, exclusive, takerFeeRate } = market
  const named = { id, slug, question, eventSlug, url, category, outcomes, tokenIds }
  return { ...named, endsAt, gameStartsAt, eventKey, exclusive, takerFeeRate }
}

/** A market as the port returns it: on the clock's time, with a URL that is clearly simulated. */
function onClock(market: Market, fromWorld: (at: EpochMs) => EpochMs): Market {
  return {
    ...market,
    url: market.url.replace(pages.real, pages.simulated),
    endsAt: market.endsAt === null ? null : fromWorld(market.endsAt),
    gameStartsAt: market.gameStartsAt === null ? null : fromWorld(market.gameStartsAt),
  }
}

function decoded<A>(rows: ReadonlyArray<A>): Decoded<A> {
  return { rows, rejected: {} }
}
