/**
 * The rate limits in PostgreSQL: a sliding-window log for each key. Concurrent requests of a policy
 * share one statement, `rate_takes`, which upserts one row for each key.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../core/domain/time.ts"
import {
  type RateDecision,
  RateLimits,
  RateLimitUnavailable,
  type RatePolicy,
} from "../core/RateLimits.ts"
import { withDeadline } from "../core/deadline.ts"
import { groupCommit } from "./groupCommit.ts"

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
            const byKey = grouped(takes)
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
          Effect.tapError((error) => Effect.logWarning("Rate limit unavailable", error._tag)),
          Effect.mapError(() => new RateLimitUnavailable()),
        )

      const prune = Effect.fn("RateLimits.prune")(function* (before: EpochMs) {
        const [row] = yield* sql<{ gone: bigint }>`
          WITH short AS (
            DELETE FROM rate_log WHERE taken_ms < ${BigInt(before)} AND (key, policy) IN (
              SELECT key, policy FROM rate_log WHERE taken_ms < ${BigInt(before)}
              FOR UPDATE SKIP LOCKED) RETURNING key
          ), long AS (
            DELETE FROM rate_key WHERE newest_ms < ${BigInt(before)} RETURNING key_id
          ), grants AS (
            DELETE FROM rate_grant USING long WHERE rate_grant.key_id = long.key_id
          )
          SELECT (SELECT count(*) FROM short) + (SELECT count(*) FROM long) AS gone`
        return Number(row?.gone ?? 0n)
      }, Effect.orDie)

      return RateLimits.of({ take, prune })
    }),
  )

/** The takes of each key, in order of arrival. */
function grouped(takes: ReadonlyArray<Take>): Map<string, Array<Take>> {
  const byKey = new Map<string, Array<Take>>()
  for (const take of takes) {
    const others = byKey.get(take.key)
    if (others === undefined) byKey.set(take.key, [take])
    else others.push(take)
  }
  return byKey
}

/** The first takes of a key get its grants. */
const decisions = (row: Row, byKey: ReadonlyMap<string, ReadonlyArray<Take>>) =>
  (byKey.get(row.client_key) ?? []).map((take, at): [Take, RateDecision] => {
    const granted = at < row.granted
    const remaining = granted ? row.remaining + row.granted - 1 - at : 0
    return [take, { granted, remaining, resetMs: Number(row.reset_ms) }]
  })

/** A log is as long as its limit, so a changed limit needs a new log. */
const logName = (policy: RatePolicy) => `${policy.name};q=${policy.limit};w=${policy.windowMs}`
