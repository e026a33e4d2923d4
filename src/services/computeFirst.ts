/**
 * The compute-first order, from a claimed row to an answer: verify, compute, intend, settle, prove.
 *
 * Whatever fails before the intent releases the payment: nothing was charged. After the intent only
 * the chain's word ends it; without that word it is unresolved, never refused.
 *
 * @module
 */
import { Deferred, Duration, Effect, Option, Schedule } from "effect"
import type { PaymentTicket, StoredAnswer } from "../domain/payment.ts"
import { NotCharged } from "../domain/refusal.ts"
import type { PaymentRequirements } from "../domain/x402.ts"
import type { Chain, PaymentProof } from "./Chain.ts"
import type {
  Facilitator,
  FacilitatorRequest,
  SettleOutcome,
  VerifyOutcome,
} from "./Facilitator.ts"
import type { Answer } from "./sale.ts"
import type { Move, Payment, PaymentStore } from "./PaymentStore.ts"
import { hungUp, neverPaid, unavailable, unresolved } from "./paymentRefusals.ts"
import { proofOf } from "./reconcile.ts"

/** How long each step may take, and how long a payment is kept for its buyer. */
export interface PaymentTiming {
  /** A worker that is silent for longer has lost its payment. Longer than all the steps together. */
  readonly lease: Duration.Duration
  readonly verify: Duration.Duration
  readonly work: Duration.Duration
  readonly settle: Duration.Duration
  /** How often the chain is asked after settlement, and how many times. */
  readonly proveEvery: Duration.Duration
  readonly proveTimes: number
  /** How long all that asking may take, however long the chain takes over each question. */
  readonly prove: Duration.Duration
  /** How long after the intent the buyer may still come for the answer. */
  readonly hold: Duration.Duration
  /** How often a second copy of a payment looks whether the first is done, and how many times. */
  readonly waitEvery: Duration.Duration
  readonly waitTimes: number
}

export const defaultTiming: PaymentTiming = {
  lease: Duration.seconds(90),
  verify: Duration.seconds(4),
  work: Duration.seconds(10),
  settle: Duration.seconds(21),
  proveEvery: Duration.millis(500),
  proveTimes: 20,
  prove: Duration.seconds(15),
  hold: Duration.minutes(10),
  waitEvery: Duration.millis(200),
  waitTimes: 100,
}

export interface SagaPorts {
  readonly store: PaymentStore["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly chain: Chain["Service"]
  readonly timing: PaymentTiming
}

/** How the saga ends well: charged, with the row as it then stands, or given away. */
export type Sold =
  | { readonly charged: true; readonly payment: Payment; readonly answer: StoredAnswer }
  | { readonly charged: false; readonly answer: StoredAnswer }

/** Runs a payment this fiber has claimed to its end. `abandoned`: its buyer has hung up. */
export const sellComputeFirst = Effect.fnUntraced(function* (
  ports: SagaPorts,
  claimed: Payment,
  requirements: PaymentRequirements,
  work: Effect.Effect<Answer, NotCharged>,
  abandoned: Deferred.Deferred<void>,
) {
  const { store, timing } = ports
  const request = facilitatorRequest(claimed, requirements)
  const answer = yield* verified(ports, request).pipe(
    Effect.andThen(computed(work, timing)),
    Effect.raceFirst(Effect.flatMap(Deferred.await(abandoned), () => Effect.fail(hungUp))),
    Effect.tapError(({ code }) => release(store, claimed, code)),
  )
  if (!answer.charge) {
    yield* release(store, claimed, "not_charged")
    return { charged: false, answer } satisfies Sold
  }
  const settling = yield* store.move(claimed, {
    event: "intend",
    answer: { body: answer.body },
    lease: timing.lease,
  }).pipe(Effect.catchDefect((defect) => Effect.andThen(Effect.logError(defect), unavailable)))
  // Taken over, since its lease ran out: what has become of the money, another worker knows.
  if (Option.isNone(settling)) return yield* unresolved
  const payment = yield* settled(ports, settling.value, request)
  return { charged: true, payment, answer } satisfies Sold
})

const verified = ({ facilitator, timing }: SagaPorts, request: FacilitatorRequest) =>
  facilitator.verify(request).pipe(
    Effect.timeoutOrElse({
      duration: timing.verify,
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
            }),
          )
        case "unknown":
          return Effect.fail(
            new NotCharged({
              code: "facilitator_error",
              message: "The payment could not be verified at this moment",
              hint: "Send the same payment again: it was not used.",
            }),
          )
      }
    }),
  )

const computed = (work: Effect.Effect<Answer, NotCharged>, { work: duration }: PaymentTiming) =>
  work.pipe(
    Effect.timeoutOrElse({
      duration,
      orElse: () =>
        Effect.fail(
          new NotCharged({
            code: "upstream_timeout",
            message: "The answer could not be computed in time",
            hint: "Send the same payment again: it was not used.",
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
            hint: "Send the same payment again: it was not used.",
          }),
        ),
      )
    ),
  )

/** Settles and proves; from here on nothing but the chain says what became of the money. */
const settled = Effect.fnUntraced(function* (
  ports: SagaPorts,
  settling: Payment,
  request: FacilitatorRequest,
) {
  const { store, chain, timing } = ports
  const outcome = yield* settle(ports, request)
  const hint = outcome.outcome === "settled" ? outcome.transaction : null
  const asked = { ...settling, transactionHint: hint }
  const proof = yield* proofOf(chain, asked).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError(defect), { proof: "not_yet" } satisfies PaymentProof)
    ),
    Effect.repeat({
      until: ({ proof }) => proof !== "not_yet",
      schedule: Schedule.spaced(timing.proveEvery),
      times: timing.proveTimes,
    }),
    Effect.timeoutOrElse({
      duration: timing.prove,
      orElse: () => Effect.succeed<PaymentProof>({ proof: "not_yet" }),
    }),
  )
  const row = yield* ended(store, settling, afterProof(proof, outcome, hint))
  if (row?.state === "answered") return row
  return yield* row?.state === "void" ? neverPaid : unresolved
})

/**
 * Makes the last move. When it is not heard of, or a sweep came first, the row itself is asked: an
 * answer that was charged is handed over now, for a buyer without a secret cannot come again.
 */
const ended = (store: PaymentStore["Service"], settling: Payment, next: Move) =>
  store.move(settling, next).pipe(
    Effect.catchDefect((defect) => Effect.as(Effect.logError(defect), Option.none<Payment>())),
    Effect.flatMap((row) =>
      Option.isSome(row) ? Effect.succeed(row) : store.find(settling.paymentId)
    ),
    Effect.catchDefect((defect) => Effect.as(Effect.logError(defect), Option.none<Payment>())),
    Effect.map(Option.getOrNull),
  )

const settle = ({ facilitator, timing }: SagaPorts, request: FacilitatorRequest) =>
  facilitator.settle(request).pipe(
    Effect.timeoutOrElse({
      duration: timing.settle,
      orElse: () => Effect.succeed<SettleOutcome>({ outcome: "unknown", reason: "timeout" }),
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("The facilitator failed to settle", defect),
        { outcome: "unknown", reason: "defect" } satisfies SettleOutcome,
      )
    ),
  )

function afterProof(proof: PaymentProof, said: SettleOutcome, hint: string | null): Move {
  switch (proof.proof) {
    case "paid":
      return { event: "answer", answer: null, paidAt: proof.at }
    case "never":
      return { event: "void", reason: proof.reason }
    case "not_yet":
      return {
        event: "doubt",
        reason: said.outcome === "settled" ? "unproven" : `${said.outcome}: ${said.reason}`,
        transactionHint: hint,
      }
  }
}

/** A release that does not come through is made by the sweep, when the lease has run out. */
const release = (store: PaymentStore["Service"], claimed: Payment, reason: string) =>
  store.move(claimed, { event: "release", reason }).pipe(
    Effect.catchDefect((defect) => Effect.logWarning("Cannot release a payment", defect)),
  )

function facilitatorRequest(
  { token, authorization, signature }: PaymentTicket,
  requirements: PaymentRequirements,
): FacilitatorRequest {
  return { token, authorization, signature, requirements }
}
