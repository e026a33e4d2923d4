/**
 * The `EntryStore` in PostgreSQL.
 *
 * @module
 */
import { Array, Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import { jsonText } from "../../postgres/json.ts"
import { farmedMarketsMin, isMarketMaker } from "../domain/entry.ts"
import { type OpenEntry, type StoredEntry } from "../domain/storedEntry.ts"
import type { TrackedWallet } from "../domain/tracking.ts"
import {
  type ComputedPosition,
  type DuePosition,
  EntryStore,
  type StalePosition,
} from "../EntryStore.ts"
import { keys, markUncounted } from "./locking.ts"

/** Positions in one transaction: about half a megabyte of JSON. */
const positionsBatch = 500

export const layer: Layer.Layer<EntryStore, never, SqlClient> = Layer.effect(
  EntryStore,
  Effect.map(SqlClient, (sql) =>
    EntryStore.of({
      stale: stale(sql),
      saveEntries: saveEntries(sql),
      due: due(sql),
      entriesIn: entriesIn(sql),
    })),
)

const stale = (sql: SqlClient) =>
  Effect.fn("EntryStore.stale")(function* (limit: number) {
    const rows = yield* sql<StalePosition>`
      SELECT wallet, facts AS market, activity_version AS version, entries, (
        SELECT coalesce(json_agg(json_build_object('kind', kind, 'tokenId', token, 'size', size,
          'price', price, 'at', activity_at_ms, 'occurrence', occurrence,
          'transaction', '0x' || encode(transaction, 'hex'))
          ORDER BY activity_at_ms, transaction, occurrence), '[]')
        FROM whale_activity a LEFT JOIN whale_token t USING (token_id)
        WHERE a.wallet_id = p.wallet_id AND a.market_id = p.market_id
      ) AS activity
      FROM (
        SELECT * FROM whale_stale ORDER BY activity_at_ms DESC, market_id, wallet_id LIMIT ${limit}
      ) marked
      JOIN whale_position p USING (market_id, wallet_id)
      JOIN whale_wallet USING (wallet_id)
      JOIN whale_market_facts USING (market_id)
      ORDER BY activity_at_ms DESC, market_id, wallet_id`
    return rows.map((row): StalePosition => ({
      ...row,
      activity: row.activity.map((event) => (
        { ...event, wallet: row.wallet, marketId: row.market.id }
      )),
    }))
  }, Effect.orDie)

const due = (sql: SqlClient) =>
  Effect.fn("EntryStore.due")((limit: number) =>
    sql<DuePosition>`
      SELECT wallet, facts AS market, entries_version AS version, entries,
        bought_both AS "boughtBoth", p.farmed
      FROM (
        SELECT * FROM whale_position WHERE due ORDER BY market_id, wallet_id LIMIT ${limit}
      ) p
      JOIN whale_wallet USING (wallet_id) JOIN whale_market_facts USING (market_id)
      ORDER BY market_id, wallet_id`.pipe(Effect.orDie)
  )

const saveEntries = (sql: SqlClient) =>
  Effect.fn("EntryStore.saveEntries")(function* (positions: ReadonlyArray<ComputedPosition>) {
    for (const batch of Array.chunksOf(positions, positionsBatch)) {
      yield* saveBatch(sql, batch)
    }
  }, Effect.orDie)

/** Ignores a position whose version is older than its stored entries or newer than its activity. */
const saveBatch = Effect.fnUntraced(
  function* (sql: SqlClient, positions: ReadonlyArray<ComputedPosition>) {
    const marketIds = positions.map(({ marketId }) => marketId)
    const wallets = yield* keys(sql, "wallet", positions.map(({ wallet }) => wallet), "to write")
    const markets = yield* keys(sql, "market", marketIds, "to write")
    const rows = positions.map(({ wallet, marketId, boughtBoth, ...position }) => ({
      market_id: markets.get(marketId),
      wallet_id: wallets.get(wallet),
      entry_count: position.entries.length,
      bought_both: boughtBoth,
      ...position,
    }))
    yield* sql`
      WITH recomputed AS MATERIALIZED (
        SELECT i.*, activity_version, has_entries,
          p.bought_both AS was_both, p.farmed AS was_farmed,
          (state IS NOT NULL OR i.entry_count = 0) AND p.entries::jsonb <> i.entries::jsonb AS uncounted
        FROM json_to_recordset(${jsonText(rows)}::json) AS i (
          market_id integer, wallet_id integer, version integer, entry_count integer,
          bought_both boolean, farmed boolean, due boolean, entries json
        )
        JOIN whale_position p USING (market_id, wallet_id) JOIN whale_market USING (market_id)
        WHERE event_id IS NOT NULL AND version BETWEEN entries_version AND activity_version
      ), written AS (
        UPDATE whale_position p SET entries_version = version, entry_count = recomputed.entry_count,
          bought_both = recomputed.bought_both, farmed = recomputed.farmed, due = recomputed.due,
          entries = recomputed.entries
        FROM recomputed WHERE p.market_id = recomputed.market_id AND p.wallet_id = recomputed.wallet_id
      ), unmarked AS (
        DELETE FROM whale_stale s USING recomputed
        WHERE s.market_id = recomputed.market_id AND s.wallet_id = recomputed.wallet_id
          AND version = activity_version
      ), flagged AS (
        UPDATE whale_market SET has_entries = remaining.entries
        FROM (
          SELECT market_id, bool_or(entry_count > 0) OR EXISTS (
            SELECT FROM whale_position o WHERE o.market_id = recomputed.market_id AND o.entry_count > 0
              AND o.wallet_id <> ALL (array_agg(recomputed.wallet_id))
          ) AS entries
          FROM recomputed GROUP BY market_id
          HAVING bool_or(entry_count > 0) <> bool_and(has_entries)
        ) remaining
        WHERE whale_market.market_id = remaining.market_id AND has_entries <> remaining.entries
      ), counted_sides AS (
        UPDATE whale_wallet w SET both_sides = both_sides + more, farmed = w.farmed + more_farmed
        FROM (
          SELECT wallet_id, sum(bought_both::integer - was_both::integer)::integer AS more,
            sum(farmed::integer - was_farmed::integer)::integer AS more_farmed
          FROM recomputed GROUP BY wallet_id
        ) sides
        WHERE w.wallet_id = sides.wallet_id AND (more <> 0 OR more_farmed <> 0)
      ), marked AS (SELECT wallet_id FROM recomputed WHERE uncounted)
      ${markUncounted(sql)}`
  },
  (saved, sql) => sql.withTransaction(saved),
)

const entriesIn = (sql: SqlClient) =>
  Effect.fn("EntryStore.entriesIn")(function* (marketId: MarketId, limit: number) {
    const rows = yield* sql<
      & Pick<TrackedWallet, "wallet" | "name" | "markets" | "bothSides">
      & Pick<OpenEntry, "calibration">
      & { readonly entry: StoredEntry }
    >`
      SELECT w.wallet, w.name, w.markets, w.both_sides AS "bothSides", entry,
        ${calibratedWhale(sql)} AS calibration
      FROM whale_market m
      JOIN whale_position p USING (market_id)
      JOIN whale_wallet w USING (wallet_id)
      CROSS JOIN LATERAL json_array_elements(p.entries) AS entry
      LEFT JOIN whale_calibration c ON c.wallet = w.wallet
      WHERE m.market = ${marketId} AND m.state IS NULL AND w.history <> 'reading'
        AND w.farmed < ${farmedMarketsMin} AND p.entry_count > 0
        AND (entry ->> 'hedgedShares')::float8 * 2 <= (entry ->> 'shares')::float8
      ORDER BY (entry ->> 'stakeUsd')::float8 DESC, w.wallet COLLATE "C",
        (entry ->> 'openedAt')::float8, (entry ->> 'outcome')::integer
      LIMIT ${limit}`
    return rows.map(({ wallet, name, entry, calibration, ...habits }): OpenEntry => ({
      ...{ wallet, name, calibration, marketMaker: isMarketMaker(habits) },
      ...Struct.pick(entry, ["outcome", "price", "stakeUsd", "firstFillAt"]),
    }))
  }, Effect.orDie)

/** The current calibration of a wallet; null without one. */
const calibratedWhale = (sql: SqlClient) =>
  sql.literal(`CASE WHEN c.wallet IS NOT NULL THEN json_build_object('computedAt',
    (extract(epoch FROM c.computed_at) * 1000)::float8, 'row', c.calibration) END`)
