/**
 * The rights of each login on a PostgreSQL server: the service sells, the worker refunds, and neither
 * can do the other's work or disable a guard.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Cause, Context, Duration, Effect, Exit, Layer, Redacted, Result, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import {
  grantRoles,
  migrate,
  migrationFiles,
  OwnerMigrationRequired,
  roles,
} from "../../src/postgres/migrate.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import * as refundStore from "../../src/payments/postgres/refundStore.ts"
import { Retention } from "../../src/payments/postgres/retention.ts"
import { noSums } from "../../src/whales/domain/score.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { measureOwed, RefundQueue } from "../../src/payments/refunds/Refunds.ts"
import { RefundStore } from "../../src/payments/refunds/RefundStore.ts"
import { postgresWhales, whaleStores } from "../support/whales/whaleStores.ts"
import { whaleRow } from "../support/products.ts"
import { freshLogins, freshSchema } from "../support/stores.ts"
import { requeue } from "../../src/payments/postgres/refundReview.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { answerColumn } from "../support/payments/storedAnswer.ts"
import { claimAndMove, paths, paymentIn, ticket } from "../payments/paymentStore.laws.ts"
import {
  activityEventOf,
  entryOf,
  factsOf,
  marketOf,
  resolutionOf,
  start,
  walletOf,
} from "../whales/whaleStores.laws.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined

const connect = (url: Redacted.Redacted) =>
  Effect.map(
    Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 2 }))),
    (context) => Context.get(context, SqlClient),
  )

/** A migrated schema with three logins: the owner, the service and the worker. */
const withLogins = Effect.gen(function* () {
  const { owner, service, refund } = yield* freshLogins(testDatabaseUrl ?? "")
  return { owner, service: yield* connect(service), refund: yield* connect(refund) }
})
type Logins = Effect.Success<typeof withLogins>

const asRole = (
  name: string,
  body: (logins: Logins) => Effect.Effect<void, unknown, Scope.Scope>,
) =>
  testDatabaseUrl === undefined
    ? registerSkipped(`roles: ${name}`, "set TEST_DATABASE_URL")
    : Deno.test(
      `roles: ${name}`,
      () => Effect.runPromise(Effect.scoped(Effect.flatMap(withLogins, body))),
    )

const refused = Effect.fnUntraced(function* (
  sql: SqlClient,
  statement: string,
  because = /permission denied|must be owner|must be superuser/,
) {
  const exit = yield* Effect.exit(sql.unsafe(statement).unprepared)
  match(
    Exit.isFailure(exit) ? Cause.pretty(exit.cause) : `accepted: ${statement}`,
    because,
  )
})

const sold = (sql: SqlClient) => paymentStore.pipe(Layer.provide(Layer.succeed(SqlClient, sql)))

asRole(
  "an owner who may not create roles grants to the existing ones",
  ({ owner }) =>
    Effect.gen(function* () {
      const url = yield* freshSchema(testDatabaseUrl ?? "")
      const admin = yield* connect(url)
      const [current] = yield* admin<{ schema: string }>`SELECT current_schema() AS schema`
      const name = `owner_${crypto.randomUUID().replaceAll("-", "")}`
      yield* Effect.acquireRelease(
        owner`CREATE ROLE ${owner(name)} LOGIN PASSWORD 'x'`,
        () =>
          Effect.orDie(
            Effect.andThen(
              // Without this, the schema would be dropped before its own finalizer.
              Effect.andThen(
                admin.unsafe(`REASSIGN OWNED BY ${name} TO CURRENT_USER`).unprepared,
                admin.unsafe(`DROP OWNED BY ${name}`).unprepared,
              ),
              owner`DROP ROLE ${owner(name)}`,
            ),
          ),
      )
      yield* admin.unsafe(`ALTER SCHEMA "${current?.schema}" OWNER TO ${name}`).unprepared
      const own = new URL(Redacted.value(url))
      own.username = name
      own.password = "x"
      const limited = yield* connect(Redacted.make(own.href))
      yield* Effect.provideService(Effect.flatMap(migrationFiles, migrate), SqlClient, limited)
      yield* Effect.provideService(grantRoles, SqlClient, limited)
    }),
)

asRole(
  "a view that the owner makes gives no role what its table refuses",
  ({ owner, service, refund }) =>
    Effect.gen(function* () {
      yield* owner`CREATE VIEW open_refund AS SELECT * FROM refund`
      yield* Effect.provideService(grantRoles, SqlClient, owner)
      for (const login of [service, refund]) {
        yield* refused(login, "SELECT signature FROM open_refund")
        yield* refused(login, "UPDATE open_refund SET state = 'confirmed'")
      }
    }),
)

asRole(
  "the service makes every state change of a payment, and triggers queue the refund",
  ({ service }) =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      let n = 0
      for (const order of ["compute-first", "settle-early"] as const) {
        for (const path of Object.values(paths[order])) yield* claimAndMove(n++, order, path)
      }
      const { paymentId, token, authorization: { from, to, value, nonce } } = ticket(n)
      const at = { transaction: "0xaa", block: 1n, logIndex: 0, finality: "safe" } as const
      equal(yield* store.insertUnmatched({ paymentId, token, from, to, value, nonce, at }), true)
      const [queued] = yield* service<{ count: bigint }>`
      SELECT count(*) AS count FROM refund WHERE state = 'queued'`
      equal(queued?.count, 3n)
    }).pipe(Effect.provide(sold(service))),
)

asRole(
  "the service stores wallets from their first activity to their calibration; the worker reads none",
  ({ service, refund }) =>
    Effect.gen(function* () {
      const store = yield* whaleStores
      const wallet = walletOf(0)
      yield* store.track([{ wallet, name: "Some Wallet", source: "profit" }], start)
      const activity = [activityEventOf(0, 0, 0)]
      yield* store.saveRead({ wallet, activity, readFrom: start, readTo: start, history: "whole" })
      equal(yield* store.unknownMarkets(9, start), [marketOf(0)])
      yield* store.saveFacts([factsOf(0)], [marketOf(0)], start)
      const [stale] = yield* store.stale(9)
      equal(stale?.activity, activity)
      yield* store.saveEntries([{
        ...{ wallet, marketId: marketOf(0), version: 1 },
        ...{ entries: [entryOf(0)], boughtBoth: false, farmed: false, due: true },
      }])
      equal((yield* store.due(9)).length, 1)
      equal(yield* store.saveResolutions([resolutionOf(0, 0)], [marketOf(0)], start), 1)
      yield* store.track([{ wallet, name: "Some Wallet", source: "volume" }], start)
      const [{ version } = { version: 0 }] = yield* store.uncounted(9, start)
      const record = { sums: noSums, evidence: { follow: 1, fade: 1 } }
      const counted = { wallet, version, record, newlyCounted: [marketOf(0)], nextAt: null }
      equal(yield* store.saveCounted(counted, start), true)
      yield* store.saveCalibrated([{ computedAt: start, row: whaleRow({ wallet }) }], [])
      equal((yield* store.calibrated).length, 1)
      yield* store.saveCalibrated([], [wallet])
      equal(yield* store.calibrationVersion, "3")
      yield* refused(refund, "SELECT * FROM whale_wallet")
      yield* refused(service, "TRUNCATE whale_activity")
    }).pipe(Effect.provide(postgresWhales.pipe(Layer.provide(Layer.succeed(SqlClient, service))))),
)

asRole(
  "the service reads the due refunds, and cannot claim one",
  ({ service }) =>
    Effect.gen(function* () {
      yield* paymentIn(0, "refund_due")
      const { liability, refunds } = yield* measureOwed(yield* PaymentStore, yield* RefundQueue)
      const queued = refunds.find(({ queue, state }) => queue === "sales" && state === "queued")
      equal([liability, queued?.refunds], [ticket(0).amount, 1])
      const { claimDue } = yield* RefundStore
      const exit = yield* Effect.exit(claimDue("sales", Duration.minutes(1), 1))
      match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "claimed", /permission denied/)
    }).pipe(Effect.provide(
      Layer.merge(refundStore.queueLayer, refundStore.layer).pipe(
        Layer.provideMerge(paymentStore),
        Layer.provide(Layer.succeed(SqlClient, service)),
      ),
    )),
)

asRole(
  "the service cannot write a refund, read its signature or write the event log",
  (logins) =>
    Effect.gen(function* () {
      const { service } = logins
      yield* paymentIn(0, "refund_due").pipe(
        Effect.provide(sold(service)),
      )
      for (
        const statement of [
          `INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
          SELECT payment_id, payer, amount, asset, chain_id, 'x' FROM payment`,
          "UPDATE refund SET state = 'needs_review'",
          "UPDATE refund SET state = 'queued', reason = 'x'",
          "SELECT signature FROM refund",
          "DELETE FROM refund",
          "INSERT INTO payment_event (payment_id, to_state, fence) SELECT payment_id, 'void', 1 FROM payment",
          "SELECT * FROM payment_event",
          "INSERT INTO refund_action (payment_id, action, person, note) VALUES ('0x', 'settle', 'x', 'x')",
          "UPDATE payment SET amount = 1",
          "UPDATE payment SET payer = pay_to",
          "DELETE FROM payment",
          "TRUNCATE payment",
          "ALTER TABLE payment DISABLE TRIGGER ALL",
          "DROP TRIGGER payment_guard ON payment",
          "CREATE TABLE sneaked (a int)",
          "SET session_replication_role = replica",
          `SET ROLE ${roles.refund}`,
        ]
      ) {
        yield* refused(service, statement)
      }
      yield* refused(service, "UPDATE payment SET state = 'refunded'", /while its refund is queued/)
      yield* refused(service, "UPDATE payment SET state = 'void'", /while its refund is queued/)
    }),
)

asRole(
  "an invalid row written with the service's login stops neither a sweep nor a scan",
  ({ service }) =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const invalid = yield* Effect.forEach(
        ["'no hash', clock_timestamp()", "NULL, '-infinity'", "NULL, 'infinity'"],
        Effect.fnUntraced(function* (secretAndLease, n) {
          const { paymentId, token, authorization: { from, to, nonce } } = ticket(n)
          yield* service`
            INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
              pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
              state, secret_hash, lease_until)
            VALUES (${paymentId}, ${token.chainId}, ${token.asset}, 'x', '2', ${from}, ${nonce}, ${to},
              1, 0, 1, ${`0x${"22".repeat(65)}`}, 'settle-early', 'x', 'x', 'claimed',
              ${service.literal(secretAndLease)})`
          return paymentId
        }),
      )
      const waiting = store.waiting({
        kind: "urgent",
        nowSeconds: 2n,
        answerWindow: Duration.seconds(1),
        skip: 0,
        limit: 9,
      })
      equal(
        new Set((yield* waiting).map((row) => Result.getOrThrow(row).paymentId)),
        new Set(invalid.slice(0, 2)),
      )
      for (const paymentId of invalid) {
        const { secretHash } = yield* Effect.flatMap(store.find(paymentId), Effect.fromOption)
        equal(secretHash, null)
      }
    }).pipe(Effect.provide(sold(service))),
)

asRole(
  "the worker refunds, and cannot write a payment or read an answer",
  (logins) =>
    Effect.gen(function* () {
      const { service, refund } = logins
      const { paymentId } = yield* paymentIn(0, "refund_due")
        .pipe(
          Effect.provide(sold(service)),
        )
      for (
        const statement of [
          "UPDATE payment SET state = 'refunded'",
          `SELECT ${answerColumn} FROM payment`,
          "SELECT body FROM payment_answer",
          "SELECT secret_hash FROM payment",
          "SELECT signature FROM payment",
          "SELECT * FROM feed_item",
          `INSERT INTO payment SELECT * FROM payment`,
          `INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
          SELECT payment_id, payer, amount, asset, chain_id, 'x' FROM refund`,
          "UPDATE refund SET amount = 1",
          "UPDATE refund SET payer = asset",
          "UPDATE refund SET amount_approved = true",
          "UPDATE refund SET queue = 'sales'",
          "INSERT INTO refund_action (payment_id, action, person, note) VALUES ('0x', 'settle', 'x', 'x')",
          "DELETE FROM refund",
          "ALTER TABLE refund DISABLE TRIGGER ALL",
          `SET ROLE ${roles.service}`,
        ]
      ) {
        yield* refused(refund, statement)
      }
      const { reserved } = yield* Effect.provide(
        RefundStore,
        refundStore.layer.pipe(Layer.provide(Layer.succeed(SqlClient, refund))),
      )
      equal(yield* reserved(paymentId), 0n)
      yield* refund`UPDATE refund SET state = 'needs_review'`
      for (const state of ["queued", "settled_by_hand"]) {
        yield* refused(
          refund,
          `UPDATE refund SET state = '${state}'`,
          /only with a row of refund_action/,
        )
      }
      const record = { person: "Ada", note: "test" }
      yield* requeue(paymentId, record, false).pipe(
        Effect.provideService(SqlClient, logins.owner),
      )
      yield* refund`UPDATE refund SET state = 'signed', treasury = ${`0x${"22".repeat(20)}`},
      refund_nonce = ${paymentId}, valid_before = 1, signature = ${`0x${"22".repeat(65)}`},
      signed_at = now()`
      yield* refund`UPDATE refund SET state = 'confirmed', transaction = '0xbb', confirmed_at = now(),
      confirmed_block = 1, confirmed_log_index = 1`
      const [row] = yield* service<{ state: string }>`SELECT state FROM payment`
      equal(row?.state, "refunded")
    }),
)

asRole(
  "the service deletes old payments through one function only; the worker deletes none",
  ({ owner, service, refund }) =>
    Effect.gen(function* () {
      const payments = yield* PaymentStore
      const retention = yield* Retention
      const old = yield* paymentIn(0, "answered")
      yield* payments.markSent(old.paymentId)
      const recent = yield* paymentIn(1, "answered")
      yield* payments.markSent(recent.paymentId)
      yield* owner.withTransaction(Effect.gen(function* () {
        yield* owner`SET LOCAL session_replication_role = replica`
        yield* owner`UPDATE payment SET sent_at = '2020-01-01', valid_before = 1
          WHERE payment_id = ${old.paymentId}`
        yield* owner`UPDATE payment_event SET at = '2020-01-01' WHERE payment_id = ${old.paymentId}`
        yield* owner`UPDATE payment_answer SET used_at = '2020-01-01'`
      }))
      for (const statement of ["DELETE FROM payment", "DELETE FROM payment_event"]) {
        yield* refused(service, statement)
      }
      yield* refused(service, "DELETE FROM payment_deleted")
      yield* refused(service, "INSERT INTO delivered_before_restore VALUES ('x')")
      yield* refused(refund, "SELECT delete_old_payments(0, 9)")
      yield* refused(service, "UPDATE payment_answer SET body = 'x'")
      yield* refused(refund, "DELETE FROM payment_answer")
      equal(yield* retention.deleteBodies(9), 1)
      // A table of the caller does not replace one of the payments.
      const first = yield* service.withTransaction(Effect.gen(function* () {
        yield* service`CREATE TEMPORARY TABLE payment_event ON COMMIT DROP AS
          SELECT 9::bigint AS event_id, ${recent.paymentId} AS payment_id, '-infinity'::timestamptz AS at`
        return yield* retention.deletePayments(0n, 9)
      }))
      equal([first.deleted, first.throughEvent !== null], [1, true])
      equal(yield* retention.deletePayments(first.throughEvent ?? 0n, 9), {
        throughEvent: null,
        deleted: 0,
      })
      equal((yield* payments.find(old.paymentId))._tag, "None")
      equal((yield* payments.find(recent.paymentId))._tag, "Some")
    }).pipe(
      Effect.provide(Layer.merge(paymentStore, Retention.layer)),
      Effect.provideService(SqlClient, service),
    ),
)

asRole(
  "migrate() with a login without rights accepts a migrated schema, and otherwise names who must migrate",
  (
    { service },
  ) =>
    Effect.gen(function* () {
      const files = yield* migrationFiles
      equal(yield* migrate(files), [])
      const next = { id: 9_999, name: "next", sql: "CREATE TABLE next (a int)" }
      const error = yield* Effect.flip(migrate([...files, next]))
      equal(error instanceof OwnerMigrationRequired, true)
      match(error.message, /next must be applied by the owner/)
    }).pipe(Effect.provideService(SqlClient, service)),
)
