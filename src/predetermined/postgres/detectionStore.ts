/**
 * Detections in PostgreSQL.
 *
 * @module
 */
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type DetectionRecord, DetectionStore, type StoredDetection } from "../DetectionStore.ts"
import { jsonText } from "../../postgres/json.ts"

/** Identifiers, and rows, in one statement. */
const rowsBatch = 1_000

export const layer: Layer.Layer<DetectionStore, never, SqlClient> = Layer.effect(
  DetectionStore,
  Effect.map(SqlClient, (sql) =>
    DetectionStore.of({
      find: find(sql),
      save: save(sql),
      prune: prune(sql),
    })),
)

const find = (sql: SqlClient) =>
  Effect.fn("DetectionStore.find")(function* (marketIds: ReadonlyArray<MarketId>) {
    if (marketIds.length === 0) return new Map<MarketId, StoredDetection>()
    const rows = yield* sql<
      { market_id: MarketId; evidence_key: string | null; considered_at: Date; published: boolean }
    >`
    SELECT market_id, evidence_key, considered_at, published FROM detection
    WHERE market_id = ANY (${marketIds}::text[])`
    return new Map(rows.map((row) => [row.market_id, {
      evidenceKey: row.evidence_key,
      consideredAt: row.considered_at.getTime(),
      published: row.published,
    }]))
  }, Effect.orDie)

const save = (sql: SqlClient) =>
  Effect.fn("DetectionStore.save")(
    function* (records: ReadonlyArray<DetectionRecord>, at: EpochMs) {
      for (const batch of Array.chunksOf(merged(records), rowsBatch)) {
        yield* sql`
        INSERT INTO detection AS stored (market_id, evidence_key, considered_at, verdict, published)
        SELECT market_id, evidence_key, ${new Date(at)}::timestamptz, verdict, published
        FROM json_to_recordset(${jsonText(batch.map(incomingRow))}::json)
          AS row (market_id text, evidence_key text, verdict text, published boolean)
        ORDER BY market_id
        ON CONFLICT (market_id) DO UPDATE SET
          evidence_key = coalesce(excluded.evidence_key, stored.evidence_key),
          considered_at = greatest(stored.considered_at, excluded.considered_at),
          verdict = excluded.verdict,
          published = stored.published OR excluded.published`
      }
    },
    Effect.orDie,
  )

interface MergedRecord extends DetectionRecord {
  readonly published: boolean
}

/** One row per market, as if the records had been saved one after another. */
function merged(records: ReadonlyArray<DetectionRecord>): ReadonlyArray<MergedRecord> {
  const rows = new Map<MarketId, MergedRecord>()
  for (const record of records) {
    const before = rows.get(record.marketId)
    rows.set(record.marketId, {
      ...record,
      evidenceKey: record.evidenceKey ?? before?.evidenceKey ?? null,
      published: record.result === "published" || before?.published === true,
    })
  }
  return [...rows.values()]
}

const prune = (sql: SqlClient) =>
  Effect.fn("DetectionStore.prune")(function* (before: EpochMs) {
    const [row] = yield* sql<{ gone: bigint }>`
    WITH gone AS (
      DELETE FROM detection WHERE NOT published AND considered_at < ${new Date(before)} RETURNING 1
    )
    SELECT count(*) AS gone FROM gone`
    return Number(row?.gone ?? 0n)
  }, Effect.orDie)

const incomingRow = ({ marketId, evidenceKey, result, published }: MergedRecord) => ({
  market_id: marketId,
  evidence_key: evidenceKey,
  verdict: result,
  published,
})
