/**
 * The feed in PostgreSQL.
 *
 * The counter's row lock is taken before anything else in an appending transaction and held to its
 * end: appends happen one after another, and each sees every item of those before it.
 *
 * @module
 */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { FeedItem, type FeedType, feedTypes, type NewFeedItem } from "../../domain/feed.ts"
import type { EpochMs } from "../../domain/time.ts"
import { FeedStore } from "../../services/FeedStore.ts"
import { jsonText } from "./json.ts"

/** Items in one insert. */
const batchMax = 500
const pageMax = 1_000

interface Row {
  readonly feed_index: bigint
  readonly type: string
  readonly created_at: Date
  readonly title: string
  readonly data: unknown
}

const decodeItem = Schema.decodeUnknownEffect(FeedItem)
const decodeItems = Effect.forEach((row: Row) =>
  decodeItem({
    feedIndex: Number(row.feed_index),
    type: row.type,
    title: row.title,
    createdAt: row.created_at.toISOString(),
    data: row.data,
  })
)

const columns = (sql: SqlClient) => sql.literal("feed_index, type, created_at, title, data")

export const layer: Layer.Layer<FeedStore, never, SqlClient> = Layer.effect(
  FeedStore,
  Effect.map(SqlClient, (sql) =>
    FeedStore.of({
      append: append(sql),
      head: head(sql),
      latest: latest(sql),
      byIndex: byIndex(sql),
      page: page(sql),
      moversSince: moversSince(sql),
      prune: prune(sql),
    })),
)

const insert = (sql: SqlClient, lastIndex: bigint, items: ReadonlyArray<NewFeedItem>) =>
  sql<Row>`
    WITH incoming AS (
      SELECT DISTINCT ON (dedupe_key) place, dedupe_key, type, created_at, title, data
      FROM ROWS FROM (json_to_recordset(${jsonText(items.map(newRow))}::json)
        AS (dedupe_key text, type text, created_at timestamptz, title text, data json))
        WITH ORDINALITY AS row (dedupe_key, type, created_at, title, data, place)
      ORDER BY dedupe_key, place
    )
    INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data)
    SELECT ${lastIndex}::bigint + row_number() OVER (ORDER BY place),
      dedupe_key, type, created_at, title, data
    FROM incoming
    WHERE NOT EXISTS (SELECT FROM feed_item held WHERE held.dedupe_key = incoming.dedupe_key)
    RETURNING ${columns(sql)}`

const append = (sql: SqlClient) =>
  Effect.fn("FeedStore.append")(function* (items: ReadonlyArray<NewFeedItem>) {
    if (items.length === 0) return []
    const rows = yield* sql.withTransaction(Effect.gen(function* () {
      const [counter] = yield* sql<{ last_index: bigint }>`
      SELECT last_index FROM feed_counter FOR UPDATE`
      let lastIndex = counter?.last_index ?? 0n
      const added: Array<Row> = []
      for (let at = 0; at < items.length; at += batchMax) {
        const batch = yield* insert(sql, lastIndex, items.slice(at, at + batchMax))
        lastIndex += BigInt(batch.length)
        added.push(...batch)
      }
      if (added.length > 0) yield* sql`UPDATE feed_counter SET last_index = ${lastIndex}`
      return added
    }))
    const added = yield* decodeItems(rows)
    return added.sort((a, b) => a.feedIndex - b.feedIndex)
  }, Effect.orDie)

const head = (sql: SqlClient) =>
  Effect.fn("FeedStore.head")(function* (dayStart: EpochMs) {
    const rows = yield* sql<
      { last_index: bigint; last_at: Date | null; type: FeedType | null; items: bigint }
    >`
    SELECT last_index, (SELECT created_at FROM feed_item ORDER BY feed_index DESC LIMIT 1)
      AS last_at, type, items
    FROM feed_counter LEFT JOIN (
      SELECT type, count(*) AS items FROM feed_item
      WHERE created_at >= ${new Date(dayStart)} GROUP BY type
    ) today ON true`
    const today = new Map(rows.map((row) => [row.type, Number(row.items)]))
    return {
      index: Number(rows[0]?.last_index ?? 0n),
      lastItemAt: rows[0]?.last_at?.getTime() ?? null,
      todayByType: {
        mover: today.get("mover") ?? 0,
        whale_entry: today.get("whale_entry") ?? 0,
        predetermined: today.get("predetermined") ?? 0,
      } satisfies Record<typeof feedTypes[number], number>,
    }
  }, Effect.orDie)

const latest = (sql: SqlClient) =>
  sql<Row>`SELECT ${columns(sql)} FROM feed_item ORDER BY feed_index DESC LIMIT 1`.pipe(
    Effect.flatMap(decodeItems),
    Effect.map((items) => Option.fromNullishOr(items[0])),
    Effect.orDie,
  )

const byIndex = (sql: SqlClient) =>
  Effect.fn("FeedStore.byIndex")(function* (feedIndex: number) {
    if (!Number.isSafeInteger(feedIndex)) return Option.none()
    const rows = yield* sql<Row>`
    SELECT ${columns(sql)} FROM feed_item WHERE feed_index = ${BigInt(feedIndex)}`
    return Option.fromNullishOr((yield* decodeItems(rows))[0])
  }, Effect.orDie)

const page = (sql: SqlClient) =>
  Effect.fn("FeedStore.page")(
    function* (query: { since: number | null; count: number; type: FeedType | null }) {
      const limit = Math.min(query.count, pageMax)
      const ofType = query.type === null ? sql.literal("true") : sql`type = ${query.type}`
      const rows = query.since === null
        ? yield* sql<Row>`SELECT ${columns(sql)} FROM feed_item WHERE ${ofType}
          ORDER BY feed_index DESC LIMIT ${limit}`
        : yield* sql<Row>`SELECT ${columns(sql)} FROM feed_item
          WHERE ${ofType} AND feed_index > ${BigInt(query.since)}
          ORDER BY feed_index LIMIT ${limit}`
      const items = yield* decodeItems(rows)
      return query.since === null ? items.reverse() : items
    },
    Effect.orDie,
  )

const moversSince = (sql: SqlClient) =>
  Effect.fn("FeedStore.moversSince")(function* (since: EpochMs) {
    const rows = yield* sql<Row>`
    SELECT ${columns(sql)} FROM feed_item
    WHERE type = 'mover' AND created_at >= ${new Date(since)}
    ORDER BY created_at DESC, feed_index DESC LIMIT ${pageMax}`
    return (yield* decodeItems(rows)).filter((item) => item.type === "mover")
  }, Effect.orDie)

const prune = (sql: SqlClient) =>
  Effect.fn("FeedStore.prune")(function* (before: EpochMs) {
    const [row] = yield* sql<{ gone: bigint }>`
    WITH gone AS (DELETE FROM feed_item WHERE created_at < ${new Date(before)} RETURNING 1)
    SELECT count(*) AS gone FROM gone`
    return Number(row?.gone ?? 0n)
  }, Effect.orDie)

function newRow(item: NewFeedItem) {
  const { dedupeKey, type, createdAt, title, data } = item
  return { dedupe_key: dedupeKey, type, created_at: createdAt, title, data }
}
