/**
 * The memory of calibrated wallets in PostgreSQL. Nothing fills it yet.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { WhaleRow } from "../../domain/whale.ts"
import { WhaleStore } from "../../services/WhaleStore.ts"

/** Wallets read at once; the service tracks fewer. */
const walletsMax = 10_000

export const layer: Layer.Layer<WhaleStore, never, SqlClient> = Layer.unwrap(
  Effect.map(SqlClient, (sql) =>
    Layer.mock(WhaleStore, {
      tracked: Effect.succeed([]),
      totals: Effect.succeed([]),
      calibrationVersion: sql<{ version: string }>`
        SELECT count(*) || ' ' || coalesce(max(computed_at)::text, '') AS version
        FROM whale_calibration`.pipe(
        Effect.map(([row]) => row?.version ?? ""),
        Effect.orDie,
      ),
      calibrated: sql<{ computed_at: Date; calibration: WhaleRow }>`
        SELECT computed_at, calibration FROM whale_calibration
        ORDER BY wallet LIMIT ${walletsMax}`.pipe(
        Effect.map((rows) =>
          rows.map(({ computed_at, calibration }) => ({
            computedAt: computed_at.getTime(),
            row: calibration,
          }))
        ),
        Effect.orDie,
      ),
    })),
)
