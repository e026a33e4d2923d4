/**
 * Measures how long each migration after the first, and that of the drill of upgrades, holds which
 * locks, on a store filled to a month's size.
 *
 * A lock is held until the transaction ends, so the locks that the transaction has at its end are all
 * that it took, and each was held for at most the migration's time.
 *
 * @module
 */
import { Clock, Console, Effect } from "effect"
import { migrationFiles } from "../../../src/postgres/migrate.ts"
import {
  type PostgresCluster,
  runPostgres,
  startPostgresCluster,
} from "../../support/postgresCluster.ts"
import { drillMigration } from "./upgrade.ts"

export interface StoreSize {
  readonly feedItems: number
  readonly payments: number
}

const eventsPerPayment = 4

/** Prints the time and the locks of each migration. */
export const locks = Effect.fnUntraced(function* (dir: string, size: StoreSize) {
  const cluster = yield* startPostgresCluster(dir)
  const [first, ...others] = yield* migrationFiles
  yield* run(cluster, first?.sql ?? "")
  const startMs = yield* Clock.currentTimeMillis
  yield* run(cluster, fill(size))
  yield* Console.log(
    `filled in ${((yield* Clock.currentTimeMillis) - startMs) / 1_000} s: ${
      (yield* cluster.query(sizes)).map(([table, rows, bytes]) => `${table} ${rows} rows ${bytes}`)
        .join(", ")
    }`,
  )
  const drillSql = yield* Effect.promise(() => Deno.readTextFile(drillMigration))
  for (const { id, name, sql } of [...others, { id: 9_999, name: "drill", sql: drillSql }]) {
    const output = yield* run(
      cluster,
      `BEGIN; CREATE TEMP TABLE older ON COMMIT DROP AS SELECT oid FROM pg_class;
      SELECT 'start ' || clock_timestamp();
      ${sql};
      SELECT 'locks ' || coalesce(string_agg(DISTINCT relation::regclass || ' ' || mode, ', '), 'none')
        FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN (SELECT oid FROM older)
        AND relation >= 16384 AND mode IN (${blockingModes});
      SELECT 'ms ' || round(1000 * extract(epoch FROM clock_timestamp() - now()));
      COMMIT;`,
    )
    const value = (key: string) =>
      output.split("\n").find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
    yield* Console.log(
      `${String(id).padStart(4, "0")}_${name}: ${value("ms")} ms; ${value("locks")}`,
    )
  }
})

/** The modes that make reads or writes of others wait. */
const blockingModes = `'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'`

const sizes = `SELECT relname, n_live_tup, pg_size_pretty(pg_total_relation_size(relid))
  FROM pg_stat_user_tables WHERE relname IN ('feed_item', 'payment', 'payment_event') ORDER BY 1`

/** Rows as the service writes them, in length and distribution; written without triggers. */
const fill = ({ feedItems, payments }: StoreSize) =>
  `SET session_replication_role = replica;
  INSERT INTO feed_item (feed_index, dedupe_key, type, created_at, title, data)
    SELECT n, 'item-' || n, 'mover', now() - (${feedItems} - n) * interval '30 days' / ${feedItems},
      'A title of a market that moved, as long as most of them are ' || n,
      json_build_object('market', json_build_object('slug', 'a-market-with-a-slug-' || n % 50000,
        'question', repeat('Will it happen? ', 5)), 'more', repeat('0123456789', 120))
    FROM generate_series(1, ${feedItems}) n;
  INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce, pay_to,
      amount, valid_after, valid_before, signature, settlement, product_id, request, created_at, state,
      changed_at, intended_at, paid_transaction, paid_block, paid_log_index, paid_finality, answered_at,
      sent_at, answer_body)
    SELECT '0x' || lpad(to_hex(n), 64, '0'), 8453, '0x' || repeat('a', 40), 'USD Coin', '2',
      '0x' || lpad(to_hex(n % 1000), 40, '0'), '0x' || lpad(to_hex(n), 64, 'b'), '0x' || repeat('c', 40),
      10000, 0, 2000000000, '0x' || repeat('d', 130), 'compute-first', 'latest', '{"path":"/v1/latest"}',
      at, 'answered', at, at, '0x' || lpad(to_hex(n), 64, 'e'), n, 1, 'safe', at, at,
      CASE WHEN at > now() - interval '1 day' THEN decode(repeat('00ff', 1000), 'hex') END
    FROM (SELECT n, now() - (${payments} - n) * interval '30 days' / ${payments} AS at
      FROM generate_series(1, ${payments}) n) made;
  INSERT INTO payment_event (payment_id, to_state, fence, at)
    SELECT '0x' || lpad(to_hex(n), 64, '0'), 'claimed', 1, now()
    FROM generate_series(1, ${payments}) n, generate_series(1, ${eventsPerPayment});
  ANALYZE;`

/** Runs a script in one session, and returns what it prints. */
const run = (cluster: PostgresCluster, sql: string) =>
  Effect.flatMap(
    Effect.promise(async () => {
      const path = await Deno.makeTempFile({ suffix: ".sql" })
      await Deno.writeTextFile(path, sql)
      await Deno.chmod(path, 0o644)
      return path
    }),
    (path) =>
      runPostgres("psql", [
        "-X",
        "-q",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        cluster.url,
        "-f",
        path,
      ])
        .pipe(Effect.ensuring(Effect.promise(() => Deno.remove(path)))),
  )
