/**
 * What the store must learn after it was restored from a backup, with the login of its owner: which
 * answers were delivered since the backup, and, for a new store, from which block the chain is read.
 *
 * Without it the scan refunds every payment whose row is lost, also those that were delivered.
 *
 * @module
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Chain } from "../Chain.ts"
import type { PaymentId } from "../domain/payment.ts"
import type { ScannedAccount } from "../PaymentStore.ts"
import { scanning } from "./paymentStore.ts"

/** Payments are deleted after this time, and so is what is known of their delivery. A row that a
 * restore brought back open is never deleted, nor is its delivery. */
const deliveredKept = "13 months"
/** Ids per statement. */
const idsPerBatch = 5_000
/**
 * How many blocks before the newest one a scan may start: twelve months of Base, less than a
 * payment is kept. An older transfer may be of a payment that was deleted, and would be refunded.
 */
const blocksBackMax = 15_768_000n

/**
 * Records that the answers of these payments were delivered, so that none of them is refunded.
 * Returns how many the store did not know as delivered. Can be repeated.
 */
export const addDelivered = Effect.fnUntraced(function* (paymentIds: ReadonlySet<PaymentId>) {
  const sql = yield* SqlClient
  const ids = [...paymentIds]
  let added = 0
  for (let start = 0; start < ids.length; start += idsPerBatch) {
    const batch = ids.slice(start, start + idsPerBatch)
    added += yield* sql.withTransaction(Effect.gen(function* () {
      yield* sql`DELETE FROM delivered_before_restore
        WHERE loaded_at < clock_timestamp() - ${deliveredKept}::interval
          AND NOT EXISTS (SELECT FROM payment
            WHERE payment.payment_id = delivered_before_restore.payment_id)`
      const marked = yield* sql`UPDATE payment SET sent_at = clock_timestamp()
        WHERE payment_id = ANY(${batch}::text[]) AND state = 'answered' AND sent_at IS NULL
        RETURNING 1`
      const unknown = yield* sql`
        INSERT INTO delivered_before_restore (payment_id)
        SELECT id FROM unnest(${batch}::text[]) AS id
        WHERE NOT EXISTS (SELECT FROM payment WHERE payment_id = id AND sent_at IS NOT NULL)
        ON CONFLICT DO NOTHING RETURNING 1`
      return marked.length + unknown.length
    }))
  }
  return added
}, Effect.orDie)

/** The block cannot be the start of a scan. Nothing was changed. */
class BlockRefused
  extends Schema.TaggedError<BlockRefused>()("BlockRefused", { message: Schema.String }) {}

/** Sets the first block that the next scan reads, unless that would refund or skip payments. */
export const scanSince = Effect.fnUntraced(function* (account: ScannedAccount, since: bigint) {
  const sql = yield* SqlClient
  const chain = yield* Chain
  const { chainId, asset, payTo } = account
  const { safeNumber: newest } = yield* chain.head
  const scanned = Option.getOrNull(yield* scanning(sql).scanned(account))
  const [deleted] = yield* sql<{ through_block: bigint }>`
    SELECT through_block FROM payment_deleted
    WHERE chain_id = ${chainId} AND asset = ${asset} AND pay_to = ${payTo}`
  const last = scanned === null || scanned.through > newest ? newest : scanned.through
  if (since > last + 1n) {
    return yield* refuse(
      since,
      `blocks after ${last} have not been read, and some would be skipped`,
    )
  }
  if (deleted !== undefined && since <= deleted.through_block) {
    return yield* refuse(
      since,
      `payments through block ${deleted.through_block} were deleted, and their transfers would be refunded`,
    )
  }
  if (since < newest - blocksBackMax) {
    return yield* refuse(since, `it is more than twelve months before the newest block, ${newest}`)
  }
  yield* sql`
    INSERT INTO chain_scan AS scan (chain_id, asset, pay_to, after_block, through_block)
    VALUES (${chainId}, ${asset}, ${payTo}, ${since - 1n}, ${since - 1n})
    ON CONFLICT (chain_id, asset, pay_to) DO UPDATE
      SET after_block = least(scan.after_block, excluded.after_block),
        through_block = excluded.through_block`
}, Effect.catchTag("SqlError", Effect.die))

const refuse = (since: bigint, reason: string) =>
  Effect.fail(new BlockRefused({ message: `Cannot read the chain from block ${since}: ${reason}` }))
