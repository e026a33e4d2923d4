/**
 * The mid series in PostgreSQL: one row for each market and hour, under a short key.
 *
 * @module
 */
import { Array, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MarketId, SeriesPoint } from "../domain/market.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"
import type { MidPoint } from "../MarketStore.ts"

/** Rows in one statement. */
const hoursBatch = 2_000
/** Identifiers in one statement. */
const idsBatch = 10_000

/** One row: the n-th offset belongs to the n-th mid. Offsets are unique and unordered. */
interface MidHour {
  readonly market_id: string
  /** Whole hours since the epoch. */
  readonly hour: number
  readonly offsets_ms: ReadonlyArray<number>
  readonly mids: ReadonlyArray<number>
}

/** The series methods of `MarketStore`. */
export const mids = (sql: SqlClient) => ({
  appendMids: appendMids(sql),
  lastMids: lastMids(sql),
  watched: watched(sql),
  series: series(sql),
  unseeded: unseeded(sql),
  markSeeded: markSeeded(sql),
  prune: prune(sql),
})

const insertSeries = (sql: SqlClient) => (ids: ReadonlyArray<string>) =>
  sql`
    INSERT INTO mid_series (market_id)
    SELECT id FROM unnest(${ids}::text[]) AS id
    WHERE NOT EXISTS (SELECT FROM mid_series WHERE market_id = id)
    ORDER BY id
    ON CONFLICT DO NOTHING`

/** A new point replaces a stored one at the same offset. */
const appendBatch = (sql: SqlClient) => (rows: ReadonlyArray<MidHour>) =>
  sql`
    INSERT INTO mid_hour AS stored (series_id, hour, offsets_ms, mids)
    SELECT series_id, row.hour, row.offsets_ms, row.mids
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS row (market_id text, hour integer, offsets_ms integer[], mids float8[])
    JOIN mid_series USING (market_id)
    ORDER BY series_id, row.hour
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
      yield* Effect.forEach(Array.chunksOf(midHours(added), hoursBatch), appendBatch(sql), {
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
      SELECT hour * ${BigInt(hour)}::bigint + o AS at, m AS mid
      FROM (
        SELECT hour, offsets_ms, mids FROM mid_hour
        WHERE mid_hour.series_id = mid_series.series_id
          AND hour BETWEEN ${Math.floor(notBefore / hour)} AND ${Math.floor(atOrBefore / hour)}
        ORDER BY hour DESC
      ) hours, unnest(offsets_ms, mids) AS point (o, m)
      WHERE hour * ${BigInt(hour)}::bigint + o
        BETWEEN ${BigInt(notBefore)}::bigint AND ${BigInt(atOrBefore)}::bigint
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
      const rows = yield* sql<Omit<MidHour, "market_id">>`
      SELECT hour, offsets_ms, mids FROM mid_hour JOIN mid_series USING (series_id)
      WHERE market_id = ${marketId}
        AND hour BETWEEN ${Math.floor(from / hour)} AND ${Math.floor(to / hour)}
      ORDER BY hour`
      return points(rows).filter(({ at }) => from <= at && at <= to)
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

/** One row for each market and hour; of two points with the same time, the later one in the list wins. */
function midHours(points: ReadonlyArray<MidPoint>): ReadonlyArray<MidHour> {
  const series = new Map<string, Map<number, Map<number, number>>>()
  for (const { marketId, at, mid } of points) {
    const hours = getOrInsert(series, marketId, () => new Map<number, Map<number, number>>())
    const wholeHour = Math.floor(at / hour)
    getOrInsert(hours, wholeHour, () => new Map<number, number>()).set(at - wholeHour * hour, mid)
  }
  return [...series].flatMap(([market_id, hours]) =>
    [...hours].map(([hour, mids]) => ({
      market_id,
      hour,
      offsets_ms: [...mids.keys()],
      mids: [...mids.values()],
    }))
  )
}

/** The points of one market's rows, oldest first. */
function points(
  rows: ReadonlyArray<Omit<MidHour, "market_id">>,
): ReadonlyArray<SeriesPoint> {
  return rows.flatMap((row) =>
    row.mids.map((mid, n) => ({ at: row.hour * hour + (row.offsets_ms[n] ?? 0), mid }))
  ).sort((a, b) => a.at - b.at)
}

function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
