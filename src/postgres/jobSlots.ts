/**
 * The slots of scheduled jobs in PostgreSQL, on the database's clock.
 *
 * The job's row is locked before its slots are read. A claim of any slot increases the job's fence,
 * which makes every earlier claim of the job stale.
 *
 * @module
 */
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../core/domain/time.ts"
import { JobSlots, type SlotClaim } from "../core/JobSlots.ts"
import { pruneBefore } from "./pruneBefore.ts"

export const layer: Layer.Layer<JobSlots, never, SqlClient> = Layer.effect(
  JobSlots,
  Effect.map(SqlClient, (sql) =>
    JobSlots.of({
      claim: claim(sql),
      renew: renew(sql),
      finish: finish(sql),
      lastOk: lastOk(sql),
      prune: prune(sql),
    })),
)

const leaseEnd = (sql: SqlClient, lease: Duration.Duration) =>
  sql`clock_timestamp() + ${Duration.toMillis(lease)} * interval '1 millisecond'`

const claim = (sql: SqlClient) =>
  Effect.fn("JobSlots.claim")(
    function* (job: string, slot: EpochMs, lease: Duration.Duration) {
      const fence = yield* nextFence(sql, job)
      const claimed = yield* sql`
      INSERT INTO job_slot (job, slot, fence, lease_until)
      SELECT ${job}, ${new Date(slot)}, ${fence}::bigint, ${leaseEnd(sql, lease)}
      WHERE NOT EXISTS (
        SELECT FROM job_slot
        WHERE job = ${job} AND finished_at IS NULL AND lease_until > clock_timestamp()
      )
      ON CONFLICT (job, slot) DO UPDATE
        SET fence = excluded.fence, lease_until = excluded.lease_until
        WHERE job_slot.finished_at IS NULL
      RETURNING 1`
      if (claimed.length === 0) return Option.none()
      yield* sql`UPDATE job SET fence = ${fence} WHERE job = ${job}`
      return Option.some<SlotClaim>({ job, slot, fence: Number(fence) })
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** Locks the job's row, which the first claim makes, and returns the fence of the next claim. */
const nextFence = (sql: SqlClient, job: string) =>
  sql<{ fence: bigint }>`
    INSERT INTO job AS known (job) VALUES (${job})
    ON CONFLICT (job) DO UPDATE SET fence = known.fence RETURNING fence + 1 AS fence`.pipe(
    Effect.map(([row]) => row?.fence ?? 1n),
  )

/** Selects the claimed slot while the claim is the job's newest and the slot is not finished. */
const currentClaim = (sql: SqlClient, { job, slot, fence }: SlotClaim) =>
  sql`job = ${job} AND slot = ${new Date(slot)} AND finished_at IS NULL AND EXISTS (
    SELECT FROM (SELECT FROM job WHERE job = ${job} AND fence = ${BigInt(fence)} FOR UPDATE) newest
  )`

const renew = (sql: SqlClient) =>
  Effect.fn("JobSlots.renew")(
    function* (claim: SlotClaim, lease: Duration.Duration) {
      const rows = yield* sql`
      UPDATE job_slot SET lease_until = ${leaseEnd(sql, lease)} WHERE ${
        currentClaim(sql, claim)
      } RETURNING 1`
      return rows.length > 0
    },
    Effect.orDie,
  )

const finish = (sql: SqlClient) =>
  Effect.fn("JobSlots.finish")(
    function* (claim: SlotClaim, outcome: "ok" | "failed") {
      const rows = yield* sql`
      UPDATE job_slot SET finished_at = clock_timestamp(), outcome = ${outcome}
      WHERE ${currentClaim(sql, claim)} RETURNING 1`
      return rows.length > 0
    },
    Effect.orDie,
  )

const lastOk = (sql: SqlClient) =>
  Effect.fn("JobSlots.lastOk")(function* (job: string) {
    const [row] = yield* sql<{ finished_at: Date }>`
    SELECT finished_at FROM job_slot WHERE job = ${job} AND outcome = 'ok'
    ORDER BY slot DESC LIMIT 1`
    return Option.map(Option.fromNullishOr(row), ({ finished_at }) => finished_at.getTime())
  }, Effect.orDie)

const prune = (sql: SqlClient) =>
  Effect.fn("JobSlots.prune")(function* (before: EpochMs) {
    const [row] = yield* sql<{ deleted: bigint }>`
    WITH deleted AS (DELETE FROM job_slot WHERE slot < ${
      pruneBefore(sql, before, sql`SELECT min(slot) FROM job_slot`)
    } RETURNING 1)
    SELECT count(*) AS deleted FROM deleted`
    return Number(row?.deleted ?? 0n)
  }, Effect.orDie)
