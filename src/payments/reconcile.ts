/**
 * What becomes of a payment that no worker has, after a crash for example: the chain is asked, and its
 * answer decides.
 *
 * The sweep of every replica takes a row when its lease has run out (times: `timing.ts`):
 *
 * - `claimed`: settlement was not asked for, so it is released. Not charged.
 * - `released`, once its authorization has run out: checked on the chain. Not taken: `void`. Taken: owed.
 * - `settling`, `unresolved`: taken or not, only the chain can say. Not yet provable: asked again. Never
 *   taken: `void`. Taken, with an answer (compute-first): `answered`, and kept for its buyer for `hold`.
 *   Taken, without one (settle-early): kept for its buyer until `recover` after the intent, then owed.
 * - `settled`: owed.
 * - `answered` but not delivered within `hold`: owed.
 *
 * PaymentWithRefund is the state `refund_due`: a trigger queues the refund in the same statement, and the refund worker
 * pays it.
 *
 * @module
 */
import { Clock, Duration, Effect, Option, Result } from "effect"
import { type Chain, ChainUnavailable, type ExpectedTransfer } from "./Chain.ts"
import type { Payment, PaymentProof, ReleasedPayment, UnresolvedPayment } from "./domain/payment.ts"
import type { Move, PaymentStore, UnreadablePayment } from "./PaymentStore.ts"
import type { PaymentTiming } from "./timing.ts"

/** True when the row waits: its worker or its buyer is gone, or only the chain can tell. */
function isWaiting(payment: Payment, { answerWindow }: BuyerWindows): boolean {
  switch (payment.state) {
    case "claimed":
    case "settling":
    case "settled":
      return payment.leaseLeftMs <= 0
    case "unresolved":
    case "released":
      return true
    case "answered":
      return !payment.sent && payment.answeredAgoMs >= Duration.toMillis(answerWindow)
    default:
      return false
  }
}

/** True when the row has to be brought up to date before it can say anything. */
export const needsChain = (payment: Payment, windows: BuyerWindows): boolean =>
  isWaiting(payment, windows) && payment.state !== "released"

/** How long a buyer is waited for: after the intent, and after the answer. */
type BuyerWindows = Pick<PaymentTiming, "answerWindow" | "recoveryWindow">

export interface ReconcileOptions {
  readonly store: PaymentStore["Service"]
  readonly chain: Chain["Service"]
  readonly windows: BuyerWindows
}

/**
 * Moves a waiting row as far as can be told now, and returns the row as it then stands. Any number
 * may do this at once: each move is a compare-and-set, and the loser reads the row again.
 */
export const reconcile = Effect.fnUntraced(function* (
  { store, chain, windows }: ReconcileOptions,
  payment: Payment,
) {
  const move = (payment: Payment, move: Move) => moveOrRead(store, payment, move)
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

/** Rows a round of a sweep looks at, how many at once, and how many rounds a sweep may have. */
const sweepRows = 200
const sweepConcurrency = 4
const sweepRoundsMax = 50

/**
 * Moves everything that waits as far as can be told now, and returns how many rows moved. A round
 * follows another while rows may be left that no round has seen, past those that would not move.
 */
export const sweep = Effect.fnUntraced(function* (options: ReconcileOptions) {
  let moved = 0
  let unmoved = 0
  for (let round = 0; round < sweepRoundsMax; round++) {
    const rows = yield* sweepRound(options, unmoved)
    const movedNow = rows.filter((hasMoved) => hasMoved).length
    moved += movedNow
    unmoved += rows.length - movedNow
    if (rows.length < sweepRows) break
  }
  return moved
})

/** One round: whether each row that it looked at, be it readable or not, has moved. */
const sweepRound = Effect.fnUntraced(function* (options: ReconcileOptions, skip: number) {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* options.store.waiting({
    nowSeconds: BigInt(Math.floor(now / 1_000)),
    answerWindow: options.windows.answerWindow,
    skip,
    limit: sweepRows,
  })
  return yield* Effect.forEach(
    rows,
    Result.match({
      onSuccess: (payment) => movedRow(options, payment),
      onFailure: unreadable,
    }),
    { concurrency: sweepConcurrency },
  )
})

const movedRow = (options: ReconcileOptions, payment: Payment) =>
  reconcile(options, payment).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logWarning("Cannot reconcile a payment", defect), payment)
    ),
    Effect.map(({ state }) => state !== payment.state),
  )

/** It waits for a person, and costs the sweep no other row. */
const unreadable = (failure: UnreadablePayment) =>
  Effect.as(Effect.logError("Cannot read a waiting payment", failure.message), false)

/**
 * What the chain's word makes of a row in `unresolved` or `released`; none: it stays as it is. A
 * compute-first answer is stored already. A settle-early one is still to be computed, and only its
 * buyer can have that done, by coming again: for `recover` the row waits for them.
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

/** Longest wait for one word of the chain: neither a sale nor the sweep may hang on it. */
const chainTimeout = Duration.seconds(5)

/**
 * The chain's word on a payment; a chain that cannot be read has said nothing. `transactionHint` is
 * where a facilitator says to look first.
 */
export function proofOf(
  chain: Chain["Service"],
  payment: Payment,
  transactionHint: string | null,
): Effect.Effect<PaymentProof> {
  return chain.paymentProof(expectedTransfer(payment, transactionHint)).pipe(
    Effect.timeoutOrElse({
      duration: chainTimeout,
      orElse: () => Effect.fail(new ChainUnavailable({ reason: "no answer in time" })),
    }),
    Effect.catchTag("ChainUnavailable", ({ reason }) =>
      Effect.as(
        Effect.logWarning(`Cannot read the chain: ${reason}`),
        { proof: "not_yet" } satisfies PaymentProof,
      )),
  )
}

function expectedTransfer(
  { token, authorization }: Payment,
  transactionHint: string | null,
): ExpectedTransfer {
  const { from, to, value, nonce, validBefore } = authorization
  const { chainId, asset } = token
  return { chainId, asset, from, to, value, nonce, validBefore, transactionHint }
}

/** Makes a move; when the row has moved on, reads it. A row is never deleted, so it is there. */
export function moveOrRead(store: PaymentStore["Service"], row: Payment, move: Move) {
  return Effect.flatMap(
    store.move(row, move),
    Option.match({
      onSome: Effect.succeed,
      onNone: () => Effect.flatMap(store.find(row.paymentId), Effect.fromOption),
    }),
  ).pipe(Effect.orDie)
}
