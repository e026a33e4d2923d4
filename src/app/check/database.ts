/**
 * Tries the PostgreSQL server: its version and durability, what the login may do, and which
 * migrations are pending. It only reads.
 *
 * @module
 */
import { Clock, Effect, Layer, Predicate, type Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { layerPostgres } from "../../postgres/client.ts"
import { appliedNames } from "../../postgres/schemaVersion.ts"
import { fail, ok, type Row, type Tried, warn } from "./rows.ts"

/** The role that a process's login has, without the tables' owner. */
const roles = { service: "bellwether_service", worker: "bellwether_refund" } as const

interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Where the URL comes from. */
  readonly variable: string
  readonly login: "service" | "worker" | "owner"
  /** The migrations of this version; null for a process that may not read them. */
  readonly migrations: ReadonlyArray<{ readonly id: number; readonly name: string }> | null
  /** What the store must belong to; null for any. */
  readonly venue: string | null
  readonly payments: string | null
}

const versionMin = 150_000

export const tryDatabase = (options: DatabaseOptions): Effect.Effect<Tried> =>
  look(options).pipe(
    Effect.provide(Layer.fresh(layerPostgres({ url: options.url, maxConnections: 1 }))),
    Effect.catch((error) => Effect.succeed({ rows: [failed(options, error)] })),
    Effect.scoped,
  )

const look = Effect.fnUntraced(function* (options: DatabaseOptions) {
  const sql = yield* SqlClient
  const before = yield* Clock.currentTimeMillis
  const server = yield* readServer(sql)
  const after = yield* Clock.currentTimeMillis
  const clock = {
    source: "the database",
    aheadMs: (before + after) / 2 - server.nowMs,
    errorMs: (after - before) / 2,
  }
  const rights = yield* readRights(sql)
  const rows = [
    serverRow(options, server, after - before),
    ...rights === null ? [] : [loginRow(options, rights)],
    ...yield* schemaRows(sql, options, rights),
    ...yield* storeRows(sql, options, rights),
  ]
  return { rows, clocks: [clock] } satisfies Tried
})

interface Server {
  readonly version: number
  readonly versionName: string
  readonly durable: boolean
  readonly encrypted: boolean
  readonly local: boolean
  readonly nowMs: number
}

const readServer = Effect.fnUntraced(function* (sql: SqlClient) {
  const [server] = yield* sql<Server>`
    SELECT current_setting('server_version_num')::int AS version,
      split_part(current_setting('server_version'), ' ', 1) AS "versionName",
      current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off' AS durable,
      COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
      COALESCE(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true) AS local,
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`
  return server ?? (yield* Effect.die("SELECT without FROM has a row"))
})

function serverRow({ variable }: DatabaseOptions, server: Server, ms: number): Row {
  const { version, versionName, durable, encrypted, local } = server
  const found = `PostgreSQL ${versionName}, connected and read in ${ms} ms${
    encrypted ? ", with TLS" : ""
  }`
  if (version < versionMin) {
    return fail("database", found, "Upgrade the server to PostgreSQL 15 or newer")
  }
  if (!durable) {
    return warn(
      "database",
      `${found}; a power failure loses commits`,
      "Set fsync and synchronous_commit to on: a lost row is a lost payment",
    )
  }
  return encrypted || local ? ok("database", found) : warn(
    "database",
    `${found}, without TLS over a network`,
    `Add ?sslmode=require to ${variable}, unless the network is private`,
  )
}

/** What the login may do with the tables. */
interface Rights {
  readonly login: string
  readonly superuser: boolean
  readonly owner: boolean
  /** May claim a payment, as the service does. */
  readonly sells: boolean
  /** May change a refund, as the refund worker does. */
  readonly refunds: boolean
  readonly readsHistory: boolean
  readonly readsVenue: boolean
  readonly readsPayments: boolean
}

/** Null when this login can see no table of the product. */
const readRights = Effect.fnUntraced(function* (sql: SqlClient) {
  const [seen] = yield* sql<{ found: boolean }>`
    SELECT to_regclass('payment') IS NOT NULL AND to_regclass('refund') IS NOT NULL
      AND to_regclass('schema_migration') IS NOT NULL AND to_regclass('store_venue') IS NOT NULL
      AS found`
  if (seen?.found !== true) return null
  const [rights] = yield* sql<Rights>`
    SELECT current_user AS login, rolsuper AS superuser,
      pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = to_regclass('payment')),
        'USAGE') AS owner,
      has_table_privilege('payment', 'INSERT') AS sells,
      has_any_column_privilege('refund', 'UPDATE') AS refunds,
      has_table_privilege('schema_migration', 'SELECT') AS "readsHistory",
      has_table_privilege('store_venue', 'SELECT') AS "readsVenue",
      COALESCE(has_table_privilege(to_regclass('store_payments'), 'SELECT'), false)
        AS "readsPayments"
    FROM pg_roles WHERE rolname = current_user`
  return rights ?? null
})

function loginRow({ login, variable }: DatabaseOptions, rights: Rights): Row {
  const name = rights.login
  if (login === "owner") {
    return rights.owner || rights.superuser
      ? ok("login", `${name} owns the tables`)
      : fail("login", `${name} does not own the tables`, `Set ${variable} to the owner's login`)
  }
  const role = roles[login]
  const may = login === "service" ? rights.sells : rights.refunds
  if (!may) {
    return fail(
      "login",
      `${name} has not the rights of ${role}`,
      `As the owner: deno task migrate, then GRANT ${role} TO ${name}`,
    )
  }
  const other = login === "service" ? rights.refunds : rights.sells
  return rights.owner || rights.superuser || other
    ? warn(
      "login",
      `${name} ${
        rights.superuser
          ? "is a superuser"
          : rights.owner
          ? "owns the tables"
          : "has the rights of both roles"
      }, so this process could change payments and refunds`,
      `Use a login of its own that has only ${role}`,
    )
    : ok("login", `${name} has the rights of ${role}, and no others`)
}

const schemaRows = Effect.fnUntraced(function* (
  sql: SqlClient,
  { login, migrations }: DatabaseOptions,
  rights: Rights | null,
) {
  const todo = "Run deno task migrate with MIGRATION_DATABASE_URL, the owner's login"
  if (rights === null && login === "worker") {
    return [fail("schema", "this login sees no tables of the service", todo)]
  }
  if (migrations === null) return []
  if (rights !== null && !rights.readsHistory) {
    return [fail("schema", "this login may not read which migrations are applied", todo)]
  }
  const applied = rights === null ? new Map<number, string>() : yield* appliedNames(sql)
  const pending = migrations.filter(({ id, name }) => applied.get(id) !== name)
  const newest = Math.max(0, ...migrations.map(({ id }) => id))
  const unknown = [...applied.keys()].filter((id) => id > newest)
  const [schema] = yield* sql<{ creates: boolean }>`
    SELECT COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS creates`
  return [schemaRow()]

  function schemaRow(): Row {
    const other = pending.find(({ id }) => applied.has(id))
    if (other !== undefined) {
      return fail(
        "schema",
        `${other.id} was applied as ${applied.get(other.id)}, and is ${other.name} in this version`,
        "Use another database, or the version that made this one",
      )
    }
    if (unknown.length > 0) {
      return warn(
        "schema",
        `it is of a newer version: ${unknown.length} migrations are not known here`,
        "Start the newer version, or see Upgrades in docs/operations.md",
      )
    }
    if (pending.length === 0) {
      return ok("schema", `all ${migrations?.length} migrations are applied`)
    }
    const found = applied.size === 0
      ? `empty: ${pending.length} migrations are pending`
      : `${pending.length} migrations are pending, from ${pending[0]?.id}`
    if (schema?.creates !== true) return fail("schema", found, todo)
    return login === "owner"
      ? ok("schema", `${found}; deno task migrate applies them`)
      : warn("schema", found, "Run deno task migrate first; otherwise the start applies them")
  }
})

/** Whether the store belongs to this venue and kind of payments. */
const storeRows = Effect.fnUntraced(function* (
  sql: SqlClient,
  { venue, payments, variable }: DatabaseOptions,
  rights: Rights | null,
) {
  const rows: Array<Row> = []
  if (rights?.readsVenue === true && venue !== null) {
    const [row] = yield* sql<{ venue: string }>`SELECT venue FROM store_venue`
    if (row !== undefined && row.venue !== venue) {
      rows.push(anotherStore("VENUE", `it has the feed of venue ${row.venue}`, venue, variable))
    }
  }
  if (rights?.readsPayments === true && payments !== null) {
    const [row] = yield* sql<{ payments: string }>`SELECT payments FROM store_payments`
    if (row !== undefined && row.payments !== payments) {
      rows.push(
        anotherStore("PAYMENTS or NETWORK", `it has ${row.payments} payments`, payments, variable),
      )
    }
  }
  return rows
})

const anotherStore = (setting: string, found: string, value: string, variable: string) =>
  fail(
    "store",
    `${found}, and the settings say ${value}`,
    `Correct ${setting}, or set ${variable} to another database`,
  )

const codes: Readonly<Record<string, readonly [found: string, todo: string]>> = {
  ECONNREFUSED: ["the connection was refused", "Start the server, or correct host and port in"],
  ENOTFOUND: ["the name of its host is not known", "Correct the host in"],
  ETIMEDOUT: ["it does not answer", "Check host, port and firewall in"],
  "28P01": ["it refuses the password", "Correct login and password in"],
  "28000": ["it refuses the login", "Create the login, allow it in pg_hba.conf, or correct"],
  "3D000": ["the database does not exist", "Create it (createdb), or correct its name in"],
  "53300": ["it has too many connections", "Raise max_connections, or end the others of"],
  "42501": ["the login may not read the catalog", "Give the login its role; see"],
}

/** A message of the server may contain the login and the address, so only its code is read. */
function failed({ variable }: DatabaseOptions, { reason }: SqlError): Row {
  const { cause } = reason
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  const [found, todo] = codes[code] ?? [
    reason._tag === "AuthenticationError"
      ? "it refuses the login"
      : `it cannot be reached (${/^\w{1,20}$/.test(code) ? code : reason._tag})`,
    "Check host, port, login and TLS in",
  ]
  return fail("database", found, `${todo} ${variable}`)
}
