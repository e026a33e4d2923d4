/**
 * All wallet activity in a simulated world, as the venue's activity rows: by market for the tape, and
 * by wallet and day for the venue's activity pages.
 *
 * @module
 */
import type { Parts } from "../../core/domain/parts.ts"
import { day, type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { type Catalogue, type SimulatedMarket, slotsOf } from "./catalogue.ts"
import { settlementMsMax } from "./endings.ts"
import { makeMemo, marketCacheSize } from "./memo.ts"
import type { WorldOptions } from "./options.ts"
import {
  type Episode,
  lotsPerShare,
  type Plan,
  type PlannedMove,
  planOf,
  rowsOf,
  type WalletView,
} from "./plans.ts"
import { hex, type Key, mix, pick, uniform } from "./seed.ts"
import type { Fill } from "./tape.ts"
import type { Wallet } from "./wallets.ts"

interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

export interface ActivityLog {
  /** The plans of all wallets in a market. */
  readonly plansIn: (market: SimulatedMarket) => ReadonlyArray<Plan>
  /** A wallet's plans (each complete) in the markets where it is active in `[from, to]`. */
  readonly plans: (wallet: Wallet, range: Range) => ReadonlyArray<Plan>
  /** A wallet's rows in `[from, to]`, newest first, at most `count`. */
  readonly activity: (wallet: Wallet, range: Range, count: number) => ReadonlyArray<Activity>
  /** A wallet's entries that start in `[from, to]`, hedges included, ascending. */
  readonly episodes: (wallet: Wallet, from: EpochMs, to: EpochMs) => ReadonlyArray<Episode>
  /** Computes in parts what all wallets need in a range. All callers share the parts of a day. */
  readonly prepare: (range: Range) => Parts<void>
}

/** Plans of one day, by wallet number. A day is a number of days since the epoch. */
type DayPlans = ReadonlyMap<number, ReadonlyArray<Plan>>

export function makeActivityLog(
  options: WorldOptions,
  catalogue: Catalogue,
  view: WalletView,
  wallets: ReadonlyArray<Wallet>,
): ActivityLog {
  const beganAt = options.origin - options.walletDays * day
  const plansIn = planner(options, catalogue, view, wallets)
  const { withMoves, withRedemptions, prepareDay } = calendar(options, catalogue, wallets, plansIn)
  const daysOf = ({ from, to }: Range): readonly [first: number, last: number] => [
    Math.floor(Math.max(from, beganAt) / day),
    Math.floor(to / day),
  ]
  /** A wallet's plans with a row on this day, each once. */
  const plansOnDay = (dayNumber: number, { number }: Wallet): ReadonlyArray<Plan> => {
    const plans = withMoves(dayNumber).get(number) ?? []
    const ids = new Set(plans.map(({ market }) => market.id))
    const paid = withRedemptions(dayNumber).get(number) ?? []
    return [...plans, ...paid.filter(({ market }) => !ids.has(market.id))]
  }
  return {
    plansIn,
    plans: (wallet, range) => {
      const [first, last] = daysOf(range)
      const found = new Map<MarketId, Plan>()
      for (let dayNumber = first; dayNumber <= last; dayNumber++) {
        for (const plan of plansOnDay(dayNumber, wallet)) found.set(plan.market.id, plan)
      }
      return [...found.values()]
    },
    activity: (wallet, range, count) => {
      const [first, last] = daysOf(range)
      const rows: Array<Activity> = []
      for (let dayNumber = last; dayNumber >= first && rows.length < count; dayNumber--) {
        const from = Math.max(range.from, dayNumber * day)
        const to = Math.min(range.to, dayNumber * day + day - 1)
        const found = [
          ...plansOnDay(dayNumber, wallet).flatMap((plan) => activityOf(plan, { from, to })),
          ...cashFlowsOf(wallet, dayNumber).filter(({ at }) => at >= from && at <= to),
        ]
        rows.push(...found.sort(newestFirst))
      }
      return rows.slice(0, count)
    },
    episodes: (wallet, from, to) => {
      const [first, last] = daysOf({ from, to })
      const found: Array<Episode> = []
      for (let dayNumber = first; dayNumber <= last; dayNumber++) {
        for (const { episodes } of withMoves(dayNumber).get(wallet.number) ?? []) {
          for (const episode of episodes) {
            const at = episode.firstFillAt
            if (Math.floor(at / day) === dayNumber && at >= from && at <= to) found.push(episode)
          }
        }
      }
      return found.sort((a, b) => a.firstFillAt - b.firstFillAt)
    },
    prepare: function* (range) {
      const [first, last] = daysOf(range)
      for (let dayNumber = last; dayNumber >= first; dayNumber--) yield* prepareDay(dayNumber)
    },
  }
}

/** Chooses the wallets that trade in a market, and plans what they do there. */
function planner(
  options: WorldOptions,
  catalogue: Catalogue,
  view: WalletView,
  wallets: ReadonlyArray<Wallet>,
): ActivityLog["plansIn"] {
  const beganAt = options.origin - options.walletDays * day
  const openedPerDay = slotsOf(options).ordinary * openingsOf(options)
  const cached = makeMemo<ReadonlyArray<Plan>>(2 * marketCacheSize(options.markets))
  const takesPart = (wallet: Wallet, market: SimulatedMarket): boolean => {
    const { key, group } = wallet
    if (group.strategy === "interval_maker") {
      return market.kind === "mechanical" &&
        roundAt(options, catalogue, wallet, market.opensAt).id === market.id
    }
    if (market.kind === "mechanical") return false
    const together = uniform(mix(mix(key, market.eventKey), 7)) < group.eventShare
    const draw = mix(mix(key, together ? market.eventKey : market.key), 8)
    return uniform(draw) * openedPerDay < group.entriesPerDay
  }
  const plansOf = (market: SimulatedMarket): ReadonlyArray<Plan> =>
    wallets.flatMap((wallet): ReadonlyArray<Plan> => {
      const plan = takesPart(wallet, market) ? planOf(view, wallet, market) : null
      return plan === null || (plan.moves[0]?.at ?? 0) < beganAt ? [] : [plan]
    })
  return (market) => {
    if (market.closesAt < beganAt) return []
    // Mechanical markets are not cached: they are cheap to plan, and many enough to evict the others.
    if (market.kind === "mechanical") return plansOf(market)
    return market.bookKind === "valid" ? cached(market.number, () => plansOf(market)) : []
  }
}

/** A move's last row is at most this long after its first. */
const moveRowsMs = minute
/** A wallet redeems shares at most this long after its market is settled. */
const redemptionMsMax = 2 * day
/** Days whose plans are cached. */
const cachedDaysMax = 800

/** The plans with a move on a day, and those with a redemption on it; days since the epoch. */
function calendar(
  options: WorldOptions,
  catalogue: Catalogue,
  wallets: ReadonlyArray<Wallet>,
  plansIn: ActivityLog["plansIn"],
) {
  const slots = slotsOf(options)
  // A round's market opens at most one life of a mechanical market after the round starts, and is
  // then open for one life.
  const roundMsMax = slots.mechanical === 0
    ? 0
    : 2 * lifeOf(catalogue.at(slots.ordinary, options.origin))
  const makers = wallets.filter(({ group }) =>
    slots.mechanical > 0 && group.strategy === "interval_maker"
  )
  /** Ordinary markets live at `from.ordinary` or later, and those of rounds after `from.rounds`. */
  const marketsUntil = (
    to: EpochMs,
    from: { readonly ordinary: EpochMs; readonly rounds: EpochMs },
  ): ReadonlyArray<SimulatedMarket> => {
    const markets: Array<SimulatedMarket> = []
    for (let slot = 0; slot < slots.ordinary; slot++) {
      const last = catalogue.at(slot, to).generation
      for (let index = catalogue.at(slot, from.ordinary).generation; index <= last; index++) {
        markets.push(catalogue.generation(slot, index))
      }
    }
    for (const wallet of makers) {
      const length = roundMs(wallet)
      const first = Math.ceil((from.rounds - roundMsMax) / length) * length
      for (let at = first; at <= to; at += length) {
        markets.push(roundAt(options, catalogue, wallet, at))
      }
    }
    return markets
  }
  const marketsRedeemedOn = (dayNumber: number) => {
    const rounds = dayNumber * day - redemptionMsMax
    return marketsUntil(endOf(dayNumber), { ordinary: rounds - settlementMsMax, rounds })
  }
  const movesCache = makeMemo<DayPlans>(cachedDaysMax)
  const redemptionsCache = makeMemo<DayPlans>(cachedDaysMax)
  const withMoves = (dayNumber: number) =>
    movesCache(dayNumber, () => {
      const [from, to] = [dayNumber * day - moveRowsMs, endOf(dayNumber)]
      return byWallet(
        marketsUntil(to, { ordinary: from, rounds: from }).flatMap(plansIn)
          .filter(({ moves }) => moves.some(({ at }) => at >= from && at <= to)),
      )
    })
  const withRedemptions = (dayNumber: number) =>
    redemptionsCache(dayNumber, () => {
      const [from, to] = [dayNumber * day, endOf(dayNumber)]
      return byWallet(
        marketsRedeemedOn(dayNumber).flatMap(plansIn)
          .filter(({ redemption }) =>
            redemption !== null && redemption.at >= from && redemption.at <= to
          ),
      )
    })
  const preparing = makeMemo<Parts<void>>(cachedDaysMax)
  const prepareDay = (dayNumber: number) =>
    preparing(dayNumber, function* () {
      // These markets include those with moves on the day.
      for (const market of marketsRedeemedOn(dayNumber)) {
        plansIn(market)
        yield
      }
      withMoves(dayNumber)
      yield
      withRedemptions(dayNumber)
      yield
    })
  return { withMoves, withRedemptions, prepareDay }
}

/** The last millisecond of a day. */
const endOf = (dayNumber: number): EpochMs => (dayNumber + 1) * day - 1

function byWallet(plans: ReadonlyArray<Plan>): DayPlans {
  return Map.groupBy(plans, ({ wallet }) => wallet.number)
}

/** The market that an interval maker trades in the round that contains `at`. */
function roundAt(
  options: WorldOptions,
  catalogue: Catalogue,
  wallet: Wallet,
  at: EpochMs,
): SimulatedMarket {
  const slots = slotsOf(options)
  const round = Math.floor(at / roundMs(wallet))
  const slot = slots.ordinary +
    Math.floor(uniform(mix(mix(wallet.key, round), 9)) * slots.mechanical)
  return catalogue.generation(slot, catalogue.at(slot, round * roundMs(wallet)).generation + 1)
}

/** The time from an interval maker's one market to the next. */
function roundMs({ group }: Wallet): number {
  return Math.max(hour, Math.floor(day / group.entriesPerDay / second) * second)
}

/** Markets with valid books that one slot opens a day; a life is `short + (long - short) u^2` days. */
function openingsOf({ sportsShare, invalidBookShare, lifeDays: [short, long] }: WorldOptions) {
  const spread = Math.max(1e-9, long - short)
  const ordinary = Math.atan(Math.sqrt(spread / short)) / Math.sqrt(short * spread)
  // A sports market is listed for 2 to 5 days.
  const sports = Math.log(5 / 2) / 3
  return (1 - invalidBookShare) * (sportsShare * sports + (1 - sportsShare) * ordinary)
}

function lifeOf({ opensAt, resolvedAt }: SimulatedMarket): number {
  return resolvedAt - opensAt
}

/** Within a second, orders by transaction, so that the rows of a transaction are adjacent. */
function newestFirst(a: Activity, b: Activity): number {
  return b.at - a.at || (a.transaction < b.transaction ? -1 : a.transaction > b.transaction ? 1 : 0)
}

export type ActivityKind = PlannedMove["kind"] | "redeem" | CashFlowKind

/** Kinds of rows that move money but no shares. */
const cashFlowKinds = ["reward", "deposit", "maker_rebate"] as const
type CashFlowKind = (typeof cashFlowKinds)[number]

/** One row of a wallet's activity. */
export interface Activity {
  readonly kind: ActivityKind
  readonly wallet: Wallet
  readonly market: SimulatedMarket | null
  /** Null where the venue names no token, such as a split or a redemption. */
  readonly outcome: 0 | 1 | null
  /** Shares; USD for a cash flow. */
  readonly size: number
  readonly price: number
  readonly usd: number
  readonly role: "taker" | "maker"
  readonly at: EpochMs
  readonly transaction: string
}

const always: Range = { from: -Infinity, to: Infinity }

/** The rows of a plan in a range, oldest first. */
export function activityOf(plan: Plan, { from, to } = always): ReadonlyArray<Activity> {
  const { wallet, market, key, redemption } = plan
  const rows: Array<Activity> = []
  for (const [index, move] of plan.moves.entries()) {
    const trades = move.kind === "buy" || move.kind === "sell"
    if (move.at > to || move.at + moveRowsMs < from) continue
    for (const [row, { at, lots }] of rowsOf(move).entries()) {
      if (at < from || at > to) continue
      const size = lots / lotsPerShare
      rows.push({
        kind: move.kind,
        wallet,
        market,
        outcome: trades || move.kind === "convert" ? move.outcome : null,
        size,
        price: trades ? move.price : 0,
        usd: Math.round(size * (trades ? move.price : 1) * 1e6) / 1e6,
        role: move.role,
        at,
        transaction: transactionOf(mix(mix(key, 40 + index), move.sameTransaction ? 0 : row)),
      })
    }
  }
  if (redemption !== null && redemption.at >= from && redemption.at <= to) {
    rows.push({
      kind: "redeem",
      wallet,
      market,
      outcome: null,
      size: redemption.lots / lotsPerShare,
      price: 0,
      usd: redemption.usd,
      role: "taker",
      at: redemption.at,
      transaction: transactionOf(mix(key, 39)),
    })
  }
  return rows
}

/** The fill of an activity row; empty unless it is a trade. */
export function fillOf(activity: Activity): ReadonlyArray<Fill> {
  const { kind, market, outcome, price, size, at, role, wallet, transaction } = activity
  if ((kind !== "buy" && kind !== "sell") || market === null || outcome === null) return []
  return [{
    ...{ marketId: market.id, tokenId: market.tokenIds[outcome], side: kind },
    ...{ price, size, at, role, wallet: wallet.address, transaction },
  }]
}

/** Share of a wallet's days with a cash flow; makers get a rebate on most days. */
const cashFlowShare = 0.05
const rebateShare = 0.7

/** A wallet's rows without a market on one day (in days since the epoch). */
function cashFlowsOf(wallet: Wallet, dayNumber: number): ReadonlyArray<Activity> {
  const key = mix(mix(wallet.key, 41), dayNumber)
  const isMaker = wallet.group.strategy === "market_maker" ||
    wallet.group.strategy === "interval_maker"
  if (uniform(key) >= (isMaker ? rebateShare : cashFlowShare)) return []
  const usd = Math.round(uniform(mix(key, 1)) * 10_000) / 100
  return [{
    kind: isMaker ? "maker_rebate" : pick(mix(key, 2), cashFlowKinds),
    wallet,
    market: null,
    outcome: null,
    size: usd,
    price: 0,
    usd,
    role: "taker",
    at: dayNumber * day + Math.floor(uniform(mix(key, 3)) * day / second) * second,
    transaction: transactionOf(mix(key, 4)),
  }]
}

function transactionOf(key: Key): string {
  return `0x${hex(key, 64)}`
}
