/**
 * Ladders of one event: markets of which one outcome implies the other, and the quotes, proposals and
 * results that contradict this.
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
import type { Market } from "./market.ts"
import { complement, priceDifference, quoteOfOutcome, roundMicroUsd, takerFee } from "./quote.ts"
import type { Quote } from "./quote.ts"
import { type Rung, type RungKind, rungsOf } from "./rungs.ts"

/** Markets of one event that are read: those with the most liquidity, ties by id. */
export const ladderMarketsMax = 64
/** Contradictions that are returned, the largest first. */
export const contradictionsMax = 20
/** Prices that are implied by proposals and results, at most. */
export const impliedMax = 40

/** What is known of how a market ends: its outcome is proposed, or was paid. */
export interface KnownEnd {
  readonly outcome: 0 | 1
  readonly state: "proposed" | "resolved"
}

/** A market as the ladders need it. `quote` is of its first outcome. */
export interface LadderMarket {
  readonly market: Pick<
    Market,
    | "id"
    | "slug"
    | "question"
    | "outcomes"
    | "endsAt"
    | "createdAt"
    | "rulesDates"
    | "eventKey"
    | "liquidityUsd"
    | "takerFeeRate"
  >
  readonly quote: Quote | null
  readonly known: KnownEnd | null
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

/** A price that the known end of another rung implies: of `outcome`, which is then sure to be paid. */
export interface ImpliedEnd {
  /** The market that is still priced. */
  readonly target: LadderRung
  /** The outcome of the target that is implied. */
  readonly outcome: 0 | 1
  /** The mid of that outcome now; null when not known. */
  readonly mid: number | null
  /** The market whose end is known, and how: a proposal may still be disputed. */
  readonly source: LadderRung
  readonly state: KnownEnd["state"]
  readonly kind: RungKind
  readonly reason: string
  /**
   * Whether the target's own proposal, or the known end of a third rung, says the opposite: one of
   * them must be wrong.
   */
  readonly conflict: boolean
}

/** Why a harder rung implies an easier one. */
const implications: Readonly<Record<RungKind, string>> = {
  higher_limit: "a value above the higher limit is also above the lower one",
  lower_limit: "a value below the lower limit is also below the higher one",
  earlier_deadline: "what happens by the earlier date has also happened by the later one",
}

/** The ladders among these markets, of any events. The order of the markets does not matter. */
export function laddersOf(markets: ReadonlyArray<LadderMarket>): ReadonlyArray<Ladder> {
  const events = new Map<string, Map<string, LadderMarket>>()
  for (const one of markets) {
    const event = events.get(one.market.eventKey) ?? new Map<string, LadderMarket>()
    events.set(one.market.eventKey, event.set(one.market.id, one))
  }
  const ladders = [...events].flatMap(([eventKey, event]) =>
    laddersOfEvent(eventKey, [...event.values()].sort(byLiquidity).slice(0, ladderMarketsMax))
  )
  return ladders.sort((a, b) => byText(keyOf(a), keyOf(b)))
}

function laddersOfEvent(
  eventKey: string,
  markets: ReadonlyArray<LadderMarket>,
): ReadonlyArray<Ladder> {
  const ladders = new Map<string, Array<LadderRung>>()
  for (const one of markets) {
    for (const rung of rungsOf(one.market)) {
      const key = `${rung.kind} ${rung.template}`
      ladders.set(key, [...ladders.get(key) ?? [], { ...one, rung }])
    }
  }
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
 * largest gain a share first. A market with a known end is left out, because its quote may be old; see
 * `impliedEnds`.
 */
export function contradictionsOf(ladders: ReadonlyArray<Ladder>): ReadonlyArray<Contradiction> {
  return ladders.flatMap((ladder) =>
    pairsOf(ladder).flatMap(([harder, easier]) => {
      if (harder.known !== null || easier.known !== null) return []
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
 * What proposals and results say of the other rungs, at most `impliedMax`: conflicts first, then
 * results before proposals, then those whose implied outcome is cheapest. A market already resolved
 * is no target, nor one with the same known end. Of several sources the strongest is named, and where
 * a result and a proposal imply opposite outcomes, only the result.
 */
export function impliedEnds(ladders: ReadonlyArray<Ladder>): ReadonlyArray<ImpliedEnd> {
  const found = new Map<string, ImpliedEnd>()
  for (const ladder of ladders) {
    for (const [harder, easier] of pairsOf(ladder)) {
      for (const implied of impliedBy(ladder.kind, harder, easier)) {
        const key = `${implied.target.market.id} ${implied.outcome}`
        const earlier = found.get(key)
        if (earlier === undefined || byStrength(implied, earlier) < 0) found.set(key, implied)
      }
    }
  }
  return [...found.values()].flatMap((implied) => {
    const opposite = found.get(`${implied.target.market.id} ${1 - implied.outcome}`)
    if (opposite === undefined) return [implied]
    const isWeaker = implied.state === "proposed" && opposite.state === "resolved"
    return isWeaker ? [] : [{ ...implied, conflict: true }]
  }).sort(byStrength).slice(0, impliedMax)
}

/** The harder rung's happening implies the easier's; the easier's failing implies the harder's. */
function impliedBy(
  kind: RungKind,
  harder: LadderRung,
  easier: LadderRung,
): ReadonlyArray<ImpliedEnd> {
  const [up, down] = [happened(harder), happened(easier)]
  return [
    ...up === true ? [impliedEnd(kind, easier, harder, true)] : [],
    ...down === false ? [impliedEnd(kind, harder, easier, false)] : [],
  ].flatMap((implied) => implied ?? [])
}

function impliedEnd(
  kind: RungKind,
  target: LadderRung,
  source: LadderRung,
  happens: boolean,
): ImpliedEnd | null {
  const { quote, known, rung } = target
  const outcome = happens === (rung.outcome === 0) ? 0 : 1
  if (source.known === null || known?.state === "resolved" || known?.outcome === outcome) {
    return null
  }
  return {
    target,
    outcome,
    source,
    kind,
    mid: quote === null ? null : quoteOfOutcome(quote, outcome).mid,
    state: source.known.state,
    reason: implications[kind],
    conflict: known !== null,
  }
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
 * taker's fee, at most as likely as each easier rung is asked, plus the fee, and sure where a result implies it. A proposal bounds nothing,
 * because it can be disputed. Null when the bounds contradict each other.
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
 * What a seller gets at the bid of a rung's outcome, or a buyer pays at its ask, fee included: its
 * payout, once it is paid; null when the price or the fee is not known, or when less than `tradedUsdMin` is offered.
 */
function priceOfRung(rung: LadderRung, side: "bid" | "ask"): number | null {
  if (rung.known?.state === "resolved") return happened(rung) === true ? 1 : 0
  const quote = rung.known === null ? quoteOfRung(rung) : null
  const price = quote?.[side] ?? null
  if (price === null || price * (quote?.[`${side}Shares`] ?? 0) < tradedUsdMin) return null
  const { takerFeeRate } = rung.market
  if (takerFeeRate === null) return null
  const fee = takerFee(price, takerFeeRate)
  return side === "bid" ? Math.max(0, price - fee) : Math.min(1, price + fee)
}

/** Whether the rung's outcome is known to have happened; null when nothing is known. */
function happened({ known, rung }: LadderRung): boolean | null {
  return known === null ? null : known.outcome === rung.outcome
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

function byStrength(a: ImpliedEnd, b: ImpliedEnd): number {
  return Number(b.conflict) - Number(a.conflict) ||
    byText(b.state, a.state) ||
    (a.mid ?? 1) - (b.mid ?? 1) ||
    byText(a.target.market.id, b.target.market.id) ||
    byText(a.source.market.id, b.source.market.id)
}
