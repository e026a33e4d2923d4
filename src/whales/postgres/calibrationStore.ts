/**
 * The `CalibrationStore` in PostgreSQL. The row of a wallet has its current and its previous calibration.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { jsonText } from "../../postgres/json.ts"
import { millis } from "../../postgres/millis.ts"
import { CalibrationStore, type CountedWallet, type UncountedWallet } from "../CalibrationStore.ts"
import { farmedMarketsMin } from "../domain/entry.ts"
import type { RecordedPosition, WalletRecord } from "../domain/record.ts"
import type { CalibratedWhale } from "../domain/whale.ts"
import { bumpRevision, keys } from "./locking.ts"

/** Rows of one query; the service tracks fewer wallets. */
const walletsMax = 10_000
/** Positions in one statement: each may be on a page that must be read from the disk. */
const positionsBatch = 500

export const layer: Layer.Layer<CalibrationStore, never, SqlClient> = Layer.effect(
  CalibrationStore,
  Effect.map(SqlClient, (sql) =>
    CalibrationStore.of({
      uncounted: uncounted(sql),
      positions: positions(sql),
      saveCounted: saveCounted(sql),
      counted: counted(sql),
      calibrated: calibrated(sql),
      calibrations: calibrations(sql),
      calibrationVersion: calibrationVersion(sql),
      saveCalibrated: saveCalibrated(sql),
      openEntries: openEntries(sql),
    })),
)

const uncounted = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.uncounted")((limit: number, at: EpochMs) =>
    sql<UncountedWallet>`
      SELECT wallet, source, ${millis(sql, "tracked_at", "trackedAt")}, version
      FROM whale_record JOIN whale_wallet USING (wallet_id)
      WHERE count_at <= ${new Date(at)} ORDER BY counted_at, wallet_id LIMIT ${limit}`.pipe(
      Effect.orDie,
    )
  )

/** In the order of `market_id`, so that each statement continues where the one before ended. */
const positions = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.positions")(function* (wallet: string) {
    const found: Array<RecordedPosition> = []
    let last = 0
    for (;;) {
      const rows = yield* sql<RecordedPosition & { readonly key: number }>`
        SELECT market_id AS key, market AS "marketId", event_id AS theme,
          ${millis(sql, "nullif(due_at, '-infinity')", "dueAt")},
          ${millis(sql, "ended_at", "endedAt")}, counted AS "isCounted", fee_rate AS "feeRate",
          entries, CASE WHEN payout_first IS NOT NULL
            THEN json_build_array(payout_first, payout_second) END AS payouts
        FROM (
          SELECT market_id, counted, entries FROM whale_position
          WHERE wallet_id = (SELECT wallet_id FROM whale_wallet WHERE wallet = ${wallet})
            AND entry_count > 0 AND market_id > ${last}
          ORDER BY market_id LIMIT ${positionsBatch}
        ) batch
        JOIN whale_market USING (market_id) ORDER BY market_id`
      for (const { key, ...position } of rows) {
        found.push(position)
        last = key
      }
      if (rows.length < positionsBatch) return found
    }
  }, Effect.orDie)

/** Locks the wallet first, like the writers of its positions. */
const saveCounted = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.saveCounted")(
    function* (
      { wallet, version, record, newlyCounted, nextAt }: CountedWallet,
      at: EpochMs,
    ) {
      const walletKeys = yield* keys(sql, "wallet", [wallet], "to write")
      const saved = yield* sql<{ wallet_id: number }>`
        UPDATE whale_record SET sums = ${jsonText(record.sums)}::json,
          evidence = ${jsonText(record.evidence)}::json, counted_at = ${new Date(at)},
          count_at = ${nextAt === null ? "infinity" : isoTime(nextAt)}::timestamptz
        WHERE wallet_id = ${walletKeys.get(wallet) ?? 0} AND version = ${version}
        RETURNING wallet_id`
      const [row] = saved
      if (row === undefined) return false
      yield* sql`
        UPDATE whale_position SET counted = true
        WHERE wallet_id = ${row.wallet_id} AND market_id IN (
          SELECT market_id FROM whale_market WHERE market = ANY (${newlyCounted}::text[]))`
      yield* bumpRevision(sql)
      return true
    },
    sql.withTransaction,
    Effect.orDie,
  )

const counted = (sql: SqlClient) =>
  sql<WalletRecord & { readonly wallet: string }>`
    SELECT wallet, sums, evidence FROM whale_record JOIN whale_wallet USING (wallet_id)
    WHERE sums IS NOT NULL AND history = 'whole' AND farmed < ${farmedMarketsMin}
    ORDER BY wallet`.pipe(
    Effect.map((rows) => new Map(rows.map(({ wallet, ...record }) => [wallet, record]))),
    Effect.orDie,
  )

const calibrated = (sql: SqlClient) =>
  sql<CalibratedWhale>`
    SELECT ${millis(sql, "computed_at", "computedAt")}, calibration AS row FROM whale_calibration
    ORDER BY wallet LIMIT ${walletsMax}`.pipe(Effect.orDie)

const calibrations = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.calibrations")((wallets: ReadonlyArray<string>) =>
    sql<CalibratedWhale>`
      SELECT ${millis(sql, "version.computed_at", "computedAt")}, version.calibration AS row
      FROM whale_calibration CROSS JOIN LATERAL (VALUES
        (computed_at, calibration), (previous_computed_at, previous_calibration)
      ) AS version (computed_at, calibration)
      WHERE wallet = ANY (${wallets}::text[]) AND version.computed_at IS NOT NULL
      ORDER BY wallet, version.computed_at DESC`.pipe(
      Effect.map((rows) => Map.groupBy(rows, ({ row }) => row.wallet)),
      Effect.orDie,
    )
  )

/** A row with the same `computedAt` replaces the stored one; an older row is ignored. */
const saveCalibrated = (sql: SqlClient) =>
  Effect.fn("CalibrationStore.saveCalibrated")(
    function* (whales: ReadonlyArray<CalibratedWhale>, removed: ReadonlyArray<string>) {
      const changed = yield* sql`
        INSERT INTO whale_calibration AS stored (wallet, computed_at, calibration)
        SELECT i.row ->> 'wallet', to_timestamp("computedAt" / 1000), i.row
        FROM json_to_recordset(${jsonText(whales)}::json) AS i ("computedAt" float8, row json)
        ORDER BY i.row ->> 'wallet' COLLATE "C"
        ON CONFLICT (wallet) DO UPDATE SET
          previous_computed_at = CASE WHEN stored.computed_at < excluded.computed_at
            THEN stored.computed_at ELSE stored.previous_computed_at END,
          previous_calibration = CASE WHEN stored.computed_at < excluded.computed_at
            THEN stored.calibration ELSE stored.previous_calibration END,
          computed_at = excluded.computed_at, calibration = excluded.calibration
          WHERE stored.computed_at < excluded.computed_at
            OR stored.computed_at = excluded.computed_at
              AND stored.calibration::text <> excluded.calibration::text
        RETURNING 1`
      const deleted = yield* sql`
        DELETE FROM whale_calibration WHERE wallet = ANY (${removed}::text[]) RETURNING 1`
      if (changed.length + deleted.length > 0) yield* bumpRevision(sql)
    },
    sql.withTransaction,
    Effect.orDie,
  )

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
