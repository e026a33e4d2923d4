/**
 * Wallets of known skill: who they are, how many of each kind there are, and the scripts by which
 * they trade.
 *
 * A script names the entries beside the moves, by the definitions of `whale_entry` and not by
 * computing them, so that whatever computes them can be checked against it. Its own side is the one
 * a wallet's skill is about.
 *
 * @module
 */
import { hour, minute, second } from "../../core/domain/time.ts"
import { hex, type Key, mix, uniform } from "./seed.ts"
import { wordOf } from "./words.ts"

/** Wallets alike. */
export interface WalletGroup {
  readonly count: number
  readonly habit: Strategy
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
  habit: Strategy,
  count: number,
  edge: number,
  prices: readonly [number, number],
  entriesPerDay: number,
): WalletGroup {
  const rest = { repeatShare: 0, eventShare: 0, medianStakeUsd: 700 }
  return { habit, count, edge, prices, entriesPerDay, ...rest }
}

export type Strategy =
  | "bettor"
  | "seller"
  | "hedger"
  /** Leaves a position, or turns it, by buying the other outcome. */
  | "opposer"
  | "splitter"
  | "converter"
  /** Stands on both sides of ordinary markets. */
  | "market_maker"
  /** Stands on both sides of mechanical markets, of which there are thousands. */
  | "interval_maker"
  /** Buys what has as good as happened. */
  | "sweeper"

type Side = "own" | "other"

export interface Move {
  readonly kind: "buy" | "sell" | "split" | "merge" | "convert"
  readonly side: Side
  /** Shares, as a part of what the script is about. */
  readonly share: number
  /** Comes this long after the move before it. */
  readonly after: readonly [number, number]
  readonly role: "taker" | "maker"
}

/** An entry a script makes: of shares that its moves brought. */
export interface ScriptEntry {
  readonly side: Side
  /** Which moves bought it; of a move that closed something first, only what came after `skip`. */
  readonly parts: ReadonlyArray<
    { readonly move: number; readonly skip: number; readonly share: number }
  >
  /** What of it was given up again because the other side was bought. */
  readonly hedged: number
}

export interface Script {
  readonly moves: ReadonlyArray<Move>
  readonly entries: ReadonlyArray<ScriptEntry>
  /** Those of its entries that are no hedges. */
  readonly counted: ReadonlyArray<ScriptEntry>
  /** The last move that buys one of those; -1 where there is none. */
  readonly lastPurchase: number
  /** What is done instead where there is no time, or no price, for all of it. */
  readonly shorter: Script | null
}

const soon = [2 * minute, 40 * minute] as const
const sameDay = [hour, 10 * hour] as const
const later = [2 * hour, 60 * hour] as const
/** Long enough after a purchase that the next one is another entry. */
const nextDay = [25 * hour, 44 * hour] as const
const atOnce = [0, 0] as const
const quick = [20 * second, 50 * second] as const

function move(
  kind: Move["kind"],
  side: Side,
  share: number,
  after: Move["after"],
  role: Move["role"] = "taker",
): Move {
  return { kind, side, share, after, role }
}

/** An entry on the script's own side of whole moves, of which `hedged` was given up. */
function entry(hedged: number, ...parts: ReadonlyArray<readonly [move: number, share: number]>) {
  return {
    side: "own" as const,
    parts: parts.map(([move, share]) => ({ move, skip: 0, share })),
    hedged,
  }
}

const first = move("buy", "own", 1, atOnce)
const hold = scriptWith([first], [entry(0, [0, 1])], null)

function script(moves: ReadonlyArray<Move>, ...entries: ReadonlyArray<ScriptEntry>): Script {
  return scriptWith(moves, entries, hold)
}

function scriptWith(
  moves: ReadonlyArray<Move>,
  entries: ReadonlyArray<ScriptEntry>,
  shorter: Script | null,
): Script {
  const counted = entries.filter(({ hedged, parts }) =>
    2 * hedged <= parts.reduce((sum, { share }) => sum + share, 0)
  )
  const bought = counted.flatMap(({ parts }) => parts.map(({ move }) => move))
  return { moves, entries, counted, lastPurchase: Math.max(-1, ...bought), shorter }
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
/** Flat in between, so that two entries stand within a day. */
const soldAndReturned = script(
  [first, move("sell", "own", 1, sameDay), move("buy", "own", 0.8, sameDay)],
  entry(0, [0, 1]),
  entry(0, [2, 0.8]),
)
function hedged(share: number): Script {
  return script([first, move("buy", "other", share, sameDay)], entry(share, [0, 1]))
}
const hedgedAndMerged = script(
  [first, move("buy", "other", 1, sameDay), move("merge", "own", 1, soon)],
  entry(1, [0, 1]),
)
/** Its entry had ended, a day after its last purchase. */
const closedLate = script([first, move("buy", "other", 1, nextDay)], entry(0, [0, 1]))
const flipped = script(
  [move("buy", "other", 1, atOnce), move("buy", "own", 1.6, sameDay)],
  { ...entry(1, [0, 1]), side: "other" },
  { side: "own", parts: [{ move: 1, skip: 1, share: 0.6 }], hedged: 0 },
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

/** Scripts of each habit, and how often each is chosen beside the others. */
const scripts: Readonly<
  Record<Strategy, ReadonlyArray<readonly [weight: number, script: Script]>>
> = {
  bettor: [[7, hold], [3, added]],
  seller: [[2, hold], [3, soldPart], [3, soldAll], [1, soldPartThenMore], [2, soldAndReturned]],
  hedger: [
    ...[[2, hold], [2, hedged(1)], [2, hedged(0.7)], [2, hedged(0.3)]] as const,
    ...[[1, hedged(0.5)], [2, hedgedAndMerged]] as const,
  ],
  opposer: [[2, closedLate], [2, hedged(1)], [3, flipped]],
  splitter: [[3, splitAndSold], [2, splitSoldAndMerged], [2, splitAndMerged]],
  converter: [[1, hold], [3, converted]],
  market_maker: [[3, bothSides], [3, bothSidesTwice], [2, boughtAndSold]],
  interval_maker: [[1, interval]],
  sweeper: [[1, hold]],
}

/** At most this many entries into one market, a day or more apart. */
const runsMax = 6

/** What a wallet sets out to do in a market, if it goes on after each entry with a chance. */
export function scriptOf(habit: Strategy, repeatShare: number, key: Key): Script {
  let runs = 1
  while (runs < runsMax && uniform(mix(key, 30 + runs)) < repeatShare) runs += 1
  if (runs > 1) return runsOf(runs)
  const list = scripts[habit]
  let draw = uniform(mix(key, 30)) * list.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, script] of list) {
    draw -= weight
    if (draw < 0) return script
  }
  return hold
}

const runsKnown = new Map<number, Script>([[1, hold]])

/** That many entries on one side, none sold. */
function runsOf(count: number): Script {
  const known = runsKnown.get(count)
  if (known !== undefined) return known
  const shares = Array.from({ length: count }, (_, index) => [1, 0.7, 1, 0.4][index % 4] ?? 1)
  const made = scriptWith(
    shares.map((share, index) => move("buy", "own", share, index === 0 ? atOnce : nextDay)),
    shares.map((share, index) => entry(0, [index, share])),
    runsOf(count - 1),
  )
  runsKnown.set(count, made)
  return made
}
