/**
 * The `CountingStore` in PostgreSQL.
 *
 * @module
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../../core/domain/time.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { type ResolutionColumns, resolutionOf } from "../../markets/domain/resolution.ts"
import { jsonText } from "../../postgres/json.ts"
import {
  type CountedPosition,
  type CountedWallet,
  CountingStore,
  type StoredSums,
  type UncountedEvent,
} from "../CountingStore.ts"
import { overdueMsMax } from "../domain/due.ts"
import { farmedMarketsMin, nearCertainPriceMin } from "../domain/entry.ts"
import type { StoredEntry } from "../domain/storedEntry.ts"
import type { MarketScore, WalletSums } from "../domain/score.ts"
import type { TrackingSource } from "../domain/tracking.ts"
import { bumpRevision, keys } from "./locking.ts"

export const layer: Layer.Layer<CountingStore, never, SqlClient> = Layer.effect(
  CountingStore,
  Effect.map(SqlClient, (sql) =>
    CountingStore.of({
      uncounted: uncounted(sql),
      sums: sums(sql),
      saveCounted: saveCounted(sql),
      counted: counted(sql),
      bets: bets(sql),
    })),
)

interface UncountedRow extends ResolutionColumns {
  readonly market: MarketId
  readonly wallet_id: number
  readonly event_id: number
  readonly wallet: string
  readonly source_of_wallet: TrackingSource
  readonly tracked_at: Date
  readonly version: bigint
  readonly changed: boolean
  readonly fee_rate: number
  readonly entries: ReadonlyArray<StoredEntry>
  readonly score: MarketScore | null
}

/** `overdue` has the earliest due of the open positions that delay others of their wallet. */
const uncounted = (sql: SqlClient) =>
  Effect.fn("CountingStore.uncounted")(function* (limit: number, at: EpochMs) {
    const now = sql`${new Date(at)}::timestamptz`
    const overdueAfter = sql`${new Date(at - overdueMsMax)}::timestamptz`
    const rows = yield* sql<UncountedRow>`
      WITH overdue AS MATERIALIZED (
        SELECT wallet_id, min(due_at) AS open_since
        FROM whale_market JOIN whale_position USING (market_id)
        WHERE has_entries AND ended_at IS NULL AND entry_count > 0
          AND due_at <= ${now} AND due_at > ${overdueAfter}
        GROUP BY wallet_id
      ), chosen AS MATERIALIZED (
        SELECT event_id, wallet_id, min(due_at) AS due_at, min(since) AS since
        FROM (
          SELECT event_id, wallet_id, due_at, since FROM whale_uncounted u
          WHERE due_at <= ${now} AND (due_at <= ${overdueAfter} OR NOT EXISTS (
            SELECT FROM overdue WHERE overdue.wallet_id = u.wallet_id AND open_since <= u.due_at
          ))
          ORDER BY due_at, since LIMIT ${limit}
        ) first
        GROUP BY event_id, wallet_id
      ), positions AS (
        SELECT event_id, wallet_id, market_id FROM chosen JOIN whale_uncounted u
          USING (event_id, wallet_id)
        WHERE u.due_at <= ${now} AND (u.due_at <= ${overdueAfter} OR NOT EXISTS (
          SELECT FROM overdue WHERE overdue.wallet_id = u.wallet_id AND open_since <= u.due_at
        ))
        UNION
        SELECT event_id, wallet_id, market_id FROM chosen JOIN whale_score
          USING (event_id, wallet_id)
      )
      SELECT positions.event_id, wallet_id, wallet, market, w.source AS source_of_wallet, tracked_at,
        coalesce(u.version, 0) AS version, u.version IS NOT NULL AS changed, fee_rate, entries, state, payout_first, payout_second, m.source, resolved_at, score
      FROM positions
      JOIN chosen USING (event_id, wallet_id)
      LEFT JOIN whale_uncounted u USING (event_id, wallet_id, market_id)
      LEFT JOIN whale_score USING (event_id, wallet_id, market_id)
      JOIN whale_market m USING (market_id)
      JOIN whale_position USING (market_id, wallet_id)
      JOIN whale_wallet w USING (wallet_id)
      ORDER BY chosen.due_at, chosen.since, positions.event_id, wallet_id, market_id`
    return groupByEvent(rows)
  }, Effect.orDie)

/** Groups rows by wallet and event; the rows of one group must be adjacent. */
function groupByEvent(rows: ReadonlyArray<UncountedRow>): ReadonlyArray<UncountedEvent> {
  const found: Array<UncountedEvent & { readonly positions: Array<Uncounted> }> = []
  let before: UncountedRow | null = null
  for (const row of rows) {
    if (before?.wallet_id !== row.wallet_id || before.event_id !== row.event_id) {
      const countFrom = row.source_of_wallet === "profit" ? row.tracked_at.getTime() : null
      found.push({ wallet: row.wallet, countFrom, positions: [] })
    }
    found.at(-1)?.positions.push({
      marketId: row.market,
      version: Number(row.version),
      feeRate: row.fee_rate,
      entries: row.entries,
      resolution: resolutionOf(row.market, row),
      counted: row.score,
      changed: row.changed,
    })
    before = row
  }
  return found
}

type Uncounted = UncountedEvent["positions"][number]

const sums = (sql: SqlClient) =>
  Effect.fn("CountingStore.sums")(function* (wallets: ReadonlyArray<string>) {
    const rows = yield* sql<StoredSums & { readonly wallet: string }>`
      SELECT wallet, coalesce(version, 0) AS version, CASE WHEN scores > 0 THEN sums END AS sums
      FROM whale_wallet LEFT JOIN whale_sums USING (wallet_id)
      WHERE wallet = ANY (${[...new Set(wallets)]}::text[])`
    return new Map(rows.map(({ wallet, ...stored }) => [wallet, stored]))
  }, Effect.orDie)

/** A position or the sums of a wallet changed meanwhile; the transaction is rolled back. */
class Changed extends Schema.TaggedError<Changed>()("Changed", {}) {}

const saveCounted = (sql: SqlClient) =>
  Effect.fn("CountingStore.saveCounted")(
    function* (
      positions: ReadonlyArray<CountedPosition>,
      wallets: ReadonlyArray<CountedWallet>,
    ) {
      if (positions.length === 0 && wallets.length === 0) return true
      const walletKeys = yield* keys(
        sql,
        "wallet",
        [...positions.map(({ wallet }) => wallet), ...wallets.map(({ wallet }) => wallet)],
      )
      const marketKeys = yield* keys(sql, "market", positions.map(({ marketId }) => marketId))
      const keyed = positions.map((position) => ({
        ...position,
        walletKey: walletKeys.get(position.wallet) ?? unknownKey,
        marketKey: marketKeys.get(position.marketId) ?? unknownKey,
      }))
      yield* removeMarks(sql, keyed)
      const saved = yield* saveSums(
        sql,
        jsonText(keyed.map(({ walletKey, marketKey, score }) => ({
          wallet_id: walletKey,
          market_id: marketKey,
          score,
        }))),
        wallets.map((each) => ({ ...each, key: walletKeys.get(each.wallet) ?? unknownKey })),
      )
      if (saved !== wallets.length) return yield* new Changed()
      yield* bumpRevision(sql)
      return true
    },
    sql.withTransaction,
    Effect.catchTag("Changed", () => Effect.succeed(false)),
    Effect.orDie,
  )

/** The key of an unknown wallet or market. */
const unknownKey = 0

type KeyedPosition = CountedPosition & { readonly walletKey: number; readonly marketKey: number }

/** Fails when a mark no longer has the version that was read; version 0 means no mark. */
const removeMarks = Effect.fnUntraced(
  function* (sql: SqlClient, positions: ReadonlyArray<KeyedPosition>) {
    const [row] = yield* sql<{ valid: boolean }>`
    WITH incoming AS MATERIALIZED (
      SELECT event_id, wallet_id, market_id, version
      FROM unnest(
        ${positions.map(({ walletKey }) => walletKey)}::integer[],
        ${positions.map(({ marketKey }) => marketKey)}::integer[],
        ${positions.map(({ version }) => BigInt(version))}::bigint[]
      ) AS i (wallet_id, market_id, version)
      LEFT JOIN whale_market USING (market_id)
    ), locked AS MATERIALIZED (
      SELECT event_id, wallet_id, market_id, i.version = u.version AS unchanged
      FROM incoming i JOIN whale_uncounted u USING (event_id, wallet_id, market_id)
      ORDER BY event_id, wallet_id, market_id FOR UPDATE OF u
    ), removed AS (
      DELETE FROM whale_uncounted u USING locked
      WHERE u.event_id = locked.event_id AND u.wallet_id = locked.wallet_id
        AND u.market_id = locked.market_id
    )
    SELECT (SELECT count(*) FROM incoming WHERE version <> 0)
      = (SELECT count(*) FROM locked WHERE unchanged)
      AND NOT EXISTS (SELECT FROM locked WHERE NOT unchanged)
      AS valid`
    if (row?.valid !== true) return yield* new Changed()
  },
)

/** Returns how many wallets were saved: those whose sums still have the version that was read. */
const saveSums = (
  sql: SqlClient,
  counted: string,
  wallets: ReadonlyArray<CountedWallet & { readonly key: number }>,
) =>
  sql<{ saved: number }>`
    WITH incoming AS MATERIALIZED (
      SELECT event_id, wallet_id, market_id, i.score, s.score IS NOT NULL AS was_counted
      FROM json_to_recordset(${counted}::json)
        AS i (wallet_id integer, market_id integer, score json)
      JOIN whale_market USING (market_id)
      LEFT JOIN whale_score s USING (event_id, wallet_id, market_id)
      WHERE event_id IS NOT NULL
    ), added AS MATERIALIZED (
      SELECT wallet_id, sum((score IS NOT NULL)::integer - was_counted::integer)::integer AS more
      FROM incoming GROUP BY wallet_id
    ), deleted AS (
      DELETE FROM whale_score s USING incoming i
      WHERE i.score IS NULL AND i.was_counted AND s.event_id = i.event_id
        AND s.wallet_id = i.wallet_id AND s.market_id = i.market_id
    ), written AS (
      INSERT INTO whale_score (event_id, wallet_id, market_id, score)
      SELECT event_id, wallet_id, market_id, score FROM incoming WHERE score IS NOT NULL
      ORDER BY event_id, wallet_id, market_id
      ON CONFLICT (event_id, wallet_id, market_id) DO UPDATE SET score = excluded.score
    ), saved AS (
      INSERT INTO whale_sums AS stored (wallet_id, version, scores, sums)
      SELECT wallet_id, version + 1, coalesce(more, 0), sums::json
      FROM unnest(
        ${wallets.map(({ key }) => key)}::integer[],
        ${wallets.map(({ version }) => version)}::integer[],
        ${wallets.map(({ sums }) => jsonText(sums))}::text[]
      ) AS i (wallet_id, version, sums) LEFT JOIN added USING (wallet_id)
      ORDER BY wallet_id
      ON CONFLICT (wallet_id) DO UPDATE SET version = excluded.version,
        scores = stored.scores + excluded.scores, sums = excluded.sums
        WHERE stored.version = excluded.version - 1
      RETURNING 1
    )
    SELECT count(*)::integer AS saved FROM saved`.pipe(Effect.map(([row]) => row?.saved ?? 0))

const counted = (sql: SqlClient) =>
  sql<{ wallet: string; version: number; sums: WalletSums }>`
    SELECT wallet, version, sums FROM whale_sums JOIN whale_wallet USING (wallet_id)
    WHERE scores > 0 AND history = 'whole' AND farmed < ${farmedMarketsMin} ORDER BY wallet`.pipe(
    Effect.map((rows) => new Map(rows.map(({ wallet, ...stored }) => [wallet, stored]))),
    Effect.orDie,
  )

/** The first entry of each market that is no sweep, whatever became of it. */
const bets = (sql: SqlClient) =>
  Effect.fn("CountingStore.bets")(function* (wallets: ReadonlyArray<string>) {
    const rows = yield* sql<{
      wallet: string
      tracked_at: Date
      price: number
      opened_at: number
      ended_at: Date | null
      paid: number | null
    }>`
      SELECT wallet, tracked_at, price, opened_at, ended_at,
        CASE outcome WHEN 0 THEN payout_first ELSE payout_second END AS paid
      FROM whale_wallet w JOIN whale_position p USING (wallet_id) JOIN whale_market m USING (market_id)
      CROSS JOIN LATERAL (
        SELECT price, opened_at, outcome FROM json_to_recordset(p.entries)
          AS entry ("openingPrice" float8, "firstFillAt" float8, outcome integer),
          LATERAL (SELECT "openingPrice" AS price, "firstFillAt" AS opened_at) named
        WHERE price < ${nearCertainPriceMin}
          AND (w.source = 'volume' OR opened_at >= extract(epoch FROM tracked_at) * 1000)
        ORDER BY opened_at, price, outcome LIMIT 1
      ) bet
      WHERE wallet = ANY (${wallets}::text[]) AND entry_count > 0`
    return new Map(
      [...Map.groupBy(rows, ({ wallet }) => wallet)].map(([wallet, of]) => [wallet, {
        selectedAt: of[0]?.tracked_at.getTime() ?? 0,
        bets: of.map(({ price, opened_at, ended_at, paid }) => ({
          price,
          openedAt: opened_at,
          endedAt: ended_at?.getTime() ?? null,
          paid,
        })),
      }]),
    )
  }, Effect.orDie)
