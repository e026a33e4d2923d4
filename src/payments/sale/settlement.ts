/**
 * The steps of a sale that both orders share: verify, settle, prove, and the moves around them.
 *
 * What a facilitator says is a hint. After the intent only the chain's word ends a payment; without
 * that word it is unresolved, never refused.
 *
 * @module
 */
import { Deferred, Effect, Option, Schedule } from "effect"
import { faultOf } from "../domain/paymentFault.ts"
import { NotCharged, type Unresolved } from "../domain/failedSale.ts"
import type { Chain, PaymentProof } from "../Chain.ts"
import type {
  Facilitator,
  FacilitatorRequest,
  SettleOutcome,
  VerifyOutcome,
} from "../Facilitator.ts"
import { crowded, hungUp, unavailable, unresolved } from "./paymentRefusals.ts"
import type { Move, Payment, PaymentStore } from "../PaymentStore.ts"
import { proofOf } from "../reconcile.ts"
import type { Answer } from "./sale.ts"
import type { PaymentTiming } from "../timing.ts"

export interface SagaPorts {
  readonly store: PaymentStore["Service"]
  readonly facilitator: Facilitator["Service"]
  readonly chain: Chain["Service"]
  readonly timing: PaymentTiming
}

/** What a product does for a payment. Its facts are said as they mean for an uncharged buyer. */
export interface Task {
  /** Refuses what can be known before anything is settled. */
  readonly check: Effect.Effect<void, NotCharged>
  readonly work: Effect.Effect<Answer, NotCharged>
}

/** A payment this fiber has claimed, and what goes with it. */
export interface Claimed {
  readonly row: Payment
  readonly request: FacilitatorRequest
  readonly task: Task
  /** How many other payments of its payer are worked on here. */
  readonly beside: number
  /** Done when its buyer has hung up. */
  readonly abandoned: Deferred.Deferred<void>
}

/**
 * Payments of one payer worked on at once: a balance for one call must not have many computed, nor
 * fill what the treasury covers.
 */
const payerInFlightMax = 8

/**
 * What comes before the intent: any failure, or a buyer who hangs up, releases the payment. A release
 * that is not heard of is told as unresolved: another copy may be settling the payment by then.
 */
export const untilIntent = <A>(
  { store }: SagaPorts,
  { row, beside, abandoned }: Claimed,
  steps: Effect.Effect<A, NotCharged>,
): Effect.Effect<A, NotCharged | Unresolved> =>
  (beside < payerInFlightMax ? steps : crowded).pipe(
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
 * Asks the facilitator whether the payment can be settled and, at the same time, the chain whether it
 * has been: a payment that is public already is sold nothing, since anybody may have copied it.
 */
export const verified = (ports: SagaPorts, claimed: Claimed): Effect.Effect<void, NotCharged> =>
  Effect.all([approved(ports, claimed), unspent(ports, claimed)], {
    concurrency: "unbounded",
    discard: true,
  })

const unspent = (
  { chain, timing }: SagaPorts,
  { request: { token, authorization: { from, nonce } } }: Claimed,
) =>
  chain.isSpent(token.asset, from, nonce).pipe(
    Effect.timeout(timing.verify),
    Effect.catch((error) =>
      Effect.andThen(Effect.logWarning("Cannot read the chain", error), unavailable)
    ),
    Effect.catchDefect((defect) => Effect.andThen(Effect.logError(defect), unavailable)),
    Effect.flatMap((spent) => spent ? publicAlready : Effect.void),
  )

const publicAlready = Effect.fail(
  new NotCharged({
    code: "payment_required",
    message: "The authorization has been used or cancelled on the chain already: sign a new one",
    fault: "nonce_used",
  }),
)

const approved = (
  { facilitator, timing }: SagaPorts,
  { request }: Claimed,
): Effect.Effect<void, NotCharged> =>
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

/** A product's work within its time: what goes wrong in it is a fact of its own. */
export const computed = <A>(
  work: Effect.Effect<A, NotCharged>,
  duration: PaymentTiming["work"],
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

/** Stores the intent. A store that fails here may have stored it: settlement is not asked for then. */
export const intend = Effect.fnUntraced(function* (
  { store, timing }: SagaPorts,
  { row }: Claimed,
  answer: Answer | null,
) {
  const settling = yield* store.move(row, {
    event: "intend",
    answer: answer === null ? null : { body: answer.body },
    lease: timing.lease,
  }).pipe(Effect.catchDefect((defect) => Effect.andThen(Effect.logError(defect), unavailable)))
  // Taken over, since its lease ran out: what has become of the money, another worker knows.
  return Option.isNone(settling) ? yield* unresolved : settling.value
})

/** What became of the settlement of an intended payment, and what the facilitator had said of it. */
interface Settlement {
  readonly proof: PaymentProof
  readonly said: SettleOutcome
  readonly hint: string | null
}

/** Settles and proves. */
export const settled = Effect.fnUntraced(function* (
  ports: SagaPorts,
  settling: Payment,
  request: FacilitatorRequest,
) {
  const { chain, timing } = ports
  const said = yield* settle(ports, request)
  const hint = said.outcome === "settled" ? said.transaction : null
  const proof = yield* proofOf(chain, { ...settling, transactionHint: hint }).pipe(
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
  return { proof, said, hint } satisfies Settlement
})

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

/** The move that an unproven settlement makes. */
export function unproven({ proof, said, hint }: Settlement): Move {
  if (proof.proof === "never") return { event: "void", reason: proof.reason }
  const reason = said.outcome === "settled" ? "unproven" : `${said.outcome}: ${said.reason}`
  return { event: "doubt", reason, transactionHint: hint }
}

/**
 * Makes a move. When it is not heard of, or a sweep came first, the row itself is asked: an answer that
 * was charged is handed over now, for a buyer without a secret cannot come again. Null: no row is to
 * be had.
 */
export const movedOrRead = (store: PaymentStore["Service"], held: Payment, move: Move) =>
  store.move(held, move).pipe(
    Effect.catchDefect((defect) => Effect.as(Effect.logError(defect), Option.none<Payment>())),
    Effect.flatMap((row) => Option.isSome(row) ? Effect.succeed(row) : store.find(held.paymentId)),
    Effect.catchDefect((defect) => Effect.as(Effect.logError(defect), Option.none<Payment>())),
    Effect.map(Option.getOrNull),
  )

/**
 * Releases a payment; false when that was not heard of. One that does not come through is made by the
 * sweep, when the lease has run out.
 */
export const release = (store: PaymentStore["Service"], claimed: Payment, reason: string) =>
  store.move(claimed, { event: "release", reason }).pipe(
    Effect.map(Option.isSome),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logWarning("Cannot release a payment", defect), false)
    ),
  )
