/**
 * The probes of the service as a process, on a real PostgreSQL: it is not ready while the store is
 * read-only or the chain cannot be read, says why, and recovers by itself.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Context, Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { testHeader } from "../../src/core/testCall.ts"
import { layerPostgres } from "../../src/postgres/client.ts"
import { liveTest } from "../support/effect.ts"
import { startService } from "../support/process.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
const untilTimeout = Duration.seconds(90)

/** A database of its own, because a server refuses writes per database; dropped with the scope. */
const freshDatabase = Effect.fnUntraced(function* (url: string) {
  const name = `probe_${crypto.randomUUID().replaceAll("-", "")}`
  const owner = yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 1 }))
  const sql = Context.get(owner, SqlClient)
  // A database is dropped after a checkpoint, which takes long while other tests write.
  yield* sql`SET statement_timeout = '120s'`
  yield* Effect.acquireRelease(
    sql`CREATE DATABASE ${sql(name)}`,
    () => Effect.orDie(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`),
  )
  const own = new URL(url)
  own.pathname = name
  const reconnect = sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`
  const readOnly = (value: "on" | "off") =>
    Effect.andThen(
      sql`ALTER DATABASE ${sql(name)} SET default_transaction_read_only = ${sql.literal(value)}`,
      reconnect,
    )
  return { url: own.href, readOnly }
})

/** An endpoint of Base that answers only for its head, or nothing while `up` is false. */
const startRpc = Effect.gen(function* () {
  const state = { up: false }
  const block = () => ({
    number: "0x64",
    hash: `0x${"a1".repeat(32)}`,
    timestamp: `0x${Math.floor(performance.timeOrigin / 1_000).toString(16)}`,
  })
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
        const { id, method } = await request.json()
        if (!state.up) return new Response(null, { status: 503 })
        const result = method === "eth_chainId"
          ? "0x2105"
          : method === "eth_getBlockByNumber"
          ? block()
          : `0x${"0".repeat(64)}`
        return Response.json({ jsonrpc: "2.0", id, result })
      })
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return { state, url: `http://127.0.0.1:${server.addr.port}` }
})

/** Starts the service; `until` polls a path until it has this text. */
const startProbed = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const { base, admin } = yield* startService(
    ["run", "-A", "--no-check", "src/main.ts", "start"],
    {
      ...{ VENUE: "simulated", TICK: "1 hour", SWEEP: "2 seconds", SCAN: "2 seconds" },
      ...{ PUBLIC_BASE_URL: "https://bell.example" },
      ...env,
    },
  )
  const publicPaths = ["/health", "/v1/latest", "/llms-full.txt"]
  const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    Effect.tryPromise(async () =>
      await (await fetch((publicPaths.includes(path) ? base : admin) + path, { headers })).text()
    )
  const until = (path: string, text: string) =>
    read(path).pipe(
      Effect.filterOrFail((found) => found.includes(text)),
      Effect.retry(Schedule.spaced("200 millis")),
      Effect.timeout(untilTimeout),
      Effect.mapError(() => `${path} never had: ${text}`),
    )
  /** The status of a path of the public API. */
  const get = (path: string) =>
    Effect.promise(async () => {
      const response = await fetch(base + path)
      await response.body?.cancel()
      return response.status
    })
  return { read, until, get }
})

if (testDatabaseUrl === undefined) {
  registerSkipped("probes of the service", "set TEST_DATABASE_URL")
} else {
  liveTest("a service on a store that becomes read-only is not ready, and recovers", function* () {
    const { url, readOnly } = yield* freshDatabase(testDatabaseUrl)
    const { until, get } = yield* startProbed({
      ...{ DATABASE_URL: url, PAYMENTS: "simulated" },
      FREE_LIMIT: "5/60s",
    })
    yield* until("/readyz", "ok")
    yield* until("/health", `"payments":"ok"`)
    yield* readOnly("on")
    yield* until("/readyz", "the store is read-only")
    yield* until("/readyz/free", "the store is read-only")
    // What needs no write goes on, and each process counts its free calls alone.
    const statuses = yield* Effect.forEach([
      ...["/llms.txt", "/openapi.json", "/", "/status", "/v1/digest", "/v1/signals"],
      ...Array<string>(6).fill("/v1/index"),
    ], get)
    equal(statuses, [...Array(4).fill(200), 402, 402, ...Array(5).fill(200), 503])
    yield* readOnly("off")
    yield* until("/readyz", "ok")
  })

  liveTest(
    "a service without its chain is not ready, but open for free; /health says why",
    function* () {
      const { url } = yield* freshDatabase(testDatabaseUrl)
      const rpc = yield* startRpc
      const { until, read } = yield* startProbed({
        ...{ DATABASE_URL: url, PAYMENTS: "live", RPC_URL: rpc.url, FACILITATOR_URL: rpc.url },
        PAY_TO_ADDRESS: `0x${"a1".repeat(20)}`,
        TREASURY_ADDRESS: `0x${"b2".repeat(20)}`,
      })
      yield* until("/readyz/free", "ok")
      yield* until("/readyz", "Payments are not sold: the chain cannot be read")
      yield* until("/health", "Payments are not sold: the chain cannot be read")
      yield* until("/health", `"payments":"failing"`)
      yield* until("/health", `"status":"degraded"`)
      // Test triggers are not part of a service with real payments.
      match(yield* read("/v1/latest", { [testHeader]: "overloaded" }), /payments are real here/)
      ok(!(yield* read("/llms-full.txt")).includes(testHeader))
      rpc.state.up = true
      yield* until("/readyz", "ok")
      yield* until("/health", "the treasury does not cover them")
      yield* until("/metrics", "\nbellwether_chain_block 100\n")
      yield* until("/metrics", "\nbellwether_treasury_usdc 0\n")
    },
  )
}
