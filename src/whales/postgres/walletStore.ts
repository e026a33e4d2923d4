/**
 * The `WalletStore` in PostgreSQL.
 *
 * @module
 */
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { NumberedActivityEvent } from "../../markets/domain/activity.ts"
import { jsonText } from "../../postgres/json.ts"
import { millis } from "../../postgres/millis.ts"
import type { HistoryState, TrackedWallet } from "../domain/tracking.ts"
import { type HistoryUpdate, WalletStore } from "../WalletStore.ts"
import { insertNames, keys, markUncounted } from "./locking.ts"

/** Rows of activity in one statement: less than a megabyte of JSON. */
const activityBatch = 2_000
/** The key of an event without a token. */
const noToken = 0
/** Rows of one query; the service tracks fewer wallets. */
const walletsMax = 100_000

export const layer: Layer.Layer<WalletStore, never, SqlClient> = Layer.effect(
  WalletStore,
  Effect.map(
    SqlClient,
    (sql) => WalletStore.of({ track: track(sql), tracked: tracked(sql), saveRead: saveRead(sql) }),
  ),
)

const track = (sql: SqlClient) =>
  Effect.fn("WalletStore.track")(
    function* (
      found: Parameters<WalletStore["Service"]["track"]>[0],
      at: EpochMs,
    ) {
      const incoming = jsonText(found)
      const added = yield* sql`
        INSERT INTO whale_wallet (wallet, name, source, tracked_at)
        SELECT wallet, name, source, ${new Date(at)}::timestamptz
        FROM json_to_recordset(${incoming}::json) AS i (wallet text, name text, source text)
        WHERE NOT EXISTS (SELECT FROM whale_wallet stored WHERE stored.wallet = i.wallet)
        ORDER BY wallet COLLATE "C"
        ON CONFLICT DO NOTHING RETURNING 1`
      yield* keys(sql, "wallet", found.map(({ wallet }) => wallet), "to write")
      yield* sql`
        WITH changed AS (
          SELECT wallet_id, stored.source <> i.source AND i.source = 'volume' AS becomes_volume, i.name
          FROM json_to_recordset(${incoming}::json) AS i (wallet text, name text, source text)
          JOIN whale_wallet stored USING (wallet)
        ), written AS (
          UPDATE whale_wallet stored SET name = changed.name,
            source = CASE WHEN changed.becomes_volume THEN 'volume' ELSE stored.source END
          FROM changed
          WHERE stored.wallet_id = changed.wallet_id
            AND (changed.becomes_volume OR stored.name <> changed.name)
        ), marked AS (SELECT wallet_id FROM changed WHERE becomes_volume)
        ${markUncounted(sql)}`
      return added.length
    },
    sql.withTransaction,
    Effect.orDie,
  )

const tracked = (sql: SqlClient) =>
  sql<TrackedWallet>`
    SELECT wallet, name, source, ${millis(sql, "tracked_at", "trackedAt")}, history,
      ${millis(sql, "read_from", "readFrom")}, ${millis(sql, "read_to", "readTo")},
      activity_count AS "activityCount", markets, both_sides AS "bothSides", farmed
    FROM whale_wallet ORDER BY wallet LIMIT ${walletsMax}`.pipe(Effect.orDie)

/** Most readings of a wallet have no activity: then only its range changes. */
const saveRead = (sql: SqlClient) =>
  Effect.fn("WalletStore.saveRead")((read: HistoryUpdate) =>
    (read.activity.length > 0
      ? saveActivity(sql, read)
      : Effect.as(extendRange(sql, read), { added: 0 })).pipe(Effect.orDie)
  )

const saveActivity = (sql: SqlClient, read: HistoryUpdate) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const wallet = (yield* keys(sql, "wallet", [read.wallet], "to write")).get(read.wallet)
      if (wallet === undefined) return { added: 0 }
      yield* lockMarkets(sql, read.activity)
      let added = 0
      for (const batch of Array.chunksOf(read.activity, activityBatch)) {
        added += yield* addActivity(sql, wallet, batch)
      }
      yield* extendRange(sql, read)
      return { added }
    }),
  )

/** Inserts missing markets and tokens. Locks the markets until the transaction ends. */
const lockMarkets = Effect.fnUntraced(
  function* (sql: SqlClient, activity: ReadonlyArray<NumberedActivityEvent>) {
    const marketIds = activity.map(({ marketId }) => marketId)
    const tokenIds = activity.flatMap(({ tokenId }) => tokenId === null ? [] : [tokenId])
    yield* insertNames(sql, "market", marketIds)
    yield* insertNames(sql, "token", tokenIds)
    yield* keys(sql, "market", marketIds, "to read")
  },
)

/** Inserts the new rows and marks their positions as stale; returns the number of new rows. */
const addActivity = (
  sql: SqlClient,
  wallet: number,
  activity: ReadonlyArray<NumberedActivityEvent>,
) =>
  sql<{ added: number }>`
    WITH added AS (
      INSERT INTO whale_activity (wallet_id, market_id, activity_at_ms, size, price, token_id, kind,
        occurrence, transaction)
      SELECT ${wallet}::integer, market_id, at, size, price, coalesce(token_id, ${noToken}::integer),
        kind, occurrence, decode(substr(transaction, 3), 'hex')
      FROM json_to_recordset(${jsonText(activity)}::json) AS i (
        "marketId" text, at bigint, size float8, price float8, "tokenId" text,
        kind whale_activity_kind, occurrence integer, transaction text
      ) JOIN whale_market ON market = "marketId" LEFT JOIN whale_token ON token = "tokenId"
      ON CONFLICT DO NOTHING RETURNING market_id, activity_at_ms
    ), changed AS (
      INSERT INTO whale_position AS stored (market_id, wallet_id, activity_version)
      SELECT DISTINCT market_id, ${wallet}::integer, 1 FROM added ORDER BY market_id
      ON CONFLICT (market_id, wallet_id) DO UPDATE
        SET activity_version = stored.activity_version + 1
      RETURNING market_id, wallet_id, activity_version
    ), marked AS (
      INSERT INTO whale_stale AS stored (market_id, wallet_id, activity_at_ms)
      SELECT market_id, ${wallet}::integer, max(activity_at_ms)
      FROM added JOIN whale_market USING (market_id)
      WHERE event_id IS NOT NULL GROUP BY market_id ORDER BY market_id
      ON CONFLICT (market_id, wallet_id) DO UPDATE SET activity_at_ms = excluded.activity_at_ms
        WHERE stored.activity_at_ms < excluded.activity_at_ms
    ), counted AS (
      UPDATE whale_wallet SET activity_count = activity_count + (SELECT count(*) FROM added),
        markets = markets + (SELECT count(*) FROM changed WHERE activity_version = 1)
      WHERE wallet_id = ${wallet}
    )
    SELECT count(*)::integer AS added FROM added`.pipe(
    Effect.map(([row]) => row?.added ?? 0),
  )

/** Ignores a range with a gap of a second or more: activity events have whole seconds as times. */
const extendRange = (
  sql: SqlClient,
  { wallet, readFrom, readTo, history }: HistoryUpdate,
) =>
  sql`
    UPDATE whale_wallet stored SET read_from = least(stored.read_from, incoming.read_from),
      read_to = greatest(stored.read_to, incoming.read_to),
      history = CASE WHEN array_position(${histories}::text[], stored.history)
        < array_position(${histories}::text[], ${history}) THEN ${history} ELSE stored.history END
    FROM (SELECT ${isoTime(readFrom)}::timestamptz, ${isoTime(readTo)}::timestamptz)
      AS incoming (read_from, read_to)
    WHERE wallet = ${wallet} AND (stored.read_from IS NULL
      OR incoming.read_from < stored.read_to + interval '1 second'
        AND incoming.read_to > stored.read_from - interval '1 second')`

/** The states in order: a history never goes back. */
const histories: ReadonlyArray<HistoryState> = ["reading", "whole", "truncated"]
