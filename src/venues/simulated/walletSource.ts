/**
 * The wallet data of a simulated world as the venue publishes it: leaderboards, and activity in pages,
 * on the clock's time and in whole seconds.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type Parts, runParts } from "../../core/domain/parts.ts"
import { inSlices } from "../../core/slices.ts"
import { day, type EpochMs, second } from "../../core/domain/time.ts"
import type { ActivityPage, ActivityRow, WalletSource } from "../../markets/VenueClient.ts"
import type { Activity } from "./activity.ts"
import { midOf, roundPrice } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { makeMemo, type Memo } from "./memo.ts"
import { lotsHeldAt, lotsPerShare, type Plan } from "./plans.ts"
import type { Wallet } from "./wallets.ts"
import type { VenueOptions, World, WorldClock } from "./world.ts"
import { type Board, type BoardPeriod, boardPeriods } from "../../markets/domain/leaderboard.ts"

/** Rows in one page of a wallet's activity. */
const pageRowsDefault = 500

/** The world's time. Many calls follow one another, so requests are answered before each. */
export const worldNow = ({ toWorld }: WorldClock): Effect.Effect<EpochMs> =>
  Effect.andThen(Effect.yieldNow, Effect.map(Clock.currentTimeMillis, toWorld))

export function walletSource(
  world: World,
  clock: WorldClock,
  options: VenueOptions,
): WalletSource {
  const { activityRows: limit = pageRowsDefault, retentionDays = null } = options
  const byAddress = new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
  const now = worldNow(clock)
  return {
    categories: boardCategories,
    leaderboard: (board, limit) =>
      Effect.map(Effect.tap(now, (at) => inSlices(() => prepareBoards(world, at))), (at) => ({
        rows: boardOf(world, board.period, board.category, board.by, at)
          .slice(0, Math.max(0, limit))
          .map(({ wallet }, index) => ({
            wallet: wallet.address,
            rank: index + 1,
            userName: wallet.userName,
          })),
        rejected: {},
      })),
    activity: (address, range, cursor) => {
      const prepared = Effect.tap(now, (at) =>
        inSlices(() =>
          world.prepareActivity({
            from: clock.toWorld(range.from),
            to: Math.min(at, clock.toWorld(range.to)),
          })
        ))
      return Effect.map(prepared, (at) => {
        const wallet = byAddress.get(address.toLowerCase())
        const after = cursor === null ? null : parseCursor(cursor)
        if (wallet === undefined) return emptyPage
        const { rows, next, cut } = activityRows(world, clock, {
          ...{ ...range, wallet, after, now: at },
          ...{ limit, retentionDays },
        })
        return {
          rows: rows.flatMap((row) => rowOf(row.activity, row.at)),
          rejected: {},
          oldest: rows.at(-1)?.at ?? null,
          next: next === null ? null : `${next.at / second}.${next.rows}`,
          cut,
        }
      })
    },
  }
}

/** Leaderboards need the whole activity of all wallets. */
function* prepareBoards(world: World, at: EpochMs): Parts<void> {
  const midnight = Math.floor(at / day)
  yield* world.prepareActivity({ from: -Infinity, to: midnight * day })
  const results = resultsAt(world, midnight)
  for (const wallet of world.wallets) yield* results(wallet)
}

const emptyPage: ActivityPage = { rows: [], rejected: {}, oldest: null, next: null, cut: false }

/** Null for a cursor of another format; the range is then read from its newest row. */
function parseCursor(cursor: string): ActivityCursor | null {
  const [, at, rows] = /^(\d{1,12})\.(\d{1,9})$/.exec(cursor) ?? []
  return at === undefined || rows === undefined
    ? null
    : { at: Number(at) * second, rows: Number(rows) }
}

function rowOf(activity: Activity, at: EpochMs): ReadonlyArray<ActivityRow> {
  const { kind, wallet, market, outcome, size, price, transaction } = activity
  if (kind === "reward" || kind === "deposit" || kind === "maker_rebate") return []
  if (market === null) return []
  return [{
    event: {
      wallet: wallet.address,
      marketId: market.id,
      kind,
      tokenId: outcome === null ? null : market.tokenIds[outcome],
      size,
      price,
      at,
      transaction,
    },
    userName: wallet.userName,
    pseudonym: wallet.pseudonym,
  }]
}

/** The second of a page's last row, and how many rows of that second the pages so far contain. */
export interface ActivityCursor {
  readonly at: EpochMs
  readonly rows: number
}

interface ActivityQuery {
  readonly wallet: Wallet
  /** Clock time, both ends included. */
  readonly from: EpochMs
  readonly to: EpochMs
  /** The end of the previous page. */
  readonly after: ActivityCursor | null
  readonly limit: number
  /** World time; nothing later has happened. */
  readonly now: EpochMs
  /** Older rows are not available; null for no limit. */
  readonly retentionDays: number | null
}

export interface ActivityRows {
  readonly rows: ReadonlyArray<{ readonly activity: Activity; readonly at: EpochMs }>
  /** The start of the next page; null at the end. */
  readonly next: ActivityCursor | null
  /** The range contains older rows that are no longer available. */
  readonly cut: boolean
}

/** The most rows in one clock second; in a fast world a clock second is much world time. */
const secondRowsMax = 200

export function activityRows(
  world: World,
  clock: WorldClock,
  { wallet, from, to, after, limit, now, retentionDays }: ActivityQuery,
): ActivityRows {
  const until = after === null ? to : Math.min(to, after.at)
  const skip = after !== null && until === after.at ? after.rows : 0
  const oldest = retentionDays === null ? -Infinity : now - retentionDays * day
  // A row's time is rounded down to its second, so the last second is read completely.
  const first = clock.toWorld(Math.ceil(from / second) * second)
  const last = Math.min(now, clock.toWorld(Math.floor(until / second) * second + second))
  const range = { from: Math.max(oldest, first), to: last }
  const found = world.activity(wallet, range, skip + limit + 1 + secondRowsMax)
    .map((activity) => ({
      activity,
      at: Math.floor(clock.fromWorld(activity.at) / second) * second,
    }))
    .filter(({ at }) => at >= from && at <= until)
  const rows = found.slice(skip, skip + limit)
  const end = rows.at(-1)?.at ?? until
  const before = end === until ? skip : 0
  const hasOlder = first < oldest &&
    world.activity(wallet, { from: first, to: oldest - 1 }, 1).length > 0
  return {
    rows,
    next: found.length > skip + limit
      ? { at: end, rows: before + rows.filter(({ at }) => at === end).length }
      : null,
    cut: found.length <= skip + limit && hasOlder,
  }
}

/** The categories that have their own leaderboard, in lower case as at the venue. */
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

/** A wallet's result over a period: profit in USD, and volume in shares traded. */
export interface BoardRow {
  readonly wallet: Wallet
  readonly pnl: number
  readonly volume: number
}

const periodMs: { readonly [P in BoardPeriod]: number } = {
  day,
  week: 7 * day,
  month: 30 * day,
  all: Infinity,
}
/** Leaderboards are slow to compute; those of this many midnights are cached. */
const cachedMidnightsMax = 8

/** Rows by category and period. */
type Boards = ReadonlyMap<string, ReadonlyArray<BoardRow>>
const boardsOf = new WeakMap<World, Memo<Boards>>()

/** A wallet's results by category and period. */
type Results = ReadonlyMap<string, { readonly pnl: number; readonly volume: number }>
const resultsOf = new WeakMap<World, Memo<(wallet: Wallet) => Parts<Results>>>()

/** Every wallet that traded, best first, as of the last midnight. `category` is in upper or lower case. */
export function boardOf(
  world: World,
  period: BoardPeriod,
  category: string,
  by: Board["by"],
  at: EpochMs,
): ReadonlyArray<BoardRow> {
  const midnight = Math.floor(at / day)
  const cached = boardsOf.get(world) ?? makeMemo<Boards>(cachedMidnightsMax)
  boardsOf.set(world, cached)
  const boards = cached(midnight, () => boardsAt(world, midnight))
  return (boards.get(boardKey(category, period)) ?? [])
    .toSorted((a, b) => by === "volume" ? b.volume - a.volume : b.pnl - a.pnl)
}

function boardKey(category: string, period: BoardPeriod): string {
  return `${category.toLowerCase()} ${period}`
}

function boardsAt(world: World, midnight: number): Boards {
  const boards = new Map<string, Array<BoardRow>>()
  const results = resultsAt(world, midnight)
  for (const wallet of world.wallets) {
    for (const [name, sum] of runParts(results(wallet))) {
      const rows = boards.get(name) ?? []
      boards.set(name, rows)
      rows.push({ wallet, ...sum })
    }
  }
  return boards
}

/** The results of each wallet as of a midnight, kept once computed. */
function resultsAt(world: World, midnight: number): (wallet: Wallet) => Parts<Results> {
  const cached = resultsOf.get(world) ?? makeMemo(cachedMidnightsMax)
  resultsOf.set(world, cached)
  return cached(midnight, () => {
    const priceAt = pricesOf(world)
    const byWallet = new Map<number, Results>()
    return function* (wallet) {
      const known = byWallet.get(wallet.number)
      if (known !== undefined) return known
      const results = yield* computeResults(world, wallet, midnight * day, priceAt)
      byWallet.set(wallet.number, results)
      return results
    }
  })
}

function* computeResults(
  world: World,
  wallet: Wallet,
  to: EpochMs,
  priceAt: PriceAt,
): Parts<Results> {
  const sums = new Map<string, { pnl: number; volume: number }>()
  for (const plan of world.truth.plans(wallet, { from: -Infinity, to })) {
    for (const period of boardPeriods) {
      const { pnl, volume } = resultOf(world, plan, period, to, priceAt)
      if (volume === 0 && pnl === 0) continue
      for (const category of ["overall", plan.market.category]) {
        const name = boardKey(category, period)
        const sum = sums.get(name) ?? { pnl: 0, volume: 0 }
        sums.set(name, { pnl: sum.pnl + pnl, volume: sum.volume + volume })
      }
    }
    yield
  }
  return sums
}

type PriceAt = (market: SimulatedMarket, at: EpochMs) => readonly [number, number]

/**
 * A plan's result in the period before `to`. A limited period is marked to market: shares held at its
 * start and end count at their prices then. `all` counts only closed positions.
 */
function resultOf(
  world: World,
  plan: Plan,
  period: BoardPeriod,
  to: EpochMs,
  priceAt: PriceAt,
): { readonly pnl: number; readonly volume: number } {
  const from = to - periodMs[period]
  if (isOver(world, plan, from)) return noResult
  const valueAt = (at: EpochMs) => {
    if (plan.redemption !== null && plan.redemption.at <= at) return 0
    const [first, second] = lotsHeldAt(plan.moves, at)
    if (first === 0 && second === 0) return 0
    const [firstPrice, secondPrice] = priceAt(plan.market, at)
    return (first * firstPrice + second * secondPrice) / lotsPerShare
  }
  const isClosed = period !== "all" || world.publishedPayouts(plan.market, to) !== undefined ||
    lotsHeldAt(plan.moves, to).every((lots) => lots === 0)
  const pnl = cashOf(plan, from, to) + valueAt(to) - (from === -Infinity ? 0 : valueAt(from))
  const traded = plan.moves.filter(({ kind, at }) =>
    (kind === "buy" || kind === "sell") && at > from && at <= to
  )
  return {
    pnl: isClosed ? pnl : 0,
    volume: traded.reduce((sum, { lots }) => sum + lots, 0) / lotsPerShare,
  }
}

const noResult = { pnl: 0, volume: 0 }

/** Whether a plan is complete at `at`: its last row has happened and its market is settled. */
function isOver(world: World, { market, moves, redemption }: Plan, at: EpochMs): boolean {
  const last = Math.max(moves.at(-1)?.at ?? 0, redemption?.at ?? 0)
  return last <= at && world.ending(market).settledAt <= at
}

/** USD received minus USD paid, after `from` and up to `to`. */
function cashOf(plan: Plan, from: EpochMs, to: EpochMs): number {
  let usd = 0
  for (const { kind, lots, price, at } of plan.moves) {
    if (at <= from || at > to) continue
    // A conversion returns siblings' shares of the same value.
    const each = kind === "split" || kind === "merge" ? 1 : price
    usd += (kind === "buy" || kind === "split" ? -1 : 1) * each * lots / lotsPerShare
  }
  const { redemption } = plan
  return redemption === null || redemption.at <= from || redemption.at > to
    ? usd
    : usd + redemption.usd
}

/** The value of a share of each outcome: its payout once published, before that its last price. */
function pricesOf(world: World): PriceAt {
  const cached = new Map<string, readonly [number, number]>()
  return (market, at) => {
    const paid = world.publishedPayouts(market, at)
    if (paid !== undefined) return paid ?? [0, 0]
    const name = `${market.id} ${at}`
    const known = cached.get(name)
    if (known !== undefined) return known
    const quote = world.quote(market, Math.min(at, market.resolvedAt - 1))
    const first = quote === null ? 0.5 : midOf(quote)
    const prices = [first, roundPrice(1 - first)] as const
    cached.set(name, prices)
    return prices
  }
}
