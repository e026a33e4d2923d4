/**
 * Headlines in PostgreSQL.
 *
 * @module
 */
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Headline } from "../domain/headline.ts"
import type { Verdict } from "../domain/reading.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { NewsStore, type StoredVerdict } from "../NewsStore.ts"
import { jsonText } from "../../postgres/json.ts"
import { pruneBefore } from "../../postgres/pruneBefore.ts"

/** Rows in one statement: at most a megabyte of JSON. */
const headlinesBatch = 500

interface HeadlineRow {
  readonly title: string
  readonly url: string
  readonly source: string
  readonly published_at: Date
}

export const layer: Layer.Layer<NewsStore, never, SqlClient> = Layer.effect(
  NewsStore,
  Effect.map(SqlClient, (sql) =>
    NewsStore.of({
      add: add(sql),
      saveRead: saveRead(sql),
      answered: answered(sql),
      since: since(sql),
      addVerdicts: addVerdicts(sql),
      verdicts: verdicts(sql),
      prune: prune(sql),
    })),
)

const add = (sql: SqlClient) =>
  Effect.fn("NewsStore.add")(function* (headlines: ReadonlyArray<Headline>, seenAt: EpochMs) {
    const added = yield* Effect.forEach(
      Array.chunksOf(headlines, headlinesBatch),
      (batch) =>
        sql`
      INSERT INTO headline (url, title, source, published_at, seen_at)
      SELECT url, title, source, to_timestamp(published_ms / 1000.0), ${new Date(seenAt)}
      FROM json_to_recordset(${jsonText(batch.map(incomingRow))}::json) AS (
        url text, title text, source text, published_ms float8
      )
      ON CONFLICT DO NOTHING RETURNING 1`,
    )
    return added.reduce((count, rows) => count + rows.length, 0)
  }, Effect.orDie)

const saveRead = (sql: SqlClient) =>
  Effect.fn("NewsStore.saveRead")(function* (source: string, readAt: EpochMs, answered: boolean) {
    const at = new Date(readAt)
    yield* sql`
    INSERT INTO news_source (name, requested_at, responded_at)
    VALUES (${source}, ${at}, ${answered ? at : null})
    ON CONFLICT (name) DO UPDATE
      SET requested_at = excluded.requested_at,
        responded_at = coalesce(excluded.responded_at, news_source.responded_at)
      WHERE news_source.requested_at <= excluded.requested_at`
  }, Effect.orDie)

const answered = (sql: SqlClient) =>
  Effect.fn("NewsStore.answered")(function* (after: EpochMs) {
    const rows = yield* sql<{ readonly name: string }>`
    SELECT name FROM news_source WHERE responded_at > ${new Date(after)} ORDER BY name`
    return rows.map(({ name }) => name)
  }, Effect.orDie)

const since = (sql: SqlClient) =>
  Effect.fn("NewsStore.since")(function* (from: EpochMs, limit: number) {
    const rows = yield* sql<HeadlineRow>`
    SELECT title, url, source, published_at FROM headline WHERE published_at >= ${new Date(from)}
    ORDER BY published_at DESC, url LIMIT ${limit}`
    return rows.map(({ published_at, ...row }) => ({ ...row, publishedAt: published_at.getTime() }))
  }, Effect.orDie)

const addVerdicts = (sql: SqlClient) =>
  Effect.fn("NewsStore.addVerdicts")(
    function* (rows: ReadonlyArray<StoredVerdict>, readAt: EpochMs) {
      for (const batch of Array.chunksOf(rows, headlinesBatch)) {
        yield* sql`
        INSERT INTO news_reading (market_id, url, verdict, outcome, bears, decides, quote, read_at)
        SELECT market_id, url, verdict, outcome, bears, decides, quote, ${new Date(readAt)}
        FROM json_to_recordset(${jsonText(batch.map(readingRow))}::json) AS row (
          market_id text, url text, verdict text, outcome text, bears text, decides boolean, quote text
        ) WHERE EXISTS (SELECT FROM headline WHERE headline.url = row.url)
        ORDER BY market_id, url
        ON CONFLICT DO NOTHING`
      }
    },
    Effect.orDie,
  )

const verdicts = (sql: SqlClient) =>
  Effect.fn("NewsStore.verdicts")(function* (marketIds: ReadonlyArray<MarketId>) {
    if (marketIds.length === 0) return []
    const rows = yield* sql<ReadingRow>`
    SELECT market_id, url, verdict, outcome, bears, decides, quote FROM news_reading
    WHERE market_id = ANY (${marketIds}::text[])`
    return rows.map((
      { market_id, url, verdict, outcome, bears, decides, quote },
    ): StoredVerdict => ({
      marketId: market_id,
      url,
      verdict: verdict === "about" ? { outcome, bears, decides, quote } : verdict,
    }))
  }, Effect.orDie)

const prune = (sql: SqlClient) =>
  Effect.fn("NewsStore.prune")(function* (before: EpochMs, max: number) {
    yield* sql`DELETE FROM news_source WHERE requested_at < ${
      pruneBefore(sql, before, sql`SELECT min(requested_at) FROM news_source`)
    }`
    yield* sql`DELETE FROM headline WHERE published_at < ${
      pruneBefore(sql, before, sql`SELECT min(published_at) FROM headline`)
    } OR url IN (SELECT url FROM headline ORDER BY published_at DESC, url OFFSET ${max})`
  }, Effect.orDie)

interface ReadingRow {
  readonly market_id: MarketId
  readonly url: string
  readonly verdict: "about" | Extract<Verdict, string>
  readonly outcome: string | null
  readonly bears: "for" | "against" | null
  readonly decides: boolean
  readonly quote: string
}

function readingRow({ marketId, url, verdict }: StoredVerdict): ReadingRow {
  return typeof verdict === "string"
    ? { market_id: marketId, url, verdict, outcome: null, bears: null, decides: false, quote: "" }
    : { market_id: marketId, url, verdict: "about", ...verdict }
}

function incomingRow({ url, title, source, publishedAt }: Headline) {
  return { url, title, source, published_ms: publishedAt }
}
