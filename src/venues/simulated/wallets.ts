/**
 * Wallets of known skill: their groups, names, and the scripts by which they trade.
 *
 * A script lists its moves and the entries that result from them. The entries are written by hand from
 * the definition of `whale_entry`, so that tests can compare them with computed ones. The skill of a
 * wallet applies to the script's own side.
 *
 * @module
 */
import { hour, minute, second } from "../../core/domain/time.ts"
import { hex, type Key, mix, uniform } from "./seed.ts"
import { wordOf } from "./words.ts"

/** Wallets with the same parameters. */
export interface WalletGroup {
  readonly count: number
  readonly strategy: Strategy
  /** Win probability minus price paid: 0.08 is eight points; a negative edge loses money. */
  readonly edge: number
  /** Approximate markets entered a day; fewer when prices are outside `prices`. */
  readonly entriesPerDay: number
  /** Least and greatest entry price. */
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

export type Strategy =
  | "bettor"
  | "seller"
  | "hedger"
  /** Closes or reverses a position by buying the other outcome. */
  | "opposer"
  | "splitter"
  | "converter"
  /** Quotes both sides of ordinary markets. */
  | "market_maker"
  /** Quotes both sides of mechanical markets, of which there are thousands. */
  | "interval_maker"
  /** Buys outcomes that are almost certain. */
  | "sweeper"

type Side = "own" | "other"

export interface ScriptMove {
  readonly kind: "buy" | "sell" | "split" | "merge" | "convert"
  readonly side: Side
  /** Shares, as a fraction of the script's base size. */
  readonly share: number
  /** Least and greatest time after the previous move, in milliseconds. */
  readonly after: readonly [number, number]
  readonly role: "taker" | "maker"
}

/** An entry that results from a script's moves. */
export interface ScriptEntry {
  readonly side: Side
  /** The moves that bought it. A move that first closed a position counts only after `skip`. */
  readonly purchases: ReadonlyArray<
    { readonly move: number; readonly skip: number; readonly share: number }
  >
  /** The fraction that was closed by buying the other side. */
  readonly hedged: number
}

export interface TradingScript {
  readonly moves: ReadonlyArray<ScriptMove>
  readonly entries: ReadonlyArray<ScriptEntry>
  /** The entries that are not hedges: at most half of each was hedged. */
  readonly unhedged: ReadonlyArray<ScriptEntry>
  /** The last move that buys one of `unhedged`; -1 when there is none. */
  readonly lastPurchase: number
  /** The script to try when there is no time or no suitable price for all of this one. */
  readonly shorter: TradingScript | null
}

const soon = [2 * minute, 40 * minute] as const
const sameDay = [hour, 10 * hour] as const
const later = [2 * hour, 60 * hour] as const
/** Long enough after a purchase that the next purchase is a new entry. */
const nextDay = [25 * hour, 44 * hour] as const
const atOnce = [0, 0] as const
const quick = [20 * second, 50 * second] as const

function move(
  kind: ScriptMove["kind"],
  side: Side,
  share: number,
  after: ScriptMove["after"],
  role: ScriptMove["role"] = "taker",
): ScriptMove {
  return { kind, side, share, after, role }
}

/** An entry on the script's own side, bought by whole moves. */
function entry(
  hedged: number,
  ...purchases: ReadonlyArray<readonly [move: number, share: number]>
) {
  return {
    side: "own" as const,
    purchases: purchases.map(([move, share]) => ({ move, skip: 0, share })),
    hedged,
  }
}

const first = move("buy", "own", 1, atOnce)
const buyAndHold = scriptWith([first], [entry(0, [0, 1])], null)

function script(
  moves: ReadonlyArray<ScriptMove>,
  ...entries: ReadonlyArray<ScriptEntry>
): TradingScript {
  return scriptWith(moves, entries, buyAndHold)
}

function scriptWith(
  moves: ReadonlyArray<ScriptMove>,
  entries: ReadonlyArray<ScriptEntry>,
  shorter: TradingScript | null,
): TradingScript {
  const unhedged = entries.filter(({ hedged, purchases }) =>
    2 * hedged <= purchases.reduce((sum, { share }) => sum + share, 0)
  )
  const bought = unhedged.flatMap(({ purchases }) => purchases.map(({ move }) => move))
  return { moves, entries, unhedged, lastPurchase: Math.max(-1, ...bought), shorter }
}

const added = script(
  [move("buy", "own", 0.6, atOnce), move("buy", "own", 0.4, sameDay)],
  entry(0, [0, 0.6], [1, 0.4]),
)
const soldPart = script([first, move("sell", "own", 0.4, later)], entry(0, [0, 1]))
const soldAll = script([first, move("sell", "own", 1, later)], entry(0, [0, 1]))
const soldPartThenMore = script(
  [first, move("sell", "own", 0.5, sameDay), move("buy", "own", 0.3, soon)],
  entry(0, [0, 1], [2, 0.3]),
)
/** The position is flat in between, so there are two entries within a day. */
const soldAndReturned = script(
  [first, move("sell", "own", 1, sameDay), move("buy", "own", 0.8, sameDay)],
  entry(0, [0, 1]),
  entry(0, [2, 0.8]),
)
function hedged(share: number): TradingScript {
  return script([first, move("buy", "other", share, sameDay)], entry(share, [0, 1]))
}
const hedgedAndMerged = script(
  [first, move("buy", "other", 1, sameDay), move("merge", "own", 1, soon)],
  entry(1, [0, 1]),
)
/** The entry was already complete: a day had passed since its last purchase. */
const closedLate = script([first, move("buy", "other", 1, nextDay)], entry(0, [0, 1]))
const flipped = script(
  [move("buy", "other", 1, atOnce), move("buy", "own", 1.6, sameDay)],
  { ...entry(1, [0, 1]), side: "other" },
  { side: "own", purchases: [{ move: 1, skip: 1, share: 0.6 }], hedged: 0 },
)
const splitAndSold = script(
  [move("split", "own", 1, atOnce), move("sell", "other", 1, soon)],
  entry(0, [1, 1]),
)
const splitSoldAndMerged = script(
  [
    move("split", "own", 1, atOnce),
    move("sell", "other", 0.5, soon),
    move("merge", "own", 0.5, soon),
  ],
  entry(0, [1, 0.5]),
)
const splitAndMerged = script(
  [move("split", "own", 1, atOnce), move("merge", "own", 1, soon)],
)
const converted = script([first, move("convert", "own", 1, sameDay)], entry(0, [0, 1]))
const bothSides = script(
  [
    move("buy", "own", 1, atOnce, "maker"),
    move("buy", "other", 1, soon, "maker"),
    move("merge", "own", 1, soon),
  ],
  entry(1, [0, 1]),
)
const bothSidesTwice = script(
  [
    move("buy", "own", 1, atOnce, "maker"),
    move("buy", "other", 1, soon, "maker"),
    move("buy", "other", 0.8, sameDay, "maker"),
    move("buy", "own", 0.8, soon, "taker"),
  ],
  entry(1, [0, 1]),
  { ...entry(0.8, [2, 0.8]), side: "other" },
)
const boughtAndSold = script(
  [
    move("buy", "own", 1, atOnce, "maker"),
    move("sell", "own", 1, soon, "maker"),
    move("buy", "other", 0.6, sameDay, "maker"),
    move("buy", "own", 0.6, soon, "maker"),
  ],
  entry(0, [0, 1]),
  { ...entry(0.6, [2, 0.6]), side: "other" },
)
const interval = scriptWith(
  [move("buy", "own", 1, atOnce, "maker"), move("buy", "other", 1, quick, "maker")],
  [entry(1, [0, 1])],
  null,
)

/** The scripts of each strategy, with the relative weight of each. */
const scripts: Readonly<
  Record<Strategy, ReadonlyArray<readonly [weight: number, script: TradingScript]>>
> = {
  bettor: [[7, buyAndHold], [3, added]],
  seller: [[2, buyAndHold], [3, soldPart], [3, soldAll], [1, soldPartThenMore], [
    2,
    soldAndReturned,
  ]],
  hedger: [
    ...[[2, buyAndHold], [2, hedged(1)], [2, hedged(0.7)], [2, hedged(0.3)]] as const,
    ...[[1, hedged(0.5)], [2, hedgedAndMerged]] as const,
  ],
  opposer: [[2, closedLate], [2, hedged(1)], [3, flipped]],
  splitter: [[3, splitAndSold], [2, splitSoldAndMerged], [2, splitAndMerged]],
  converter: [[1, buyAndHold], [3, converted]],
  market_maker: [[3, bothSides], [3, bothSidesTwice], [2, boughtAndSold]],
  interval_maker: [[1, interval]],
  sweeper: [[1, buyAndHold]],
}

/** The largest number of entries into one market; they are a day or more apart. */
const runsMax = 6

/** Draws a wallet's script for a market; after each entry, another follows with `repeatShare`. */
export function scriptOf(strategy: Strategy, repeatShare: number, key: Key): TradingScript {
  let runs = 1
  while (runs < runsMax && uniform(mix(key, 30 + runs)) < repeatShare) runs += 1
  if (runs > 1) return runsOf(runs)
  const list = scripts[strategy]
  let draw = uniform(mix(key, 30)) * list.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, script] of list) {
    draw -= weight
    if (draw < 0) return script
  }
  return buyAndHold
}

const runsCache = new Map<number, TradingScript>([[1, buyAndHold]])

/** A script of `count` entries on one side, without a sale. */
function runsOf(count: number): TradingScript {
  const known = runsCache.get(count)
  if (known !== undefined) return known
  const shares = Array.from({ length: count }, (_, index) => [1, 0.7, 1, 0.4][index % 4] ?? 1)
  const computed = scriptWith(
    shares.map((share, index) => move("buy", "own", share, index === 0 ? atOnce : nextDay)),
    shares.map((share, index) => entry(0, [index, share])),
    runsOf(count - 1),
  )
  runsCache.set(count, computed)
  return computed
}
