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
import {
  dueAtOf,
  type Forecast,
  forecastsKeptMs,
  type ForecastTotals,
  noForecasts,
} from "../domain/forecasts.ts"
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
  forecastTotals: totals(sql),
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
        "kind, market_id, made_at, probability, baseline, low, high, event_key, due_at",
      )
      const incoming = sql`json_to_recordset(${jsonText(added.map(addedRow))}::json) AS row (
        kind text, market_id text, made_at timestamptz, probability float8, baseline float8,
        low float8, high float8, event_key text, due_at timestamptz
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
  const { marketId, eventKey, madeAt, ...stated } = forecast
  return {
    ...stated,
    market_id: marketId,
    event_key: eventKey,
    made_at: isoTime(madeAt),
    due_at: isoTime(dueAtOf(forecast)),
  }
}

interface ForecastRow
  extends ResolutionColumns, Pick<Forecast, "kind" | "probability" | "baseline" | "low" | "high"> {
  readonly market_id: MarketId
  readonly made_at: Date
  readonly event_key: string
  readonly requested: boolean
}

const dueForecasts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.dueForecasts")(
    function* (
      { now, overdueBefore, limit }: { now: EpochMs; overdueBefore: EpochMs; limit: number },
    ) {
      const rows = yield* sql<ForecastRow>`
        SELECT kind, market_id, made_at, probability, baseline, low, high, event_key,
          requested_at >= due_at AS requested,
          state, payout_first, payout_second, source, resolved_at
        FROM forecast JOIN score_market USING (market_id)
        WHERE NOT judged AND due_at <= ${new Date(now)}
          AND (requested_at >= due_at OR due_at < ${new Date(overdueBefore)})
        ORDER BY due_at, market_id COLLATE "C", kind LIMIT ${limit}`
      return rows.map((row): DueForecast => {
        const { kind, market_id: marketId, event_key: eventKey, made_at, requested } = row
        const { probability, baseline, low, high } = row
        return {
          forecast: {
            ...{ kind, marketId, eventKey, madeAt: made_at.getTime() },
            ...{ probability, baseline, low, high },
          },
          resolution: resolutionOf(marketId, row),
          requested,
        }
      })
    },
    Effect.orDie,
  )

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

interface TotalsRow extends ClusterSums, Omit<ForecastTotals, "difference"> {
  readonly kind: Forecast["kind"]
}

const totals = (sql: SqlClient) =>
  sql<TotalsRow>`
    WITH event AS (
      SELECT kind, event_key, count(*)::float8 AS forecasts, count(value)::float8 AS n,
        count(*) FILTER (WHERE judged AND value IS NULL) AS unknown,
        count(value) FILTER (WHERE probability <> baseline) AS views, sum(value) AS value,
        coalesce(sum((probability - value) ^ 2), 0) AS squared,
        coalesce(sum((baseline - value) ^ 2), 0) AS baseline_squared,
        count(*) FILTER (WHERE ${hasInterval(sql)}) AS intervals,
        count(*) FILTER (WHERE ${hasInterval(sql)} AND value BETWEEN low AND high) AS covered
      FROM forecast GROUP BY kind, event_key
    )
    SELECT kind, sum(forecasts) AS forecasts, sum(unknown)::float8 AS unknown,
      sum(views)::float8 AS views, coalesce(sum(value), 0) AS value,
      sum(squared) AS "squaredError", sum(baseline_squared) AS "baselineSquaredError",
      sum(intervals)::float8 AS intervals, sum(covered)::float8 AS covered,
      (count(*) FILTER (WHERE n > 0))::float8 AS clusters, sum(n) AS n, sum(s) AS s,
      sum(n * n) AS nn, sum(n * s) AS ns, sum(s * s) AS ss, 0::float8 AS ff
    FROM event, LATERAL (SELECT squared - baseline_squared AS s) difference GROUP BY kind`.pipe(
    Effect.map((rows) => {
      const of = (wanted: Forecast["kind"]): ForecastTotals => {
        const row = rows.find(({ kind }) => kind === wanted)
        if (row === undefined) return noForecasts
        const { kind: _, clusters, n, s, nn, ns, ss, ff, ...sums } = row
        return { ...sums, difference: { clusters, n, s, nn, ns, ss, ff } }
      }
      return { resolution: of("resolution"), price: of("price") }
    }),
    Effect.orDie,
  )

/** The market still traded, so its value is a mid, and the interval says something. */
const hasInterval = (sql: SqlClient) => sql`value > 0 AND value < 1 AND (low > 0 OR high < 1)`
