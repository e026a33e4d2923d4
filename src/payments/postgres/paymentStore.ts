/**
 * Payments in PostgreSQL. Every move is a compare-and-set on one row, and leases run on the
 * database's clock.
 *
 * Writes that arrive together share one statement, and so its round trip and its commit. Each is
 * still a compare-and-set on its own row. The database refuses every move that the table of moves does not have (see the
 * migrations), so a bug here causes a defect, not a lost payment.
 *
 * @module
 */
import { Duration, Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { annotate } from "../../core/tracing.ts"
import { groupCommit } from "../../postgres/groupCommit.ts"
import { jsonText } from "../../postgres/json.ts"
import { isReadOnly } from "../../postgres/storeProbe.ts"
import {
  Bytes32,
  type ClaimedPayment,
  holdsKey,
  type Payment,
  type PaymentId,
  paymentOf,
  type PaymentState,
  type PaymentTicket,
  stateAfter,
  step,
  type StoredAnswer,
  type UnreadablePayment,
} from "../domain/payment.ts"
import {
  declined,
  type Move,
  PaymentStore,
  type ScannedAccount,
  type ScannedRange,
  StoreReadOnly,
  type UnmatchedTransfer,
  type WaitingQuery,
} from "../PaymentStore.ts"
import { bodyHash } from "../purchase.ts"

/** The expiry of an unmatched transfer's authorization is unknown. */
const neverExpires = 9_223_372_036_854_775_807n
/**
 * A payment gets an answer only if it was used in this time, and the answer stays stored for much longer
 * (see the migrations). A use is written when the last one is half of it ago.
 */
export const answerUsed = "interval '30 minutes'"
/** How long a buyer can fetch an answer again after its delivery. */
export const answerKept = "interval '24 hours'"
/** `holdsKey` of the domain, as the unique index has it. */
const keyIsHeld = "state IN ('claimed', 'settling', 'unresolved', 'settled', 'answered')"

export const layer: Layer.Layer<PaymentStore, never, SqlClient> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const reads = yield* lookups(sql)
    const writes = yield* commands(sql, reads)
    return PaymentStore.of({ ...writes, ...reads, ...queries(sql), ...scanning(sql) })
  }),
)

/** The writes of a sale. */
const commands = Effect.fnUntraced(function* (
  sql: SqlClient,
  { find }: Effect.Success<ReturnType<typeof lookups>>,
) {
  const write = yield* grouped(sql)
  const storeAnswer = yield* answers(sql)

  /** Makes a move that brings an answer. Most answers are stored already, by an earlier sale. */
  const writeWithAnswer = Effect.fnUntraced(function* (move: Write, answer: StoredAnswer) {
    const written = yield* write(move)
    if (Option.isSome(written)) return written
    yield* storeAnswer(answer)
    return yield* write(move)
  })

  const claim: PaymentStore["Service"]["claim"] = (ticket, secretHash, lease, keyHash = null) => {
    const claim = { ticket, secretHash, keyHash, lease }
    return orDie(Effect.map(write(insertOf(claim)), Option.as(claimedPayment(claim))))
  }

  const move = Effect.fnUntraced(
    function* (payment: Payment, move: Move) {
      yield* annotate({ operation: move.event })
      const row = moveOf(payment, move)
      const answer = "answer" in move ? move.answer : null
      const ages = yield* Effect.catchIf(
        answer === null ? write(row) : writeWithAnswer(row, answer),
        // Another payment holds the key.
        ({ reason }) => move.event === "claim" && reason._tag === "UniqueViolation",
        () => Effect.succeedNone,
      )
      if (Option.isNone(ages)) return Option.none()
      // The database inserts the refund with the move; the row is read again to include it.
      return move.event === "owe"
        ? yield* find(payment.paymentId)
        : Option.some(paymentAfterMove(payment, move, ages.value))
    },
    orDie,
  )

  const markSent = (paymentId: PaymentId) => Effect.asVoid(Effect.orDie(write(sentOf(paymentId))))
  return { claim, move, markSent }
})

const orDie = <A>(write: Effect.Effect<A, unknown>) =>
  Effect.catch(write, (error) => Effect.die(isReadOnly(error) ? new StoreReadOnly() : error))

/** Stores answers, each once; those that are stored already are marked as used. */
const answers = (sql: SqlClient) =>
  groupCommit<StoredAnswer, true, StoredAnswer>({
    rowOf: (answer) => answer,
    runBatch: (answers) => {
      const distinct = new Map(answers.map(({ body }) => [bodyHash(body), body]))
      // In one order, so that replicas which store the same answers do not lock each other out.
      return sql`
        INSERT INTO payment_answer AS stored (hash, body)
        SELECT decode(hash, 'hex'), body
        FROM unnest(${[...distinct.keys()]}::text[], ${[...distinct.values()]}::bytea[])
          AS input (hash, body)
        ORDER BY hash
        ON CONFLICT (hash) DO UPDATE SET used_at = clock_timestamp()
          WHERE stored.used_at < clock_timestamp() - ${sql.literal(answerUsed)} / 2`.pipe(
        Effect.as(new Map(answers.map((answer) => [answer, true]))),
      )
    },
  })

interface Lookup {
  readonly paymentId: PaymentId
  readonly keyHash: Bytes32 | null
}

/** Reads of one payment, and of the one that holds a key. Those that arrive together share a statement. */
const lookups = Effect.fnUntraced(function* (sql: SqlClient) {
  const columns = sql.literal(paymentColumns)
  const look = yield* groupCommit<Lookup, ReadonlyArray<PaymentRow>, Lookup>({
    rowOf: (lookup) => lookup,
    runBatch: (lookups) => {
      const ids = lookups.map(({ paymentId }) => paymentId)
      const keys = lookups.flatMap(({ keyHash }) => keyHash === null ? [] : [keyHash])
      const byId = sql`SELECT ${columns} FROM payment WHERE payment_id = ANY(${ids}::text[])`
      // Two index lookups in one statement; with OR the planner may choose another plan.
      const rows = keys.length === 0 ? sql<PaymentRow>`${byId}` : sql<PaymentRow>`
        ${byId}
        UNION ALL
        SELECT ${columns} FROM payment
        WHERE key_hash = ANY(${keys}::text[]) AND ${sql.literal(keyIsHeld)}
          AND payment_id <> ALL(${ids}::text[])`
      return Effect.map(rows, (found) =>
        new Map(lookups.map((lookup) => [
          lookup,
          found.filter((row) =>
            row.paymentId === lookup.paymentId ||
            row.keyHash !== null && row.keyHash === lookup.keyHash && holdsKey(row.state)
          ),
        ])))
    },
  })

  const findWithKey = (paymentId: PaymentId, keyHash: Bytes32 | null) =>
    look({ paymentId, keyHash }).pipe(
      Effect.map((found) => {
        const payments = Option.getOrElse(found, () => []).map(readPayment).map(Result.getOrThrow)
        const isOwn = (payment: Payment) => payment.paymentId === paymentId
        return {
          payment: Option.fromNullishOr(payments.find(isOwn)),
          holder: Option.fromNullishOr(payments.find((payment) => !isOwn(payment))),
        }
      }),
      Effect.orDie,
    )
  const find = (paymentId: PaymentId) =>
    Effect.map(findWithKey(paymentId, null), ({ payment }) => payment)
  const findByKey = (keyHash: Bytes32) =>
    sql<{ payment_id: PaymentId }>`
      SELECT payment_id, 'infinity'::timestamptz AS at FROM payment
      WHERE key_hash = ${keyHash} AND ${sql.literal(keyIsHeld)}
      UNION ALL
      SELECT payment_id, changed_at FROM payment
      WHERE key_hash = ${keyHash} AND state IN ('refund_due', 'refunded')
      ORDER BY at DESC LIMIT 1`.pipe(
      Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), ({ payment_id: id }) => id)),
      Effect.orDie,
    )
  return { find, findWithKey, findByKey }
})

function queries(sql: SqlClient) {
  const columns = sql.literal(paymentColumns)
  const deliveredNowhere = sql.literal(notDeliveredBefore)

  const urgent = ({ answerWindow, skip, limit }: WaitingQuery) =>
    sql<PaymentRow>`
      SELECT ${columns} FROM payment
      WHERE state IN ('claimed', 'settling', 'unresolved', 'settled')
          AND (state = 'unresolved' OR lease_until < clock_timestamp())
          AND ${deliveredNowhere}
        OR state = 'answered' AND sent_at IS NULL
          AND answered_at <= clock_timestamp()
            - make_interval(secs => ${Duration.toSeconds(answerWindow)}::float8)
          AND ${deliveredNowhere}
      ORDER BY changed_at, payment_id LIMIT ${limit} OFFSET ${skip}`

  const released = ({ nowSeconds, skip, limit }: WaitingQuery) =>
    sql<PaymentRow>`
      SELECT ${columns} FROM payment
      WHERE state = 'released' AND valid_before < ${nowSeconds} AND ${deliveredNowhere}
      ORDER BY valid_before, payment_id LIMIT ${limit} OFFSET ${skip}`

  const waiting = (query: WaitingQuery) =>
    (query.kind === "urgent" ? urgent(query) : released(query)).pipe(
      Effect.map((rows) => rows.map(readPayment)),
      Effect.orDie,
    )

  return { waiting, ...sums(sql) }
}

/** Reads over several payments. */
function sums(sql: SqlClient) {
  const states = (paymentIds: ReadonlyArray<PaymentId>) =>
    sql<{ payment_id: PaymentId; state: PaymentState }>`
      SELECT payment_id, CASE WHEN delivered THEN 'answered' ELSE state END AS state
      FROM (SELECT payment_id, state FROM payment
        WHERE payment_id = ANY(${paymentIds}::text[])) stored
      FULL JOIN (SELECT payment_id, true AS delivered FROM delivered_before_restore
        WHERE payment_id = ANY(${paymentIds}::text[])) delivered USING (payment_id)`.pipe(
      Effect.map((rows) => new Map(rows.map(({ payment_id, state }) => [payment_id, state]))),
      Effect.orDie,
    )

  const liability = sql<{ units: bigint }>`
    SELECT ((SELECT coalesce(sum(amount), 0) FROM payment
        WHERE (state = 'refund_due' AND request IS NOT NULL AND paid_amount IS NULL)
          OR (settlement = 'settle-early'
            AND state IN ('claimed', 'settling', 'unresolved', 'settled')
            AND NOT (state = 'unresolved' AND starts_with(reason, ${declined}))
            AND ${sql.literal(notDeliveredBefore)}))
      + (SELECT coalesce(sum(amount), 0) FROM refund
        WHERE queue = 'unmatched' AND state IN ('signed', 'broadcast')))::bigint AS units`.pipe(
    Effect.map(([row]) => row?.units ?? 0n),
    Effect.orDie,
  )

  return { states, liability }
}

/** True unless a delivery journal shows that the answer was delivered before the store was restored. */
export const notDeliveredBefore = `NOT EXISTS (SELECT FROM delivered_before_restore delivered
  WHERE delivered.payment_id = payment.payment_id)`

/** The writes of the chain scan: transfers without a row, and the scan progress. */
export function scanning(sql: SqlClient) {
  const insertUnmatched = ({ paymentId, token, from, to, value, nonce, at }: UnmatchedTransfer) =>
    sql`
      INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
        pay_to, amount, valid_after, valid_before, settlement, state, reason,
        paid_transaction, paid_block, paid_log_index, paid_finality)
      SELECT ${paymentId}, ${token.chainId}, ${token.asset}, ${token.name}, ${token.version},
        ${from}, ${nonce}, ${to}, ${value}, 0, ${neverExpires}, 'settle-early', 'refund_due',
        'unmatched_transfer', ${at.transaction}, ${at.block}, ${at.logIndex}, ${at.finality}
      WHERE NOT EXISTS (SELECT FROM delivered_before_restore WHERE payment_id = ${paymentId})
      ON CONFLICT DO NOTHING RETURNING 1`.pipe(
      Effect.map((rows) => rows.length === 1),
      Effect.orDie,
    )

  const scanned = ({ chainId, asset, payTo }: ScannedAccount) =>
    sql<ScannedRange>`
      SELECT after_block AS "after", through_block AS "through" FROM chain_scan
      WHERE chain_id = ${chainId} AND asset = ${asset} AND pay_to = ${payTo}`.pipe(
      Effect.map(([row]) => Option.fromUndefinedOr(row)),
      Effect.orDie,
    )

  const saveScannedThrough = ({ chainId, asset, payTo }: ScannedAccount, block: bigint) =>
    sql`
      INSERT INTO chain_scan AS scan (chain_id, asset, pay_to, after_block, through_block)
      VALUES (${chainId}, ${asset}, ${payTo}, ${block}, ${block})
      ON CONFLICT (chain_id, asset, pay_to)
      DO UPDATE SET through_block = greatest(scan.through_block, excluded.through_block)`.pipe(
      Effect.asVoid,
      Effect.orDie,
    )

  return { insertUnmatched, scanned, saveScannedThrough }
}

/** What is written of one payment: a new row, a move, or the delivery mark. */
interface Write {
  readonly kind: "insert" | Move["event"] | "sent"
  readonly paymentId: PaymentId
  /** The columns of the input row, as JSON. */
  readonly row: object
}

const writeOf = (kind: Write["kind"], paymentId: PaymentId, columns: object): Write => ({
  kind,
  paymentId,
  row: { kind, payment_id: paymentId, ...columns },
})

/**
 * Makes writes, those that arrive together in one statement: a commit costs more than a write. Its
 * parts change different rows, so their order does not matter.
 */
const grouped = (sql: SqlClient) =>
  groupCommit<Write, Ages>({
    rowOf: ({ paymentId }) => paymentId,
    runBatch: (writes) => {
      // A fixed order of parts and of rows: few statements to prepare, and fewer deadlocks.
      const parts = [...Map.groupBy(writes.toSorted(byKindAndId), ({ kind }) => kind)]
      const named = parts.map(([kind, writes]) =>
        sql`${sql.literal(`"${kind}"`)} AS (${partOf(sql, kind, writes)})`
      )
      if (parts.some(([kind]) => kind === "sent")) named.push(usePart(sql))
      const results = sql.literal(
        parts.map(([kind]) => `SELECT ${resultColumns} FROM "${kind}"`).join(" UNION ALL "),
      )
      return sql<Ages & { readonly paymentId: string }>`WITH ${sql.csv(named)} ${results}`.pipe(
        Effect.map((rows) => new Map(rows.map((row) => [row.paymentId, row]))),
      )
    },
  })

const byKindAndId = (a: Write, b: Write) =>
  a.kind === b.kind ? a.paymentId < b.paymentId ? -1 : 1 : a.kind < b.kind ? -1 : 1

/** The part of a statement that makes the writes of one kind. It returns the changed rows. */
function partOf(sql: SqlClient, kind: Write["kind"], writes: ReadonlyArray<Write>) {
  const changed = sql.literal(`RETURNING payment.payment_id AS "paymentId", ${agesColumns}`)
  const rows = jsonText(writes.map(({ row }) => row))
  switch (kind) {
    case "insert":
      return sql`${insertPart(sql, rows)} ${changed}`
    case "sent":
      return sql`${sentPart(sql, rows)} ${changed}, payment.answer_hash`
    default:
      return sql`${movePart(sql, kind, rows)} ${changed}`
  }
}

/**
 * Inserts no row for a payment that has one, or whose key another payment holds. ON CONFLICT names
 * no index, because any unique index may be the first to detect a conflict.
 */
const insertPart = (sql: SqlClient, rows: string) =>
  sql`
    INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
      pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
      state, secret_hash, key_hash, lease_until)
    SELECT payment_id, chain_id, asset, token_name, token_version, payer, nonce,
      pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
      'claimed', secret_hash, key_hash, ${sql.literal(leaseEnd)}
    FROM json_to_recordset(${rows}::json) AS input (
      payment_id text, chain_id bigint, asset text, token_name text, token_version text,
      payer text, nonce text, pay_to text, amount bigint, valid_after bigint,
      valid_before bigint, signature text, settlement text, product_id text, request text,
      secret_hash text, key_hash text, lease_seconds float8)
    ON CONFLICT DO NOTHING`

const sentPart = (sql: SqlClient, rows: string) =>
  sql`
    UPDATE payment SET sent_at = clock_timestamp()
    FROM json_to_recordset(${rows}::json) AS input (kind text, payment_id text)
    WHERE input.kind = 'sent' AND payment.payment_id = input.payment_id
      AND state = 'answered' AND sent_at IS NULL`

/** Keeps the answers of the part `sent` for as long as their buyers may fetch them again. */
const usePart = (sql: SqlClient) =>
  sql`used AS (
    UPDATE payment_answer SET used_at = clock_timestamp()
    WHERE hash IN (SELECT answer_hash FROM sent)
      AND used_at < clock_timestamp() - ${sql.literal(answerUsed)})`

/**
 * Makes the moves of one event. The comparison with `kind` lowers the planner's estimate of the
 * number of input rows, so that it uses the index even while the table is small.
 */
function movePart(sql: SqlClient, event: Move["event"], rows: string) {
  const written = sql.literal(writesOf[event])
  const condition = sql.literal(conditionsOf[event] ?? "")
  return sql`
    UPDATE payment SET state = ${stateAfter[event]}, reason = input.reason,
      changed_at = clock_timestamp(), ${written}
    FROM (
      SELECT input.*, decode(input.answer_hash, 'hex') AS answer
      FROM json_to_recordset(${rows}::json) AS input (
        kind text, payment_id text, expected_state text, expected_fence integer, reason text,
        lease_seconds float8, secret_hash text, key_hash text, transaction_hint text,
        answer_hash text,
        paid_transaction text, paid_block bigint, paid_log_index integer, paid_finality text,
        paid_amount bigint)
    ) input
    WHERE input.kind = ${event} AND payment.payment_id = input.payment_id
      AND payment.state = input.expected_state AND payment.fence = input.expected_fence
      ${condition}`
}

const leaseEnd = "clock_timestamp() + make_interval(secs => input.lease_seconds)"

interface Claim {
  readonly ticket: PaymentTicket
  readonly secretHash: Bytes32 | null
  readonly keyHash: Bytes32 | null
  readonly lease: Duration.Duration
}

/** A new row in `claimed`. */
const insertOf = ({ ticket, secretHash, keyHash, lease }: Claim): Write => {
  const { token, authorization } = ticket
  return writeOf("insert", ticket.paymentId, {
    chain_id: token.chainId,
    asset: token.asset,
    token_name: token.name,
    token_version: token.version,
    payer: authorization.from,
    nonce: authorization.nonce,
    pay_to: authorization.to,
    amount: ticket.amount.toString(),
    valid_after: authorization.validAfter.toString(),
    valid_before: authorization.validBefore.toString(),
    signature: ticket.signature,
    settlement: ticket.settlementOrder,
    product_id: ticket.productId,
    request: ticket.request,
    secret_hash: secretHash,
    key_hash: keyHash,
    lease_seconds: Duration.toSeconds(lease),
  })
}

/** The payment after a claim. The database computes none of its fields. */
const claimedPayment = (
  { ticket, secretHash, keyHash, lease }: Claim,
): ClaimedPayment => ({
  ...ticket,
  state: "claimed",
  fence: 1,
  leaseLeftMs: Duration.toMillis(lease),
  secretHash,
  keyHash,
})

const paidColumns = `paid_transaction = coalesce(input.paid_transaction, payment.paid_transaction),
  paid_block = coalesce(input.paid_block, payment.paid_block),
  paid_log_index = coalesce(input.paid_log_index, payment.paid_log_index),
  paid_finality = coalesce(input.paid_finality, payment.paid_finality)`

/** What a move writes in addition to the state and its reason. */
const writesOf: { readonly [E in Move["event"]]: string } = {
  claim: `fence = payment.fence + 1, secret_hash = input.secret_hash, key_hash = input.key_hash,
    lease_until = ${leaseEnd}`,
  release: "lease_until = NULL",
  intend: `answer_hash = input.answer, intended_at = clock_timestamp(), lease_until = ${leaseEnd}`,
  doubt: "lease_until = NULL, transaction_hint = input.transaction_hint",
  settle: `lease_until = ${leaseEnd}, ${paidColumns}`,
  answer: `lease_until = NULL, answered_at = clock_timestamp(),
    answer_hash = coalesce(input.answer, payment.answer_hash), ${paidColumns}`,
  owe: `lease_until = NULL, answer_hash = NULL, paid_amount = input.paid_amount, ${paidColumns}`,
  void: "lease_until = NULL, answer_hash = NULL",
}

const answerIsStored = `AND (input.answer IS NULL OR EXISTS (SELECT FROM payment_answer stored
  WHERE stored.hash = input.answer AND stored.used_at > clock_timestamp() - ${answerUsed}))`

/** What a move requires in addition to the state and the fence. */
const conditionsOf: { readonly [E in Move["event"]]?: string } = {
  intend: answerIsStored,
  answer: answerIsStored,
  // An answer that was delivered in the meantime must not be refunded.
  owe: `AND sent_at IS NULL AND ${notDeliveredBefore}`,
}

/** A move of a payment. */
const moveOf = (payment: Payment, move: Move): Write => {
  const answer = "answer" in move ? move.answer : null
  const paidAt = "paidAt" in move ? move.paidAt : null
  return writeOf(move.event, payment.paymentId, {
    expected_state: payment.state,
    expected_fence: payment.fence,
    reason: "reason" in move ? move.reason : null,
    lease_seconds: "lease" in move ? Duration.toSeconds(move.lease) : null,
    secret_hash: "secretHash" in move ? move.secretHash : null,
    key_hash: keyOf(move),
    answer_hash: answer === null ? null : bodyHash(answer.body),
    transaction_hint: "transactionHint" in move ? move.transactionHint : null,
    ...move.event === "owe" && move.paidAmount !== undefined
      ? { paid_amount: move.paidAmount.toString() }
      : {},
    ...paidAt === null ? {} : {
      paid_transaction: paidAt.transaction,
      paid_block: paidAt.block.toString(),
      paid_log_index: paidAt.logIndex,
      paid_finality: paidAt.finality,
    },
  })
}

const keyOf = (move: Move) => move.event === "claim" ? move.keyHash ?? null : null

/**
 * The payment after a move, computed from the row that was read before it. Nothing else can have
 * changed in between: the identity never changes, and another move would have changed the state or
 * the fence that this move compared.
 */
function paymentAfterMove(
  payment: Payment,
  move: Exclude<Move, { readonly event: "owe" }>,
  ages: Ages,
): Payment {
  const { answer = null } = "answer" in payment ? payment : {}
  const { paidAt = null } = "paidAt" in payment ? payment : {}
  return Result.getOrThrow(paymentOf({
    sent: false,
    ...payment,
    ...ages,
    state: Result.getOrThrow(step(payment.settlementOrder, payment.state, move.event)),
    answer: "answer" in move ? move.answer ?? answer : answer,
    paidAt: "paidAt" in move ? move.paidAt ?? paidAt : paidAt,
    ...move.event === "claim"
      ? { fence: payment.fence + 1, secretHash: move.secretHash, keyHash: keyOf(move) }
      : {},
    ..."transactionHint" in move ? { transactionHint: move.transactionHint } : {},
  }))
}

/** A delivery mark. */
const sentOf = (paymentId: PaymentId): Write => writeOf("sent", paymentId, {})

interface Ages {
  readonly leaseLeftMs: number | null
  readonly intendedAgoMs: number | null
  readonly answeredAgoMs: number | null
  readonly answeredAt: number | null
}

/** The columns of a payment, by the names that its fields have in a row that was read. */
const columnNames = {
  paymentId: "payment_id",
  chainId: "chain_id",
  asset: "asset",
  tokenName: "token_name",
  tokenVersion: "token_version",
  payer: "payer",
  payTo: "pay_to",
  validAfter: "valid_after",
  validBefore: "valid_before",
  nonce: "nonce",
  signature: "signature",
  amount: "amount",
  settlementOrder: "settlement",
  productId: "product_id",
  request: "request",
  state: "state",
  fence: "fence",
  secretHash: "secret_hash",
  keyHash: "key_hash",
  transactionHint: "transaction_hint",
  transaction: "paid_transaction",
  block: "paid_block",
  logIndex: "paid_log_index",
  finality: "paid_finality",
  paidAmount: "paid_amount",
  sentAt: "sent_at",
}

/** Only the columns that are read before a row is decoded have types. */
type PaymentRow =
  & Ages
  & { readonly [K in keyof typeof columnNames | "answerBody" | "refund"]: unknown }
  & { readonly paymentId: PaymentId; readonly keyHash: unknown; readonly state: PaymentState }

const epoch = (time: string) => `extract(epoch FROM ${time})`
const now = epoch("clock_timestamp()")

/**
 * Ages on the database's clock. Numbers are subtracted, not times: before PostgreSQL 17 an infinite
 * time in one row would fail every statement that reads it.
 */
const agesColumns = `
  ((${epoch("payment.lease_until")} - ${now}) * 1000)::float8 AS "leaseLeftMs",
  ((${now} - ${epoch("payment.intended_at")}) * 1000)::float8 AS "intendedAgoMs",
  ((${now} - ${epoch("payment.answered_at")}) * 1000)::float8 AS "answeredAgoMs",
  floor(${epoch("payment.answered_at")})::float8 AS "answeredAt"`

/** What each part of a statement returns. */
const resultColumns = '"paymentId", "leaseLeftMs", "intendedAgoMs", "answeredAgoMs", "answeredAt"'

/** The selected columns of a payment, with its answer and its refund. */
const paymentColumns = `${
  Object.entries(columnNames).map(([field, column]) => `payment.${column} AS "${field}"`).join()
}, ${agesColumns},
  (SELECT body FROM payment_answer WHERE hash = payment.answer_hash AND coalesce(
    payment.sent_at > clock_timestamp() - ${answerKept}, true)) AS "answerBody",
  CASE WHEN payment.state IN ('refund_due', 'refunded') THEN (
    SELECT json_build_object('state', refund.state, 'reason', refund.reason,
      'transaction', refund.transaction,
      'confirmedAt', floor(${epoch("refund.confirmed_at")}))
    FROM refund WHERE refund.payment_id = payment.payment_id) END AS refund`

const isBytes32 = Schema.is(Bytes32)

/** Decodes a row. */
function readPayment(row: PaymentRow): Result.Result<Payment, UnreadablePayment> {
  const { asset, payer: from, payTo: to, amount: value, validAfter, validBefore, nonce } = row
  const { transaction, block, logIndex, finality } = row
  const token = {
    chainId: Number(row.chainId),
    asset,
    name: row.tokenName,
    version: row.tokenVersion,
  }
  return paymentOf({
    ...row,
    token,
    authorization: { from, to, value, validAfter, validBefore, nonce },
    // The database does not check the form of this column. An invalid hash counts as no secret, so
    // that one bad row does not stop a sweep.
    secretHash: isBytes32(row.secretHash) ? row.secretHash : null,
    keyHash: isBytes32(row.keyHash) ? row.keyHash : null,
    paidAt: transaction === null ? null : { transaction, block, logIndex, finality },
    answer: row.answerBody === null ? null : { body: row.answerBody },
    sent: row.sentAt !== null,
  })
}
