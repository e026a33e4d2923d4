/**
 * The `StatusStore` in PostgreSQL. Slots and digests are kept for a week, and answers for a day after
 * their delivery, so each query reads an index from one end.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { UnmatchedRefundMin } from "../../core/UnmatchedRefundMin.ts"
import { jsonText } from "../../postgres/json.ts"
import { type Part, parts } from "../domain/part.ts"
import type { EndedRuns, StoredRuns } from "../domain/runs.ts"
import { StatusStore } from "../StatusStore.ts"

export const layer: Layer.Layer<StatusStore, never, SqlClient> = Layer.effect(
  StatusStore,
  Effect.map(
    Effect.all([SqlClient, UnmatchedRefundMin]),
    ([sql, min]) =>
      StatusStore.of({ runs: runs(sql), ...historyOf(sql), payments: payments(sql, min) }),
  ),
)

interface RunRow {
  readonly part: Part
  readonly since: Date
  readonly ended: ReadonlyArray<EndedRuns> | null
}

/** The parts whose runs are slots of a job. The job of digests looks every minute: its digests count. */
const jobs = parts.filter((part) => part !== "digest")

/**
 * A run of another interval, from before a change of the setting, counts for the planned run that it
 * falls into.
 */
const runs = (sql: SqlClient) =>
  Effect.fn("StatusStore.runs")(
    function* (from: EpochMs, everyMsOf: (part: Part) => number) {
      const intervals = jsonText(parts.map((part) => ({ part, every_ms: everyMsOf(part) })))
      const rows = yield* sql<RunRow>`
      WITH run AS (
        SELECT part, every_ms, slot, outcome
        FROM json_to_recordset(${intervals}::json) AS i (part text, every_ms bigint)
        JOIN (
          SELECT job, slot, outcome FROM job_slot WHERE job = ANY (${jobs}::text[])
          UNION ALL SELECT 'digest', slot, 'ok' FROM digest
        ) stored ON stored.job = part
      ), numbered AS (
        SELECT part, floor(extract(epoch FROM slot) * 1000 / every_ms)::bigint AS number,
          bool_or(outcome = 'ok') AS ok
        FROM run WHERE outcome IS NOT NULL AND slot >= ${new Date(from)} GROUP BY 1, 2
      ), island AS (
        SELECT part, ok, min(number) AS first, max(number) AS last
        FROM (
          SELECT part, number, ok,
            number - row_number() OVER (PARTITION BY part, ok ORDER BY number) AS island
          FROM numbered
        ) islands GROUP BY part, ok, island
      )
      SELECT part, min(slot) AS since, (
        SELECT json_agg(json_build_object('outcome', CASE WHEN ok THEN 'ok' ELSE 'failed' END,
          'from', first, 'through', last) ORDER BY first)
        FROM island WHERE island.part = run.part
      ) AS ended
      FROM run GROUP BY part`
      return new Map(
        rows.map(({ part, since, ended }): [Part, StoredRuns] => [
          part,
          { since: since.getTime(), ended: ended ?? [] },
        ]),
      )
    },
    Effect.orDie,
  )

const historyOf = (sql: SqlClient): Pick<StatusStore["Service"], "history" | "addHistory"> => ({
  history: (from) =>
    sql<{ day: string; recorded_ms: bigint; good_ms: bigint }>`
      SELECT day::text, recorded_ms, good_ms FROM status_day
      WHERE day >= ${utcDate(from)}::date ORDER BY day`.pipe(
      Effect.map((rows) =>
        rows.map(({ day, recorded_ms, good_ms }) => ({
          day: Date.parse(day),
          recordedMs: Number(recorded_ms),
          goodMs: Number(good_ms),
        }))
      ),
      Effect.orDie,
    ),
  addHistory: (days) => {
    const rows = jsonText(days.map(({ day, recordedMs, goodMs }) => ({
      day: utcDate(day),
      recorded_ms: recordedMs,
      good_ms: goodMs,
    })))
    return sql`
      INSERT INTO status_day SELECT * FROM json_to_recordset(${rows}::json)
        AS row (day date, recorded_ms bigint, good_ms bigint)
      ON CONFLICT (day) DO NOTHING`.pipe(Effect.asVoid, Effect.orDie)
  },
})

const utcDate = (at: EpochMs) => isoTime(at).slice(0, 10)

interface PaymentRow {
  readonly delivered: bigint
  readonly delivered_amount: bigint
  readonly refunded: bigint
  readonly refunded_amount: bigint
  readonly owed: bigint
  readonly owed_amount: bigint
  readonly oldest_at: Date | null
}

const payments = (sql: SqlClient, min: bigint) =>
  Effect.fn("StatusStore.payments")(function* (since: EpochMs) {
    const from = new Date(since)
    const [row] = yield* sql<PaymentRow>`
    SELECT * FROM (
      SELECT count(*) AS delivered, coalesce(sum(amount), 0)::bigint AS delivered_amount
      FROM payment WHERE sent_at >= ${from}
    ) delivered, (
      SELECT count(*) AS refunded, coalesce(sum(amount), 0)::bigint AS refunded_amount
      FROM refund WHERE state = 'confirmed' AND confirmed_at >= ${from}
    ) refunded, (
      SELECT count(*) AS owed,
        coalesce(sum(coalesce(paid_amount, amount)), 0)::bigint AS owed_amount,
        min(changed_at) AS oldest_at
      FROM payment WHERE state = 'refund_due' AND NOT EXISTS (SELECT FROM refund
        WHERE refund.payment_id = payment.payment_id
          AND queue = 'unmatched' AND refund.state = 'queued' AND refund.amount < ${min}::bigint)
    ) owed`
    const sum = (payments = 0n, amount = 0n) => ({ payments: Number(payments), amount })
    return {
      delivered: sum(row?.delivered, row?.delivered_amount),
      refunded: sum(row?.refunded, row?.refunded_amount),
      owed: {
        ...sum(row?.owed, row?.owed_amount),
        oldestAt: row?.oldest_at?.getTime() ?? null,
      },
    }
  }, Effect.orDie)
