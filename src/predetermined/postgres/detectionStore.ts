/**
 * The markets with a published predetermined item, in PostgreSQL.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MarketId } from "../../markets/domain/market.ts"
import { DetectionStore } from "../DetectionStore.ts"

export const layer: Layer.Layer<DetectionStore, never, SqlClient> = Layer.effect(
  DetectionStore,
  Effect.map(SqlClient, (sql) =>
    DetectionStore.of({
      published: Effect.fn("DetectionStore.published")(function* (ids) {
        if (ids.length === 0) return new Set<MarketId>()
        const rows = yield* sql<{ market_id: MarketId }>`
        SELECT market_id FROM detection WHERE market_id = ANY (${ids}::text[])`
        return new Set(rows.map(({ market_id }) => market_id))
      }, Effect.orDie),
      add: Effect.fn("DetectionStore.add")(function* (ids, at) {
        if (ids.length === 0) return
        yield* sql`
        INSERT INTO detection (market_id, published_at)
        SELECT DISTINCT id, ${new Date(at)}::timestamptz FROM unnest(${ids}::text[]) AS id
        ON CONFLICT DO NOTHING`
      }, Effect.orDie),
    })),
)
