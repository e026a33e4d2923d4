/**
 * Research reports in PostgreSQL, on the database's clock.
 *
 * `begin` takes an advisory lock on the market, so that only one caller acquires the lease. Every other
 * transition updates a row that is in state `making`, so the second of two transitions changes nothing.
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Report } from "../domain/research.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import {
  type GenerationState,
  type ReportState,
  ReportStore,
  type StoredReport,
} from "../ReportStore.ts"
import { jsonText } from "../../postgres/json.ts"
import { pruneBefore } from "../../postgres/pruneBefore.ts"

export const layer: Layer.Layer<ReportStore, never, SqlClient> = Layer.effect(
  ReportStore,
  Effect.map(SqlClient, (sql) =>
    ReportStore.of({
      begin: begin(sql),
      isMade: isMade(sql),
      generationState: generationState(sql),
      renew: renew(sql),
      finish: finish(sql),
      fail: fail(sql),
      prune: prune(sql),
    })),
)

/** The first key of the advisory locks; no other use of two-key locks may have it. */
const marketLock = 1_702_500_017

type BeginOptions = Parameters<ReportStore["Service"]["begin"]>[1]

interface Row {
  readonly generation: number
  readonly state: "making" | "made" | "failed" | "lost"
  readonly made_at: Date | null
  readonly report: Report | null
}

const milliseconds = (sql: SqlClient, duration: Duration.Duration) =>
  sql`${Duration.toMillis(duration)} * interval '1 millisecond'`

/** Whether a stored report is neither too old nor past its own end, now or `later`. */
const isValid = (sql: SqlClient, ageMax: Duration.Duration, later = Duration.zero) =>
  sql`least(
    made_at + ${milliseconds(sql, ageMax)},
    (report #>> '{decision,validUntil}')::timestamptz
  ) > clock_timestamp() + ${milliseconds(sql, later)}`

const begin = (sql: SqlClient) => {
  const inTransaction = sql.withTransaction
  return Effect.fn("ReportStore.begin")(function* (marketId: MarketId, options: BeginOptions) {
    const current = yield* currentState(sql, marketId, options)
    return current ?? (yield* inTransaction(acquireLease(sql, marketId, options)))
  }, Effect.orDie)
}

const isMade = (sql: SqlClient): ReportStore["Service"]["isMade"] =>
  Effect.fn("ReportStore.isMade")(function* (marketId, { ageMax, later }) {
    const rows = yield* sql`
      SELECT 1 FROM (
        SELECT * FROM research_report WHERE market = ${marketId} ORDER BY generation DESC LIMIT 1
      ) newest
      WHERE state = 'made' AND ${isValid(sql, ageMax, later)}`
    return rows.length > 0
  }, Effect.orDie)

/** The fresh report, or the running generation; null when the lease is free. */
const currentState = Effect.fnUntraced(
  function* (sql: SqlClient, marketId: MarketId, { ageMax }: BeginOptions) {
    const [row] = yield* sql<Row & { readonly valid: boolean }>`
    SELECT generation, state, made_at, valid, CASE WHEN valid THEN report END AS report
    FROM (
      SELECT *, CASE state
        WHEN 'made' THEN ${isValid(sql, ageMax)}
        WHEN 'making' THEN lease_until > clock_timestamp()
        ELSE false END AS valid
      FROM research_report WHERE market = ${marketId} ORDER BY generation DESC LIMIT 1
    ) newest`
    if (row === undefined || !row.valid) return null
    const { generation } = row
    const stored = storedReport(row)
    const state: ReportState = stored === null
      ? { state: "making", generation }
      : { state: "made", generation, ...stored }
    return state
  },
)

/** Checks again under the lock, and acquires the lease if it is still free. */
const acquireLease = Effect.fnUntraced(
  function* (sql: SqlClient, marketId: MarketId, options: BeginOptions) {
    yield* sql`SELECT pg_advisory_xact_lock(${marketLock}::integer, hashtext(${marketId}))`
    const current = yield* currentState(sql, marketId, options)
    if (current !== null) return current
    yield* sql`
    UPDATE research_report SET state = 'lost' WHERE market = ${marketId} AND state = 'making'`
    const [row] = yield* sql<{ generation: number }>`
    INSERT INTO research_report (market, generation, state, lease_until)
    SELECT ${marketId}, coalesce(max(generation), 0) + 1, 'making',
      clock_timestamp() + ${milliseconds(sql, options.lease)}
    FROM research_report WHERE market = ${marketId}
    RETURNING generation`
    const state: ReportState = { state: "acquired", generation: row?.generation ?? 0 }
    return state
  },
)

function storedReport({ made_at, report }: Row): StoredReport | null {
  return made_at === null || report === null ? null : { generatedAt: made_at.getTime(), report }
}

const generationState = (sql: SqlClient) =>
  Effect.fn("ReportStore.generationState")(function* (marketId: MarketId, generation: number) {
    const [row] = yield* sql<Row>`
      SELECT generation, made_at, report,
        CASE WHEN state = 'making' AND lease_until <= clock_timestamp() THEN 'lost' ELSE state END
          AS state
      FROM research_report WHERE market = ${marketId} AND generation = ${generation}`
    const state: GenerationState = row === undefined
      ? { state: "lost" }
      : row.state === "made"
      ? madeState(row)
      : { state: row.state }
    return state
  }, Effect.orDie)

const madeState = (row: Row): GenerationState => {
  const stored = storedReport(row)
  return stored === null ? { state: "lost" } : { state: "made", ...stored }
}

/** The row of a generation whose lease was not taken over. */
const isRunning = (sql: SqlClient, marketId: MarketId, generation: number) =>
  sql`market = ${marketId} AND generation = ${generation} AND state = 'making'`

const renew = (sql: SqlClient) =>
  Effect.fn("ReportStore.renew")(
    function* (marketId: MarketId, generation: number, lease: Duration.Duration) {
      const rows = yield* sql`
        UPDATE research_report SET lease_until = clock_timestamp() + ${milliseconds(sql, lease)}
        WHERE ${isRunning(sql, marketId, generation)} RETURNING 1`
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
        WHERE ${isRunning(sql, marketId, generation)} RETURNING made_at`
      return row === undefined ? null : row.made_at.getTime()
    },
    Effect.orDie,
  )

const fail = (sql: SqlClient) =>
  Effect.fn("ReportStore.fail")(function* (marketId: MarketId, generation: number) {
    const rows = yield* sql`
      UPDATE research_report SET state = 'failed'
      WHERE ${isRunning(sql, marketId, generation)} RETURNING 1`
    return rows.length > 0
  }, Effect.orDie)

const prune = (sql: SqlClient) =>
  Effect.fn("ReportStore.prune")(function* (before: EpochMs) {
    const ended = sql`(state <> 'making' OR lease_until <= clock_timestamp())`
    const [row] = yield* sql<{ deleted: bigint }>`
      WITH deleted AS (
        DELETE FROM research_report
        WHERE begun_at < ${
      pruneBefore(sql, before, sql`SELECT min(begun_at) FROM research_report WHERE ${ended}`)
    } AND ${ended}
        RETURNING 1
      )
      SELECT count(*) AS deleted FROM deleted`
    return Number(row?.deleted ?? 0n)
  }, Effect.orDie)
