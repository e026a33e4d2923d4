/**
 * Simulated worlds in which every wallet's skill is known, the wallets that their boards select, and the
 * labels of several rules for these wallets.
 *
 * @module
 */
import { runParts } from "../src/core/domain/parts.ts"
import { rankedIn } from "../src/venues/simulated/walletSource.ts"
import type { Episode } from "../src/venues/simulated/plans.ts"
import type { Wallet, WalletGroup } from "../src/venues/simulated/wallets.ts"
import { makeWorld, type World } from "../src/venues/simulated/world.ts"
import {
  type Judgement,
  judgementOf,
  labels,
  resolvedEntriesMin,
} from "../src/whales/domain/label.ts"
import { type Rates, ratesOf } from "../src/whales/domain/rates.ts"
import {
  type EnteredMarket,
  eventScores,
  noSums,
  recount,
  type WalletSums,
} from "../src/whales/domain/score.ts"
import { day, type EpochMs } from "../src/core/domain/time.ts"

/** Only ordinary markets: no interval markets, invalid books or matches. */
const plain = {
  mechanicalShare: 0,
  sportsShare: 0,
  invalidBookShare: 0,
  lifeDays: [8, 16],
} as const

/** Wallets selected from each kind of board. */
const picked = { volume: 60, profit: 40 }
const wallets = 100

/**
 * Many more wallets than the boards select. Frequent bettors have smaller stakes, so that the volume
 * board selects all kinds.
 */
function nullGroups(): ReadonlyArray<WalletGroup> {
  return [0.6, 1, 1.5, 2, 3, 4].map((entriesPerDay) => ({
    count: 30,
    strategy: "bettor",
    edge: 0,
    entriesPerDay,
    prices: [0.02, 0.95],
    repeatShare: 0.3,
    eventShare: 0.5,
    medianStakeUsd: 1_500 / entriesPerDay,
  }))
}

/** Few wallets with skill, many without that bet as often, and others that bet rarely. */
function skilledGroups(edge: number, skilled: number): ReadonlyArray<WalletGroup> {
  const group = (count: number, edge: number, entriesPerDay: number): WalletGroup => ({
    count,
    strategy: "bettor",
    edge,
    entriesPerDay,
    prices: [0.3, 0.7],
    repeatShare: 0,
    eventShare: 0,
    medianStakeUsd: 700,
  })
  return [group(skilled, edge, 26), group(wallets - skilled, 0, 26), group(wallets, 0, 1)]
}

/** The figures of a wallet that rules use, and its true edge. */
export interface Seen {
  readonly edge: number
  readonly rates: Rates | null
  readonly judgement: Judgement | null
}

/**
 * A world without skill, whose boards are read in the middle of the run. All entries of a wallet of the
 * volume board count, and of a wallet of the profit board only later ones. `profitWhole` counts all
 * entries of the latter too, which ignores that they were selected because they won.
 */
export function nullWorld(seed: number): {
  readonly volume: ReadonlyArray<Seen>
  readonly profit: ReadonlyArray<Seen>
  readonly profitWhole: ReadonlyArray<Seen>
} {
  const walletDays = 70
  const world = makeWorld({ ...plain, seed, markets: 80, walletDays, wallets: nullGroups() })
  const [began, ends] = [world.options.origin - walletDays * day, world.options.origin]
  const read = began + walletDays / 2 * day
  const board = (by: "volume" | "profit") => boardOf(world, by, read)
  const volume = board("volume").slice(0, picked.volume)
  const profit = board("profit").filter((wallet) => !volume.includes(wallet)).slice(
    0,
    picked.profit,
  )
  const seen = (wallet: Wallet, from: EpochMs) =>
    see(world, wallet, eventsOf(world.truth.episodes(wallet, from, ends)), read)
  return {
    volume: volume.map((wallet) => seen(wallet, began)),
    profit: profit.map((wallet) => seen(wallet, read)),
    profitWhole: profit.map((wallet) => seen(wallet, began)),
  }
}

/** Counted bets of each wallet. */
const bets = 600

/**
 * A world in which some of the most active wallets have `edge`. For each of `sharings`, every bet of a
 * wallet is repeated that many times in its event, in accordingly fewer events.
 */
export function skilledWorld(
  seed: number,
  { edge, skilled }: { readonly edge: number; readonly skilled: number },
  sharings: ReadonlyArray<number>,
): ReadonlyArray<ReadonlyArray<Seen>> {
  const walletDays = 90
  const groups = skilledGroups(edge, skilled)
  const world = makeWorld({ ...plain, seed, markets: 500, walletDays, wallets: groups })
  const [began, ends] = [world.options.origin - walletDays * day, world.options.origin]
  const tracked = boardOf(world, "volume", ends).slice(0, wallets)
  return sharings.map((times) =>
    tracked.map((wallet) => {
      const events = eventsOf(world.truth.episodes(wallet, began, ends)).slice(0, bets / times)
      const repeated = events.map(([first]) =>
        first === undefined ? [] : Array.from({ length: times }, () => first)
      )
      return see(world, wallet, repeated, began)
    })
  )
}

/** The wallets by their results until the midnight before `at`. */
function boardOf(world: World, by: "volume" | "profit", at: EpochMs): ReadonlyArray<Wallet> {
  return runParts(rankedIn(world, { period: "all", category: "overall", by }, at))
    .map(({ wallet }) => wallet)
}

/** Entries by event, in the order in which the events were first entered. */
function eventsOf(episodes: ReadonlyArray<Episode>): ReadonlyArray<ReadonlyArray<Episode>> {
  return [...Map.groupBy(episodes, ({ market }) => market.eventSlug).values()]
}

function see(
  world: World,
  wallet: Wallet,
  events: ReadonlyArray<ReadonlyArray<Episode>>,
  selectedAt: EpochMs,
): Seen {
  const sums = sumsOf(world, events, selectedAt)
  return { edge: wallet.group.edge, rates: ratesOf(sums), judgement: judgementOf(sums) }
}

function sumsOf(
  world: World,
  events: ReadonlyArray<ReadonlyArray<Episode>>,
  selectedAt: EpochMs,
): WalletSums {
  return events.reduce((sums, episodes) => {
    const markets = [...Map.groupBy(episodes, ({ market }) => market.id).values()]
      .flatMap((entries): ReadonlyArray<EnteredMarket> => {
        const market = entries[0]?.market
        if (market === undefined) return []
        const { endsAt: at, takerFeeRate: feeRate } = market
        const ended = { payouts: world.truth.payouts(market), at, waits: false }
        return [{ entries, ended, feeRate }]
      })
    return recount(sums, [], eventScores(markets, selectedAt).flatMap((score) => score ?? []))
  }, noSums)
}

type Label = "follow" | "fade" | "neutral"

/** The label of each rule for each wallet, in order. */
export const rules: Readonly<
  Record<string, (seen: ReadonlyArray<Seen>) => ReadonlyArray<Label>>
> = {
  "this rule": judged,
  "win rate over 55 %": (seen) =>
    seen.map(({ rates }) =>
      rates !== null && rates.resolved >= resolvedEntriesMin && rates.winRate > 0.55
        ? "follow"
        : "neutral"
    ),
}

function judged(seen: ReadonlyArray<Seen>): ReadonlyArray<Label> {
  const judgements = seen.flatMap(({ judgement }, i) =>
    judgement === null ? [] : [[`${i}`, judgement] as const]
  )
  const given = labels(new Map(judgements))
  return seen.map((_, i) => given.get(`${i}`) ?? "neutral")
}
