/**
 * `deno task check` with every outside part on a real socket: it passes when all work, and names each
 * part that misbehaves, with what to do, and no secret.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { check } from "../../src/app/check.ts"
import { hasFailed, type Row, tableOf } from "../../src/app/rows.ts"
import { loadService, type ServiceSettings } from "../../src/app/settings.ts"
import type { Variable } from "../../src/app/variables.ts"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { grantRoles, roles } from "../../src/postgres/migrate.ts"
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
  const inProduction = Effect.map(
    loadService("start", (name) => env[name]),
    ({ payments, ...settings }): ServiceSettings => ({
      ...settings,
      payments: payments.kind === "live" ? { ...payments, rehearsal: false } : payments,
    }),
  )
  const rows = yield* check(inProduction, {
    ...{ gammaUrl: url("venue"), clobUrl: url("clob"), dataUrl: url("venue") },
  })
  noSecrets(rows)
  return rows
})

function noSecrets(rows: ReadonlyArray<Row>): void {
  const printed = tableOf("check", rows)
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

/** A test with a connection to a new schema that has every table, and its address. */
function storeTest(
  name: string,
  body: (store: string) => Effect.Effect<void, unknown, Scope.Scope | SqlClient>,
): void {
  if (testDatabaseUrl === undefined) return registerSkipped(name, "set TEST_DATABASE_URL")
  liveTest(name, () =>
    Effect.gen(function* () {
      const url = new URL(Redacted.value(yield* freshSchema(testDatabaseUrl)))
      url.password ||= secrets.password
      yield* Effect.andThen(Effect.flatMap(migrationFiles, migrate), Effect.scoped(body(url.href)))
        .pipe(
          Effect.provide(layerPostgres({ url: Redacted.make(url.href), maxConnections: 1 })),
        )
    }))
}

storeTest(
  "check() passes when every part works, and says what it found",
  (store) =>
    Effect.gen(function* () {
      const url = yield* startParts({ model: modelWith(careful) })
      const rows = yield* rowsOf(url, service(url, store))
      equal(statesOf(rows), [
        // The tests' login owns the tables.
        ...["settings ok", "database ok", "login warn", "chain ok", "treasury ok"],
        ...["facilitator ok", "venue ok", "judge ok"],
      ])
      equal(hasFailed(rows), false)
      match(tableOf("check", rows), /ok +treasury +\$5\.00 in USDC/)
    }),
)

storeTest(
  "check() says whether the service's login may change refunds",
  (store) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* grantRoles
      const url = yield* startParts()
      const stateOf = Effect.fnUntraced(function* (role: string) {
        const name = `login_${crypto.randomUUID().replaceAll("-", "")}`
        yield* Effect.acquireRelease(
          sql`CREATE ROLE ${sql(name)} LOGIN`,
          () => Effect.orDie(sql`DROP ROLE ${sql(name)}`),
        )
        yield* sql`GRANT ${sql(role)} TO ${sql(name)}`
        const own = new URL(store)
        own.username = name
        return rowOf(yield* rowsOf(url, service(url, own.href)), "login").state
      })
      equal([yield* stateOf(roles.service), yield* stateOf(roles.refund)], ["ok", "warn"])
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

/** A server with one model. */
const served =
  (model: string, answer: (request: Request) => Promise<Response>) => async (request: Request) => {
    const asked: { readonly model?: string } = await request.clone().json()
    return asked.model === model ? answer(request) : new Response("no such model", { status: 404 })
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
    ...{ part: "chain", state: "fail", found: /status 401/, todo: /RPC_URL/ },
  },
  "an endpoint behind its chain": {
    of: { rpc: rpc({ eth_getBlockByNumber: old }) },
    ...{ part: "chain", state: "fail", found: /s old/, todo: /behind its chain/ },
  },
  "an endpoint without logs, which prove every payment": {
    of: { rpc: rpc({ eth_getLogs: "refused" }) },
    ...{ part: "chain", state: "fail", found: /eth_getLogs/, todo: /eth_getLogs/ },
  },
  "an empty treasury": {
    of: { rpc: rpc({ eth_call: `0x${"0".repeat(64)}` }) },
    ...{ part: "treasury", state: "warn", found: /\$0\.00/, todo: /TREASURY_ADDRESS/ },
  },
  "a clock behind the chain": {
    of: { rpc: rpc({ eth_getBlockByNumber: late }) },
    ...{ part: "chain", state: "fail", found: / -\d+ s old/, todo: /clock of this machine/ },
  },
  "a facilitator of another network": {
    of: { facilitator: kinds("eip155:1\u001b[31m", "solana:mainnet") },
    ...{ part: "facilitator", state: "fail", found: /exact on eip155:1.*solana/, todo: /x402/ },
  },
  "a facilitator that needs a key": {
    of: { facilitator: status(401) },
    ...{ part: "facilitator", state: "fail", found: /needs one.*401/, todo: /API_KEY_ID/ },
  },
  "a facilitator that refuses the key": {
    of: { facilitator: status(403) },
    env: {
      FACILITATOR_API_KEY_ID: "id",
      FACILITATOR_API_KEY_SECRET:
        "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg==",
    },
    ...{ part: "facilitator", state: "fail", found: /refuses its API key.*403/, todo: /Correct/ },
  },
  "a facilitator's key that is no key": {
    of: {},
    env: { FACILITATOR_API_KEY_ID: "id", FACILITATOR_API_KEY_SECRET: secrets.rpcKey },
    ...{ part: "facilitator", state: "fail", found: /not a key/, todo: /Ed25519/ },
  },
  "a page instead of a facilitator": {
    of: { facilitator: () => new Response("<!doctype html>") },
    ...{
      part: "facilitator",
      state: "warn",
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
    ...{ part: "facilitator", state: "fail", found: /connection failed/, todo: /FACILITATOR_URL/ },
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
    ...{ part: "judge", state: "warn", found: /no verdicts/, todo: /OPENAI_\*/ },
  },
  "a writing model that is not served, next to a judge that is": {
    of: { model: served("small", modelWith(careful)) },
    env: { OPENAI_MODEL: "huge", OPENAI_CHECK_MODEL: "small" },
    ...{ part: "model", state: "warn", found: /huge: status 404/, todo: /OPENAI_MODEL/ },
  },
  "a judge that always says yes": {
    of: { model: modelWith(agreement) },
    ...{ part: "judge", state: "warn", found: /not trusted.* 0 of \d+ false/, todo: /templates/ },
  },
  "a judge that does not answer in its shape": {
    of: {},
    ...{ part: "judge", state: "warn", found: /no verdicts/, todo: /OPENAI_\*/ },
  },
  "simulated payments": {
    of: {},
    env: { PAYMENTS: "simulated" },
    ...{ part: "payments", state: "warn", found: /no real money/, todo: /PAYMENTS=live/ },
  },
  "a network whose money has no value": {
    of: { rpc: rpc({ eth_chainId: "0x14a34" }) },
    env: { NETWORK: "base-sepolia" },
    ...{ part: "network", state: "warn", found: /no value/, todo: /NETWORK=base/ },
  },
  "a wrong setting": {
    of: {},
    env: { TICK: "soon" },
    ...{ part: "settings", state: "fail", found: /^TICK must be a duration/, todo: /^$/ },
  },
}

for (const [name, { of, env = {}, part, state, found, todo }] of Object.entries(faults)) {
  liveTest(`check() names ${name}`, () =>
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
  "check() names every missing setting, and tries nothing then",
  () =>
    Effect.gen(function* () {
      const url = yield* startParts()
      const rows = yield* rowsOf(url, { RPC_URL: url("rpc"), PORT: String(freePort()) })
      equal(statesOf(rows), Array.from({ length: 6 }, () => "settings fail"))
      equal(hasFailed(rows), true)
    }),
)

test("a part that never answers fails in time", () =>
  Effect.gen(function* () {
    const url = yield* startParts({ facilitator: () => new Promise(() => {}) })
    const env = { ...service(url, `postgres://a@127.0.0.1:${freePort()}/b`), OPENAI_API_KEY: "" }
    const rows = yield* meanwhile(
      rowsOf(url, { ...env, OPENAI_BASE_URL: "", OPENAI_MODEL: "" }),
    )
    match(rowOf(rows, "facilitator").found, /no answer in time|no answer within 15s/)
  }))

liveTest(
  "check() names a server that is not there, and one that refuses the password",
  () =>
    Effect.gen(function* () {
      const url = yield* startParts()
      const absent = `postgres://a:${secrets.password}@127.0.0.1:${freePort()}/c`
      for (
        const [database, code] of [[absent, "ECONNREFUSED"], [yield* refusingServer, "28P01"]]
      ) {
        const row = rowOf(yield* rowsOf(url, service(url, database ?? "")), "database")
        equal([row.state, row.found], ["fail", `it cannot be used (${code})`])
        match(row.todo ?? "", /DATABASE_URL/)
      }
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
