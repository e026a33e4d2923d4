/**
 * Everything that wallets do in a simulated world: found by market, as its tape needs it, and by
 * wallet and day, as the venue shows it.
 *
 * @module
 */
import type { MarketId } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import type { Catalogue } from "./catalogue.ts"
import { type Deed, deedsOf, windfallsOf } from "./deeds.ts"
import { lastWordMs } from "./endings.ts"
import type { Episode, Plan } from "./episodes.ts"
import { type SimulatedMarket, turnZero } from "./lives.ts"
import { makeMemo, marketsKept, type Memo } from "./memo.ts"
import { planOf, type WalletView } from "./plans.ts"
import { mix, uniform } from "./seed.ts"
import type { Wallet } from "./wallets.ts"

interface HistoryOptions {
  readonly origin: EpochMs
  readonly markets: number
  readonly mechanicalShare: number
  readonly sportsShare: number
  readonly oddBookShare: number
  readonly lifeDays: readonly [number, number]
  /** Wallets began to trade this many days before the origin. */
  readonly walletDays: number
}

interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

export interface Histories {
  /** What every wallet does in a market. */
  readonly plansIn: (market: SimulatedMarket) => ReadonlyArray<Plan>
  /** What a wallet does in markets in which it does anything in `[from, to]`. */
  readonly plans: (wallet: Wallet, range: Range) => ReadonlyArray<Plan>
  /** What a wallet does in `[from, to]`, newest first, at most `count` rows. */
  readonly deeds: (wallet: Wallet, range: Range, count: number) => ReadonlyArray<Deed>
  /** A wallet's entries that begin in `[from, to]`, hedges too, ascending. */
  readonly episodes: (wallet: Wallet, from: EpochMs, to: EpochMs) => ReadonlyArray<Episode>
}

/** A move's last row is at most this long after its first. */
const rowsMs = minute
/** A wallet hands shares in at most this long after the last word on its market. */
const redeemingMs = 2 * day
/** Days of which is known who does something where. */
const keptDays = 800

type DayPlans = ReadonlyMap<number, ReadonlyArray<Plan>>

export function makeHistories(
  options: HistoryOptions,
  catalogue: Catalogue,
  view: WalletView,
  wallets: ReadonlyArray<Wallet>,
): Histories {
  const began = options.origin - options.walletDays * day
  const mechanicalSeats = Math.round(options.markets * options.mechanicalShare)
  const seats = options.markets - mechanicalSeats
  const opened = seats * openingsOf(options)
  const ofMarket = makeMemo<ReadonlyArray<Plan>>(2 * marketsKept(options.markets))
  const moving = makeMemo<DayPlans>(keptDays)
  const redeeming = makeMemo<DayPlans>(keptDays)
  // A turn's market opens within a life of such markets after it begins, and lives one more.
  const turnMaxMs = mechanicalSeats === 0 ? 0 : 2 * lifeOf(catalogue.at(seats, options.origin))
  const intervalMakers = wallets.filter(({ group }) => group.habit === "interval_maker")
  const others = wallets.filter(({ group }) => group.habit !== "interval_maker")

  const takesPart = ({ key, group }: Wallet, market: SimulatedMarket): boolean => {
    const together = uniform(mix(mix(key, market.eventKey), 7)) < group.eventShare
    const draw = mix(mix(key, together ? market.eventKey : market.key), 8)
    return uniform(draw) * opened < group.entriesPerDay
  }

  /** The market an interval maker is in, of those that open in one of its turns. */
  const turnOf = ({ key, group }: Wallet, turn: number): SimulatedMarket => {
    const seat = seats + Math.floor(uniform(mix(mix(key, turn), 9)) * mechanicalSeats)
    const from = turn * turnMs(group.entriesPerDay)
    const at = catalogue.at(seat, from)
    return catalogue.turn(seat, at.turn + 1)
  }
  const isTurnOf = (wallet: Wallet, market: SimulatedMarket): boolean =>
    turnOf(wallet, Math.floor(market.opensAt / turnMs(wallet.group.entriesPerDay))).id === market.id

  const plansIn = (market: SimulatedMarket): ReadonlyArray<Plan> => {
    if (market.kind !== "mechanical" && market.bookHabit !== "sound") return []
    if (market.closesAt < began) return []
    const name = market.seat * 2 ** 26 + market.turn + turnZero
    const known = ofMarket.get(name)
    if (known !== undefined) return known
    const taking = market.kind === "mechanical"
      ? intervalMakers.filter((wallet) => isTurnOf(wallet, market))
      : others.filter((wallet) => takesPart(wallet, market))
    const plans = taking.flatMap((wallet): ReadonlyArray<Plan> => {
      const plan = planOf(view, wallet, market)
      return plan === null || (plan.moves[0]?.at ?? 0) < began ? [] : [plan]
    })
    // Mechanical markets are many and cheap: they would only push the others out.
    if (market.kind !== "mechanical") ofMarket.set(name, plans)
    return plans
  }

  /** Ordinary markets that live in a stretch of time. */
  const lives = (from: EpochMs, to: EpochMs): ReadonlyArray<SimulatedMarket> => {
    const markets: Array<SimulatedMarket> = []
    for (let seat = 0; seat < seats; seat++) {
      const last = catalogue.at(seat, to).turn
      for (let turn = catalogue.at(seat, from).turn; turn <= last; turn++) {
        markets.push(catalogue.turn(seat, turn))
      }
    }
    return markets
  }
  /** Markets that interval makers take in turns that begin in a stretch of time. */
  const turns = (from: EpochMs, to: EpochMs): ReadonlyArray<SimulatedMarket> =>
    (mechanicalSeats === 0 ? [] : intervalMakers).flatMap((wallet) => {
      const length = turnMs(wallet.group.entriesPerDay)
      const first = Math.ceil(from / length)
      return Array.from(
        { length: Math.max(0, Math.floor(to / length) - first + 1) },
        (_, index) => turnOf(wallet, first + index),
      )
    })

  /** Every plan with a move in a day, by wallet. */
  const movingOn = (date: number): DayPlans => {
    const [from, to] = [date * day - rowsMs, (date + 1) * day - 1]
    return moving.get(date) ??
      kept(moving, date, () =>
        [...lives(from, to), ...turns(from - turnMaxMs, to)].flatMap(plansIn)
          .filter(({ moves }) => moves.some(({ at }) => at >= from && at <= to)))
  }

  /** Every plan that hands shares in on a day, by wallet. */
  const redeemingOn = (date: number): DayPlans => {
    const [from, to] = [date * day, (date + 1) * day - 1]
    return redeeming.get(date) ??
      kept(
        redeeming,
        date,
        () =>
          [
            ...lives(from - lastWordMs - redeemingMs, to),
            ...turns(from - turnMaxMs - redeemingMs, to),
          ]
            .flatMap(plansIn)
            .filter(({ redemption: paid }) => paid !== null && paid.at >= from && paid.at <= to),
      )
  }

  const daysOf = ({ from, to }: Range): readonly [first: number, last: number] => [
    Math.floor(Math.max(from, began) / day),
    Math.floor(to / day),
  ]

  /** A wallet's plans with a row in a day, each once. */
  const actingOn = (date: number, { number }: Wallet): ReadonlyArray<Plan> => {
    const plans = movingOn(date).get(number) ?? []
    const ids = new Set(plans.map(({ market }) => market.id))
    const paid = redeemingOn(date).get(number) ?? []
    return [...plans, ...paid.filter(({ market }) => !ids.has(market.id))]
  }

  return {
    plansIn,
    plans: (wallet, range) => {
      const [first, last] = daysOf(range)
      const found = new Map<MarketId, Plan>()
      for (let date = first; date <= last; date++) {
        for (const plan of actingOn(date, wallet)) found.set(plan.market.id, plan)
      }
      return [...found.values()]
    },
    deeds: (wallet, range, count) => {
      const [first, last] = daysOf(range)
      const rows: Array<Deed> = []
      for (let date = last; date >= first && rows.length < count; date--) {
        const from = Math.max(range.from, date * day)
        const to = Math.min(range.to, date * day + day - 1)
        const deeds = [...actingOn(date, wallet).flatMap(deedsOf), ...windfallsOf(wallet, date)]
        rows.push(...deeds.filter(({ at }) => at >= from && at <= to).sort(newestFirst))
      }
      return rows.slice(0, count)
    },
    episodes: (wallet, from, to) => {
      const [first, last] = daysOf({ from, to })
      const found: Array<Episode> = []
      for (let date = first; date <= last; date++) {
        for (const { episodes } of movingOn(date).get(wallet.number) ?? []) {
          for (const episode of episodes) {
            const at = episode.firstFillAt
            if (Math.floor(at / day) === date && at >= from && at <= to) found.push(episode)
          }
        }
      }
      return found.sort((a, b) => a.firstFillAt - b.firstFillAt)
    },
  }
}

/** Groups plans by wallet, and remembers them. */
function kept(
  memo: Memo<DayPlans>,
  date: number,
  plans: () => ReadonlyArray<Plan>,
): DayPlans {
  const found = Map.groupBy(plans(), ({ wallet }) => wallet.number)
  memo.set(date, found)
  return found
}

/** The rows of a transaction stay together; they are alike. */
function newestFirst(a: Deed, b: Deed): number {
  return b.at - a.at || (a.transaction < b.transaction ? -1 : a.transaction > b.transaction ? 1 : 0)
}

function lifeOf({ opensAt, resolvedAt }: SimulatedMarket): number {
  return resolvedAt - opensAt
}

/** How long an interval maker waits from one market to the next. */
function turnMs(entriesPerDay: number): number {
  return Math.max(hour, Math.floor(day / entriesPerDay / second) * second)
}

/** Markets with sound books that one seat opens in a day: lives are of `short + (long - short) u^2`. */
function openingsOf({ sportsShare, oddBookShare, lifeDays: [short, long] }: HistoryOptions) {
  const spread = Math.max(1e-9, long - short)
  const ordinary = Math.atan(Math.sqrt(spread / short)) / Math.sqrt(short * spread)
  // A sports market lives 2 to 5 days.
  const sports = Math.log(5 / 2) / 3
  return (1 - oddBookShare) * (sportsShare * sports + (1 - sportsShare) * ordinary)
}
