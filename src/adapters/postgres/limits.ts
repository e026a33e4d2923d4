/**
 * The rate limits in PostgreSQL: the sliding log of `rate_take`, one statement a request.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../../domain/time.ts"
import { RateLimits, RateLimitUnavailable, type RatePolicy } from "../../services/RateLimits.ts"
import { within } from "../../services/within.ts"

export interface LimitsOptions {
  /** Whose instants count: the database's, one for all replicas; or Effect's Clock, for tests. */
  readonly time?: "database" | "clock"
}

/** A caller is refused rather than kept waiting for the log. */
export const takeWithin = Duration.seconds(2)

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
      const instant = options.time === "clock"
        ? Effect.map(Clock.currentTimeMillis, (ms): bigint | null => BigInt(ms))
        : Effect.succeed(null)

      const take = (policy: RatePolicy, key: string) =>
        instant.pipe(
          Effect.flatMap((givenMs) =>
            sql<Row>`SELECT granted, remaining, reset_ms FROM rate_take(${logName(policy)}, ${key},
              ${policy.limit}, ${BigInt(policy.windowMs)}, ${givenMs})`
          ),
          Effect.map(([row]) => ({
            granted: row?.granted === true,
            remaining: row?.remaining ?? 0,
            resetMs: Number(row?.reset_ms ?? 0n),
          })),
          within(takeWithin),
          Effect.flatMap((taken) => Effect.fromOption(taken, () => new Cause.TimeoutError())),
          Effect.tapError((error) => Effect.logWarning("rate limit unavailable", error._tag)),
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

/** The ring has as many places as the limit: another limit is another log. */
const logName = (policy: RatePolicy) => `${policy.name};q=${policy.limit};w=${policy.windowMs}`
