/**
 * The embedded store over its socket: other processes share it with the service, with separate
 * transactions and only with the password.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Exit, Option, Redacted, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlClient } from "effect/sql/SqlClient"
import { openEmbedded } from "../../src/postgres/embedded.ts"
import { serveStore, socketsMax, StoreListenFailed } from "../../src/postgres/embeddedSocket.ts"
import { liveTest } from "../support/effect.ts"
import { freePort } from "../support/process.ts"

const password = "a-password-of-this-test"

/** A store in memory, a client inside its process, and the address for other processes. */
const served = Effect.gen(function* () {
  const backend = yield* openEmbedded({ memory: true })
  const port = freePort()
  yield* serveStore(backend, { port, password: Redacted.make(password) })
  const inside = yield* PgClient.make({
    stream: () => backend.connect(),
    ssl: false,
    username: "postgres",
    maxConnections: 4,
  }).pipe(Effect.provide(Reactivity.layer))
  return {
    inside,
    port,
    address: (word: string) => `postgres://postgres:${word}@127.0.0.1:${port}/postgres`,
  }
})

const outside = (url: string, options: { readonly ssl?: boolean } = {}) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 4, ...options }).pipe(
    Effect.provide(Reactivity.layer),
  )

const increment = (sql: SqlClient) =>
  sql.withTransaction(Effect.gen(function* () {
    const [row] = yield* sql<{ n: number }>`SELECT n FROM counter`
    yield* Effect.yieldNow
    yield* sql`UPDATE counter SET n = ${(row?.n ?? 0) + 1}`
  }))

liveTest("transactions from the socket and from inside do not mix", () =>
  Effect.gen(function* () {
    const { inside, address } = yield* served
    const worker = yield* outside(address(password))
    const another = yield* outside(address(password))
    yield* inside`CREATE TABLE counter (n integer)`
    yield* inside`INSERT INTO counter VALUES (0)`
    const turns = Array.from({ length: 90 }, (_, at) => [inside, worker, another][at % 3] ?? inside)
    yield* Effect.forEach(turns, increment, { concurrency: 12 })
    equal(yield* worker`SELECT n FROM counter`, [{ n: 90 }])
  }))

liveTest("a closed socket rolls back its open transaction", () =>
  Effect.gen(function* () {
    const { inside, address } = yield* served
    yield* inside`CREATE TABLE kept (a integer)`
    const scope = yield* Scope.make()
    const worker = yield* Scope.provide(outside(address(password)), scope)
    const connection = yield* Scope.provide(worker.reserve, scope)
    yield* connection.executeUnprepared("BEGIN", [], undefined)
    yield* connection.executeUnprepared("INSERT INTO kept VALUES (1)", [], undefined)
    yield* Scope.close(scope, Exit.void)
    equal(yield* inside`SELECT * FROM kept`, [])
  }))

liveTest(
  "a client without the password is refused, and its statements do not run",
  () =>
    Effect.gen(function* () {
      const { inside, address, port } = yield* served
      for (const word of ["", "a-password-of-this-tesT", `${password}x`]) {
        const refused = yield* outside(address(word)).pipe(
          Effect.flatMap((sql) => sql`CREATE TABLE stolen (a integer)`),
          Effect.scoped,
          Effect.exit,
        )
        ok(Exit.isFailure(refused), word)
      }
      yield* queryWithoutPassword(port)
      equal(yield* inside`SELECT to_regclass('stolen') IS NULL AS none`, [{ none: true }])
    }),
)

/** Sends a query right after the startup message, without a password. */
const queryWithoutPassword = (port: number) =>
  Effect.promise(async () => {
    const socket = await Deno.connect({ hostname: "127.0.0.1", port })
    const query = new TextEncoder().encode("CREATE TABLE stolen (a integer)\0")
    const bytes = new Uint8Array(9 + 5 + query.length)
    const view = new DataView(bytes.buffer)
    view.setInt32(0, 9)
    view.setInt32(4, 196608)
    bytes[9] = 0x51
    view.setInt32(10, 4 + query.length)
    bytes.set(query, 14)
    await socket.write(bytes)
    const answer = await new Response(socket.readable).text()
    ok(answer.includes("password authentication failed"), answer)
  })

liveTest(
  "a client that requests TLS gets a refusal and connects without it",
  () =>
    Effect.gen(function* () {
      const { address } = yield* served
      const sql = yield* outside(`${address(password)}?sslmode=prefer`)
      equal(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }),
)

liveTest(`at most ${socketsMax} sockets are open`, () =>
  Effect.gen(function* () {
    const { port } = yield* served
    const open = yield* Effect.forEach(Array.from({ length: socketsMax + 1 }), () =>
      Effect.acquireRelease(
        Effect.promise(() =>
          Deno.connect({ hostname: "127.0.0.1", port })
        ),
        (socket) => Effect.sync(() => socket.close()),
      ))
    const closed = Effect.promise(() => open.at(-1)?.read(new Uint8Array(1)) ?? Promise.resolve(1))
    // Shorter than the timeout of an idle handshake.
    equal(yield* Effect.timeoutOption(closed, "2 seconds"), Option.some(null))
  }))

liveTest("a port in use fails with StoreListenFailed", () =>
  Effect.gen(function* () {
    const { port } = yield* served
    const backend = yield* openEmbedded({ memory: true })
    const refusal = yield* Effect.flip(serveStore(backend, { port, password: Redacted.make("x") }))
    ok(refusal instanceof StoreListenFailed && refusal.message.includes(String(port)))
  }))
