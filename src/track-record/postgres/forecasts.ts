/**
 * Forecasts of resolutions in PostgreSQL: a part of the score store.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import { type ResolutionColumns, resolutionOf } from "../../markets/domain/resolution.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { jsonText } from "../../postgres/json.ts"
import { dueAtOf, noForecasts, type ResolutionForecast } from "../domain/resolutionForecasts.ts"
import type { DueForecast, JudgedForecast } from "../ScoreStore.ts"

/** The methods of `ScoreStore` about forecasts. `lock` and `increment` are those of its writers. */
export const forecasts = (
  sql: SqlClient,
  lock: Effect.Effect<unknown, unknown>,
  increment: Effect.Effect<unknown, unknown>,
) => ({
  forecastsMadeAt: sql<{ at: Date | null }>`SELECT max(made_at) AS at FROM resolution_forecast`
    .pipe(Effect.map(([row]) => row?.at?.getTime() ?? 0), Effect.orDie),
  addForecasts: addForecasts(sql, lock, increment),
  dueForecasts: dueForecasts(sql),
  saveForecastVerdicts: saveVerdicts(sql, lock, increment),
  forecastCounts: counts(sql),
})

const addForecasts = (
  sql: SqlClient,
  lock: Effect.Effect<unknown, unknown>,
  increment: Effect.Effect<unknown, unknown>,
) =>
  Effect.fn("ScoreStore.addForecasts")(
    function* (added: ReadonlyArray<ResolutionForecast>) {
      if (added.length === 0) return
      yield* lock
      const rows = jsonText(added.map((forecast) => ({
        market_id: forecast.marketId,
        made_at: isoTime(forecast.madeAt),
        probability: forecast.probability,
        end_within: forecast.endWithin,
        due_at: isoTime(dueAtOf(forecast)),
      })))
      const incoming = sql`json_to_recordset(${rows}::json) AS row (
        market_id text, made_at timestamptz, probability float8, end_within boolean,
        due_at timestamptz
      )`
      yield* sql`
        INSERT INTO score_market (market_id, outcome_published)
        SELECT DISTINCT market_id, false FROM ${incoming}
        ON CONFLICT DO NOTHING`
      yield* sql`
        INSERT INTO resolution_forecast (market_id, made_at, probability, end_within, due_at)
        SELECT market_id, made_at, probability, end_within, due_at FROM ${incoming}
        ON CONFLICT DO NOTHING`
      yield* increment
    },
    sql.withTransaction,
    Effect.orDie,
  )

interface ForecastRow extends ResolutionColumns {
  readonly market_id: MarketId
  readonly made_at: Date
  readonly probability: number
  readonly end_within: boolean
  readonly requested: boolean
}

const dueForecasts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.dueForecasts")(
    function* (
      { now, overdueBefore, limit }: { now: EpochMs; overdueBefore: EpochMs; limit: number },
    ) {
      const rows = yield* sql<ForecastRow>`
        SELECT market_id, made_at, probability, end_within, requested_at >= due_at AS requested,
          state, payout_first, payout_second, source, resolved_at
        FROM resolution_forecast JOIN score_market USING (market_id)
        WHERE verdict IS NULL AND due_at <= ${new Date(now)}
          AND (requested_at >= due_at OR due_at < ${new Date(overdueBefore)})
        ORDER BY due_at, market_id COLLATE "C" LIMIT ${limit}`
      return rows.map((row): DueForecast => ({
        forecast: {
          marketId: row.market_id,
          madeAt: row.made_at.getTime(),
          probability: row.probability,
          endWithin: row.end_within,
        },
        resolution: resolutionOf(row.market_id, row),
        requested: row.requested,
      }))
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
      const rows = jsonText(judged.map(({ forecast, verdict }) => ({
        market_id: forecast.marketId,
        made_at: isoTime(forecast.madeAt),
        verdict,
      })))
      const saved = yield* sql<{ market_id: string }>`
        UPDATE resolution_forecast f SET verdict = i.verdict
        FROM json_to_recordset(${rows}::json)
          AS i (market_id text, made_at timestamptz, verdict text)
        WHERE f.market_id = i.market_id AND f.made_at = i.made_at AND f.verdict IS NULL
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
      (count(*) FILTER (WHERE verdict = 'resolved'))::integer AS resolved,
      (count(*) FILTER (WHERE verdict = 'open'))::integer AS open,
      (count(*) FILTER (WHERE verdict = 'unknown'))::integer AS unknown,
      sum((probability - (verdict = 'resolved')::integer) ^ 2)
        FILTER (WHERE verdict <> 'unknown') AS squared,
      (count(*) FILTER (
        WHERE verdict <> 'unknown' AND end_within <> (verdict = 'resolved')
      ))::float8 AS end_date
    FROM resolution_forecast`.pipe(
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
