/**
 * The refund worker as a separate process with its own PostgreSQL login: every refund is paid once
 * on the simulated chain, with two workers.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../../src/postgres/migrate.ts"
import { layer as paymentStore } from "../../../src/payments/postgres/paymentStore.ts"
import { grantRoles, roles } from "../../../src/postgres/migrate.ts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { layer as simulated } from "../../../src/payments/simulated/facilitator.ts"
import { address, type PaymentTicket } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { requirements } from "../../../src/payments/domain/x402/terms.ts"
import { simulatedTreasury, simulatedTreasuryKey } from "../../../src/app/moneySettings.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { variablesOf } from "../../../src/app/variables.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { registerSkipped } from "../../support/venues/oracle.ts"
import { liveTest } from "../../support/effect.ts"
import { freePort, killAndWait } from "../../support/process.ts"
import { freshSchema } from "../../support/stores.ts"
import { authorizationFor, nonce, terms, token } from "../../support/payments/terms.ts"
import { claimed } from "../../support/payments/claims.ts"
import { compiledLibrary, hasCompiler, openOffset } from "../../soak/steppedClock.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
const product = products.signals
const hour = 3_600
const refundDeadline = Duration.seconds(30)

/** Starts a worker process; killed when the scope closes. */
const startWorker = Effect.fnUntraced(function* (url: Redacted.Redacted, clock = {}) {
  const adminPort = freePort()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--no-prompt", "--no-check", "--allow-net", "--allow-read"],
          ...[`--allow-env=${variablesOf("worker").join(",")}`, "src/refund-worker.ts"],
        ],
        cwd: new URL("../../..", import.meta.url),
        env: {
          DATABASE_URL: Redacted.value(url),
          PAYMENTS: "simulated",
          PAY_TO_ADDRESS: terms.payTo,
          REFUND_ADMIN_PORT: String(adminPort),
          SWEEP: "100 millis",
          UNMATCHED_REFUND_MIN_USD: "0.03",
          NO_COLOR: "1",
          ...clock,
        },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn()
    ),
    (child) => Effect.promise(() => killAndWait(child)),
  )
  const ended = child.output()
  return {
    /** The status and the text of a path of its admin listener; retried while it does not listen. */
    admin: (path: string) =>
      Effect.tryPromise(async () => {
        const response = await fetch(`http://127.0.0.1:${adminPort}${path}`)
        return [response.status, await response.text()] as const
      }).pipe(
        Effect.retry(Schedule.spaced("100 millis")),
        Effect.timeout(refundDeadline),
        Effect.orDie,
      ),
    /** The output of a worker that ends by itself. */
    output: Effect.map(
      Effect.timeout(Effect.promise(() => ended), refundDeadline),
      ({ stderr }) => new TextDecoder().decode(stderr),
    ),
    /** Sends SIGTERM, and returns the exit code and the output. */
    stop: Effect.promise(async () => {
      child.kill("SIGTERM")
      const { code, stdout, stderr } = await ended
      const text = new TextDecoder()
      return { code, output: text.decode(stdout) + text.decode(stderr) }
    }),
  }
})

/** The variables of a process whose clock is ahead by this; none where no such clock can be made. */
const clockAheadBy = Effect.fnUntraced(function* (seconds: number) {
  if (!hasCompiler) return {}
  const dir = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    (dir) => Effect.promise(() => Deno.remove(dir, { recursive: true })),
  )
  const file = `${dir}/offset`
  yield* Effect.promise(() => Deno.writeFile(file, new Uint8Array(8)))
  const library = yield* Effect.promise(() => compiledLibrary(dir))
  openOffset(library, file).set(seconds * 1_000)
  return { LD_PRELOAD: library, STEPPED_CLOCK: file, STEPPED_CLOCK_ONLY: "1" }
})

/** A transfer of a product's price to the service, on the simulated chain. */
const transferred = Effect.fnUntraced(function* (n: number, product: Product) {
  const payer = buyer(n)
  const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const authorization = authorizationFor(payer, product, nowSeconds, { nonce: nonce(n) })
  const signature = yield* sign(payer, authorization)
  yield* (yield* Facilitator).settle({
    ...{ token, authorization, signature, requirements: requirements(product, terms) },
  })
  const proof = yield* (yield* Chain).paymentProof({
    ...{ ...token, ...authorization, transactionHint: null },
  })
  if (proof.proof !== "paid") throw new Error(`the transfer is ${proof.proof}`)
  const { paymentId } = yield* Signatures
  const id = paymentId({ ...token, ...authorization })
  return { authorization, signature, paymentId: id, paidAt: proof.at }
})

/** A payment that the simulated chain has taken and that has no answer. */
const owedPayment = Effect.fnUntraced(function* (n: number) {
  const store = yield* PaymentStore
  const { paidAt, ...transfer } = yield* transferred(n, product)
  const ticket: PaymentTicket = {
    ...{ ...transfer, token, amount: product.price, settlementOrder: "compute-first" },
    ...{ productId: product.id, request: "signals?[]" },
  }
  const lease = Duration.seconds(60)
  const payment = yield* claimed(ticket, null, lease)
  const answer = { body: new TextEncoder().encode("{}") }
  const settling = yield* store.move(payment, { event: "intend", answer, lease })
  const doubted = yield* store.move(Option.getOrThrow(settling), {
    ...{ event: "doubt", reason: "test", transactionHint: null },
  })
  yield* store.move(Option.getOrThrow(doubted), {
    ...{ event: "owe", reason: "paid_undelivered", paidAt },
  })
  return payment
})

/** A transfer that came without a request, as the scan records it. */
const strayTransfer = Effect.fnUntraced(function* (n: number, product: Product) {
  const { authorization, paymentId, paidAt } = yield* transferred(n, product)
  yield* (yield* PaymentStore).insertUnmatched({
    ...{ ...authorization, paymentId, token, at: paidAt },
  })
  return paymentId
})

if (testDatabaseUrl === undefined) {
  registerSkipped("refund worker", "set TEST_DATABASE_URL")
} else {
  liveTest("two refund workers with wrong clocks pay each refund once", function* () {
    const url = yield* freshSchema(testDatabaseUrl)
    const store = layerPostgres({ url, maxConnections: 4 })
    const context = yield* Layer.build(
      Layer.mergeAll(paymentStore, simulated).pipe(
        Layer.provideMerge(signatures),
        Layer.provideMerge(store),
      ),
    )
    const sql = Context.get(context, SqlClient)
    // The workers wait for the schema, which the test migrates later.
    const own = yield* refundLogin(sql, url)
    const clocks = [yield* clockAheadBy(hour), yield* clockAheadBy(-hour)]
    const workers = [yield* startWorker(own, clocks[0]), yield* startWorker(own, clocks[1])]
    for (const { admin } of workers) {
      equal(yield* admin("/livez"), [200, "ok\n"])
      equal(yield* admin("/readyz"), [503, "no sweep of refunds has finished yet\n"])
    }
    yield* Effect.sleep("2 seconds")
    yield* Effect.gen(function* () {
      yield* Effect.flatMap(migrationFiles, migrate)
      yield* grantRoles
      yield* sql`GRANT ${sql(roles.refund)} TO ${sql(new URL(Redacted.value(own)).username)}`
      const payments = yield* Effect.forEach([0, 1, 2, 3, 4], owedPayment)
      yield* sql<{ state: string }>`SELECT DISTINCT state FROM payment`.pipe(
        Effect.filterOrFail((states) => states.every(({ state }) => state === "refunded")),
        Effect.retry(Schedule.spaced("100 millis")),
        Effect.timeout(refundDeadline),
      )
      for (const { admin } of workers) {
        equal(yield* admin("/readyz"), [200, "ok\n"])
        const [, text] = yield* admin("/metrics")
        match(text, /^bellwether_refund_worker_last_sweep_age_seconds [\d.]+$/m)
        match(text, /^bellwether_chain_read_age_seconds [\d.]+$/m)
        if (hasCompiler) match(text, /^bellwether_clock_difference_seconds -?3[56]\d\d/m)
      }
      const [validity] = yield* sql<{ seconds: number }>`SELECT
        max(abs(valid_before - 600 - extract(epoch FROM clock_timestamp())))::float8 AS seconds
        FROM refund`
      ok((validity?.seconds ?? NaN) < 60, "a refund is valid for ten minutes from now")
      const paid = yield* sql<{ recipient: string; amount: bigint; nonce: string }>`
          SELECT recipient, amount, nonce FROM simulated_authorization
          WHERE payer = ${address(simulatedTreasury)} ORDER BY recipient`
      const payers = payments.map(({ authorization }) => authorization.from).sort()
      equal(paid.map(({ recipient }) => recipient), payers)
      ok(paid.every(({ amount }) => amount === product.price))
      const rows = yield* sql<{ signature: string; refund_nonce: string; transaction: string }>`
          SELECT signature, refund_nonce, transaction FROM refund`
      equal(new Set(rows.map((row) => row.refund_nonce)), new Set(paid.map((row) => row.nonce)))
      const dust = yield* strayTransfer(10, products.resolving)
      const least = yield* strayTransfer(11, products.signals)
      const stateOf = (id: string) =>
        Effect.map(
          sql<{ state: string }>`SELECT state FROM refund WHERE payment_id = ${id}`,
          ([row]) => row?.state,
        )
      yield* stateOf(least).pipe(
        Effect.filterOrFail((state) => state === "confirmed"),
        Effect.retry(Schedule.spaced("100 millis")),
        Effect.timeout(refundDeadline),
      )
      equal(yield* stateOf(dust), "queued")
      const ends = yield* Effect.forEach(workers, ({ stop }) => stop, { concurrency: 2 })
      equal(ends.map(({ code }) => code), [0, 0])
      const printed = ends.map((end) => end.output).join("\n")
      for (const { paymentId } of payments) {
        const logged = `"paymentId":"${paymentId}","from":`
        match(printed, new RegExp(`${logged}"queued","to":"broadcast"`))
        match(printed, new RegExp(`${logged}"broadcast","to":"confirmed"`))
      }
      match(printed, /Waiting for the store to be migrated/)
      match(printed, /Bellwether [\d.]+, refund worker/)
      for (const secret of [simulatedTreasuryKey, ...rows.map((row) => row.signature)]) {
        ok(!printed.includes(secret.slice(2)), "a key or a signature was printed")
      }
      yield* sql`UPDATE store_payments SET payments = 'live'`
      match(
        yield* (yield* startWorker(own)).output,
        /Cannot start with payments simulated: this store was started with payments live/,
      )
    }).pipe(Effect.provide(context))
  })
}

/** A new login without any permission. */
const refundLogin = Effect.fnUntraced(function* (sql: SqlClient, url: Redacted.Redacted) {
  const name = `worker_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(
    sql`CREATE ROLE ${sql(name)} LOGIN PASSWORD 'x'`,
    () => Effect.orDie(sql`DROP ROLE ${sql(name)}`),
  )
  const own = new URL(Redacted.value(url))
  own.username = name
  own.password = "x"
  return Redacted.make(own.href)
})
