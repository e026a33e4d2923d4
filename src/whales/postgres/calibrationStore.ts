/**
 * The `CalibrationStore` in PostgreSQL: one row for each wallet, with its current and its previous
 * calibration.
 *
 * @module
 */
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { isoTime } from "../../core/domain/time.ts"
import { jsonText } from "../../postgres/json.ts"
import { CalibrationStore } from "../CalibrationStore.ts"
import type { CalibratedWhale, WhaleRow } from "../domain/whale.ts"
import { bumpRevision } from "./locking.ts"

/** Rows of one query; the service tracks fewer wallets. */
const walletsMax = 10_000
/** Wallets in one statement: about a megabyte of JSON. */
const whalesBatch = 1_000

export const layer: Layer.Layer<CalibrationStore, never, SqlClient> = Layer.effect(
  CalibrationStore,
  Effect.map(SqlClient, (sql) =>
    CalibrationStore.of({
      calibrated: calibrated(sql),
      calibrations: calibrations(sql),
      calibrationVersion: calibrationVersion(sql),
      saveCalibrated: saveCalibrated(sql),
      openEntries: openEntries(sql),
    })),
)

interface Row {
  readonly wallet: string
  readonly computed_at: Date
  readonly calibration: WhaleRow
}

const whale = ({ computed_at, calibration }: Omit<Row, "wallet">): CalibratedWhale => ({
  computedAt: computed_at.getTime(),
  row: calibration,
})

const calibrated = (sql: SqlClient) =>
  sql<Row>`
    SELECT computed_at, calibration FROM whale_calibration
    ORDER BY wallet LIMIT ${walletsMax}`.pipe(
    Effect.map((rows) => rows.map(whale)),
    Effect.orDie,
  )

const calibrations = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.calibrations")(
    function* (wallets: ReadonlyArray<string>) {
      const rows = yield* sql<Row>`
      SELECT wallet, version.*
      FROM whale_calibration CROSS JOIN LATERAL (VALUES
        (computed_at, calibration), (previous_computed_at, previous_calibration)
      ) AS version (computed_at, calibration)
      WHERE wallet = ANY (${wallets}::text[]) AND version.computed_at IS NOT NULL
      ORDER BY wallet, version.computed_at DESC`
      return Map.groupBy(rows, ({ wallet }) => wallet)
    },
    Effect.map((found) => new Map([...found].map(([key, rows]) => [key, rows.map(whale)]))),
    Effect.orDie,
  )

const saveCalibrated = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.saveCalibrated")(
    function* (whales: ReadonlyArray<CalibratedWhale>, removed: ReadonlyArray<string>) {
      const newest = new Map(whales.map((each) => [each.row.wallet, each]))
      const sorted = [...newest.values()].sort((a, b) => a.row.wallet < b.row.wallet ? -1 : 1)
      let changed = 0
      for (const batch of Array.chunksOf(sorted, whalesBatch)) {
        changed += yield* saveBatch(sql, batch)
      }
      const deleted = yield* sql`
        DELETE FROM whale_calibration WHERE wallet = ANY (${removed}::text[]) RETURNING 1`
      if (changed + deleted.length > 0) yield* bumpRevision(sql)
    },
    sql.withTransaction,
    Effect.orDie,
  )

/** A row with the same `computedAt` replaces the stored one; an older row is ignored. */
const saveBatch = (sql: SqlClient, whales: ReadonlyArray<CalibratedWhale>) =>
  sql<{ changed: number }>`
    WITH saved AS (
      INSERT INTO whale_calibration AS stored (wallet, computed_at, calibration)
      SELECT wallet, computed_at, calibration
      FROM json_to_recordset(${jsonText(whales.map(incomingRow))}::json)
        AS i (wallet text, computed_at timestamptz, calibration json)
      ORDER BY wallet COLLATE "C"
      ON CONFLICT (wallet) DO UPDATE SET
        previous_computed_at = CASE WHEN stored.computed_at < excluded.computed_at
          THEN stored.computed_at ELSE stored.previous_computed_at END,
        previous_calibration = CASE WHEN stored.computed_at < excluded.computed_at
          THEN stored.calibration ELSE stored.previous_calibration END,
        computed_at = excluded.computed_at, calibration = excluded.calibration
        WHERE stored.computed_at < excluded.computed_at
          OR stored.computed_at = excluded.computed_at
            AND stored.calibration::text <> excluded.calibration::text
      RETURNING 1
    )
    SELECT count(*)::integer AS changed FROM saved`.pipe(
    Effect.map(([row]) => row?.changed ?? 0),
  )

const incomingRow = ({ computedAt, row }: CalibratedWhale) => ({
  wallet: row.wallet,
  computed_at: isoTime(computedAt),
  calibration: row,
})

const calibrationVersion = (sql: SqlClient) =>
  sql<{ revision: bigint }>`SELECT revision FROM whale_revision`.pipe(
    Effect.map(([row]) => `${row?.revision ?? 0n}`),
    Effect.orDie,
  )

/** Finds the open markets first, by their index: nearly all stored markets have ended. */
const openEntries = (sql: SqlClient) =>
  sql<{ wallet: string; entries: number }>`
    WITH open AS MATERIALIZED (
      SELECT market_id FROM whale_market WHERE has_entries AND ended_at IS NULL
    )
    SELECT wallet, entries
    FROM (
      SELECT wallet_id, sum(entry_count)::integer AS entries
      FROM open JOIN whale_position USING (market_id)
      WHERE entry_count > 0 GROUP BY wallet_id
    ) open_entries JOIN whale_wallet USING (wallet_id)`.pipe(
    Effect.map((rows) => new Map(rows.map(({ wallet, entries }) => [wallet, entries]))),
    Effect.orDie,
  )
