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
import {
  type Resolution,
  type ResolutionColumns,
  resolutionOf,
} from "../../markets/domain/resolution.ts"
import {
  type CheckVerdict,
  judgingDelayMs,
  type ScoreCheck,
  type VerdictCounts,
} from "../domain/selfScore.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { type DueCheck, type DueMarketsQuery, type JudgedCheck, ScoreStore } from "../ScoreStore.ts"
import { jsonText } from "../../postgres/json.ts"

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
      version: version(sql),
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
    function* (from: number, to: number, checks: ReadonlyArray<ScoreCheck>) {
      if ((yield* lock(sql)) !== from) return false
      const rows = jsonText(checks.map(checkRow))
      yield* sql`
        INSERT INTO score_market AS stored (market_id, outcome_published, last_mover_at)
        SELECT market_id, bool_or(kind = 'predetermined'), max(at) FILTER (WHERE outcome IS NULL)
        FROM json_to_recordset(${rows}::json)
          AS row (market_id text, kind text, at timestamptz, outcome smallint)
        WHERE market_id IS NOT NULL GROUP BY market_id
        ON CONFLICT (market_id) DO UPDATE SET
          outcome_published = stored.outcome_published OR excluded.outcome_published,
          last_mover_at = greatest(stored.last_mover_at, excluded.last_mover_at)`
      // An outcome of a market that is resolved already is due at once.
      yield* sql`
        INSERT INTO score_check
          (feed_index, kind, market_id, at, price_start, price_now, outcome, due_at)
        SELECT feed_index, kind, market_id, at, price_start, price_now, outcome,
          coalesce(due_at, CASE WHEN ended_at IS NOT NULL THEN at END)
        FROM json_to_recordset(${rows}::json) AS row (
          feed_index bigint, kind text, market_id text, at timestamptz, price_start float8,
          price_now float8, outcome smallint, due_at timestamptz
        ) LEFT JOIN score_market USING (market_id)`
      yield* sql`UPDATE score_state SET last_index = ${BigInt(to)}`
      if (checks.length > 0) yield* incrementRevision(sql)
      return true
    },
    sql.withTransaction,
    Effect.orDie,
  )

function checkRow(check: ScoreCheck) {
  const isMover = check.kind !== "predetermined"
  return {
    feed_index: check.feedIndex,
    kind: check.kind,
    market_id: check.marketId,
    at: isoTime(check.at),
    price_start: isMover ? check.priceStart : null,
    price_now: isMover ? check.priceNow : null,
    outcome: isMover ? null : check.outcome,
    due_at: isMover ? isoTime(check.at + judgingDelayMs) : null,
  }
}

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
          SELECT i.* FROM json_to_recordset(${
        jsonText([...byMarket.values()].map(resolutionRow))
      }::json)
            AS i (
              market_id text, state text, payout_first float8, payout_second float8, source text,
              resolved_at timestamptz
            ) JOIN score_market m USING (market_id)
          WHERE (i.state, i.payout_first, i.payout_second, coalesce(i.resolved_at, m.resolved_at))
            IS DISTINCT FROM (m.state, m.payout_first, m.payout_second, m.resolved_at)
        ), ended AS (
          UPDATE score_market m SET version = m.version + 1, state = i.state, source = i.source,
            payout_first = i.payout_first, payout_second = i.payout_second,
            resolved_at = coalesce(i.resolved_at, m.resolved_at),
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

function resolutionRow(resolution: Resolution) {
  const { marketId, state, source, resolvedAt } = resolution
  const [first, second] = resolution.state === "paid" ? resolution.payouts : []
  return {
    market_id: marketId,
    ...{ state, source, payout_first: first, payout_second: second },
    resolved_at: resolvedAt === null ? null : isoTime(resolvedAt),
  }
}

interface CheckRow extends ResolutionColumns {
  readonly feed_index: bigint
  readonly kind: ScoreCheck["kind"]
  readonly market_id: MarketId | null
  readonly at: Date
  readonly price_start: number | null
  readonly price_now: number | null
  readonly outcome: 0 | 1 | null
  readonly version: number | null
  readonly verdict: CheckVerdict | null
  readonly point_at: Date | null
  readonly point_mid: number | null
}

const dueChecks = (sql: SqlClient) =>
  Effect.fn("ScoreStore.dueChecks")(
    function* (
      { now, overdueBefore, limit }: { now: EpochMs; overdueBefore: EpochMs; limit: number },
    ) {
      const rows = yield* sql<CheckRow>`
        SELECT feed_index, kind, market_id, at, price_start, price_now, outcome, verdict, point_at,
          point_mid, version, state, payout_first, payout_second, source, resolved_at
        FROM score_check LEFT JOIN score_market USING (market_id)
        WHERE due_at <= ${new Date(now)} AND (
          market_id IS NULL OR requested_at >= due_at OR due_at < ${new Date(overdueBefore)}
        )
        ORDER BY due_at, feed_index, kind LIMIT ${limit}`
      return rows.map(dueCheck)
    },
    Effect.orDie,
  )

function dueCheck(row: CheckRow): DueCheck {
  const { feed_index, kind, market_id, at, price_start, price_now, outcome } = row
  const shared = { feedIndex: Number(feed_index), marketId: market_id, at: at.getTime() }
  const check: ScoreCheck = kind === "predetermined"
    ? { kind, ...shared, outcome: outcome ?? 0 }
    : { kind, ...shared, priceStart: price_start ?? 0, priceNow: price_now ?? 0 }
  const { point_at, point_mid } = row
  return {
    check,
    version: row.version ?? 0,
    resolution: market_id === null ? null : resolutionOf(market_id, row),
    hasVerdict: row.verdict !== null,
    point: point_at === null || point_mid === null
      ? null
      : { at: point_at.getTime(), mid: point_mid },
  }
}

const saveVerdicts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.saveVerdicts")(
    function* (judged: ReadonlyArray<JudgedCheck>) {
      yield* lock(sql)
      const [saved] = yield* sql<{ written: number; changed: boolean | null }>`
        WITH incoming AS (
          SELECT i.*, c.verdict IS DISTINCT FROM i.verdict AS changes
          FROM json_to_recordset(${jsonText(judged.map(judgedRow))}::json) AS i (
            feed_index bigint, kind text, version integer, verdict text, point_at timestamptz,
            point_mid float8
          ) JOIN score_check c USING (feed_index, kind) LEFT JOIN score_market m USING (market_id)
          WHERE coalesce(m.version, 0) = i.version
        ), written AS (
          UPDATE score_check c SET verdict = i.verdict, due_at = NULL, point_at = i.point_at,
            point_mid = i.point_mid
          FROM incoming i WHERE c.feed_index = i.feed_index AND c.kind = i.kind
        )
        SELECT count(*)::integer AS written, bool_or(changes) AS changed FROM incoming`
      if (saved?.changed === true) yield* incrementRevision(sql)
      return saved?.written ?? 0
    },
    sql.withTransaction,
    Effect.orDie,
  )

const judgedRow = ({ check, version, verdict, point }: JudgedCheck) => ({
  feed_index: check.feedIndex,
  kind: check.kind,
  ...{ version, verdict },
  point_at: point === null ? null : isoTime(point.at),
  point_mid: point?.mid,
})

const counts = (sql: SqlClient) =>
  sql<{ kind: ScoreCheck["kind"]; verdict: CheckVerdict | "open"; checks: bigint }>`
    SELECT kind, coalesce(verdict, 'open') AS verdict, count(*) AS checks
    FROM score_check GROUP BY kind, verdict`.pipe(
    Effect.map((rows): VerdictCounts => {
      const of = (kind: ScoreCheck["kind"]) =>
        Object.fromEntries(
          rows.flatMap((row) => row.kind === kind ? [[row.verdict, Number(row.checks)]] : []),
        )
      return {
        mover_1h: of("mover_1h"),
        mover_24h: of("mover_24h"),
        predetermined: of("predetermined"),
      }
    }),
    Effect.orDie,
  )

const version = (sql: SqlClient) =>
  sql<{ revision: bigint }>`SELECT revision FROM score_state`.pipe(
    Effect.map(([row]) => `${row?.revision ?? 0n}`),
    Effect.orDie,
  )
