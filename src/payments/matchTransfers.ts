/**
 * The scan: reads every transfer by authorization to us from the chain, and matches it with its
 * payment, whatever the state in its row. It finds the payments that all other steps missed. A
 * transfer without a row is refunded.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import { AtomicAmount } from "../core/domain/money.ts"
import { type Payment, type PaymentId, type TokenDomain, wasTaken } from "./domain/payment.ts"
import { type AuthorizedTransfer, inTime } from "./Chain.ts"
import type { Move, ScannedAccount } from "./PaymentStore.ts"
import { moveForProof, moveOrRead, type ReconcileOptions } from "./reconcile.ts"
import type { Signatures } from "./Signatures.ts"

interface ScanOptions extends ReconcileOptions {
  readonly signatures: Signatures["Service"]
  readonly token: TokenDomain
  readonly account: ScannedAccount
}

/** Maximum number of block ranges per scan. The next scan reads the rest. */
const rangesMax = 50
/** Maximum wait for the chain: one that never responds must not stop all scans. */
const readTimeout = Duration.seconds(30)
const matchConcurrency = 4
/**
 * Number of blocks that the next scan reads again: five minutes of Base. This finds the transfers
 * that a node did not return yet, and those whose payment was still in progress.
 */
const overlapBlocks = 150n

/**
 * Reads the chain from `overlapBlocks` before the last block that was read, and returns how many
 * payments it moved or inserted. A range is saved only when all of it was matched, so a scan that
 * dies loses nothing, and only up to the first transfer whose payment is in progress for another
 * amount: no other step would find that transfer. The first scan only saves where the next one starts.
 */
export const scan = Effect.fnUntraced(function* (options: ScanOptions) {
  const { store, chain, account } = options
  const scanned = Option.getOrNull(yield* store.scanned(account))
  if (scanned === null) {
    const { safeNumber } = yield* inTime(readTimeout)(chain.head)
    yield* store.saveScannedThrough(account, safeNumber)
    return 0
  }
  let after = later(scanned.after, scanned.through - overlapBlocks)
  let changed = 0
  let undecided: bigint | null = null
  for (let range = 0; range < rangesMax; range++) {
    const query = { asset: account.asset, to: account.payTo, after }
    const { transfers, through } = yield* inTime(readTimeout)(chain.transfers(query))
    const matched = yield* matchAll(options, transfers)
    changed += matched.changed
    undecided ??= matched.undecided
    if (through <= after) break
    const decided = undecided === null ? through : earlier(through, undecided - 1n)
    if (decided > scanned.through) yield* store.saveScannedThrough(account, decided)
    after = through
  }
  return changed
})

const later = (a: bigint, b: bigint) => a > b ? a : b
const earlier = (a: bigint, b: bigint) => a < b ? a : b

/**
 * Matches the transfers whose payment is not already stored as taken. `undecided` is the first block
 * with a transfer that has to be matched again; null without one.
 */
const matchAll = Effect.fnUntraced(function* (
  options: ScanOptions,
  transfers: ReadonlyArray<AuthorizedTransfer>,
) {
  const { signatures, token, store } = options
  // A transfer from us to ourselves is not a payment, and the store refuses a row for it.
  const incoming = transfers.filter(({ from, to, value }) => value > 0n && from !== to)
  const payments = incoming.map((transfer) => ({
    transfer,
    paymentId: signatures.paymentId({ ...token, from: transfer.from, nonce: transfer.nonce }),
  }))
  const states = yield* store.states(payments.map(({ paymentId }) => paymentId))
  const open = payments.filter(({ paymentId }) =>
    wasTaken(states.get(paymentId) ?? "released") !== true
  )
  const results = yield* Effect.forEach(
    open,
    ({ paymentId, transfer }) => match(options, paymentId, transfer),
    { concurrency: matchConcurrency },
  )
  const undecided = open.filter((_, n) => results[n] === "undecided")
    .map(({ transfer }) => transfer.at.block)
  return {
    changed: results.filter((result) => result === "changed").length,
    undecided: undecided.length === 0 ? null : undecided.reduce(earlier),
  }
})

/** What the transfer did to a row. */
const match = Effect.fnUntraced(function* (
  options: ScanOptions,
  paymentId: PaymentId,
  transfer: AuthorizedTransfer,
) {
  const { store, token } = options
  const known = yield* store.find(paymentId)
  if (Option.isNone(known)) {
    yield* Effect.logWarning("A transfer to us belongs to no request: it is refunded", {
      paymentId,
    })
    const inserted = yield* store.insertUnmatched({ ...transfer, paymentId, token })
    if (!inserted && Option.isNone(yield* store.find(paymentId))) {
      // Only a forged row can cause this. The other transfers are still matched.
      yield* Effect.logError("Cannot refund a transfer: another row has its authorization", {
        paymentId,
      })
    }
    return inserted ? "changed" : "unchanged"
  }
  const move = moveForTransfer(options, known.value, transfer)
  if (Option.isNone(move)) {
    const isUndecided = wasTaken(known.value.state) === null &&
      known.value.amount !== transfer.value
    return isUndecided ? "undecided" : "unchanged"
  }
  if (known.value.state === "void") {
    yield* Effect.logError("A payment marked as void was paid", { paymentId })
  }
  const { state } = yield* moveOrRead(options, known.value, move.value)
  return state === known.value.state ? "unchanged" : "changed"
})

/**
 * The move for a payment that was paid but is not stored as taken. None when a worker has the
 * payment or it was taken meanwhile; the next scan checks it again. When the payer used the nonce
 * for another amount, that amount is owed.
 */
function moveForTransfer(
  { windows }: ScanOptions,
  row: Payment,
  { value, at }: AuthorizedTransfer,
): Option.Option<Move> {
  if (wasTaken(row.state) !== false && row.state !== "unresolved") return Option.none()
  if (row.amount !== value) {
    const paidAmount = AtomicAmount.make(value)
    return Option.some({ event: "owe", reason: "paid_another_sum", paidAt: at, paidAmount })
  }
  const reason = row.state === "void" ? "paid_after_void" : "paid_undelivered"
  return row.state === "unresolved"
    ? moveForProof(row, { proof: "paid", at }, windows)
    : Option.some({ event: "owe", reason, paidAt: at })
}
