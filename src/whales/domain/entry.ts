/**
 * From what a wallet did in a market to its entries: what it chose to buy, and at which price.
 *
 * A share of each outcome is a dollar, so what counts is the difference between the two: a buy of one
 * outcome at q is a sale of the other at 1 - q, and a split or a merge is nothing. Entries depend on
 * the set of acts only, and are made anew from all of them when one is added.
 *
 * @module
 */
import { byTime, type NumberedActivityEvent } from "../../markets/domain/activity.ts"
import type { TokenId } from "../../markets/domain/market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"

/**
 * A run of net buys in one outcome of one market: from flat until flat, or until a day without one.
 * Sales change neither price nor stake, for exits are not tracked.
 */
export interface Entry {
  readonly outcome: 0 | 1
  /** Volume-weighted price of its buys, USD a share, in (0, 1). */
  readonly price: number
  /**
   * Price of its first buy, in (0, 1): what a wallet is judged by. Averaging down buys more of the
   * losers, and more cheaply, so the mean `price` shows an edge even at fair prices.
   */
  readonly openingPrice: number
  /** Cost of its buys in USD, fees not included. */
  readonly stakeUsd: number
  /** Shares bought. */
  readonly shares: number
  /** Of those, the shares given up because the other outcome was bought. */
  readonly hedgedShares: number
  /** Buys. */
  readonly fills: number
  readonly firstFillAt: EpochMs
  readonly lastFillAt: EpochMs
}

/** What the acts of one wallet in one market come to. */
export interface Position {
  /** In the order they were opened. */
  readonly entries: ReadonlyArray<Entry>
  /** Whether both outcomes were bought, as such or by selling the other one out of a split. */
  readonly boughtBoth: boolean
}

/** An entry without a buy for this long is over: the next buy is another decision. Inclusive. */
const idleMs = day

/** From here on the outcome is as good as known, and the price on its way to 1. Inclusive. */
const sweepPriceMin = 0.95

/** Shares are counted in whole millionths, as the venue settles them: flat is exactly flat. */
const shareUnits = 1_000_000
/** No market has so many; a row that says more is not to be read. */
const sharesMax = 1_000_000_000

/** Prices are counted in whole billionths of a dollar, far finer than any tick: 1 - q is exact. */
const priceUnits = 1_000_000_000

/** An entry in the making, in units. */
interface Run {
  readonly outcome: 0 | 1
  readonly openingPrice: number
  /** Sum of price x shares of its buys. */
  cost: number
  shares: number
  /** Of its shares, those still held; what came last goes first. */
  left: number
  hedged: number
  fills: number
  readonly firstFillAt: EpochMs
  lastFillAt: EpochMs
}

/** The position while its acts are gone through, in units. */
interface State {
  readonly tokenIds: readonly [TokenId, TokenId]
  readonly held: [number, number]
  readonly bought: [boolean, boolean]
  readonly runs: Array<Run>
  /** The newest run of each outcome. */
  readonly last: [Run | null, Run | null]
  /** The one of them that goes on; null when flat or idle. */
  running: Run | null
}

/**
 * What the acts of one wallet in the market of these two tokens come to, in whatever order they are
 * given. Acts of other tokens are no part of it, nor are shares sold, merged or converted that no
 * known act had brought.
 *
 * A trade priced at 0 or less, at 1 or more moves shares but is no buy of an entry: nobody chooses
 * that price, it stands where the venue knew none. A conversion takes shares away without a price:
 * those of its token, or of the second outcome where it names none, for only that one is converted.
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
    running: null,
  }
  for (const event of activity.toSorted(byTime)) {
    if (state.running !== null && isOver(state.running, event.at)) state.running = null
    apply(state, event)
  }
  return {
    entries: state.runs.map(entryOf),
    boughtBoth: state.bought[0] && state.bought[1],
  }
}

/** Whether the entry was given up by buying the other side: under half of its shares are left. */
export function isHedge(entry: Entry): boolean {
  return entry.hedgedShares * 2 > entry.shares
}

/** Whether the entry collects what a decided market still pays: it says nothing of its wallet. */
export function isSweep(entry: Entry): boolean {
  return entry.price >= sweepPriceMin
}

/** Whether no further buy can be part of the entry, for it has been idle too long. */
export function isOver(entry: Pick<Entry, "lastFillAt">, now: EpochMs): boolean {
  return now - entry.lastFillAt >= idleMs
}

/** So many markets are nobody's opinions. Inclusive. */
const makerMarketsMin = 1_000
/** Who buys both outcomes in more than this share of its markets quotes prices. Exclusive. */
const makerBothSidesMax = 0.4
/** In fewer markets that share says nothing: one hedge of two would be half. */
const bothSidesMarketsMin = 10

/** Whether a wallet makes markets: `bothSides` of its `markets` it bought both outcomes in. */
export function isMarketMaker(
  { markets, bothSides }: { readonly markets: number; readonly bothSides: number },
): boolean {
  return markets >= makerMarketsMin ||
    (markets >= bothSidesMarketsMin && bothSides > makerBothSidesMax * markets)
}

function apply(state: State, event: NumberedActivityEvent): void {
  const { held, tokenIds } = state
  const named = event.tokenId === tokenIds[0] ? 0 : event.tokenId === tokenIds[1] ? 1 : null
  const size = sharesOf(event)
  switch (event.kind) {
    case "buy":
      if (named === null) return
      held[named] += size
      state.bought[named] = true
      return move(state, named, size, { event, price: priceOf(event), hedges: true })
    case "sell": {
      if (named === null) return
      const sold = Math.min(size, held[named])
      held[named] -= sold
      const price = priceUnits - priceOf(event)
      return move(state, other(named), sold, { event, price, hedges: false })
    }
    case "convert": {
      const converted = event.tokenId === null ? 1 : named
      if (converted === null) return
      const gone = Math.min(size, held[converted])
      held[converted] -= gone
      return move(state, other(converted), gone, { event, price: 0, hedges: false })
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
      state.running = null
  }
}

/** What moves the balance between the outcomes; a price outside (0, 1) is none. */
interface Cause {
  readonly event: NumberedActivityEvent
  readonly price: number
  readonly hedges: boolean
}

/**
 * Moves the balance, already without or with these shares in `held`, towards an outcome: first what
 * was held of the other one is given up, then the rest is bought.
 */
function move(state: State, to: 0 | 1, size: number, { event, price, hedges }: Cause): void {
  const balance = state.held[to] - state.held[other(to)]
  const rest = Math.min(size, Math.max(0, balance))
  if (rest < size && state.running !== null) {
    const given = Math.min(state.running.left, size - rest)
    state.running.left -= given
    if (hedges) state.running.hedged += given
  }
  if (balance >= 0 && rest < size) state.running = null
  if (rest === 0 || !(price > 0 && price < priceUnits)) return
  state.bought[to] = true
  const run = state.running ?? open(state, to, event.at, price)
  run.cost += price * rest
  run.shares += rest
  run.left += rest
  run.fills += 1
  run.lastFillAt = event.at
}

/**
 * The run that goes on from here. A second tells no order, so being flat within it ends nothing: what
 * is bought again in the second of the last buy is of the same entry.
 */
function open(state: State, outcome: 0 | 1, at: EpochMs, openingPrice: number): Run {
  const last = state.last[outcome]
  if (last !== null && last.lastFillAt === at) return state.running = last
  const run = {
    outcome,
    openingPrice,
    cost: 0,
    shares: 0,
    left: 0,
    hedged: 0,
    fills: 0,
    firstFillAt: at,
    lastFillAt: at,
  }
  state.runs.push(run)
  state.last[outcome] = run
  return state.running = run
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

/** In units; nothing where the row cannot be right. */
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
