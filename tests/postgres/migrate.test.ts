/**
 * Migrations: each file once, in order, all or nothing, with any number of migrators.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  migrate,
  type MigrationFile,
  migrationFiles,
  SchemaDiverged,
} from "../../src/postgres/migrate.ts"
import { day } from "../../src/core/domain/time.ts"
import type { NewFeedItem } from "../../src/feed/domain/item.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import * as feedStore from "../../src/feed/postgres/feedStore.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import { CountingStore } from "../../src/whales/CountingStore.ts"
import { layer as countingLayer } from "../../src/whales/postgres/countingStore.ts"
import { layer as whaleMarketLayer } from "../../src/whales/postgres/whaleMarketStore.ts"
import { dueAt } from "../../src/whales/domain/due.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { linksOf, proofOf } from "../support/feed/chain.ts"
import { sampleItem } from "../support/feed/items.ts"
import { market } from "../support/movers/market.ts"
import { unmigratedStores } from "../support/stores.ts"

const file = (id: number, sql = `CREATE TABLE made_${id} (a integer)`): MigrationFile => ({
  id,
  name: `step_${id}`,
  sql,
})

const far = Date.UTC(2100, 0)

const address = (digit: string) => `0x${digit.repeat(40)}`
const hash = (digit: string) => `0x${digit.repeat(64)}`

const tables = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql<{ tablename: string }>`SELECT tablename FROM pg_tables
      WHERE schemaname = current_schema() ORDER BY tablename`,
    (rows) => rows.map((row) => row.tablename),
  ))

const cases: ReadonlyArray<[name: string, body: Effect.Effect<void, unknown, SqlClient>]> = [
  [
    "of several concurrent migrators one applies the files",
    Effect.gen(function* () {
      const files = yield* migrationFiles
      const runs = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => migrate(files), {
        concurrency: "unbounded",
      })
      const names = files.map((file) => file.name)
      assert.deepEqual(runs.filter((applied) => applied.length > 0), [names])
      assert.deepEqual(yield* migrate(files), [])
    }),
  ],
  [
    "a file that is added later is applied alone",
    Effect.gen(function* () {
      assert.deepEqual(yield* migrate([file(1), file(2)]), ["step_1", "step_2"])
      assert.deepEqual(yield* migrate([file(1), file(2), file(3)]), ["step_3"])
    }),
  ],
  [
    "a file with a number below the newest applied one is refused, and so is a renamed file",
    Effect.gen(function* () {
      yield* migrate([file(1), file(3)])
      const late = yield* Effect.flip(migrate([file(1), file(2), file(3)]))
      assert.ok(late instanceof SchemaDiverged)
      assert.match(late.message, /2_step_2 comes before 3/)
      const renamed = yield* Effect.flip(migrate([{ ...file(1), name: "else" }, file(3)]))
      assert.ok(renamed instanceof SchemaDiverged)
      assert.ok(!(yield* tables).includes("made_2"))
    }),
  ],
  [
    "a failing file rolls back all pending files",
    Effect.gen(function* () {
      const broken = file(2, "CREATE TABLE made_2 (a integer); SELECT * FROM nowhere")
      yield* Effect.flip(migrate([file(1), broken]))
      assert.deepEqual(yield* tables, [])
      assert.deepEqual(yield* migrate([file(1)]), ["step_1"])
    }),
  ],
  [
    "a file runs all its statements, with semicolons and quotes of every kind",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const texts = ["it's; so", "$$ ; $$", "$body$ '", "-- no", "/* no", '"', "%", "{1}", "\\"]
      const inserts = texts.map((text) => `INSERT INTO made VALUES ('${text.replace("'", "''")}');`)
      const made = `-- a table; and a function
        CREATE TABLE made (text text);
        CREATE FUNCTION count_made() RETURNS bigint LANGUAGE plpgsql AS $$
          BEGIN RETURN (SELECT count(*) FROM made); END $$; /* ; */
        ${inserts.join("\n")}
        SELECT count_made(); -- the end`
      yield* migrate([file(1, made)])
      const rows = yield* sql<
        { text: string; all: bigint }
      >`SELECT text, count_made() AS all FROM made`
      assert.deepEqual(rows.map(({ text }) => text), texts)
      assert.equal(rows[0]?.all, BigInt(texts.length))
    }),
  ],
  [
    "0032 deletes stored digests that rest on nothing, and marks the thin ones",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* migrationFiles
      yield* migrate(files.filter(({ id }) => id < 32))
      const noon = Date.UTC(2026, 10, 21, 12)
      const digest = (slot: number, feedIndex: number, statement: string) =>
        sql`INSERT INTO digest (slot, created_at, until_at, feed_index, digest) VALUES (
          ${new Date(noon + slot * 4 * 3_600_000)}, ${new Date(noon + slot * 4 * 3_600_000)},
          ${new Date(noon + slot * 4 * 3_600_000)}, ${BigInt(feedIndex)},
          ${JSON.stringify({ facts: [{ id: "F1", statement }] })}::json)`
      for (let index = 1; index <= 6; index++) {
        // The first two items are older than a day.
        const at = new Date(index <= 2 ? noon - 90_000_000 : noon - 60_000)
        yield* sql`INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data)
          VALUES (${BigInt(index)}, ${`${index}`}, 'mover', ${at}, 'Any', '{}')`
      }
      yield* digest(0, 4, "The prices of 120 markets were watched.")
      yield* digest(1, 4, "The venue was not read at all, so a quiet digest does not mean it.")
      yield* digest(2, 4, "No market was watched, so this digest says nothing about price moves.")
      yield* digest(3, 4, "The prices of 120 markets were watched.")
      yield* sql`UPDATE feed_item SET feed_index = feed_index + 1 WHERE feed_index = 6`
      yield* sql`UPDATE feed_item SET feed_index = 6, created_at = ${new Date(noon)}
        WHERE feed_index = 1`
      yield* digest(4, 7, "The prices of 120 markets were watched.")
      yield* migrate(files)
      const rows = yield* sql<{ n: number; below_threshold: boolean }>`
        SELECT (extract(epoch FROM slot - ${new Date(noon)}::timestamptz) / 14400)::int AS n,
          below_threshold FROM digest ORDER BY slot`
      assert.deepEqual(
        rows.map(({ n, below_threshold }) => [n, below_threshold]),
        [[0, true], [3, true], [4, false]],
      )
    }),
  ],
  [
    "0042 begins the chain with the first kept item of an earlier version",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* migrationFiles
      yield* migrate(files.filter(({ id }) => id < 42))
      const before = [5, 6, 7, 8, 9].map((index) => sampleItem(index, Date.UTC(2026, 10, index)))
      for (const { feedIndex, type, createdAt, title, data } of before) {
        yield* sql`INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data)
          VALUES (${BigInt(feedIndex)}, ${title}, ${type}, ${new Date(createdAt)}, ${title},
            ${JSON.stringify(data)}::json)`
      }
      yield* sql`UPDATE feed_counter SET last_index = 9`
      yield* migrate(files)
      const feed = Context.get(yield* Layer.build(feedStore.layer), FeedStore)
      const { feedIndex: _, ...next } = sampleItem(10, Date.UTC(2026, 10, 10))
      yield* feed.append([{ ...next, dedupeKey: "10" } as NewFeedItem])
      assert.equal(yield* feed.link(3), 3)
      assert.equal(yield* feed.link(3), 0)
      const items = yield* feed.page({ since: 0, count: 9, type: null })
      assert.equal(items.length, 6)
      assert.deepEqual(
        items.map(({ chain }) => chain?.hash),
        linksOf(items).map(({ hash }) => hash),
      )
      for (const { feedIndex } of items) {
        assert.deepEqual(yield* feed.proof(feedIndex), proofOf(items, feedIndex))
      }
    }).pipe(Effect.scoped),
  ],
  [
    "0030 gives markets a new event with their next facts, and marks what ended to be counted again",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* migrationFiles
      yield* migrate(files.filter(({ id }) => id < 30))
      const wallet = "0xaaaa"
      yield* sql`INSERT INTO whale_wallet (wallet, name, source, tracked_at)
        VALUES (${wallet}, 'Any', 'volume', now())`
      yield* sql`INSERT INTO whale_event (event) VALUES ('game'), ('game-more-markets')`
      yield* sql`INSERT INTO whale_market (market, event_id, fee_rate, has_entries, state,
          payout_first, payout_second, source, ended_at)
        SELECT 'm' || event_id, event_id, 0, true, 'paid', 1, 0, 'oracle', now() FROM whale_event`
      yield* sql`INSERT INTO whale_position (market_id, wallet_id, activity_version,
          entries_version, entry_count)
        SELECT market_id, wallet_id, 1, 1, 1 FROM whale_market, whale_wallet`
      yield* sql`INSERT INTO whale_score (event_id, wallet_id, market_id, score)
        SELECT event_id, wallet_id, market_id, '{}' FROM whale_market, whale_wallet`
      yield* sql`INSERT INTO whale_sums (wallet_id, version, scores, judgement, sums)
        SELECT wallet_id, 1, 2, 'null', ''::bytea FROM whale_wallet`
      yield* migrate(files)
      const store = yield* WhaleMarketStore
      const counting = yield* CountingStore
      const [first, second] = [MarketId.make("m1"), MarketId.make("m2")]
      assert.deepEqual(yield* store.unknownMarkets(9, 0), [second, first])
      assert.deepEqual(yield* counting.uncounted(9, far), [])
      const facts = [first, second].map((id) => market({ id, eventKey: "game" }))
      yield* store.saveFacts(facts, [], 0)
      // Both markets are one event now, and no old sums are left.
      const events = yield* counting.uncounted(9, far)
      assert.deepEqual(
        events.map(({ positions }) =>
          positions.map(({ marketId, changed }) => [marketId, changed])
        ),
        [[[first, true], [second, true]]],
      )
      assert.deepEqual(
        yield* counting.sums([wallet]),
        new Map([[wallet, { version: 0, sums: null }]]),
      )
      assert.deepEqual(yield* sql`SELECT FROM whale_stale`, [])
    }).pipe(Effect.provide(Layer.merge(whaleMarketLayer, countingLayer))),
  ],
  [
    "0033 gives markets a due time by their schedule, and counts what ended again in that order",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* migrationFiles
      yield* migrate(files.filter(({ id }) => id < 33))
      yield* sql`INSERT INTO whale_wallet (wallet, name, source, tracked_at)
        VALUES ('0xaaaa', 'Any', 'volume', now())`
      const start = Date.UTC(2026, 0)
      const schedules = [
        { endsAt: null, gameStartsAt: null },
        { endsAt: start + 4 * day, gameStartsAt: null },
        { endsAt: null, gameStartsAt: start + 3 * day },
        { endsAt: start + 17 * day, gameStartsAt: start + 2 * day },
        { endsAt: start + 17 * day + 1, gameStartsAt: start + 2 * day },
      ].map((schedule, n) =>
        market({ ...schedule, id: MarketId.make(`m${n}`), eventKey: `event-${n}` })
      )
      for (const { id, eventKey, ...schedule } of schedules) {
        yield* sql`WITH event AS (
            INSERT INTO whale_event (event) VALUES (${eventKey}) RETURNING event_id
          ), market AS (
            INSERT INTO whale_market (market, event_id, fee_rate, has_entries, state,
              payout_first, payout_second, source, ended_at)
            SELECT ${id}::text, event_id, 0, true, 'paid', 1, 0, 'oracle', now() FROM event
            RETURNING market_id
          ) INSERT INTO whale_market_facts (market_id, facts)
          SELECT market_id, ${JSON.stringify({ id, ...schedule })}::json FROM market`
      }
      yield* sql`INSERT INTO whale_position (market_id, wallet_id, activity_version,
          entries_version, entry_count)
        SELECT market_id, wallet_id, 1, 1, 1 FROM whale_market, whale_wallet`
      yield* migrate(files)
      const counting = yield* CountingStore
      const counted = (at: number) =>
        Effect.map(
          counting.uncounted(9, at),
          (events) => events.flatMap(({ positions }) => positions.map(({ marketId }) => marketId)),
        )
      assert.deepEqual(yield* counted(start), ["m0"])
      assert.deepEqual(yield* counted(far), ["m0", "m3", "m2", "m1", "m4"])
      // As the store decides for a market that it sees for the first time.
      const due = yield* sql<{ due_at: Date | null }>`
        SELECT nullif(due_at, '-infinity') AS due_at FROM whale_market ORDER BY market_id`
      assert.deepEqual(
        due.map(({ due_at }) => due_at?.getTime() ?? null),
        schedules.map(dueAt),
      )
    }).pipe(Effect.provide(countingLayer)),
  ],
  [
    "0021 renames a refund state to needs_review, and its guards work afterwards",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* migrationFiles
      yield* migrate(files.filter(({ id }) => id < 21))
      yield* sql`
        INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, settlement, state, paid_transaction,
          paid_block, paid_log_index, paid_finality)
        SELECT id, 1, ${address("a")}, 'x', '2', ${address("b")}, id, ${address("c")}, 5, 0, 1,
          'settle-early', 'refund_due', '0x', 1, 1, 'safe'
        FROM unnest(${[hash("1"), hash("2")]}::text[]) id`
      yield* sql`UPDATE refund SET state = 'stuck', last_error = 'stuck' WHERE payment_id = ${
        hash("1")
      }`
      yield* migrate(files)
      const rows = yield* sql<{ state: string; last_error: string | null }>`
        SELECT state, last_error FROM refund ORDER BY payment_id`
      assert.deepEqual(rows, [
        { state: "needs_review", last_error: "needs_review" },
        { state: "queued", last_error: null },
      ])
      yield* sql.withTransaction(Effect.andThen(
        sql`INSERT INTO refund_action (payment_id, action, person, note)
          SELECT payment_id, 'requeue', 'Ada', 'test' FROM refund`,
        sql`UPDATE refund SET state = 'queued' WHERE state = 'needs_review'`,
      ))
      yield* Effect.flip(sql`UPDATE refund SET state = 'stuck'`)
    }),
  ],
  [
    "a schema that is newer than the files is not changed",
    Effect.gen(function* () {
      yield* migrate([file(1), file(2)])
      assert.deepEqual(yield* migrate([file(1)]), [])
    }),
  ],
]

/** Drops everything a case created: all cases share one store. */
const clean = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(
    sql<{ name: string }>`SELECT current_schema() AS name`,
    ([schema]) =>
      Effect.andThen(
        sql`DROP SCHEMA ${sql(schema?.name ?? "public")} CASCADE`,
        Effect.asVoid(sql`CREATE SCHEMA ${sql(schema?.name ?? "public")}`),
      ),
  ))

for (const { name: store, layer } of unmigratedStores) {
  Deno.test(`migrate() on the ${store} store`, async (t) => {
    const scope = Scope.makeUnsafe()
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    for (const [name, body] of cases) {
      await t.step(
        name,
        () => Effect.runPromise(Effect.provide(Effect.andThen(body, clean), context)),
      )
    }
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
}
