/**
 * Everything that one wallet does in one market, and the entries that result.
 *
 * A wallet that enters at price q wins with probability q + edge. To reach that, the plan chooses the
 * side with the help of the hidden outcome, exactly as often as needed. So the edge at the prices paid is
 * exact on average, and the choices look like those of any other wallet. A plan depends only on wallet
 * and market, and the wallet does nothing else in that market, so the plan is the whole position.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import { type Quote, roundPrice } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { Ending } from "./endings.ts"
import { between, gaussian, type Key, mix, uniform } from "./seed.ts"
import {
  type ScriptEntry,
  type ScriptMove,
  scriptOf,
  type TradingScript,
  type Wallet,
} from "./wallets.ts"

/** The parts of the world that planning needs, hidden ones included. */
export interface WalletView {
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
  readonly ending: (market: SimulatedMarket) => Ending
}

/** A move with its time and quote. */
interface QuotedMove {
  readonly move: ScriptMove
  readonly at: EpochMs
  readonly quote: Quote
}

/** Times a wallet tries to enter a market, and the fraction of the market's life between them. */
const attemptsMax = 4
const attemptSpacing = 0.07
/** Times a move waits for a valid book, and how long each time. */
const waitsMax = 6
const waitMs = 7 * minute
/** The last move is at least this long before trading ends. */
const lastMoveMs = 30 * second
/** Sizes are multiples of this many lots, so that fractions for moves and rows are whole lots. */
const lotUnit = 120
/** The smallest order is 5 shares. */
const lotUnitsMin = 5

/** The plan of a wallet that trades in `market`; null when no price there is within its limits. */
export function planOf(view: WalletView, wallet: Wallet, market: SimulatedMarket): Plan | null {
  const key = mix(wallet.key, market.key)
  const sweeps = wallet.group.strategy === "sweeper"
  const [from, to] = sweeps
    ? [market.revealsAt, market.resolvedAt - lastMoveMs]
    : [market.opensAt, market.closesAt - lastMoveMs]
  const start = from + between(mix(key, 1), 0, 0.9) * (to - from)
  const wanted = scriptOf(wallet.group.strategy, wallet.group.repeatShare, key)
  let lastSeenAt = 0
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const at = Math.ceil((start + attempt * attemptSpacing * (to - from)) / second) * second
    for (let script: TradingScript | null = wanted; script !== null; script = script.shorter) {
      const quoted = quoteMoves(view, market, script, at, to, mix(key, 2 + attempt))
      if (quoted === null) continue
      lastSeenAt = Math.max(lastSeenAt, quoted[script.lastPurchase]?.at ?? 0)
      const affordable = affordableSides(wallet, script, quoted)
      if (!affordable[0] && !affordable[1]) continue
      const own = sweeps
        ? favourite(quoted)
        : sideOf(view, wallet, market, script, quoted, { lastSeenAt, key: mix(key, 10) })
      return affordable[own] ? makePlan(view, wallet, market, script, quoted, own, key) : null
    }
  }
  return null
}

/** The script's moves from `at` on, with quotes; null when there is no time or no valid book. */
function quoteMoves(
  view: WalletView,
  market: SimulatedMarket,
  script: TradingScript,
  at: EpochMs,
  to: EpochMs,
  key: Key,
): ReadonlyArray<QuotedMove> | null {
  const found: Array<QuotedMove> = []
  let time = at
  for (const [index, move] of script.moves.entries()) {
    time += Math.ceil(between(mix(key, index), ...move.after) / second) * second
    let quote: Quote | null = null
    for (let wait = 0; wait < waitsMax && quote === null && time < to; wait++) {
      const seen = view.quote(market, time)
      if (seen !== null && seen.fault === "none" && !seen.dislocated) quote = seen
      else time += waitMs
    }
    if (quote === null) return null
    found.push({ move, at: time, quote })
  }
  return found
}

/**
 * Draws the outcome that is the script's own side. Given all that the wallet has seen up to `lastSeenAt`,
 * both are equally likely. The hidden outcome biases the draw by exactly so much that the mean edge of
 * the entries, at the prices paid, is the wallet's edge.
 */
function sideOf(
  view: WalletView,
  wallet: Wallet,
  market: SimulatedMarket,
  script: TradingScript,
  quoted: ReadonlyArray<QuotedMove>,
  { lastSeenAt, key }: { readonly lastSeenAt: EpochMs; readonly key: Key },
): 0 | 1 {
  const { unhedged } = script
  if (unhedged.length === 0) return uniform(key) < 0.5 ? 0 : 1
  const truth = view.probability(market, lastSeenAt)
  const halfSpread = unhedged.reduce((sum, entry) => {
    const [first, second] = [priceOf(entry, quoted, 0), priceOf(entry, quoted, 1)]
    return sum + (first + second - 1) / 2
  }, 0) / unhedged.length
  const edge = wallet.group.edge + halfSpread
  const payout = view.payouts(market)?.[0] ?? 0.5
  const bias = payout === 1 ? edge / (2 * truth) : payout === 0 ? -edge / (2 * (1 - truth)) : 0
  return uniform(key) < 0.5 + bias ? 0 : 1
}

/** Volume-weighted price of an entry when `own` is the script's own side. */
function priceOf(entry: ScriptEntry, quoted: ReadonlyArray<QuotedMove>, own: 0 | 1): number {
  let [cost, shares] = [0, 0]
  for (const { move, share } of entry.purchases) {
    const at = quoted[move]
    if (at === undefined) continue
    cost += share * costInMove(entry, at, own)
    shares += share
  }
  return cost / shares
}

/** The cost of a share of the entry's side in one move; selling the other side is buying it. */
function costInMove(entry: ScriptEntry, { move, quote }: QuotedMove, own: 0 | 1): number {
  const price = tradePrice(move, quote, move.side === "own" ? own : otherOf(own))
  return move.side === entry.side ? price : roundPrice(1 - price)
}

/** The price of a move in `outcome`: takers pay the spread, makers earn it. */
function tradePrice(move: ScriptMove, quote: Quote, outcome: 0 | 1): number {
  const lifts = (move.kind !== "sell") === (move.role === "taker")
  return lifts ? costOf(quote, outcome) : roundPrice(1 - costOf(quote, otherOf(outcome)))
}

/** The price at which a taker buys an outcome. */
function costOf(quote: Quote, outcome: 0 | 1): number {
  return outcome === 0
    ? quote.askTicks / quote.ticksPerUsd
    : roundPrice(1 - quote.bidTicks / quote.ticksPerUsd)
}

function otherOf(outcome: 0 | 1): 0 | 1 {
  return outcome === 0 ? 1 : 0
}

function favourite([first]: ReadonlyArray<QuotedMove>): 0 | 1 {
  return first === undefined || costOf(first.quote, 0) > 0.5 ? 0 : 1
}

/**
 * On which sides the script's purchases are within the wallet's price limits. Whether the wallet tries
 * again must not depend on the chosen side, which is drawn with the hidden outcome. So when only the
 * other side is affordable, the wallet leaves the market; and several purchases must all be affordable
 * on both sides.
 */
function affordableSides(
  { group: { prices: [low, high] } }: Wallet,
  script: TradingScript,
  quoted: ReadonlyArray<QuotedMove>,
): readonly [boolean, boolean] {
  const entries = script.unhedged.length > 0 ? script.unhedged : script.entries.slice(0, 1)
  let [first, second, purchaseCount] = [true, true, 0]
  for (const entry of entries) {
    for (const { move } of entry.purchases) {
      const at = quoted[move]
      if (at === undefined) return [false, false]
      const prices = [costInMove(entry, at, 0), costInMove(entry, at, 1)] as const
      first &&= prices[0] >= low && prices[0] <= high
      second &&= prices[1] >= low && prices[1] <= high
      purchaseCount += 1
    }
  }
  const both = first && second
  return purchaseCount > 1 ? [both, both] : [first, second]
}

function makePlan(
  view: WalletView,
  wallet: Wallet,
  market: SimulatedMarket,
  script: TradingScript,
  quoted: ReadonlyArray<QuotedMove>,
  own: 0 | 1,
  key: Key,
): Plan {
  const stakeUsd = wallet.group.medianStakeUsd * Math.exp(0.9 * gaussian(mix(key, 20)))
  const price = quoted[0] === undefined ? 0.5 : costOf(quoted[0].quote, own)
  const units = Math.max(lotUnitsMin, Math.round(stakeUsd / price * lotsPerShare / lotUnit))
  const base = units * lotUnit
  const moves = quoted.map(({ move, at, quote }, index): PlannedMove => {
    const draw = mix(mix(key, 21), index)
    const outcome = move.side === "own" ? own : otherOf(own)
    const trades = move.kind === "buy" || move.kind === "sell"
    return {
      kind: move.kind,
      outcome,
      price: tradePrice(move, quote, outcome),
      lots: Math.round(base * move.share),
      rowCount: trades ? 1 + mix(draw, 1) % 4 : 1,
      sameTransaction: uniform(mix(draw, 2)) < 0.4,
      role: move.role,
      at,
    }
  }).filter(({ kind, outcome }) => kind !== "convert" || outcome === 1 && market.siblings > 1)
  const episodes = script.entries.map((entry) =>
    episodeOf(wallet, market, entry, moves, { own, base })
  )
  return {
    wallet,
    market,
    key,
    moves,
    episodes,
    redemption: redemptionOf(view.payouts(market), view.ending(market), moves, mix(key, 22)),
  }
}

/** A move with its price and size, in one to four rows. */
export interface PlannedMove {
  readonly kind: ScriptMove["kind"]
  readonly outcome: 0 | 1
  readonly price: number
  /** A multiple of `rowCount`, so that each row has whole lots. */
  readonly lots: number
  readonly rowCount: number
  /** Whether its rows are one transaction with identical fields; otherwise they are 2 seconds apart. */
  readonly sameTransaction: boolean
  readonly role: "taker" | "maker"
  readonly at: EpochMs
}

/** The entry that must be computed from the complete activity: the expected value of a test. */
export interface Episode {
  readonly wallet: Wallet
  readonly market: SimulatedMarket
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

/** Shares redeemed for their market's payout. */
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

/** A lot is 0.01 share; whole lots keep sums exact. */
export const lotsPerShare = 100
const rowSpacingMs = 2 * second
/** Share of winning and of losing positions that are redeemed. */
const winnersShare = 0.92
const losersShare = 0.08

/** The time and lots of each row of a move. */
export function rowsOf(
  move: PlannedMove,
): ReadonlyArray<{ readonly at: EpochMs; readonly lots: number }> {
  const rows: Array<{ at: EpochMs; lots: number }> = []
  for (let row = 0; row < move.rowCount; row++) {
    const at = move.at + (move.sameTransaction ? 0 : row * rowSpacingMs)
    rows.push({ at, lots: move.lots / move.rowCount })
  }
  return rows
}

/** The episode of a script's entry, when the own side is `own` and the base size is `base` lots. */
function episodeOf(
  wallet: Wallet,
  market: SimulatedMarket,
  entry: ScriptEntry,
  moves: ReadonlyArray<PlannedMove>,
  { own, base }: { readonly own: 0 | 1; readonly base: number },
): Episode {
  const outcome = entry.side === "own" ? own : own === 0 ? 1 : 0
  const bought = entry.purchases.flatMap(({ move, skip }) => {
    const planned = moves[move]
    return planned === undefined ? [] : rowsAfter(planned, Math.round(skip * base), outcome)
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

/** The rows of a move that bought `outcome`, without the first `skip` lots. */
function rowsAfter(move: PlannedMove, skip: number, outcome: 0 | 1) {
  const price = move.outcome === outcome ? move.price : roundPrice(1 - move.price)
  let left = skip
  return rowsOf(move).flatMap(({ at, lots }) => {
    const closing = Math.min(left, lots)
    left -= closing
    return lots === closing ? [] : [{ at, lots: lots - closing, price }]
  })
}

/** Lots of each outcome held after the moves up to `at`. */
export function lotsHeldAt(
  moves: ReadonlyArray<PlannedMove>,
  at: EpochMs,
): readonly [number, number] {
  const owned: [number, number] = [0, 0]
  for (const move of moves) {
    if (move.at > at) break
    if (move.kind === "buy" || move.kind === "split") owned[move.outcome] += move.lots
    else owned[move.outcome] -= move.lots
    const other = move.outcome === 0 ? 1 : 0
    if (move.kind === "split") owned[other] += move.lots
    if (move.kind === "merge") owned[other] -= move.lots
  }
  return owned
}

function redemptionOf(
  payouts: readonly [number, number] | null,
  ending: Ending,
  moves: ReadonlyArray<PlannedMove>,
  key: Key,
): Redemption | null {
  const owned = lotsHeldAt(moves, Infinity)
  const lots = owned[0] + owned[1]
  if (payouts === null || lots === 0) return null
  const paidLots = owned[0] * payouts[0] + owned[1] * payouts[1]
  if (uniform(key) >= (paidLots > 0 ? winnersShare : losersShare)) return null
  const after = between(mix(key, 1), minute, 36 * hour)
  return {
    at: Math.ceil((ending.settledAt + after) / second) * second,
    lots,
    usd: Math.round(paidLots) / lotsPerShare,
  }
}
