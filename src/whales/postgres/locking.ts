/**
 * What the whale stores share: the lock order of rows, short keys, the mark of uncounted positions, and
 * the revision of published calibrations.
 *
 * A transaction that changes the activity or the entries of a wallet locks the wallet's row first. One
 * that changes a market's resolution, or reads it in order to mark positions, then locks the market's
 * row. The lock order is: wallets, markets, marks, sums, the revision, each sorted by key. This prevents
 * lost marks and deadlocks. Names are sorted before they are inserted for the same reason.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

type Keys = ReadonlyMap<string, number>

/** Tables that map a name in one column to a key in another. */
const tables = {
  market: { table: "whale_market", key: "market_id" },
  event: { table: "whale_event", key: "event_id" },
  token: { table: "whale_token", key: "token_id" },
  wallet: { table: "whale_wallet", key: "wallet_id" },
} as const
type NamedTable = keyof typeof tables

const keysOf = (rows: ReadonlyArray<{ readonly name: string; readonly key: number }>): Keys =>
  new Map(rows.map(({ name, key }) => [name, key]))

/** Inserts the names that have no key yet. */
export const insertNames = (sql: SqlClient, what: NamedTable, names: ReadonlyArray<string>) =>
  sql`
    INSERT INTO ${sql(tables[what].table)} (${sql(what)})
    SELECT name FROM unnest(${distinct(names)}::text[]) AS name
    WHERE NOT EXISTS (SELECT FROM ${sql(tables[what].table)} WHERE ${sql(what)} = name)
    ORDER BY name COLLATE "C"
    ON CONFLICT DO NOTHING`

/** The keys of names; unknown names are absent. Locks last until the transaction ends. */
export const keys = (
  sql: SqlClient,
  what: NamedTable,
  names: ReadonlyArray<string>,
  locked: keyof typeof locks = "unlocked",
) =>
  sql<{ name: string; key: number }>`
    SELECT ${sql(what)} AS name, ${sql(tables[what].key)} AS key FROM ${sql(tables[what].table)}
    WHERE ${sql(what)} = ANY (${distinct(names)}::text[])
    ORDER BY ${sql(tables[what].key)} ${sql.literal(locks[locked])}`.pipe(Effect.map(keysOf))

const locks = { unlocked: "", "to read": "FOR SHARE", "to write": "FOR NO KEY UPDATE" } as const

const distinct = (names: ReadonlyArray<string>) => [...new Set(names)]

/**
 * The end of a statement: marks the positions of its CTE `marked (event_id, wallet_id, market_id, due_at)`. A
 * position that is already marked keeps its place in the queue and gets the new version. It is due with
 * its market, or at once if it is counted.
 */
export const markUncounted = (sql: SqlClient) =>
  sql.literal(`
    INSERT INTO whale_uncounted (event_id, wallet_id, market_id, due_at, since, version)
    SELECT event_id, wallet_id, market_id, CASE WHEN EXISTS (
        SELECT FROM whale_score s WHERE s.event_id = numbered.event_id
          AND s.wallet_id = numbered.wallet_id AND s.market_id = numbered.market_id
      ) THEN '-infinity' ELSE due_at END, change, change
    FROM (SELECT marked.*, nextval('whale_change') AS change FROM marked) numbered
    ORDER BY event_id, wallet_id, market_id
    ON CONFLICT (event_id, wallet_id, market_id) DO UPDATE SET version = excluded.version`)

/** Records a change of published calibrations; must be the last statement of a transaction. */
export const bumpRevision = (sql: SqlClient) =>
  sql`
    INSERT INTO whale_revision AS stored (revision) VALUES (1)
    ON CONFLICT (single) DO UPDATE SET revision = stored.revision + 1`
