/**
 * The `MarketStore` in PostgreSQL: the newest listing of each market, and the mid series, one row for
 * each market and hour under a short key.
 *
 * @module
 */
import { Array, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Market, type MarketId, type SeriesPoint, slugKey } from "../domain/market.ts"
import { candidatesPerGroupMax, overdueMsMax, type ResolvingQuery } from "../domain/resolving.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"
import { MarketStore, type MidPoint } from "../MarketStore.ts"
import { jsonText } from "../../postgres/json.ts"
import { pruneBefore } from "../../postgres/pruneBefore.ts"

/** Rows in one statement: about half a megabyte of JSON. */
const marketsBatch = 1_000
/** Slugs of a market that are kept after it got another one. */
const earlierSlugsMax = 20
/** Unlisted markets that one statement deletes. */
const unlistedBatch = 5_000

/** The figures that change with every listing have their own columns; the rest is in `facts`. */
type Figures = Pick<Market, "volumeUsd" | "volume24hUsd" | "liquidityUsd" | "listed">
interface MarketRow extends Figures {
  readonly facts: Omit<Market, keyof Figures>
}

const marketColumns = (sql: SqlClient) =>
  sql.literal(`facts, volume_usd AS "volumeUsd", volume_24h_usd AS "volume24hUsd",
    liquidity_usd AS "liquidityUsd", CASE WHEN best_bid IS NOT NULL AND best_ask IS NOT NULL
      THEN json_build_object('bestBid', best_bid, 'bestAsk', best_ask) END AS listed`)

function marketOf({ facts, volumeUsd, volume24hUsd, liquidityUsd, listed }: MarketRow): Market {
  return { ...facts, volumeUsd, volume24hUsd, liquidityUsd, listed }
}

const rowOf = ({ volumeUsd, volume24hUsd, liquidityUsd, listed, ...facts }: Market) => (
  { facts, volumeUsd, volume24hUsd, liquidityUsd, ...listed }
)

export const layer: Layer.Layer<MarketStore, never, SqlClient> = Layer.effect(
  MarketStore,
  Effect.map(
    SqlClient,
    (sql) =>
      MarketStore.of({
        save: save(sql),
        bySlug: bySlug(sql),
        byIds: byIds(sql),
        liveOfEvent: liveOfEvent(sql),
        resolvingCandidates: resolvingCandidates(sql),
        mostLiquid: mostLiquid(sql),
        count: count(sql),
        recentlyPriced: recentlyPriced(sql),
        pruneUnlisted: pruneUnlisted(sql),
        appendMids: appendMids(sql),
        lastMids: lastMids(sql),
        watched: watched(sql),
        series: series(sql),
        unseeded: unseeded(sql),
        markSeeded: markSeeded(sql),
        prune: prune(sql),
      }),
  ),
)

/**
 * An unchanged quote is written again after this time: its age shows whether it is still listed. The
 * volume of 24 hours changes with every listing, so alone it does not count as a change.
 */
const quoteRefreshMs = hour

/** Updates what changed or is an hour old, and never with a listing older than the stored one. */
const saveBatch = (sql: SqlClient) => (markets: ReadonlyArray<Market>, seenAt: EpochMs) =>
  sql`
    WITH incoming AS MATERIALIZED (
      SELECT facts ->> 'id' AS market_id, facts ->> 'slug' AS slug, facts,
        "volumeUsd" AS volume_usd, "volume24hUsd" AS volume_24h_usd,
        "liquidityUsd" AS liquidity_usd, "bestBid" AS best_bid, "bestAsk" AS best_ask,
        ${new Date(seenAt)}::timestamptz AS seen_at
      FROM json_to_recordset(${jsonText(markets.map(rowOf))}::json) AS i (facts json,
        "volumeUsd" float8, "volume24hUsd" float8, "liquidityUsd" float8, "bestBid" float8,
        "bestAsk" float8)
    ), updated_market AS (
      UPDATE market SET slug = i.slug, facts = i.facts, changed_at = i.seen_at,
        earlier_slugs = CASE WHEN lower(market.slug) = lower(i.slug)
          OR cardinality(earlier_slugs) >= ${earlierSlugsMax}::integer THEN earlier_slugs
          ELSE array_append(array_remove(earlier_slugs, lower(market.slug)), lower(market.slug)) END
      FROM incoming i
      WHERE market.market_id = i.market_id AND market.changed_at <= i.seen_at
        AND market.facts::text <> i.facts::text
    ), new_market AS (
      INSERT INTO market (market_id, slug, facts, changed_at)
      SELECT market_id, slug, facts, seen_at FROM incoming i
      WHERE NOT EXISTS (SELECT FROM market stored WHERE stored.market_id = i.market_id)
      ON CONFLICT DO NOTHING
    ), requoted AS (
      UPDATE market_quote SET volume_usd = i.volume_usd, volume_24h_usd = i.volume_24h_usd,
        liquidity_usd = i.liquidity_usd, best_bid = i.best_bid, best_ask = i.best_ask,
        changed_at = i.seen_at
      FROM incoming i
      WHERE market_quote.market_id = i.market_id AND market_quote.changed_at <= i.seen_at
        AND ((market_quote.volume_usd, market_quote.liquidity_usd, market_quote.best_bid,
          market_quote.best_ask)
          IS DISTINCT FROM (i.volume_usd, i.liquidity_usd, i.best_bid, i.best_ask)
        OR market_quote.changed_at <= ${new Date(seenAt - quoteRefreshMs)}::timestamptz)
    )
    INSERT INTO market_quote
      (market_id, volume_usd, volume_24h_usd, liquidity_usd, best_bid, best_ask, changed_at)
    SELECT market_id, volume_usd, volume_24h_usd, liquidity_usd, best_bid, best_ask, seen_at
    FROM incoming i
    WHERE NOT EXISTS (SELECT FROM market_quote stored WHERE stored.market_id = i.market_id)
    ON CONFLICT DO NOTHING`

const save = (sql: SqlClient) =>
  Effect.fn("MarketStore.save")(
    function* (markets: ReadonlyArray<Market>, seenAt: EpochMs) {
      const newest = [...new Map(markets.map((market) => [market.id, market])).values()]
      yield* Effect.forEach(
        Array.chunksOf(newest, marketsBatch),
        (batch) => saveBatch(sql)(batch, seenAt),
        { discard: true },
      )
    },
    Effect.orDie,
  )

const bySlug = (sql: SqlClient) =>
  Effect.fn("MarketStore.bySlug")(function* (slug: string) {
    const [row] = yield* sql<MarketRow>`
    SELECT ${marketColumns(sql)}
    FROM market JOIN market_quote USING (market_id)
    WHERE lower(slug COLLATE "C") = ${slugKey(slug)}
      OR (earlier_slugs <> '{}' AND earlier_slugs @> ARRAY[${slugKey(slug)}::text])
    ORDER BY slug = ${slug} DESC, lower(slug COLLATE "C") = ${slugKey(slug)} DESC,
      market.changed_at DESC LIMIT 1`
    return Option.map(Option.fromNullishOr(row), marketOf)
  }, Effect.orDie)

const byIds = (sql: SqlClient) =>
  Effect.fn("MarketStore.byIds")(function* (marketIds: ReadonlyArray<MarketId>) {
    if (marketIds.length === 0) return new Map<MarketId, Market>()
    const rows = yield* sql<MarketRow>`
    SELECT ${marketColumns(sql)}
    FROM market JOIN market_quote USING (market_id)
    WHERE market_id = ANY (${marketIds}::text[])`
    return new Map(rows.map(marketOf).map((stored) => [stored.id, stored]))
  }, Effect.orDie)

const liveOfEvent = (sql: SqlClient) =>
  Effect.fn("MarketStore.liveOfEvent")(function* (eventSlug: string, limit: number) {
    const rows = yield* sql<MarketRow>`
    SELECT ${marketColumns(sql)}
    FROM market JOIN market_quote USING (market_id)
    WHERE lower((facts ->> 'eventSlug') COLLATE "C") = ${slugKey(eventSlug)}
      AND facts ->> 'status' IN ('open', 'proposed')
    ORDER BY slug COLLATE "C" LIMIT ${limit}`
    return rows.map(marketOf)
  }, Effect.orDie)

/** A game's start, else the scheduled end: the expression of the index `market_by_schedule`. */
const scheduledAt = (sql: SqlClient) =>
  sql`(coalesce((facts ->> 'gameStartsAt')::float8, (facts ->> 'endsAt')::float8))`

/**
 * The store keeps markets that the venue no longer lists, most of them with a passed schedule or a
 * proposed outcome: they would take the places of the live ones. A listing is sold for an hour, and
 * the quote of a listed market is at most an hour and a tick older.
 */
const unlistedAfterMs = 3 * hour
const isListed = (sql: SqlClient, now: EpochMs) =>
  sql`market_quote.changed_at > ${new Date(now - unlistedAfterMs)}::timestamptz`

const resolvingCandidates = (sql: SqlClient) =>
  Effect.fn("MarketStore.resolvingCandidates")(function* (
    { withinHours, minLiquidity, includeNoise }: ResolvingQuery,
    now: EpochMs,
  ) {
    const columns = marketColumns(sql)
    const from = sql`FROM market JOIN market_quote USING (market_id)`
    const matches = sql`liquidity_usd >= ${minLiquidity}::float8
      AND (${includeNoise} OR facts ->> 'mechanical' IS NULL)
      AND ${isListed(sql, now)}`
    const live = sql`facts ->> 'status' IN ('open', 'proposed')`
    const at = scheduledAt(sql)
    const rows = yield* sql<MarketRow>`
    (SELECT ${columns} ${from}
      WHERE ${at} > ${now}::float8 AND ${at} <= ${now + withinHours * hour}::float8
        AND ${live} AND ${matches}
      ORDER BY ${at}, slug COLLATE "C" LIMIT ${candidatesPerGroupMax})
    UNION ALL
    (SELECT ${columns} ${from}
      WHERE ${at} <= ${now}::float8 AND ${at} > ${now - overdueMsMax}::float8
        AND ${live} AND ${matches}
      ORDER BY ${at} DESC, slug COLLATE "C" LIMIT ${candidatesPerGroupMax})
    UNION ALL
    (SELECT ${columns} ${from}
      WHERE facts ->> 'status' = 'proposed' AND ${matches}
      ORDER BY liquidity_usd DESC, slug COLLATE "C" LIMIT ${candidatesPerGroupMax})`
    return [...new Map(rows.map(marketOf).map((stored) => [stored.id, stored])).values()]
  }, Effect.orDie)

/**
 * Pages through quotes, which are small: reading the facts of fifty thousand markets to find the live
 * ones takes a second.
 */
const mostLiquid = (sql: SqlClient) =>
  Effect.fn("MarketStore.mostLiquid")(function* (limit: number, now: EpochMs) {
    const live = new Map<MarketId, Market>()
    const page = Math.max(2 * limit, marketsBatch)
    for (let offset = 0; live.size < limit; offset += page) {
      const rows = yield* sql<MarketRow & { readonly live: boolean }>`
      SELECT ${marketColumns(sql)},
        facts ->> 'status' IN ('open', 'proposed') AND facts ->> 'mechanical' IS NULL AS live
      FROM market JOIN (
        SELECT * FROM market_quote WHERE ${isListed(sql, now)}
        ORDER BY liquidity_usd DESC, market_id
        OFFSET ${offset} LIMIT ${page}
      ) quote USING (market_id)
      ORDER BY liquidity_usd DESC, market_id`
      for (const row of rows) if (row.live) live.set(row.facts.id, marketOf(row))
      if (rows.length === 0) break
    }
    return [...live.values()].slice(0, limit)
  }, Effect.orDie)

const count = (sql: SqlClient) =>
  sql<{ markets: bigint }>`SELECT count(*) AS markets FROM market`.pipe(
    Effect.map(([row]) => Number(row?.markets ?? 0n)),
    Effect.orDie,
  )

const recentlyPriced = (sql: SqlClient) =>
  Effect.fn("MarketStore.recentlyPriced")(function* (
    { notBefore, atOrBefore }: { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs },
    limit: number,
  ) {
    const rows = yield* sql<MarketRow & { readonly price: SeriesPoint }>`
    WITH fresh AS (
      SELECT DISTINCT ON (series_id) series_id, ${pointAt(sql)} AS at, m AS mid
      FROM mid_hour, unnest(offsets_ms, mids) AS point (o, m)
      WHERE hour BETWEEN ${Math.floor(notBefore / hour)} AND ${Math.floor(atOrBefore / hour)}
        AND ${pointAt(sql)} BETWEEN ${BigInt(notBefore)}::bigint AND ${BigInt(atOrBefore)}::bigint
      ORDER BY series_id, hour DESC, o DESC
    )
    SELECT ${marketColumns(sql)}, json_build_object('at', at, 'mid', mid) AS price
    FROM fresh JOIN mid_series USING (series_id) JOIN market USING (market_id)
      JOIN market_quote USING (market_id)
    WHERE facts ->> 'status' IN ('open', 'proposed')
    ORDER BY liquidity_usd DESC, market_id COLLATE "C" LIMIT ${limit}`
    return rows.map(({ price, ...row }) => ({ market: marketOf(row), price }))
  }, Effect.orDie)

/** The outer condition is checked again for a market that a listing writes at the same time. */
const pruneBatch = (sql: SqlClient, before: Date) =>
  sql<{ deleted: bigint }>`
    WITH unlisted AS (
      DELETE FROM market_quote WHERE market_id = ANY (ARRAY(
        SELECT market_id FROM market_quote
        WHERE changed_at < ${before} LIMIT ${unlistedBatch}))
        AND changed_at < ${before}
      RETURNING market_id
    ), facts AS (
      DELETE FROM market USING unlisted WHERE market.market_id = unlisted.market_id
    ), series AS (
      DELETE FROM mid_series USING unlisted WHERE mid_series.market_id = unlisted.market_id
      RETURNING series_id
    ), points AS (
      DELETE FROM mid_hour USING series WHERE mid_hour.series_id = series.series_id
    )
    SELECT count(*) AS deleted FROM unlisted`

const pruneUnlisted = (sql: SqlClient) =>
  Effect.fn("MarketStore.pruneUnlisted")(function* (before: EpochMs) {
    // The newest listing shows which markets are unlisted, whatever the time is now.
    const [oldest] = yield* sql<{ before: Date | null }>`
      SELECT least(${pruneBefore(sql, before, sql`SELECT min(changed_at) FROM market_quote`)},
        max(changed_at) - ${quoteRefreshMs}::float8 * interval '1 millisecond') AS before
      FROM market_quote`
    if (oldest === undefined || oldest.before === null) return 0
    for (let total = 0;;) {
      const [row] = yield* pruneBatch(sql, oldest.before)
      const deleted = Number(row?.deleted ?? 0n)
      total += deleted
      if (deleted < unlistedBatch) return total
    }
  }, Effect.orDie)

/** The instant of a point in a row of mids: `o` milliseconds after the start of its hour. */
const pointAt = (sql: SqlClient) => sql`(hour * ${BigInt(hour)}::bigint + o)`

/** Points in one statement: about half a megabyte of JSON. */
const pointsBatch = 5_000
/** Identifiers in one statement. */
const idsBatch = 10_000

const insertSeries = (sql: SqlClient) => (ids: ReadonlyArray<string>) =>
  sql`
    INSERT INTO mid_series (market_id)
    SELECT id FROM unnest(${ids}::text[]) AS id
    WHERE NOT EXISTS (SELECT FROM mid_series WHERE market_id = id)
    ORDER BY id
    ON CONFLICT DO NOTHING`

/** A new point replaces a stored one at the same offset. */
const appendBatch = (sql: SqlClient) => (added: ReadonlyArray<MidPoint>) =>
  sql`
    INSERT INTO mid_hour AS stored (series_id, hour, offsets_ms, mids)
    SELECT series_id, hour, array_agg(o), array_agg(mid)
    FROM (
      SELECT series_id, at / ${hour}::integer AS hour, at % ${hour}::integer AS o, mid
      FROM json_to_recordset(${JSON.stringify(added)}::json)
        AS point ("marketId" text, at bigint, mid float8)
      JOIN mid_series ON market_id = "marketId"
    ) point
    GROUP BY series_id, hour ORDER BY series_id, hour
    ON CONFLICT (series_id, hour) DO UPDATE SET
      offsets_ms = array(
        SELECT o FROM unnest(stored.offsets_ms) WITH ORDINALITY AS point (o, n)
        WHERE o <> ALL (excluded.offsets_ms) ORDER BY n
      ) || excluded.offsets_ms,
      mids = array(
        SELECT m FROM unnest(stored.offsets_ms, stored.mids) WITH ORDINALITY AS point (o, m, n)
        WHERE o <> ALL (excluded.offsets_ms) ORDER BY n
      ) || excluded.mids`

const appendMids = (sql: SqlClient) =>
  Effect.fn("MarketStore.appendMids")(
    function* (added: ReadonlyArray<MidPoint>) {
      const ids = [...new Set(added.map((point) => point.marketId))]
      yield* Effect.forEach(Array.chunksOf(ids, idsBatch), insertSeries(sql), { discard: true })
      // Of two points of a series at one time, the later one in the list stays.
      const newest = new Map(added.map((point) => [`${point.at} ${point.marketId}`, point]))
      yield* Effect.forEach(Array.chunksOf([...newest.values()], pointsBatch), appendBatch(sql), {
        discard: true,
      })
    },
    Effect.orDie,
  )

const lastMidsOf = (
  sql: SqlClient,
  ids: ReadonlyArray<MarketId>,
  { notBefore, atOrBefore }: { notBefore: EpochMs; atOrBefore: EpochMs },
) =>
  sql<{ market_id: MarketId; at: bigint; mid: number }>`
    SELECT market_id, last.at, last.mid
    FROM unnest(${ids}::text[]) AS id
    JOIN mid_series ON market_id = id
    CROSS JOIN LATERAL (
      SELECT ${pointAt(sql)} AS at, m AS mid
      FROM (
        SELECT hour, offsets_ms, mids FROM mid_hour
        WHERE mid_hour.series_id = mid_series.series_id
          AND hour BETWEEN ${Math.floor(notBefore / hour)} AND ${Math.floor(atOrBefore / hour)}
        ORDER BY hour DESC
      ) hours, unnest(offsets_ms, mids) AS point (o, m)
      WHERE ${pointAt(sql)} BETWEEN ${BigInt(notBefore)}::bigint AND ${BigInt(atOrBefore)}::bigint
      ORDER BY hour DESC, o DESC LIMIT 1
    ) last`

const lastMids = (sql: SqlClient) =>
  Effect.fn("MarketStore.lastMids")(
    function* (
      ids: ReadonlyArray<MarketId>,
      range: { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs },
    ) {
      const last = new Map<MarketId, SeriesPoint>()
      for (const batch of Array.chunksOf([...new Set(ids)], idsBatch)) {
        for (const row of yield* lastMidsOf(sql, batch, range)) {
          last.set(row.market_id, { at: Number(row.at), mid: row.mid })
        }
      }
      return last
    },
    Effect.orDie,
  )

const watched = (sql: SqlClient) =>
  Effect.fn("MarketStore.watched")(function* (since: EpochMs) {
    const [row] = yield* sql<{ markets: bigint }>`
      SELECT count(DISTINCT series_id) AS markets FROM mid_hour
      WHERE hour >= ${Math.floor(since / hour)}`
    return Number(row?.markets ?? 0n)
  }, Effect.orDie)

const series = (sql: SqlClient) =>
  Effect.fn("MarketStore.series")(
    function* (marketId: MarketId, { from, to }: { from: EpochMs; to: EpochMs }) {
      const [row] = yield* sql<{ points: ReadonlyArray<SeriesPoint> | null }>`
      SELECT json_agg(json_build_object('at', ${pointAt(sql)}, 'mid', m) ORDER BY hour, o) AS points
      FROM mid_hour JOIN mid_series USING (series_id), unnest(offsets_ms, mids) AS point (o, m)
      WHERE market_id = ${marketId}
        AND hour BETWEEN ${Math.floor(from / hour)} AND ${Math.floor(to / hour)}
        AND ${pointAt(sql)} BETWEEN ${BigInt(from)}::bigint AND ${BigInt(to)}::bigint`
      return row?.points ?? []
    },
    Effect.orDie,
  )

const unseeded = (sql: SqlClient) =>
  Effect.fn("MarketStore.unseeded")(
    function* (ids: ReadonlyArray<MarketId>) {
      const seeded = new Set<string>()
      for (const batch of Array.chunksOf(ids, idsBatch)) {
        const rows = yield* sql<{ market_id: string }>`
        SELECT market_id FROM mid_series
        WHERE market_id = ANY (${batch}::text[]) AND seeded_at IS NOT NULL`
        for (const { market_id } of rows) seeded.add(market_id)
      }
      return ids.filter((id) => !seeded.has(id))
    },
    Effect.orDie,
  )

const markSeeded = (sql: SqlClient) =>
  Effect.fn("MarketStore.markSeeded")(
    function* (ids: ReadonlyArray<MarketId>, at: EpochMs) {
      for (const batch of Array.chunksOf(ids, idsBatch)) {
        yield* insertSeries(sql)(batch)
        yield* sql`
        UPDATE mid_series SET seeded_at = ${new Date(at)}
        WHERE market_id = ANY (${batch}::text[])`
      }
    },
    Effect.orDie,
  )

const prune = (sql: SqlClient) =>
  Effect.fn("MarketStore.prune")(function* (before: EpochMs) {
    const [row] = yield* sql<{ deleted: bigint }>`
    WITH deleted AS (DELETE FROM mid_hour WHERE hour < least(
      ${Math.floor(before / hour)}::int, (SELECT min(hour) FROM mid_hour) + 1) RETURNING 1)
    SELECT count(*) AS deleted FROM deleted`
    return Number(row?.deleted ?? 0n)
  }, Effect.orDie)
