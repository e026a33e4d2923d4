/**
 * The leaderboards of a simulated world: which wallets traded most, and which made most, over a
 * period and in a category, as of the world's last midnight.
 *
 * @module
 */
import type { BoardPeriod, TrackingSource } from "../../domain/tracking.ts"
import { day, type EpochMs } from "../../domain/time.ts"
import { exact, midOf } from "./books.ts"
import { makeMemo } from "./memo.ts"
import type { SimulatedMarket } from "./lives.ts"
import type { Fill } from "./tape.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

/** The categories that have boards of their own. */
export const boardCategories = [
  "overall",
  "Politics",
  "Sports",
  "Crypto",
  "Economics",
  "Geopolitics",
  "Tech",
  "Culture",
  "Weather",
] as const

/** What a wallet came to over a period: volume in shares, profit in USD. */
export interface BoardRow {
  readonly wallet: Wallet
  readonly pnl: number
  readonly volume: number
}

const spans: { readonly [P in BoardPeriod]: number } = {
  day,
  week: 7 * day,
  month: 30 * day,
  all: 90 * day,
}
/** Boards are dear: this many worlds' days of them are kept at hand. */
const keptDays = 8

type Sums = ReadonlyMap<string, BoardRow>

/** Every wallet that traded, the first first; by volume, or by profit (marked at its last prices). */
export function boardOf(
  world: World,
  period: BoardPeriod,
  category: string,
  by: TrackingSource,
  at: EpochMs,
): ReadonlyArray<BoardRow> {
  const to = Math.floor(at / day) * day
  return [...sumsOf(world, period, to).get(category.toLowerCase())?.values() ?? []]
    .sort((a, b) => by === "volume" ? b.volume - a.volume : b.pnl - a.pnl)
}

const kept = new WeakMap<World, ReturnType<typeof makeMemo<ReadonlyMap<string, Sums>>>>()

function sumsOf(world: World, period: BoardPeriod, to: EpochMs): ReadonlyMap<string, Sums> {
  const memo = kept.get(world) ?? makeMemo(keptDays * Object.keys(spans).length)
  kept.set(world, memo)
  const name = to / day * 4 + Object.keys(spans).indexOf(period)
  const known = memo.get(name)
  if (known !== undefined) return known
  const sums = new Map<string, Map<string, BoardRow>>()
  for (const wallet of world.wallets) {
    for (const fill of world.fillsOf(wallet, { from: to - spans[period], to }, Infinity)) {
      const market = world.catalogue.byId(fill.marketId)
      if (market === undefined) continue
      for (const category of ["overall", market.category.toLowerCase()]) {
        const rows = sums.get(category) ?? new Map<string, BoardRow>()
        sums.set(category, rows)
        const row = rows.get(wallet.address) ?? { wallet, pnl: 0, volume: 0 }
        rows.set(wallet.address, {
          wallet,
          pnl: row.pnl + fill.size * (priceOf(world, market, fill, to) - fill.price),
          volume: row.volume + fill.size,
        })
      }
    }
  }
  memo.set(name, sums)
  return sums
}

/** A token's price at an instant, or what it paid. */
function priceOf(world: World, market: SimulatedMarket, fill: Fill, at: EpochMs): number {
  const outcome = market.tokenIds[0] === fill.tokenId ? 0 : 1
  if (at >= market.resolvedAt) return world.truth.payouts(market)?.[outcome] ?? 0
  const quote = world.quote(market, at)
  const first = quote === null ? 0.5 : midOf(quote)
  return outcome === 0 ? first : exact(1 - first)
}
