/**
 * What the store must learn after it was restored from a backup: which answers were delivered since
 * the backup, and, for a new store, from which block the chain is read.
 *
 * Without it the scan refunds every payment whose row is lost, also those that were delivered.
 *
 * @module
 */
import { Context, Effect, Option, Schema } from "effect"
import { Chain } from "./Chain.ts"
import type { PaymentId } from "./domain/payment.ts"
import type { ScannedAccount, ScannedRange } from "./PaymentStore.ts"

/** The port to the restored store, with the login of its owner. */
export class RestoreStore extends Context.Service<RestoreStore, {
  /**
   * Records that the answers of these payments were delivered, so that none of them is refunded.
   * Returns how many the store did not know as delivered. Can be repeated.
   */
  readonly addDelivered: (paymentIds: ReadonlyArray<PaymentId>) => Effect.Effect<number>
  /** The blocks that were read for transfers; none in a new store. */
  readonly scanned: (account: ScannedAccount) => Effect.Effect<Option.Option<ScannedRange>>
  /** The newest block of a deleted payment. */
  readonly deletedThrough: (account: ScannedAccount) => Effect.Effect<Option.Option<bigint>>
  /** The next scan starts with the block after this one. */
  readonly scanAfter: (account: ScannedAccount, block: bigint) => Effect.Effect<void>
}>()("bellwether/payments/RestoreStore") {}

/** The block cannot be the start of a scan. Nothing was changed. */
class BlockRefused
  extends Schema.TaggedError<BlockRefused>()("BlockRefused", { message: Schema.String }) {}

/** Ids per statement. */
const idsPerBatch = 5_000
/**
 * How many blocks before the newest one a scan may start: twelve months of Base, less than a
 * payment is kept. An older transfer may be of a payment that was deleted, and would be refunded.
 */
const blocksBackMax = 15_768_000n

/** Records all deliveries. Returns how many the store did not know. */
export const addDelivered = Effect.fnUntraced(function* (paymentIds: ReadonlySet<PaymentId>) {
  const store = yield* RestoreStore
  const ids = [...paymentIds]
  let added = 0
  for (let start = 0; start < ids.length; start += idsPerBatch) {
    added += yield* store.addDelivered(ids.slice(start, start + idsPerBatch))
  }
  return added
})

/** Sets the first block that the next scan reads, unless that would refund or skip payments. */
export const scanSince = Effect.fnUntraced(function* (account: ScannedAccount, since: bigint) {
  const store = yield* RestoreStore
  const chain = yield* Chain
  const { asset, payTo: to } = account
  const { through: newest } = yield* chain.transfers({ asset, to, after: null })
  const scanned = Option.getOrNull(yield* store.scanned(account))
  const deleted = Option.getOrNull(yield* store.deletedThrough(account))
  const last = scanned === null || scanned.through > newest ? newest : scanned.through
  const oldest = newest - blocksBackMax
  if (since > last + 1n) {
    return yield* refuse(
      since,
      `blocks after ${last} have not been read, and some would be skipped`,
    )
  }
  if (deleted !== null && since <= deleted) {
    return yield* refuse(
      since,
      `payments through block ${deleted} were deleted, and their transfers would be refunded`,
    )
  }
  if (since < oldest) {
    return yield* refuse(since, `it is more than twelve months before the newest block, ${newest}`)
  }
  yield* store.scanAfter(account, since - 1n)
})

const refuse = (since: bigint, reason: string) =>
  Effect.fail(new BlockRefused({ message: `Cannot read the chain from block ${since}: ${reason}` }))
