/**
 * The venue port over a simulated world, on Effect's clock.
 *
 * @module
 */
import { Clock, Effect, Layer, Option, Stream } from "effect"
import type { OrderBook } from "../../markets/domain/book.ts"
import type { MarketRules, Proposal } from "../../markets/domain/proposal.ts"
import type { Market, MarketFacts, Trade } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { type EpochMs, minute, second } from "../../core/domain/time.ts"
import { type Decoded, VenueClient } from "../../markets/VenueClient.ts"
import { type VenueOptions, type WorldClock, worldClock } from "./clock.ts"
import type { SimulatedMarket } from "./lives.ts"
import { rulesOf } from "./rules.ts"
import { walletSource } from "./walletSource.ts"
import { makeWorld, type World } from "./world.ts"

/** Markets in one page of the listing. */
const pageSize = 500
/** Fills in one answer. */
const tradesMax = 1_000

/**
 * A world for `deno task dev`: eventful at any hour, in real time, the same after a restart. Its
 * ticks are seconds apart, so quotes that stray for minutes would look confirmed: they do not stray.
 * At any time some four markets lag behind an outcome that exists, and one proposal in seven is wrong.
 */
export function devWorld(seed: number): World {
  return makeWorld({
    ...{ seed, markets: 200, liveliness: 0.5, gateShare: 0.85, dislocationShare: 0 },
    ...{ laggardShare: 0.75, wrongProposalShare: 0.15 },
  })
}

export function layer(world: World, options: VenueOptions = {}): Layer.Layer<VenueClient> {
  const clock = worldClock(world, options)
  const { toWorld, fromWorld, speed } = clock
  const now = Effect.map(Clock.currentTimeMillis, toWorld)
  return Layer.succeed(VenueClient, {
    name: "simulated",
    listMarkets: Stream.paginate(0, (from) =>
      Effect.map(now, (at) => {
        const rows = world.list(at, from, pageSize).map((market) => onClock(market, fromWorld))
        const next = from + pageSize
        return [
          [sound(rows)],
          next < world.catalogue.seats ? Option.some(next) : Option.none(),
        ] as const
      })),
    books: (tokenIds) =>
      Effect.map(now, (at) =>
        sound(
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
    facts: (marketIds) =>
      Effect.map(now, (at) =>
        sound(
          marketIds.flatMap((id): ReadonlyArray<MarketFacts> => {
            const market = world.catalogue.byId(id)
            return market === undefined || market.opensAt > at
              ? []
              : [factsOf(onClock(world.listed(market, at), fromWorld))]
          }),
        )),
    resolutions: (marketIds) =>
      Effect.map(now, (at) =>
        sound(
          marketIds.flatMap((id): ReadonlyArray<Resolution> => {
            const market = world.catalogue.byId(id)
            return market === undefined ? [] : resolutionOf(world, clock, market, at)
          }),
        )),
    proposals: (marketIds) =>
      Effect.map(now, (at) =>
        sound(
          [...new Set(marketIds)].flatMap((id): ReadonlyArray<Proposal> => {
            const market = world.catalogue.byId(id)
            return market === undefined ? [] : proposalOf(world, clock, market, at)
          }),
        )),
    rules: (marketIds) =>
      Effect.map(now, (at) =>
        sound(
          [...new Set(marketIds)].flatMap((marketId): ReadonlyArray<MarketRules> => {
            const market = world.catalogue.byId(marketId)
            return market === undefined || market.opensAt > at
              ? []
              : [{ marketId, text: rulesOf(market) }]
          }),
        )),
    wallets: walletSource(world, clock, options),
    trades: (marketId, since) =>
      Effect.map(now, (to) => {
        const market = world.catalogue.byId(marketId)
        if (market === undefined) return sound<Trade>([])
        const rows = world.trades(market, { from: toWorld(since), to }, tradesMax)
        return sound(rows.map(({ role: _, ...trade }) => ({ ...trade, at: fromWorld(trade.at) })))
      }),
  })
}

/** A name that is nobody's (RFC 2606): a made-up market must not seem to stand at the real venue. */
const pages = { real: "https://polymarket.com/", simulated: "https://simulated.example/" }

/** The word on how a market ended that is out at `at`, if any. */
function resolutionOf(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): ReadonlyArray<Resolution> {
  const payouts = world.told(market, at)
  if (payouts === undefined) return []
  const { toldAt, settledAt, source } = world.ending(market)
  const resolvedAt = clock.fromWorld(at >= settledAt ? settledAt : toldAt)
  const ended = { marketId: market.id, resolvedAt, source }
  return [
    payouts === null ? { ...ended, state: "cancelled" } : { ...ended, state: "paid", payouts },
  ]
}

/** The outcome that stands proposed at `at`, if the record names one; times are in whole seconds. */
function proposalOf(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): ReadonlyArray<Proposal> {
  const record = world.proposal(market, at)
  const named = record?.second ?? record?.first
  if (record === null || (named !== 0 && named !== 1)) return []
  return [{
    marketId: market.id,
    outcome: named === 1 ? 0 : 1,
    proposedAt: Math.floor(clock.fromWorld(record.changedAt) / second) * second,
    settlesAt: record.settlesAt === null ? null : clock.fromWorld(record.settlesAt),
    disputed: record.status !== "proposed",
  }]
}

function factsOf(market: Market): MarketFacts {
  const { id, slug, question, eventSlug, url, category, outcomes, tokenIds, endsAt, takerFeeRate } =
    market
  return { id, slug, question, eventSlug, url, category, outcomes, tokenIds, endsAt, takerFeeRate }
}

/** A market as the port gives it: on the clock's time, and plainly made up. */
function onClock(market: Market, fromWorld: (at: EpochMs) => EpochMs): Market {
  return {
    ...market,
    url: market.url.replace(pages.real, pages.simulated),
    endsAt: market.endsAt === null ? null : fromWorld(market.endsAt),
  }
}

function sound<A>(rows: ReadonlyArray<A>): Decoded<A> {
  return { rows, rejected: {} }
}
