/**
 * The scores of the service's own feed items in PostgreSQL.
 *
 * Every writer locks the single row of `score_state` first, so that a verdict is never saved for an
 * outdated resolution.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { resolutionColumns, resolutionJson } from "../../postgres/resolutionJson.ts"
import type { MoveTotals } from "../domain/moverDrift.ts"
import { firstDueAt, type ScoreCheck, type VerdictCounts } from "../domain/selfScore.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import {
  type DueCheck,
  type DueForecast,
  type DueMarketsQuery,
  type JudgedCheck,
  type JudgedForecast,
  ScoreStore,
} from "../ScoreStore.ts"
import type { StoredOutcome } from "../domain/outcomes.ts"
import {
  delaysMinutes,
  type DueReading,
  type PublishedEntry,
  scoredEntriesMax,
  type ScoredEntry,
} from "../domain/entryScore.ts"
import {
  dueAtOf,
  type Forecast,
  forecastsKeptMs,
  type ForecastTotals,
  noForecasts,
} from "../domain/forecasts.ts"
import { jsonText } from "../../postgres/json.ts"
import { millis } from "../../postgres/millis.ts"

type Port = ScoreStore["Service"]

export const layer: Layer.Layer<ScoreStore, never, SqlClient> = Layer.effect(
  ScoreStore,
  Effect.map(SqlClient, (sql) =>
    ScoreStore.of({
      cursor: cursor(sql),
      addChecks: addChecks(sql),
      dueMarkets: dueMarkets(sql),
      saveResolutions: saveResolutions(sql),
      dueChecks: dueChecks(sql),
      saveVerdicts: saveVerdicts(sql),
      counts: counts(sql),
      outcomes: outcomes(sql),
      dueReadings: dueReadings(sql),
      saveReadings: saveReadings(sql),
      entries: entries(sql),
      moveTotals: moveTotals(sql),
      version: version(sql),
      forecastsMadeAt: forecastsMadeAt(sql),
      addForecasts: addForecasts(sql),
      dueForecasts: dueForecasts(sql),
      saveForecastVerdicts: saveForecastVerdicts(sql),
      forecastTotals: forecastTotals(sql),
    })),
)

const cursor = (sql: SqlClient) =>
  sql<{ last_index: bigint }>`SELECT last_index FROM score_state`.pipe(
    Effect.map(([row]) => Number(row?.last_index ?? 0n)),
    Effect.orDie,
  )

/** Serializes the writers; returns the cursor. */
const lock = (sql: SqlClient) =>
  sql<{ last_index: bigint }>`
    INSERT INTO score_state DEFAULT VALUES
    ON CONFLICT (single) DO UPDATE SET single = true RETURNING last_index`.pipe(
    Effect.map(([row]) => Number(row?.last_index ?? 0n)),
  )

const incrementRevision = (sql: SqlClient) => sql`UPDATE score_state SET revision = revision + 1`

const addChecks = (sql: SqlClient) =>
  Effect.fn("ScoreStore.addChecks")(
    function* (
      from: number,
      to: number,
      checks: ReadonlyArray<ScoreCheck>,
      entries: ReadonlyArray<PublishedEntry> = [],
    ) {
      if ((yield* lock(sql)) !== from) return false
      const rows = jsonText(checks.map((check) => ({ ...check, dueAt: firstDueAt(check) })))
      yield* sql`
        INSERT INTO score_market AS stored (market_id, outcome_published, last_mover_at)
        SELECT "marketId", bool_or(kind = 'predetermined'),
          to_timestamp(max(at) FILTER (WHERE kind LIKE 'mover%') / 1000)
        FROM json_to_recordset(${rows}::json) AS row ("marketId" text, kind text, at float8)
        WHERE "marketId" IS NOT NULL GROUP BY "marketId"
        ON CONFLICT (market_id) DO UPDATE SET
          outcome_published = stored.outcome_published OR excluded.outcome_published,
          last_mover_at = greatest(stored.last_mover_at, excluded.last_mover_at)`
      // An outcome of a market that is resolved already is due at once.
      yield* sql`
        INSERT INTO score_check
          (feed_index, kind, market_id, at, price_start, price_now, outcome, due_at,
            phase, event_key, contested_price)
        SELECT "feedIndex", kind, "marketId", to_timestamp(at / 1000), "priceStart", "priceNow",
          outcome, to_timestamp(coalesce("dueAt", CASE WHEN ended_at IS NOT NULL THEN at END) / 1000),
          move ->> 'phase', move ->> 'eventKey', "contestedPrice"
        FROM json_to_recordset(${rows}::json) AS row (
          "feedIndex" bigint, kind text, "marketId" text, at float8, "priceStart" float8,
          "priceNow" float8, outcome smallint, "dueAt" float8, move json, "contestedPrice" float8
        ) LEFT JOIN score_market ON market_id = "marketId"`
      yield* addEntries(sql, entries)
      yield* sql`UPDATE score_state SET last_index = ${BigInt(to)}`
      if (checks.length > 0) yield* incrementRevision(sql)
      return true
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** Stores published entries, and when the book is read for each. */
const addEntries = Effect.fnUntraced(function* (
  sql: SqlClient,
  entries: ReadonlyArray<PublishedEntry>,
) {
  if (entries.length === 0) return
  yield* sql`
    INSERT INTO score_entry
      (feed_index, wallet, event_key, label, entry_price, ask, other_ask, fee_rate)
    SELECT "feedIndex", wallet, "eventKey", label, "entryPrice", asks[1], asks[2], "feeRate"
    FROM json_to_recordset(${jsonText(entries)}::json) AS row (
      "feedIndex" bigint, wallet text, "eventKey" text, label text, "entryPrice" float8,
      asks float8[], "feeRate" float8
    )`
  yield* sql`
    INSERT INTO score_reading (feed_index, delay_minutes, due_at)
    SELECT feed_index, delay, at - interval '24 hours' + delay * interval '1 minute'
    FROM score_check, unnest(${delaysMinutes}::integer[]) AS delay
    WHERE kind = 'whale_24h'
      AND feed_index = ANY (${entries.map(({ feedIndex }) => String(feedIndex))}::bigint[])`
})

const dueMarkets = (sql: SqlClient) =>
  Effect.fn("ScoreStore.dueMarkets")(
    function* ({ limit, now, requestedBefore, endedAfter, requestedAgainBefore }: DueMarketsQuery) {
      const after = sql`${new Date(endedAfter)}::timestamptz`
      const again = sql`${new Date(requestedAgainBefore)}::timestamptz`
      const rows = yield* sql<{ market_id: MarketId }>`
        SELECT market_id FROM (
        SELECT market_id, requested_at FROM score_market
        WHERE outcome_published AND ended_at IS NULL AND requested_at < ${new Date(requestedBefore)}
        UNION
        SELECT market_id, requested_at FROM score_market
        WHERE ended_at > ${after} AND requested_at < ${again}
        UNION
        SELECT market_id, requested_at FROM score_market
        WHERE ended_at IS NULL AND last_mover_at BETWEEN ${after} AND ${new Date(now)}
          AND requested_at < ${again}
        UNION
        SELECT market_id, requested_at
        FROM score_check JOIN score_market USING (market_id)
        WHERE due_at <= ${new Date(now)} AND requested_at < due_at
        UNION
        SELECT market_id, requested_at
        FROM forecast JOIN score_market USING (market_id)
        WHERE NOT judged AND due_at <= ${new Date(now)} AND requested_at < due_at
        ) waiting
        ORDER BY requested_at, market_id COLLATE "C" LIMIT ${limit}`
      return rows.map((row) => row.market_id)
    },
    Effect.orDie,
  )

const saveResolutions = (sql: SqlClient) =>
  Effect.fn("ScoreStore.saveResolutions")(
    function* (
      resolutions: ReadonlyArray<Resolution>,
      requested: ReadonlyArray<MarketId>,
      at: EpochMs,
    ) {
      yield* lock(sql)
      const when = sql`${new Date(at)}::timestamptz`
      yield* sql`
        UPDATE score_market SET requested_at = greatest(requested_at, ${when})
        WHERE market_id = ANY (${requested}::text[])`
      const byMarket = new Map(resolutions.map((resolution) => [resolution.marketId, resolution]))
      const [found] = yield* sql<{ changed: number }>`
        WITH incoming AS MATERIALIZED (
          SELECT market_id, i.state, payouts,
            coalesce(to_timestamp("resolvedAt" / 1000), m.resolved_at) AS resolved_at
          FROM json_to_recordset(${jsonText([...byMarket.values()])}::json)
            AS i ("marketId" text, ${resolutionColumns(sql)})
          JOIN score_market m ON market_id = "marketId"
          WHERE (i.state, payouts[1], payouts[2],
            coalesce(to_timestamp("resolvedAt" / 1000), m.resolved_at))
            IS DISTINCT FROM (m.state, m.payout_first, m.payout_second, m.resolved_at)
        ), ended AS (
          UPDATE score_market m SET version = m.version + 1, state = i.state,
            payout_first = payouts[1], payout_second = payouts[2], resolved_at = i.resolved_at,
            ended_at = coalesce(i.resolved_at, m.ended_at, ${when})
          FROM incoming i WHERE m.market_id = i.market_id
        ), marked AS (
          UPDATE score_check c SET due_at = coalesce(c.due_at, c.at)
          FROM incoming i WHERE c.market_id = i.market_id
        )
        SELECT count(*)::integer AS changed FROM incoming`
      return found?.changed ?? 0
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** The check of a row, as the code has it. */
const checkJson = (sql: SqlClient) =>
  sql.literal(`jsonb_build_object('kind', kind, 'feedIndex', c.feed_index, 'marketId', c.market_id,
    'at', (extract(epoch FROM at) * 1000)::float8)
    || CASE kind WHEN 'whale_24h' THEN jsonb_build_object('outcome', c.outcome)
      WHEN 'predetermined'
        THEN jsonb_build_object('outcome', c.outcome, 'contestedPrice', contested_price)
      ELSE jsonb_build_object('priceStart', price_start, 'priceNow', price_now, 'move',
        CASE WHEN phase IS NOT NULL AND event_key IS NOT NULL
          THEN jsonb_build_object('phase', phase, 'eventKey', event_key) END) END AS "check"`)

const dueChecks = (sql: SqlClient): Port["dueChecks"] =>
  Effect.fn("ScoreStore.dueChecks")(({ now, overdueBefore, limit }) =>
    sql<DueCheck>`
      SELECT ${
      checkJson(sql)
    }, coalesce(version, 0) AS version, verdict IS NOT NULL AS "hasVerdict",
        CASE WHEN point_at IS NOT NULL THEN json_build_object('at',
          (extract(epoch FROM point_at) * 1000)::float8, 'mid', point_mid) END AS point,
        ${resolutionJson(sql, "m.market_id")}
      FROM score_check c LEFT JOIN score_market m USING (market_id)
      WHERE c.due_at <= ${new Date(now)} AND (
        c.market_id IS NULL OR requested_at >= c.due_at OR c.due_at < ${new Date(overdueBefore)}
      )
      ORDER BY c.due_at, c.feed_index, kind LIMIT ${limit}`.pipe(Effect.orDie)
  )

const saveVerdicts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.saveVerdicts")(
    function* (judged: ReadonlyArray<JudgedCheck>) {
      yield* lock(sql)
      const rows = judged.map(({ check: { feedIndex, kind }, point, outcome, ...rest }) => (
        { feed_index: feedIndex, kind, ...rest, ...point, ...outcome }
      ))
      const [saved] = yield* sql<{ written: number; changed: boolean | null }>`
        WITH incoming AS (
          SELECT i.*,
            (c.verdict, c.drift, c.value) IS DISTINCT FROM (i.verdict, i.drift, i.value) AS changes
          FROM json_to_recordset(${jsonText(rows)}::json) AS i (
            feed_index bigint, kind text, version integer, verdict text, at float8, mid float8,
            drift integer, margin integer, value float8
          ) JOIN score_check c USING (feed_index, kind) LEFT JOIN score_market m USING (market_id)
          WHERE coalesce(m.version, 0) = i.version
        ), written AS (
          UPDATE score_check c SET verdict = i.verdict, due_at = NULL,
            point_at = to_timestamp(i.at / 1000), point_mid = i.mid, drift = i.drift, margin = i.margin, value = i.value
          FROM incoming i WHERE c.feed_index = i.feed_index AND c.kind = i.kind
        )
        SELECT count(*)::integer AS written, bool_or(changes) AS changed FROM incoming`
      if (saved?.changed === true) yield* incrementRevision(sql)
      return saved?.written ?? 0
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** A move's day is that of its publication. */
const moveTotals = (sql: SqlClient) =>
  sql<MoveTotals>`
    WITH judged AS (
      SELECT kind, phase, event_key, drift, margin, (at AT TIME ZONE 'UTC' - CASE kind
        WHEN 'mover_1h' THEN interval '1 hour' WHEN 'mover_6h' THEN interval '6 hours'
        ELSE interval '24 hours' END)::date AS day
      FROM score_check WHERE drift IS NOT NULL AND event_key IS NOT NULL
    ), mean AS (
      SELECT kind, phase, avg(drift) AS drift FROM judged GROUP BY kind, phase
    ), kept AS (
      SELECT kind, phase, count(*) FILTER (WHERE margin >= 0) AS kept,
        count(*) FILTER (WHERE margin >= 2 * mean.drift) AS martingale_kept
      FROM judged JOIN mean USING (kind, phase) GROUP BY kind, phase
    ), cluster AS (
      SELECT kind, phase, grouping(event_key, day) AS left_out, count(*)::float8 AS n,
        sum(judged.drift)::float8 AS s
      FROM judged GROUP BY kind, phase, GROUPING SETS ((event_key), (day), (event_key, day))
    ), summed AS (
      SELECT kind, phase, left_out, jsonb_build_object('clusters', count(*), 'n', sum(n),
        's', sum(s), 'nn', sum(n * n), 'ns', sum(n * s), 'ss', sum(s * s), 'ff', 0) AS sums
      FROM cluster GROUP BY kind, phase, left_out
    )
    SELECT substr(kind, 7) AS horizon, phase, kept::float8,
      martingale_kept::float8 AS "martingaleKept", e.sums AS "byEvent", d.sums AS "byDay",
      b.sums AS "byEventAndDay"
    FROM kept JOIN summed e USING (kind, phase) JOIN summed d USING (kind, phase)
      JOIN summed b USING (kind, phase)
    WHERE e.left_out = 1 AND d.left_out = 2 AND b.left_out = 0`.pipe(Effect.orDie)

const counts = (sql: SqlClient) =>
  sql<{
    readonly kind: Exclude<keyof VerdictCounts, "contestedMeanPrice">
    readonly checks: VerdictCounts["predetermined"]
    readonly meanPrice: number | null
  }>`
    SELECT kind, json_object_agg(verdict, checks) AS checks,
      sum(price) FILTER (WHERE verdict <> 'open')
        / (sum(checks) FILTER (WHERE verdict <> 'open'))::float8 AS "meanPrice"
    FROM (
      SELECT CASE WHEN contested_price IS NOT NULL THEN 'contested' ELSE kind END AS kind,
        coalesce(verdict, 'open') AS verdict, count(*) AS checks, sum(contested_price) AS price
      FROM score_check WHERE kind NOT LIKE 'whale%'
      GROUP BY contested_price IS NOT NULL, kind, verdict
    ) counted GROUP BY kind`.pipe(
    Effect.map((rows): VerdictCounts => ({
      ...{ mover_1h: {}, mover_6h: {}, mover_24h: {}, predetermined: {}, contested: {} },
      ...Object.fromEntries(rows.map(({ kind, checks }) => [kind, checks])),
      contestedMeanPrice: rows.find(({ kind }) => kind === "contested")?.meanPrice ?? null,
    })),
    Effect.orDie,
  )

/** The most checks of one item: three of a mover. */
const checksPerItem = 3

const outcomes = (sql: SqlClient): Port["outcomes"] =>
  Effect.fn("ScoreStore.outcomes")((since, items) =>
    sql<StoredOutcome>`
      SELECT feed_index::float8 AS "feedIndex", kind, ${millis(sql, "at", "at")}, verdict,
        price_start AS "priceStart", price_now AS "priceNow", drift, value,
        entry_price AS "entryPrice", ${entryResult(sql)}
      FROM score_check c LEFT JOIN score_entry USING (feed_index)
        LEFT JOIN whale_market m ON m.market = c.market_id AND kind = 'whale_24h'
      WHERE feed_index > ${BigInt(since)} ORDER BY feed_index, kind
      LIMIT ${items * checksPerItem}`.pipe(Effect.orDie)
  )

const version = (sql: SqlClient) =>
  sql<{ revision: bigint }>`SELECT revision FROM score_state`.pipe(
    Effect.map(([row]) => `${row?.revision ?? 0n}`),
    Effect.orDie,
  )

const dueReadings = (sql: SqlClient): Port["dueReadings"] =>
  Effect.fn("ScoreStore.dueReadings")((now, limit) =>
    sql<DueReading>`
      SELECT feed_index::float8 AS "feedIndex", delay_minutes AS "delayMinutes",
        c.market_id AS "marketId", c.outcome, ${millis(sql, "r.due_at", "dueAt")}
      FROM score_reading r JOIN score_check c USING (feed_index)
      WHERE r.state = 'due' AND r.due_at <= ${new Date(now)} AND c.kind = 'whale_24h'
      ORDER BY r.due_at, feed_index, delay_minutes LIMIT ${limit}`.pipe(Effect.orDie)
  )

const saveReadings = (sql: SqlClient): Port["saveReadings"] =>
  Effect.fn("ScoreStore.saveReadings")(
    function* (readings) {
      if (readings.length === 0) return 0
      const saved = yield* sql`
        UPDATE score_reading r SET state = result ->> 'state',
          stake_price = (result #>> '{prices,0}')::float8,
          other_stake_price = (result #>> '{prices,1}')::float8
        FROM json_to_recordset(${jsonText(readings)}::json)
          AS i ("feedIndex" bigint, "delayMinutes" smallint, result json)
        WHERE feed_index = "feedIndex" AND delay_minutes = "delayMinutes" AND r.state = 'due'
        RETURNING 1`
      if (saved.length > 0) yield* incrementRevision(sql)
      return saved.length
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** These columns, from a check `c` and its market `m`: how it ended is known from the whale tables. */
const entryResult = (sql: SqlClient) =>
  sql`m.state AS result, CASE c.outcome WHEN 0 THEN payout_first ELSE payout_second END AS payout`

const entries = (sql: SqlClient) =>
  sql<ScoredEntry>`
    SELECT e.feed_index::float8 AS "feedIndex", wallet, e.event_key AS "eventKey", label,
      entry_price AS "entryPrice", e.fee_rate AS "feeRate", ${entryResult(sql)},
      CASE WHEN ask IS NOT NULL THEN json_build_array(ask, other_ask) END AS asks,
      CASE WHEN verdict IS NOT NULL THEN coalesce(to_json(value), '"unknown"') END AS later,
      (
        SELECT coalesce(json_agg(json_build_object('delayMinutes', delay_minutes, 'prices',
          json_build_array(stake_price, other_stake_price)) ORDER BY delay_minutes), '[]')
        FROM score_reading r WHERE r.feed_index = e.feed_index AND r.state = 'read'
      ) AS readings
    FROM (SELECT * FROM score_entry ORDER BY feed_index DESC LIMIT ${scoredEntriesMax}) e
    JOIN score_check c ON c.feed_index = e.feed_index AND c.kind = 'whale_24h'
    LEFT JOIN whale_market m ON m.market = c.market_id
    ORDER BY e.feed_index`.pipe(Effect.orDie)

const forecastsMadeAt = (sql: SqlClient) =>
  sql<{ at: Date | null }>`
    SELECT max(made_at) AS at FROM forecast WHERE kind = 'resolution'`.pipe(
    Effect.map(([row]) => row?.at?.getTime() ?? 0),
    Effect.orDie,
  )

const addForecasts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.addForecasts")(
    function* (added: ReadonlyArray<Forecast>) {
      if (added.length === 0) return
      yield* lock(sql)
      const rows = jsonText(added.map((one) => ({ ...one, dueAt: dueAtOf(one) })))
      yield* sql`
        INSERT INTO score_market (market_id, outcome_published)
        SELECT DISTINCT "marketId", false
        FROM json_to_recordset(${rows}::json) AS row ("marketId" text)
        ON CONFLICT DO NOTHING`
      yield* sql`
        INSERT INTO forecast
          (kind, market_id, made_at, probability, baseline, low, high, event_key, due_at)
        SELECT kind, "marketId", to_timestamp("madeAt" / 1000), probability, baseline, low, high,
          "eventKey", to_timestamp("dueAt" / 1000)
        FROM json_to_recordset(${rows}::json) AS row (
          kind text, "marketId" text, "madeAt" float8, probability float8, baseline float8,
          low float8, high float8, "eventKey" text, "dueAt" float8
        )
        ON CONFLICT DO NOTHING`
      const kept = Math.max(...added.map(({ madeAt }) => madeAt)) - forecastsKeptMs
      yield* sql`
        DELETE FROM forecast
        WHERE kind IN ('resolution', 'price') AND made_at < ${new Date(kept)}`
      yield* incrementRevision(sql)
    },
    sql.withTransaction,
    Effect.orDie,
  )

const dueForecasts = (sql: SqlClient): Port["dueForecasts"] =>
  Effect.fn("ScoreStore.dueForecasts")(({ now, overdueBefore, limit }) =>
    sql<DueForecast>`
      SELECT json_build_object('kind', kind, 'marketId', m.market_id, 'eventKey', event_key,
          'madeAt', (extract(epoch FROM made_at) * 1000)::float8, 'probability', probability,
          'baseline', baseline, 'low', low, 'high', high) AS forecast,
        requested_at >= due_at AS requested, ${resolutionJson(sql, "m.market_id")}
      FROM forecast JOIN score_market m USING (market_id)
      WHERE NOT judged AND due_at <= ${new Date(now)}
        AND (requested_at >= due_at OR due_at < ${new Date(overdueBefore)})
      ORDER BY due_at, m.market_id COLLATE "C", kind LIMIT ${limit}`.pipe(Effect.orDie)
  )

const saveForecastVerdicts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.saveForecastVerdicts")(
    function* (judged: ReadonlyArray<JudgedForecast>) {
      yield* lock(sql)
      const rows = jsonText(judged.map(({ forecast, value }) => ({ ...forecast, value })))
      const saved = yield* sql`
        UPDATE forecast f SET judged = true, value = i.value
        FROM json_to_recordset(${rows}::json)
          AS i (kind text, "marketId" text, "madeAt" float8, value float8)
        WHERE f.kind = i.kind AND market_id = "marketId"
          AND made_at = to_timestamp("madeAt" / 1000) AND NOT judged
        RETURNING 1`
      if (saved.length > 0) yield* incrementRevision(sql)
      return saved.length
    },
    sql.withTransaction,
    Effect.orDie,
  )

const forecastTotals = (sql: SqlClient) =>
  sql<ForecastTotals & Pick<Forecast, "kind">>`
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
      json_build_object('clusters', count(*) FILTER (WHERE n > 0), 'n', sum(n), 's', sum(s),
        'nn', sum(n * n), 'ns', sum(n * s), 'ss', sum(s * s), 'ff', 0) AS difference
    FROM event, LATERAL (SELECT squared - baseline_squared AS s) less GROUP BY kind`.pipe(
    Effect.map((rows) => ({
      ...{ resolution: noForecasts, price: noForecasts },
      ...Object.fromEntries(rows.map(({ kind, ...totals }) => [kind, totals])),
    })),
    Effect.orDie,
  )

/** The market still traded, so its value is a mid, and the interval says something. */
const hasInterval = (sql: SqlClient) => sql`value > 0 AND value < 1 AND (low > 0 OR high < 1)`
