/**
 * The totals of forecasts, computed from every one by definition.
 *
 * @module
 */
import { addClusters, clusterOf, noClusters } from "../../../src/core/domain/clusteredMean.ts"
import type { Forecast, ForecastTotals } from "../../../src/track-record/domain/forecasts.ts"

export interface StoredForecast {
  readonly forecast: Forecast
  readonly judged: boolean
  readonly value: number | null
}

/** The totals of judged and waiting forecasts of one kind. */
export function totalsOfForecasts(
  forecasts: ReadonlyArray<StoredForecast>,
  kind: Forecast["kind"] = "price",
): ForecastTotals {
  const all = forecasts.filter(({ forecast }) => forecast.kind === kind)
  const known = all.flatMap(({ forecast, value }) => value === null ? [] : [{ ...forecast, value }])
  const errors = known.map(({ eventKey, probability, baseline, value }) => ({
    ...{ eventKey, own: (probability - value) ** 2, other: (baseline - value) ** 2 },
  }))
  const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
  const scored = known.filter(({ value, low, high }) =>
    value > 0 && value < 1 && (low > 0 || high < 1)
  )
  return {
    forecasts: all.length,
    unknown: all.filter(({ judged, value }) => judged && value === null).length,
    views: known.filter(({ probability, baseline }) => probability !== baseline).length,
    value: sum(known.map(({ value }) => value)),
    squaredError: sum(errors.map(({ own }) => own)),
    baselineSquaredError: sum(errors.map(({ other }) => other)),
    difference: [...Map.groupBy(errors, ({ eventKey }) => eventKey).values()].reduce(
      (sums, of) =>
        addClusters(sums, clusterOf(of.length, sum(of.map(({ own, other }) => own - other)))),
      noClusters,
    ),
    intervals: scored.length,
    covered: scored.filter(({ value, low, high }) => low <= value && value <= high).length,
  }
}
