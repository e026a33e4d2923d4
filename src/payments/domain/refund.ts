/**
 * The life of one refund, and what is to be done with it next.
 *
 * A refund is itself an authorization, treasury -> payer, under a nonce made from the payment: however
 * often it is signed, the token contract pays it at most once. Nothing is signed unless the chain
 * shows the payment on a safe block, and nothing is confirmed but by the chain.
 *
 * @module
 */
import { Result, Schema } from "effect"
import type { Address, Bytes32, PaidAt, PaymentId, Signature } from "./payment.ts"
import { prices } from "../../catalog/domain/prices.ts"

export const refundStates = [
  "queued",
  "signed",
  "broadcast",
  "confirmed",
  "cancelled",
  "needs_review",
] as const
export const RefundState = Schema.Literals(refundStates)
export type RefundState = typeof RefundState.Type

/** What can happen to a refund. `queue` happens when a cancelled one is owed after all. */
export const refundEvents = [
  "queue",
  "sign",
  "broadcast",
  "confirm",
  "cancel",
  "stick",
] as const
const RefundEvent = Schema.Literals(refundEvents)
export type RefundEvent = typeof RefundEvent.Type

/** Where each event leads, from wherever it may happen. */
export const refundReaches: { readonly [E in RefundEvent]: RefundState } = {
  queue: "queued",
  sign: "signed",
  broadcast: "broadcast",
  confirm: "confirmed",
  cancel: "cancelled",
  stick: "needs_review",
}

/**
 * Where each event may happen. `needs_review` is left by the chain's word, or by a person (`queue`); a refund
 * that was ever signed is never cancelled, and a confirmed one never moves.
 */
const refundMoves: { readonly [S in RefundState]: ReadonlyArray<RefundEvent> } = {
  queued: ["sign", "confirm", "cancel", "stick"],
  signed: ["sign", "broadcast", "confirm", "stick"],
  broadcast: ["sign", "broadcast", "confirm", "stick"],
  confirmed: [],
  cancelled: ["queue"],
  needs_review: ["queue", "confirm"],
}

/** A move the table does not have: the worker read a row that has moved on, or has a bug. */
class IllegalRefundMove extends Schema.TaggedError<IllegalRefundMove>()("IllegalRefundMove", {
  from: RefundState,
  event: RefundEvent,
}) {}

/** Where `event` takes a refund that stands at `from`. */
export function refundStep(
  from: RefundState,
  event: RefundEvent,
): Result.Result<RefundState, IllegalRefundMove> {
  return refundMoves[from].includes(event)
    ? Result.succeed(refundReaches[event])
    : Result.fail(new IllegalRefundMove({ from, event }))
}

/** The payment that a refund gives back. */
export interface Debt {
  readonly paymentId: PaymentId
  readonly chainId: number
  readonly asset: Address
  readonly payer: Address
  readonly payTo: Address
  readonly amount: bigint
  readonly paymentNonce: Bytes32
  readonly paymentValidBefore: bigint
}

/** What is signed: under the same treasury and nonce for ever, each time with a later validBefore. */
export interface RefundSignature {
  readonly treasury: Address
  readonly nonce: Bytes32
  readonly validBefore: bigint
  readonly signature: Signature
}

/** A refund that is not over, by its state; one that is confirmed or cancelled is never worked on. */
export type Refund =
  & Debt
  & {
    /** How often a facilitator has declined it. */
    readonly attempts: number
  }
  & (
    /** `signed` is null until it was signed for the first time. */
    | { readonly state: "queued" | "needs_review"; readonly signed: RefundSignature | null }
    | { readonly state: "signed" | "broadcast"; readonly signed: RefundSignature }
  )

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
  /** What was signed for the other refunds. */
  readonly signed: SignedSums
  readonly caps: Caps
}

export type Action =
  /** Store a new signature, then show it to the facilitator. */
  | { readonly act: "sign" }
  /** Show the stored signature to the facilitator again: its nonce is used at most once. */
  | { readonly act: "relay"; readonly signed: RefundSignature }
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
  | "needs_review"
  | "over_caps"
  | "float_too_low"
  | "of_another_treasury"

/** What a worker has done to one refund. */
export interface RefundOutcome {
  readonly paymentId: string
  readonly from: RefundState
  /** Where it was left, as far as this worker knows: another one may hold it by now. */
  readonly to: RefundState
  /** Why it did not come to its end yet; null when nothing is in its way. */
  readonly reason: string | null
  /** True when nothing was different the last time. */
  readonly known: boolean
}

/** No refund is larger than the dearest product. */
export const refundMax = Object.values(prices).reduce<bigint>(
  (max, price) => price > max ? price : max,
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
  // The worker that holds that treasury's key goes on with it; only its own signature can end it.
  if (refund.signed !== null && refund.signed.treasury !== evidence.own.treasury) {
    return wait(refund.state === "needs_review" ? "needs_review" : "of_another_treasury")
  }
  if (repaid.proof === "paid") {
    return repaid.at.finality === "safe"
      ? { act: "confirm", at: repaid.at }
      : wait(refund.state === "needs_review" ? "needs_review" : "refund_not_safe")
  }
  if (refund.state === "needs_review") return wait("needs_review")
  if (repaid.proof === "never" && repaid.reason === "spent_elsewhere") {
    return stick(refund, "refund_nonce_spent_elsewhere")
  }
  const isOut = refund.state === "signed" || refund.state === "broadcast"
  if (isOut && repaid.proof === "not_yet") return relayOrWait(refund, refund.signed, evidence)

  switch (payment.proof) {
    case "not_yet":
      return wait("payment_not_safe")
    case "never":
      return refund.signed === null
        ? { act: "cancel", reason: payment.reason }
        : stick(refund, `payment_${payment.reason}_after_signing`)
    case "paid":
      if (payment.at.finality !== "safe") return wait("payment_not_safe")
      if (refund.signed === null && !inTerm(payment.at.block, evidence.own.term)) {
        return wait("of_another_treasury")
      }
      if (refund.attempts >= attemptsMax) return stick(refund, "declined_too_often")
      if (!withinCaps(refund.amount, evidence.signed, evidence.caps)) return wait("over_caps")
      if (evidence.float < refund.amount) return wait("float_too_low")
      return { act: "sign" }
  }
}

/** Whether an amount may be signed for in addition to what was. */
export function withinCaps(amount: bigint, signed: SignedSums, caps: Caps): boolean {
  return signed.lastHour + amount <= caps.perHour && signed.lastDay + amount <= caps.perDay
}

/** Whether a payment in this block is paid back by the treasury of this term, and by no other. */
export function inTerm(block: bigint, { after, through }: Term): boolean {
  return (after === null || block > after) && (through === null || block <= through)
}

/** What is done with a signature that is out, and that the chain may still take. */
function relayOrWait(
  refund: Refund,
  signed: RefundSignature,
  { nowSeconds, float }: Evidence,
): Action {
  if (nowSeconds + relayableSecondsMin >= signed.validBefore) return wait("expiring")
  if (refund.attempts >= attemptsMax) return stick(refund, "declined_too_often")
  return float < refund.amount ? wait("float_too_low") : { act: "relay", signed }
}

/** What is wrong with a row in itself: nothing is signed for it, whatever the chain shows. */
function wrongIn(refund: Refund, own: Own): string | null {
  if (refund.chainId !== own.chainId) return "another_chain"
  if (refund.asset !== own.asset) return "another_asset"
  if (refund.payTo !== own.payTo) return "another_payee"
  if (refund.payer === own.treasury || refund.payer === own.payTo) return "payer_is_ours"
  if (refund.paymentId !== own.paymentId) return "another_payment"
  const { signed } = refund
  if (signed?.treasury === own.treasury && signed.nonce !== own.nonce) return "another_nonce"
  if (refund.amount <= 0n || refund.amount > refundMax) return "amount_over_the_dearest_product"
  return null
}

const stick = ({ state }: Refund, reason: string): Action =>
  state === "needs_review" ? wait("needs_review") : { act: "stick", reason }

const wait = (reason: WaitReason): Action => ({ act: "wait", reason })
