/**
 * The score of the service's forecasts that a market resolves within 24 hours: a sample of them is
 * stored, judged by the venue's resolution, and compared with two simple forecasts.
 *
 * @module
 */
import { Schema } from "effect"
import { Count } from "../../core/domain/number.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { ExpectedMarket } from "../../markets/domain/resolving.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import type { StatedEstimate } from "./estimates.ts"

/** What is said of a market, to be judged a day later. */
export type Forecast = ResolutionForecast | StatedEstimate

interface ResolutionForecast {
  readonly kind: "resolution"
  readonly marketId: MarketId
  readonly madeAt: EpochMs
  /** That the market is resolved 24 hours later, 0..1. */
  readonly probability: number
  /** Whether its end date is at most 24 hours ahead, or has passed. */
  readonly endWithin: boolean
}

/** How often a sample is stored. */
export const forecastsEveryMs = 4 * hour
/** Forecasts in one sample: 300 a day give a Brier score to about .02 within a week. */
export const forecastsMax = 50
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
): ReadonlyArray<ResolutionForecast> {
  const step = Math.max(1, markets.length / forecastsMax)
  const chosen = Array.from(
    { length: Math.min(markets.length, forecastsMax) },
    (_, n) => markets[Math.floor(n * step)],
  )
  return chosen.flatMap((one) =>
    one === undefined ? [] : [{
      kind: "resolution",
      marketId: one.market.id,
      madeAt,
      probability: one.expected.probability24h,
      endWithin: one.market.endsAt !== null && one.market.endsAt <= madeAt + horizonMs,
    }]
  )
}

/** When a forecast can be judged: its 24 hours have passed, and resolutions had time to arrive. */
export function dueAtOf({ madeAt }: Pick<Forecast, "madeAt">): EpochMs {
  return madeAt + horizonMs + judgingDelayMs
}

type ForecastVerdict = "resolved" | "open" | "unknown"

/**
 * `resolved`: by the end of the 24 hours, whatever was paid. `open`: not by then. `unknown`: the
 * venue gave no time of the resolution, or was not asked since.
 */
export function forecastVerdict(
  { madeAt }: Pick<ResolutionForecast, "madeAt">,
  resolution: Resolution | null,
  requested: boolean,
): ForecastVerdict {
  if (resolution === null) return requested ? "open" : "unknown"
  if (resolution.resolvedAt === null) return "unknown"
  return resolution.resolvedAt <= madeAt + horizonMs ? "resolved" : "open"
}

/** Sums over the stored forecasts. */
export interface ForecastCounts {
  readonly forecasts: number
  readonly resolved: number
  readonly open: number
  readonly unknown: number
  /** Sums of squared errors over the judged ones: of the probability, and of `endWithin`. */
  readonly squaredError: number
  readonly endDateSquaredError: number
}

export const noForecasts: ForecastCounts = {
  forecasts: 0,
  resolved: 0,
  open: 0,
  unknown: 0,
  squaredError: 0,
  endDateSquaredError: 0,
}

const Brier = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/** The score of the forecasts, on the wire. */
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

/** The score; a Brier score is null before the first verdict. */
export function resolutionScore(counts: ForecastCounts): typeof ResolutionScore.Type {
  const { forecasts, resolved, open, unknown, squaredError, endDateSquaredError } = counts
  const judged = resolved + open
  const mean = (sum: number) =>
    judged === 0 ? null : Math.round(Math.min(1, sum / judged) * 10_000) / 10_000
  return {
    forecasts,
    judged,
    resolvedWithin24h: resolved,
    unknown,
    brier: mean(squaredError),
    baseRateBrier: mean(judged === 0 ? 0 : resolved * open / judged),
    endDateBrier: mean(endDateSquaredError),
  }
}
