/**
 * A clock that jumps by 100 days and back, between two runs of every deletion of old rows.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  day,
  type EpochMs,
  hour,
  isoTime,
  minute,
  pruneStepMs,
} from "../../src/core/domain/time.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { RateLimits } from "../../src/core/RateLimits.ts"
import { DigestStore } from "../../src/digest/DigestStore.ts"
import * as digests from "../../src/digest/postgres/digestStore.ts"
import type { NewFeedItem } from "../../src/feed/domain/item.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import * as feed from "../../src/feed/postgres/feedStore.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import * as markets from "../../src/markets/postgres/marketStore.ts"
import { NewsStore } from "../../src/news/NewsStore.ts"
import * as news from "../../src/news/postgres/newsStore.ts"
import * as slots from "../../src/postgres/jobSlots.ts"
import * as limits from "../../src/postgres/rateLimits.ts"
import * as reports from "../../src/research/postgres/reportStore.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { sampleItem } from "../support/feed/items.ts"
import { onEveryStore } from "../support/stores.ts"

const start = Date.UTC(2026, 10, 20)
/** A row of each table every ten minutes, for a day. */
const rows = day / (10 * minute)

/** Each table, and what its n-th row at `t` contains. */
const tables = [
  ["job_slot", "'tick', t, n, t, NULL, NULL"],
  ["rate_log", "'free', n, ARRAY[1], ARRAY[1], 1, extract(epoch FROM t) * 1000"],
  ["mid_hour", "n, extract(epoch FROM t)::bigint / 3600, ARRAY[0], ARRAY[0.5]"],
  ["market_quote", "n, 1, 1, NULL, NULL, t, NULL"],
  ["news_source", "n, t, t"],
  ["headline", "n, n, 'source', t, t"],
  ["digest", "t, t, t, n, '{}'"],
  ["research_report", "'m', n, 'failed', t, t, NULL, NULL"],
] as const

const stores = Layer.mergeAll(
  slots.layer,
  limits.layer({ time: "clock" }),
  markets.layer,
  news.layer,
  digests.layer,
  reports.layer,
  feed.layer,
)

const pruneAll = Effect.fnUntraced(function* (before: EpochMs) {
  yield* (yield* JobSlots).prune(before)
  yield* (yield* RateLimits).prune(before)
  yield* (yield* MarketStore).prune(before)
  yield* (yield* MarketStore).pruneUnlisted(before)
  yield* (yield* NewsStore).prune(before, 9_999)
  yield* (yield* DigestStore).prune(before)
  yield* (yield* ReportStore).prune(before)
  yield* (yield* FeedStore).prune(before)
})

const newItem = (n: number): NewFeedItem => {
  const { feedIndex: _, ...item } = sampleItem(n, start + n * 10 * minute)
  return { ...item, dedupeKey: `${n}` } as NewFeedItem
}

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const [table, row] of tables) {
    yield* sql.unsafe(`INSERT INTO ${table} SELECT ${row} FROM generate_series(0, ${rows - 1}) AS n,
      LATERAL (SELECT '${isoTime(start)}'::timestamptz + n * interval '10 minutes') AS at (t)`)
  }
  yield* (yield* FeedStore).append(Array.from({ length: rows }, (_, n) => newItem(n)))
})

const left = Effect.gen(function* () {
  const sql = yield* SqlClient
  const counts = new Map<string, number>()
  for (const table of [...tables.map(([table]) => table), "feed_item"]) {
    const [row] = yield* sql<{ count: bigint }>`SELECT count(*) FROM ${sql(table)}`
    counts.set(table, Number(row?.count))
  }
  return counts
})

onEveryStore("Deletions", (law) => {
  law(
    "a clock that jumps by 100 days and back deletes at most two slots of each table",
    Effect.gen(function* () {
      yield* fill
      yield* pruneAll(start + 100 * day)
      yield* pruneAll(start)
      for (const [table, count] of yield* left) {
        const deleted = (table === "mid_hour" ? hour : pruneStepMs) / (10 * minute)
        assert.deepEqual([table, count], [table, rows - deleted])
      }
    }).pipe(Effect.provide(stores)),
  )

  law(
    "rows that are old are all deleted, two slots a run",
    Effect.gen(function* () {
      yield* fill
      yield* Effect.replicateEffect(pruneAll(start + day), day / pruneStepMs)
      for (const [table, count] of yield* left) {
        // The newest listing shows what is listed: its last hour stays.
        assert.deepEqual([table, count], [table, table === "market_quote" ? 7 : 0])
      }
    }).pipe(Effect.provide(stores)),
  )
})
