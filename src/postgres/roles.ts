/**
 * The two database roles that do not own the tables: the service's and the refund worker's.
 *
 * The service may claim and change payments, and may not change refunds. The refund worker may sign
 * and confirm refunds, and may not change payments nor read answers. Neither owns a table, so
 * neither can disable a guard. `deno task migrate` grants the rights, as the owner, after every
 * migration.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** The roles that logins are members of: `GRANT bellwether_service TO its_login`. */
export const roles = { service: "bellwether_service", refund: "bellwether_refund" } as const

/** Columns of a payment that a sale updates; the others are its identity. */
const paymentUpdates = [
  "state",
  "reason",
  "fence",
  "lease_until",
  "secret_hash",
  "changed_at",
  "intended_at",
  "key_hash",
  "transaction_hint",
  "paid_transaction",
  "paid_block",
  "paid_log_index",
  "paid_finality",
  "paid_amount",
  "answer_hash",
  "answered_at",
  "sent_at",
]

/** Columns of a refund that the service may read. Not the signature: it can move money. */
const refundReadByService = [
  "payment_id",
  "state",
  "reason",
  "transaction",
  "amount",
  "queue",
  "confirmed_at",
  "created_at",
  "changed_at",
]

/**
 * Columns of a payment that the worker needs to verify a refund: no answer, secret or signature.
 */
const paymentReadByWorker = [
  "payment_id",
  "chain_id",
  "asset",
  "token_name",
  "token_version",
  "payer",
  "nonce",
  "pay_to",
  "amount",
  "valid_after",
  "valid_before",
  "settlement",
  "state",
  "reason",
  "created_at",
  "changed_at",
  "paid_transaction",
  "paid_block",
  "paid_log_index",
  "paid_finality",
]

/** Columns of a refund that the worker updates: none that says what is owed to whom. */
const refundUpdates = [
  "state",
  "treasury",
  "refund_nonce",
  "valid_before",
  "signature",
  "transaction",
  "transaction_hint",
  "attempts",
  "next_attempt_at",
  "lease_until",
  "fence",
  "last_error",
  "signed_at",
  "confirmed_at",
  "confirmed_block",
  "confirmed_log_index",
  "changed_at",
]

/** Tables with rights by column. The service has all rights on the others. */
const restrictedTables = [
  "payment",
  "payment_answer",
  "payment_event",
  "payment_deleted",
  "delivered_before_restore",
  "refund",
  "refund_action",
  "refund_treasury",
  "schema_migration",
  "store_payments",
]

/** Creates missing roles, and grants each exactly the rights it needs. */
export const grantRoles = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [current] = yield* sql<{ schema: string }>`SELECT current_schema() AS schema`
  const schema = current?.schema ?? "public"
  for (const role of Object.values(roles)) yield* ensureRole(role)
  const tables = yield* sql<{ tablename: string }>`
    SELECT tablename FROM pg_tables WHERE schemaname = ${schema}`
  const others = tables.map(({ tablename }) => tablename).filter((name) =>
    !restrictedTables.includes(name)
  )
  const simulated = others.filter((name) => name.startsWith("simulated_"))
  const { service, refund } = roles
  yield* sql.withTransaction(Effect.gen(function* () {
    for (const role of [service, refund]) {
      yield* sql`REVOKE ALL ON ALL TABLES IN SCHEMA ${sql(schema)} FROM ${sql(role)}`
      yield* sql`GRANT USAGE ON SCHEMA ${sql(schema)} TO ${sql(role)}`
      yield* sql`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${sql(schema)} TO ${sql(role)}`
      yield* sql`GRANT SELECT ON schema_migration TO ${sql(role)}`
      yield* grant("SELECT, INSERT", "store_payments", role)
    }
    for (const table of others) yield* grant("SELECT, INSERT, UPDATE, DELETE", table, service)
    for (const table of simulated) yield* grant("SELECT, INSERT, UPDATE, DELETE", table, refund)
    yield* grant("SELECT, INSERT", "payment", service)
    yield* grant(`UPDATE (${paymentUpdates.join(", ")})`, "payment", service)
    yield* grant("SELECT, INSERT, DELETE, UPDATE (used_at)", "payment_answer", service)
    for (const table of ["payment_deleted", "delivered_before_restore"]) {
      yield* grant("SELECT", table, service)
    }
    yield* grant("SELECT", "delivered_before_restore", refund)
    yield* sql`GRANT EXECUTE ON FUNCTION delete_old_payments(bigint, integer) TO ${sql(service)}`
    yield* grant(`SELECT (${refundReadByService.join(", ")})`, "refund", service)
    yield* grant(`SELECT (${paymentReadByWorker.join(", ")})`, "payment", refund)
    yield* grant("SELECT", "refund", refund)
    yield* grant(`UPDATE (${refundUpdates.join(", ")})`, "refund", refund)
    yield* grant("SELECT, INSERT", "refund_treasury", refund)
  }))
})

const grant = (rights: string, table: string, role: string) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`GRANT ${sql.literal(rights)} ON ${sql(table)} TO ${sql(role)}`,
  )

/**
 * Roles belong to the whole server: another database or migrator may have created this one. An owner
 * without the right to create roles can grant to existing ones.
 */
const ensureRole = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql`DO ${
      sql.literal(`$$
      BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN
          CREATE ROLE ${role} NOLOGIN;
        END IF;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$`)
    }`)
