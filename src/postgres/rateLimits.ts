/**
 * The rate limits in PostgreSQL: a sliding-window log for each key. Concurrent requests of a policy
 * share one statement, `rate_takes`, which upserts one row for each key.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type EpochMs, pruneStepMs } from "../core/domain/time.ts"
import {
  type RateDecision,
  RateLimits,
  RateLimitUnavailable,
  type RatePolicy,
} from "../core/RateLimits.ts"
import { withDeadline } from "../core/deadline.ts"
import { groupCommit } from "./groupCommit.ts"
import { isReadOnly } from "./storeProbe.ts"

interface LimitsOptions {
  /** The clock: the database's, shared by all replicas, or Effect's Clock, for tests. */
  readonly time?: "database" | "clock"
}

/** A caller is refused if the log does not answer within this time. */
export const takeTimeout = Duration.seconds(2)

/** One request for a grant. */
interface Take {
  readonly key: string
}

/** What all takes of one key got in a statement. */
interface Row {
  readonly client_key: string
  readonly granted: number
  /** Grants left after them. */
  readonly remaining: number
  readonly reset_ms: bigint
}

export const layer = (options: LimitsOptions = {}): Layer.Layer<RateLimits, never, SqlClient> =>
  Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const testNow = options.time === "clock"
        ? Effect.map(Clock.currentTimeMillis, (ms): number | null => ms)
        : Effect.succeed(null)

      const takesOf = (policy: RatePolicy) =>
        groupCommit<Take, RateDecision, Take>({
          rowOf: (take) => take,
          runBatch: (takes) => {
            const byKey = Map.groupBy(takes, ({ key }) => key)
            const keys = [...byKey.keys()].toSorted()
            const asked = keys.map((key) => byKey.get(key)?.length ?? 0)
            return testNow.pipe(
              Effect.flatMap((now) =>
                sql<Row>`SELECT * FROM rate_takes(${logName(policy)}, ${keys}::text[],
                  ${asked}::integer[], ${policy.limit}::integer, ${policy.windowMs}::bigint,
                  ${now}::bigint)`
              ),
              withDeadline(takeTimeout),
              Effect.map(Option.getOrElse((): ReadonlyArray<Row> => [])),
              Effect.map((rows) => new Map(rows.flatMap((row) => decisions(row, byKey)))),
            )
          },
        })
      /** The takes of each policy; the service has a handful of policies. */
      const byPolicy = new Map<string, Effect.Success<ReturnType<typeof takesOf>>>()
      const takerOf = (policy: RatePolicy) =>
        Effect.suspend(() => {
          const name = logName(policy)
          const known = byPolicy.get(name)
          return known !== undefined
            ? Effect.succeed(known)
            : Effect.tap(takesOf(policy), (made) => Effect.sync(() => byPolicy.set(name, made)))
        })

      const take = (policy: RatePolicy, key: string) =>
        takerOf(policy).pipe(
          Effect.provideService(SqlClient, sql),
          Effect.flatMap((taken) => taken({ key })),
          Effect.flatMap(Effect.fromOption),
          orUnavailable,
        )

      return RateLimits.of({ take, giveBack: giveBack(sql), prune: prune(sql) })
    }),
  )

const giveBack = (sql: SqlClient): RateLimits["Service"]["giveBack"] => (policy, key) =>
  sql`
    UPDATE rate_log SET
      times = CASE WHEN counts[last] > 1 THEN times ELSE times[: last - 1] END,
      counts = CASE WHEN counts[last] > 1 THEN counts[: last - 1] || counts[last] - 1
        ELSE counts[: last - 1] END
    FROM (SELECT key, policy, cardinality(counts) AS last FROM rate_log
      WHERE (key, policy) = (${key}, ${logName(policy)}) FOR UPDATE) given
    WHERE (rate_log.key, rate_log.policy) = (given.key, given.policy) AND last > 0`.pipe(
    withDeadline(takeTimeout),
    Effect.flatMap(Effect.fromOption),
    Effect.asVoid,
    orUnavailable,
  )

const prune = (sql: SqlClient): RateLimits["Service"]["prune"] =>
  Effect.fn("RateLimits.prune")(function* (before: EpochMs) {
    const gone = yield* sql<{ key: string }>`
      DELETE FROM rate_log WHERE taken_ms < ${BigInt(before)} AND (key, policy) IN (
        SELECT key, policy FROM rate_log WHERE taken_ms < least(${BigInt(before)}::bigint,
          (SELECT min(taken_ms) FROM rate_log) + ${BigInt(pruneStepMs)}::bigint)
        FOR UPDATE SKIP LOCKED) RETURNING key`
    return gone.length
  }, Effect.orDie)

const orUnavailable = <A, E extends { readonly _tag: string }>(statement: Effect.Effect<A, E>) =>
  statement.pipe(
    Effect.tapError((error) => Effect.logWarning("Rate limit unavailable", error._tag)),
    Effect.mapError((error) => new RateLimitUnavailable({ acceptsReads: isReadOnly(error) })),
  )

/** The first takes of a key get its grants. */
const decisions = (row: Row, byKey: ReadonlyMap<string, ReadonlyArray<Take>>) =>
  (byKey.get(row.client_key) ?? []).map((take, at): [Take, RateDecision] => {
    const granted = at < row.granted
    const remaining = granted ? row.remaining + row.granted - 1 - at : 0
    return [take, { granted, remaining, resetMs: Number(row.reset_ms) }]
  })

/** A log is as long as its limit, so a changed limit needs a new log. */
const logName = (policy: RatePolicy) => `${policy.name};q=${policy.limit};w=${policy.windowMs}`
