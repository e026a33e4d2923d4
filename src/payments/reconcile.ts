/**
 * Resolves payments without an active worker, for example after a crash: reads the chain and moves
 * the row.
 *
 * The sweep of every replica takes the rows whose lease has expired or that have none (times:
 * `timing.ts`). The state decides:
 *
 * - `claimed`: settlement was not requested, so the payment is released and not charged.
 * - `released`, and its authorization has expired: `void` when the chain proves that it was never
 *   paid, owed when it was paid.
 * - `settling` and `unresolved`: only the chain has the answer. Without a proof the row is `unresolved`
 *   and read again later. Never paid: `void`. Paid compute-first, so its answer is stored:
 *   `answered`, but owed when `answerWindow` has passed since the intent. Paid settle-early, so it
 *   has no answer yet: waits for its buyer until `recoveryWindow` after the intent, then owed.
 * - `settled`: owed, because the answer was not computed in time.
 * - `answered`, but not delivered within `answerWindow`: owed.
 *
 * Owed means the state `refund_due`: a trigger queues the refund in the same statement, and the
 * refund worker pays it.
 *
 * @module
 */
import { Clock, Duration, Effect, Option, Result } from "effect"
import { type Chain, proofOf } from "./Chain.ts"
import type {
  Payment,
  PaymentProof,
  ReleasedPayment,
  UnreadablePayment,
  UnresolvedPayment,
} from "./domain/payment.ts"
import type { Move, PaymentStore, WaitingQuery } from "./PaymentStore.ts"
import type { PaymentTiming } from "./timing.ts"

/**
 * True when the row must be reconciled before the service can respond with its state: its worker or
 * its buyer is gone, or only the chain has its outcome.
 */
export function needsChain(payment: Payment, { answerWindow }: BuyerWindows): boolean {
  switch (payment.state) {
    case "claimed":
    case "settling":
    case "settled":
      return payment.leaseLeftMs <= 0
    case "unresolved":
      return true
    case "answered":
      return !payment.sent && payment.answeredAgoMs >= Duration.toMillis(answerWindow)
    default:
      return false
  }
}

/** How long a payment waits for its buyer; see `PaymentTiming`. */
type BuyerWindows = Pick<PaymentTiming, "answerWindow" | "recoveryWindow">

export interface ReconcileOptions {
  readonly store: PaymentStore["Service"]
  readonly chain: Chain["Service"]
  readonly windows: BuyerWindows
  /** Runs after the refund of a settle-early payment became due because its buyer did not come. */
  readonly unfetched: (payment: Payment) => Effect.Effect<void>
}

/**
 * Moves a waiting row as far as is possible now, and returns its newest version. Concurrent calls
 * are safe: each move is a compare-and-set, and the caller that loses reads the row again.
 */
export const reconcile = Effect.fnUntraced(function* (
  options: ReconcileOptions,
  payment: Payment,
) {
  const { chain, windows } = options
  const move = (payment: Payment, move: Move) => moveOrRead(options, payment, move)
  switch (payment.state) {
    case "claimed":
      return yield* move(payment, { event: "release", reason: "lease_lost" })
    case "settled":
      return yield* move(payment, { event: "owe", reason: "lease_lost", paidAt: null })
    case "answered":
      return yield* move(payment, { event: "owe", reason: "unsent", paidAt: null })
    case "settling": {
      const doubted = yield* move(payment, {
        event: "doubt",
        reason: "lease_lost",
        transactionHint: null,
      })
      return doubted.state === "unresolved" ? yield* resolve(doubted) : doubted
    }
    case "unresolved":
    case "released":
      return yield* resolve(payment)
    default:
      return payment
  }

  function resolve(payment: UnresolvedPayment | ReleasedPayment): Effect.Effect<Payment> {
    const hint = payment.state === "unresolved" ? payment.transactionHint : null
    return Effect.flatMap(
      proofOf(chain, payment, hint),
      (proof) =>
        Option.match(moveForProof(payment, proof, windows), {
          onNone: () => Effect.succeed(payment),
          onSome: (next) => move(payment, next),
        }),
    )
  }
})

/**
 * Limits of a sweep: rows of a round, which are processed at once and so share their reads of the
 * chain, and rounds.
 */
const sweepRows = 200
const sweepRoundsMax = 50

/**
 * Moves all waiting rows of a kind as far as is possible now, and returns how many moved. Each
 * round skips as many rows as did not move before. A round with fewer rows than `sweepRows` is the
 * last. The two kinds run in loops of their own: many released payments delay no urgent one.
 */
export const sweep = Effect.fnUntraced(function* (
  options: ReconcileOptions,
  kind: WaitingQuery["kind"],
) {
  let moved = 0
  let unmoved = 0
  for (let round = 0; round < sweepRoundsMax; round++) {
    const rows = yield* sweepRound(options, kind, unmoved)
    const movedNow = rows.filter((hasMoved) => hasMoved).length
    moved += movedNow
    unmoved += rows.length - movedNow
    if (rows.length < sweepRows) break
  }
  return moved
})

/** One round: for each row, readable or not, whether it moved. */
const sweepRound = Effect.fnUntraced(function* (
  options: ReconcileOptions,
  kind: WaitingQuery["kind"],
  skip: number,
) {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* options.store.waiting({
    kind,
    nowSeconds: BigInt(Math.floor(now / 1_000)),
    answerWindow: options.windows.answerWindow,
    skip,
    limit: sweepRows,
  })
  return yield* Effect.forEach(
    rows,
    Result.match({
      onSuccess: (payment) => reconcileRow(options, payment),
      onFailure: logUnreadable,
    }),
    { concurrency: sweepRows },
  )
})

/** Whether the row moved. */
const reconcileRow = (options: ReconcileOptions, payment: Payment) =>
  reconcile(options, payment).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logWarning("Cannot reconcile a payment", defect), payment)
    ),
    Effect.map(({ state }) => state !== payment.state),
  )

/** An unreadable row waits for an operator and does not stop the sweep. */
const logUnreadable = (failure: UnreadablePayment) =>
  Effect.as(Effect.logError("Cannot read a waiting payment", failure.message), false)

/**
 * The move for a row in `unresolved` or `released`, given the chain's proof; none when the row must
 * wait. A compute-first answer is already stored. A settle-early answer is computed only when the
 * buyer calls again, so the row waits for `recoveryWindow`.
 */
export function moveForProof(
  payment: UnresolvedPayment | ReleasedPayment,
  proof: PaymentProof,
  windows: BuyerWindows,
): Option.Option<Move> {
  switch (proof.proof) {
    case "not_yet":
      return Option.none()
    case "never":
      return Option.some({ event: "void", reason: proof.reason })
    case "paid": {
      const owe: Move = { event: "owe", reason: "paid_undelivered", paidAt: proof.at }
      if (payment.state !== "unresolved") return Option.some(owe)
      const stored = payment.settlementOrder === "compute-first"
      const windowMs = Duration.toMillis(stored ? windows.answerWindow : windows.recoveryWindow)
      if (payment.intendedAgoMs >= windowMs) return Option.some(owe)
      return stored
        ? Option.some({ event: "answer", answer: null, paidAt: proof.at })
        : Option.none()
    }
  }
}

/**
 * Makes a move and returns the row after it, or the current row when it has changed meanwhile. A
 * row is never deleted, so there is one.
 */
export function moveOrRead(
  { store, unfetched }: Pick<ReconcileOptions, "store" | "unfetched">,
  row: Payment,
  move: Move,
) {
  const hasNoBuyer = move.event === "owe" && row.settlementOrder === "settle-early" &&
    (row.state === "answered" || row.state === "unresolved")
  return Effect.flatMap(
    store.move(row, move),
    Option.match({
      onSome: (moved) => Effect.as(hasNoBuyer ? unfetched(row) : Effect.void, moved),
      onNone: () => Effect.flatMap(store.find(row.paymentId), Effect.fromOption),
    }),
  ).pipe(Effect.orDie)
}
