/**
 * The feed in PostgreSQL.
 *
 * An appending transaction locks the counter row first and keeps the lock until its end: appends run
 * one after another, and each sees every item of the earlier ones.
 *
 * @module
 */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  FeedItem,
  FeedType,
  feedTypes,
  MarketRef,
  type NewFeedItem,
  withOutcome,
} from "../domain/item.ts"
import { slugKey } from "../../markets/domain/market.ts"
import { type EpochMs, IsoTime } from "../../core/domain/time.ts"
import { type FeedRange, FeedStore } from "../FeedStore.ts"
import { jsonText } from "../../postgres/json.ts"

const pageMax = 1_000

interface Row {
  readonly feed_index: bigint
  readonly type: string
  readonly created_at: Date
  readonly title: string
  readonly data: object
}

const decodeItem = Schema.decodeUnknownEffect(FeedItem)
const decodeItems = Effect.forEach((row: Row) =>
  decodeItem({
    feedIndex: Number(row.feed_index),
    type: row.type,
    title: row.title,
    createdAt: row.created_at.toISOString(),
    // Movers that an earlier version stored do not name it.
    data: { outcome: null, ...row.data },
  }).pipe(Effect.map(withOutcome))
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
      between: between(sql),
      headings: headings(sql),
      prune: prune(sql),
    })),
)

const append = (sql: SqlClient) =>
  Effect.fn("FeedStore.append")(function* (items: ReadonlyArray<NewFeedItem>) {
    if (items.length === 0) return []
    const rows = yield* sql<Row>`
      SELECT ${columns(sql)} FROM feed_append(${jsonText(items.map(newRow))}::json)`
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

const between = (sql: SqlClient): FeedStore["Service"]["between"] =>
  Effect.fn("FeedStore.between")(function* <Type extends FeedType>(query: FeedRange<Type>) {
    const { type, after, upTo, since, limit } = query
    const rows = yield* sql<Row & { readonly total: bigint }>`
    SELECT ${columns(sql)}, count(*) OVER () AS total FROM feed_item
    WHERE type = ${type} AND feed_index > ${BigInt(after)} AND feed_index <= ${BigInt(upTo)}
      AND created_at >= ${new Date(since)}
    ORDER BY feed_index DESC LIMIT ${Math.min(limit, pageMax)}`
    const items = (yield* decodeItems(rows)).filter((item): item is OfType<Type> =>
      item.type === type
    )
    return { items, total: Number(rows[0]?.total ?? 0n) }
  }, Effect.orDie)

type OfType<Type extends FeedType> = Extract<FeedItem, { type: Type }>

const decodeHeading = Schema.decodeUnknownEffect(
  Schema.Struct({
    feedIndex: Schema.Int,
    type: FeedType,
    createdAt: IsoTime,
    market: MarketRef,
  }),
)

const headings = (sql: SqlClient) =>
  Effect.fn("FeedStore.headings")(
    function* ({ slug, count }: { readonly slug: string | null; readonly count: number }) {
      // The expression of the index feed_item_by_market.
      const ofMarket = slug === null
        ? sql.literal("true")
        : sql`lower((data -> 'market' ->> 'slug') COLLATE "C") = ${slugKey(slug)}`
      const rows = yield* sql<Omit<Row, "title" | "data"> & { readonly market: object }>`
      SELECT feed_index, type, created_at, data -> 'market' AS market FROM feed_item
      WHERE ${ofMarket} ORDER BY feed_index DESC LIMIT ${Math.min(count, pageMax)}`
      return yield* Effect.forEach(rows, (row) =>
        decodeHeading({
          feedIndex: Number(row.feed_index),
          type: row.type,
          createdAt: row.created_at.toISOString(),
          market: row.market,
        }))
    },
    Effect.orDie,
  )

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
