/**
 * Wallets with more to read than those of `deno task dev`: some sell what they bought, and some also buy
 * the other side. And the entries that must be computed from all of it.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../../src/core/domain/time.ts"
import { roundPrice } from "../../../src/venues/simulated/books.ts"
import type { WalletGroup, WorldOptions } from "../../../src/venues/simulated/options.ts"
import { between, hex, mix, pick } from "../../../src/venues/simulated/seed.ts"
import { type Activity, costOf, type Wallet } from "../../../src/venues/simulated/wallets.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"

/** `hedger` and `maker` also buy the other side: the first of some markets, the second of each. */
type Strategy = "bettor" | "seller" | "hedger" | "maker"

interface StrategicGroup extends WalletGroup {
  readonly strategy: Strategy
}

/** Most of them without skill. */
export const defaultGroups: ReadonlyArray<StrategicGroup> = [
  group("bettor", 4, 0.12, [0.2, 0.8], 3),
  group("bettor", 4, 0.06, [0.2, 0.8], 2),
  group("bettor", 44, 0, [0.07, 0.93], 2),
  group("bettor", 4, -0.1, [0.2, 0.8], 3),
  group("bettor", 6, -0.04, [0.2, 0.8], 1),
  group("seller", 16, 0, [0.1, 0.9], 2),
  group("hedger", 12, 0, [0.2, 0.8], 2),
  { ...group("maker", 4, 0, [0.05, 0.95], 5), medianStakeUsd: 150 },
]

function group(
  strategy: Strategy,
  count: number,
  edge: number,
  prices: readonly [number, number],
  entriesPerDay: number,
): StrategicGroup {
  return { strategy, count, edge, prices, entriesPerDay, medianStakeUsd: 700 }
}

/** An entry that must be computed from the complete activity. */
export interface Episode {
  readonly wallet: Wallet
  readonly market: Activity["market"]
  readonly outcome: 0 | 1
  readonly price: number
  /** The price of its first row. */
  readonly openingPrice: number
  readonly stakeUsd: number
  readonly shares: number
  readonly hedgedShares: number
  /** Whether more than half was closed by buying the other side, so that it does not count as an entry. */
  readonly hedge: boolean
  /** Rows that bought it. */
  readonly fills: number
  readonly firstFillAt: EpochMs
  readonly lastFillAt: EpochMs
}

/** A world whose wallets have strategies, and their true entries. */
export interface TradingWorld extends World {
  /** A wallet's entries that start in `[from, to]`, hedges included, ascending. */
  readonly episodes: (wallet: Wallet, from: EpochMs, to: EpochMs) => ReadonlyArray<Episode>
}

/** A sale, or a purchase of the other side, of so many tenths of an entry, some time after it. */
interface SecondMove {
  readonly kind: "sell" | "hedge"
  readonly tenths: number
  readonly after: readonly [number, number]
}

const sale = (tenths: number): SecondMove => ({ kind: "sell", tenths, after: [2 * hour, laterMax] })
const hedge = (tenths: number): SecondMove => ({ kind: "hedge", tenths, after: [hour, 10 * hour] })
const laterMax = 60 * hour

/** What may follow an entry, each as likely. */
const secondMoves: Readonly<Record<Strategy, ReadonlyArray<SecondMove | null>>> = {
  bettor: [null],
  seller: [null, sale(4), sale(10)],
  hedger: [null, hedge(10), hedge(7), hedge(3)],
  maker: [{ kind: "hedge", tenths: 10, after: [2 * minute, 40 * minute] }],
}

export function strategyOf({ group }: Wallet): Strategy {
  return (group as StrategicGroup).strategy
}

export function makeTradingWorld(
  options: Partial<WorldOptions> & {
    readonly seed: number
    readonly wallets: ReadonlyArray<StrategicGroup>
  },
): TradingWorld {
  const world = makeWorld(options)
  const plansOf = (wallet: Wallet, range: { readonly from: EpochMs; readonly to: EpochMs }) =>
    [...Map.groupBy(world.activity(wallet, range), ({ market }) => market.number).values()]
      .map((bought) => planOf(world, bought.toReversed()))
  return {
    ...world,
    activity: (wallet, { from, to }) =>
      plansOf(wallet, { from: from - laterMax, to }).flatMap(({ rows }) => rows)
        .filter(({ at }) => at >= from && at <= to)
        .sort(newestFirst),
    episodes: (wallet, from, to) =>
      plansOf(wallet, { from, to }).map(({ episode }) => episode)
        .sort((a, b) => a.firstFillAt - b.firstFillAt),
  }
}

/** The purchases of one entry, oldest first, with the move that follows them. */
function planOf(world: World, bought: ReadonlyArray<Activity>) {
  const [first] = bought
  if (first === undefined) throw new RangeError("An entry has a purchase")
  const { wallet, market, outcome, price } = first
  const key = mix(mix(wallet.key, market.key), 30)
  const move = pick(key, secondMoves[strategyOf(wallet)])
  const moved = move === null ? [] : movedRows(world, bought, move, mix(key, 1))
  const lots = bought.reduce((sum, { size }) => sum + Math.round(size * 100), 0)
  const hedged = moved.filter(({ kind }) => kind === "buy")
    .reduce((sum, { size }) => sum + Math.round(size * 100), 0)
  const episode: Episode = {
    ...{ wallet, market, outcome, price, openingPrice: price, fills: bought.length },
    stakeUsd: lots * price / 100,
    shares: lots / 100,
    hedgedShares: hedged / 100,
    hedge: 2 * hedged > lots,
    firstFillAt: first.at,
    lastFillAt: bought.at(-1)?.at ?? first.at,
  }
  return { rows: [...bought, ...moved], episode }
}

/** The second move, row by row like the entry; none when trading ends before it. */
function movedRows(
  world: World,
  bought: ReadonlyArray<Activity>,
  { kind, tenths, after }: SecondMove,
  key: number,
): ReadonlyArray<Activity> {
  const later = Math.ceil(between(key, ...after) / second) * second
  return bought.flatMap((row, n): ReadonlyArray<Activity> => {
    const { market, outcome } = row
    const at = row.at + later
    const quote = at + minute < market.closesAt ? world.quote(market, row.at + later) : null
    if (quote === null) return []
    const other = outcome === 0 ? 1 : 0
    const size = Math.round(row.size * 100) * tenths / 10 / 100
    const transaction = `0x${hex(mix(key, n), 64)}`
    return [
      kind === "sell"
        ? { ...row, kind, size, at, transaction, price: roundPrice(1 - costOf(quote, other)) }
        : { ...row, outcome: other, size, at, transaction, price: costOf(quote, other) },
    ]
  })
}

/** Within a second, orders by transaction, so that the rows of a transaction are adjacent. */
function newestFirst(a: Activity, b: Activity): number {
  return b.at - a.at || (a.transaction < b.transaction ? -1 : a.transaction > b.transaction ? 1 : 0)
}
