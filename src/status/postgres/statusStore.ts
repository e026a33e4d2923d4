/**
 * The record of the service in PostgreSQL. It reads the slots of jobs, the digests and the log of
 * payments, and writes its own tables only.
 *
 * Events get their numbers before they are committed, so a later number may appear before an earlier
 * one. The newest event is noted with the transactions that were running; events up to it are summed
 * when all of those have ended.
 *
 * @module
 */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../../core/domain/time.ts"
import { jsonText } from "../../postgres/json.ts"
import type { Part } from "../domain/part.ts"
import {
  noSums,
  type PaymentDaySums,
  refundSecondsSteps,
  type SumKind,
} from "../domain/paymentSums.ts"
import { type EndedRuns, type PartDayRecord, RunLengths } from "../domain/runs.ts"
import { StatusStore } from "../StatusStore.ts"

export const layer: Layer.Layer<StatusStore, never, SqlClient> = Layer.effect(
  StatusStore,
  Effect.map(SqlClient, (sql) =>
    StatusStore.of({
      firstRun: firstRun(sql),
      endedRuns: endedRuns(sql),
      recordedDays: recordedDays(sql),
      addRecords: addRecords(sql),
      records: records(sql),
      sumPayments: sumPayments(sql),
      paymentRecord: paymentRecord(sql),
      waitingRefunds: waitingRefunds(sql),
      prune: prune(sql),
    })),
)

/** A day as PostgreSQL reads and writes it. */
const dateText = (at: EpochMs) => new Date(at).toISOString().slice(0, 10)
const dayText = (sql: SqlClient) => sql.literal("to_char(day, 'YYYY-MM-DD') AS day")
const dayStart = (text: string): EpochMs => Date.parse(`${text}T00:00:00.000Z`)

/** The runs of a part: the slots of its job, or the digests. */
const runsOf = (sql: SqlClient, part: Part) =>
  part === "digest"
    ? sql`(SELECT slot, 'ok' AS outcome FROM digest) run`
    : sql`(SELECT slot, outcome FROM job_slot WHERE job = ${part}) run`

const firstRun = (sql: SqlClient) =>
  Effect.fn("StatusStore.firstRun")(function* (part: Part) {
    const [row] = yield* sql<{ slot: Date }>`
      SELECT slot FROM ${runsOf(sql, part)} ORDER BY slot LIMIT 1`
    return Option.map(Option.fromNullishOr(row), ({ slot }) => slot.getTime())
  }, Effect.orDie)

/**
 * A run of another interval, from before a change of the setting, counts for the planned run that it
 * falls into.
 */
const endedRuns = (sql: SqlClient) =>
  Effect.fn("StatusStore.endedRuns")(
    function* (
      part: Part,
      everyMs: number,
      { from, to }: { readonly from: number; readonly to: number },
    ) {
      const rows = yield* sql<{ ok: boolean; from: bigint; through: bigint }>`
      WITH numbered AS (
        SELECT floor(extract(epoch FROM slot) * 1000 / ${everyMs}::bigint)::bigint AS number,
          bool_or(outcome = 'ok') AS ok
        FROM ${runsOf(sql, part)}
        WHERE outcome IS NOT NULL
          AND slot >= ${new Date(from * everyMs)} AND slot < ${new Date(to * everyMs)}
        GROUP BY 1
      )
      SELECT ok, min(number) AS "from", max(number) AS through
      FROM (
        SELECT number, ok, number - row_number() OVER (PARTITION BY ok ORDER BY number) AS island
        FROM numbered
      ) islands GROUP BY ok, island ORDER BY 2`
      return rows.map(({ ok, from, through }): EndedRuns => ({
        outcome: ok ? "ok" : "failed",
        from: Number(from),
        through: Number(through),
      }))
    },
    Effect.orDie,
  )

const recordedDays = (sql: SqlClient) =>
  sql<{ part: Part; day: string }>`
    SELECT part, to_char(max(day), 'YYYY-MM-DD') AS day FROM status_run_day GROUP BY part`.pipe(
    Effect.map((rows) => new Map(rows.map(({ part, day }) => [part, dayStart(day)]))),
    Effect.orDie,
    Effect.withSpan("StatusStore.recordedDays"),
  )

const addRecords = (sql: SqlClient) =>
  Effect.fn("StatusStore.addRecords")(function* (added: ReadonlyArray<PartDayRecord>) {
    const rows = added.map(({ part, day, everyMs, runs }) => ({
      day: dateText(day),
      part,
      every_ms: everyMs,
      runs,
    }))
    yield* sql`
      INSERT INTO status_run_day (day, part, every_ms, runs)
      SELECT day, part, every_ms, runs FROM json_to_recordset(${jsonText(rows)}::json)
        AS (day date, part text, every_ms bigint, runs json)
      ON CONFLICT DO NOTHING`
  }, Effect.orDie)

const decodeRuns = Schema.decodeUnknownEffect(RunLengths)

const records = (sql: SqlClient) =>
  Effect.fn("StatusStore.records")(function* (from: EpochMs) {
    const rows = yield* sql<{ part: Part; day: string; every_ms: bigint; runs: unknown }>`
      SELECT part, ${dayText(sql)}, every_ms, runs FROM status_run_day
      WHERE day >= ${dateText(from)}::date ORDER BY status_run_day.day`
    return yield* Effect.forEach(rows, ({ part, day, every_ms, runs }) =>
      Effect.map(decodeRuns(runs), (runs): PartDayRecord => ({
        part,
        day: dayStart(day),
        everyMs: Number(every_ms),
        runs,
      })))
  }, Effect.orDie)

const sumPayments = (sql: SqlClient) =>
  Effect.fn("StatusStore.sumPayments")(
    function* ({ eventsMax, from }: { readonly eventsMax: number; readonly from: EpochMs }) {
      yield* sql`
      INSERT INTO status_payment_cursor (since, through_at, seen_at, seen_xid)
      SELECT since, since, since, '0' FROM (
        SELECT coalesce((SELECT at FROM payment_event ORDER BY event_id LIMIT 1),
          clock_timestamp()) AS since
      ) first ON CONFLICT DO NOTHING`
      yield* sql`SELECT FROM status_payment_cursor FOR UPDATE`
      // One statement, so that every event up to the newest belongs to a transaction that has ended
      // or is older than the snapshot's end. In a copy of the store in another cluster, transactions
      // start with small numbers again, so a number from the future is replaced.
      yield* sql`
      UPDATE status_payment_cursor SET seen_at = clock_timestamp(),
        seen_event = coalesce((SELECT max(event_id) FROM payment_event), seen_event),
        seen_xid = pg_snapshot_xmax(pg_current_snapshot())
      WHERE through_event = seen_event OR seen_xid > pg_snapshot_xmax(pg_current_snapshot())`
      const [cursor] = yield* sql<{ through_event: bigint; seen_event: bigint; ready: boolean }>`
      SELECT through_event, seen_event,
        pg_snapshot_xmin(pg_current_snapshot()) >= seen_xid AS ready
      FROM status_payment_cursor`
      if (cursor === undefined || !cursor.ready) return 0
      const [passed] = yield* sql<{ events: number; through: bigint | null; at: Date | null }>`
      SELECT count(*)::int AS events, max(event_id) AS through, max(at) AS at FROM (
        SELECT event_id, at FROM payment_event
        WHERE event_id > ${cursor.through_event} AND event_id <= ${cursor.seen_event}
        ORDER BY event_id LIMIT ${eventsMax}
      ) batch`
      const events = passed?.events ?? 0
      const through = events < eventsMax ? cursor.seen_event : passed?.through ?? cursor.seen_event
      if (events > 0) yield* addSums(sql, { after: cursor.through_event, through, from })
      yield* sql`
      UPDATE status_payment_cursor SET through_event = ${through}::bigint,
        through_at = CASE WHEN seen_event = ${through}::bigint THEN seen_at
          ELSE ${passed?.at ?? null}::timestamptz END`
      return events
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** The states in which the chain has shown the payment. */
const paidStates = "('settled', 'answered', 'refund_due')"

/** Adds the changes of these events to the sums of their days. */
const addSums = (
  sql: SqlClient,
  { after, through, from }: {
    readonly after: bigint
    readonly through: bigint
    readonly from: EpochMs
  },
) =>
  sql`
    INSERT INTO status_payment_day AS known (day, kind, step, payments, amount, seconds_max)
    SELECT day, kind, step, count(*), sum(amount)::bigint, coalesce(max(seconds), 0)
    FROM (
      SELECT (event.at AT TIME ZONE 'UTC')::date AS day, change.kind,
        CASE WHEN change.kind = 'refunded'
          THEN width_bucket(greatest(owed.seconds - 1, 0), ${
    sql.literal(`ARRAY[${[0, ...refundSecondsSteps].join(", ")}]`)
  }::bigint[]) ELSE 0 END AS step,
        coalesce(payment.paid_amount, payment.amount) AS amount,
        CASE WHEN change.kind = 'refunded' THEN owed.seconds END AS seconds
      FROM payment_event event JOIN payment USING (payment_id)
      CROSS JOIN LATERAL (VALUES
        ('charged', to_state IN ${sql.literal(paidStates)}
          AND coalesce(from_state NOT IN ${sql.literal(paidStates)}, true)),
        ('answered', to_state = 'answered'),
        ('undelivered', from_state = 'answered' AND to_state = 'refund_due'),
        ('owed', to_state = 'refund_due'),
        ('cancelled', from_state = 'refund_due' AND to_state = 'void'),
        ('refunded', to_state = 'refunded')
      ) change (kind, applies)
      CROSS JOIN LATERAL (
        SELECT CASE WHEN change.kind = 'refunded' THEN (
          SELECT coalesce(greatest(0, ceil(extract(epoch FROM event.at - max(earlier.at)))), 0)::bigint
          FROM payment_event earlier
          WHERE earlier.payment_id = event.payment_id AND earlier.to_state = 'refund_due'
            AND earlier.event_id < event.event_id
        ) END AS seconds
      ) owed
      WHERE event.event_id > ${after} AND event.event_id <= ${through}
        AND to_state IN ('settled', 'answered', 'refund_due', 'void', 'refunded')
        AND change.applies AND event.at >= ${new Date(from)}
    ) changes
    GROUP BY day, kind, step
    ON CONFLICT (day, kind, step) DO UPDATE SET
      payments = known.payments + excluded.payments,
      amount = known.amount + excluded.amount,
      seconds_max = greatest(known.seconds_max, excluded.seconds_max)`

interface SumRow {
  readonly day: string
  readonly kind: SumKind
  readonly step: number
  readonly payments: bigint
  readonly amount: bigint
  readonly seconds_max: bigint
}

const paymentRecord = (sql: SqlClient) =>
  Effect.fn("StatusStore.paymentRecord")(function* (from: EpochMs) {
    const [cursor] = yield* sql<{ since: Date; through_at: Date }>`
      SELECT since, through_at FROM status_payment_cursor`
    const rows = yield* sql<SumRow>`
      SELECT ${dayText(sql)}, kind, step, payments, amount, seconds_max
      FROM status_payment_day WHERE day >= ${dateText(from)}::date
      ORDER BY status_payment_day.day, kind, step`
    return {
      since: cursor?.since.getTime() ?? null,
      through: cursor?.through_at.getTime() ?? null,
      days: [...Map.groupBy(rows, ({ day }) => day)].map(([day, rows]) => daySums(day, rows)),
    }
  }, Effect.orDie)

function daySums(date: string, rows: ReadonlyArray<SumRow>): PaymentDaySums {
  const sums = { ...noSums }
  const refundTimes = Array.from({ length: refundSecondsSteps.length + 1 }, () => 0)
  let refundSecondsMax: number | null = null
  for (const { kind, step, payments, amount, seconds_max } of rows) {
    const { payments: before, amount: sum } = sums[kind]
    sums[kind] = { payments: before + Number(payments), amount: sum + amount }
    if (kind !== "refunded") continue
    refundTimes[step - 1] = Number(payments)
    refundSecondsMax = Math.max(refundSecondsMax ?? 0, Number(seconds_max))
  }
  return { day: dayStart(date), sums, refundTimes, refundSecondsMax }
}

const waitingRefunds = (sql: SqlClient) =>
  sql<{ payments: bigint; amount: bigint; oldest_at: Date | null }>`
    SELECT count(*) AS payments, coalesce(sum(coalesce(paid_amount, amount)), 0)::bigint AS amount,
      min(changed_at) AS oldest_at
    FROM payment WHERE state = 'refund_due'`.pipe(
    Effect.map(([row]) => ({
      payments: Number(row?.payments ?? 0n),
      amount: row?.amount ?? 0n,
      oldestAt: row?.oldest_at?.getTime() ?? null,
    })),
    Effect.orDie,
    Effect.withSpan("StatusStore.waitingRefunds"),
  )

const prune = (sql: SqlClient) =>
  Effect.fn("StatusStore.prune")(function* (before: EpochMs) {
    yield* sql`DELETE FROM status_run_day WHERE day < ${dateText(before)}::date`
    yield* sql`DELETE FROM status_payment_day WHERE day < ${dateText(before)}::date`
  }, Effect.orDie)
