/**
 * Everything that wallets do in a simulated world: found by market, as its tape needs it, and by
 * wallet and day, as the venue shows it.
 *
 * @module
 */
import { day, type EpochMs, hour, second } from "../../domain/time.ts"
import type { Catalogue } from "./catalogue.ts"
import { type Deed, deedsOf, windfallsOf } from "./deeds.ts"
import { lastWordMs } from "./endings.ts"
import type { Episode, Plan } from "./episodes.ts"
import { type SimulatedMarket, turnZero } from "./lives.ts"
import { makeMemo, marketsKept } from "./memo.ts"
import { planOf, type WalletView } from "./plans.ts"
import { mix, uniform } from "./seed.ts"
import type { Wallet } from "./wallets.ts"

export interface HistoryOptions {
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

/** A wallet hands shares in at most this long after its market was paid out. */
const afterlifeMs = lastWordMs + 2 * day
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
  const ofDay = makeMemo<DayPlans>(keptDays)
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

  /** Every plan with a row in a day, by wallet. */
  const plansOn = (date: number): DayPlans => {
    const known = ofDay.get(date)
    if (known !== undefined) return known
    const [from, to] = [date * day, (date + 1) * day - 1]
    const found = new Map<number, Array<Plan>>()
    const add = (market: SimulatedMarket) => {
      for (const plan of plansIn(market)) {
        const at = plan.redemption?.at ?? 0
        // A move's last row is seconds after its first, maybe on the next day.
        const acts = plan.moves.some((move) => move.at >= from - hour && move.at <= to)
        if (!acts && (at < from || at > to)) continue
        const list = found.get(plan.wallet.number)
        if (list === undefined) found.set(plan.wallet.number, [plan])
        else list.push(plan)
      }
    }
    for (let seat = 0; seat < seats; seat++) {
      const last = catalogue.at(seat, to).turn
      for (let turn = catalogue.at(seat, from - afterlifeMs).turn; turn <= last; turn++) {
        add(catalogue.turn(seat, turn))
      }
    }
    for (const wallet of mechanicalSeats === 0 ? [] : intervalMakers) {
      const length = turnMs(wallet.group.entriesPerDay)
      const first = Math.floor((from - 2 * day) / length)
      for (let turn = first; turn * length <= to; turn++) add(turnOf(wallet, turn))
    }
    ofDay.set(date, found)
    return found
  }

  const daysOf = ({ from, to }: Range): readonly [first: number, last: number] => [
    Math.floor(Math.max(from, began) / day),
    Math.floor(to / day),
  ]

  return {
    plansIn,
    plans: (wallet, range) => {
      const [first, last] = daysOf(range)
      const found = new Map<string, Plan>()
      for (let date = first; date <= last; date++) {
        for (const plan of plansOn(date).get(wallet.number) ?? []) found.set(plan.market.id, plan)
      }
      return [...found.values()]
    },
    deeds: (wallet, range, count) => {
      const [first, last] = daysOf(range)
      const rows: Array<Deed> = []
      for (let date = last; date >= first && rows.length < count; date--) {
        const [from, to] = [
          Math.max(range.from, date * day),
          Math.min(range.to, date * day + day - 1),
        ]
        const deeds = [
          ...(plansOn(date).get(wallet.number) ?? []).flatMap(deedsOf),
          ...windfallsOf(wallet, date),
        ]
        rows.push(...deeds.filter(({ at }) => at >= from && at <= to).sort(newestFirst))
      }
      return rows.slice(0, count)
    },
    episodes: (wallet, from, to) => {
      const [first, last] = daysOf({ from, to })
      const found: Array<Episode> = []
      for (let date = first; date <= last; date++) {
        for (const { episodes } of plansOn(date).get(wallet.number) ?? []) {
          found.push(
            ...episodes.filter(({ firstFillAt: at }) =>
              Math.floor(at / day) === date && at >= from && at <= to
            ),
          )
        }
      }
      return found.sort((a, b) => a.firstFillAt - b.firstFillAt)
    },
  }
}

/** The rows of a transaction stay together, in their own order. */
function newestFirst(a: Deed, b: Deed): number {
  return b.at - a.at ||
    (a.transaction < b.transaction ? -1 : a.transaction > b.transaction ? 1 : a.number - b.number)
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
