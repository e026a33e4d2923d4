/**
 * The short keys of markets, events, tokens and wallets, and the locks that are taken with them.
 *
 * Names are sorted before they are added, and rows locked by their keys: two who do so at once wait
 * for one another at most one way.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

type Keys = ReadonlyMap<string, number>

/** Tables of names: each has the name in one column and its key in another. */
const named = {
  market: { table: "whale_market", key: "market_id" },
  event: { table: "whale_event", key: "event_id" },
  token: { table: "whale_token", key: "token_id" },
  wallet: { table: "whale_wallet", key: "wallet_id" },
} as const
type Named = keyof typeof named

const keysOf = (rows: ReadonlyArray<{ readonly name: string; readonly key: number }>): Keys =>
  new Map(rows.map(({ name, key }) => [name, key]))

/** Gives a key to every name that has none yet. */
export const name = (sql: SqlClient, what: Named, names: ReadonlyArray<string>) =>
  sql`
    INSERT INTO ${sql(named[what].table)} (${sql(what)})
    SELECT name FROM unnest(${distinct(names)}::text[]) AS name
    WHERE NOT EXISTS (SELECT FROM ${sql(named[what].table)} WHERE ${sql(what)} = name)
    ORDER BY name COLLATE "C"
    ON CONFLICT DO NOTHING`

/** The keys of names; one that is not known is absent. `locked`: until the transaction ends. */
export const keys = (
  sql: SqlClient,
  what: Named,
  names: ReadonlyArray<string>,
  locked: "free" | "to read" | "to write" = "free",
) =>
  sql<{ name: string; key: number }>`
    SELECT ${sql(what)} AS name, ${sql(named[what].key)} AS key FROM ${sql(named[what].table)}
    WHERE ${sql(what)} = ANY (${distinct(names)}::text[])
    ORDER BY ${sql(named[what].key)} ${sql.literal(locks[locked])}`.pipe(Effect.map(keysOf))

const locks = { free: "", "to read": "FOR SHARE", "to write": "FOR NO KEY UPDATE" } as const

const distinct = (names: ReadonlyArray<string>) => [...new Set(names)]
