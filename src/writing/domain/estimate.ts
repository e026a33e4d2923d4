/**
 * The probability that texts state, computed from records and prices: the market's mid, unless what
 * the service has measured says otherwise. A digest and a report take it from here, so they agree.
 *
 * Each ingredient is an edge: how much more than its price such an outcome was worth in the past. It is
 * shrunk by the error of its own record, turned into a shift of the log odds, and the shifts are added
 * to the log odds of the mid (Bordley, Management Science 28, 1982: a
 * pool of the odds multiplies the evidence). Then the bounds of the event's other markets hold. Without a
 * record every shift is 0 and the probability is the mid.
 *
 * Two intervals: of the probability, by the errors of the records that moved it; and of the price, where
 * nine of ten mids are a day later, if the market still trades then.
 *
 * @module
 */
import { z95 } from "../../core/domain/student.ts"
import type { PriceBounds } from "../../markets/domain/ladders.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { day, hour } from "../../core/domain/time.ts"
import { edgeLeftAt, favouredBy, type LabelledEntry } from "../facts/wallets.ts"

/** All prices and probabilities are of the market's first outcome, 0..1, unless a field says otherwise. */
export interface EstimateInputs {
  readonly mid: number
  /** The last seven days, hourly, ascending. */
  readonly hourly: ReadonlyArray<SeriesPoint>
  /** The chance that the market is resolved a day later; null when not known. */
  readonly probability24h: number | null
  /** From now until its listed end, or its kick-off; null when not known. */
  readonly endsInMs: number | null
  /** A published move of the last day, and what such moves did in the day after their publication. */
  readonly move: {
    readonly direction: 1 | -1
    readonly ageMs: number
    readonly record: MoveRecord
  } | null
  /** An undisputed proposal at a price that doubts it, and the record of such proposals. */
  readonly proposal: { readonly outcome: 0 | 1; readonly record: ProposalRecord } | null
  /** What publishers report of the end, and how often such reports of our own were right. */
  readonly reports: { readonly outcome: 0 | 1; readonly record: ReportRecord } | null
  /** Open entries of labelled wallets. */
  readonly wallets: ReadonlyArray<LabelledEntry>
  /** What the books of the event's other markets leave; null where they contradict each other. */
  readonly bounds: PriceBounds | null
  /** What the prices of the other rungs leave to a view; null where they contradict each other. */
  readonly rungBounds: PriceBounds | null
  /** Whether the probabilities stated so far were proven worse than the mid: then only bounds count. */
  readonly provenWorse: boolean
  /** The entries of tracked wallets that were paid or not, by price. */
  readonly bands: ReadonlyArray<PriceClass>
  readonly doubted: DoubtedRecord | null
  readonly scored: ScoredRecord
}

/** What became of the probabilities stated so far, a day later; a Brier score is null for too few. */
interface ScoredRecord {
  readonly judged: number
  readonly brier: number | null
  readonly midBrier: number | null
}

/** Doubted proposals, with the 95 % interval of the share that was upheld. */
export interface DoubtedRecord extends Omit<ProposalRecord, "meanPrice"> {
  readonly meanPrice: number | null
  readonly upheldRateLow: number
  readonly upheldRateHigh: number
}

/** What became of purchases at prices from `from` to below `to`, with the 95 % interval of their wins. */
interface PriceClass {
  readonly from: number
  readonly to: number
  readonly entries: number
  readonly meanEntryPrice: number
  readonly winRate: number | null
  readonly winRateLow: number | null
  readonly winRateHigh: number | null
}

/** Mean of direction x (price a day later - published price), with its 95 % interval; USD a share. */
interface MoveRecord {
  readonly moves: number
  readonly meanDrift: number | null
  readonly driftLow: number | null
  readonly driftHigh: number | null
}

/** Proposals whose market ended, those that were paid in full, and the mean price of what was proposed. */
interface ProposalRecord {
  readonly proposals: number
  readonly upheld: number
  readonly meanPrice: number
}

/** Reported outcomes whose market ended, and those of them that were paid. */
interface ReportRecord {
  readonly resolved: number
  readonly correct: number
}

export const ingredients = ["move", "proposal", "reports", "wallets", "ladder"] as const
type Ingredient = (typeof ingredients)[number]

export interface Estimate {
  readonly mid: number
  /** The stated probability; the mid when there is no view beyond the market. */
  readonly probability: number
  /** The 95 % interval of the probability, by the errors of the records; null for no view of records. */
  readonly low: number | null
  readonly high: number | null
  /** Nine of ten mids a day later; both null where the market will probably end before. */
  readonly dayLow: number | null
  readonly dayHigh: number | null
  /** What moved it away from the mid, and by how much, USD a share; empty for no view. */
  readonly basis: ReadonlyArray<
    Pick<View, "ingredient" | "won" | "cases" | "meanPrice"> & { readonly shift: number }
  >
  /** Whether the numbers stated so far did worse than the mid, so that records move it no more. */
  readonly provenWorse: boolean
  /** What became of purchases at each outcome's price; null for no such record. */
  readonly references: readonly [PriceClass | null, PriceClass | null]
  /** What became of doubted proposals; null for too few. */
  readonly doubted: DoubtedRecord | null
  /** What such moves did in the day after their publication; null without a move. */
  readonly moved: MoveRecord | null
  readonly scored: ScoredRecord
}

/** An edge of the first outcome at a price, USD a share, shrunk. */
interface View {
  readonly ingredient: Ingredient
  readonly price: number
  readonly edge: number
  /** Half of the 95 % interval of the edge. */
  readonly reach: number
  /** Of how many cases of its record how many were won; null where it is no such count. */
  readonly won: number | null
  readonly cases: number | null
  /** What those cases cost on average, USD a share; null where the price here is the measure. */
  readonly meanPrice: number | null
}

const uncounted = { won: null, cases: null, meanPrice: null }

/** A difference to the mid below this is smaller than half of the usual spread: no view. USD a share. */
const viewMin = 0.005

/** Bounds farther than this from the mid are rather of stale quotes or other rules: no view. USD a share. */
const boundsDistanceMax = 0.15

export function isDistant({ low, high }: PriceBounds, mid: number): boolean {
  return Math.max(low - mid, mid - high) > boundsDistanceMax + 1e-9
}

export function estimateOf(inputs: EstimateInputs): Estimate {
  const { mid, provenWorse } = inputs
  const bounds = inputs.bounds === null || isDistant(inputs.bounds, mid) ? null : inputs.bounds
  // A view that crosses another rung's price is impossible unless that price is wrong too.
  const rungs = inputs.rungBounds ?? { low: mid, high: mid }
  const views = provenWorse ? [] : viewsOf(inputs).filter(({ edge }) => edge !== 0)
  const pooled = views.reduce((sum, view) => sum + shiftOf(view), logOdds(mid))
  const viewed = views.length === 0 ? mid : Math.min(
    Math.max(mid, rungs.high),
    Math.max(Math.min(mid, rungs.low), roundPrice(probabilityAt(pooled))),
  )
  const own = Math.abs(viewed - mid) < viewMin ? mid : viewed
  const bounded = (price: number) =>
    bounds === null ? price : Math.min(bounds.high, Math.max(bounds.low, price))
  const isNoView = bounded(mid) === mid && Math.abs(bounded(own) - mid) < viewMin
  const probability = isNoView ? mid : bounded(own)
  const byView = isNoView || own === mid ? [] : views.map((view) => ({
    ...{ ingredient: view.ingredient, won: view.won, cases: view.cases, meanPrice: view.meanPrice },
    shift: roundPrice(probabilityAt(logOdds(mid) + shiftOf(view)) - mid),
  }))
  const byLadder = isNoView || probability === own
    ? []
    : [{ ingredient: "ladder" as const, ...uncounted, shift: roundPrice(probability - own) }]
  // The errors of the records are independent.
  const reach = byView.length === 0 ? null : Math.hypot(...views.map((view) => view.reach))
  return {
    ...{ mid, probability, basis: [...byView, ...byLadder] },
    low: reach === null ? null : Math.max(0, floorPrice(probability - reach)),
    high: reach === null ? null : roundPrice(1 - Math.max(0, floorPrice(1 - probability - reach))),
    ...dayRangeOf(inputs, probability),
    provenWorse,
    scored: inputs.scored,
    moved: inputs.move?.record ?? null,
    doubted: (inputs.doubted?.proposals ?? 0) < doubtedMin ? null : inputs.doubted,
    references: [referenceAt(inputs, mid), referenceAt(inputs, 1 - mid)],
  }
}

function referenceAt({ bands }: EstimateInputs, price: number): PriceClass | null {
  return bands.find(({ entries, from, to }) =>
    entries >= endedMin && from <= price && price < to
  ) ?? null
}

function viewsOf(inputs: EstimateInputs): ReadonlyArray<View> {
  return [moveView(inputs), proposalView(inputs), reportView(inputs), walletView(inputs)]
    .flatMap((view) => view ?? [])
}

/**
 * What is left of the drift after such a move: the mean of its record, shrunk, for the part of the day
 * that has not passed. Prices are assumed to drift evenly over that day.
 */
function moveView({ mid, move }: EstimateInputs): View | null {
  if (move === null) return null
  const { direction, ageMs, record: { meanDrift, driftLow, driftHigh } } = move
  if (meanDrift === null || driftLow === null || driftHigh === null) return null
  const left = Math.min(1, Math.max(0, 1 - ageMs / day))
  const reach = (driftHigh - driftLow) / 2
  const edge = direction * left * shrunk(meanDrift, reach)
  return { ingredient: "move", price: mid, edge, reach: left * reach, ...uncounted }
}

/** With fewer ended markets a share of them says too little; of proposals its interval says how little. */
const endedMin = 30
const doubtedMin = 10

/**
 * Upheld proposals were worth 1 USD and cost their mean price. Two proposals of each kind are added to
 * the counts, so that a record without a loss has an error too (Agresti and Coull, The American
 * Statistician 52, 1998).
 */
function proposalView({ proposal }: EstimateInputs): View | null {
  if (proposal === null || proposal.record.proposals < endedMin) return null
  const { outcome, record: { proposals, upheld, meanPrice } } = proposal
  const n = proposals + 4
  const rate = (upheld + 2) / n
  const reach = z95 * Math.sqrt(rate * (1 - rate) / n)
  const edge = shrunk(rate - meanPrice, reach)
  const record = { won: upheld, cases: proposals, meanPrice }
  const shared = { ingredient: "proposal", reach, ...record } as const
  return outcome === 0
    ? { ...shared, price: meanPrice, edge }
    : { ...shared, price: 1 - meanPrice, edge: -edge }
}

/** How far reports at a price that doubts them move it towards their record: such ones err more often. */
const reportWeight = 0.5

/**
 * The lower end of the record's 95 % interval, which is taken over all prices, against this price. The
 * interval of the probability is from the one to the other.
 */
function reportView({ mid, reports }: EstimateInputs): View | null {
  if (reports === null || reports.record.resolved < endedMin) return null
  const { outcome, record: { correct, resolved } } = reports
  const n = resolved + 4
  const rate = (correct + 2) / n
  const low = rate - z95 * Math.sqrt(rate * (1 - rate) / n)
  const edge = reportWeight * Math.max(0, low - (outcome === 0 ? mid : 1 - mid))
  const record = { won: correct, cases: resolved, meanPrice: null }
  const shared = { ingredient: "reports", price: mid, ...record } as const
  return { ...shared, reach: edge, edge: outcome === 0 ? edge : -edge }
}

/**
 * The strongest labelled entry of each side: wallets follow one another, so a second one is no second
 * piece of evidence.
 */
function walletView({ mid, wallets }: EstimateInputs): View | null {
  const strongest = (outcome: 0 | 1) => {
    const price = outcome === 0 ? mid : 1 - mid
    const favouring = wallets.filter((entry) => favouredBy(entry) === outcome)
    return favouring.map((entry) => edgeLeftAt(entry, price))
      .reduce((best, one) => one.edge > best.edge ? one : best, { edge: 0, error: 0 })
  }
  const [first, second] = [strongest(0), strongest(1)]
  const reach = z95 * Math.hypot(first.error, second.error)
  return { ingredient: "wallets", price: mid, edge: first.edge - second.edge, reach, ...uncounted }
}

/**
 * A mean, less what chance alone gives it: mean x (1 - reach^2 / mean^2), and 0 where its 95 % interval,
 * mean plus or minus `reach`, contains 0 (the nonnegative garrote of Breiman, Technometrics 37, 1995).
 */
function shrunk(mean: number, reach: number): number {
  return mean === 0 ? 0 : mean * Math.max(0, 1 - (reach / mean) ** 2)
}

/** From this chance on that the market ends within the day, no range of its price says anything. */
const endingMin = 0.5
/** The same for one that ends, or kicks off, so soon: prices go to 0 or 1 hours before the listed end. */
const endingMs = 36 * hour
/** The 95 % quantile of Student's t with 7 degrees of freedom: a week has seven days. */
const quantile = 1.895
/** With fewer pairs a day apart (six and a half days of prices) the sample says less than `priorSpread`. */
const pairsMin = 132
/** A day's standard deviation of the log odds: 24 hours at 0.10 an hour. */
const priorSpread = 0.1 * Math.sqrt(24)

/**
 * Nine of ten mids a day later: `quantile` times the root mean square of all changes of the log odds over
 * a day in the last week, around the probability. Changes over a day contain jumps, the day's rhythm and
 * no bounce between bid and ask, as the change to come does.
 */
function dayRangeOf(
  { hourly, probability24h, endsInMs }: EstimateInputs,
  probability: number,
): Pick<Estimate, "dayLow" | "dayHigh"> {
  if ((probability24h ?? 0) >= endingMin || (endsInMs ?? Infinity) < endingMs) {
    return { dayLow: null, dayHigh: null }
  }
  const byHour = new Map(hourly.map(({ at, mid }) => [Math.floor(at / hour), logOdds(mid)]))
  const changes = [...byHour].flatMap(([at, odds]) => {
    const before = byHour.get(at - day / hour)
    return before === undefined ? [] : [odds - before]
  })
  const squares = changes.reduce((sum, change) => sum + change ** 2, 0)
  const spread = changes.length < pairsMin ? priorSpread : Math.sqrt(squares / changes.length)
  const centre = logOdds(probability)
  return {
    dayLow: Math.min(probability, floorPrice(probabilityAt(centre - quantile * spread))),
    dayHigh: Math.max(
      probability,
      roundPrice(1 - floorPrice(probabilityAt(-centre - quantile * spread))),
    ),
  }
}

/** The shift of the log odds that adds `edge` to the price at which the edge was measured. */
function shiftOf({ price, edge }: View): number {
  return logOdds(price + edge) - logOdds(price)
}

/** The venue's smallest price: log odds beyond it have no meaning. */
const priceMin = 0.001

function logOdds(price: number): number {
  const within = Math.min(1 - priceMin, Math.max(priceMin, price))
  return Math.log(within / (1 - within))
}

function probabilityAt(odds: number): number {
  return 1 / (1 + Math.exp(-odds))
}

/** To a thousandth. */
const roundPrice = (price: number): number => Math.round(price * 1_000) / 1_000 + 0
export const floorPrice = (price: number): number => Math.floor(price * 1_000 + 1e-6) / 1_000
