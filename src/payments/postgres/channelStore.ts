/**
 * Payment channels in PostgreSQL.
 *
 * A claim locks all claims for the few statements it takes, because the limit of unclaimed value is
 * that of all channels together. The database charges a channel itself, in the statement that marks
 * a sale as delivered, and refuses every other rise (see the migration).
 *
 * @module
 */
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Address, Bytes32, PaymentId, Signature } from "../domain/payment.ts"
import {
  acknowledges,
  type Channel,
  type ChannelConfig,
  type ChannelLimits,
  type ChannelOnChain,
  type ChannelSale,
  decide,
  heldMs,
} from "../channels/domain/channel.ts"
import { type ChannelClaim, ChannelStore, type RefundStart } from "../channels/ChannelStore.ts"

/** The advisory lock of claims and refunds: any number that no other part uses. */
const claimLock = 402_044
/** How long a sale is kept after its end, for calls that repeat it. */
const salesKept = "24 hours"

export const layer: Layer.Layer<ChannelStore, never, SqlClient> = Layer.effect(
  ChannelStore,
  Effect.map(SqlClient, (sql) => {
    const reads = queries(sql)
    return ChannelStore.of({ ...reads, ...sales(sql, reads), ...refunds(sql, reads) })
  }),
)

type Queries = ReturnType<typeof queries>

function queries(sql: SqlClient) {
  const columns = sql.literal(channelColumns)
  const find = (channelId: Bytes32) =>
    sql`SELECT ${columns} FROM channel WHERE channel_id = ${channelId}`.pipe(
      Effect.map(([row]) => Option.map(Option.fromNullishOr(row), readChannel)),
      Effect.orDie,
    )
  const unclaimed = (limit: number) =>
    sql`SELECT ${columns} FROM channel WHERE claimed < charged ORDER BY read_at LIMIT ${limit}`
      .pipe(Effect.map((rows) => rows.map(readChannel)), Effect.orDie)
  const total = sql<{ units: bigint }>`
    SELECT (coalesce((SELECT sum(charged - claimed) FROM channel WHERE claimed < charged), 0)
      + coalesce((SELECT sum(price) FROM channel_sale WHERE state <> 'delivered'), 0))::bigint
      AS units`.pipe(Effect.map(([row]) => row?.units ?? 0n), Effect.orDie)

  const observe = (
    channelId: Bytes32,
    config: ChannelConfig,
    { newest, safe }: { readonly newest: ChannelOnChain; readonly safe: ChannelOnChain },
  ) =>
    sql`
      INSERT INTO channel AS known (channel_id, payer, payer_authorizer, receiver,
        receiver_authorizer, token, withdraw_delay, salt, charged, claimed, balance, withdraw_at,
        refund_nonce, read_at)
      VALUES (${channelId}, ${config.payer}, ${config.payerAuthorizer}, ${config.receiver},
        ${config.receiverAuthorizer}, ${config.token}, ${config.withdrawDelay}, ${config.salt},
        ${newest.claimed}, ${newest.claimed}, ${newest.balance}, ${newest.withdrawAt},
        ${newest.refundNonce}, clock_timestamp())
      ON CONFLICT (channel_id) DO UPDATE SET
        balance = excluded.balance, withdraw_at = excluded.withdraw_at,
        refund_nonce = excluded.refund_nonce, read_at = excluded.read_at,
        -- The chain has claimed more than we know of: the store was restored from a backup.
        charged = greatest(known.charged, excluded.charged),
        voucher = CASE WHEN excluded.charged > known.charged THEN NULL ELSE known.voucher END,
        claimed = CASE WHEN excluded.charged > known.charged THEN excluded.charged
          ELSE greatest(known.claimed, ${safe.claimed}::bigint) END,
        claim_sent_at = CASE WHEN ${safe.claimed}::bigint > known.claimed THEN NULL
          ELSE known.claim_sent_at END,
        unclaimed_at = CASE
          WHEN greatest(known.claimed, ${safe.claimed}::bigint) < known.charged
            AND excluded.charged <= known.charged THEN known.unclaimed_at END,
        refund_nonce_sent = CASE WHEN excluded.refund_nonce > known.refund_nonce_sent THEN NULL
          ELSE known.refund_nonce_sent END,
        refund_sent_at = CASE WHEN excluded.refund_nonce > known.refund_nonce_sent THEN NULL
          ELSE known.refund_sent_at END
      RETURNING ${columns}`.pipe(
      Effect.flatMap(([row]) => Effect.fromNullishOr(row)),
      Effect.map(readChannel),
      Effect.orDie,
    )
  return { find, unclaimed, total, observe }
}

/** Locks the claims of all processes, and a channel, until the transaction ends. */
const locked = Effect.fnUntraced(function* (sql: SqlClient, channelId: Bytes32) {
  yield* sql`SELECT pg_advisory_xact_lock(${claimLock})`
  const [row] = yield* sql`SELECT ${sql.literal(channelColumns)} FROM channel
    WHERE channel_id = ${channelId} FOR UPDATE`
  return readChannel(row)
})

const deliverIn = (sql: SqlClient, saleId: PaymentId) =>
  sql`UPDATE channel_sale SET state = 'delivered', delivered_at = clock_timestamp()
    WHERE sale_id = ${saleId} AND state = 'answered'`

/** The calls that buy. */
function sales(sql: SqlClient, { find, total }: Queries) {
  const claim = Effect.fnUntraced(
    function* (claim: ChannelClaim, limits: ChannelLimits) {
      const { channelId, ceiling, keyHash } = claim
      const channel = yield* locked(sql, channelId)
      const rows = yield* sql`SELECT ${sql.literal(saleColumns)} FROM channel_sale
        WHERE channel_id = ${channelId}
          AND (state <> 'delivered' OR ceiling = ${ceiling} OR key_hash = ${keyHash})`
      const decision = decide(channel, rows.map(readSale), claim, yield* total, limits)
      if (decision.decision !== "sell") return { decision, channel }
      if (decision.delivered !== null) yield* deliverIn(sql, decision.delivered)
      yield* sql`DELETE FROM channel_sale WHERE channel_id = ${channelId} AND state <> 'delivered'`
      yield* sql`
        INSERT INTO channel_sale (sale_id, channel_id, ceiling, price, request, voucher, key_hash,
          state, lease_until, deposit)
        VALUES (${claim.saleId}, ${channelId}, ${ceiling}, ${claim.price}, ${claim.request},
          ${claim.voucher}, ${keyHash}, 'claimed',
          clock_timestamp() + make_interval(secs => ${Duration.toSeconds(claim.lease)}::float8),
          ${claim.deposit})`
      return { decision, channel: Option.getOrThrow(yield* find(channelId)) }
    },
    sql.withTransaction,
    Effect.orDie,
  )
  const answer = (saleId: PaymentId, body: Uint8Array, depositTransaction: string | null) =>
    sql`UPDATE channel_sale SET state = 'answered', body = ${body},
        answered_at = clock_timestamp(), deposit_transaction = ${depositTransaction}
      WHERE sale_id = ${saleId} AND state = 'claimed' RETURNING 1`.pipe(
      Effect.map((rows) => rows.length === 1),
      Effect.orDie,
    )
  const release = (saleId: PaymentId) =>
    sql`DELETE FROM channel_sale WHERE sale_id = ${saleId} AND state = 'claimed'`.pipe(
      Effect.asVoid,
      Effect.orDie,
    )
  // The channel is locked first, as by a claim, so that the two cannot wait for each other.
  const deliver = (saleId: PaymentId) =>
    sql`SELECT 1 FROM channel JOIN channel_sale USING (channel_id) WHERE sale_id = ${saleId}
      FOR UPDATE OF channel`.pipe(
      Effect.andThen(deliverIn(sql, saleId)),
      sql.withTransaction,
      Effect.asVoid,
      Effect.orDie,
    )
  return { claim, answer, release, deliver }
}

/** Refunds and claims on the chain, and the end of old sales. */
function refunds(sql: SqlClient, { find }: Queries) {
  const beginRefund = Effect.fnUntraced(
    function* (
      channelId: Bytes32,
      ceiling: bigint,
      limits: ChannelLimits,
    ): Effect.fn.Return<RefundStart, unknown> {
      const channel = yield* locked(sql, channelId)
      const [row] = yield* sql`SELECT ${sql.literal(saleColumns)} FROM channel_sale
        WHERE channel_id = ${channelId} AND state <> 'delivered'`
      const open = row === undefined ? null : readSale(row)
      const delivered = open !== null && acknowledges(open, ceiling)
      if (open !== null && !delivered) {
        const waitMs = heldMs(open, limits)
        if (waitMs > 0) return { start: "busy", waitMs }
        yield* sql`DELETE FROM channel_sale WHERE sale_id = ${open.saleId}`
      }
      if (delivered) yield* deliverIn(sql, open.saleId)
      else if (ceiling !== channel.charged) return { start: "mismatch", channel }
      yield* sql`UPDATE channel SET refund_nonce_sent = refund_nonce,
        refund_sent_at = clock_timestamp() WHERE channel_id = ${channelId}`
      return { start: "begun", channel: Option.getOrThrow(yield* find(channelId)) }
    },
    sql.withTransaction,
    Effect.orDie,
  )
  const cancelRefund = (channelId: Bytes32) =>
    sql`UPDATE channel SET refund_nonce_sent = NULL, refund_sent_at = NULL
      WHERE channel_id = ${channelId}`.pipe(Effect.asVoid, Effect.orDie)
  const claimSent = (channelIds: ReadonlyArray<Bytes32>) =>
    sql`UPDATE channel SET claim_sent_at = clock_timestamp()
      WHERE channel_id = ANY(${channelIds}::text[])`.pipe(Effect.asVoid, Effect.orDie)
  const prune = sql`DELETE FROM channel_sale
    WHERE delivered_at < clock_timestamp() - ${salesKept}::interval
      OR state <> 'delivered'
        AND coalesce(answered_at, lease_until) < clock_timestamp() - ${salesKept}::interval`.pipe(
    Effect.asVoid,
    Effect.orDie,
  )
  return { beginRefund, cancelRefund, claimSent, prune }
}

const agoMs = (column: string) =>
  `(extract(epoch FROM clock_timestamp() - ${column}) * 1000)::float8`

const channelColumns = `channel_id, payer, payer_authorizer, receiver, receiver_authorizer, token,
  withdraw_delay, salt, charged, voucher, balance, claimed, withdraw_at, refund_nonce,
  ${agoMs("read_at")} AS read_ago_ms, ${agoMs("unclaimed_at")} AS unclaimed_ago_ms,
  ${agoMs("claim_sent_at")} AS claim_sent_ago_ms, refund_nonce_sent,
  ${agoMs("refund_sent_at")} AS refund_sent_ago_ms`

const Age = Schema.NullOr(Schema.Number)
const decodeChannel = Schema.decodeUnknownSync(Schema.Struct({
  channel_id: Bytes32,
  payer: Address,
  payer_authorizer: Address,
  receiver: Address,
  receiver_authorizer: Address,
  token: Address,
  withdraw_delay: Schema.Number,
  salt: Bytes32,
  charged: Schema.BigInt,
  voucher: Schema.NullOr(Signature),
  balance: Schema.BigInt,
  claimed: Schema.BigInt,
  withdraw_at: Schema.BigInt,
  refund_nonce: Schema.BigInt,
  read_ago_ms: Schema.Number,
  unclaimed_ago_ms: Age,
  claim_sent_ago_ms: Age,
  refund_nonce_sent: Schema.NullOr(Schema.BigInt),
  refund_sent_ago_ms: Age,
}))

function readChannel(row: unknown): Channel {
  const read = decodeChannel(row)
  return {
    channelId: read.channel_id,
    config: {
      payer: read.payer,
      payerAuthorizer: read.payer_authorizer,
      receiver: read.receiver,
      receiverAuthorizer: read.receiver_authorizer,
      token: read.token,
      withdrawDelay: read.withdraw_delay,
      salt: read.salt,
    },
    charged: read.charged,
    voucher: read.voucher,
    chain: {
      balance: read.balance,
      claimed: read.claimed,
      withdrawAt: read.withdraw_at,
      refundNonce: read.refund_nonce,
    },
    readAgoMs: read.read_ago_ms,
    unclaimedAgoMs: read.unclaimed_ago_ms,
    claimSentAgoMs: read.claim_sent_ago_ms,
    refundNonceSent: read.refund_nonce_sent,
    refundSentAgoMs: read.refund_sent_ago_ms,
  }
}

const saleColumns = `sale_id, ceiling, price, request, key_hash, state, deposit,
  deposit_transaction, body, ${agoMs("answered_at")} AS answered_ago_ms,
  -${agoMs("lease_until")} AS lease_left_ms`

const decodeSale = Schema.decodeUnknownSync(Schema.Struct({
  sale_id: PaymentId,
  ceiling: Schema.BigInt,
  price: Schema.BigInt,
  request: Schema.String,
  key_hash: Schema.NullOr(Bytes32),
  state: Schema.Literals(["claimed", "answered", "delivered"]),
  deposit: Schema.BigInt,
  deposit_transaction: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.Uint8Array),
  answered_ago_ms: Age,
  lease_left_ms: Schema.Number,
}))

function readSale(row: unknown): ChannelSale {
  const read = decodeSale(row)
  return {
    saleId: read.sale_id,
    ceiling: read.ceiling,
    price: read.price,
    request: read.request,
    keyHash: read.key_hash,
    state: read.state,
    deposit: read.deposit,
    depositTransaction: read.deposit_transaction,
    body: read.body,
    answeredAgoMs: read.answered_ago_ms,
    leaseLeftMs: read.lease_left_ms,
  }
}
