/**
 * What one wallet does in one market from beginning to end, and the entries that makes.
 *
 * A wallet that enters at price q is right with probability q + edge. The world gives it the outcome
 * and it uses it just that often, so that its edge at the prices it paid is exact on average and its
 * picks look like those of any other wallet. A plan depends on nothing but wallet and market, and
 * the wallet does nothing else in that market: so what is true of a plan is true of the position.
 *
 * @module
 */
import { type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import { exact, type Quote } from "./books.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { Ending } from "./endings.ts"
import { between, gaussian, type Key, mix, uniform } from "./seed.ts"
import { type Move, type Script, type ScriptEntry, scriptOf, type Wallet } from "./wallets.ts"

/** What wallets see of the world, and what only the world knows. */
export interface WalletView {
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
  readonly ending: (market: SimulatedMarket) => Ending
}

/** A move with the book it met. */
interface Met {
  readonly move: Move
  readonly at: EpochMs
  readonly quote: Quote
}

/** How often a wallet looks at a market before it lets it pass, and the part of its life in between. */
const looks = 4
const lookShare = 0.07
/** How often a move waits for a valid book, and how long. */
const waits = 6
const waitMs = 7 * minute
/** No move is later than this before trading ends. */
const lastMoveMs = 30 * second
/** Shares come in these many hundredths, so that the parts of scripts and rows are whole. */
const lotUnit = 120
/** The smallest order is 5 shares. */
const lotUnitsMin = 5

/** What `wallet`, that takes part in `market`, does there; null when no price there suits it. */
export function planOf(view: WalletView, wallet: Wallet, market: SimulatedMarket): Plan | null {
  const key = mix(wallet.key, market.key)
  const sweeps = wallet.group.habit === "sweeper"
  const [from, to] = sweeps
    ? [market.revealsAt, market.resolvedAt - lastMoveMs]
    : [market.opensAt, market.closesAt - lastMoveMs]
  const start = from + between(mix(key, 1), 0, 0.9) * (to - from)
  const wanted = scriptOf(wallet.group.habit, wallet.group.repeatShare, key)
  let seenTo = 0
  for (let look = 0; look < looks; look++) {
    const at = Math.ceil((start + look * lookShare * (to - from)) / second) * second
    for (let script: Script | null = wanted; script !== null; script = script.shorter) {
      const met = meet(view, market, script, at, to, mix(key, 2 + look))
      if (met === null) continue
      seenTo = Math.max(seenTo, met[script.lastPurchase]?.at ?? 0)
      const suits = suitedSides(wallet, script, met)
      if (!suits[0] && !suits[1]) continue
      const own = sweeps
        ? favourite(met)
        : sideOf(view, wallet, market, script, met, { seenTo, key: mix(key, 10) })
      return suits[own] ? makePlan(view, wallet, market, script, met, own, key) : null
    }
  }
  return null
}

/** The books that a script's moves meet, from `at` on; null when there is no time, or no book. */
function meet(
  view: WalletView,
  market: SimulatedMarket,
  script: Script,
  at: EpochMs,
  to: EpochMs,
  key: Key,
): ReadonlyArray<Met> | null {
  const found: Array<Met> = []
  let time = at
  for (const [index, move] of script.moves.entries()) {
    time += Math.ceil(between(mix(key, index), ...move.after) / second) * second
    let quote: Quote | null = null
    for (let wait = 0; wait < waits && quote === null && time < to; wait++) {
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
 * Which outcome the script is about. The coin is fair given everything the wallet has seen, up to
 * `seenTo`, and leans on the outcome by what makes the entries' mean edge, at the prices they paid,
 * the wallet's.
 */
function sideOf(
  view: WalletView,
  wallet: Wallet,
  market: SimulatedMarket,
  script: Script,
  met: ReadonlyArray<Met>,
  { seenTo, key }: { readonly seenTo: EpochMs; readonly key: Key },
): 0 | 1 {
  const { counted } = script
  if (counted.length === 0) return uniform(key) < 0.5 ? 0 : 1
  const truth = view.probability(market, seenTo)
  const halfSpread = counted.reduce((sum, entry) => {
    const [first, second] = [priceOf(entry, met, 0), priceOf(entry, met, 1)]
    return sum + (first + second - 1) / 2
  }, 0) / counted.length
  const edge = wallet.group.edge + halfSpread
  const payout = view.payouts(market)?.[0] ?? 0.5
  const lean = payout === 1 ? edge / (2 * truth) : payout === 0 ? -edge / (2 * (1 - truth)) : 0
  return uniform(key) < 0.5 + lean ? 0 : 1
}

/** Volume-weighted price of an entry when the script is about the outcome `own`. */
function priceOf(entry: ScriptEntry, met: ReadonlyArray<Met>, own: 0 | 1): number {
  let [cost, shares] = [0, 0]
  for (const { move, share } of entry.parts) {
    const at = met[move]
    if (at === undefined) continue
    cost += share * paidFor(entry, at, own)
    shares += share
  }
  return cost / shares
}

/** What a share of the entry's side cost in one move: selling the other side is buying it. */
function paidFor(entry: ScriptEntry, { move, quote }: Met, own: 0 | 1): number {
  const price = tradedAt(move, quote, move.side === "own" ? own : otherOf(own))
  return move.side === entry.side ? price : exact(1 - price)
}

/** The price at which a move is done in `outcome`: takers pay the spread, makers earn it. */
function tradedAt(move: Move, quote: Quote, outcome: 0 | 1): number {
  const lifts = (move.kind !== "sell") === (move.role === "taker")
  return lifts ? costOf(quote, outcome) : exact(1 - costOf(quote, otherOf(outcome)))
}

/** What a share of an outcome costs a taker. */
function costOf(quote: Quote, outcome: 0 | 1): number {
  return outcome === 0
    ? quote.askTicks / quote.ticksPerUsd
    : exact(1 - quote.bidTicks / quote.ticksPerUsd)
}

function otherOf(outcome: 0 | 1): 0 | 1 {
  return outcome === 0 ? 1 : 0
}

function favourite([first]: ReadonlyArray<Met>): 0 | 1 {
  return first === undefined || costOf(first.quote, 0) > 0.5 ? 0 : 1
}

/**
 * On which sides the wallet pays what the script's purchases cost. Whether it looks on must not depend
 * on the side chosen, which knows of the outcome: so where only the other side's price suits it, it
 * leaves the market; and where there are several purchases, all of them must suit it on both sides.
 */
function suitedSides(
  { group: { prices: [low, high] } }: Wallet,
  script: Script,
  met: ReadonlyArray<Met>,
): readonly [boolean, boolean] {
  const entries = script.counted.length > 0 ? script.counted : script.entries.slice(0, 1)
  let [first, second, purchases] = [true, true, 0]
  for (const entry of entries) {
    for (const { move } of entry.parts) {
      const at = met[move]
      if (at === undefined) return [false, false]
      const prices = [paidFor(entry, at, 0), paidFor(entry, at, 1)] as const
      first &&= prices[0] >= low && prices[0] <= high
      second &&= prices[1] >= low && prices[1] <= high
      purchases += 1
    }
  }
  const all = first && second
  return purchases > 1 ? [all, all] : [first, second]
}

function makePlan(
  view: WalletView,
  wallet: Wallet,
  market: SimulatedMarket,
  script: Script,
  met: ReadonlyArray<Met>,
  own: 0 | 1,
  key: Key,
): Plan {
  const stakeUsd = wallet.group.medianStakeUsd * Math.exp(0.9 * gaussian(mix(key, 20)))
  const price = met[0] === undefined ? 0.5 : costOf(met[0].quote, own)
  const units = Math.max(lotUnitsMin, Math.round(stakeUsd / price * lotsPerShare / lotUnit))
  const base = units * lotUnit
  const moves = met.map(({ move, at, quote }, index): PlannedMove => {
    const draw = mix(mix(key, 21), index)
    const outcome = move.side === "own" ? own : otherOf(own)
    const trades = move.kind === "buy" || move.kind === "sell"
    return {
      kind: move.kind,
      outcome,
      price: tradedAt(move, quote, outcome),
      lots: Math.round(base * move.share),
      pieces: trades ? 1 + mix(draw, 1) % 4 : 1,
      alike: uniform(mix(draw, 2)) < 0.4,
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
function episodeOf(
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
