/**
 * The venue port over a simulated world, on Effect's clock.
 *
 * @module
 */
import { Clock, Effect, Layer, Option, Stream } from "effect"
import type { OrderBook } from "../../domain/book.ts"
import type { Market, Trade } from "../../domain/market.ts"
import { type EpochMs, minute } from "../../domain/time.ts"
import { type Decoded, VenueClient } from "../../services/VenueClient.ts"
import { makeWorld, type World } from "./world.ts"

export interface VenueOptions {
  /** World milliseconds in one of the clock's; 1 unless a faster world is wanted. */
  readonly speed?: number
  /** The clock's time when the world is at its origin; the origin itself by default. */
  readonly clockOrigin?: EpochMs
}

/** How the clock's time and the world's follow from each other. */
export interface WorldClock {
  readonly toWorld: (at: EpochMs) => EpochMs
  readonly fromWorld: (at: EpochMs) => EpochMs
  readonly speed: number
}

/** Markets in one page of the listing. */
const pageSize = 500
/** Fills in one answer. */
const tradesMax = 1_000
export function worldClock(world: World, options: VenueOptions = {}): WorldClock {
  const { speed = 1, clockOrigin = world.options.origin } = options
  const { origin } = world.options
  return {
    speed,
    toWorld: (at) => Math.floor(origin + (at - clockOrigin) * speed),
    fromWorld: (at) => Math.floor(clockOrigin + (at - origin) / speed),
  }
}

/**
 * A world for `deno task dev`: eventful at any hour, in real time, the same after a restart. Its
 * ticks are seconds apart, so quotes that stray for minutes would look confirmed: they do not stray.
 */
export function devWorld(seed: number): World {
  return makeWorld({ seed, markets: 200, liveliness: 0.5, gateShare: 0.85, dislocationShare: 0 })
}

export function layer(world: World, options: VenueOptions = {}): Layer.Layer<VenueClient> {
  const { toWorld, fromWorld, speed } = worldClock(world, options)
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
    facts: () => Effect.succeed({ rows: [], rejected: {} }),
    resolutions: () => Effect.succeed({ rows: [], rejected: {} }),
    wallets: null,
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
