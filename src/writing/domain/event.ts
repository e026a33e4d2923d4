/**
 * What the other markets of an event say about the price of one: the rungs of its ladder, of which a
 * harder one cannot be likelier than an easier one, and the exclusive outcomes, of which one is paid at
 * most.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import {
  type Contradiction,
  contradictionsOf,
  type ImpliedEnd,
  impliedEnd,
  ladderBounds,
  type LadderRung,
  laddersOf,
  type PriceBounds,
  tradedUsdMin,
} from "../../markets/domain/ladders.ts"
import type { Market, MarketFacts } from "../../markets/domain/market.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { complement, type Quote, quoteOfOutcome, takerFee } from "../../markets/domain/quote.ts"
import { type SiblingSum, siblingSums } from "../../markets/domain/siblings.ts"

/** A market of the event, with its price and its proposal; null where they are not known. */
interface EventMarket {
  readonly market: MarketFacts & Pick<Market, "liquidityUsd">
  readonly quote: Quote | null
  readonly proposal: Pick<Proposal, "outcome" | "disputed"> | null
  readonly rules?: string | null
}

export interface EventView {
  /** The priced rungs of this market's ladder, the easiest first; empty without a ladder. */
  readonly rungs: ReadonlyArray<LadderRung>
  /** Of any two rungs of the ladder, worth a sentence: those with this market first, then the best. */
  readonly contradictions: ReadonlyArray<Contradiction>
  /** What the books of all other markets leave for this one's price; null where they contradict each other. */
  readonly bounds: PriceBounds | null
  /** What the prices of the other rungs leave; null where they contradict each other. */
  readonly rungBounds: PriceBounds | null
  /** What the end of another rung implies here; null without one. */
  readonly implied: ImpliedEnd | null
  /** The exclusive outcomes of the event; null when they are none, or not read. */
  readonly sum: SiblingSum | null
}

/** A pair of prices that gains more than this is rather stale or of other rules, USD a share. */
const pairGainMax = 0.3
/** One that gains less at its quotes is left out: USD, and a share of its cost. */
const pairGainUsdMin = 20
const pairReturnMin = 0.01

/** Whether a pair of contradicting prices is worth a sentence. */
export function isWorthwhile({ gainPerShare, size }: Contradiction): boolean {
  return gainPerShare <= pairGainMax && size !== null &&
    size.gainUsd >= Math.max(pairGainUsdMin, pairReturnMin * size.costUsd)
}

/** An implied outcome at this price or more agrees with it. */
const impliedMax = 0.99

/** `others`: the rest of its event; null when it was not read. */
export function eventViewOf(
  own: EventMarket,
  others: ReadonlyArray<EventMarket> | null,
  isComplete: boolean,
): EventView {
  const all = [own, ...others ?? []].map(onLadder)
  const ladders = laddersOf(all)
  const isOwn = ({ market: { id } }: LadderRung) => id === own.market.id
  const isHere = ({ easier, harder }: Contradiction) => isOwn(easier) || isOwn(harder)
  const rungs = ladders.map(({ rungs }) => rungs.filter(({ quote }) => quote !== null))
    .filter((rungs) => rungs.length > 1 && rungs.some(isOwn))
    .toSorted((a, b) => b.length - a.length)[0] ?? []
  const isRung = ({ market: { id } }: LadderRung) => rungs.some((rung) => rung.market.id === id)
  const found = contradictionsOf(ladders)
  const contradictions = found.filter((found) =>
    isWorthwhile(found) && isRung(found.harder) && isRung(found.easier)
  )
    .toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)))
  const implied = impliedEnd(ladders, own.market.id)
  return {
    rungs,
    contradictions,
    // Where other rungs contradict each other, one of them is wrong, and not this one.
    bounds: within(
      found.every((pair) => isHere(pair) || !isRung(pair.harder))
        ? ladderBounds(ladders, own.market.id)
        : null,
      {
        low: 0,
        high: exclusiveHigh(own, others),
      },
    ),
    rungBounds: rungBoundsOf(rungs, rungs.findIndex(isOwn)),
    implied: implied !== null && halfSteps(implied.mid) < halfSteps(impliedMax) ? implied : null,
    sum: others === null ? null : siblingSums(all, () => isComplete)[0] ?? null,
  }
}

/** With what a proposal says of its end, while it is undisputed. */
export function onLadder<M extends EventMarket>(one: M): M & Pick<LadderRung, "proposed"> {
  const { proposal } = one
  return { ...one, proposed: proposal === null || proposal.disputed ? null : proposal.outcome }
}

/** The price of the outcome that a rung is about. */
export function priceOfRung({ quote, rung }: LadderRung): number {
  return quote === null ? 0 : quoteOfOutcome(quote, rung.outcome).mid
}

/** Of the first outcome of the rung at `own`. */
function rungBoundsOf(rungs: ReadonlyArray<LadderRung>, own: number): PriceBounds | null {
  const rung = rungs[own]
  if (rung === undefined) return { low: 0, high: 1 }
  const { rank, outcome } = rung.rung
  const low = Math.max(0, ...rungs.filter((it) => it.rung.rank > rank).map(priceOfRung))
  const high = Math.min(1, ...rungs.filter((it) => it.rung.rank < rank).map(priceOfRung))
  if (low > high) return null
  return outcome === 0 ? { low, high } : { low: complement(high), high: complement(low) }
}

/** At most one exclusive outcome is paid, so this one is worth at most what the bids of the others leave. */
function exclusiveHigh(own: EventMarket, others: ReadonlyArray<EventMarket> | null): number {
  if (!own.market.exclusive) return 1
  const bids = (others ?? []).filter(({ market, quote }) =>
    market.exclusive && market.eventSlug === own.market.eventSlug &&
    (quote?.bid ?? 0) * (quote?.bidShares ?? 0) >= tradedUsdMin
  ).map(({ market: { takerFeeRate }, quote }) => {
    const bid = quote?.bid ?? 0
    return takerFeeRate === null ? 0 : bid - takerFee(bid, takerFeeRate)
  })
  return Math.max(0, 1 - bids.reduce((sum, bid) => sum + bid, 0))
}

function within(a: PriceBounds | null, b: PriceBounds): PriceBounds | null {
  if (a === null) return null
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)]
  return low <= high ? { low, high } : null
}
