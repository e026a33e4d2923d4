/**
 * Wallets of known skill: who they are, how they trade, and how many of each kind there are.
 *
 * @module
 */
import type { Habit } from "./habits.ts"
import { hex, type Key, mix, pick, uniform } from "./seed.ts"

/** Wallets alike. */
export interface WalletGroup {
  readonly count: number
  readonly habit: Habit
  /** Points of probability above the price paid: 0.08 is eight points; negative loses. */
  readonly edge: number
  /** Markets it enters a day, about; fewer where prices do not suit it. */
  readonly entriesPerDay: number
  /** Entry prices stay within these. */
  readonly prices: readonly [number, number]
  /** Chance that an entry is followed by another into the same market, a day or more later. */
  readonly repeatShare: number
  /** Chance that a wallet takes all markets of an event, or none. */
  readonly eventShare: number
  readonly medianStakeUsd: number
}

export interface Wallet {
  readonly number: number
  /** Everything the wallet does is drawn from this. */
  readonly key: Key
  /** Lower case. */
  readonly address: string
  readonly pseudonym: string
  /** A leaderboard name: sometimes none, sometimes the address with a number after it. */
  readonly userName: string
  readonly group: WalletGroup
}

/** About a hundred wallets, most of them without skill. */
export const defaultGroups: ReadonlyArray<WalletGroup> = [
  group("bettor", 4, 0.12, [0.2, 0.8], 3),
  group("bettor", 4, 0.06, [0.2, 0.8], 2),
  group("bettor", 28, 0, [0.05, 0.93], 2),
  group("bettor", 4, -0.1, [0.2, 0.8], 3),
  group("bettor", 6, -0.04, [0.2, 0.8], 1),
  { ...group("bettor", 10, 0, [0.1, 0.9], 1), repeatShare: 0.6 },
  { ...group("bettor", 6, 0, [0.02, 0.95], 3), eventShare: 0.7 },
  group("seller", 12, 0, [0.1, 0.9], 2),
  group("hedger", 8, 0, [0.2, 0.8], 2),
  group("opposer", 5, 0, [0.2, 0.8], 2),
  group("splitter", 4, 0, [0.1, 0.9], 2),
  group("converter", 3, 0, [0.2, 0.8], 2),
  { ...group("market_maker", 3, 0, [0.05, 0.95], 5), medianStakeUsd: 150 },
  { ...group("interval_maker", 1, 0, [0.05, 0.95], 15), medianStakeUsd: 60 },
  group("sweeper", 4, 0, [0.95, 0.999], 2),
]

const adjectives = words("Brisk Calm Dusty Early Fabled Gentle Hollow Idle Jolly Keen Lucid Mellow")
const nouns = words("Anchor Barrel Comet Dune Ember Falcon Glacier Harbor Island Jetty Kettle Lamp")

export function makeWallets(seed: number, groups: ReadonlyArray<WalletGroup>): Array<Wallet> {
  const wallets: Array<Wallet> = []
  for (const members of groups) {
    for (let i = 0; i < members.count; i++) {
      const number = wallets.length
      const key = mix(mix(0xa11e7, seed), number)
      const address = `0x${hex(key, 40)}`
      const pseudonym = `${pick(mix(key, 11), adjectives)}-${pick(mix(key, 12), nouns)}`
      const name = uniform(mix(key, 13))
      const userName = name < 0.2
        ? ""
        : name < 0.4
        ? `${address}-17${number}`
        : `${pseudonym}${number}`
      wallets.push({ number, key: mix(key, 14), address, pseudonym, userName, group: members })
    }
  }
  return wallets
}

function group(
  habit: Habit,
  count: number,
  edge: number,
  prices: readonly [number, number],
  entriesPerDay: number,
): WalletGroup {
  const rest = { repeatShare: 0, eventShare: 0, medianStakeUsd: 700 }
  return { habit, count, edge, prices, entriesPerDay, ...rest }
}

function words(list: string): readonly [string, ...ReadonlyArray<string>] {
  const [first = "Plain", ...rest] = list.split(" ")
  return [first, ...rest]
}
