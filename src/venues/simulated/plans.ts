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
import { type EpochMs, minute, second } from "../../core/domain/time.ts"
import { type Quote, roundPrice } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { between, gaussian, hex, type Key, mix, uniform } from "./seed.ts"
import { nextDay, type ScriptMove, scriptOf, type TradingScript, type Wallet } from "./wallets.ts"

/** The parts of the world that planning needs, hidden ones included. */
export interface WalletView {
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
}

/** One row of a wallet's activity. */
export interface Activity {
  readonly kind: ScriptMove["kind"]
  readonly wallet: Wallet
  readonly market: SimulatedMarket
  readonly outcome: 0 | 1
  /** Shares. */
  readonly size: number
  readonly price: number
  readonly at: EpochMs
  readonly transaction: string
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

export interface Plan {
  /** Oldest first. */
  readonly activity: ReadonlyArray<Activity>
  readonly episodes: ReadonlyArray<Episode>
}

/** A move with its time and quote. */
interface QuotedMove extends ScriptMove {
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

/**
 * The plan of a wallet that trades in `market`; null when no price there is within its limits. A script
 * that does not fit is reduced to its first move.
 */
export function planOf(view: WalletView, wallet: Wallet, market: SimulatedMarket): Plan | null {
  const key = mix(wallet.key, market.key)
  const [from, to] = [market.opensAt, market.closesAt - lastMoveMs]
  const start = from + between(mix(key, 1), 0, 0.9) * (to - from)
  const wanted = scriptOf(wallet.group, key)
  let lastSeenAt = 0
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const at = Math.ceil((start + attempt * attemptSpacing * (to - from)) / second) * second
    for (const script of [wanted, wanted.slice(0, 1)]) {
      const moves = quoteMoves(view, market, script, at, to, mix(key, 2 + attempt))
      if (moves === null) continue
      const purchases = moves.filter(isOwnPurchase)
      lastSeenAt = Math.max(lastSeenAt, purchases.at(-1)?.at ?? 0)
      if (!purchases.every(({ quote }) => isAffordable(wallet, quote))) continue
      const own = sideOf(view, wallet, market, moves, { lastSeenAt, key: mix(key, 10) })
      return makePlan(wallet, market, moves, own, key)
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
  for (const [index, move] of script.entries()) {
    time += Math.ceil(between(mix(key, index), ...move.after) / second) * second
    let quote: Quote | null = null
    for (let wait = 0; wait < waitsMax && quote === null && time < to; wait++) {
      const seen = view.quote(market, time)
      if (seen !== null && seen.fault === "none") quote = seen
      else time += waitMs
    }
    if (quote === null) return null
    found.push({ ...move, at: time, quote })
  }
  return found
}

const isOwnPurchase = ({ kind, side }: ScriptMove) => kind === "buy" && side === "own"

/**
 * Whether both outcomes are within the wallet's price limits: whether it tries again must not depend on
 * the chosen side, which is drawn with the hidden outcome.
 */
function isAffordable({ group: { prices: [low, high] } }: Wallet, quote: Quote): boolean {
  return ([0, 1] as const).map((outcome) => costOf(quote, outcome))
    .every((cost) => cost >= low && cost <= high)
}

/** The moves of each entry: a purchase on the next day begins another. */
function entriesIn(moves: ReadonlyArray<QuotedMove>) {
  const entries: Array<{ purchases: Array<QuotedMove>; bought: number; hedged: number }> = []
  for (const move of moves) {
    if (entries.length === 0 || move.after === nextDay) {
      entries.push({ purchases: [], bought: 0, hedged: 0 })
    }
    const entry = entries.at(-1)
    if (entry === undefined || move.kind === "sell") continue
    if (move.side === "other") entry.hedged += move.share
    else {
      entry.purchases.push(move)
      entry.bought += move.share
    }
  }
  return entries.map((entry) => ({ ...entry, hedge: 2 * entry.hedged > entry.bought }))
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
  moves: ReadonlyArray<QuotedMove>,
  { lastSeenAt, key }: { readonly lastSeenAt: EpochMs; readonly key: Key },
): 0 | 1 {
  const entries = entriesIn(moves).filter(({ hedge }) => !hedge)
  if (entries.length === 0) return uniform(key) < 0.5 ? 0 : 1
  const truth = view.probability(market, lastSeenAt)
  const halfSpread = entries.reduce((sum, { purchases, bought }) =>
    purchases.reduce(
      (sum, { share, quote }) =>
        sum + share / bought * (costOf(quote, 0) + costOf(quote, 1) - 1) / 2,
      sum,
    ), 0) / entries.length
  const edge = wallet.group.edge + halfSpread
  const payout = view.payouts(market)?.[0] ?? 0.5
  const bias = payout === 1 ? edge / (2 * truth) : payout === 0 ? -edge / (2 * (1 - truth)) : 0
  return uniform(key) < 0.5 + bias ? 0 : 1
}

/** The price at which an outcome is bought; it is sold at 1 minus the price of the other. */
export function costOf(quote: Quote, outcome: 0 | 1): number {
  return outcome === 0
    ? quote.askTicks / quote.ticksPerUsd
    : roundPrice(1 - quote.bidTicks / quote.ticksPerUsd)
}

function otherOf(outcome: 0 | 1): 0 | 1 {
  return outcome === 0 ? 1 : 0
}

/** A lot is 0.01 share; whole lots keep sums exact. */
const lotsPerShare = 100
/** Sizes are multiples of this many lots, so that fractions for moves and rows are whole lots. */
const lotUnit = 120
/** The smallest order is 5 shares. */
const lotUnitsMin = 5
const rowSpacingMs = 2 * second

function makePlan(
  wallet: Wallet,
  market: SimulatedMarket,
  moves: ReadonlyArray<QuotedMove>,
  own: 0 | 1,
  key: Key,
): Plan {
  const stakeUsd = wallet.group.medianStakeUsd * Math.exp(0.9 * gaussian(mix(key, 20)))
  const price = moves[0] === undefined ? 0.5 : costOf(moves[0].quote, own)
  const units = Math.max(lotUnitsMin, Math.round(stakeUsd / price * lotsPerShare / lotUnit))
  const shares = units * lotUnit / lotsPerShare
  const rows = new Map(moves.map((move, index) => {
    const outcome = move.side === "own" ? own : otherOf(own)
    const draw = mix(mix(key, 21), index)
    return [move, rowsOf(wallet, market, move, outcome, shares, draw)]
  }))
  return {
    activity: [...rows.values()].flat(),
    episodes: entriesIn(moves).map(({ purchases, hedged, hedge }) => {
      const bought = purchases.flatMap((move) => rows.get(move) ?? [])
      const held = bought.reduce((sum, { size }) => sum + Math.round(size * lotsPerShare), 0)
      const cost = bought.reduce(
        (sum, { size, price }) => sum + Math.round(size * lotsPerShare) * price,
        0,
      )
      return {
        wallet,
        market,
        outcome: own,
        hedge,
        fills: bought.length,
        price: cost / held,
        openingPrice: bought[0]?.price ?? 0,
        stakeUsd: cost / lotsPerShare,
        shares: held / lotsPerShare,
        hedgedShares: Math.round(hedged * shares * lotsPerShare) / lotsPerShare,
        firstFillAt: bought[0]?.at ?? 0,
        lastFillAt: bought.at(-1)?.at ?? 0,
      }
    }),
  }
}

/** A move in one to four rows: identical rows of one transaction, or 2 seconds apart. */
function rowsOf(
  wallet: Wallet,
  market: SimulatedMarket,
  move: QuotedMove,
  outcome: 0 | 1,
  shares: number,
  draw: Key,
): ReadonlyArray<Activity> {
  const { kind, share, quote, at } = move
  const price = kind === "buy"
    ? costOf(quote, outcome)
    : roundPrice(1 - costOf(quote, otherOf(outcome)))
  const rowCount = 1 + mix(draw, 1) % 4
  const lots = Math.round(shares * share * lotsPerShare) / rowCount
  const together = uniform(mix(draw, 2)) < 0.4
  return Array.from({ length: rowCount }, (_, row) => ({
    kind,
    wallet,
    market,
    outcome,
    price,
    size: lots / lotsPerShare,
    at: at + (together ? 0 : row * rowSpacingMs),
    transaction: `0x${hex(mix(draw, 3 + (together ? 0 : row)), 64)}`,
  }))
}
