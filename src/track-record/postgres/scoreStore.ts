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
import type { ScoredBin } from "../domain/moverDrift.ts"
import {
  type CheckedMove,
  type CheckVerdict,
  firstDueAt,
  type ScoreCheck,
  type VerdictCounts,
} from "../domain/selfScore.ts"
import { type OutcomeSums, restate, type Statement } from "../../movers/domain/moveOutcomes.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { type DueCheck, type DueMarketsQuery, type JudgedCheck, ScoreStore } from "../ScoreStore.ts"
import { forecasts } from "./forecasts.ts"
import type { StoredOutcome } from "../domain/outcomes.ts"
import { delaysMinutes, type PublishedEntry } from "../domain/entryScore.ts"
import { entryScores } from "./entryScores.ts"
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
      outcomes: outcomes(sql),
      ...entryScores(sql, incrementRevision(sql)),
      moveBins: moveBins(sql),
      version: version(sql),
      ...forecasts(sql, lock(sql), incrementRevision(sql)),
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
      const rows = jsonText(checks.map(checkRow))
      yield* sql`
        INSERT INTO score_market AS stored (market_id, outcome_published, last_mover_at)
        SELECT market_id, bool_or(kind = 'predetermined'),
          max(at) FILTER (WHERE kind LIKE 'mover%')
        FROM json_to_recordset(${rows}::json)
          AS row (market_id text, kind text, at timestamptz, outcome smallint)
        WHERE market_id IS NOT NULL GROUP BY market_id
        ON CONFLICT (market_id) DO UPDATE SET
          outcome_published = stored.outcome_published OR excluded.outcome_published,
          last_mover_at = greatest(stored.last_mover_at, excluded.last_mover_at)`
      // An outcome of a market that is resolved already is due at once.
      yield* sql`
        INSERT INTO score_check
          (feed_index, kind, market_id, at, price_start, price_now, outcome, due_at,
            move_window, z_score, converged, ends_at, event_key, bins, contested)
        SELECT feed_index, kind, market_id, at, price_start, price_now, outcome,
          coalesce(due_at, CASE WHEN ended_at IS NOT NULL THEN at END),
          move_window, z_score, converged, ends_at, event_key, bins, coalesce(contested, false)
        FROM json_to_recordset(${rows}::json) AS row (
          feed_index bigint, kind text, market_id text, at timestamptz, price_start float8,
          price_now float8, outcome smallint, due_at timestamptz, move_window text, z_score float8,
          converged boolean, ends_at timestamptz, event_key text, bins text[],
          contested boolean
        ) LEFT JOIN score_market USING (market_id)`
      yield* addEntries(sql, checks, entries)
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
  checks: ReadonlyArray<ScoreCheck>,
  entries: ReadonlyArray<PublishedEntry>,
) {
  if (entries.length === 0) return
  const rows = entries.map(({ asks, ...entry }) => ({
    ...entry,
    ...{ ask: asks?.[0], otherAsk: asks?.[1] },
  }))
  yield* sql`
    INSERT INTO score_entry
      (feed_index, wallet, event_key, label, entry_price, ask, other_ask, fee_rate)
    SELECT "feedIndex", wallet, "eventKey", label, "entryPrice", ask, "otherAsk", "feeRate"
    FROM json_to_recordset(${jsonText(rows)}::json) AS row (
      "feedIndex" bigint, wallet text, "eventKey" text, label text, "entryPrice" float8, ask float8,
      "otherAsk" float8, "feeRate" float8
    )`
  const published = checks.filter(({ kind }) => kind === "whale_entry").map(checkRow)
  yield* sql`
    INSERT INTO score_reading (feed_index, delay_minutes, market_id, outcome, due_at)
    SELECT feed_index, delay, market_id, outcome, at + delay * interval '1 minute'
    FROM json_to_recordset(${jsonText(published)}::json)
        AS row (feed_index bigint, market_id text, outcome smallint, at timestamptz),
      unnest(${delaysMinutes}::integer[]) AS delay`
})

function checkRow(check: ScoreCheck) {
  const isMover = "priceStart" in check
  const dueAt = firstDueAt(check)
  return {
    feed_index: check.feedIndex,
    kind: check.kind,
    market_id: check.marketId,
    at: isoTime(check.at),
    price_start: isMover ? check.priceStart : null,
    price_now: isMover ? check.priceNow : null,
    outcome: isMover ? null : check.outcome,
    contested: check.kind === "predetermined" && check.contested,
    due_at: dueAt === null ? null : isoTime(dueAt),
    ...isMover && check.move !== null ? moveRow(check.move) : {},
  }
}

const moveRow = ({ window, zScore, converged, endsAt, eventKey, bins }: CheckedMove) => ({
  ...{ move_window: window, z_score: zScore, converged, event_key: eventKey, bins },
  ends_at: endsAt === null ? null : isoTime(endsAt),
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
        FROM resolution_forecast f JOIN score_market USING (market_id)
        WHERE f.verdict IS NULL AND due_at <= ${new Date(now)} AND requested_at < due_at
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
  readonly contested: boolean
  readonly move_window: CheckedMove["window"] | null
  readonly z_score: number | null
  readonly converged: boolean | null
  readonly ends_at: Date | null
  readonly event_key: string | null
  readonly bins: ReadonlyArray<string> | null
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
        SELECT c.feed_index, kind, c.market_id, at, price_start, price_now, c.outcome, verdict,
          coalesce(point_at, CASE WHEN mid IS NOT NULL THEN read_at END) AS point_at,
          coalesce(point_mid, mid) AS point_mid,
          contested, move_window, z_score, converged, ends_at, event_key, bins,
          version, m.state, payout_first, payout_second, source, resolved_at
        FROM score_check c LEFT JOIN score_market m USING (market_id)
        LEFT JOIN score_reading r ON r.feed_index = c.feed_index AND kind = 'whale_1h'
          AND delay_minutes = 60 AND verdict IS NULL
        WHERE c.due_at <= ${new Date(now)} AND (
          c.market_id IS NULL OR requested_at >= c.due_at OR c.due_at < ${new Date(overdueBefore)}
        )
        ORDER BY c.due_at, c.feed_index, kind LIMIT ${limit}`
      return rows.map(dueCheck)
    },
    Effect.orDie,
  )

function dueCheck(row: CheckRow): DueCheck {
  const { feed_index, kind, market_id, at, price_start, price_now, outcome } = row
  const shared = { feedIndex: Number(feed_index), marketId: market_id, at: at.getTime() }
  const check: ScoreCheck = kind === "mover_1h" || kind === "mover_24h"
    ? {
      ...{ kind, ...shared, priceStart: price_start ?? 0, priceNow: price_now ?? 0 },
      move: moveOf(row),
    }
    : kind === "predetermined"
    ? { kind, ...shared, outcome: outcome ?? 0, contested: row.contested }
    : { kind, ...shared, outcome: outcome ?? 0 }
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

function moveOf(row: CheckRow): CheckedMove | null {
  const { move_window: window, z_score: zScore, converged, ends_at, event_key, bins } = row
  if (window === null || zScore === null || converged === null) return null
  if (event_key === null || bins === null) return null
  const endsAt = ends_at?.getTime() ?? null
  return { window, zScore, converged, endsAt, eventKey: event_key, bins }
}

const saveVerdicts = (sql: SqlClient) =>
  Effect.fn("ScoreStore.saveVerdicts")(
    function* (judged: ReadonlyArray<JudgedCheck>) {
      yield* lock(sql)
      const rows = jsonText(judged.map(judgedRow))
      yield* addToBins(sql, rows)
      const [saved] = yield* sql<{ written: number; changed: boolean | null }>`
        WITH incoming AS (
          SELECT i.*,
            (c.verdict, c.drift, c.value) IS DISTINCT FROM (i.verdict, i.drift, i.value) AS changes
          FROM json_to_recordset(${rows}::json) AS i (
            feed_index bigint, kind text, version integer, verdict text, point_at timestamptz,
            point_mid float8, drift integer, margin integer, value float8, due_at timestamptz
          ) JOIN score_check c USING (feed_index, kind) LEFT JOIN score_market m USING (market_id)
          WHERE coalesce(m.version, 0) = i.version
        ), written AS (
          UPDATE score_check c SET verdict = i.verdict, due_at = i.due_at, point_at = i.point_at,
            point_mid = i.point_mid, drift = i.drift, margin = i.margin, value = i.value
          FROM incoming i WHERE c.feed_index = i.feed_index AND c.kind = i.kind
        )
        SELECT count(*)::integer AS written, bool_or(changes) AS changed FROM incoming`
      if (saved?.changed === true) yield* incrementRevision(sql)
      return saved?.written ?? 0
    },
    sql.withTransaction,
    Effect.orDie,
  )

const judgedRow = (
  { check, version, verdict, point, outcome, value, dueAt }: JudgedCheck,
) => ({
  feed_index: check.feedIndex,
  kind: check.kind,
  ...{ version, verdict, value },
  due_at: typeof dueAt === "number" ? isoTime(dueAt) : null,
  point_at: point === null ? null : isoTime(point.at),
  point_mid: point?.mid,
  ...outcome ?? {},
})

/**
 * Adds to each bin what the judged checks change in it, before they are saved. An event's part of a
 * bin is counted from its checks, so it is subtracted and added as a whole.
 */
const addToBins = Effect.fnUntraced(function* (sql: SqlClient, rows: string) {
  const changed = yield* sql<BinRow>`
    WITH incoming AS (
      SELECT c.kind, c.event_key, c.bins, c.drift AS old_drift, c.margin AS old_margin, i.drift,
        i.margin
      FROM json_to_recordset(${rows}::json) AS i (
        feed_index bigint, kind text, version integer, drift integer, margin integer
      ) JOIN score_check c USING (feed_index, kind) LEFT JOIN score_market m USING (market_id)
      WHERE coalesce(m.version, 0) = i.version AND c.bins IS NOT NULL
        AND (c.drift, c.margin) IS DISTINCT FROM (i.drift, i.margin)
    ), change AS (
      SELECT kind, bin, event_key,
        count(drift) - count(old_drift) AS moves,
        count(*) FILTER (WHERE margin >= 0) - count(*) FILTER (WHERE old_margin >= 0) AS kept,
        coalesce(sum(drift), 0) - coalesce(sum(old_drift), 0) AS drift
      FROM incoming, unnest(bins) AS bin GROUP BY kind, bin, event_key
    ), before AS (
      SELECT kind, bin, event_key, count(*) AS moves, sum(c.drift) AS drift
      FROM change JOIN score_check c USING (kind, event_key)
      WHERE c.drift IS NOT NULL AND bin = ANY (c.bins) GROUP BY kind, bin, event_key
    ), event AS (
      SELECT kind, bin, change.moves, change.kept, change.drift, coalesce(before.moves, 0) AS n,
        coalesce(before.drift, 0) AS s, coalesce(before.moves, 0) + change.moves AS new_n,
        coalesce(before.drift, 0) + change.drift AS new_s
      FROM change LEFT JOIN before USING (kind, bin, event_key)
    )
    INSERT INTO score_bin AS b
      (kind, bin, moves, events, kept, drift, moves_moves, moves_drift, drift_drift)
    SELECT kind, bin, sum(moves), count(*) FILTER (WHERE new_n > 0) - count(*) FILTER (WHERE n > 0),
      sum(kept), sum(drift), sum(new_n * new_n - n * n), sum(new_n * new_s - n * s),
      sum(new_s * new_s - s * s)
    FROM event GROUP BY kind, bin
    ON CONFLICT (kind, bin) DO UPDATE SET moves = b.moves + excluded.moves,
      events = b.events + excluded.events, kept = b.kept + excluded.kept,
      drift = b.drift + excluded.drift, moves_moves = b.moves_moves + excluded.moves_moves,
      moves_drift = b.moves_drift + excluded.moves_drift,
      drift_drift = b.drift_drift + excluded.drift_drift
    RETURNING *`
  const restated = changed.flatMap((row) => {
    const { stated, contained } = restate(statementOf(row), outcomeSums(row))
    if (stated === null || Number(row.stated_events) === stated.events) return []
    const tests = { tested: contained === null ? 0 : 1, contained: contained === true ? 1 : 0 }
    return [{ kind: row.kind, bin: row.bin, ...stated, ...tests }]
  })
  if (restated.length === 0) return
  yield* sql`
    UPDATE score_bin b SET stated_moves = i.moves, stated_events = i.events,
      stated_drift = i.drift, stated_low = i.low, stated_high = i.high,
      tested = b.tested + i.tested, contained = b.contained + i.contained
    FROM json_to_recordset(${jsonText(restated)}::json) AS i (
      kind text, bin text, moves bigint, events bigint, drift bigint, low float8, high float8,
      tested integer, contained integer
    ) WHERE b.kind = i.kind AND b.bin = i.bin`
})

interface BinRow {
  readonly kind: "mover_1h" | "mover_24h"
  readonly bin: string
  readonly moves: bigint
  readonly events: bigint
  readonly kept: bigint
  readonly drift: bigint
  readonly moves_moves: bigint
  readonly moves_drift: bigint
  readonly drift_drift: bigint
  readonly stated_moves: bigint | null
  readonly stated_events: bigint | null
  readonly stated_drift: bigint | null
  readonly stated_low: number | null
  readonly stated_high: number | null
  readonly tested: number
  readonly contained: number
}

const outcomeSums = (row: BinRow): OutcomeSums => ({
  moves: Number(row.moves),
  events: Number(row.events),
  kept: Number(row.kept),
  drift: Number(row.drift),
  movesMoves: Number(row.moves_moves),
  movesDrift: Number(row.moves_drift),
  driftDrift: Number(row.drift_drift),
})

function statementOf(row: BinRow): Statement | null {
  const { stated_low: low, stated_high: high } = row
  if (low === null || high === null) return null
  return {
    moves: Number(row.stated_moves),
    events: Number(row.stated_events),
    drift: Number(row.stated_drift),
    low,
    high,
  }
}

/** Only checks with a margin between 0 and twice the mean drift change sides without the drift. */
const moveBins = (sql: SqlClient) =>
  sql<BinRow & { martingale_kept: bigint | null }>`
    SELECT b.*, CASE WHEN bin IN ('contested', 'converged') THEN kept + (
        SELECT count(*) FILTER (WHERE margin < 0) - count(*) FILTER (WHERE margin >= 0)
        FROM score_check c
        WHERE c.kind = b.kind AND c.converged = (b.bin = 'converged')
          AND c.margin >= least(0, threshold) AND c.margin < greatest(0, threshold)
      ) END AS martingale_kept
    FROM score_bin b, LATERAL (SELECT ceil(2.0 * b.drift / b.moves)::integer AS threshold) t
    WHERE b.moves > 0`.pipe(
    Effect.map((rows) =>
      rows.map((row): ScoredBin => ({
        horizon: row.kind === "mover_1h" ? "1h" : "24h",
        bin: row.bin,
        sums: outcomeSums(row),
        martingaleKept: row.martingale_kept === null ? null : Number(row.martingale_kept),
        tested: row.tested,
        contained: row.contained,
      }))
    ),
    Effect.orDie,
  )

const counts = (sql: SqlClient) =>
  sql<{ kind: keyof VerdictCounts; verdict: CheckVerdict | "open"; checks: bigint }>`
    SELECT CASE WHEN contested THEN 'contested' ELSE kind END AS kind,
      coalesce(verdict, 'open') AS verdict, count(*) AS checks
    FROM score_check WHERE kind NOT LIKE 'whale%' GROUP BY contested, kind, verdict`.pipe(
    Effect.map((rows): VerdictCounts => {
      const of = (kind: keyof VerdictCounts) =>
        Object.fromEntries(
          rows.flatMap((row) => row.kind === kind ? [[row.verdict, Number(row.checks)]] : []),
        )
      return {
        mover_1h: of("mover_1h"),
        mover_24h: of("mover_24h"),
        predetermined: of("predetermined"),
        contested: of("contested"),
      }
    }),
    Effect.orDie,
  )

/** The most checks of one item: four of a whale entry. */
const checksPerItem = 4

const outcomes = (sql: SqlClient) =>
  Effect.fn("ScoreStore.outcomes")(function* (since: number, items: number) {
    const rows = yield* sql<
      Pick<CheckRow, "feed_index" | "kind" | "at" | "verdict" | "price_start" | "price_now"> & {
        drift: number | null
        value: number | null
        entry_price: number | null
      }
    >`
      SELECT feed_index, kind, at, verdict, price_start, price_now, drift, value, entry_price
      FROM score_check LEFT JOIN score_entry USING (feed_index)
      WHERE feed_index > ${BigInt(since)} ORDER BY feed_index, kind
      LIMIT ${items * checksPerItem}`
    return rows.map((row): StoredOutcome => ({
      feedIndex: Number(row.feed_index),
      kind: row.kind,
      at: row.at.getTime(),
      verdict: row.verdict,
      priceStart: row.price_start,
      priceNow: row.price_now,
      drift: row.drift,
      value: row.value,
      entryPrice: row.entry_price,
    }))
  }, Effect.orDie)

const version = (sql: SqlClient) =>
  sql<{ revision: bigint }>`SELECT revision FROM score_state`.pipe(
    Effect.map(([row]) => `${row?.revision ?? 0n}`),
    Effect.orDie,
  )
