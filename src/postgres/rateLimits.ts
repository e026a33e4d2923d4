/**
 * The rate limits in PostgreSQL: the sliding-window log of `rate_take`, with concurrent requests in
 * one statement.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../core/domain/time.ts"
import { RateLimits, RateLimitUnavailable, type RatePolicy } from "../core/RateLimits.ts"
import { withDeadline } from "../core/deadline.ts"
import { groupCommit } from "./groupCommit.ts"
import { jsonText } from "./json.ts"

interface LimitsOptions {
  /** The clock: the database's, shared by all replicas, or Effect's Clock, for tests. */
  readonly time?: "database" | "clock"
}

/** A caller is refused if the log does not answer within this time. */
export const takeTimeout = Duration.seconds(2)

/** One request for a grant; `take` is its unique number. */
interface Take {
  readonly take: string
  readonly log: string
  readonly key: string
  readonly grants_max: number
  readonly window_ms: number
  readonly test_now_ms: number | null
}

interface Row {
  readonly granted: boolean
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

      let takes = 0
      const taken = yield* groupCommit<Take, Row>({
        // Every request is its own row: within one statement, rate_take sees the grants before it.
        rowOf: ({ take }) => take,
        runBatch: (takes) =>
          sql<Row & { readonly take: string }>`
            SELECT input.take, taken.granted, taken.remaining, taken.reset_ms
            FROM (
              SELECT * FROM json_to_recordset(${jsonText(takes)}::json) AS input (
                take text, log text, key text, grants_max integer, window_ms bigint,
                test_now_ms bigint)
              ORDER BY log, key, take::bigint
            ) input, LATERAL rate_take(log, key, grants_max, window_ms, test_now_ms) AS taken`.pipe(
            Effect.map((rows) => new Map(rows.map((row) => [row.take, row]))),
          ),
      })

      const take = (policy: RatePolicy, key: string) =>
        testNow.pipe(
          Effect.flatMap((testNowMs) =>
            taken({
              take: `${takes++}`,
              log: logName(policy),
              key,
              grants_max: policy.limit,
              window_ms: policy.windowMs,
              test_now_ms: testNowMs,
            })
          ),
          Effect.map((row) => ({
            granted: Option.exists(row, ({ granted }) => granted),
            remaining: Option.match(row, { onNone: () => 0, onSome: ({ remaining }) => remaining }),
            resetMs: Number(Option.match(row, { onNone: () => 0n, onSome: (row) => row.reset_ms })),
          })),
          withDeadline(takeTimeout),
          Effect.flatMap((taken) => Effect.fromOption(taken, () => new Cause.TimeoutError())),
          Effect.tapError((error) => Effect.logWarning("Rate limit unavailable", error._tag)),
          Effect.mapError(() => new RateLimitUnavailable()),
        )

      const prune = Effect.fn("RateLimits.prune")(function* (before: EpochMs) {
        const [row] = yield* sql<{ gone: bigint }>`
          WITH gone AS (
            DELETE FROM rate_key WHERE newest_ms < ${BigInt(before)} RETURNING key_id
          ), grants AS (
            DELETE FROM rate_grant USING gone WHERE rate_grant.key_id = gone.key_id
          )
          SELECT count(*) AS gone FROM gone`
        return Number(row?.gone ?? 0n)
      }, Effect.orDie)

      return RateLimits.of({ take, prune })
    }),
  )

/** The log is a ring buffer as long as its limit, so a changed limit needs a new log. */
const logName = (policy: RatePolicy) => `${policy.name};q=${policy.limit};w=${policy.windowMs}`
