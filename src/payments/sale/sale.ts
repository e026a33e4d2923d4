/**
 * Sells one answer for one claimed payment, in the settlement order of its product.
 *
 * Compute-first: verify, compute, intend with the answer's bytes, settle, prove, answer.
 * Settle-early: check, verify, intend, settle, prove, compute, answer or refund.
 *
 * Any failure before the intent releases the payment: nothing was charged. After the intent only
 * the chain decides, because a facilitator's report is a hint. Without proof the payment is
 * unresolved, never refused. Once the chain shows the transfer there are two ends: a stored answer,
 * or a queued refund. When a worker dies, its lease expires and the sweep continues from the stored
 * state.
 *
 * @module
 */
import { Deferred, Duration, Effect, Option, Schedule } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
import { type FailedSale, NotCharged, type Unresolved } from "../domain/failedSale.ts"
import type { Chain } from "../Chain.ts"
import type {
  AnsweredPayment,
  PaidAt,
  Payment,
  PaymentProof,
  StoredAnswer,
} from "../domain/payment.ts"
import { faultOf } from "../domain/paymentFault.ts"
import type { PaymentPayload } from "../domain/x402/paymentPayload.ts"
import type {
  Facilitator,
  FacilitatorRequest,
  SettleOutcome,
  VerifyOutcome,
} from "../Facilitator.ts"
import type { Move, PaymentStore } from "../PaymentStore.ts"
import { proofOf } from "../reconcile.ts"
import type { PaymentTiming } from "../timing.ts"
import {
  hungUp,
  neverPaid,
  payerOverloaded,
  refundQueued,
  unavailable,
  unresolved,
} from "./responses.ts"

/** A buyer's request with a payment that matches it, before the store or the chain is read. */
export interface Purchase {
  readonly product: Product
  /** The product and its canonical parameters. The payment is bound to them. */
  readonly request: string
  readonly payment: PaymentPayload
  /**
   * Why the payment cannot be settled now; null when it can. A known payment gets its response in
   * both cases.
   */
  readonly validityFault: string | null
  /**
   * Known only to the buyer: an Idempotency-Key or payment-identifier. Null when the request has
   * none.
   */
  readonly secret: string | null
}

/**
 * The result of a product's work. `charge: false`: the answer is not worth its price. Compute-first
 * then delivers it without a charge; settle-early refunds the payment instead.
 */
export interface WorkResult {
  readonly body: Uint8Array
  readonly charge: boolean
}

/** A product's computation for one request. */
export interface Work {
  /** Fails when the request must be refused. Only settle-early runs it, before settlement. */
  readonly check: Effect.Effect<void, NotCharged>
  readonly compute: Effect.Effect<WorkResult, NotCharged>
}

/** A purchase whose payment this fiber has claimed. */
export interface ClaimedPurchase {
  readonly row: Payment
  readonly request: FacilitatorRequest
  readonly work: Work
  /** How many other payments of this payer are in progress in this process. */
  readonly payerInFlight: number
  /** Completed when the buyer hangs up. */
  readonly abandoned: Deferred.Deferred<void>
}

/** A successful sale: charged, with the row after it, or not charged. */
export type SaleResult =
  | { readonly charged: true; readonly payment: AnsweredPayment; readonly answer: StoredAnswer }
  | { readonly charged: false; readonly answer: StoredAnswer }

export interface SalePorts {
  readonly store: PaymentStore["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly chain: Chain["Service"]
  readonly timing: PaymentTiming
}

/**
 * Maximum number of payments of one payer in progress. Without this limit a payer whose balance
 * pays for one call could have many computed, and could use up what the treasury covers.
 */
const payerInFlightMax = 8

/** Sells compute-first: the answer is computed first and stored with the intent. */
export const sellComputeFirst = Effect.fnUntraced(
  function* (ports: SalePorts, claimed: ClaimedPurchase) {
    const { store, timing } = ports
    const answer = yield* releaseOnFailure(
      ports,
      claimed,
      Effect.andThen(
        verifyPayment(ports, claimed),
        withTimeLimit(claimed.work.compute, timing.workTimeout),
      ),
    )
    if (!answer.charge) {
      if (!(yield* release(store, claimed.row, "not_charged"))) return yield* unresolved
      return { charged: false, answer } satisfies SaleResult
    }
    const settling = yield* intend(ports, claimed, answer)
    const settlement = yield* settleAndProve(ports, settling, claimed.request)
    const { proof } = settlement
    const row = yield* tryMoveOrFind(
      store,
      settling,
      proof.proof === "paid"
        ? { event: "answer", answer: null, paidAt: proof.at }
        : moveWithoutProof(settlement),
    )
    if (row?.state === "answered") {
      return { charged: true, payment: row, answer } satisfies SaleResult
    }
    return yield* row?.state === "void" ? neverPaid : unresolved
  },
)

/**
 * Sells settle-early: the payment is settled first, then the answer is computed or the payment
 * refunded.
 */
export const sellSettleEarly = Effect.fnUntraced(
  function* (ports: SalePorts, claimed: ClaimedPurchase) {
    const { store, timing } = ports
    yield* releaseOnFailure(
      ports,
      claimed,
      Effect.andThen(
        withTimeLimit(claimed.work.check, timing.workTimeout),
        verifyPayment(ports, claimed),
      ),
    )
    const settling = yield* intend(ports, claimed, null)
    const settlement = yield* settleAndProve(ports, settling, claimed.request)
    const { proof } = settlement
    const row = yield* tryMoveOrFind(
      store,
      settling,
      proof.proof === "paid" ? settleMove(ports, proof.at) : moveWithoutProof(settlement),
    )
    return yield* computeOrRefund(ports, row, claimed.work)
  },
)

const settleMove = ({ timing }: SalePorts, paidAt: PaidAt): Move => ({
  event: "settle",
  paidAt,
  lease: timing.lease,
})

/**
 * Moves an unresolved settle-early payment to `settled` when its buyer calls again within the
 * recovery window and the chain proves that it was paid. None otherwise, or when another worker
 * moved it first.
 */
export const resumeUnresolved = Effect.fnUntraced(function* (ports: SalePorts, row: Payment) {
  const recoveryMs = Duration.toMillis(ports.timing.recoveryWindow)
  if (row.state !== "unresolved" || row.intendedAgoMs >= recoveryMs) return Option.none<Payment>()
  const proof = yield* proofOf(ports.chain, row, row.transactionHint)
  return proof.proof === "paid"
    ? yield* ports.store.move(row, settleMove(ports, proof.at))
    : Option.none<Payment>()
})

/** Computes the answer of a settled payment, or queues its refund. */
export const computeOrRefund = Effect.fnUntraced(function* (
  ports: SalePorts,
  row: Payment | null,
  work: Work,
) {
  if (row?.state !== "settled") return yield* resultForState(row)
  const outcome = yield* Effect.result(withTimeLimit(work.compute, ports.timing.paidWorkTimeout))
  const answer = outcome._tag === "Success" && outcome.success.charge ? outcome.success : null
  if (answer !== null) {
    const { body } = answer
    const answered: Move = { event: "answer", answer: { body }, paidAt: null }
    return yield* resultForState(yield* tryMoveOrFind(ports.store, row, answered))
  }
  const failure = outcome._tag === "Failure" ? outcome.failure : belowThreshold
  const refunded = yield* tryMoveOrFind(ports.store, row, {
    event: "owe",
    reason: failure.code,
    paidAt: null,
  })
  return refunded?.state === "refund_due"
    ? yield* refundQueued(refunded, failure)
    : yield* resultForState(refunded)
})

/** The result for a payment that is final, or that another worker is finishing. */
function resultForState(row: Payment | null): Effect.Effect<SaleResult, FailedSale> {
  switch (row?.state) {
    case "answered":
      // Another worker may have stored it. Only the stored answer was paid for.
      return row.answer === null
        ? unresolved
        : Effect.succeed({ charged: true, payment: row, answer: row.answer })
    case "void":
      return neverPaid
    case "refund_due":
    case "refunded":
      return refundQueued(row, answerNotReady)
    default:
      return unresolved
  }
}

const belowThreshold = new NotCharged({
  code: "below_threshold",
  message: "The answer would not be worth its price",
})

const answerNotReady = new NotCharged({
  code: "upstream_timeout",
  message: "The answer was not ready in time",
})

/**
 * Runs the steps before the intent. Any failure, or a buyer who hangs up, releases the payment.
 * When the release is not confirmed the result is unresolved, because another call with the same
 * payment may already be settling it.
 */
const releaseOnFailure = <A>(
  { store }: SalePorts,
  { row, payerInFlight, abandoned }: ClaimedPurchase,
  steps: Effect.Effect<A, NotCharged>,
): Effect.Effect<A, NotCharged | Unresolved> =>
  (payerInFlight < payerInFlightMax ? steps : payerOverloaded).pipe(
    Effect.raceFirst(Effect.flatMap(Deferred.await(abandoned), () => Effect.fail(hungUp))),
    Effect.catch((refusal): Effect.Effect<never, NotCharged | Unresolved> =>
      Effect.flatMap(
        release(store, row, refusal.code),
        (released): Effect.Effect<never, NotCharged | Unresolved> =>
          released || refusal === hungUp ? Effect.fail(refusal) : unresolved,
      )
    ),
  )

/**
 * Makes two checks concurrently: the facilitator accepts the payment, and its nonce is unused on
 * the chain. A payment that is already public is refused, because anyone may have copied it.
 */
const verifyPayment = (
  ports: SalePorts,
  claimed: ClaimedPurchase,
): Effect.Effect<void, NotCharged> =>
  Effect.all([verifyWithFacilitator(ports, claimed), checkUnused(ports, claimed)], {
    concurrency: "unbounded",
    discard: true,
  })

const checkUnused = (
  { chain, timing }: SalePorts,
  { request: { token, authorization: { from, nonce } } }: ClaimedPurchase,
) =>
  chain.isNonceUsed(token.asset, from, nonce).pipe(
    Effect.timeout(timing.verifyTimeout),
    Effect.catch((error) =>
      Effect.andThen(Effect.logWarning("Cannot read the chain", error), unavailable)
    ),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("The chain's adapter failed", defect), unavailable)
    ),
    Effect.flatMap((spent) => spent ? alreadyUsedOnChain : Effect.void),
  )

const alreadyUsedOnChain = Effect.fail(
  new NotCharged({
    code: "payment_required",
    message: "The authorization is already used or cancelled on the chain: sign a new one",
    fault: "nonce_used",
  }),
)

const verifyWithFacilitator = (
  { facilitator, timing }: SalePorts,
  { request }: ClaimedPurchase,
): Effect.Effect<void, NotCharged> =>
  facilitator.verify(request).pipe(
    Effect.timeoutOrElse({
      duration: timing.verifyTimeout,
      orElse: () => Effect.succeed<VerifyOutcome>({ outcome: "unknown", reason: "timeout" }),
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("The facilitator failed to verify", defect),
        { outcome: "unknown", reason: "defect" } satisfies VerifyOutcome,
      )
    ),
    Effect.flatMap((verify) => {
      switch (verify.outcome) {
        case "valid":
          return Effect.void
        case "invalid":
          return Effect.fail(
            new NotCharged({
              code: "payment_required",
              message: `The facilitator refuses the payment: ${verify.reason}`,
              fault: faultOf(verify.reason),
            }),
          )
        case "unknown":
          return Effect.fail(
            new NotCharged({
              code: "facilitator_error",
              message: "The payment could not be verified at this moment",
              hint: notUsed,
            }),
          )
      }
    }),
  )

const notUsed = "Send the same payment again: it was not used."

/**
 * Limits the time of a product's work, and turns a timeout or a defect into an error without a
 * charge.
 */
const withTimeLimit = <A>(
  work: Effect.Effect<A, NotCharged>,
  duration: PaymentTiming["workTimeout"],
): Effect.Effect<A, NotCharged> =>
  work.pipe(
    Effect.timeoutOrElse({
      duration,
      orElse: () =>
        Effect.fail(
          new NotCharged({
            code: "upstream_timeout",
            message: "The answer could not be computed in time",
            hint: notUsed,
          }),
        ),
    }),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("A product's work failed", defect),
        Effect.fail(
          new NotCharged({
            code: "internal_error",
            message: "The answer could not be computed",
            hint: notUsed,
          }),
        ),
      )
    ),
  )

/**
 * Stores the intent. When the store fails, it is unknown whether the intent was stored, so
 * settlement is not requested.
 */
const intend = Effect.fnUntraced(function* (
  { store, timing }: SalePorts,
  { row }: ClaimedPurchase,
  answer: WorkResult | null,
) {
  const settling = yield* store.move(row, {
    event: "intend",
    answer: answer === null ? null : { body: answer.body },
    lease: timing.lease,
  }).pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("Cannot store the intent to settle", defect), unavailable)
    ),
  )
  // The lease expired and another worker has the payment; only that worker knows the outcome.
  return Option.isNone(settling) ? yield* unresolved : settling.value
})

/** The chain's proof of an intended payment, and what the facilitator reported. */
interface Settlement {
  readonly proof: PaymentProof
  readonly facilitatorOutcome: SettleOutcome
  readonly transactionHint: string | null
}

/** Requests settlement, then reads the chain until there is proof or time is up. */
const settleAndProve = Effect.fnUntraced(function* (
  ports: SalePorts,
  settling: Payment,
  request: FacilitatorRequest,
) {
  const { chain, timing } = ports
  const facilitatorOutcome = yield* settle(ports, request)
  const transactionHint = facilitatorOutcome.outcome === "settled"
    ? facilitatorOutcome.transaction
    : null
  const proof = yield* proofOf(chain, settling, transactionHint).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("The chain's adapter failed", defect),
        { proof: "not_yet" } satisfies PaymentProof,
      )
    ),
    Effect.repeat({
      until: ({ proof }) => proof !== "not_yet",
      schedule: Schedule.spaced(timing.proveInterval),
      times: timing.proveRetriesMax,
    }),
    Effect.timeoutOrElse({
      duration: timing.proveTimeout,
      orElse: () => Effect.succeed<PaymentProof>({ proof: "not_yet" }),
    }),
  )
  return { proof, facilitatorOutcome, transactionHint } satisfies Settlement
})

const settle = ({ facilitator, timing }: SalePorts, request: FacilitatorRequest) =>
  facilitator.settle(request).pipe(
    Effect.timeoutOrElse({
      duration: timing.settleTimeout,
      orElse: () => Effect.succeed<SettleOutcome>({ outcome: "unknown", reason: "timeout" }),
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("The facilitator failed to settle", defect),
        { outcome: "unknown", reason: "defect" } satisfies SettleOutcome,
      )
    ),
  )

/** The move after a settlement for which the chain shows no payment. */
function moveWithoutProof({ proof, facilitatorOutcome, transactionHint }: Settlement): Move {
  if (proof.proof === "never") return { event: "void", reason: proof.reason }
  const reason = facilitatorOutcome.outcome === "settled"
    ? "unproven"
    : `${facilitatorOutcome.outcome}: ${facilitatorOutcome.reason}`
  return { event: "doubt", reason, transactionHint }
}

/**
 * Makes a move and returns the row after it. When the store fails or a sweep moved the row first,
 * reads the row: a charged answer must be delivered now, because a buyer without a secret cannot
 * fetch it later. Null when the row cannot be read.
 */
const tryMoveOrFind = (store: PaymentStore["Service"], before: Payment, move: Move) =>
  store.move(before, move).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("Cannot move a payment", defect), Option.none<Payment>())
    ),
    Effect.flatMap((row) =>
      Option.isSome(row) ? Effect.succeed(row) : store.find(before.paymentId)
    ),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("Cannot read a payment", defect), Option.none<Payment>())
    ),
    Effect.map(Option.getOrNull),
  )

/**
 * Releases a payment; false when that is not confirmed. The sweep then releases it when the lease
 * expires.
 */
const release = (store: PaymentStore["Service"], claimed: Payment, reason: string) =>
  store.move(claimed, { event: "release", reason }).pipe(
    Effect.map(Option.isSome),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logWarning("Cannot release a payment", defect), false)
    ),
  )
