/**
 * The totals of estimates, computed from every one by definition.
 *
 * @module
 */
import { addClusters, clusterOf, noClusters } from "../../../src/core/domain/clusteredMean.ts"
import type { EstimateTotals } from "../../../src/track-record/domain/estimates.ts"
import type { Forecast } from "../../../src/track-record/domain/resolutionForecasts.ts"

export interface StoredForecast {
  readonly forecast: Forecast
  readonly judged: boolean
  readonly value: number | null
}

/** The totals of judged and waiting estimates. */
export function totalsOfEstimates(
  forecasts: ReadonlyArray<StoredForecast>,
): EstimateTotals {
  const all = forecasts.flatMap(({ forecast, judged, value }) =>
    forecast.kind === "price" ? [{ ...forecast, judged, value }] : []
  )
  const known = all.flatMap(({ value, ...one }) => value === null ? [] : [{ ...one, value }])
  const errors = known.map(({ eventKey, probability, mid, value }) => ({
    ...{ eventKey, own: (probability - value) ** 2, mid: (mid - value) ** 2 },
  }))
  const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
  const scored = known.filter(({ value, low, high }) =>
    value > 0 && value < 1 && (low > 0 || high < 1)
  )
  return {
    estimates: all.length,
    unknown: all.filter(({ judged, value }) => judged && value === null).length,
    views: known.filter(({ probability, mid }) => probability !== mid).length,
    squaredError: sum(errors.map(({ own }) => own)),
    midSquaredError: sum(errors.map(({ mid }) => mid)),
    difference: [...Map.groupBy(errors, ({ eventKey }) => eventKey).values()].reduce(
      (sums, of) =>
        addClusters(sums, clusterOf(of.length, sum(of.map(({ own, mid }) => own - mid))), 1),
      noClusters,
    ),
    intervals: scored.length,
    covered: scored.filter(({ value, low, high }) => low <= value && value <= high).length,
  }
}
