/**
 * Ladders of one event: markets of which one outcome implies the other, and the quotes and proposals that
 * contradict this.
 *
 * A harder rung implies an easier one, so its price is at most as high. When it is not, a share of the
 * easier rung and a share of the harder rung's other outcome pay together at least 1 USD in every
 * state: 1 when both rungs or none happen, 2 when only the easier one does. Only prices at which both
 * can be bought contradict each other; mids do not. Where titles, rules, creation and scheduled ends
 * of a ladder's markets do not fit one order, nothing is said.
 *
 * @module
 */
import { day } from "../../core/domain/time.ts"
import type { Market, MarketFacts } from "./market.ts"
import { complement, priceDifference, quoteOfOutcome, roundMicroUsd, takerFee } from "./quote.ts"
import type { Quote } from "./quote.ts"
import { type Rung, type RungKind, rungsOf } from "./rungs.ts"

/** Markets of one event that are read: those with the most liquidity, ties by id. */
export const ladderMarketsMax = 64
/** Contradictions that are returned, the largest first. */
export const contradictionsMax = 20
/** A market as the ladders need it. `quote` is of its first outcome. */
export interface LadderMarket {
  readonly market: MarketFacts & Pick<Market, "liquidityUsd">
  readonly quote: Quote | null
  /** The outcome that is proposed at the venue and not disputed; null for none. */
  readonly proposed: 0 | 1 | null
  /** The venue's rules: untrusted text. Null or absent where they were not read. */
  readonly rules?: string | null
}

/** One rung of a ladder: a market, the outcome that the rung is about, and that outcome's quote. */
export interface LadderRung extends LadderMarket {
  readonly rung: Rung
}

/** Markets whose questions differ in one number only, the easiest rung first. At least two. */
interface Ladder {
  readonly eventKey: string
  readonly kind: RungKind
  readonly rungs: ReadonlyArray<LadderRung>
}

/**
 * Two rungs of which the harder one's bid is above the easier one's ask by more than the fees. It rests
 * on the titles and dates of both markets, so no text calls its gain riskless: rules may differ in what
 * no title says, and a cancelled market may break it.
 */
export interface Contradiction {
  readonly kind: RungKind
  readonly harder: LadderRung
  readonly easier: LadderRung
  /** Why the harder rung cannot be more likely; see `implications`. */
  readonly reason: string
  /** The harder rung's bid and the easier's ask, of the outcomes that the rungs are about. */
  readonly bid: number
  readonly ask: number
  /**
   * USD a share, more than 0: buying the easier rung and the other outcome of the harder one at their
   * asks with taker fees costs 1 - bid + ask + both fees, and pays at least 1.
   */
  readonly gainPerShare: number
  /** What the shares at these two quotes allow; null when they are not known. */
  readonly size: {
    readonly shares: number
    /** Cost of both legs, fees included: at least `tradedUsdMin`. */
    readonly costUsd: number
    readonly gainUsd: number
  } | null
}

/** An outcome that the proposal of another rung implies: it is paid if that proposal stands. */
export interface ImpliedEnd {
  /** The market that is still priced. */
  readonly target: LadderRung
  /** The outcome of the target that is implied. */
  readonly outcome: 0 | 1
  /** The mid of that outcome now. */
  readonly mid: number
  /** The market with the proposal, and its proposed outcome. */
  readonly source: LadderRung
  readonly proposed: 0 | 1
  readonly reason: string
}

/** Why a harder rung implies an easier one. */
const implications: Readonly<Record<RungKind, string>> = {
  higher_limit: "a value above the higher limit is also above the lower one",
  lower_limit: "a value below the lower limit is also below the higher one",
  earlier_deadline: "what happens by the earlier date has also happened by the later one",
}

/** The ladders among these markets, of any events. The order of the markets does not matter. */
export function laddersOf(markets: ReadonlyArray<LadderMarket>): ReadonlyArray<Ladder> {
  const unique = new Map(markets.map((one) => [one.market.id, one])).values()
  const events = Map.groupBy(unique, ({ market }) => market.eventKey)
  const ladders = [...events].flatMap(([eventKey, event]) =>
    laddersOfEvent(eventKey, event.toSorted(byLiquidity).slice(0, ladderMarketsMax))
  )
  return ladders.sort((a, b) => byText(keyOf(a), keyOf(b)))
}

function laddersOfEvent(
  eventKey: string,
  markets: ReadonlyArray<LadderMarket>,
): ReadonlyArray<Ladder> {
  const all = markets.flatMap((one) => rungsOf(one.market).map((rung) => ({ ...one, rung })))
  const ladders = Map.groupBy(all, ({ rung }) => `${rung.kind} ${rung.template}`)
  return [...ladders.values()].flatMap((found) => {
    const rungs = found.toSorted(byRank)
    const [first, last] = [rungs[0], rungs.at(-1)]
    if (first === undefined || last === undefined || first.rung.rank === last.rung.rank) return []
    return haveOneOrder(rungs) ? [{ eventKey, kind: first.rung.kind, rungs }] : []
  })
}

/**
 * Whether the scheduled ends and the rules of a ladder's markets fit its order. Limits are compared
 * over one time: equal ends, and the same dates in the rules. Of dates, a later one may not end earlier.
 * A market without an end or without dates in its rules says nothing of either.
 */
function haveOneOrder(rungs: ReadonlyArray<LadderRung>): boolean {
  const ends = rungs.flatMap(({ market: { endsAt } }) => endsAt ?? [])
  const slopes = ends.slice(1).map((end, n) => end - (ends[n] ?? end))
  if (rungs[0]?.rung.kind === "earlier_deadline") return slopes.every((slope) => slope <= slackMs)
  const rules = rungs.map(({ market }) => market.rulesDates.join()).filter((dates) => dates)
  return Math.max(...ends) - Math.min(...ends) <= slackMs && new Set(rules).size <= 1
}

/** Markets of one event are created, and end, within this time of one another. */
const slackMs = day

/**
 * Whether all that counts for the harder rung also counts for the easier. Some rules count from the
 * creation of the market, so the easier market may not be the younger one.
 */
function coversTheSameTime(harder: LadderRung, easier: LadderRung): boolean {
  const [from, to] = [easier.market.createdAt, harder.market.createdAt]
  return from === null || to === null ? from === to : from <= to + slackMs
}

/** The pairs of a ladder, each as the harder and the easier rung. Equal rungs imply nothing new. */
function pairsOf(ladder: Ladder): ReadonlyArray<readonly [LadderRung, LadderRung]> {
  return ladder.rungs.flatMap((easier, i) =>
    ladder.rungs.slice(i + 1)
      .filter((harder) => harder.rung.rank > easier.rung.rank && coversTheSameTime(harder, easier))
      .map((harder) => [harder, easier] as const)
  )
}

/**
 * The pairs of rungs whose quotes contradict each other after fees, at most `contradictionsMax`, the
 * largest gain a share first. A market with a proposal is left out, because its quote may be old; see
 * `impliedEnd`.
 */
export function contradictionsOf(ladders: ReadonlyArray<Ladder>): ReadonlyArray<Contradiction> {
  return ladders.flatMap((ladder) =>
    pairsOf(ladder).flatMap(([harder, easier]) => {
      if (harder.proposed !== null || easier.proposed !== null) return []
      return contradictionOf(ladder.kind, harder, easier) ?? []
    })
  ).sort(byGain).slice(0, contradictionsMax)
}

function contradictionOf(
  kind: RungKind,
  harder: LadderRung,
  easier: LadderRung,
): Contradiction | null {
  const [upper, under] = [quoteOfRung(harder), quoteOfRung(easier)]
  const [bid, ask] = [upper?.bid ?? null, under?.ask ?? null]
  const [harderRate, easierRate] = [harder.market.takerFeeRate, easier.market.takerFeeRate]
  if (bid === null || ask === null || harderRate === null || easierRate === null) return null
  // The fee of the other outcome at 1 - bid is that of this one at the bid.
  const fees = takerFee(bid, harderRate) + takerFee(ask, easierRate)
  const gain = priceDifference(bid, ask) - fees
  if (roundMicroUsd(gain) <= 0) return null
  const [bidShares, askShares] = [upper?.bidShares ?? null, under?.askShares ?? null]
  const pair = { kind, harder, easier, reason: implications[kind], bid, ask }
  const gainPerShare = roundMicroUsd(gain)
  if (bidShares === null || askShares === null) return { ...pair, gainPerShare, size: null }
  const shares = Math.min(bidShares, askShares)
  const costUsd = roundMicroUsd((1 - gain) * shares)
  return costUsd < tradedUsdMin
    ? null
    : { ...pair, gainPerShare, size: { shares, costUsd, gainUsd: roundMicroUsd(gain * shares) } }
}

/** The quote of the outcome that the rung is about. */
function quoteOfRung({ quote, rung }: LadderRung): Quote | null {
  return quote === null ? null : quoteOfOutcome(quote, rung.outcome)
}

/**
 * What the proposals of the other rungs say of a market: the implied outcome that is cheapest, ties by the
 * market with the proposal. Null without one, without a price here, and where that outcome is proposed here.
 */
export function impliedEnd(ladders: ReadonlyArray<Ladder>, id: Market["id"]): ImpliedEnd | null {
  const [first = null] = ladders.flatMap((ladder) =>
    pairsOf(ladder).flatMap(([harder, easier]) => [
      // The harder rung's happening implies the easier's; the easier's failing implies the harder's.
      happens(harder) === true ? impliedBy(ladder.kind, easier, harder, true) : null,
      happens(easier) === false ? impliedBy(ladder.kind, harder, easier, false) : null,
    ])
  ).flatMap((implied) => implied !== null && implied.target.market.id === id ? [implied] : [])
    .sort((a, b) => a.mid - b.mid || byText(a.source.market.id, b.source.market.id))
  return first
}

function impliedBy(
  kind: RungKind,
  target: LadderRung,
  source: LadderRung,
  happens: boolean,
): ImpliedEnd | null {
  const { quote, rung } = target
  const outcome = happens === (rung.outcome === 0) ? 0 : 1
  if (source.proposed === null || target.proposed === outcome || quote === null) return null
  const { mid } = quoteOfOutcome(quote, outcome)
  return { target, outcome, mid, source, proposed: source.proposed, reason: implications[kind] }
}

/** Between which prices the ladders leave a market's first outcome, 0..1. */
export interface PriceBounds {
  readonly low: number
  readonly high: number
}

/** A quote that offers less at its price moves no bound and contradicts nothing, USD. */
export const tradedUsdMin = 100

/**
 * The bounds of a market's first outcome: it is at least as likely as each harder rung is bid, less the
 * taker's fee, and at most as likely as each easier rung is asked, plus the fee. A market with a proposal
 * bounds nothing, because its quote may be old and its proposal can be disputed. Null when the bounds
 * contradict each other.
 */
export function ladderBounds(ladders: ReadonlyArray<Ladder>, id: Market["id"]): PriceBounds | null {
  let [low, high] = [0, 1]
  const atLeast = (outcome: 0 | 1, price: number) => {
    if (outcome === 0) low = Math.max(low, price)
    else high = Math.min(high, complement(price))
  }
  for (const [harder, easier] of ladders.flatMap(pairsOf)) {
    if (easier.market.id === id) atLeast(easier.rung.outcome, priceOfRung(harder, "bid") ?? 0)
    if (harder.market.id === id) {
      atLeast(harder.rung.outcome === 0 ? 1 : 0, complement(priceOfRung(easier, "ask") ?? 1))
    }
  }
  return low <= high ? { low, high } : null
}

/**
 * What a seller gets at the bid of a rung's outcome, or a buyer pays at its ask, fee included; null when
 * the price or the fee is not known, or when less than `tradedUsdMin` is offered.
 */
function priceOfRung(rung: LadderRung, side: "bid" | "ask"): number | null {
  const quote = rung.proposed === null ? quoteOfRung(rung) : null
  const price = quote?.[side] ?? null
  if (price === null || price * (quote?.[`${side}Shares`] ?? 0) < tradedUsdMin) return null
  const { takerFeeRate } = rung.market
  if (takerFeeRate === null) return null
  const fee = takerFee(price, takerFeeRate)
  return side === "bid" ? Math.max(0, price - fee) : Math.min(1, price + fee)
}

/** Whether the rung's outcome happens if its proposal stands; null without one. */
function happens({ proposed, rung }: LadderRung): boolean | null {
  return proposed === null ? null : proposed === rung.outcome
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function byLiquidity({ market: a }: LadderMarket, { market: b }: LadderMarket): number {
  const [more, less] = [finite(a.liquidityUsd), finite(b.liquidityUsd)]
  return less - more || byText(a.id, b.id)
}

const finite = (value: number) => Number.isFinite(value) ? value : 0

function byRank(a: LadderRung, b: LadderRung): number {
  return a.rung.rank - b.rung.rank || byText(a.market.id, b.market.id)
}

function keyOf({ eventKey, kind, rungs: [first] }: Ladder): string {
  return [eventKey, kind, first?.rung.template ?? ""].join("\n")
}

function byGain(a: Contradiction, b: Contradiction): number {
  return b.gainPerShare - a.gainPerShare ||
    byText(a.harder.market.id, b.harder.market.id) ||
    byText(a.easier.market.id, b.easier.market.id)
}
