/**
 * Sells one answer for one payment, in the settlement order of its product.
 *
 * Compute-first: verify, claim, compute, intend with the answer's bytes, settle, prove, answer.
 * Settle-early: check, verify, claim, intend, settle, prove, compute, answer or refund.
 *
 * Nothing is stored before the claim, so a payment that is not valid leaves no row. A failure
 * between the claim and the intent releases the payment: nothing was charged. After the intent only
 * the chain decides, because a facilitator's report is a hint. Without proof the payment is
 * unresolved, never refused. Once the chain shows the transfer there are two ends: a stored answer,
 * or a queued refund. When a worker dies, its lease expires and the sweep continues from the stored
 * state.
 *
 * @module
 */
import { resendUnused } from "../../catalog/domain/refusal.ts"
import { Deferred, Duration, Effect, Exit, Metric, Option, Schedule } from "effect"
import { annotate, inSpan } from "../../core/tracing.ts"
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
import {
  type Facilitator,
  facilitatorBusy,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../Facilitator.ts"
import type { Move, PaymentStore } from "../PaymentStore.ts"
import { proofOf } from "../reconcile.ts"
import { secondsBuckets, timed } from "../../core/timed.ts"
import type { Work, WorkResult } from "../purchase.ts"
import type { PaymentTiming } from "../timing.ts"
import {
  hungUp,
  neverPaid,
  overloaded,
  refundQueued,
  unavailable,
  unresolved,
} from "./responses.ts"

/** A sale in its fiber. */
export interface RunningSale {
  readonly request: FacilitatorRequest
  readonly work: Work
  /** Runs the steps before the payment is known to be valid, in a place of the client. */
  readonly whileUnverified: <A>(steps: Effect.Effect<A, NotCharged>) => Effect.Effect<A, NotCharged>
  /** Runs the steps from the claim on, in one of the places for sales. */
  readonly inSalePlace: <A, E>(steps: Effect.Effect<A, E>) => Effect.Effect<A, E | NotCharged>
  /** Claims the payment; none when another call has it. */
  readonly claim: Effect.Effect<Option.Option<Payment>, FailedSale>
  /** Checks, after the claim, that the payment could be refunded (settle-early only). */
  readonly checkCovered: Effect.Effect<void, NotCharged>
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

/** A sale's result; none when another call sells the payment. */
type SoldHere = Effect.Effect<Option.Option<SaleResult>, FailedSale>

/** Sells compute-first: the answer is computed first and stored with the intent. */
export const sellComputeFirst = (ports: SalePorts, running: RunningSale): SoldHere =>
  Effect.andThen(
    verified(ports, running, null),
    running.inSalePlace(computeAndSettle(ports, running)),
  )

const computeAndSettle = Effect.fnUntraced(
  function* (ports: SalePorts, running: RunningSale) {
    const { store, timing } = ports
    const claimed = yield* running.claim
    if (Option.isNone(claimed)) return Option.none()
    const row = claimed.value
    const answer = yield* releaseOnFailure(
      ports,
      running,
      row,
      withTimeLimit(running.work.compute, timing.workTimeout),
    )
    if (!answer.charge) {
      if (!(yield* release(store, row, "not_charged"))) return yield* unresolved
      return Option.some<SaleResult>({ charged: false, answer })
    }
    const settling = yield* intend(ports, row, answer)
    const settlement = yield* settleAndProve(ports, settling, running.request)
    const { proof } = settlement
    const settled = yield* tryMoveOrFind(
      store,
      settling,
      proof.proof === "paid"
        ? { event: "answer", answer: null, paidAt: proof.at }
        : moveWithoutProof(settlement),
    )
    if (settled?.state === "answered") {
      return Option.some<SaleResult>({ charged: true, payment: settled, answer })
    }
    return yield* settled?.state === "void" ? neverPaid : unresolved
  },
)

/**
 * Sells settle-early: the payment is settled first, then the answer is computed or the payment
 * refunded.
 */
export const sellSettleEarly = (ports: SalePorts, running: RunningSale): SoldHere =>
  Effect.andThen(
    verified(ports, running, withTimeLimit(running.work.check, ports.timing.workTimeout)),
    running.inSalePlace(settleAndCompute(ports, running)),
  )

const settleAndCompute = Effect.fnUntraced(
  function* (ports: SalePorts, running: RunningSale) {
    const { store } = ports
    const claimed = yield* running.claim
    if (Option.isNone(claimed)) return Option.none()
    yield* releaseOnFailure(ports, running, claimed.value, running.checkCovered)
    const settling = yield* intend(ports, claimed.value, null)
    const settlement = yield* settleAndProve(ports, settling, running.request)
    const { proof } = settlement
    const row = yield* tryMoveOrFind(
      store,
      settling,
      proof.proof === "paid" ? settleMove(ports, proof.at) : moveWithoutProof(settlement),
    )
    return Option.some(yield* computeOrRefund(ports, row, running.work))
  },
)

/**
 * Checks and verifies a payment. A buyer who hangs up ends the check, but not a verification,
 * because the facilitator continues with it: the client keeps its place until its response.
 */
const verified = (
  ports: SalePorts,
  running: RunningSale,
  check: Effect.Effect<void, NotCharged> | null,
): Effect.Effect<void, NotCharged> =>
  (check === null
    ? verifyPayment(ports, running)
    : Effect.andThen(unlessHungUp(running, check), verifyPayment(ports, running))).pipe(
      running.whileUnverified,
      Effect.result,
      Effect.filterOrFail(() => !Deferred.isDoneUnsafe(running.abandoned), () => hungUp),
      Effect.flatMap(Effect.fromResult),
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

/** Continues an unresolved payment that `claim` has moved to `settled` for its buyer. */
export const sellResumed = (ports: SalePorts, { claim, work }: RunningSale): SoldHere =>
  Effect.flatMap(
    claim,
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (row) => Effect.map(computeOrRefund(ports, row, work), Option.some),
    }),
  )

/** Computes the answer of a settled payment, or queues its refund. */
const computeOrRefund = Effect.fnUntraced(function* (
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

/** Interrupts a step, and fails with `hungUp`, when the buyer hangs up. */
const unlessHungUp = <A>({ abandoned }: RunningSale, step: Effect.Effect<A, NotCharged>) =>
  Effect.raceFirst(Effect.andThen(Deferred.await(abandoned), Effect.fail(hungUp)), step)

/**
 * Runs a step between the claim and the intent. A failure, or a buyer who hangs up, releases the
 * payment. When the release is not confirmed the result is unresolved, because another call with
 * the same payment may already be settling it.
 */
const releaseOnFailure = <A>(
  { store }: SalePorts,
  running: RunningSale,
  claimed: Payment,
  step: Effect.Effect<A, NotCharged>,
): Effect.Effect<A, NotCharged | Unresolved> =>
  unlessHungUp(running, step).pipe(
    Effect.catch((refusal): Effect.Effect<never, NotCharged | Unresolved> =>
      Effect.flatMap(
        release(store, claimed, refusal.code),
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
  running: RunningSale,
): Effect.Effect<void, NotCharged> =>
  Effect.all([verifyWithFacilitator(ports, running), checkUnused(ports, running)], {
    concurrency: "unbounded",
    discard: true,
  })

const checkUnused = (
  { chain, timing }: SalePorts,
  { request: { token, authorization: { from, nonce } } }: RunningSale,
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
    message:
      "The authorization is already used or cancelled on the chain: sign a new one, with the same key",
    fault: "nonce_used",
  }),
)

/** A call of the facilitator that did not end in time. */
const late = Effect.succeed({ outcome: "unknown", reason: "timeout" } as const)

const verifyWithFacilitator = (
  { facilitator, timing }: SalePorts,
  { request }: RunningSale,
): Effect.Effect<void, NotCharged> =>
  facilitator.verify(request).pipe(
    Effect.timeoutOrElse({ duration: timing.verifyTimeout, orElse: () => late }),
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
          if (verify.reason === facilitatorBusy) return Effect.fail(overloaded)
          return Effect.fail(
            new NotCharged({
              code: "facilitator_error",
              message: "The payment could not be verified at this moment",
              hint: resendUnused,
            }),
          )
      }
    }),
  )

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
            hint: resendUnused,
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
            hint: resendUnused,
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
  claimed: Payment,
  answer: WorkResult | null,
) {
  const settling = yield* store.move(claimed, {
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

const proveSeconds = Metric.histogram("sale_prove_seconds", {
  description: "Time from the facilitator's answer to a settlement until the chain's proof",
  boundaries: secondsBuckets,
})

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
    timed((exit, seconds) => {
      const outcome = Exit.isSuccess(exit) ? exit.value.proof : "interrupted"
      return Effect.andThen(
        Metric.update(Metric.withAttributes(proveSeconds, { outcome }), seconds),
        annotate({ outcome }),
      )
    }),
    inSpan("prove"),
  )
  return { proof, facilitatorOutcome, transactionHint } satisfies Settlement
})

const settle = ({ facilitator, timing }: SalePorts, request: FacilitatorRequest) =>
  facilitator.settle(request).pipe(
    Effect.timeoutOrElse({ duration: timing.settleTimeout, orElse: () => late }),
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
