/**
 * What the stores of whales share: the order in which they lock rows, the short keys they lock them by,
 * the mark of positions that have to be counted again, and the revision of what is published.
 *
 * A transaction that changes the activity or entries of a wallet locks the wallet's row first; one that
 * reads how a market stands in order to mark positions by it, or changes that, locks the market's row
 * next. Rows are locked in one order: wallets, markets, marks, sums, the revision, and each of these by
 * their keys. So no mark is lost between two writers, and none waits for another in a circle. Names are
 * sorted before they are added, for the same reason.
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

/**
 * Ends a statement: marks the positions of its `marked (event_id, wallet_id, market_id)`. One that is
 * marked keeps its place in the line and takes the number of this change.
 */
export const markUncounted = (sql: SqlClient) =>
  sql.literal(`
    INSERT INTO whale_uncounted (event_id, wallet_id, market_id, since, version)
    SELECT event_id, wallet_id, market_id, change, change
    FROM (SELECT marked.*, nextval('whale_change') AS change FROM marked) numbered
    ORDER BY event_id, wallet_id, market_id
    ON CONFLICT (event_id, wallet_id, market_id) DO UPDATE SET version = excluded.version`)

/** Says that what is shown of wallets is another; the last thing in a transaction. */
export const bumpRevision = (sql: SqlClient) =>
  sql`
    INSERT INTO whale_revision AS stored (revision) VALUES (1)
    ON CONFLICT (single) DO UPDATE SET revision = stored.revision + 1`
