/**
 * What the whale stores share: the lock order of rows, short keys, the mark of uncounted wallets, and
 * the revision of published calibrations.
 *
 * A transaction that changes the activity or the entries of a wallet locks the wallet's row first. One
 * that changes a market's resolution, or reads it in order to mark positions, then locks the market's
 * row. The lock order is: wallets, markets, records, positions, the revision, each sorted by key. This
 * prevents lost marks and deadlocks. Names are sorted before they are inserted for the same reason.
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
 * The end of a statement: marks the wallets of its CTE `marked (wallet_id)`. Their records are due at
 * once.
 */
export const markUncounted = (sql: SqlClient) =>
  sql.literal(`
    INSERT INTO whale_record AS stored (wallet_id)
    SELECT DISTINCT wallet_id FROM marked ORDER BY wallet_id
    ON CONFLICT (wallet_id) DO UPDATE SET version = stored.version + 1, count_at = '-infinity'`)

/** Records a change of published calibrations; must be the last statement of a transaction. */
export const bumpRevision = (sql: SqlClient) =>
  sql`
    INSERT INTO whale_revision AS stored (revision) VALUES (1)
    ON CONFLICT (single) DO UPDATE SET revision = stored.revision + 1`
