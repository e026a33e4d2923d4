/**
 * The `CountedLog` in PostgreSQL.
 *
 * Two replicas that close at once compute the same number, so the second one changes nothing.
 *
 * @module
 */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { day, type EpochMs, isoTime } from "../../core/domain/time.ts"
import { sha256 } from "../../core/sha256.ts"
import { linkText, noHash, pathOf, skipIndex } from "../../feed/domain/chain.ts"
import { listHash } from "../../postgres/countedRecords.ts"
import { CountedLog } from "../CountedLog.ts"
import {
  type BatchLink,
  batchText,
  CountedBatch,
  type CountedHead,
  countedStatement,
} from "../domain/countedLog.ts"
import { sumOfTotals } from "../domain/rates.ts"
import { noTotals } from "../domain/score.ts"
import { bumpRevision } from "./locking.ts"
import { totalsBytes, totalsOf } from "./sums.ts"

export const layer: Layer.Layer<CountedLog, never, SqlClient> = Layer.effect(
  CountedLog,
  Effect.map(SqlClient, (sql) =>
    CountedLog.of({
      close: close(sql),
      latest: latest(sql),
      proof: proof(sql),
      days: days(sql),
    })),
)

/** Another replica appended this batch; the transaction is rolled back. */
class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {}

const close = (sql: SqlClient): CountedLog["Service"]["close"] =>
  Effect.fn("CountedLog.close")(
    function* (at, sign) {
      const last = yield* head(sql)
      const batch = last.batch + 1
      const { hashes, records, sums } = yield* take(sql, batch)
      const totals = sumOfTotals(sums)
      const content = {
        ...{ closedAt: isoTime(at), records, recordsHash: listHash(hashes) },
        ...{ wallets: sums.length, totals },
      }
      const before = last.content
      const isSame = before === null
        ? sums.length === 0
        : batchText(before) === batchText({ ...before, totals, wallets: sums.length })
      const yesterday = dateOf(at - at % day - day)
      const isFirst = before !== null && last.signed !== yesterday
      if (hashes.length === 0 && isSame && !isFirst) return false
      const skipHash = (yield* hashesOf(sql, [skipIndex(batch)]))[0]?.hash ?? noHash
      const link = {
        batch,
        contentHash: sha256(batchText(content)),
        previousHash: last.hash,
        skipHash,
      }
      const hash = sha256(linkText(link))
      const signed = last.signed === yesterday ? null : {
        day: yesterday,
        jws: sign(countedStatement(yesterday, { index: batch, hash })),
      }
      const added = yield* sql`
      INSERT INTO counted_batch (batch, content, content_hash, previous_hash, skip_hash, hash, day, jws)
      VALUES (${BigInt(batch)}, ${batchText(content)}, decode(${link.contentHash}, 'hex'),
        decode(${link.previousHash}, 'hex'), decode(${skipHash}, 'hex'), decode(${hash}, 'hex'),
        ${signed?.day ?? null}::date, ${signed?.jws ?? null})
      ON CONFLICT DO NOTHING RETURNING 1`
      if (added.length === 0) return yield* new Closed()
      yield* bumpRevision(sql)
      return true
    },
    sql.withTransaction,
    Effect.catchTag("Closed", () => Effect.succeed(false)),
    Effect.orDie,
  )

/**
 * Takes the records without a batch, and reads the totals of all wallets, in one snapshot: every counted
 * result is in both or in neither.
 */
const take = Effect.fnUntraced(function* (sql: SqlClient, batch: number) {
  const rows = yield* sql<
    { record_id: bigint | null; records: number; hash: string; totals: Uint8Array | null }
  >`
  WITH taken AS (
    UPDATE counted_record SET batch = ${BigInt(batch)} WHERE batch IS NULL
    RETURNING record_id, cardinality(records) AS records, encode(hash, 'hex') AS hash
  )
  SELECT record_id, records, hash, NULL::bytea AS totals, 0 AS wallet_id FROM taken
  UNION ALL
  SELECT NULL, 0, '', substring(sums FROM 1 FOR ${totalsBytes}::integer), wallet_id
  FROM whale_sums JOIN whale_wallet USING (wallet_id) WHERE scores > 0 AND history = 'whole'
  ORDER BY record_id, wallet_id`
  const taken = rows.filter(({ record_id }) => record_id !== null)
  return {
    hashes: taken.map(({ hash }) => hash),
    records: taken.reduce((sum, { records }) => sum + records, 0),
    sums: rows.flatMap(({ totals }) => totals === null ? [] : [totalsOf(totals)]),
  }
})

interface Head extends CountedHead {
  readonly content: CountedBatch | null
  /** The last day with a signed head. */
  readonly signed: string | null
}

const decodeContent = Schema.decodeUnknownEffect(Schema.fromJsonString(CountedBatch))

const head = Effect.fnUntraced(function* (sql: SqlClient) {
  const [row] = yield* sql<{ batch: bigint; hash: string; content: string; signed: string | null }>`
  SELECT batch, encode(hash, 'hex') AS hash, content,
    (SELECT max(day)::text FROM counted_batch) AS signed
  FROM counted_batch ORDER BY batch DESC LIMIT 1`
  if (row === undefined) return { batch: 0, hash: noHash, content: null, signed: null }
  const content = yield* decodeContent(row.content)
  return { ...row, batch: Number(row.batch), content } satisfies Head
})

const latest = (sql: SqlClient) =>
  head(sql).pipe(
    Effect.map(({ batch, hash, content }) => ({
      head: { batch, hash },
      totals: content?.totals ?? noTotals,
    })),
    Effect.withSpan("CountedLog.latest"),
    Effect.orDie,
  )

/** The links of these batches, newest first. */
const hashesOf = (sql: SqlClient, batches: ReadonlyArray<number>) =>
  sql<Record<"content_hash" | "previous_hash" | "skip_hash" | "hash", string> & { batch: bigint }>`
  SELECT batch, encode(content_hash, 'hex') AS content_hash, encode(hash, 'hex') AS hash,
    encode(previous_hash, 'hex') AS previous_hash, encode(skip_hash, 'hex') AS skip_hash
  FROM counted_batch WHERE batch = ANY (${batches.map(String)}::bigint[]) ORDER BY batch DESC`

const proof = (sql: SqlClient): CountedLog["Service"]["proof"] =>
  Effect.fn("CountedLog.proof")(function* (wanted) {
    const { batch: newest, hash } = yield* head(sql)
    const batch = wanted ?? newest
    if (batch < 1 || batch > newest) return Option.none()
    const path = (yield* hashesOf(sql, pathOf(newest, batch))).map((row): BatchLink => ({
      contentHash: row.content_hash,
      batch: Number(row.batch),
      previousHash: row.previous_hash,
      skipHash: row.skip_hash,
    }))
    const [row] = yield* sql<{ content: string }>`
    SELECT content FROM counted_batch WHERE batch = ${BigInt(batch)}`
    const content = yield* decodeContent(row?.content)
    return Option.some({ head: { index: newest, hash }, path, content })
  }, Effect.orDie)

const dateOf = (at: EpochMs) => isoTime(at).slice(0, "2026-11-28".length)

const days = (sql: SqlClient): CountedLog["Service"]["days"] =>
  Effect.fn("CountedLog.days")(function* (limit) {
    const rows = yield* sql<{ day: string; batch: bigint; hash: string; jws: string }>`
    SELECT day::text AS day, batch, encode(hash, 'hex') AS hash, jws
    FROM counted_batch WHERE day IS NOT NULL ORDER BY counted_batch.day DESC LIMIT ${limit}`
    return rows.map((row) => ({ ...row, day: Date.parse(row.day), batch: Number(row.batch) }))
  }, Effect.orDie)
