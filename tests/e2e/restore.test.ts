/**
 * The drill of a restore: what was delivered after the backup is not refunded, and what was not is
 * refunded once. A real PostgreSQL, its own dump, and the command as an operator runs it.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerFile } from "../../src/payments/DeliveryJournal.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import type { Outcome } from "../../src/payments/purchase.ts"
import { layerLedger } from "../support/payments/simulated.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { liveTest, startingAt } from "../support/effect.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"
import {
  answering,
  paymentsLayer,
  purchase,
  rowOf,
  startSeconds,
  stateOf,
  timing,
  workOf,
} from "../support/payments/sales.ts"
import { nonce } from "../support/payments/terms.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { run, temporaryFolder } from "../support/process.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
const runs = (...command: ReadonlyArray<string>) =>
  Effect.map(run(command), ({ code, stderr }) => equal(code, 0, stderr))

const hasDump = await new Deno.Command("pg_dump", { args: ["--version"], stdout: "null" }).output()
  .then(({ success }) => success, () => false)

/** The command as an operator runs it, on simulated payments. */
const restore = (database: string, args: ReadonlyArray<string>) =>
  run([Deno.execPath(), "run", "-A", "--no-check", "src/launch.ts", "restore", ...args], {
    env: { DATABASE_URL: database, PAYMENTS: "simulated" },
  })

/** A new database on the server; dropped with the scope. */
const freshDatabase = Effect.fnUntraced(function* (server: string) {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  const psql = (sql: string) => run(["psql", "-X", "-q", "-d", server, "-c", sql])
  yield* Effect.acquireRelease(
    psql(`CREATE DATABASE ${name}`),
    () => psql(`DROP DATABASE ${name} WITH (FORCE)`),
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
})

const connected = (database: string) =>
  layerPostgres({ url: Redacted.make(database), maxConnections: 4 })

/** The chain, which no restore changes. */
const chainPorts = layerLedger().pipe(Layer.provideMerge(Layer.merge(layerMemory, signatures)))
type ChainPorts = Layer.Success<typeof chainPorts>

/** A process of the service on a database, on a clock that starts these seconds after the start. */
const service = <A, E>(
  { database, folder, seconds = 0 }: {
    readonly database: string
    readonly folder: string
    readonly seconds?: number
  },
  body: Effect.Effect<A, E, Payments | PaymentStore | SqlClient | ChainPorts>,
) =>
  Effect.flatMap(Effect.context<ChainPorts>(), (ports) =>
    startingAt(
      (startSeconds + seconds) * 1_000,
      Effect.provide(
        body,
        Layer.fresh(
          paymentsLayer({ timing }).pipe(
            Layer.provideMerge(paymentStore),
            Layer.provideMerge(connected(database)),
            Layer.provideMerge(Layer.succeedContext(ports)),
            Layer.provide(layerFile(folder)),
          ),
        ),
      ),
    ))

const sell = Effect.fnUntraced(function* (n: number) {
  const bought = yield* purchase({ authorization: { nonce: nonce(n) } })
  return { bought, delivery: yield* (yield* Payments).sell(bought, workOf(answering())) }
})

const deliver = Effect.fnUntraced(function* (sold: { readonly delivery: Outcome }) {
  yield* (yield* Payments).sent(sold.delivery)
})

const drill = Effect.fnUntraced(function* (server: string) {
  const folder = yield* temporaryFolder
  const journal = `${folder}/journal`
  const old = { database: yield* freshDatabase(server), folder: journal }
  const before = yield* service(
    old,
    Effect.gen(function* () {
      yield* Effect.flatMap(migrationFiles, migrate)
      yield* (yield* Payments).scan
      const delivered = yield* sell(0)
      yield* deliver(delivered)
      return { delivered, stored: yield* sell(1) }
    }),
  )
  yield* runs("pg_dump", "-d", old.database, "-f", `${folder}/dump`)
  const after = yield* service(
    old,
    Effect.gen(function* () {
      yield* deliver(before.stored)
      const delivered = yield* sell(2)
      yield* deliver(delivered)
      return { delivered, undelivered: yield* sell(3) }
    }),
  )
  const sales = [before.delivered, before.stored, after.delivered, after.undelivered]
    .map(({ bought }) => bought)

  const restored = { database: yield* freshDatabase(server), folder: `${folder}/new`, seconds: 600 }
  const psql = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", restored.database]
  yield* runs(...psql, "-f", `${folder}/dump`)
  const refused = yield* restore(restored.database, ["--journal", folder])
  equal([refused.code, refused.stdout], [2, ""])
  match(refused.stderr, /is not a folder with a readable delivery journal/)
  for (const known of [2, 0]) {
    const { code, stdout, stderr } = yield* restore(restored.database, ["--journal", journal])
    equal([code, stderr.replaceAll(/.*Download.*\n/g, "")], [0, ""])
    match(stdout, new RegExp(`^3 delivered answers .* did not know ${known}\n$`))
  }

  yield* service(
    restored,
    Effect.gen(function* () {
      const { scan, sweep } = yield* Payments
      equal(yield* Effect.forEach(sales, stateOf), ["answered", "answered", null, null])
      equal([yield* scan, yield* scan, yield* sweep], [1, 0, 0])
      equal(yield* Effect.forEach(sales, stateOf), ["answered", "answered", null, "refund_due"])
      equal((yield* rowOf(before.stored.bought))?.sent, true)
      const sql = yield* SqlClient
      equal((yield* sql`SELECT 1 FROM refund`).length, 1)
    }),
  )
})

const title = "a restored store refunds what was not delivered since the backup, and nothing else"
if (testDatabaseUrl === undefined) registerSkipped(title, "set TEST_DATABASE_URL")
else if (!hasDump) registerSkipped(title, "install PostgreSQL's programs")
else {
  liveTest(title, () =>
    Effect.flatMap(
      Layer.build(chainPorts),
      (ports) => Effect.provide(drill(testDatabaseUrl), Layer.succeedContext(ports)),
    ))

  liveTest("the restore command ends with code 2 when its arguments cannot be used", function* () {
    const { code, stdout, stderr } = yield* restore(testDatabaseUrl, ["--since", "soon"])
    equal([code, stdout], [2, ""])
    match(stderr, /--since.*the number of a block, not soon\. deno task restore --help/)
  })
}
