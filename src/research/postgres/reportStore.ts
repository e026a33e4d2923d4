/**
 * Research reports in PostgreSQL, on the database's clock.
 *
 * Who begins holds a lock on the market until it is done, so turns are given one after another. All
 * else moves one row from `making`, once: what comes second finds nothing to move.
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Report } from "../domain/research.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import {
  type GenerationState,
  type ReportState,
  ReportStore,
  type StoredReport,
} from "../ReportStore.ts"
import { jsonText } from "../../postgres/json.ts"

export const layer: Layer.Layer<ReportStore, never, SqlClient> = Layer.effect(
  ReportStore,
  Effect.map(SqlClient, (sql) =>
    ReportStore.of({
      begin: begin(sql),
      ended: ended(sql),
      renew: renew(sql),
      finish: finish(sql),
      fail: fail(sql),
      prune: prune(sql),
    })),
)

/** Any number will do that no other pair of advisory locks begins with. */
const marketLock = 1_702_500_017

type Turn = Parameters<ReportStore["Service"]["begin"]>[1]

interface Row {
  readonly generation: number
  readonly state: "making" | "made" | "failed" | "lost"
  readonly made_at: Date | null
  readonly report: Report | null
}

const milliseconds = (sql: SqlClient, duration: Duration.Duration) =>
  sql`${Duration.toMillis(duration)} * interval '1 millisecond'`

const begin = (sql: SqlClient) => {
  const turn = sql.withTransaction
  return Effect.fn("ReportStore.begin")(function* (marketId: MarketId, options: Turn) {
    const standing = yield* stands(sql, marketId, options)
    return standing ?? (yield* turn(begun(sql, marketId, options)))
  }, Effect.orDie)
}

/** The report or its maker; null when it is anybody's turn. */
const stands = Effect.fnUntraced(function* (sql: SqlClient, marketId: MarketId, { ageMax }: Turn) {
  const [row] = yield* sql<Row & { readonly holds: boolean }>`
    SELECT generation, state, made_at, holds, CASE WHEN holds THEN report END AS report
    FROM (
      SELECT *, CASE state
        WHEN 'made' THEN made_at > clock_timestamp() - ${milliseconds(sql, ageMax)}
        WHEN 'making' THEN lease_until > clock_timestamp()
        ELSE false END AS holds
      FROM research_report WHERE market = ${marketId} ORDER BY generation DESC LIMIT 1
    ) newest`
  if (row === undefined || !row.holds) return null
  const { generation } = row
  const made = madeOf(row)
  const state: ReportState = made === null
    ? { state: "making", generation }
    : { state: "made", generation, ...made }
  return state
})

/** Looks again under the lock, and takes the turn if it is still anybody's. */
const begun = Effect.fnUntraced(function* (sql: SqlClient, marketId: MarketId, options: Turn) {
  yield* sql`SELECT pg_advisory_xact_lock(${marketLock}::integer, hashtext(${marketId}))`
  const standing = yield* stands(sql, marketId, options)
  if (standing !== null) return standing
  yield* sql`
    UPDATE research_report SET state = 'lost' WHERE market = ${marketId} AND state = 'making'`
  const [row] = yield* sql<{ generation: number }>`
    INSERT INTO research_report (market, generation, state, lease_until)
    SELECT ${marketId}, coalesce(max(generation), 0) + 1, 'making',
      clock_timestamp() + ${milliseconds(sql, options.lease)}
    FROM research_report WHERE market = ${marketId}
    RETURNING generation`
  const state: ReportState = { state: "ours", generation: row?.generation ?? 0 }
  return state
})

function madeOf({ made_at, report }: Row): StoredReport | null {
  return made_at === null || report === null ? null : { generatedAt: made_at.getTime(), report }
}

const ended = (sql: SqlClient) =>
  Effect.fn("ReportStore.ended")(function* (marketId: MarketId, generation: number) {
    const [row] = yield* sql<Row>`
      SELECT generation, made_at, report,
        CASE WHEN state = 'making' AND lease_until <= clock_timestamp() THEN 'lost' ELSE state END
          AS state
      FROM research_report WHERE market = ${marketId} AND generation = ${generation}`
    const end: GenerationState = row === undefined
      ? { state: "lost" }
      : row.state === "made"
      ? made(row)
      : { state: row.state }
    return end
  }, Effect.orDie)

const made = (row: Row): GenerationState => {
  const found = madeOf(row)
  return found === null ? { state: "lost" } : { state: "made", ...found }
}

/** The row of a turn that is still its maker's. */
const mine = (sql: SqlClient, marketId: MarketId, generation: number) =>
  sql`market = ${marketId} AND generation = ${generation} AND state = 'making'`

const renew = (sql: SqlClient) =>
  Effect.fn("ReportStore.renew")(
    function* (marketId: MarketId, generation: number, lease: Duration.Duration) {
      const rows = yield* sql`
        UPDATE research_report SET lease_until = clock_timestamp() + ${milliseconds(sql, lease)}
        WHERE ${mine(sql, marketId, generation)} RETURNING 1`
      return rows.length > 0
    },
    Effect.orDie,
  )

const finish = (sql: SqlClient) =>
  Effect.fn("ReportStore.finish")(
    function* (marketId: MarketId, generation: number, report: Report) {
      const [row] = yield* sql<{ made_at: Date }>`
        UPDATE research_report SET state = 'made', made_at = clock_timestamp(),
          report = ${jsonText(report)}::json
        WHERE ${mine(sql, marketId, generation)} RETURNING made_at`
      return row === undefined ? null : row.made_at.getTime()
    },
    Effect.orDie,
  )

const fail = (sql: SqlClient) =>
  Effect.fn("ReportStore.fail")(function* (marketId: MarketId, generation: number) {
    const rows = yield* sql`
      UPDATE research_report SET state = 'failed'
      WHERE ${mine(sql, marketId, generation)} RETURNING 1`
    return rows.length > 0
  }, Effect.orDie)

const prune = (sql: SqlClient) =>
  Effect.fn("ReportStore.prune")(function* (before: EpochMs) {
    const [row] = yield* sql<{ gone: bigint }>`
      WITH gone AS (
        DELETE FROM research_report
        WHERE begun_at < ${isoTime(before)}::timestamptz
          AND (state <> 'making' OR lease_until <= clock_timestamp())
        RETURNING 1
      )
      SELECT count(*) AS gone FROM gone`
    return Number(row?.gone ?? 0n)
  }, Effect.orDie)
