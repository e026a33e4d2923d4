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
  contentOf,
  FeedItem,
  FeedType,
  MarketRef,
  type NewFeedItem,
  withOutcome,
} from "../domain/item.ts"
import { type ChainHead, type ChainLink, contentText, noHash, pathOf } from "../domain/chain.ts"
import { slugKey } from "../../markets/domain/market.ts"
import { type EpochMs, IsoTime, isoTime } from "../../core/domain/time.ts"
import { sha256 } from "../../core/sha256.ts"
import { type DailyHead, type FeedRange, FeedStore } from "../FeedStore.ts"
import { jsonText } from "../../postgres/json.ts"
import { millis } from "../../postgres/millis.ts"
import { pruneBefore } from "../../postgres/pruneBefore.ts"

const pageMax = 1_000

/** An item as it is selected; `decodeItems` checks the rest of it. */
interface Row {
  readonly createdAt: Date
}

const decodeItem = Schema.decodeUnknownEffect(FeedItem)
const decodeItems = Effect.forEach((row: Row) =>
  decodeItem({ ...row, createdAt: row.createdAt.toISOString() })
)

const headingColumns = `feed_index::float8 AS "feedIndex", type, created_at AS "createdAt"`
const columns = (sql: SqlClient) =>
  sql.literal(`${headingColumns}, title, data, json_build_object(
    'salt', encode(salt, 'hex'), 'previousHash', encode(previous_hash, 'hex'),
    'skipHash', encode(skip_hash, 'hex'), 'hash', encode(hash, 'hex')) AS chain`)

export const layer: Layer.Layer<FeedStore, never, SqlClient> = Layer.effect(
  FeedStore,
  Effect.map(SqlClient, (sql) =>
    FeedStore.of({
      append: append(sql),
      head: head(sql),
      byIndex: byIndex(sql),
      page: page(sql),
      moversSince: moversSince(sql),
      between: between(sql),
      headings: headings(sql),
      prune: prune(sql),
      proof: proof(sql),
      addDailyHead: addDailyHead(sql),
      dailyHeads: dailyHeads(sql),
    })),
)

const append = (sql: SqlClient) =>
  Effect.fn("FeedStore.append")(function* (items: ReadonlyArray<NewFeedItem>) {
    if (items.length === 0) return []
    const published = yield* Effect.forEach(items, newRow)
    const rows = yield* sql<Row>`
      SELECT ${columns(sql)} FROM feed_append(${JSON.stringify(published)}::json)`
    const added = yield* decodeItems(rows)
    return added.sort((a, b) => a.feedIndex - b.feedIndex)
  }, Effect.orDie)

const head = (sql: SqlClient) =>
  Effect.fn("FeedStore.head")(function* (dayStart: EpochMs) {
    const [row] = yield* sql<
      HeadRow & {
        readonly last_at: Date | null
        readonly today: Partial<Record<FeedType, number>> | null
      }
    >`
    SELECT ${sql.literal(headColumns)},
      (SELECT created_at FROM feed_item ORDER BY feed_index DESC LIMIT 1) AS last_at,
      (SELECT json_object_agg(type, items) FROM (
        SELECT type, count(*) AS items FROM feed_item
        WHERE created_at >= ${new Date(dayStart)} GROUP BY type) counted) AS today
    FROM feed_counter`
    const chain = headOf(row)
    return {
      index: chain.index,
      lastItemAt: row?.last_at?.getTime() ?? null,
      todayByType: { mover: 0, whale_entry: 0, predetermined: 0, ...row?.today },
      chain,
    }
  }, Effect.orDie)

interface HeadRow {
  readonly last_index: bigint
  readonly head_hash: string | null
}

const headColumns = "last_index, encode(chain_peaks[cardinality(chain_peaks)], 'hex') AS head_hash"

const headOf = (row: HeadRow | undefined): ChainHead => ({
  index: Number(row?.last_index ?? 0n),
  hash: row?.head_hash ?? noHash,
})

const chainHead = (sql: SqlClient) =>
  Effect.map(
    sql<HeadRow>`SELECT ${sql.literal(headColumns)} FROM feed_counter`,
    ([row]) => headOf(row),
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
      const rows = yield* sql<Row>`
      SELECT ${sql.literal(headingColumns)}, data -> 'market' AS market FROM feed_item
      WHERE ${ofMarket} ORDER BY feed_index DESC LIMIT ${Math.min(count, pageMax)}`
      return yield* Effect.forEach(
        rows,
        (row) => decodeHeading({ ...row, createdAt: row.createdAt.toISOString() }),
      )
    },
    Effect.orDie,
  )

const prune = (sql: SqlClient) =>
  Effect.fn("FeedStore.prune")(function* (before: EpochMs) {
    // By index, so that the path to every kept item is kept too.
    const [row] = yield* sql<{ gone: bigint }>`
    WITH gone AS (
      DELETE FROM feed_item WHERE feed_index < coalesce((
        SELECT min(feed_index) FROM feed_item WHERE created_at >= ${
      pruneBefore(sql, before, sql`SELECT created_at FROM feed_item ORDER BY feed_index LIMIT 1`)
    }
      ), ${BigInt(Number.MAX_SAFE_INTEGER)}::bigint)
      RETURNING 1
    )
    SELECT count(*) AS gone FROM gone`
    return Number(row?.gone ?? 0n)
  }, Effect.orDie)

const proof = (sql: SqlClient): FeedStore["Service"]["proof"] =>
  Effect.fn("FeedStore.proof")(function* (wanted: number | null) {
    const head = yield* chainHead(sql)
    const feedIndex = wanted ?? head.index
    if (feedIndex < 1 || feedIndex > head.index) return Option.none()
    const indices = pathOf(head.index, feedIndex)
    const path = yield* sql<ChainLink>`
    SELECT feed_index::float8 AS "feedIndex", encode(content_hash, 'hex') AS "contentHash",
      encode(previous_hash, 'hex') AS "previousHash", encode(skip_hash, 'hex') AS "skipHash"
    FROM feed_item WHERE feed_index = ANY (${indices.map(String)}::bigint[])
    ORDER BY feed_index DESC`
    if (path.length < indices.length) return Option.none()
    return Option.some({ head, path })
  }, Effect.orDie)

const addDailyHead = (sql: SqlClient): FeedStore["Service"]["addDailyHead"] =>
  Effect.fn("FeedStore.addDailyHead")(function* (day, sign) {
    const [made] = yield* sql`SELECT 1 FROM feed_head WHERE day = ${dateOf(day)}::date`
    if (made !== undefined) return
    const head = yield* chainHead(sql)
    if (head.index === 0) return
    yield* sql`
    INSERT INTO feed_head (day, feed_index, hash, made_at, jws)
    VALUES (${dateOf(day)}::date, ${BigInt(head.index)}, decode(${head.hash}, 'hex'),
      clock_timestamp(), ${sign(head)})
    ON CONFLICT DO NOTHING`
  }, Effect.orDie)

const dateOf = (day: EpochMs) => isoTime(day).slice(0, "2026-11-24".length)

const dailyHeads = (sql: SqlClient): FeedStore["Service"]["dailyHeads"] =>
  Effect.fn("FeedStore.dailyHeads")((limit) =>
    sql<DailyHead>`
    SELECT ${millis(sql, "feed_head.day", "day")}, feed_index::float8 AS index,
      encode(hash, 'hex') AS hash, ${millis(sql, "made_at", "madeAt")}, jws
    FROM feed_head ORDER BY feed_head.day DESC LIMIT ${limit}`.pipe(Effect.orDie)
  )

const saltBytes = 16

/** The random salt and the content hash of a published item. */
function hashOf(item: FeedItem) {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes)).toHex()
  return { salt, content_hash: sha256(contentText(contentOf(item), salt)) }
}

/** The row of a new item, with the hash of exactly what its readers get. */
const newRow = Effect.fnUntraced(function* ({ dedupeKey, ...item }: NewFeedItem) {
  const stored: unknown = JSON.parse(jsonText({ feedIndex: 1, ...item }))
  const published = withOutcome(yield* decodeItem(stored))
  const { type, createdAt, title, data } = published
  const hashes = hashOf(published)
  return { dedupe_key: dedupeKey, type, created_at: createdAt, title, data, ...hashes }
})
