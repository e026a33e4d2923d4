/**
 * The digest store in PostgreSQL. The slot is the primary key: a second writer changes nothing.
 *
 * @module
 */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Digest } from "../domain/digest.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { DigestStore, type StoredDigest } from "../DigestStore.ts"
import { jsonText } from "../../postgres/json.ts"
import { pruneBefore } from "../../postgres/pruneBefore.ts"

interface Row {
  readonly slot: Date
  readonly until_at: Date
  readonly feed_index: bigint
  readonly below_threshold: boolean
  readonly digest: unknown
}

export const layer: Layer.Layer<DigestStore, never, SqlClient> = Layer.effect(
  DigestStore,
  Effect.map(SqlClient, (sql) =>
    DigestStore.of({
      add: add(sql),
      latest: latest(sql),
      since: since(sql),
      prune: prune(sql),
    })),
)

const columns = (sql: SqlClient) =>
  sql.literal("slot, until_at, feed_index, below_threshold, digest")

const decodeDigest = Schema.decodeUnknownEffect(Digest)
const decodeRow = Effect.fnUntraced(function* (row: Row) {
  const { slot, until_at, feed_index, below_threshold, digest } = row
  return {
    slot: slot.getTime(),
    until: until_at.getTime(),
    feedIndex: Number(feed_index),
    belowThreshold: below_threshold,
    digest: yield* decodeDigest(digest),
  }
})

const add = (sql: SqlClient) =>
  Effect.fn("DigestStore.add")(function* (stored: StoredDigest) {
    const { slot, until, feedIndex, belowThreshold, digest } = stored
    const rows = yield* sql`
      INSERT INTO digest (slot, created_at, until_at, feed_index, below_threshold, digest)
      VALUES (${new Date(slot)}, ${digest.createdAt}::timestamptz, ${new Date(until)},
        ${BigInt(feedIndex)}, ${belowThreshold}, ${jsonText(digest)}::json)
      ON CONFLICT (slot) DO NOTHING RETURNING 1`
    return rows.length > 0
  }, Effect.orDie)

const latest = (sql: SqlClient) =>
  sql<Row>`SELECT ${columns(sql)} FROM digest ORDER BY slot DESC LIMIT 1`.pipe(
    Effect.flatMap(Effect.forEach(decodeRow)),
    Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
    Effect.orDie,
  )

const since = (sql: SqlClient) =>
  Effect.fn("DigestStore.since")(function* (since: EpochMs, limit: number) {
    const rows = yield* sql<Row>`
      SELECT ${columns(sql)} FROM digest 
      WHERE created_at >= ${new Date(since)} AND NOT below_threshold
      ORDER BY slot DESC LIMIT ${limit}`
    return yield* Effect.forEach(rows, decodeRow)
  }, Effect.orDie)

const prune = (sql: SqlClient) =>
  Effect.fn("DigestStore.prune")(function* (before: EpochMs) {
    const [row] = yield* sql<{ deleted: bigint }>`
      WITH deleted AS (DELETE FROM digest WHERE slot < ${
      pruneBefore(sql, before, sql`SELECT min(slot) FROM digest`)
    } RETURNING 1)
      SELECT count(*) AS deleted FROM deleted`
    return Number(row?.deleted ?? 0n)
  }, Effect.orDie)
