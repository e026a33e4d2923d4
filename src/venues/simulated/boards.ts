/**
 * The leaderboards of a simulated world: which wallets traded most, and which made most, over a
 * period and in a category, as of the world's last midnight.
 *
 * @module
 */
import { type Board, type BoardPeriod, boardPeriods } from "../../markets/domain/leaderboard.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { exact, midOf } from "./books.ts"
import { heldAfter, lotsPerShare, type Plan } from "./episodes.ts"
import type { SimulatedMarket } from "./lives.ts"
import { makeMemo, type Memo } from "./memo.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

/** The categories that have boards of their own, in the venue's small letters. */
export const boardCategories = [
  "overall",
  "politics",
  "sports",
  "crypto",
  "economics",
  "geopolitics",
  "tech",
  "culture",
  "weather",
] as const

/** What a wallet came to over a period: shares traded, and profit in USD. */
export interface BoardRow {
  readonly wallet: Wallet
  readonly pnl: number
  readonly volume: number
}

const spans: { readonly [P in BoardPeriod]: number } = {
  day,
  week: 7 * day,
  month: 30 * day,
  all: Infinity,
}
/** Boards are dear: those of this many midnights are kept at hand. */
const keptNights = 8

/** Rows by category and period. */
type Boards = ReadonlyMap<string, ReadonlyArray<BoardRow>>
const kept = new WeakMap<World, Memo<Boards>>()

/** Every wallet that traded, the first first. Categories in any spelling of their letters. */
export function boardOf(
  world: World,
  period: BoardPeriod,
  category: string,
  by: Board["by"],
  at: EpochMs,
): ReadonlyArray<BoardRow> {
  const night = Math.floor(at / day)
  const memo = kept.get(world) ?? makeMemo<Boards>(keptNights)
  kept.set(world, memo)
  const boards = memo.get(night) ?? boardsAt(world, night * day)
  memo.set(night, boards)
  return (boards.get(nameOf(category, period)) ?? [])
    .toSorted((a, b) => by === "volume" ? b.volume - a.volume : b.pnl - a.pnl)
}

function nameOf(category: string, period: BoardPeriod): string {
  return `${category.toLowerCase()} ${period}`
}

function boardsAt(world: World, to: EpochMs): Boards {
  const boards = new Map<string, Array<BoardRow>>()
  const priceAt = pricesOf(world)
  for (const wallet of world.wallets) {
    const sums = new Map<string, { pnl: number; volume: number }>()
    for (const plan of world.truth.plans(wallet, { from: -Infinity, to })) {
      for (const period of boardPeriods) {
        const { pnl, volume } = resultOf(world, plan, period, to, priceAt)
        if (volume === 0 && pnl === 0) continue
        for (const category of ["overall", plan.market.category]) {
          const name = nameOf(category, period)
          const sum = sums.get(name) ?? { pnl: 0, volume: 0 }
          sums.set(name, { pnl: sum.pnl + pnl, volume: sum.volume + volume })
        }
      }
    }
    for (const [name, sum] of sums) {
      const rows = boards.get(name) ?? []
      boards.set(name, rows)
      rows.push({ wallet, ...sum })
    }
  }
  return boards
}

type PriceAt = (market: SimulatedMarket, at: EpochMs) => readonly [number, number]

/**
 * What a plan came to in the period before `to`. A period with a beginning is marked: what is held at
 * either end counts at its price then. All time counts what is over: paid out, or given up.
 */
function resultOf(
  world: World,
  plan: Plan,
  period: BoardPeriod,
  to: EpochMs,
  priceAt: PriceAt,
): { readonly pnl: number; readonly volume: number } {
  const from = to - spans[period]
  if (isOver(world, plan, from)) return nothing
  const worthAt = (at: EpochMs) => {
    if (plan.redemption !== null && plan.redemption.at <= at) return 0
    const [first, second] = heldAfter(plan.moves, at)
    if (first === 0 && second === 0) return 0
    const [firstPrice, secondPrice] = priceAt(plan.market, at)
    return (first * firstPrice + second * secondPrice) / lotsPerShare
  }
  const over = period !== "all" || world.told(plan.market, to) !== undefined ||
    heldAfter(plan.moves, to).every((lots) => lots === 0)
  const pnl = cashOf(plan, from, to) + worthAt(to) - (from === -Infinity ? 0 : worthAt(from))
  const traded = plan.moves.filter(({ kind, at }) =>
    (kind === "buy" || kind === "sell") && at > from && at <= to
  )
  return {
    pnl: over ? pnl : 0,
    volume: traded.reduce((sum, { lots }) => sum + lots, 0) / lotsPerShare,
  }
}

const nothing = { pnl: 0, volume: 0 }

/** Whether nothing of a plan happens after an instant: its last row and the last word are out. */
function isOver(world: World, { market, moves, redemption }: Plan, at: EpochMs): boolean {
  const last = Math.max(moves.at(-1)?.at ?? 0, redemption?.at ?? 0)
  return last <= at && world.ending(market).settledAt <= at
}

/** USD that came in, less what went out, after `from` and up to `to`. */
function cashOf(plan: Plan, from: EpochMs, to: EpochMs): number {
  let usd = 0
  for (const { kind, lots, price, at } of plan.moves) {
    if (at <= from || at > to) continue
    // A conversion gives the worth of what it takes, in siblings' shares.
    const each = kind === "split" || kind === "merge" ? 1 : price
    usd += (kind === "buy" || kind === "split" ? -1 : 1) * each * lots / lotsPerShare
  }
  const { redemption } = plan
  return redemption === null || redemption.at <= from || redemption.at > to
    ? usd
    : usd + redemption.usd
}

/** What a share of each outcome is worth: its price, the last one before the end, what it paid. */
function pricesOf(world: World): PriceAt {
  const known = new Map<string, readonly [number, number]>()
  return (market, at) => {
    const paid = world.told(market, at)
    if (paid !== undefined) return paid ?? [0, 0]
    const name = `${market.id} ${at}`
    const seen = known.get(name)
    if (seen !== undefined) return seen
    const quote = world.quote(market, Math.min(at, market.resolvedAt - 1))
    const first = quote === null ? 0.5 : midOf(quote)
    const prices = [first, exact(1 - first)] as const
    known.set(name, prices)
    return prices
  }
}
