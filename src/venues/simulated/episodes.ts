/**
 * What a plan of one wallet in one market came to: its rows, its entries, what it handed in.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import { exact } from "./books.ts"
import type { Ending } from "./endings.ts"
import type { Move, ScriptEntry } from "./habits.ts"
import type { SimulatedMarket } from "./lives.ts"
import { between, type Key, mix, uniform } from "./seed.ts"
import type { Wallet } from "./wallets.ts"

/** A move as it was made, in one to four rows. */
export interface PlannedMove {
  readonly kind: Move["kind"]
  readonly outcome: 0 | 1
  readonly price: number
  /** Hundredths of a share, a whole number of them in each row. */
  readonly lots: number
  readonly pieces: number
  /** Whether its rows are of one transaction, alike in every field; else they come every 2 seconds. */
  readonly alike: boolean
  readonly role: "taker" | "maker"
  readonly at: EpochMs
}

/** An entry as a perfect observer would list it once all is over. */
export interface Episode {
  readonly wallet: Wallet
  readonly market: SimulatedMarket
  readonly outcome: 0 | 1
  readonly price: number
  /** Of its first row. */
  readonly openingPrice: number
  readonly stakeUsd: number
  readonly shares: number
  readonly hedgedShares: number
  /** Under half of it was left because the other side was bought: no entry at all. */
  readonly hedge: boolean
  /** Rows that bought it. */
  readonly fills: number
  readonly firstFillAt: EpochMs
  readonly lastFillAt: EpochMs
}

/** Shares handed in for what their market paid. */
interface Redemption {
  readonly at: EpochMs
  readonly lots: number
  readonly usd: number
}

export interface Plan {
  readonly wallet: Wallet
  readonly market: SimulatedMarket
  readonly key: Key
  readonly moves: ReadonlyArray<PlannedMove>
  readonly episodes: ReadonlyArray<Episode>
  readonly redemption: Redemption | null
}

/** Hundredths in a share. */
export const lotsPerShare = 100
const pieceMs = 2 * second
/** Winners are handed in this often, and what paid nothing this often. */
const winnersShare = 0.92
const losersShare = 0.08

/** When the rows of a move are, and of how many lots each is. */
export function rowsOf(
  move: PlannedMove,
): ReadonlyArray<{ readonly at: EpochMs; readonly lots: number }> {
  const rows: Array<{ at: EpochMs; lots: number }> = []
  for (let piece = 0; piece < move.pieces; piece++) {
    const at = move.at + (move.alike ? 0 : piece * pieceMs)
    rows.push({ at, lots: move.lots / move.pieces })
  }
  return rows
}

/** The entry that `entry` of a script became, when the script is about `own` and `base` lots. */
export function episodeOf(
  wallet: Wallet,
  market: SimulatedMarket,
  entry: ScriptEntry,
  moves: ReadonlyArray<PlannedMove>,
  { own, base }: { readonly own: 0 | 1; readonly base: number },
): Episode {
  const outcome = entry.side === "own" ? own : own === 0 ? 1 : 0
  const bought = entry.parts.flatMap(({ move, skip }) => {
    const made = moves[move]
    return made === undefined ? [] : partsAfter(made, Math.round(skip * base), outcome)
  })
  const lots = bought.reduce((sum, part) => sum + part.lots, 0)
  const hedgedLots = Math.round(entry.hedged * base)
  const cost = bought.reduce((sum, part) => sum + part.lots * part.price, 0)
  return {
    wallet,
    market,
    outcome,
    price: cost / lots,
    openingPrice: bought[0]?.price ?? 0,
    stakeUsd: cost / lotsPerShare,
    shares: lots / lotsPerShare,
    hedgedShares: hedgedLots / lotsPerShare,
    hedge: 2 * (lots - hedgedLots) < lots,
    fills: bought.length,
    firstFillAt: bought[0]?.at ?? 0,
    lastFillAt: bought.at(-1)?.at ?? 0,
  }
}

/** What the rows of a move brought of `outcome` after the first `skip` lots of it. */
function partsAfter(move: PlannedMove, skip: number, outcome: 0 | 1) {
  const price = move.outcome === outcome ? move.price : exact(1 - move.price)
  let left = skip
  return rowsOf(move).flatMap(({ at, lots }) => {
    const closing = Math.min(left, lots)
    left -= closing
    return lots === closing ? [] : [{ at, lots: lots - closing, price }]
  })
}

/** Lots of each outcome that the moves up to an instant leave. */
export function heldAfter(
  moves: ReadonlyArray<PlannedMove>,
  at: EpochMs,
): readonly [number, number] {
  const held: [number, number] = [0, 0]
  for (const move of moves) {
    if (move.at > at) break
    if (move.kind === "buy" || move.kind === "split") held[move.outcome] += move.lots
    else held[move.outcome] -= move.lots
    const other = move.outcome === 0 ? 1 : 0
    if (move.kind === "split") held[other] += move.lots
    if (move.kind === "merge") held[other] -= move.lots
  }
  return held
}

export function redemptionOf(
  payouts: readonly [number, number] | null,
  ending: Ending,
  moves: ReadonlyArray<PlannedMove>,
  key: Key,
): Redemption | null {
  const held = heldAfter(moves, Infinity)
  const lots = held[0] + held[1]
  if (payouts === null || lots === 0) return null
  const paidLots = held[0] * payouts[0] + held[1] * payouts[1]
  if (uniform(key) >= (paidLots > 0 ? winnersShare : losersShare)) return null
  const after = between(mix(key, 1), minute, 36 * hour)
  return {
    at: Math.ceil((ending.settledAt + after) / second) * second,
    lots,
    usd: Math.round(paidLots) / lotsPerShare,
  }
}
