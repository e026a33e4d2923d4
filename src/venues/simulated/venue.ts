/**
 * `VenueClient` over a simulated world, on Effect's clock.
 *
 * @module
 */
import { Clock, Effect, Layer, Option, Stream } from "effect"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import { type Decoded, VenueClient, type WalletSource } from "../../markets/VenueClient.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { rulesOf } from "./endings.ts"
import { type WalletGroup, worldDefaults } from "./options.ts"
import { rankedWallets } from "./wallets.ts"
import { makeWorld, type World } from "./world.ts"

/** The world's time. Many calls follow one another, so requests are answered before each. */
const now = Effect.andThen(Effect.yieldNow, Clock.currentTimeMillis)

/** Markets in one page of the listing. */
const pageSize = 25
/** Fills that one call returns. */
const tradesMax = 1_000

/**
 * A world for `deno task dev`: it has events at any hour and is the same after a restart. As on a real
 * venue most proposals come at a converged price. At any time the prices of about four markets doubt
 * their proposal, and one such proposal in three is wrong: so there are predetermined items.
 *
 * Eight of its wallets have an edge of 25 cents, four of them a negative one, over hundreds of bets in
 * markets of one day, so that their labels can be proven. The wallets' history begins 70 to 80 days
 * before `at`, so that every start has as much to read; those without an edge enter each market from
 * six hours before `at` on.
 */
export function devWorld(seed = 2, at: EpochMs = worldDefaults.origin): World {
  const walletsFrom = Math.floor(at / (10 * day)) * 10 * day - 70 * day
  return makeWorld({
    seed,
    gateShare: 0.85,
    dailyShare: 0.12,
    wallets: devGroups,
    walletDays: (worldDefaults.origin - walletsFrom) / day,
    livelyFrom: Math.floor(at / hour) * hour - 6 * hour,
    laggardShare: 1,
    wrongProposalShare: 0.01,
    wrongContestedShare: 0.33,
  })
}

const skilled: WalletGroup = {
  count: 4,
  edge: 0.25,
  daily: true,
  prices: [0.3, 0.7],
  entriesPerDay: 12,
  medianStakeUsd: 2_500,
}
const devGroups: ReadonlyArray<WalletGroup> = [
  skilled,
  { ...skilled, edge: -0.25 },
  { ...skilled, count: 27, edge: 0, daily: false, prices: [0.1, 0.9], entriesPerDay: 1.5 },
]

export function layer(world: World): Layer.Layer<VenueClient> {
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
        const next = from + pageSize
        return [
          [decoded(world.list(at, from, pageSize))],
          next < world.catalogue.slots ? Option.some(next) : Option.none(),
        ] as const
      })),
    bySlug: (slug) =>
      Effect.map(now, (at) => {
        const same = (other: string) => other.toLowerCase() === slug.toLowerCase()
        const all = world.list(at, 0, world.catalogue.slots)
        const own = all.filter((market) => same(market.slug))
        return decoded(own.length > 0 ? own : all.filter(({ eventSlug }) => same(eventSlug)))
      }),
    books: (tokenIds) =>
      Effect.map(now, (at) => decoded(tokenIds.flatMap((token) => world.book(token, at) ?? []))),
    priceHistory: (tokenId, { from, to, stepMs }) =>
      Effect.map(
        now,
        (at) => world.history(tokenId, { from, to: Math.min(at, to) }, Math.max(minute, stepMs)),
      ),
    facts: ofMarkets((market, at) => market.opensAt > at ? null : world.listed(market, at)),
    resolutions: ofMarkets((market, at) => resolutionOf(world, market, at)),
    // Of a market without a winner the record names no outcome.
    proposals: ofMarkets((market, at) =>
      market.end === "decided" ? world.proposal(market, at) : null
    ),
    rules: ofMarkets((market, at) =>
      market.opensAt > at ? null : { marketId: market.id, text: rulesOf(market) }
    ),
    wallets: walletSource(world),
    trades: (marketId, from) =>
      Effect.map(now, (to) => {
        const market = world.catalogue.byId(marketId)
        return decoded(market === undefined ? [] : world.trades(market, { from, to }, tradesMax))
      }),
  })
}

/** The wallets' leaderboards and activity. */
function walletSource(world: World): WalletSource {
  const byAddress = new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
  return {
    categories: ["overall"],
    leaderboard: ({ by }, limit) =>
      Effect.succeed(decoded(
        rankedWallets(world.wallets, by).slice(0, Math.max(0, limit))
          .map(({ address, userName }, index) => ({ wallet: address, rank: index + 1, userName })),
      )),
    activity: (address, { from, to }) =>
      Effect.map(now, (at) => {
        const wallet = byAddress.get(address.toLowerCase())
        const activity = wallet === undefined
          ? []
          : world.activity(wallet, { from, to: Math.min(at, to) })
        const rows = activity.map(({ wallet, market, outcome, ...event }) => ({
          event: {
            ...event,
            wallet: wallet.address,
            marketId: market.id,
            tokenId: market.tokenIds[outcome],
          },
          userName: wallet.userName,
          pseudonym: wallet.pseudonym,
        }))
        const oldest = rows.at(-1)?.event.at ?? null
        return { rows, rejected: {}, oldest, more: false }
      }),
  }
}

/** How a market ended; null until it is paid out. */
function resolutionOf(world: World, market: SimulatedMarket, at: EpochMs): Resolution | null {
  const { id: marketId, resolvedAt } = market
  if (at < resolvedAt) return null
  const payouts = world.truth.payouts(market)
  const ended = { marketId, resolvedAt } as const
  return payouts === null ? { ...ended, state: "cancelled" } : { ...ended, state: "paid", payouts }
}

function decoded<A>(rows: ReadonlyArray<A>): Decoded<A> {
  return { rows, rejected: {} }
}
