/**
 * What the chain's log says of one payment: paid, not yet, or never.
 *
 * @module
 */
import {
  type Authorization,
  blockSeconds,
  nonceKey,
  payTo,
  type Proof,
  type View,
} from "./chain.ts"
import { type Steps, type Task } from "./kernel.ts"
import type { World } from "./world.ts"

/** The word of the chain, as one view of it tells. A chain that cannot be read has said nothing. */
export function* proofOf(world: World, me: Task, payment: Authorization): Steps<Proof> {
  const view = yield* world.chain.view(me, "prove")
  return view === null ? { proof: "not_yet" } : proofIn(world, view, payment, me.machine.skew)
}

export function proofIn(
  { chain, broken, kernel }: World,
  view: View,
  payment: Authorization,
  skew: number,
): Proof {
  const { value, validBefore } = payment
  const key = nonceKey(payment.from, payment.nonce)
  const entry = chain.used(key, view.head, view)
  if (entry !== undefined) {
    const safe = entry.block <= view.safe
    const { block } = entry
    if (broken.has("trust authorizationState")) return { proof: "paid", block, value, safe }
    // Money that came is money that came, also when it is not the amount that was agreed.
    const counts = entry.value === value || !broken.has("another amount is spent elsewhere")
    if (entry.kind === "transfer" && entry.to === payTo && counts) {
      return { proof: "paid", block, value: entry.value, safe }
    }
    const final = safe || broken.has("void before safe")
    return final ? { proof: "never", reason: "spent elsewhere" } : { proof: "not_yet" }
  }
  return isExpired() ? { proof: "never", reason: "expired" } : { proof: "not_yet" }

  function isExpired(): boolean {
    if (broken.has("void before expiry")) return view.safe * blockSeconds >= validBefore - 100
    if (broken.has("void on the local clock")) return kernel.now + skew >= validBefore
    if (broken.has("void before safe")) return view.head * blockSeconds >= validBefore
    return view.safe * blockSeconds >= validBefore
  }
}
