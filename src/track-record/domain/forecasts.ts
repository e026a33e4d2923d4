/**
 * Forecasts for the day after they are made, stored and judged once: that a market is resolved by then, a
 * sample of /v1/resolving; and its price, the probability that a report or a digest states. Each is
 * compared with a simple forecast of the same thing.
 *
 * A fair price does not drift, so the better of two probabilities is nearer to a later price on average.
 *
 * @module
 */
import { Schema } from "effect"
import { clusteredMean, noClusters } from "../../core/domain/clusteredMean.ts"
import { described } from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import type { MarketId, SeriesPoint } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { ExpectedMarket } from "../../markets/domain/resolving.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import { roundOrNull, roundRate } from "../../whales/domain/oddsBands.ts"
import { priceOfOutcomeAt } from "./selfScore.ts"

export interface Forecast {
  readonly kind: "resolution" | "price"
  readonly marketId: MarketId
  /** Forecasts with the same key are not independent. */
  readonly eventKey: string
  readonly madeAt: EpochMs
  /** That the market is resolved a day later, or its first outcome is paid; 0..1. */
  readonly probability: number
  /** What it is compared with: 1 if the end date is within the day or has passed, else 0; the mid. */
  readonly baseline: number
  /** Where nine of ten prices are a day later; 0 and 1 where that is not said. */
  readonly low: number
  readonly high: number
}

/** How often a sample of resolutions is stored. */
const forecastsEveryMs = 4 * hour
/** Forecasts in one sample: 300 a day give a Brier score to about .02 within a week. */
const forecastsMax = 50
/** The markets that are sampled: the widest window of /v1/resolving, its default otherwise. */
export const forecastQuery = { withinHours: 72, minLiquidity: 5_000, includeNoise: false } as const

export const horizonMs = day
/** Older forecasts are deleted: 300 a day of resolutions, and at most 48 of each market's reports. */
export const forecastsKeptMs = 365 * day
/** After the horizon: a resolution is published some minutes after its time. */
const judgingDelayMs = 30 * minute

/** Whether a sample is due: none was stored in this period of four hours. */
export function isSampleDue(lastMadeAt: EpochMs, now: EpochMs): boolean {
  return Math.floor(now / forecastsEveryMs) > Math.floor(lastMadeAt / forecastsEveryMs)
}

/** The forecasts of at most `forecastsMax` markets, spread evenly over their order. */
export function sampleOf(
  markets: ReadonlyArray<ExpectedMarket>,
  madeAt: EpochMs,
): ReadonlyArray<Forecast> {
  const step = Math.max(1, markets.length / forecastsMax)
  const chosen = Array.from(
    { length: Math.min(markets.length, forecastsMax) },
    (_, n) => markets[Math.floor(n * step)],
  )
  return chosen.flatMap((one): ReadonlyArray<Forecast> => {
    if (one === undefined) return []
    const { market: { id, eventKey, endsAt }, expected: { probability24h } } = one
    const baseline = endsAt !== null && endsAt <= madeAt + horizonMs ? 1 : 0
    const stated = { probability: probability24h, baseline, low: 0, high: 1 }
    return [{ kind: "resolution", marketId: id, eventKey, madeAt, ...stated }]
  })
}

/** When a forecast can be judged: its 24 hours have passed, and resolutions had time to arrive. */
export function dueAtOf({ madeAt }: Pick<Forecast, "madeAt">): EpochMs {
  return madeAt + horizonMs + judgingDelayMs
}

/**
 * What a forecast is compared with; null when it is not known. Of a price: the price a day later, or the
 * payout by then. Of a resolution: 1 when the market was resolved by the end of the day, whatever was paid,
 * else 0; not known if the venue gave no time, or was not requested since.
 */
export function valueOf(
  { kind, madeAt }: Pick<Forecast, "kind" | "madeAt">,
  resolution: Resolution | null,
  { requested, point }: { readonly requested: boolean; readonly point: SeriesPoint | null },
): number | null {
  const at = madeAt + horizonMs
  if (kind === "price") return priceOfOutcomeAt(at, point, resolution)
  if (resolution === null) return requested ? 0 : null
  if (resolution.resolvedAt === null) return null
  return resolution.resolvedAt <= at ? 1 : 0
}

/** The sums without a forecast. */
export const noForecasts = {
  forecasts: 0,
  /** Judged without a value. */
  unknown: 0,
  /** Over the judged ones, here and below: those that differ from their baseline. */
  views: 0,
  /** Sum of their values. */
  value: 0,
  squaredError: 0,
  baselineSquaredError: 0,
  /** Squared error minus that of the baseline, by event. */
  difference: noClusters,
  /** Judged intervals: in markets that still traded, and narrower than 0 to 1. */
  intervals: 0,
  covered: 0,
}

/** Sums over the stored forecasts of a kind. */
export type ForecastTotals = Readonly<typeof noForecasts>

const Brier = Schema.NullOr(Rate)

/** The score of forecasts of resolutions, on the wire. */
export const ResolutionScore = Schema.Struct({
  forecasts: Count.annotate({ description: "Stored forecasts of the last year" }),
  judged: Count.annotate({ description: "Of these, by the venue's resolution after 24 hours" }),
  resolvedWithin24h: Count.annotate({ description: "Of the judged, markets that had resolved" }),
  unknown: Count.annotate({
    description: "The venue gave no time of the resolution, or did not answer; not in `judged`",
  }),
  brier: Brier.annotate({
    description:
      "Mean squared error of the probability: 0 is perfect, 0.25 a coin flip; null before a verdict",
  }),
  baseRateBrier: Brier.annotate({
    description: "Squared error of always saying the share that resolved; null before a verdict",
  }),
  endDateBrier: Brier.annotate({
    description: "Squared error of a forecast by the end date alone; null before a verdict",
  }),
}).annotate({
  description:
    "Forecasts that a market resolves within 24 hours (probability24h of /v1/resolving), of up to " +
    `${forecastsMax} markets every 4 hours`,
})

/** A Brier score is null before the first verdict. */
export function resolutionScore(totals: ForecastTotals): typeof ResolutionScore.Type {
  const { forecasts, unknown, value: resolved, squaredError, baselineSquaredError } = totals
  const { n: judged } = totals.difference
  const mean = (sum: number) => judged === 0 ? null : roundRate(Math.min(1, sum / judged))
  return {
    forecasts,
    judged,
    resolvedWithin24h: resolved,
    unknown,
    brier: mean(squaredError),
    baseRateBrier: mean(judged === 0 ? 0 : resolved * (judged - resolved) / judged),
    endDateBrier: mean(baselineSquaredError),
  }
}

/** With fewer independent events the interval of a mean of rare large jumps is too narrow. */
const eventsMin = 50

const fewText = `null with fewer than ${eventsMin} events`

/** The score of stated probabilities, on the wire. */
export const EstimateScore = Schema.Struct({
  estimates: described(Count, "Stated probabilities of the last year"),
  judged: described(Count, "Of these, with a known price a day later"),
  unknown: described(Count, "Without one; not in `judged`"),
  views: described(Count, "Of the judged, those that differed from the market's mid"),
  events: described(Count, "Independent events of the judged"),
  brier: Brier.annotate({
    description:
      "Mean squared difference of the stated probability to the market's price a day later, or to its payout by then, 0 to 1; " +
      fewText,
  }),
  midBrier: Brier.annotate({
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
  coverage: Brier.annotate({
    description:
      "Share, 0 to 1, of these that contained the mid a day later; meant to be 0.9. Null with " +
      `fewer than ${eventsMin}`,
  }),
}).annotate({
  identifier: "EstimateScore",
  description: "The probabilities of reports and digests, against the market a day later",
})
type EstimateScore = typeof EstimateScore.Type

export function estimateScore(totals: ForecastTotals): EstimateScore {
  const { forecasts, unknown, views, squaredError, intervals, covered } = totals
  const { n: judged, clusters: events } = totals.difference
  const difference = events < eventsMin ? null : clusteredMean(totals.difference)
  const mean = (sum: number) => difference === null ? null : roundRate(Math.min(1, sum / judged))
  return {
    estimates: forecasts,
    judged,
    unknown,
    views,
    events,
    brier: mean(squaredError),
    midBrier: mean(totals.baselineSquaredError),
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
