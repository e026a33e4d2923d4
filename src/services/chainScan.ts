/**
 * The last safety net: every transfer by authorization to us is matched with its row, whatever the
 * row says, and one without a row is owed back.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import type { TokenDomain } from "../domain/payment.ts"
import { ChainUnavailable, type SeenTransfer } from "./Chain.ts"
import type { Payment, ScannedAccount } from "./PaymentStore.ts"
import { moveOrRead, reconcile, type ReconcileOptions } from "./reconcile.ts"
import type { Signatures } from "./Signatures.ts"

export interface ScanOptions extends ReconcileOptions {
  readonly signatures: Signatures["Service"]
  readonly token: TokenDomain
  readonly account: ScannedAccount
}

/** Stretches of blocks one scan reads at most: what is left is read by the next. */
const stretchesMax = 50
/** Longest wait for a stretch: a chain that never answers must not end all scanning. */
const stretchPatience = Duration.seconds(30)
/** Transfers matched at once. */
const matchConcurrency = 4

/**
 * Reads on from the last block that was read, and returns how many payments it moved or found. A
 * stretch is remembered only when all of it was matched, so a scan that dies loses nothing.
 */
export const scan = Effect.fnUntraced(function* (options: ScanOptions) {
  const { store, chain, account } = options
  let after = Option.getOrNull(yield* store.scanned(account))
  let changed = 0
  for (let stretch = 0; stretch < stretchesMax; stretch++) {
    const read = yield* chain.transfers({ asset: account.asset, to: account.payTo, after }).pipe(
      Effect.timeoutOrElse({
        duration: stretchPatience,
        orElse: () => Effect.fail(new ChainUnavailable({ reason: "no answer in time" })),
      }),
    )
    const changes = yield* Effect.forEach(
      read.transfers,
      (transfer) => match(options, transfer),
      { concurrency: matchConcurrency },
    )
    changed += changes.filter((change) => change).length
    if (after === null || read.through > after) yield* store.scannedThrough(account, read.through)
    if (after === null || read.through <= after) break
    after = read.through
  }
  return changed
})

/** True when the transfer changed what we believe. */
const match = Effect.fnUntraced(function* (options: ScanOptions, transfer: SeenTransfer) {
  const { store, signatures, token } = options
  if (transfer.value === 0n) return false
  const { from, nonce } = transfer
  const paymentId = signatures.paymentId({ ...token, from, nonce })
  const known = yield* store.find(paymentId)
  if (Option.isNone(known)) {
    yield* Effect.logWarning("A transfer to us belongs to no call: it is refunded", { paymentId })
    const adopted = yield* store.adopt({ ...transfer, paymentId, token })
    if (!adopted && Option.isNone(yield* store.find(paymentId))) {
      // No honest hand writes such a row; the other transfers are matched all the same.
      yield* Effect.logError("Cannot refund a transfer: its authorization is another row's", {
        paymentId,
      })
    }
    return adopted
  }
  const row = known.value
  if (row.amount !== transfer.value) {
    // Its payer spent the nonce on another sum: what was signed for the call was never paid.
    yield* Effect.logError("A transfer to us is not the one that was signed for its payment", {
      paymentId,
      transaction: transfer.at.transaction,
    })
    return false
  }
  return (yield* believe(options, row, transfer)).state !== row.state
})

/** What a row becomes that the chain shows paid. One that somebody works on is theirs. */
const believe = (options: ScanOptions, row: Payment, { at }: SeenTransfer) => {
  switch (row.state) {
    case "released":
      return moveOrRead(options.store, row, {
        event: "owe",
        reason: "paid_undelivered",
        paidAt: at,
      })
    case "void":
      return Effect.andThen(
        Effect.logError("A payment held to be void has paid", { paymentId: row.paymentId }),
        moveOrRead(options.store, row, { event: "owe", reason: "paid_after_void", paidAt: at }),
      )
    case "unresolved":
      return reconcile(options, row)
    default:
      return Effect.succeed(row)
  }
}
