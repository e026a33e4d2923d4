/**
 * The score of the probabilities that reports state: each is compared, a day later, with the market's
 * price then, as is the mid of that moment. The payout counts where the market was paid.
 *
 * A fair price does not drift, so the better of two probabilities is nearer to a later price on average.
 * Estimates on markets of one event are not independent.
 *
 * @module
 */
import { Schema } from "effect"
import { clusteredMean, type ClusterSums, noClusters } from "../../core/domain/clusteredMean.ts"
import { described } from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { roundOrNull, roundRate } from "../../whales/domain/oddsBands.ts"

/** What a report stated of its market's first outcome; prices and probabilities 0..1. */
export interface StatedEstimate {
  readonly kind: "price"
  readonly marketId: MarketId
  /** Estimates with the same key are not independent. */
  readonly eventKey: string
  readonly madeAt: EpochMs
  readonly mid: number
  /** The mid where the report had no view of its own. */
  readonly probability: number
  /** Where nine of ten mids are a day later; 0 and 1 where the market ends before. */
  readonly low: number
  readonly high: number
  /** What moved the probability away from the mid. */
  readonly basis: ReadonlyArray<string>
}

/** Sums over the stored estimates. */
export interface EstimateTotals {
  readonly estimates: number
  /** No price was known a day later. */
  readonly unknown: number
  /** Over the judged ones: those with a view, and the sums of squared errors. */
  readonly views: number
  readonly squaredError: number
  readonly midSquaredError: number
  /** Squared error of the probability minus that of the mid, by event. */
  readonly difference: ClusterSums
  /** Judged intervals: in markets that still traded, and narrower than 0 to 1. */
  readonly intervals: number
  readonly covered: number
}

export const noEstimates: EstimateTotals = {
  estimates: 0,
  unknown: 0,
  views: 0,
  squaredError: 0,
  midSquaredError: 0,
  difference: noClusters,
  intervals: 0,
  covered: 0,
}

/** With fewer independent events the interval of a mean of rare large jumps is too narrow. */
const eventsMin = 50

const fewText = `null with fewer than ${eventsMin} events`
const BrierOrNull = Schema.NullOr(Rate)

/** The score of stated probabilities, on the wire. */
export const EstimateScore = Schema.Struct({
  estimates: described(Count, "Stated probabilities of the last year"),
  judged: described(Count, "Of these, with a known price a day later"),
  unknown: described(Count, "Without one; not in `judged`"),
  views: described(Count, "Of the judged, those that differed from the market's mid"),
  events: described(Count, "Independent events of the judged"),
  brier: BrierOrNull.annotate({
    description:
      "Mean squared difference of the stated probability to the market's price a day later, or to its payout by then, 0 to 1; " +
      fewText,
  }),
  midBrier: BrierOrNull.annotate({
    description: `The same of the mid when it was stated, 0 to 1; ${fewText}`,
  }),
  difference: Schema.NullOr(Schema.Finite).annotate({
    description: `brier minus midBrier, -1 to 1: below 0 the stated one was nearer; ${fewText}`,
  }),
  differenceLow: Schema.NullOr(Schema.Finite).annotate({
    description: `Lower end of its 95 % interval, -1 to 1, clustered by event; ${fewText}`,
  }),
  differenceHigh: Schema.NullOr(Schema.Finite).annotate({
    description: `Upper end of that interval, -1 to 1; ${fewText}`,
  }),
  comparison: Schema.Literals(["too_few", "no_view", "better", "no_difference", "worse"]).annotate({
    description:
      "The stated probability against the mid. better and worse: the interval excludes 0; " +
      `too_few: fewer than ${eventsMin} events; no_view: none differed from the mid`,
  }),
  intervals: described(Count, "Judged intervals, of markets that still traded a day later"),
  coverage: BrierOrNull.annotate({
    description:
      "Share, 0 to 1, of these that contained the mid a day later; meant to be 0.9. Null with " +
      `fewer than ${eventsMin}`,
  }),
}).annotate({
  identifier: "EstimateScore",
  description: "The probabilities that research reports state, against the market a day later",
})
type EstimateScore = typeof EstimateScore.Type

export function estimateScore(totals: EstimateTotals): EstimateScore {
  const { estimates, unknown, views, squaredError, midSquaredError, intervals, covered } = totals
  const { n: judged, clusters: events } = totals.difference
  const difference = events < eventsMin ? null : clusteredMean(totals.difference)
  const mean = (sum: number) => difference === null ? null : roundRate(Math.min(1, sum / judged))
  return {
    estimates,
    judged,
    unknown,
    views,
    events,
    brier: mean(squaredError),
    midBrier: mean(midSquaredError),
    difference: roundDifference(difference?.mean),
    differenceLow: roundDifference(difference?.low),
    differenceHigh: roundDifference(difference?.high),
    comparison: difference === null
      ? "too_few"
      : views === 0
      ? "no_view"
      : difference.high < 0
      ? "better"
      : difference.low > 0
      ? "worse"
      : "no_difference",
    intervals,
    coverage: roundOrNull(intervals < eventsMin ? null : covered / intervals),
  }
}

/** Differences of squares are small: six decimals. */
function roundDifference(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1e6) / 1e6 + 0
}
