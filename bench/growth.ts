/**
 * How fast each large table grows, and how much WAL its writes cost.
 *
 *     deno task bench:growth [markets sales limits slots feed whales]
 *
 * Starts a PostgreSQL of its own, durable as in production, and writes through the stores of the
 * product. Dead rows are vacuumed when autovacuum would do it (a fifth of the table), and a
 * checkpoint comes as often as in production, so that the WAL has its whole pages. Prints bytes per row
 * and WAL per unit; docs/capacity.md multiplies them.
 *
 * @module
 */
import { Console, Duration, Effect, Layer, Redacted } from "effect"
import { Argument } from "effect/cli"
import { SqlClient } from "effect/sql/SqlClient"
import { JobSlots } from "../src/core/JobSlots.ts"
import { RateLimits } from "../src/core/RateLimits.ts"
import { day, hour, minute } from "../src/core/domain/time.ts"
import { FeedStore } from "../src/feed/FeedStore.ts"
import * as feedStore from "../src/feed/postgres/feedStore.ts"
import { type Market, MarketId, Slug, TokenId } from "../src/markets/domain/market.ts"
import { MarketStore } from "../src/markets/MarketStore.ts"
import * as marketStore from "../src/markets/postgres/marketStore.ts"
import * as paymentStore from "../src/payments/postgres/paymentStore.ts"
import { Retention } from "../src/payments/postgres/retention.ts"
import { layerPostgres } from "../src/postgres/client.ts"
import * as jobSlots from "../src/postgres/jobSlots.ts"
import { migrate, migrationFiles } from "../src/postgres/migrate.ts"
import * as rateLimits from "../src/postgres/rateLimits.ts"
import * as walletStore from "../src/whales/postgres/walletStore.ts"
import { WalletStore } from "../src/whales/WalletStore.ts"
import { sampleItem } from "../tests/support/feed/items.ts"
import { market as sampleMarket } from "../tests/support/movers/market.ts"
import { hasPostgres, startPostgresCluster } from "../tests/support/postgresCluster.ts"
import { benchArguments, missing } from "./needs.ts"
import { sell } from "./sales.ts"
import { fill } from "./whaleTables.ts"

const start = Date.UTC(2026, 10, 20)
const hash = (n: number) => `0x${n.toString(16).padStart(8, "0").repeat(8)}`

/** The share of quotes that a listing changes; an unchanged quote is written again each hour. */
const requotedShare = 0.3
/** The share of markets whose facts a listing changes. */
const changedShare = 0.01

/** A market with names as long as those of the real venue. */
const marketAt = (n: number, tick: number): Market => {
  const changes = (share: number) => (n * 7919 + tick * 104729) % 1000 < share * 1000 ? tick : 0
  return {
    ...sampleMarket(),
    id: MarketId.make(hash(n)),
    slug: Slug.make(`will-candidate-${n}-win-the-district-before-the-end-of-the-year`),
    question: `Will candidate ${n} win the district before the end of the year?`,
    eventSlug: `district-election-number-${n >> 2}`,
    url: `https://polymarket.com/event/district-election-number-${n >> 2}`,
    tokenIds: [
      TokenId.make(`${n}`.padStart(77, "1")),
      TokenId.make(`${n}`.padStart(77, "2")),
    ],
    endsAt: start + n * minute + changes(changedShare) * hour,
    eventKey: `district-election-number-${n >> 2}`,
    volumeUsd: 50_000 + n + changes(requotedShare),
    listed: { bestBid: 0.4, bestAsk: 0.42 },
  }
}

interface Size {
  readonly name: string
  readonly rows: bigint
  readonly dead: bigint
  readonly updated: bigint
  /** Updates that changed no index: their dead versions need no vacuum. */
  readonly hot: bigint
  readonly heap: bigint
  readonly indexes: bigint
  readonly total: bigint
}

const sizes = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient
  // Sessions report their counts at most once a second.
  yield* Effect.sleep("1500 millis")
  return yield* Effect.forEach(tables, (name) =>
    Effect.gen(function* () {
      const [row] = yield* sql<Size>`
        SELECT relname AS name, n_dead_tup AS dead, n_tup_upd AS updated, n_tup_hot_upd AS hot,
          pg_relation_size(relid) AS heap,
          pg_indexes_size(relid) AS indexes, pg_total_relation_size(relid) AS total
        FROM pg_stat_user_tables WHERE relname = ${name}`
      const [count] = yield* sql<{ rows: bigint }>`SELECT count(*) AS rows FROM ${sql(name)}`
      if (row === undefined) return yield* Effect.die(`no table ${name}`)
      return { ...row, rows: count?.rows ?? 0n }
    }))
})

const printSizes = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  for (const { name, rows, dead, updated, hot, heap, indexes, total } of yield* sizes(tables)) {
    const per = (bytes: bigint) => Math.round(Number(bytes) / Math.max(Number(rows), 1))
    yield* Console.log(
      `  ${name}: ${rows} rows, ${dead} dead, ${updated} updates (${hot} in place); ${
        per(total)
      } bytes a row ` +
        `(heap ${per(heap)}, indexes ${per(indexes)}), ${(Number(total) / 1e6).toFixed(1)} MB`,
    )
  }
})

/** What autovacuum does with its default settings: nothing before a fifth of the rows are dead. */
const vacuumDue = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient
  let vacuums = 0
  for (const { name, rows, dead } of yield* sizes(tables)) {
    if (Number(dead) <= 50 + 0.2 * Number(rows)) continue
    yield* sql.unsafe(`VACUUM (ANALYZE) ${name}`).unprepared
    vacuums++
  }
  return vacuums
})

const checkpoint = Effect.flatMap(SqlClient, (sql) => sql.unsafe("CHECKPOINT").unprepared)

/** Prints the WAL of each unit of `run`, and the sizes of the tables after it. */
const measure = Effect.fnUntraced(function* <E, R>(
  title: string,
  { units, unit, tables }: { units: number; unit: string; tables: ReadonlyArray<string> },
  run: Effect.Effect<unknown, E, R>,
) {
  const sql = yield* SqlClient
  yield* checkpoint
  const lsn = sql<{ bytes: bigint }>`
    SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint AS bytes`.pipe(
    Effect.map(([row]) => Number(row?.bytes ?? 0n)),
  )
  const before = yield* lsn
  const started = performance.now()
  yield* run
  const seconds = (performance.now() - started) / 1000
  const wal = (yield* lsn) - before
  yield* Console.log(
    `${title}: ${units} ${unit}s in ${seconds.toFixed(0)} s, WAL ${
      Math.round(wal / units)
    } bytes a ${unit}`,
  )
  yield* printSizes(tables)
})

const marketCount = 50_000
const newPerTick = 35
const booksPerTick = 5_000
const ticks = Number(Deno.env.get("TICKS") ?? 18)
const marketTables = ["market", "market_quote", "mid_series", "mid_hour"]

const tick = Effect.fnUntraced(function* (n: number) {
  const store = yield* MarketStore
  const at = start + n * 10 * minute
  const first = n * newPerTick
  const markets = Array.from({ length: marketCount }, (_, i) => marketAt(first + i, n))
  yield* store.save(markets, at)
  yield* store.appendMids(
    markets.slice(0, booksPerTick).map(({ id }, i) => ({
      ...{ marketId: id, at: at + 1_000 + i, mid: 0.4 + (i + n) % 100 / 1000 },
    })),
  )
})

const markets = Effect.gen(function* () {
  const tables = marketTables
  yield* measure("first listing", { units: 1, unit: "listing", tables }, tick(0))
  let vacuums = 0
  yield* measure(
    "ticks of 50,000 markets and 5,000 books",
    { units: ticks - 1, unit: "tick", tables },
    Effect.forEach(
      Array.from({ length: ticks - 1 }, (_, n) => n + 1),
      (n) =>
        Effect.gen(function* () {
          yield* tick(n)
          yield* checkpoint
          vacuums += yield* vacuumDue(tables)
        }),
    ),
  )
  yield* Console.log(`  ${vacuums} vacuums`)
})

/** Ten a second for the five minutes between two checkpoints. */
const salesPerCheckpoint = 3_000
const sales = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = ["payment", "payment_answer", "payment_event", "refund"]
  const rounds = 3
  const units = rounds * salesPerCheckpoint
  const round = (n: number) =>
    Effect.forEach(
      Array.from({ length: salesPerCheckpoint }, (_, i) => n * salesPerCheckpoint + i),
      sell,
      { concurrency: 50, discard: true },
    ).pipe(Effect.andThen(checkpoint), Effect.andThen(vacuumDue(tables)))
  const rounds_ = (first: number) =>
    Effect.forEach(Array.from({ length: rounds }, (_, n) => first + n), round)
  yield* measure("sales", { units, unit: "sale", tables }, rounds_(0))
  const store = yield* Retention
  yield* sql.withTransaction(Effect.all([
    sql`SET LOCAL session_replication_role = replica`,
    sql`UPDATE payment SET sent_at = sent_at - interval '25 hours'`,
    sql`UPDATE payment_answer SET used_at = used_at - interval '25 hours'`,
  ]))
  yield* sql.unsafe("VACUUM payment, payment_answer").unprepared
  yield* measure(
    "keys freed and bodies deleted",
    { units, unit: "sale", tables },
    Effect.all([
      Effect.repeat(store.freeKeys(1_000), { while: (freed) => freed > 0 }),
      Effect.repeat(store.deleteBodies(1_000), { while: (deleted) => deleted > 0 }),
      sql.unsafe("VACUUM payment, payment_answer").unprepared,
    ]),
  )
  // A day later: the space of the bodies is used again.
  yield* measure("sales after that", { units, unit: "sale", tables }, rounds_(rounds))
})

const limits = Effect.gen(function* () {
  const store = yield* RateLimits
  const tables = ["rate_log"]
  const clients = 2_000
  const takes = 40_000
  const policy = { name: "pages", limit: 120, windowMs: minute }
  const take = (n: number) => store.take(policy, `client-${n * 7919 % clients}`)
  yield* measure(
    "requests",
    { units: takes, unit: "request", tables },
    Effect.forEach(
      Array.from({ length: 8 }, (_, n) => n),
      (round) =>
        Effect.forEach(Array.from({ length: takes / 8 }, (_, n) => round * takes / 8 + n), take, {
          concurrency: 64,
          discard: true,
        }).pipe(Effect.andThen(vacuumDue(tables))),
    ),
  )
})

const slots = Effect.gen(function* () {
  const store = yield* JobSlots
  const tables = ["job", "job_slot"]
  const units = 5_000
  const lease = Duration.seconds(60)
  const one = Effect.fnUntraced(function* (n: number) {
    const claim = yield* store.claim(`job-${n % 13}`, start + n * minute, lease)
    if (claim._tag === "Some") yield* store.finish(claim.value, "ok")
  })
  yield* measure(
    "slots of jobs",
    { units, unit: "slot", tables },
    Effect.forEach(Array.from({ length: units }, (_, n) => n), one, { concurrency: 4 }),
  )
})

const feed = Effect.gen(function* () {
  const store = yield* FeedStore
  const units = 2_000
  const items = Array.from({ length: units }, (_, n) => {
    const { feedIndex, ...item } = sampleItem(n + 1, start + n * minute)
    return { ...item, dedupeKey: `mover ${hash(feedIndex)} 24h ${start}` }
  })
  yield* measure(
    "items of the feed",
    { units, unit: "item", tables: ["feed_item"] },
    Effect.forEach(items, (item) => store.append([item]), { concurrency: 4, discard: true }),
  )
})

const whaleTables = [
  ...["whale_activity", "whale_position", "whale_market", "whale_market_facts"],
  ...["whale_event", "whale_stale", "whale_record", "whale_wallet"],
]
/** Reads of 1,000 wallets; ten events in five markets each. */
const whales = Effect.gen(function* () {
  const store = yield* WalletStore
  const sql = yield* SqlClient
  const wallets = 1_000
  yield* fill({ entries: 100_000, wallets })
  yield* Console.log("wallets of 100 entries, filled in bulk")
  yield* printSizes(whaleTables)
  yield* sql`SELECT setval(pg_get_serial_sequence('whale_market', 'market_id'), 1000000)`
  yield* sql`SELECT setval(pg_get_serial_sequence('whale_token', 'token_id'), 1000)`
  const rounds = 3
  const eventsPerRead = 10
  const activity = (wallet: string, seed: number) =>
    Array.from({ length: eventsPerRead }, (_, i) => ({
      ...{ wallet, marketId: MarketId.make(hash((seed * 5 + i % 5) % 20_000 + 1e6)) },
      ...{ kind: "buy", tokenId: TokenId.make(`${seed * 5 + i % 5}`.padStart(77, "3")) } as const,
      ...{ size: 100 + i, price: 0.4 + i / 100, at: start + day + seed * 1_000 + i },
      ...{ transaction: `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`, occurrence: 0 },
    }))
  const read = (n: number) => {
    const wallet = `0x${(n % wallets + 1).toString(16).padStart(40, "0")}`
    const at = start + day + n * 1_000
    return store.saveRead({
      ...{ wallet, activity: activity(wallet, n), readFrom: at, readTo: at },
      history: "whole" as const,
    })
  }
  yield* measure(
    "activity",
    { units: wallets * rounds * eventsPerRead, unit: "event", tables: whaleTables },
    Effect.forEach(Array.from({ length: wallets * rounds }, (_, n) => n), read, {
      concurrency: 4,
      discard: true,
    }),
  )
})

const parts = { markets, sales, limits, slots, feed, whales }
const { names } = await benchArguments("growth", {
  names: Argument.Literals("part", Object.keys(parts)).pipe(Argument.variadic()),
})
const storesLayer = Layer.mergeAll(
  ...[marketStore.layer, paymentStore.layer, Retention.layer] as const,
  ...[jobSlots.layer, rateLimits.layer(), feedStore.layer, walletStore.layer] as const,
)

const program = Effect.gen(function* () {
  yield* Effect.flatMap(migrationFiles, migrate)
  yield* Console.log(`load average ${Deno.loadavg().map((load) => load.toFixed(0)).join(", ")}`)
  for (const [name, part] of Object.entries(parts)) {
    if (names.length === 0 || names.includes(name)) yield* part
  }
})

if (!hasPostgres) missing("the programs of PostgreSQL: apt-get install postgresql")
const dir = await Deno.makeTempDir({ prefix: "growth" })
await Deno.chmod(dir, 0o755)
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const { url } = yield* startPostgresCluster(dir)
  const client = layerPostgres({ url: Redacted.make(url), maxConnections: 10 })
  yield* Effect.provide(program, Layer.provideMerge(storesLayer, client))
})))
await Deno.remove(dir, { recursive: true })
