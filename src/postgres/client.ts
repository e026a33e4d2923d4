/**
 * The one SQL client of the service: a pool on a PostgreSQL server, or on the embedded PostgreSQL.
 *
 * Both layers provide the same `PgClient`, SQL and migrations; the stores do not know which one
 * they use.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Layer, type Redacted, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { openEmbedded } from "./embedded.ts"
import { type Backend, EmbeddedConnection } from "./embeddedConnection.ts"

interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the query parameters of libpq. */
  readonly url: Redacted.Redacted
  /** The most connections that this process opens. */
  readonly maxConnections?: number
}

const connectionsMaxDefault = 10
const connectTimeout = "5 seconds"
const idleTimeout = "60 seconds"
const keepAlive = "30 seconds"

/**
 * The settings of every session. A statement exceeds them only because of a fault, not under load.
 * Migrations raise the first two for themselves.
 */
const sessionDefaults = {
  statement_timeout: "15s",
  // Our statements are short: compiling one takes longer than running it.
  jit: "off",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "15s",
  default_transaction_isolation: "read committed",
  timezone: "UTC",
}

/** A pool of connections to a PostgreSQL server. Fails when the server cannot be reached. */
export function layerPostgres(
  options: PostgresOptions,
): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> {
  return PgClient.layer({
    url: options.url,
    maxConnections: options.maxConnections ?? connectionsMaxDefault,
    applicationName: "bellwether",
    connectTimeout,
    idleTimeout,
    keepAlive,
    startupParameters: sessionDefaults,
  })
}

/** Needed because the embedded store has no autovacuum workers. */
const vacuumEvery = "1 hour"

/** PostgreSQL inside this process. A directory belongs to one process at a time. */
export const layerEmbedded = ({ dataDir }: { readonly dataDir: string }) =>
  layerOn(openEmbedded(dataDir))

/** One connection to a backend inside this process. */
export function layerOn<E>(
  backend: Effect.Effect<Backend, E, Scope.Scope>,
): Layer.Layer<PgClient.PgClient | SqlClient, E | SqlError> {
  return PgClient.layerFrom(
    Effect.flatMap(backend, (backend) =>
      PgClient.make({
        stream: () => new EmbeddedConnection(backend),
        ssl: false,
        username: "postgres",
        database: "postgres",
        maxConnections: 1,
        minConnections: 1,
      })).pipe(Effect.tap(scheduleVacuum)),
  )
}

/** Frees dead rows and updates the planner's statistics, until the scope closes. */
const scheduleVacuum = (sql: SqlClient) =>
  sql`VACUUM (ANALYZE)`.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Cannot vacuum the embedded store", cause)),
    Effect.delay(vacuumEvery),
    Effect.repeat(Schedule.forever),
    Effect.forkScoped,
  )
