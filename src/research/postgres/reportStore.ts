/**
 * Research reports in PostgreSQL, on the database's clock.
 *
 * Unique keys let only one caller acquire the lease of a market. Every later transition updates a row that
 * is in state `making`, so the second of two transitions changes nothing.
 *
 * @module
 */
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import type { Report } from "../domain/research.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { ReportStore } from "../ReportStore.ts"
import { jsonText } from "../../postgres/json.ts"
import { pruneBefore } from "../../postgres/pruneBefore.ts"

export const layer: Layer.Layer<ReportStore, never, SqlClient> = Layer.effect(
  ReportStore,
  Effect.map(SqlClient, (sql) =>
    ReportStore.of({
      begin: begin(sql),
      isMade: isMade(sql),
      renew: renew(sql),
      finish: finish(sql),
      prune: prune(sql),
    })),
)

type Store = ReportStore["Service"]

const milliseconds = (sql: SqlClient, duration: Duration.Duration) =>
  sql`${Duration.toMillis(duration)} * interval '1 millisecond'`

/** The newest generation, if it is being written, or made and by `later` neither too old nor past its own end. */
const current = (
  sql: SqlClient,
  marketId: MarketId,
  ageMax: Duration.Duration,
  later = Duration.zero,
) =>
  sql`SELECT * FROM (
    SELECT * FROM research_report WHERE market = ${marketId} ORDER BY generation DESC LIMIT 1
  ) newest
  WHERE CASE state
    WHEN 'made' THEN least(
      made_at + ${milliseconds(sql, ageMax)},
      (report #>> '{decision,validUntil}')::timestamptz
    ) > clock_timestamp() + ${milliseconds(sql, later)}
    WHEN 'making' THEN lease_until > clock_timestamp()
    ELSE false END`

const making = { state: "making" } as const

const begin = (sql: SqlClient): Store["begin"] =>
  Effect.fn("ReportStore.begin")(function* (marketId, { ageMax, lease }) {
    const [row] = yield* sql<{ made_at: Date | null; report: Report | null }>`
      SELECT made_at, report FROM (${current(sql, marketId, ageMax)}) current`
    if (row !== undefined) {
      const { made_at, report } = row
      return made_at === null || report === null
        ? making
        : { state: "made" as const, generatedAt: made_at.getTime(), report }
    }
    yield* sql`
      UPDATE research_report SET state = 'lost'
      WHERE market = ${marketId} AND state = 'making' AND lease_until <= clock_timestamp()`
    // Another caller may have acquired the lease, or stored its report, since the first statement.
    const [begun] = yield* sql<{ generation: number }>`
      INSERT INTO research_report (market, generation, state, lease_until)
      SELECT ${marketId}, coalesce(max(generation), 0) + 1, 'making',
        clock_timestamp() + ${milliseconds(sql, lease)}
      FROM research_report WHERE market = ${marketId}
      HAVING NOT EXISTS (${current(sql, marketId, ageMax)})
      ON CONFLICT DO NOTHING RETURNING generation`
    return begun === undefined
      ? making
      : { state: "acquired" as const, generation: begun.generation }
  }, Effect.orDie)

const isMade = (sql: SqlClient): Store["isMade"] =>
  Effect.fn("ReportStore.isMade")(function* (marketId, { ageMax, later }) {
    const rows = yield* sql`
      SELECT FROM (${current(sql, marketId, ageMax, later)}) current WHERE state = 'made'`
    return rows.length > 0
  }, Effect.orDie)

/** The row of a generation whose lease was not taken over. */
const isRunning = (sql: SqlClient, marketId: MarketId, generation: number) =>
  sql`market = ${marketId} AND generation = ${generation} AND state = 'making'`

const renew = (sql: SqlClient): Store["renew"] =>
  Effect.fn("ReportStore.renew")(function* (marketId, generation, lease) {
    const rows = yield* sql`
      UPDATE research_report SET lease_until = clock_timestamp() + ${milliseconds(sql, lease)}
      WHERE ${isRunning(sql, marketId, generation)} RETURNING 1`
    return rows.length > 0
  }, Effect.orDie)

const finish = (sql: SqlClient): Store["finish"] =>
  Effect.fn("ReportStore.finish")(function* (marketId, generation, report) {
    const end = report === null
      ? sql`state = 'failed'`
      : sql`state = 'made', made_at = clock_timestamp(), report = ${jsonText(report)}::json`
    const [row] = yield* sql<{ at: Date }>`
      UPDATE research_report SET ${end} WHERE ${isRunning(sql, marketId, generation)}
      RETURNING coalesce(made_at, clock_timestamp()) AS at`
    return row === undefined ? null : row.at.getTime()
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
