/**
 * Wallets of known skill: their groups, names, and the scripts by which they trade.
 *
 * The skill of a wallet applies to the script's own side.
 *
 * @module
 */
import { hour, minute } from "../../core/domain/time.ts"
import { hex, type Key, mix, pick, uniform } from "./seed.ts"
import { wordOf } from "./words.ts"

/** Wallets with the same parameters. */
export interface WalletGroup {
  readonly count: number
  readonly strategy: Strategy
  /** Win probability minus price paid: 0.08 is eight points; a negative edge loses money. */
  readonly edge: number
  /** Approximate markets entered a day; fewer when prices are outside `prices`. */
  readonly entriesPerDay: number
  /** Whether it trades in markets of one day only. */
  readonly daily?: boolean
  /** Least and greatest entry price, on either side. */
  readonly prices: readonly [number, number]
  /** Chance that another entry into the same market follows, a day or more later. */
  readonly repeatShare: number
  /** Chance that the wallet decides for all markets of an event together: it trades all or none. */
  readonly eventShare: number
  readonly medianStakeUsd: number
}

export interface Wallet {
  readonly number: number
  /** The key of all draws about the wallet. */
  readonly key: Key
  /** Lower case. */
  readonly address: string
  readonly pseudonym: string
  /** The leaderboard name: may be empty, or the address followed by a number. */
  readonly userName: string
  readonly group: WalletGroup
}

/** Most of them without skill. */
export const defaultGroups: ReadonlyArray<WalletGroup> = [
  group("bettor", 4, 0.12, [0.2, 0.8], 3),
  group("bettor", 4, 0.06, [0.2, 0.8], 2),
  group("bettor", 28, 0, [0.07, 0.93], 2),
  group("bettor", 4, -0.1, [0.2, 0.8], 3),
  group("bettor", 6, -0.04, [0.2, 0.8], 1),
  { ...group("bettor", 10, 0, [0.1, 0.9], 1), repeatShare: 0.6 },
  { ...group("bettor", 6, 0, [0.05, 0.95], 3), eventShare: 0.7 },
  group("seller", 16, 0, [0.1, 0.9], 2),
  group("hedger", 12, 0, [0.2, 0.8], 2),
  { ...group("maker", 4, 0, [0.05, 0.95], 5), medianStakeUsd: 150 },
]

export function makeWallets(seed: number, groups: ReadonlyArray<WalletGroup>): Array<Wallet> {
  const wallets: Array<Wallet> = []
  for (const members of groups) {
    for (let i = 0; i < members.count; i++) {
      const number = wallets.length
      const key = mix(mix(0xa11e7, seed), number)
      const address = `0x${hex(key, 40)}`
      const pseudonym = `${wordOf(mix(key, 11), "adjectives")}-${wordOf(mix(key, 12), "nouns")}`
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
  strategy: Strategy,
  count: number,
  edge: number,
  prices: readonly [number, number],
  entriesPerDay: number,
): WalletGroup {
  const rest = { repeatShare: 0, eventShare: 0, medianStakeUsd: 700 }
  return { strategy, count, edge, prices, entriesPerDay, ...rest }
}

/** `hedger` and `maker` also buy the other side: the first of some markets, the second of each. */
type Strategy = "bettor" | "seller" | "hedger" | "maker"

export interface ScriptMove {
  readonly kind: "buy" | "sell"
  readonly side: "own" | "other"
  /** Shares, as a fraction of the script's base size. */
  readonly share: number
  /** Least and greatest time after the previous move, in milliseconds. */
  readonly after: readonly [number, number]
}

/** The first move buys the script's own side. */
export type TradingScript = ReadonlyArray<ScriptMove>

const sameDay = [hour, 10 * hour] as const
const later = [2 * hour, 60 * hour] as const
/** Long enough after a purchase that the next purchase is a new entry. */
export const nextDay = [25 * hour, 44 * hour] as const

function buy(share: number, after: ScriptMove["after"] = [0, 0]): ScriptMove {
  return { kind: "buy", side: "own", share, after }
}

function buyOther(share: number, after: ScriptMove["after"]): ScriptMove {
  return { kind: "buy", side: "other", share, after }
}

function sell(share: number): ScriptMove {
  return { kind: "sell", side: "own", share, after: later }
}

const buyAndHold = [buy(1)]

/** The scripts of each strategy, each as likely. */
const scripts: Readonly<Record<Strategy, ReadonlyArray<TradingScript>>> = {
  bettor: [buyAndHold, buyAndHold, [buy(0.6), buy(0.4, sameDay)]],
  seller: [buyAndHold, [buy(1), sell(0.4)], [buy(1), sell(1)]],
  hedger: [buyAndHold, ...[1, 0.7, 0.3].map((share) => [buy(1), buyOther(share, sameDay)])],
  maker: [[buy(1), buyOther(1, [2 * minute, 40 * minute])]],
}

/** The largest number of entries into one market; they are a day or more apart. */
const runsMax = 6

/** Draws a wallet's script for a market; after each entry, another follows with `repeatShare`. */
export function scriptOf({ strategy, repeatShare }: WalletGroup, key: Key): TradingScript {
  let runs = 1
  while (runs < runsMax && uniform(mix(key, 30 + runs)) < repeatShare) runs += 1
  if (runs === 1) return pick(mix(key, 30), scripts[strategy])
  return [1, 0.7, 1, 0.4, 1, 0.7].slice(0, runs)
    .map((share, index) => buy(share, index === 0 ? undefined : nextDay))
}
