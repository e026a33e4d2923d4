/**
 * Which login may do what: two roles beside the owner of the tables, one a process.
 *
 * The service may claim and move payments and may not touch a refund. The refund worker may sign and
 * confirm refunds and may not touch a payment, nor read an answer. Neither owns a table, so neither can
 * step past a guard. Run by `deno task migrate`, as the owner, after every migration.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** The roles a login is made a member of: `GRANT bellwether_service TO its_login`. */
export const roles = { service: "bellwether_service", refund: "bellwether_refund" } as const

/** What a sale writes of a payment after it is claimed; the rest is its identity. */
const movable = [
  ...["state", "reason", "fence", "lease_until", "secret_hash", "changed_at", "intended_at"],
  ...["transaction_hint", "paid_transaction", "paid_block", "paid_log_index", "paid_finality"],
  ...["paid_amount", "answer_body", "answered_at", "sent_at"],
]

/** What is told of a refund. Its signature moves money, so it is nobody's but the worker's. */
const told = ["payment_id", "state", "reason", "transaction", "amount", "created_at", "changed_at"]

/** What a refund is proven by. No answer, no secret, no signature of a payer. */
const proving = [
  ...["payment_id", "chain_id", "asset", "token_name", "token_version", "payer", "nonce", "pay_to"],
  ...["amount", "valid_after", "valid_before", "settlement", "state", "reason", "created_at"],
  ...["changed_at", "paid_transaction", "paid_block", "paid_log_index", "paid_finality"],
]

/** What the worker writes of a refund: anything but whose, how much and why. */
const payable = [
  ...["state", "treasury", "refund_nonce", "valid_before", "signature", "transaction"],
  ...["transaction_hint", "attempts", "next_attempt_at", "lease_until", "fence", "last_error"],
  ...["signed_at", "confirmed_at", "confirmed_block", "confirmed_log_index", "changed_at"],
]

/** The tables of money, whose rights are given column by column; the rest is the service's. */
const money = ["payment", "payment_event", "refund", "refund_treasury", "schema_migration"]

/** Makes the roles where they are missing, and gives each what it needs, and nothing else. */
export const grantRoles = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [place] = yield* sql<{ schema: string }>`SELECT current_schema() AS schema`
  const schema = place?.schema ?? "public"
  for (const role of Object.values(roles)) yield* ensureRole(role)
  const tables = yield* sql<{ tablename: string }>`
    SELECT tablename FROM pg_tables WHERE schemaname = ${schema}`
  const others = tables.map(({ tablename }) => tablename).filter((name) => !money.includes(name))
  const play = others.filter((name) => name.startsWith("simulated_"))
  const { service, refund } = roles
  yield* sql.withTransaction(Effect.gen(function* () {
    for (const role of [service, refund]) {
      yield* sql`REVOKE ALL ON ALL TABLES IN SCHEMA ${sql(schema)} FROM ${sql(role)}`
      yield* sql`GRANT USAGE ON SCHEMA ${sql(schema)} TO ${sql(role)}`
      yield* sql`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${sql(schema)} TO ${sql(role)}`
      yield* sql`GRANT SELECT ON schema_migration TO ${sql(role)}`
    }
    for (const table of others) yield* grant("SELECT, INSERT, UPDATE, DELETE", table, service)
    for (const table of play) yield* grant("SELECT, INSERT, UPDATE, DELETE", table, refund)
    yield* grant("SELECT, INSERT", "payment", service)
    yield* grant(`UPDATE (${movable.join(", ")})`, "payment", service)
    yield* grant(`SELECT (${told.join(", ")})`, "refund", service)
    yield* grant(`SELECT (${proving.join(", ")})`, "payment", refund)
    yield* grant("SELECT", "refund", refund)
    yield* grant(`UPDATE (${payable.join(", ")})`, "refund", refund)
    yield* grant("SELECT, INSERT", "refund_treasury", refund)
  }))
})

const grant = (rights: string, table: string, role: string) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`GRANT ${sql.literal(rights)} ON ${sql(table)} TO ${sql(role)}`,
  )

/** A role belongs to the whole server: another database, or another migrator, may have made it. */
const ensureRole = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql`DO ${
      sql.literal(`$$
      BEGIN
        CREATE ROLE ${role} NOLOGIN;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$`)
    }`)
