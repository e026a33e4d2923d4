/**
 * What a person can do with a refund in `needs_review`, what the database refuses, and the record of
 * each act.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { refundMax } from "../../../src/payments/domain/refund.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { layer as payments } from "../../../src/payments/postgres/paymentStore.ts"
import { list, requeue, settle } from "../../../src/payments/postgres/refundReview.ts"
import { layer as refunds } from "../../../src/payments/postgres/refundStore.ts"
import { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import { layerPostgres } from "../../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../../src/postgres/migrate.ts"
import { liveTest } from "../../support/effect.ts"
import { freshSchema, onEveryStoreWith } from "../../support/stores.ts"
import { registerSkipped } from "../../support/venues/oracle.ts"
import { paymentIn, ticket, transferOf } from "../paymentStore.laws.ts"
import { lease, moveOf, noCaps, signature } from "./refundStore.laws.ts"
import { refusalOf } from "../../support/payments/refusals.ts"

const record = { person: "Ada", note: "paid from the other account" }
const transaction = `0x${"ab".repeat(32)}`
const layer = Layer.merge(refunds, payments)

/** A refund in `needs_review`; signed before, when `validBefore` is given. */
const inReview = Effect.fnUntraced(function* (n: number, validBefore: bigint | null = null) {
  yield* paymentIn(n, "refund_due")
  return yield* reviewed(n, validBefore)
})

const reviewed = Effect.fnUntraced(function* (n: number, validBefore: bigint | null = null) {
  const store = yield* RefundStore
  const claims = [
    ...yield* store.claimDue("sales", lease, 9),
    ...yield* store.claimDue("unmatched", lease, 9),
  ]
  const refund = claims.map(Result.getOrThrow)
    .find(({ paymentId }) => paymentId === ticket(n).paymentId)
  if (refund === undefined) return yield* Effect.die("nothing is due")
  if (validBefore !== null) {
    equal(yield* store.sign(refund, signature(n, validBefore), noCaps), "signed")
  }
  const state = validBefore === null ? "queued" : "signed"
  yield* store.move({ ...refund, state }, moveOf.require_review(n))
  return refund.paymentId
})

const onSafeBlock = { transaction: "0xaa", block: 1n, logIndex: 0, finality: "safe" } as const

/** The payment of one large transfer, in `needs_review`. */
const largeTransfer = Effect.fnUntraced(function* (n: number) {
  const { insertUnmatched } = yield* PaymentStore
  yield* insertUnmatched({ ...transferOf(n, onSafeBlock), value: 21_000_000n })
  return yield* reviewed(n)
})

const actions = Effect.flatMap(
  SqlClient,
  (sql) =>
    sql<{ action: string; person: string; note: string; mine: boolean; transaction: unknown }>`
      SELECT action, person, note, login = session_user AND at <= clock_timestamp() AS mine,
        transaction FROM refund_action ORDER BY action_id`,
)

const stateOf = Effect.fnUntraced(function* (paymentId: PaymentId) {
  const { find } = yield* PaymentStore
  const payment = yield* Effect.flatMap(find(paymentId), Effect.fromOption)
  return [payment.state, "refund" in payment ? payment.refund : null]
})

const now = () => BigInt(Math.floor(Date.now() / 1_000))

onEveryStoreWith("the review of refunds", layer, (law) => {
  law(
    "settle() ends the refund and its payment, shows the transaction, and records who did it",
    function* () {
      const [first, second] = [yield* inReview(0), yield* inReview(1)]
      yield* settle(first, record, transaction)
      yield* settle(second, record, null)
      const settled = { state: "settled_by_hand", reason: "paid_undelivered", confirmedAt: null }
      equal(yield* stateOf(first), ["refunded", { ...settled, transaction }])
      equal(yield* stateOf(second), ["refunded", { ...settled, transaction: null }])
      const row = { action: "settle", ...record, mine: true }
      equal(yield* actions, [{ ...row, transaction }, { ...row, transaction: null }])
      equal(yield* (yield* RefundStore).claimDue("sales", lease, 9), [])
    },
  )

  law(
    "settle() is refused until a signature has been invalid for ten minutes, also by the database",
    function* () {
      const sql = yield* SqlClient
      const usable = yield* inReview(0, now() - 540n)
      const unusable = yield* inReview(1, now() - 660n)
      match(yield* refusalOf(settle(usable, record, null)), /can still be used: try again in/)
      const forced = sql.withTransaction(Effect.andThen(
        sql`INSERT INTO refund_action (payment_id, action, person, note)
          VALUES (${usable}, 'settle', 'Ada', 'x')`,
        sql`UPDATE refund SET state = 'settled_by_hand' WHERE payment_id = ${usable}`,
      ))
      match(yield* refusalOf(forced), /signature can still be used/)
      equal(yield* actions, [])
      yield* settle(unusable, record, null)
      equal((yield* actions).length, 1)
    },
  )

  law(
    "requeue() needs an approval for an amount over the dearest product, and the guards accept no other",
    function* () {
      const sql = yield* SqlClient
      const large = yield* largeTransfer(0)
      match(yield* refusalOf(requeue(large, record, false)), /add --approve-amount/)
      match(
        yield* refusalOf(sql`UPDATE refund SET amount_approved = true`),
        /approved only when it leaves needs_review/,
      )
      const [listed] = yield* list("needs_review")
      equal([listed?.amount, listed?.lastError, listed?.queue], [21_000_000n, "test", "unmatched"])
      equal(21_000_000n > refundMax, true)
      yield* requeue(large, record, true)
      const store = yield* RefundStore
      const [claim] = yield* store.claimDue("unmatched", lease, 1)
      equal(claim && Result.getOrThrow(claim).amountApproved, true)
      equal((yield* actions).map(({ action }) => action), ["approve_amount"])
      match(yield* refusalOf(requeue(large, record, true)), /is queued, not needs_review/)
      const unknown = PaymentId.make(`0x${"99".repeat(32)}`)
      match(yield* refusalOf(requeue(unknown, record, true)), /There is no refund of payment/)
      equal([(yield* list(null)).length, (yield* list("needs_review")).length], [1, 0])
    },
  )

  law("the database refuses a move without its record, and any change of a record", function* () {
    const sql = yield* SqlClient
    const paymentId = yield* inReview(0)
    for (const state of ["queued", "settled_by_hand"]) {
      match(
        yield* refusalOf(sql`UPDATE refund SET state = ${state}`),
        /only with a row of refund_action/,
      )
    }
    yield* requeue(paymentId, record, false)
    yield* sql`UPDATE refund SET state = 'needs_review'`
    // A record of an earlier transaction is not enough.
    match(yield* refusalOf(sql`UPDATE refund SET state = 'queued'`), /only with a row/)
    match(yield* refusalOf(sql`UPDATE refund_action SET person = 'x'`), /cannot be changed/)
    match(yield* refusalOf(sql`DELETE FROM refund_action`), /cannot be changed or deleted/)
    match(yield* refusalOf(sql`TRUNCATE refund_action`), /cannot be truncated/)
    yield* sql`INSERT INTO refund_action (payment_id, action, person, note, at, login)
        VALUES (${paymentId}, 'settle', 'x', 'x', '2000-01-01', 'another')`
    equal((yield* actions).map(({ mine }) => mine), [true, true])
  })
})

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
if (testDatabaseUrl === undefined) {
  registerSkipped("the tasks of a person", "set TEST_DATABASE_URL")
} else {
  liveTest("the tasks list, approve and settle one transfer over the treasury", function* () {
    const url = yield* freshSchema(testDatabaseUrl)
    const task = (name: string, ...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "--no-check", "-A", "src/command.ts", `refunds:${name}`, ...args],
          cwd: new URL("../../..", import.meta.url),
          env: { DATABASE_URL: Redacted.value(url), NO_COLOR: "1" },
          stdin: "null",
        }).output()
        const text = new TextDecoder()
        return { code, text: text.decode(stdout) + text.decode(stderr) }
      })
    yield* Effect.gen(function* () {
      yield* Effect.flatMap(migrationFiles, migrate)
      const large = yield* largeTransfer(0)
      const listed = yield* task("list", "--state", "needs_review")
      match(listed.text, new RegExp(`needs_review: 1, \\$21.00\\n  ${large}  \\$21.00  to 0x`))
      const wrong = yield* task("settle", large, "--by", "Ada")
      equal(wrong.code, 2)
      match(wrong.text, /^Missing required flag: --note\. /)
      const unapproved = yield* task("requeue", large, "--by", "Ada", "--note", "x")
      equal(unapproved.code, 1)
      match(unapproved.text, /^The amount .* add --approve-amount/)
      const done = ["--by", "Ada", "--note", "sent back", "--transaction", transaction]
      equal((yield* task("settle", large, ...done)).code, 0)
      const [state, refund] = yield* stateOf(large)
      equal([state, refund], ["refunded", {
        ...{ state: "settled_by_hand", reason: "unmatched_transfer", transaction },
        confirmedAt: null,
      }])
      match((yield* task("list")).text, /^No refunds/)
    }).pipe(
      Effect.provide(layer),
      Effect.provide(layerPostgres({ url, maxConnections: 2 })),
    )
  })
}
