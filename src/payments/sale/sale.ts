/**
 * The sale of one answer for one payment that was claimed, in the order of its product.
 *
 * Compute-first: verify, compute, intend with the answer's bytes, settle, prove, answer.
 * Settle-early: check, verify, intend, settle, prove, compute, answer or refund.
 *
 * Whatever fails before the intent releases the payment: nothing was charged. What a facilitator says is
 * a hint: after the intent only the chain's word ends a payment, and without that word it is unresolved,
 * never refused. Once the chain has paid there are two ways out: an answer that is stored, or a refund
 * that is queued. A worker that dies loses its lease, and the sweep goes on from the stored state.
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
import { crowded, hungUp, neverPaid, refundQueued, unavailable, unresolved } from "./responses.ts"

/** A request with a payment that matches it, as far as can be told without looking anything up. */
export interface Purchase {
  readonly product: Product
  /** The product and its canonical parameters: what the payment is bound to. */
  readonly request: string
  readonly payment: PaymentPayload
  /** Why the payment cannot be settled now; null when it can. A payment already known may be late. */
  readonly validityFault: string | null
  /** Known only to the buyer: an Idempotency-Key or payment-identifier; null when none was shown. */
  readonly secret: string | null
}

/** What a product's work made. An answer that is not worth its price is not charged. */
export interface WorkResult {
  readonly body: Uint8Array
  readonly charge: boolean
}

/** What a product does for a payment. Its facts are said as they mean for an uncharged buyer. */
export interface Work {
  /** Refuses what can be known before anything is settled. */
  readonly check: Effect.Effect<void, NotCharged>
  readonly compute: Effect.Effect<WorkResult, NotCharged>
}

/** A payment this fiber has claimed, and what goes with it. */
export interface ClaimedPurchase {
  readonly row: Payment
  readonly request: FacilitatorRequest
  readonly work: Work
  /** How many other payments of its payer are worked on here. */
  readonly payerInFlight: number
  /** Done when its buyer has hung up. */
  readonly abandoned: Deferred.Deferred<void>
}

/** How a sale ends well: charged, with the row as it then stands, or not charged. */
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
 * Payments of one payer worked on at once: a balance for one call must not have many computed, nor
 * fill what the treasury covers.
 */
const payerInFlightMax = 8

/** Runs a claimed payment to its end: the answer is computed first, and stored with the intent. */
export const sellComputeFirst = Effect.fnUntraced(
  function* (ports: SalePorts, claimed: ClaimedPurchase) {
    const { store, timing } = ports
    const answer = yield* untilIntent(
      ports,
      claimed,
      Effect.andThen(verified(ports, claimed), computed(claimed.work.compute, timing.workTimeout)),
    )
    if (!answer.charge) {
      if (!(yield* release(store, claimed.row, "not_charged"))) return yield* unresolved
      return { charged: false, answer } satisfies SaleResult
    }
    const settling = yield* intend(ports, claimed, answer)
    const settlement = yield* settled(ports, settling, claimed.request)
    const { proof } = settlement
    const row = yield* movedOrRead(
      store,
      settling,
      proof.proof === "paid"
        ? { event: "answer", answer: null, paidAt: proof.at }
        : unproven(settlement),
    )
    if (row?.state === "answered") {
      return { charged: true, payment: row, answer } satisfies SaleResult
    }
    return yield* row?.state === "void" ? neverPaid : unresolved
  },
)

/** Runs a claimed payment to its end: it is settled first, and then computed or refunded. */
export const sellSettleEarly = Effect.fnUntraced(
  function* (ports: SalePorts, claimed: ClaimedPurchase) {
    const { store, timing } = ports
    yield* untilIntent(
      ports,
      claimed,
      Effect.andThen(computed(claimed.work.check, timing.workTimeout), verified(ports, claimed)),
    )
    const settling = yield* intend(ports, claimed, null)
    const settlement = yield* settled(ports, settling, claimed.request)
    const { proof } = settlement
    const row = yield* movedOrRead(
      store,
      settling,
      proof.proof === "paid" ? paidEarly(ports, proof.at) : unproven(settlement),
    )
    return yield* deliver(ports, row, claimed.work)
  },
)

const paidEarly = ({ timing }: SalePorts, paidAt: PaidAt): Move => ({
  event: "settle",
  paidAt,
  lease: timing.lease,
})

/**
 * Takes up a payment of unknown outcome whose buyer has come again, if it is proven paid by now and
 * soon enough. None: there is nothing to take up, or another worker was faster.
 */
export const takeUp = Effect.fnUntraced(function* (ports: SalePorts, row: Payment) {
  const recoverMs = Duration.toMillis(ports.timing.recoveryWindow)
  if (row.state !== "unresolved" || row.intendedAgoMs >= recoverMs) return Option.none<Payment>()
  const proof = yield* proofOf(ports.chain, row, row.transactionHint)
  return proof.proof === "paid"
    ? yield* ports.store.move(row, paidEarly(ports, proof.at))
    : Option.none<Payment>()
})

/** Computes what a settled payment has bought, or queues its refund. */
export const deliver = Effect.fnUntraced(function* (
  ports: SalePorts,
  row: Payment | null,
  work: Work,
) {
  if (row?.state !== "settled") return yield* ended(row)
  const outcome = yield* Effect.result(computed(work.compute, ports.timing.paidWorkTimeout))
  const answer = outcome._tag === "Success" && outcome.success.charge ? outcome.success : null
  if (answer !== null) {
    const { body } = answer
    const answered: Move = { event: "answer", answer: { body }, paidAt: null }
    return yield* ended(yield* movedOrRead(ports.store, row, answered))
  }
  const why = outcome._tag === "Failure" ? outcome.failure : belowThreshold
  const owed = yield* movedOrRead(ports.store, row, {
    event: "owe",
    reason: why.code,
    paidAt: null,
  })
  return owed?.state === "refund_due" ? yield* refundQueued(owed, why) : yield* ended(owed)
})

/** What the buyer gets of a payment that has come to its end, or that another worker is ending. */
function ended(row: Payment | null): Effect.Effect<SaleResult, FailedSale> {
  switch (row?.state) {
    case "answered":
      // Whoever stored it first: it is what was paid for, and there is no other.
      return row.answer === null
        ? unresolved
        : Effect.succeed({ charged: true, payment: row, answer: row.answer })
    case "void":
      return neverPaid
    case "refund_due":
    case "refunded":
      return refundQueued(row, lost)
    default:
      return unresolved
  }
}

const belowThreshold = new NotCharged({
  code: "below_threshold",
  message: "The answer would not be worth its price",
})

const lost = new NotCharged({
  code: "upstream_timeout",
  message: "The answer was not ready in time",
})

/**
 * What comes before the intent: any failure, or a buyer who hangs up, releases the payment. A release
 * that is not heard of is answered as unresolved: another copy may be settling the payment by then.
 */
const untilIntent = <A>(
  { store }: SalePorts,
  { row, payerInFlight, abandoned }: ClaimedPurchase,
  steps: Effect.Effect<A, NotCharged>,
): Effect.Effect<A, NotCharged | Unresolved> =>
  (payerInFlight < payerInFlightMax ? steps : crowded).pipe(
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
const verified = (ports: SalePorts, claimed: ClaimedPurchase): Effect.Effect<void, NotCharged> =>
  Effect.all([approved(ports, claimed), unspent(ports, claimed)], {
    concurrency: "unbounded",
    discard: true,
  })

const unspent = (
  { chain, timing }: SalePorts,
  { request: { token, authorization: { from, nonce } } }: ClaimedPurchase,
) =>
  chain.isNonceUsed(token.asset, from, nonce).pipe(
    Effect.timeout(timing.verifyTimeout),
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

/** A product's work within its time: what goes wrong in it is a fact of its own. */
const computed = <A>(
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

/** Stores the intent. A store that fails here may have stored it: settlement is not asked for then. */
const intend = Effect.fnUntraced(function* (
  { store, timing }: SalePorts,
  { row }: ClaimedPurchase,
  answer: WorkResult | null,
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
const settled = Effect.fnUntraced(function* (
  ports: SalePorts,
  settling: Payment,
  request: FacilitatorRequest,
) {
  const { chain, timing } = ports
  const said = yield* settle(ports, request)
  const hint = said.outcome === "settled" ? said.transaction : null
  const proof = yield* proofOf(chain, settling, hint).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError(defect), { proof: "not_yet" } satisfies PaymentProof)
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
  return { proof, said, hint } satisfies Settlement
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

/** The move that an unproven settlement makes. */
function unproven({ proof, said, hint }: Settlement): Move {
  if (proof.proof === "never") return { event: "void", reason: proof.reason }
  const reason = said.outcome === "settled" ? "unproven" : `${said.outcome}: ${said.reason}`
  return { event: "doubt", reason, transactionHint: hint }
}

/**
 * Makes a move. When it is not heard of, or a sweep came first, the row itself is asked: an answer that
 * was charged is delivered now, for a buyer without a secret cannot come again. Null: no row is
 * available.
 */
const movedOrRead = (store: PaymentStore["Service"], held: Payment, move: Move) =>
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
const release = (store: PaymentStore["Service"], claimed: Payment, reason: string) =>
  store.move(claimed, { event: "release", reason }).pipe(
    Effect.map(Option.isSome),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logWarning("Cannot release a payment", defect), false)
    ),
  )
