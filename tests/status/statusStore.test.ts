/**
 * What /status is computed from, on every store: the runs of a week, and the payments of a day.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { day, hour, minute } from "../../src/core/domain/time.ts"
import { Freshness } from "../../src/core/Freshness.ts"
import { UnmatchedRefundMin } from "../../src/core/UnmatchedRefundMin.ts"
import { layer as jobSlots } from "../../src/postgres/jobSlots.ts"
import { layer as storeLayer } from "../../src/status/postgres/statusStore.ts"
import { Status } from "../../src/status/Status.ts"
import { StatusStore } from "../../src/status/StatusStore.ts"
import { startingAt } from "../support/effect.ts"
import { answerColumn } from "../support/payments/storedAnswer.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"

const today = Date.UTC(2026, 10, 20)
const morning = today + 2 * hour
const tickIntervalMs = hour

const layer = Status.layer({ tickIntervalMs, paymentMode: "simulated" }).pipe(
  Layer.provide(Freshness.layer({ tickIntervalMs })),
  Layer.provideMerge(storeLayer),
  Layer.provide(jobSlots),
)

const Run = Schema.Literals(["ok", "failed", "running", "none"])
const day1 = today - 6 * day
/** What becomes of the ticks of six days. */
const ticks = Arbitrary.array(Arbitrary.schema(Run), { minLength: 144, maxLength: 144 })

const storeTicks = Effect.fnUntraced(function* (runs: ReadonlyArray<typeof Run.Type>) {
  const sql = yield* SqlClient
  const rows = runs.flatMap((run, n) =>
    run === "none" ? [] : [{
      slot: new Date(day1 + n * hour).toISOString(),
      finished_at: run === "running" ? null : new Date(day1 + n * hour).toISOString(),
      outcome: run === "running" ? null : run,
    }]
  )
  yield* sql`
    INSERT INTO job_slot (job, slot, fence, lease_until, finished_at, outcome)
    SELECT 'tick', slot, 1, slot, finished_at, outcome
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS (slot timestamptz, finished_at timestamptz, outcome text)`
})

const report = Effect.flatMap(Status, (status) => status.report)

/** The counts of a day, one slot at a time; null before the first stored slot. */
function expectedDays(runs: ReadonlyArray<typeof Run.Type>) {
  const first = runs.findIndex((run) => run !== "none")
  return Array.from({ length: 6 }, (_, n) => {
    const known = runs.slice(n * 24, n * 24 + 24).filter((_, at) => n * 24 + at >= first)
    if (first < 0 || known.length === 0) return null
    const of = (...wanted: ReadonlyArray<string>) =>
      known.filter((run) => wanted.includes(run)).length
    return {
      planned: known.length,
      ok: of("ok"),
      failed: of("failed"),
      missing: of("running", "none"),
    }
  })
}

onEveryStore("the report of the service", (law) => {
  const on = (
    name: string,
    body: Effect.Effect<void, unknown, SqlClient | Status | StatusStore>,
  ) => law(name, startingAt(morning, Effect.provide(body, layer)))

  on(
    "counts each run of each day once, and those before the oldest stored one are not known",
    checkProperty(ticks, (runs) =>
      Effect.gen(function* () {
        yield* storeTicks(runs)
        const { parts: [tick, ...others] } = yield* report
        equal(tick?.days.slice(0, 6).map(({ runs }) => runs), expectedDays(runs))
        equal(others.flatMap(({ days }) => days).filter(({ runs }) => runs !== null), [])
      }).pipe(Effect.provide(layer))),
  )

  on(
    "days without any replica are missing, and one incident; a run that is due now is not",
    Effect.gen(function* () {
      yield* storeTicks(Array.from({ length: 24 }, () => "ok" as const))
      const { parts, incidents } = yield* startingAt(day1 + 4 * day, report)
      const ok = { planned: 24, ok: 24, failed: 0, missing: 0 }
      const missing = { planned: 24, ok: 0, failed: 0, missing: 24 }
      equal(parts[0]?.days.map(({ runs }) => runs), [
        null,
        null,
        ok,
        missing,
        missing,
        missing,
        null,
      ])
      equal(parts[0]?.recordedSince, new Date(day1).toISOString())
      equal(incidents.latest, [{
        part: "tick",
        from: new Date(day1 + day).toISOString(),
        to: null,
        failed: 0,
        missing: 72,
      }])
    }),
  )

  on(
    "a service that is older than the days shown has no unknown run in them",
    Effect.gen(function* () {
      yield* storeTicks(Array.from({ length: 144 }, () => "ok" as const))
      const { parts: [tick] } = yield* startingAt(day1 + 7 * day - minute, report)
      const ok = { planned: 24, ok: 24, failed: 0, missing: 0 }
      equal(tick?.days.slice(0, 6).map(({ runs }) => runs), Array.from({ length: 6 }, () => ok))
      const later = yield* startingAt(day1 + 8 * day, report)
      equal(later.parts[0]?.recordedSince, new Date(day1 + 2 * day).toISOString())
    }),
  )

  on(
    "keeps the good time of a day that is over, once, for 90 days",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* storeTicks(Array.from({ length: 144 }, (_, n) => n < 2 ? "failed" : "ok"))
      const { summary } = yield* report
      equal(summary.days[0], { date: "2026-11-14", recordedHours: 24, goodHours: 22 })
      yield* sql`DELETE FROM job_slot WHERE slot < ${new Date(day1 + day)}`
      yield* report
      yield* sql`DELETE FROM job_slot`
      const { summary: later } = yield* startingAt(today + 30 * day, report)
      equal(later.days.map(({ goodHours }) => goodHours), [22, 24, 24, 24, 24, 24])
      equal([later.recordedHours, later.goodShare], [144, 0.986])
      equal((yield* startingAt(day1 + 90 * day, report)).summary.days.length, 5)
    }),
  )

  on(
    "digests are runs, and another interval of before counts for the run that it falls into",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`
        INSERT INTO digest (slot, created_at, until_at, feed_index, digest)
        VALUES (${new Date(today - 4 * hour)}, ${new Date(today)}, ${new Date(today)}, 0, '{}')`
      yield* sql`
        INSERT INTO job_slot (job, slot, fence, lease_until, finished_at, outcome)
        SELECT 'tick', at, 1, at, at, outcome FROM (VALUES
          (${new Date(today - 60 * minute)}::timestamptz, 'failed'),
          (${new Date(today - 50 * minute)}::timestamptz, 'ok')) run (at, outcome)`
      // The job looks every minute whether a digest is due; that it ran is no digest.
      yield* sql`
        INSERT INTO job_slot (job, slot, fence, lease_until, finished_at, outcome)
        SELECT 'digest', at, 1, at, at, 'ok'
        FROM (VALUES (${new Date(today - 8 * hour)}::timestamptz)) run (at)`
      const { parts } = yield* startingAt(today + minute, report)
      const totals = parts.map(({ part, total: { ok, failed } }) => [part, ok, failed])
      equal(totals.filter(([, ok]) => ok !== 0), [["tick", 1, 0], ["digest", 1, 0]])
    }),
  )

  on(
    "counts the answers delivered and refunds confirmed since, and what is owed now",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const oldest = new Date(today - 40 * day)
      yield* sql.withTransaction(Effect.gen(function* () {
        // Rows as they are, without the triggers.
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`
          INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
            pay_to, amount, paid_amount, valid_after, valid_before, settlement, state, changed_at,
            intended_at, answered_at, sent_at, ${sql(answerColumn)}, paid_transaction, paid_block,
            paid_log_index, paid_finality)
          SELECT id, 1, 'a', 'n', 'v', id, id, 'p', 10, paid, 0, 0, 'compute-first', state,
            coalesce(changed, now()), now(), now(), sent, body, id, 1, 1, 'safe'
          FROM (VALUES
            ('delivered', 'answered', NULL::timestamptz, ${new Date(
          today,
        )}::timestamptz, 'a'::bytea, NULL::bigint),
            ('old', 'answered', NULL, ${new Date(today - day)}, 'a', NULL),
            ('unsent', 'answered', NULL, NULL, 'a', NULL),
            ('owed', 'refund_due', ${new Date(today)}, NULL, NULL, 7),
            ('owed long', 'refund_due', ${oldest}, NULL, NULL, NULL),
            ('dust', 'refund_due', ${oldest}, NULL, NULL, 4),
            ('refunded', 'refunded', NULL, NULL, NULL, NULL)
          ) row (id, state, changed, sent, body, paid)`
        yield* sql`
          INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason, treasury, state,
            transaction, confirmed_at, confirmed_block, confirmed_log_index, refund_nonce)
          SELECT id, 'p', 4, 'a', 1, 'r', '0x' || repeat('a', 40), 'confirmed', 'x', at, 1, 1,
            '0x' || repeat(substr(md5(id), 1, 1), 64)
          FROM (VALUES ('refunded', ${new Date(today)}::timestamptz),
            ('owed', ${new Date(today - day)})) row (id, at)`
        yield* sql`
          INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason, state, queue)
          VALUES ('dust', 'p', 4, 'a', 1, 'r', 'queued', 'unmatched')`
      }))
      const owedFrom = (min: bigint) =>
        Effect.flatMap(StatusStore, (store) => store.payments(today - hour)).pipe(
          Effect.provide(Layer.fresh(storeLayer)),
          Effect.provideService(UnmatchedRefundMin, min),
        )
      equal((yield* owedFrom(4n)).owed.payments, 3)
      equal(yield* owedFrom(5n), {
        delivered: { payments: 1, amount: 10n },
        refunded: { payments: 1, amount: 4n },
        owed: { payments: 2, amount: 17n, oldestAt: oldest.getTime() },
      })
    }),
  )
})
