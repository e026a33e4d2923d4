/**
 * The settle-early order, from a claimed row to an answer or a refund: check, verify, intend, settle,
 * prove, compute.
 *
 * Once the chain has paid, there are two ways out: an answer that is stored, or a refund that is
 * queued. A worker that dies between them loses its lease, and the sweep queues the refund.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import type { PaidAt } from "../domain/payment.ts"
import { NotCharged, type RefundQueued, type Unresolved } from "../domain/failedSale.ts"
import { neverPaid, refundQueued, unresolved } from "./paymentRefusals.ts"
import type { Move, Payment } from "../PaymentStore.ts"
import { proofOf } from "../reconcile.ts"
import type { Sold } from "./sale.ts"
import {
  type Claimed,
  computed,
  intend,
  movedOrRead,
  type SagaPorts,
  settled,
  type Task,
  unproven,
  untilIntent,
  verified,
} from "./settlement.ts"

/** Runs a payment this fiber has claimed to its end. */
export const sellSettleEarly = Effect.fnUntraced(function* (ports: SagaPorts, claimed: Claimed) {
  const { store, timing } = ports
  yield* untilIntent(
    ports,
    claimed,
    Effect.andThen(computed(claimed.task.check, timing.work), verified(ports, claimed)),
  )
  const settling = yield* intend(ports, claimed, null)
  const settlement = yield* settled(ports, settling, claimed.request)
  const { proof } = settlement
  const row = yield* movedOrRead(
    store,
    settling,
    proof.proof === "paid" ? settle(ports, proof.at) : unproven(settlement),
  )
  return yield* deliver(ports, row, claimed.task)
})

const settle = ({ timing }: SagaPorts, paidAt: PaidAt): Move => ({
  event: "settle",
  paidAt,
  lease: timing.lease,
})

/**
 * Takes up a payment of unknown outcome whose buyer has come again, if it is proven paid by now and
 * soon enough. None: there is nothing to take up, or another worker was faster.
 */
export const takeUp = Effect.fnUntraced(function* (ports: SagaPorts, row: Payment) {
  const recoverMs = Duration.toMillis(ports.timing.recover)
  if (row.state !== "unresolved" || (row.intendedAgoMs ?? recoverMs) >= recoverMs) {
    return Option.none<Payment>()
  }
  const proof = yield* proofOf(ports.chain, row)
  return proof.proof === "paid"
    ? yield* ports.store.move(row, settle(ports, proof.at))
    : Option.none<Payment>()
})

/** Computes what a settled payment has bought, or queues its refund. */
export const deliver = Effect.fnUntraced(function* (
  ports: SagaPorts,
  row: Payment | null,
  task: Task,
) {
  if (row?.state !== "settled") return yield* ended(row)
  const outcome = yield* Effect.result(computed(task.work, ports.timing.paidWork))
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

const belowThreshold = new NotCharged({
  code: "below_threshold",
  message: "The answer would not be worth its price",
})

/** What the buyer is told of a payment that has come to its end, or that somebody else is ending. */
function ended(row: Payment | null): Effect.Effect<Sold, NotCharged | RefundQueued | Unresolved> {
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

const lost = new NotCharged({
  code: "upstream_timeout",
  message: "The answer was not ready in time",
})
