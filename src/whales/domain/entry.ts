/**
 * Computes a wallet's entries in a market from its activity: what it chose to buy, and at which price.
 *
 * A pair of shares, one of each outcome, is worth a dollar, so only the difference between the two
 * holdings counts: a buy of one outcome at q is a sale of the other at 1 - q, and a split or a merge
 * changes nothing.
 * Entries depend only on the set of activity events, and are recomputed from all of them when one is
 * added.
 *
 * @module
 */
import { byTime, type NumberedActivityEvent } from "../../markets/domain/activity.ts"
import type { TokenId } from "../../markets/domain/market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"

/**
 * A run of net buys in one outcome of one market. It starts from a flat position, and ends when the
 * position is flat again or after a day without a buy. Sales change neither price nor stake, because
 * exits are not tracked.
 */
export interface Entry {
  readonly outcome: 0 | 1
  /** Volume-weighted price of its buys, USD a share, in (0, 1). */
  readonly price: number
  /**
   * Price of its first buy, in (0, 1): what a wallet is judged by. A wallet that averages down buys
   * more shares of its losers at lower prices, so the mean `price` has an edge even at fair prices.
   */
  readonly openingPrice: number
  /** Cost of its buys in USD, without fees. */
  readonly stakeUsd: number
  /** Shares bought. */
  readonly shares: number
  /** The bought shares that were offset later by buys of the other outcome. */
  readonly hedgedShares: number
  /** Number of buys. */
  readonly fills: number
  readonly firstFillAt: EpochMs
  readonly lastFillAt: EpochMs
}

/** The entries of one wallet in one market. */
export interface Position {
  /** In the order they were opened. */
  readonly entries: ReadonlyArray<Entry>
  /** Whether both outcomes were bought, directly or by a split and a sale of the other outcome. */
  readonly boughtBoth: boolean
  /** Whether it was bought in many equal prints at an almost certain price (`isFarm`). */
  readonly farmed: boolean
}

/** An entry without a buy for this long is over: the next buy is a new decision. Inclusive. */
const idleMs = day

/** From this price on the outcome is almost certain, and the price converges to 1. Inclusive. */
const nearCertainPriceMin = 0.95

/** Shares are counted in whole millionths, as the venue settles them, so that flat is exactly zero. */
const shareUnits = 1_000_000
/** No market has more shares; a row with more is ignored. */
const sharesMax = 1_000_000_000

/** Prices are counted in whole billionths of a dollar, finer than any tick, so that 1 - q is exact. */
const priceUnits = 1_000_000_000

/** An entry under construction, in units. */
interface Run {
  readonly outcome: 0 | 1
  readonly openingPrice: number
  /** Sum of price x shares of its buys. */
  cost: number
  shares: number
  /** Shares not closed yet. A closing event closes shares of the newest run first. */
  open: number
  hedged: number
  fills: number
  readonly firstFillAt: EpochMs
  lastFillAt: EpochMs
}

/** The position after the events processed so far, in units. */
interface State {
  readonly tokenIds: readonly [TokenId, TokenId]
  readonly held: [number, number]
  readonly bought: [boolean, boolean]
  readonly runs: Array<Run>
  /** The newest run of each outcome. */
  readonly last: [Run | null, Run | null]
  /** The run that is open now; null when the position is flat or idle. */
  current: Run | null
}

/**
 * The entries of one wallet in the market of these two tokens. The order of `activity` does not
 * matter. Ignores events of other tokens. Also ignores sales, merges and conversions of shares that no
 * known event added.
 *
 * A trade with a price outside (0, 1) moves shares but is not part of an entry: the venue uses such a
 * price when it knows none. A conversion removes shares without a price: those of its token, or of the
 * second outcome when it names no token, because only the second outcome is converted.
 */
export function entriesOf(
  activity: ReadonlyArray<NumberedActivityEvent>,
  tokenIds: readonly [TokenId, TokenId],
): Position {
  const state: State = {
    tokenIds,
    held: [0, 0],
    bought: [false, false],
    runs: [],
    last: [null, null],
    current: null,
  }
  for (const event of activity.toSorted(byTime)) {
    if (state.current !== null && isOver(state.current, event.at)) state.current = null
    apply(state, event)
  }
  return {
    entries: state.runs.map(entryOf),
    boughtBoth: state.bought[0] && state.bought[1],
    farmed: isFarmed(activity),
  }
}

/** Whether the entry is a hedge: more than half of its shares were offset by buys of the other outcome. */
export function isHedge(entry: Entry): boolean {
  return entry.hedgedShares * 2 > entry.shares
}

/** Whether the entry bought an almost certain outcome, which is no evidence of skill. */
export function isNearCertain(entry: Entry): boolean {
  return entry.price >= nearCertainPriceMin
}

/**
 * Whether the entry is a sweep: opened where the outcome was almost certain. Sweeps are counted apart.
 * Its first price decides, because the mean price depends on what the wallet bought later.
 */
export function isSweep({ openingPrice }: Pick<Entry, "openingPrice">): boolean {
  return openingPrice >= nearCertainPriceMin
}

/** Whether the entry has been idle too long for another buy to be part of it. */
export function isOver(entry: Pick<Entry, "lastFillAt">, now: EpochMs): boolean {
  return now - entry.lastFillAt >= idleMs
}

/** A wallet active in this many markets is a market maker. Inclusive. */
const makerMarketsMin = 1_000
/** A wallet that bought both outcomes in a larger share of its markets is a market maker. */
const makerBothSidesMax = 0.4
/** The share is not used for fewer markets: one hedge in two markets would be a half. */
const bothSidesMarketsMin = 10

/** Whether a wallet that bought both outcomes in `bothSides` of its `markets` is a market maker. */
export function isMarketMaker(
  { markets, bothSides }: { readonly markets: number; readonly bothSides: number },
): boolean {
  return markets >= makerMarketsMin ||
    (markets >= bothSidesMarketsMin && bothSides > makerBothSidesMax * markets)
}

/** A market is farmed with this many buys of one size at this price or above. Inclusive. */
const farmedPrintsMin = 20
const farmedPriceMin = 0.99
/** The share of all buys in the market that are at such a price, at least. */
const farmedShareMin = 0.8
/** A wallet that farmed this many markets is a farm: it buys volume, and expresses no opinion. */
export const farmedMarketsMin = 5

/** Whether a wallet with `farmed` farmed markets is a farm. It is no longer tracked. */
export function isFarm({ farmed }: { readonly farmed: number }): boolean {
  return farmed >= farmedMarketsMin
}

function isFarmed(activity: ReadonlyArray<NumberedActivityEvent>): boolean {
  const buys = activity.filter(({ kind }) => kind === "buy")
  const certain = buys.filter(({ price }) => price >= farmedPriceMin)
  if (certain.length < farmedPrintsMin || certain.length < farmedShareMin * buys.length) {
    return false
  }
  return [...Map.groupBy(certain, sharesOf).values()].some((same) => same.length >= farmedPrintsMin)
}

function apply(state: State, event: NumberedActivityEvent): void {
  const { held, tokenIds } = state
  const outcome = event.tokenId === tokenIds[0] ? 0 : event.tokenId === tokenIds[1] ? 1 : null
  const size = sharesOf(event)
  switch (event.kind) {
    case "buy":
      if (outcome === null) return
      held[outcome] += size
      state.bought[outcome] = true
      return move(state, outcome, size, { event, price: priceOf(event), hedges: true })
    case "sell": {
      if (outcome === null) return
      const sold = Math.min(size, held[outcome])
      held[outcome] -= sold
      const price = priceUnits - priceOf(event)
      return move(state, other(outcome), sold, { event, price, hedges: false })
    }
    case "convert": {
      const converted = event.tokenId === null ? 1 : outcome
      if (converted === null) return
      const removed = Math.min(size, held[converted])
      held[converted] -= removed
      return move(state, other(converted), removed, { event, price: 0, hedges: false })
    }
    case "split":
      held[0] += size
      held[1] += size
      return
    case "merge": {
      const merged = Math.min(size, ...held)
      held[0] -= merged
      held[1] -= merged
      return
    }
    case "redeem":
      held.fill(0)
      state.current = null
  }
}

/** The event that moves the balance. */
interface Cause {
  readonly event: NumberedActivityEvent
  /** In units; unknown when it is not between 0 and `priceUnits`. */
  readonly price: number
  /** Whether the shares that it closes count as hedged. */
  readonly hedges: boolean
}

/**
 * Moves the balance towards the outcome `to` by `size`; `state.held` already contains the change. Closes
 * shares of the other outcome first, then buys the remaining size.
 */
function move(state: State, to: 0 | 1, size: number, { event, price, hedges }: Cause): void {
  const balance = state.held[to] - state.held[other(to)]
  const bought = Math.min(size, Math.max(0, balance))
  if (bought < size && state.current !== null) {
    const closed = Math.min(state.current.open, size - bought)
    state.current.open -= closed
    if (hedges) state.current.hedged += closed
  }
  if (balance >= 0 && bought < size) state.current = null
  if (bought === 0 || !(price > 0 && price < priceUnits)) return
  state.bought[to] = true
  const run = state.current ?? openRun(state, to, event.at, price)
  run.cost += price * bought
  run.shares += bought
  run.open += bought
  run.fills += 1
  run.lastFillAt = event.at
}

/**
 * Opens a run, or reopens the last one. Events within a second have no known order, so a position that
 * becomes flat within a second does not end its run: a buy in the same second as the run's last buy
 * joins that run.
 */
function openRun(state: State, outcome: 0 | 1, at: EpochMs, openingPrice: number): Run {
  const last = state.last[outcome]
  if (last !== null && last.lastFillAt === at) return state.current = last
  const run = {
    outcome,
    openingPrice,
    cost: 0,
    shares: 0,
    open: 0,
    hedged: 0,
    fills: 0,
    firstFillAt: at,
    lastFillAt: at,
  }
  state.runs.push(run)
  state.last[outcome] = run
  return state.current = run
}

function entryOf(run: Run): Entry {
  return {
    outcome: run.outcome,
    price: Math.round(run.cost / run.shares) / priceUnits,
    openingPrice: run.openingPrice / priceUnits,
    stakeUsd: run.cost / shareUnits / priceUnits,
    shares: run.shares / shareUnits,
    hedgedShares: run.hedged / shareUnits,
    fills: run.fills,
    firstFillAt: run.firstFillAt,
    lastFillAt: run.lastFillAt,
  }
}

/** In units; 0 for an invalid size. */
function sharesOf({ size }: NumberedActivityEvent): number {
  return size > 0 && size <= sharesMax ? Math.round(size * shareUnits) : 0
}

/** In units. */
function priceOf({ price }: NumberedActivityEvent): number {
  return Math.round(price * priceUnits)
}

function other(outcome: 0 | 1): 0 | 1 {
  return outcome === 0 ? 1 : 0
}
