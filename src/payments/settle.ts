/**
 * Settles a claimed payment: stores the intent, asks the facilitator, reads the chain for proof, and
 * moves the row accordingly. Each step is one move of the store.
 *
 * @module
 */
import { Effect, Exit, Metric, Option, Schedule } from "effect"
import { secondsBuckets, timed } from "../core/timed.ts"
import { annotate, inSpan } from "../core/tracing.ts"
import type { Chain } from "./Chain.ts"
import type { NotCharged, Unresolved } from "./domain/failedSale.ts"
import type { PaidAt, Payment, PaymentProof } from "./domain/payment.ts"
import type { Facilitator, FacilitatorRequest, SettleOutcome } from "./Facilitator.ts"
import { declined, type Move, type PaymentStore } from "./PaymentStore.ts"
import { proofOf } from "./reconcile.ts"
import { unavailable, unresolved } from "./sale/responses.ts"
import type { PaymentTiming } from "./timing.ts"

interface SettlePorts {
  readonly store: PaymentStore["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly chain: Chain["Service"]
  readonly timing: PaymentTiming
}

interface Settled {
  /** Paid, unresolved or void, or as another worker has moved it; null when it cannot be read. */
  readonly row: Payment | null
  /** The facilitator did not settle it, and the chain shows no payment. */
  readonly isDeclined: boolean
}

/** Settles a claimed payment. The answer of compute-first is stored with the intent. */
export function* settle(
  ports: SettlePorts,
  request: FacilitatorRequest,
  claimed: Payment,
  answer: Uint8Array | null,
): Effect.fn.Return<Settled, NotCharged | Unresolved> {
  const { facilitator, store, timing } = ports
  const settling = yield* intend(ports, claimed, answer)
  const report: SettleOutcome = yield* facilitator.settle(request).pipe(
    Effect.timeoutOrElse({ duration: timing.settleTimeout, orElse: () => late }),
    orInstead("The facilitator failed to settle", defective),
  )
  const transactionHint = report.outcome === "settled" ? report.transaction : null
  const isDeclined = report.outcome === "declined"
  const proof = yield* prove(ports, settling, transactionHint, isDeclined)
  const move = proof.proof === "paid"
    ? paidMove(timing, settling, proof.at)
    : moveWithoutProof(proof, report, transactionHint)
  const row = yield* tryMoveOrFind(store, settling, move)
  return { row, isDeclined: isDeclined && proof.proof !== "paid" }
}

/**
 * Stores the intent. When the store fails, it is unknown whether the intent was stored, so
 * settlement is not requested.
 */
const intend = (
  { store, timing: { lease } }: SettlePorts,
  claimed: Payment,
  body: Uint8Array | null,
): Effect.Effect<Payment, NotCharged | Unresolved> =>
  store.move(claimed, { event: "intend", answer: body === null ? null : { body }, lease }).pipe(
    orInstead("Cannot store the intent to settle", unavailable),
    // The lease expired and another worker has the payment; only that worker knows the outcome.
    Effect.flatMap(Option.match({ onNone: () => unresolved, onSome: Effect.succeed })),
  )

/** A call of the facilitator that did not end in time, and one that failed. */
export const late = Effect.succeed({ outcome: "unknown", reason: "timeout" } as const)
export const defective = Effect.succeed({ outcome: "unknown", reason: "defect" } as const)

const proveSeconds = Metric.histogram("sale_prove_seconds", {
  description: "Time from the facilitator's answer to a settlement until the chain's proof",
  boundaries: secondsBuckets,
})

const notYet = Effect.succeed<PaymentProof>({ proof: "not_yet" })

/**
 * Reads the chain until there is proof or time is up; once when the facilitator declined. If it
 * settled all the same, the sweep finds that: who can make it decline must not occupy a place.
 */
const prove = (
  { chain, timing }: SettlePorts,
  settling: Payment,
  transactionHint: string | null,
  isDeclined: boolean,
) =>
  proofOf(chain, settling, transactionHint).pipe(
    orInstead("The chain's adapter failed", notYet),
    Effect.repeat({
      until: ({ proof }) => proof !== "not_yet",
      schedule: Schedule.spaced(timing.proveInterval),
      times: isDeclined ? 0 : timing.proveRetriesMax,
    }),
    Effect.timeoutOrElse({ duration: timing.proveTimeout, orElse: () => notYet }),
    timed((exit, seconds) => {
      const outcome = Exit.isSuccess(exit) ? exit.value.proof : "interrupted"
      return Effect.andThen(
        Metric.update(Metric.withAttributes(proveSeconds, { outcome }), seconds),
        annotate({ outcome }),
      )
    }),
    inSpan("prove"),
  )

/** The move of an intended payment that the chain shows. */
export const paidMove = (
  { lease }: PaymentTiming,
  { settlementOrder }: Payment,
  paidAt: PaidAt,
): Move =>
  settlementOrder === "compute-first"
    ? { event: "answer", answer: null, paidAt }
    : { event: "settle", paidAt, lease }

/** The move after a settlement for which the chain shows no payment. */
function moveWithoutProof(
  proof: Exclude<PaymentProof, { readonly proof: "paid" }>,
  report: SettleOutcome,
  transactionHint: string | null,
): Move {
  if (proof.proof === "never") return { event: "void", reason: proof.reason }
  const reason = report.outcome === "settled"
    ? "unproven"
    : report.outcome === "declined"
    ? `${declined}${report.reason}`
    : `unknown: ${report.reason}`
  return { event: "doubt", reason, transactionHint }
}

/**
 * Makes a move and returns the row after it. When the store fails or a sweep moved the row first,
 * reads the row: a charged answer must be delivered now, because a buyer without a secret cannot
 * fetch it later. Null when the row cannot be read.
 */
export const tryMoveOrFind = (store: PaymentStore["Service"], before: Payment, move: Move) =>
  store.move(before, move).pipe(
    orInstead("Cannot move a payment", Effect.succeedNone),
    Effect.flatMap((row) =>
      Option.isSome(row) ? Effect.succeed(row) : store.find(before.paymentId)
    ),
    orInstead("Cannot read a payment", Effect.succeedNone),
    Effect.map(Option.getOrNull),
  )

/** Logs a defect of a port, and goes on with `instead`. */
export const orInstead =
  <B, E2>(message: string, instead: Effect.Effect<B, E2>) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | B, E | E2> =>
    Effect.catchDefect(
      effect,
      (defect) => Effect.andThen(Effect.logError(message, defect), instead),
    )
