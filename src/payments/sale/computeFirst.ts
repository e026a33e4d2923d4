/**
 * The compute-first order, from a claimed row to an answer: verify, compute, intend, settle, prove.
 *
 * Whatever fails before the intent releases the payment: nothing was charged. The answer is stored
 * with the intent, so that whoever proves the payment later has something to hand over.
 *
 * @module
 */
import { Effect } from "effect"
import { neverPaid, unresolved } from "./paymentRefusals.ts"
import type { Sold } from "./sale.ts"
import {
  type Claimed,
  computed,
  intend,
  movedOrRead,
  release,
  type SagaPorts,
  settled,
  unproven,
  untilIntent,
  verified,
} from "./settlement.ts"

/** Runs a payment this fiber has claimed to its end. */
export const sellComputeFirst = Effect.fnUntraced(function* (ports: SagaPorts, claimed: Claimed) {
  const { store, timing } = ports
  const answer = yield* untilIntent(
    ports,
    claimed,
    Effect.andThen(verified(ports, claimed), computed(claimed.task.work, timing.work)),
  )
  if (!answer.charge) {
    if (!(yield* release(store, claimed.row, "not_charged"))) return yield* unresolved
    return { charged: false, answer } satisfies Sold
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
  if (row?.state === "answered") return { charged: true, payment: row, answer } satisfies Sold
  return yield* row?.state === "void" ? neverPaid : unresolved
})
