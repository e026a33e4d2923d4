/**
 * Forecasts for the next day in PostgreSQL: a part of the score store.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { ClusterSums } from "../../core/domain/clusteredMean.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { type ResolutionColumns, resolutionOf } from "../../markets/domain/resolution.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { jsonText } from "../../postgres/json.ts"
import { noEstimates } from "../domain/estimates.ts"
import {
  dueAtOf,
  type Forecast,
  forecastsKeptMs,
  noForecasts,
} from "../domain/resolutionForecasts.ts"
import type { DueForecast, JudgedForecast } from "../ScoreStore.ts"

/** The methods of `ScoreStore` about forecasts. `lock` and `increment` are those of its writers. */
export const forecasts = (
  sql: SqlClient,
  lock: Effect.Effect<unknown, unknown>,
  increment: Effect.Effect<unknown, unknown>,
) => ({
  forecastsMadeAt: sql<{ at: Date | null }>`
    SELECT max(made_at) AS at FROM forecast WHERE kind = 'resolution'`
    .pipe(Effect.map(([row]) => row?.at?.getTime() ?? 0), Effect.orDie),
  addForecasts: addForecasts(sql, lock, increment),
  dueForecasts: dueForecasts(sql),
  saveForecastVerdicts: saveVerdicts(sql, lock, increment),
  forecastCounts: counts(sql),
  estimateTotals: estimateTotals(sql),
})

const addForecasts = (
  sql: SqlClient,
  lock: Effect.Effect<unknown, unknown>,
  increment: Effect.Effect<unknown, unknown>,
) =>
  Effect.fn("ScoreStore.addForecasts")(
    function* (added: ReadonlyArray<Forecast>) {
      if (added.length === 0) return
      yield* lock
      const columns = sql.literal(
        "kind, market_id, made_at, probability, baseline, low, high, basis, event_key, due_at",
      )
      const incoming = sql`json_to_recordset(${jsonText(added.map(addedRow))}::json) AS row (
        kind text, market_id text, made_at timestamptz, probability float8, baseline float8,
        low float8, high float8, basis text, event_key text, due_at timestamptz
      )`
      yield* sql`
        INSERT INTO score_market (market_id, outcome_published)
        SELECT DISTINCT market_id, false FROM ${incoming}
        ON CONFLICT DO NOTHING`
      yield* sql`
        INSERT INTO forecast (${columns}) SELECT ${columns} FROM ${incoming}
        ON CONFLICT DO NOTHING`
      const kept = Math.max(...added.map(({ madeAt }) => madeAt)) - forecastsKeptMs
      yield* sql`
        DELETE FROM forecast
        WHERE kind IN ('resolution', 'price') AND made_at < ${new Date(kept)}`
      yield* increment
    },
    sql.withTransaction,
    Effect.orDie,
  )

function addedRow(forecast: Forecast) {
  const { kind, marketId, madeAt, probability } = forecast
  const shared = {
    kind,
    probability,
    market_id: marketId,
    made_at: isoTime(madeAt),
    due_at: isoTime(dueAtOf(forecast)),
  }
  return forecast.kind === "resolution" ? { ...shared, baseline: forecast.endWithin ? 1 : 0 } : {
    ...shared,
    baseline: forecast.mid,
    low: forecast.low,
    high: forecast.high,
    event_key: forecast.eventKey,
    basis: forecast.basis.join(" "),
  }
}

interface ForecastRow extends ResolutionColumns {
  readonly kind: Forecast["kind"]
  readonly market_id: MarketId
  readonly made_at: Date
  readonly probability: number
  readonly baseline: number
  readonly low: number | null
  readonly high: number | null
  readonly basis: string | null
  readonly event_key: string | null
  readonly requested: boolean
}

const dueForecasts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.dueForecasts")(
    function* (
      { now, overdueBefore, limit }: { now: EpochMs; overdueBefore: EpochMs; limit: number },
    ) {
      const rows = yield* sql<ForecastRow>`
        SELECT kind, market_id, made_at, probability, baseline, low, high, basis, event_key,
          requested_at >= due_at AS requested,
          state, payout_first, payout_second, source, resolved_at
        FROM forecast JOIN score_market USING (market_id)
        WHERE NOT judged AND due_at <= ${new Date(now)}
          AND (requested_at >= due_at OR due_at < ${new Date(overdueBefore)})
        ORDER BY due_at, market_id COLLATE "C", kind LIMIT ${limit}`
      return rows.map((row): DueForecast => ({
        forecast: forecastOf(row),
        resolution: resolutionOf(row.market_id, row),
        requested: row.requested,
      }))
    },
    Effect.orDie,
  )

function forecastOf(row: ForecastRow): Forecast {
  const { kind, market_id: marketId, made_at, probability, baseline } = row
  const shared = { marketId, madeAt: made_at.getTime(), probability }
  return kind === "resolution" ? { kind, ...shared, endWithin: baseline === 1 } : {
    kind,
    ...shared,
    mid: baseline,
    low: row.low ?? 0,
    high: row.high ?? 1,
    eventKey: row.event_key ?? "",
    basis: row.basis === "" ? [] : row.basis?.split(" ") ?? [],
  }
}

const saveVerdicts = (
  sql: SqlClient,
  lock: Effect.Effect<unknown, unknown>,
  increment: Effect.Effect<unknown, unknown>,
) =>
  Effect.fn("ScoreStore.saveForecastVerdicts")(
    function* (judged: ReadonlyArray<JudgedForecast>) {
      yield* lock
      const rows = jsonText(judged.map(({ forecast: { kind, marketId, madeAt }, value }) => ({
        kind,
        value,
        market_id: marketId,
        made_at: isoTime(madeAt),
      })))
      const saved = yield* sql<{ market_id: string }>`
        UPDATE forecast f SET judged = true, value = i.value
        FROM json_to_recordset(${rows}::json)
          AS i (kind text, market_id text, made_at timestamptz, value float8)
        WHERE f.kind = i.kind AND f.market_id = i.market_id AND f.made_at = i.made_at
          AND NOT f.judged
        RETURNING f.market_id`
      if (saved.length > 0) yield* increment
      return saved.length
    },
    sql.withTransaction,
    Effect.orDie,
  )

const counts = (sql: SqlClient) =>
  sql<{
    forecasts: number
    resolved: number
    open: number
    unknown: number
    squared: number | null
    end_date: number | null
  }>`
    SELECT count(*)::integer AS forecasts,
      (count(*) FILTER (WHERE value = 1))::integer AS resolved,
      (count(*) FILTER (WHERE value = 0))::integer AS open,
      (count(*) FILTER (WHERE judged AND value IS NULL))::integer AS unknown,
      sum((probability - value) ^ 2) AS squared,
      sum((baseline - value) ^ 2) AS end_date
    FROM forecast WHERE kind = 'resolution'`.pipe(
    Effect.map(([row]) =>
      row === undefined ? noForecasts : {
        forecasts: row.forecasts,
        resolved: row.resolved,
        open: row.open,
        unknown: row.unknown,
        squaredError: row.squared ?? 0,
        endDateSquaredError: row.end_date ?? 0,
      }
    ),
    Effect.orDie,
  )

interface EstimateRow extends ClusterSums {
  readonly estimates: number
  readonly unknown: number
  readonly views: number
  readonly squared: number
  readonly mid_squared: number
  readonly intervals: number
  readonly covered: number
}

const estimateTotals = (sql: SqlClient) =>
  sql<EstimateRow>`
    WITH event AS (
      SELECT event_key, count(*)::float8 AS estimates, count(value)::float8 AS n,
        count(*) FILTER (WHERE judged AND value IS NULL) AS unknown,
        count(value) FILTER (WHERE probability <> baseline) AS views,
        coalesce(sum((probability - value) ^ 2), 0) AS squared,
        coalesce(sum((baseline - value) ^ 2), 0) AS mid_squared,
        coalesce(sum((probability - value) ^ 2 - (baseline - value) ^ 2), 0) AS s,
        count(*) FILTER (WHERE ${hasInterval(sql)}) AS intervals,
        count(*) FILTER (WHERE ${hasInterval(sql)} AND value BETWEEN low AND high) AS covered
      FROM forecast WHERE kind = 'price' GROUP BY event_key
    )
    SELECT sum(estimates) AS estimates, sum(unknown)::float8 AS unknown,
      sum(views)::float8 AS views, sum(squared) AS squared, sum(mid_squared) AS mid_squared,
      sum(intervals)::float8 AS intervals, sum(covered)::float8 AS covered,
      (count(*) FILTER (WHERE n > 0))::float8 AS clusters, sum(n) AS n, sum(s) AS s,
      sum(n * n) AS nn, sum(n * s) AS ns, sum(s * s) AS ss, 0::float8 AS ff
    FROM event HAVING count(*) > 0`.pipe(
    Effect.map(([row]) => {
      if (row === undefined) return noEstimates
      const { estimates, unknown, views, squared, mid_squared, intervals, covered, ...sums } = row
      return {
        estimates,
        unknown,
        views,
        intervals,
        covered,
        squaredError: squared,
        midSquaredError: mid_squared,
        difference: sums,
      }
    }),
    Effect.orDie,
  )

/** The market still traded, so its value is a mid, and the interval says something. */
const hasInterval = (sql: SqlClient) => sql`value > 0 AND value < 1 AND (low > 0 OR high < 1)`
