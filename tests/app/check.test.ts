/**
 * `deno task check` with every outside part on a real socket: it passes when all work, and names each
 * part that misbehaves, with what to do, and no secret.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { tryDatabase } from "../../src/app/check/database.ts"
import { tryFacilitator } from "../../src/app/check/facilitator.ts"
import { checked, hasFailed, jsonOf, type Row, tableOf, tryAll } from "../../src/app/check/rows.ts"
import { checkMigration, checkService } from "../../src/app/check/serviceCheck.ts"
import { checkWorker } from "../../src/app/check/workerCheck.ts"
import { loadWorker } from "../../src/app/moneySettings.ts"
import { loadMigration, loadService, type ServiceSettings } from "../../src/app/settings.ts"
import type { Variable } from "../../src/app/variables.ts"
import { layerPostgres } from "../../src/postgres/client.ts"
import { base } from "../../src/payments/domain/x402/terms.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { grantRoles, roles } from "../../src/postgres/roles.ts"
import { liveTest, test } from "../support/effect.ts"
import { kinds, type Part, rpc, secrets, startParts } from "../support/outsideParts.ts"
import { meanwhile } from "../support/payments/badFacilitator.ts"
import { freePort } from "../support/process.ts"
import { freshSchema } from "../support/stores.ts"
import { type Call, callOf, completion } from "../support/writing/modelServer.ts"
import { agreement, careful } from "../support/writing/writers.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { gammaRow } from "../support/venues/polymarket.ts"

type Env = Partial<Record<Variable, string>>
type Url = (part: Part) => string

const key = `0x${"c3".repeat(32)}`

const money = (url: Url): Env => ({
  RPC_URL: `${url("rpc")}/${secrets.rpcKey}`,
  FACILITATOR_URL: url("facilitator"),
  PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
  TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
})

const service = (url: Url, databaseUrl: string): Env => ({
  ...money(url),
  VENUE: "polymarket",
  PUBLIC_BASE_URL: "https://bell.example",
  SIGNING_PRIVATE_KEY: `0x${"d4".repeat(32)}`,
  DATABASE_URL: databaseUrl,
  HOST: "127.0.0.1",
  PORT: String(freePort()),
  ADMIN_PORT: String(freePort()),
  OPENAI_BASE_URL: url("model"),
  OPENAI_API_KEY: secrets.modelKey,
  OPENAI_MODEL: "small",
})

/** The rows for the service, judged as in production although its chain is on this machine. */
const rowsOf = Effect.fnUntraced(function* (url: Url, env: Env) {
  const rows = yield* checked(
    loadService("start", (name) => env[name]),
    (settings) => {
      const { payments } = settings
      const inProduction: ServiceSettings = {
        ...settings,
        payments: payments.kind === "live" ? { ...payments, rehearsal: false } : payments,
        news: { kind: "real", gdelt: false, feeds: [{ name: "Gazette", url: url("feed") }] },
      }
      return checkService(inProduction, {
        ...{ gammaUrl: url("venue"), clobUrl: url("clob"), dataUrl: url("venue") },
      })
    },
  )
  noSecrets(rows)
  return rows
})

function noSecrets(rows: ReadonlyArray<Row>): void {
  const printed = `${tableOf("check", rows)}${jsonOf(rows)}`
  for (const secret of [...Object.values(secrets), key]) ok(!printed.includes(secret), printed)
}

const statesOf = (rows: ReadonlyArray<Row>) => rows.map(({ part, state }) => `${part} ${state}`)

/** The one row of a part. */
function rowOf(rows: ReadonlyArray<Row>, part: string): Row {
  const found = rows.filter((row) => row.part === part)
  equal(found.length, 1, `${part} in ${statesOf(rows)}`)
  return found[0] ?? { part, state: "fail", found: "", todo: null }
}

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined

/** A test with the address of a new schema, and one of an empty schema. */
function storeTest(
  name: string,
  body: (store: string, empty: string) => Effect.Effect<void, unknown, Scope.Scope>,
): void {
  if (testDatabaseUrl === undefined) return registerSkipped(name, "set TEST_DATABASE_URL")
  const schema = Effect.map(freshSchema(testDatabaseUrl), (address) => {
    const url = new URL(Redacted.value(address))
    url.password ||= secrets.password
    return url.href
  })
  liveTest(name, () =>
    Effect.gen(function* () {
      const [store, empty] = [yield* schema, yield* schema]
      const url = Redacted.make(store)
      yield* Effect.provide(
        Effect.flatMap(migrationFiles, migrate),
        layerPostgres({ url, maxConnections: 1 }),
      )
      yield* body(store, empty)
    }))
}

storeTest(
  "checkService() passes when every part works, and says what it found",
  (store) =>
    Effect.gen(function* () {
      const url = yield* startParts({ model: modelWith(careful) })
      const rows = yield* rowsOf(url, service(url, store))
      equal(statesOf(rows), [
        ...["settings ok", "address ok", "listener ok", "listener ok", "database ok"],
        // The tests' login owns the tables.
        "login warn",
        ...["schema ok", "chain ok", "usdc ok", "treasury ok", "logs ok", "facilitator ok"],
        ...["venue ok", "model ok", "news ok", "clock ok", "judge ok"],
      ])
      equal(hasFailed(rows), false)
      match(tableOf("check", rows), /ok +treasury +\$5\.00 in USDC/)
      equal(JSON.parse(jsonOf(rows)), { ok: true, rows })
    }),
)

/** A server that lists a model, which judges so. */
const modelWith =
  (judge: (call: Pick<Call, "data">) => unknown) => async (request: Request): Promise<Response> => {
    const call = await callOf(request, 0)
    return call === null
      ? Response.json({ data: [{ id: "small" }] })
      : completion(JSON.stringify(judge(call)))
  }

interface Fault {
  readonly of: Partial<Parameters<typeof startParts>[0]>
  readonly env?: Env
  readonly part: string
  readonly state: "warn" | "fail"
  readonly found: RegExp
  readonly todo: RegExp
}

const status = (code: number) => () => new Response("no", { status: code })
const old = { number: "0x1388", hash: `0x${"ab".repeat(32)}`, timestamp: "0x65000000" }
/** Its time is read when the block is sent, however long the tests before took. */
const late = {
  ...old,
  get timestamp() {
    return `0x${Math.floor(Date.now() / 1_000 + 50).toString(16)}`
  },
}

const faults: Readonly<Record<string, Fault>> = {
  "an endpoint of another chain": {
    of: { rpc: rpc({ eth_chainId: "0x1" }) },
    ...{ part: "chain", state: "fail", found: /serves chain 1/, todo: /chain 8453/ },
  },
  "an endpoint that refuses its key": {
    of: { rpc: status(401) },
    ...{ part: "chain", state: "fail", found: /status 401/, todo: /its key/ },
  },
  "an endpoint behind its chain": {
    of: { rpc: rpc({ eth_getBlockByNumber: old }) },
    ...{ part: "chain", state: "fail", found: /s old/, todo: /another one/ },
  },
  "a chain without USDC": {
    of: { rpc: rpc({ eth_getCode: "0x" }) },
    ...{ part: "usdc", state: "fail", found: /no contract at 0x8335/, todo: /Base/ },
  },
  "an endpoint without logs": {
    of: { rpc: rpc({ eth_getLogs: "refused" }) },
    ...{ part: "logs", state: "fail", found: /eth_getLogs was refused/, todo: /RPC_URL/ },
  },
  "an empty treasury": {
    of: { rpc: rpc({ eth_call: `0x${"0".repeat(64)}` }) },
    ...{ part: "treasury", state: "warn", found: /\$0\.00/, todo: /TREASURY_ADDRESS/ },
  },
  "a clock behind the chain": {
    of: { rpc: rpc({ eth_getBlockByNumber: late }) },
    ...{ part: "clock", state: "fail", found: /behind the chain/, todo: /time service/ },
  },
  "a clock ahead of the facilitator": {
    of: {
      facilitator: () =>
        Response.json({ kinds: [] }, {
          headers: { date: new Date(Date.now() - 20_000).toUTCString() },
        }),
    },
    ...{ part: "clock", state: "warn", found: /ahead of the facilitator/, todo: /time service/ },
  },
  "a facilitator of another network": {
    of: { facilitator: kinds("eip155:1\u001b[31m", "solana:mainnet") },
    ...{ part: "facilitator", state: "fail", found: /exact on eip155:1.*solana/, todo: /x402/ },
  },
  "a facilitator that needs a key": {
    of: { facilitator: status(401) },
    ...{ part: "facilitator", state: "fail", found: /needs an API key/, todo: /API_KEY_ID/ },
  },
  "a facilitator that refuses the key": {
    of: { facilitator: status(403) },
    env: {
      FACILITATOR_API_KEY_ID: "id",
      FACILITATOR_API_KEY_SECRET:
        "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg==",
    },
    ...{ part: "facilitator", state: "fail", found: /refuses the API key/, todo: /Correct/ },
  },
  "a facilitator's key that is no key": {
    of: {},
    env: { FACILITATOR_API_KEY_ID: "id", FACILITATOR_API_KEY_SECRET: secrets.rpcKey },
    ...{ part: "facilitator", state: "fail", found: /not a key/, todo: /PEM/ },
  },
  "a page instead of a facilitator": {
    of: { facilitator: () => new Response("<!doctype html>") },
    ...{
      part: "facilitator",
      state: "fail",
      found: /not a list of kinds/,
      todo: /FACILITATOR_URL/,
    },
  },
  "a facilitator without a list": {
    of: { facilitator: status(404) },
    ...{ part: "facilitator", state: "warn", found: /404/, todo: /right path/ },
  },
  "a facilitator that is not there": {
    of: {},
    env: { FACILITATOR_URL: `http://127.0.0.1:${freePort()}` },
    ...{ part: "facilitator", state: "fail", found: /refused/, todo: /FACILITATOR_URL/ },
  },
  "a venue that is down": {
    of: { venue: status(503) },
    ...{ part: "venue", state: "fail", found: /listMarkets/, todo: /reach the venue/ },
  },
  "a venue whose rows cannot be read": {
    of: { venue: () => Response.json({ markets: [{ id: "1" }] }) },
    ...{ part: "venue", state: "fail", found: /no market/, todo: /status page/ },
  },
  "a venue that refuses how proposals are asked for": {
    of: {
      venue: (request) =>
        new URL(request.url).pathname.endsWith("/resolutions")
          ? Response.json({ error: "duplicate field" }, { status: 400 })
          : Response.json({ markets: [gammaRow(1), gammaRow(2)] }),
    },
    ...{ part: "venue", state: "fail", found: /proposals: status 400/, todo: /reach the venue/ },
  },
  "an exchange that is down": {
    of: { clob: status(503) },
    ...{ part: "venue", state: "fail", found: /books/, todo: /reach the venue/ },
  },
  "a model's server that refuses the key": {
    of: { model: status(401) },
    ...{ part: "model", state: "warn", found: /refuses the key/, todo: /OPENAI_API_KEY/ },
  },
  "a model that is not served": {
    of: {},
    env: { OPENAI_MODEL: "huge" },
    ...{ part: "model", state: "warn", found: /huge is not listed/, todo: /OPENAI_MODEL/ },
  },
  "a judge that always says yes": {
    of: { model: modelWith(agreement) },
    ...{ part: "judge", state: "warn", found: /not trusted.* 0 of \d+ false/, todo: /templates/ },
  },
  "a judge that does not answer in its shape": {
    of: {},
    ...{ part: "judge", state: "warn", found: /no verdicts/, todo: /OPENAI_CHECK_MODEL/ },
  },
  "a feed that is gone": {
    of: { feed: status(410) },
    ...{ part: "news", state: "warn", found: /0 of 1 .*Gazette: status 410/, todo: /NEWS_FEEDS/ },
  },
  "an address without TLS": {
    of: {},
    env: { PUBLIC_BASE_URL: "http://bell.example" },
    ...{ part: "address", state: "warn", found: /no TLS/, todo: /proxy/ },
  },
  "simulated payments": {
    of: {},
    env: { PAYMENTS: "simulated", ALLOW_SIMULATED_PAYMENTS: "1" },
    ...{ part: "payments", state: "warn", found: /no real money/, todo: /PAYMENTS=live/ },
  },
  "a wrong setting": {
    of: {},
    env: { TICK: "soon" },
    ...{ part: "settings", state: "fail", found: /^TICK must be a duration/, todo: /^$/ },
  },
}

for (const [name, { of, env = {}, part, state, found, todo }] of Object.entries(faults)) {
  liveTest(`checkService() names ${name}`, () =>
    Effect.gen(function* () {
      const url = yield* startParts(of)
      const storeless = { ...service(url, `postgres://a@127.0.0.1:${freePort()}/b`), ...env }
      const row = rowOf(yield* rowsOf(url, storeless), part)
      equal(row.state, state, JSON.stringify(row))
      match(row.found, found)
      match(row.todo ?? "", todo)
      ok(!row.found.includes("\u001b"), "untrusted text cannot control the terminal")
    }))
}

liveTest(
  "checkService() names every missing setting, and tries nothing then",
  () =>
    Effect.gen(function* () {
      const url = yield* startParts()
      const rows = yield* rowsOf(url, { RPC_URL: url("rpc"), PORT: String(freePort()) })
      equal(statesOf(rows), Array.from({ length: 6 }, () => "settings fail"))
      equal(hasFailed(rows), true)
    }),
)

liveTest("checkService() names a port that is in use", () =>
  Effect.gen(function* () {
    const url = yield* startParts()
    const { port } = new URL(url("rpc"))
    const storeless = service(url, `postgres://a@127.0.0.1:${freePort()}/b`)
    const row = (yield* rowsOf(url, { ...storeless, PORT: port }))
      .find(({ part, state }) => part === "listener" && state === "warn")
    match(row?.found ?? "", /is in use/)
  }))

test("a part that never answers fails in time", () =>
  Effect.gen(function* () {
    const url = yield* startParts({ facilitator: () => new Promise(() => {}) })
    const tried = tryFacilitator({ urls: [url("facilitator")], apiKey: null }, base)
    const { rows } = yield* meanwhile(tried)
    match(rows[0]?.found ?? "", /no answer within 8s/)
    const [row] = yield* meanwhile(tryAll([["chain", Effect.never]]))
    match(row?.found ?? "", /no answer within 15s/)
    yield* TestClock.adjust(0)
  }))

const database = (url: string, login: "service" | "worker" | "owner", venue = "polymarket") =>
  Effect.gen(function* () {
    const migrations = login === "worker" ? null : yield* migrationFiles
    const { rows } = yield* tryDatabase({
      ...{ url: Redacted.make(url), variable: "DATABASE_URL", login, migrations, venue },
      payments: "live",
    })
    noSecrets(rows)
    return rows
  })

liveTest(
  "tryDatabase() names a server that is not there, and a wrong password",
  () =>
    Effect.gen(function* () {
      const [absent] = yield* database(`postgres://a:b@127.0.0.1:${freePort()}/c`, "service")
      match(absent?.found ?? "", /connection was refused/)
      match(absent?.todo ?? "", /DATABASE_URL/)
      const [refused] = yield* database(yield* refusingServer, "service")
      match(refused?.found ?? "", /refuses the password/)
    }),
)

/** A PostgreSQL server that refuses every password. */
const refusingServer = Effect.acquireRelease(
  Effect.sync(() => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
    const fields = new TextEncoder().encode("SFATAL\0VFATAL\0C28P01\0Mno\0\0")
    void (async () => {
      for await (const connection of listener) {
        await connection.read(new Uint8Array(1_024))
        await connection.write(new Uint8Array([0x45, 0, 0, 0, 4 + fields.length, ...fields]))
        connection.close()
      }
    })()
    return listener
  }),
  (listener) => Effect.sync(() => listener.close()),
).pipe(Effect.map(({ addr }) => `postgres://a:b@127.0.0.1:${addr.port}/c?sslmode=disable`))

storeTest(
  "tryDatabase() names pending migrations, another venue, and other payments",
  (url, emptyUrl) =>
    Effect.gen(function* () {
      const empty = yield* database(emptyUrl, "owner")
      match(rowOf(empty, "schema").found, /^empty: \d+ migrations are pending; deno task migrate/)
      const store = layerPostgres({ url: Redacted.make(url), maxConnections: 1 })
      const run = (statement: (sql: SqlClient) => Effect.Effect<unknown, SqlError>) =>
        Effect.provide(Effect.flatMap(SqlClient, statement), store)
      yield* run((sql) => sql`INSERT INTO store_venue (venue) VALUES ('simulated')`)
      yield* run((sql) => sql`DELETE FROM schema_migration`)
      const rows = yield* database(url, "service")
      match(rowOf(rows, "schema").found, /^empty: \d+ migrations are pending$/)
      match(rowOf(rows, "store").found, /simulated, and the settings say polymarket/)
      equal(hasFailed(yield* database(url, "service", "simulated")), false)
      yield* run((sql) => sql`INSERT INTO store_payments (payments) VALUES ('simulated')`)
      const simulated = yield* database(url, "service", "simulated")
      match(rowOf(simulated, "store").found, /simulated payments, and the settings say live/)
    }),
)

storeTest("checkMigration() tries the owner's login", (url) =>
  Effect.gen(function* () {
    const env: Env = { MIGRATION_DATABASE_URL: url }
    const rows = yield* checked(loadMigration((name) => env[name]), checkMigration)
    equal(statesOf(rows), [
      ...["settings ok", "database ok", "login ok", "schema ok", "clock ok"],
    ])
    const none = yield* checked(loadMigration(() => undefined), checkMigration)
    equal(statesOf(none), ["settings fail"])
  }))

storeTest(
  "checkWorker() tries the treasury's key, and prints it nowhere",
  (store, emptyUrl) =>
    Effect.gen(function* () {
      const url = yield* startParts()
      const env: Env = {
        ...money(url),
        ...{ DATABASE_URL: store, TREASURY_PRIVATE_KEY: key },
      }
      const rowsWith = Effect.fnUntraced(function* (env: Env) {
        const rows = yield* checked(loadWorker((name) => env[name]), checkWorker)
        noSecrets(rows)
        return rows
      })
      const rows = yield* rowsWith(env)
      equal(rowOf(rows, "key").state, "fail")
      const [own = ""] = /0x[0-9a-f]{40}/.exec(rowOf(rows, "key").found) ?? []
      equal(statesOf(yield* rowsWith({ ...env, TREASURY_ADDRESS: own })), [
        ...["settings ok", "key ok", "database ok", "login warn", "chain ok", "usdc ok"],
        ...["treasury ok", "facilitator ok", "clock ok"],
      ])
      const empty = yield* rowsWith({ ...env, DATABASE_URL: emptyUrl })
      match(rowOf(empty, "schema").found, /no tables/)
    }),
)

const rights = "tryDatabase() says what each login may do"
if (testDatabaseUrl === undefined) registerSkipped(rights, "set TEST_DATABASE_URL")
else {
  liveTest(rights, () =>
    Effect.gen(function* () {
      const url = yield* freshSchema(testDatabaseUrl)
      const sql = yield* SqlClient
      yield* Effect.provide(
        Effect.andThen(Effect.flatMap(migrationFiles, migrate), grantRoles),
        layerPostgres({ url, maxConnections: 1 }),
      )
      const loginOf = Effect.fnUntraced(function* (role: string | null) {
        const name = `login_${crypto.randomUUID().replaceAll("-", "")}`
        yield* Effect.acquireRelease(
          sql`CREATE ROLE ${sql(name)} LOGIN`,
          () => Effect.orDie(sql`DROP ROLE ${sql(name)}`),
        )
        if (role !== null) yield* sql`GRANT ${sql(role)} TO ${sql(name)}`
        const own = new URL(Redacted.value(url))
        own.username = name
        return own.href
      })
      const ofService = yield* loginOf(roles.service)
      const rowsOfService = yield* database(ofService, "service")
      equal(statesOf(rowsOfService), ["database ok", "login ok", "schema ok"])
      match(rowOf(rowsOfService, "login").found, /and no others/)
      equal(rowOf(yield* database(ofService, "owner"), "login").state, "fail")
      const asWorker = rowOf(yield* database(ofService, "worker"), "login")
      equal(asWorker.state, "fail")
      match(asWorker.todo ?? "", /GRANT bellwether_refund TO login_/)
      const ofWorker = yield* loginOf(roles.refund)
      equal(statesOf(yield* database(ofWorker, "worker")), ["database ok", "login ok"])
      const stranger = yield* database(yield* loginOf(null), "service")
      equal(hasFailed(stranger), true)
      const absent = Redacted.value(url).replace(/\/test\b/, "/no_such_database")
      match(rowOf(yield* database(absent, "service"), "database").found, /does not exist/)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layerPostgres({ url: Redacted.make(testDatabaseUrl), maxConnections: 1 }),
      ),
    ))
}
