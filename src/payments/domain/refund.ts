/**
 * The life of one refund, and what is to be done with it next.
 *
 * A refund is itself an authorization, treasury -> payer, under a nonce made from the payment: however
 * often it is signed, the token contract pays it at most once. Nothing is signed unless the chain
 * shows the payment on a safe block, and nothing is confirmed but by the chain.
 *
 * @module
 */
import { Schema } from "effect"
import type { Address, Bytes32, PaidAt, PaymentId, Signature } from "./payment.ts"
import { products } from "../../catalog/domain/product.ts"

export const refundStates = [
  "queued",
  "signed",
  "broadcast",
  "confirmed",
  "cancelled",
  "stuck",
] as const
export const RefundState = Schema.Literals(refundStates)
export type RefundState = typeof RefundState.Type

/** What can happen to a refund. `queue` happens when a cancelled one is owed after all. */
const refundEvents = [
  "queue",
  "sign",
  "broadcast",
  "confirm",
  "cancel",
  "stick",
] as const
export type RefundEvent = typeof refundEvents[number]

/** Where each event leads, from wherever it may happen. */
export const refundReaches: { readonly [E in RefundEvent]: RefundState } = {
  queue: "queued",
  sign: "signed",
  broadcast: "broadcast",
  confirm: "confirmed",
  cancel: "cancelled",
  stick: "stuck",
}

/**
 * Where each event may happen. `stuck` is left by the chain's word, or by a person (`queue`); a refund
 * that was ever signed is never cancelled, and a confirmed one never moves.
 */
export const refundMoves: { readonly [S in RefundState]: ReadonlyArray<RefundEvent> } = {
  queued: ["sign", "confirm", "cancel", "stick"],
  signed: ["sign", "broadcast", "confirm", "stick"],
  broadcast: ["sign", "broadcast", "confirm", "stick"],
  confirmed: [],
  cancelled: ["queue"],
  stuck: ["queue", "confirm"],
}

/** A refund and the payment it gives back. What the worker signed is null until it has. */
export interface Refund {
  readonly paymentId: PaymentId
  readonly chainId: number
  readonly asset: Address
  readonly payer: Address
  readonly payTo: Address
  readonly amount: bigint
  readonly paymentNonce: Bytes32
  readonly paymentValidBefore: bigint
  readonly state: RefundState
  readonly treasury: Address | null
  readonly nonce: Bytes32 | null
  readonly validBefore: bigint | null
  readonly signature: Signature | null
  /** How often a facilitator has declined it. */
  readonly attempts: number
}

/** The blocks whose payments a treasury pays back; null for no bound. */
export interface Term {
  readonly after: bigint | null
  readonly through: bigint | null
}

/** What the worker itself knows of a refund, whatever its row says. */
interface Own {
  readonly chainId: number
  readonly asset: Address
  readonly payTo: Address
  readonly treasury: Address
  readonly term: Term
  /** The identity and the nonce that follow from the row's payer and payment. */
  readonly paymentId: PaymentId
  readonly nonce: Bytes32
}

/** The chain's word on a transfer, in the shape of the chain's port. */
export type Proof =
  | { readonly proof: "paid"; readonly at: PaidAt }
  | { readonly proof: "not_yet" }
  | { readonly proof: "never"; readonly reason: "expired" | "spent_elsewhere" }

/** Whole units that may be signed for, in any hour and in any 24 hours. */
export interface Caps {
  readonly perHour: bigint
  readonly perDay: bigint
}

/** Whole units that were signed for in the last hour and in the last 24 hours. */
export interface SignedSums {
  readonly lastHour: bigint
  readonly lastDay: bigint
}

/** Everything a decision rests on. */
export interface Evidence {
  readonly own: Own
  /** Whether the payment reached us. */
  readonly payment: Proof
  /** Whether its refund reached the payer. */
  readonly repaid: Proof
  readonly nowSeconds: bigint
  /** What the treasury holds, in whole units. */
  readonly float: bigint
  /** Of the other refunds. */
  readonly signed: SignedSums
  readonly caps: Caps
}

export type Action =
  /** Store a new signature, then show it to the facilitator. */
  | { readonly act: "sign" }
  /** Show the stored signature to the facilitator again: its nonce is used at most once. */
  | { readonly act: "relay" }
  | { readonly act: "confirm"; readonly at: PaidAt }
  | { readonly act: "cancel"; readonly reason: string }
  /** Only a person can help. */
  | { readonly act: "stick"; readonly reason: string }
  | { readonly act: "wait"; readonly reason: WaitReason }

/** The last three want an operator's eye: money is owed that may not, or cannot, be paid now. */
export type WaitReason =
  | "payment_not_safe"
  | "refund_not_safe"
  | "expiring"
  | "stuck"
  | "over_caps"
  | "float_too_low"
  | "of_another_treasury"

/** No refund is larger than the dearest product. */
export const refundMax = Object.values(products).reduce<bigint>(
  (max, { price }) => price > max ? price : max,
  0n,
)
/** How often a facilitator may decline a refund before a person has to look. */
export const attemptsMax = 20
/** A signature that runs out sooner is not shown any more: it would only be declined. */
const relayableSecondsMin = 10n

/** What to do next with a refund that is due. Final ones are not due. */
export function decide(refund: Refund, evidence: Evidence): Action {
  const { payment, repaid } = evidence
  const wrong = wrongIn(refund, evidence.own)
  if (wrong !== null) return stick(refund, wrong)
  // Whoever holds that treasury's key goes on with it; only its own signature can end it.
  if (refund.treasury !== null && refund.treasury !== evidence.own.treasury) {
    return wait(refund.state === "stuck" ? "stuck" : "of_another_treasury")
  }
  if (repaid.proof === "paid") {
    return repaid.at.finality === "safe"
      ? { act: "confirm", at: repaid.at }
      : wait(refund.state === "stuck" ? "stuck" : "refund_not_safe")
  }
  if (refund.state === "stuck") return wait("stuck")
  if (repaid.proof === "never" && repaid.reason === "spent_elsewhere") {
    return stick(refund, "refund_nonce_spent_elsewhere")
  }
  if (isOut(refund) && repaid.proof === "not_yet") return relayOr(refund, evidence)

  switch (payment.proof) {
    case "not_yet":
      return wait("payment_not_safe")
    case "never":
      return refund.treasury === null
        ? { act: "cancel", reason: payment.reason }
        : stick(refund, `payment_${payment.reason}_after_signing`)
    case "paid":
      if (payment.at.finality !== "safe") return wait("payment_not_safe")
      if (refund.treasury === null && !inTerm(payment.at.block, evidence.own.term)) {
        return wait("of_another_treasury")
      }
      if (refund.attempts >= attemptsMax) return stick(refund, "declined_too_often")
      if (!withinCaps(refund.amount, evidence.signed, evidence.caps)) return wait("over_caps")
      if (evidence.float < refund.amount) return wait("float_too_low")
      return { act: "sign" }
  }
}

/** Whether an amount may be signed for beside what was. */
export function withinCaps(amount: bigint, signed: SignedSums, caps: Caps): boolean {
  return signed.lastHour + amount <= caps.perHour && signed.lastDay + amount <= caps.perDay
}

/** Whether a payment in this block is paid back by the treasury of this term, and by no other. */
export function inTerm(block: bigint, { after, through }: Term): boolean {
  return (after === null || block > after) && (through === null || block <= through)
}

/** A signature of ours is out, and the chain may still take it. */
function isOut({ state }: Refund): boolean {
  return state === "signed" || state === "broadcast"
}

function relayOr(refund: Refund, { nowSeconds, float }: Evidence): Action {
  if (nowSeconds + relayableSecondsMin >= (refund.validBefore ?? 0n)) return wait("expiring")
  if (refund.attempts >= attemptsMax) return stick(refund, "declined_too_often")
  return float < refund.amount ? wait("float_too_low") : { act: "relay" }
}

/** What is wrong with a row in itself: whoever wrote it, nothing is signed for it. */
function wrongIn(refund: Refund, own: Own): string | null {
  if (refund.chainId !== own.chainId) return "another_chain"
  if (refund.asset !== own.asset) return "another_asset"
  if (refund.payTo !== own.payTo) return "another_payee"
  if (refund.payer === own.treasury || refund.payer === own.payTo) return "payer_is_ours"
  if (refund.paymentId !== own.paymentId) return "another_payment"
  const isOurs = refund.treasury === null || refund.treasury === own.treasury
  if (isOurs && refund.nonce !== null && refund.nonce !== own.nonce) return "another_nonce"
  if (refund.amount <= 0n || refund.amount > refundMax) return "amount_over_the_dearest_product"
  return null
}

const stick = ({ state }: Refund, reason: string): Action =>
  state === "stuck" ? wait("stuck") : { act: "stick", reason }

const wait = (reason: WaitReason): Action => ({ act: "wait", reason })
