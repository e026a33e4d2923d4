/**
 * The life cycle of one refund, and the next action for it.
 *
 * A refund is itself an authorization, treasury -> payer, with a nonce derived from the payment.
 * The token contract therefore pays it at most once, however often it is signed. The worker signs
 * only when the chain shows the payment on a safe block, and only the chain confirms a refund.
 *
 * @module
 */
import { Result, Schema } from "effect"
import {
  Address,
  Bytes32,
  type PaidAt,
  PaymentId,
  type PaymentProof,
  RefundSummary,
  Signature,
} from "./payment.ts"
import { prices } from "../../catalog/domain/prices.ts"

export const RefundState = RefundSummary.fields.state
export type RefundState = typeof RefundState.Type
export const refundStates = RefundState.literals

/** The events of a refund. `queue` also happens when a cancelled refund is owed again. */
export const refundEvents = [
  "queue",
  "sign",
  "broadcast",
  "confirm",
  "cancel",
  "require_review",
  "settle_by_hand",
] as const
const RefundEvent = Schema.Literals(refundEvents)
export type RefundEvent = typeof RefundEvent.Type

/** The state after each event. It does not depend on the state before. */
export const refundStateAfter: { readonly [E in RefundEvent]: RefundState } = {
  queue: "queued",
  sign: "signed",
  broadcast: "broadcast",
  confirm: "confirmed",
  cancel: "cancelled",
  require_review: "needs_review",
  settle_by_hand: "settled_by_hand",
}

/**
 * The events that each state allows. Only the chain (`confirm`) or an operator (`queue`,
 * `settle_by_hand`) moves a refund out of `needs_review`. A refund that was ever signed is never
 * cancelled, and one that was confirmed or settled by hand never moves.
 */
const refundMoves: { readonly [S in RefundState]: ReadonlyArray<RefundEvent> } = {
  queued: ["sign", "confirm", "cancel", "require_review"],
  signed: ["sign", "broadcast", "confirm", "require_review"],
  broadcast: ["sign", "broadcast", "confirm", "require_review"],
  confirmed: [],
  cancelled: ["queue"],
  needs_review: ["queue", "confirm", "settle_by_hand"],
  settled_by_hand: [],
}

/** A move that is not in the table: the worker read an outdated row, or has a bug. */
class IllegalRefundMove extends Schema.TaggedError<IllegalRefundMove>()("IllegalRefundMove", {
  from: RefundState,
  event: RefundEvent,
}) {}

/** The state of a refund after `event`, if `from` allows it. */
export function refundStep(
  from: RefundState,
  event: RefundEvent,
): Result.Result<RefundState, IllegalRefundMove> {
  return refundMoves[from].includes(event)
    ? Result.succeed(refundStateAfter[event])
    : Result.fail(new IllegalRefundMove({ from, event }))
}

/**
 * The queues of refunds. `unmatched`: of transfers to us that no request came with, or whose
 * amount is not the agreed one. Anyone can make them, so they have caps of their own,
 * and never delay a refund of `sales`.
 */
export const refundQueues = ["sales", "unmatched"] as const
export type QueueName = (typeof refundQueues)[number]

/** The payment that a refund pays back. */
const PaymentToRefund = {
  paymentId: PaymentId,
  chainId: Schema.Int,
  asset: Address,
  payer: Address,
  payTo: Address,
  amount: Schema.BigInt,
  paymentNonce: Bytes32,
  paymentValidBefore: Schema.BigInt,
}
export type PaymentToRefund = Schema.Struct.Type<typeof PaymentToRefund>

/**
 * What the treasury signed. The treasury and the nonce never change; each new signature has a later
 * validBefore.
 */
const RefundSignature = Schema.Struct({
  treasury: Address,
  nonce: Bytes32,
  validBefore: Schema.BigInt,
  // The treasury is no contract.
  signature: Signature.check(Schema.isPattern(/^0x[0-9a-f]{130}$/)),
})
export type RefundSignature = typeof RefundSignature.Type

const fields = {
  ...PaymentToRefund,
  queue: Schema.Literals(refundQueues),
  /** A person has approved an amount over the dearest product. */
  amountApproved: Schema.Boolean,
  /** How often a facilitator declined it. */
  attempts: Schema.Int,
  fence: Schema.Int,
  /** The payment's transaction when it became owed; a hint. */
  paidTransaction: Schema.NullOr(Schema.String),
  /** The refund's transaction that a facilitator reported; a hint. */
  transactionHint: Schema.NullOr(Schema.String),
  /** The reason of the last attempt. */
  lastReason: Schema.NullOr(Schema.String),
}

/**
 * A refund that is still open, under a lease of the caller. Confirmed, cancelled and settled refunds
 * are final, so the worker never reads them.
 */
export const Refund = Schema.Union([
  Schema.Struct({
    ...fields,
    state: Schema.Literals(["signed", "broadcast"]),
    signed: RefundSignature,
  }),
  Schema.Struct({
    ...fields,
    state: Schema.Literals(["queued", "needs_review"]),
    /** Null until the first signature. */
    signed: Schema.NullOr(RefundSignature),
  }),
])
export type Refund = typeof Refund.Type

/**
 * The blocks whose payments a treasury refunds: after `after` (exclusive) to `through` (inclusive).
 * Null means no bound.
 */
export interface BlockRange {
  readonly after: bigint | null
  readonly through: bigint | null
}

/**
 * The values that the worker computes or is configured with. The row must match them before the
 * worker signs.
 */
interface ExpectedRefund {
  readonly chainId: number
  readonly asset: Address
  readonly payTo: Address
  readonly treasury: Address
  readonly blockRange: BlockRange
  /** Derived from the payer and the nonce in the row. */
  readonly paymentId: PaymentId
  readonly nonce: Bytes32
}

/**
 * The most that may be signed in one queue in any hour and in any 24 hours, in atomic units of the
 * token.
 */
export interface Caps {
  readonly perHour: bigint
  readonly perDay: bigint
}

/** The amounts signed in the last hour and in the last 24 hours, in atomic units of the token. */
export interface SignedSums {
  readonly lastHour: bigint
  readonly lastDay: bigint
}

/** Everything that `nextAction` reads, apart from the row. */
export interface RefundInputs {
  readonly expected: ExpectedRefund
  /** Whether the payment was made to us. */
  readonly paymentProof: PaymentProof
  /** Whether the refund was paid to the payer. */
  readonly refundProof: PaymentProof
  readonly nowSeconds: bigint
  /** In atomic units of the token. */
  readonly treasuryBalance: bigint
  /** The part of the balance that an unmatched refund must leave: for sales, and for what is signed. */
  readonly reserved: bigint
  /** What was signed for all other refunds of the same queue. */
  readonly signedSums: SignedSums
  /** Of the refund's queue. */
  readonly caps: Caps
}

export type Action =
  /** Store a new signature, then send it to the facilitator. */
  | { readonly kind: "sign" }
  /**
   * Send the stored signature to the facilitator again. This is safe: its nonce is used at most
   * once.
   */
  | { readonly kind: "relay"; readonly signed: RefundSignature }
  | { readonly kind: "confirm"; readonly at: PaidAt }
  | { readonly kind: "cancel"; readonly reason: string }
  /** Only an operator can resolve this. */
  | { readonly kind: "require_review"; readonly reason: string }
  | { readonly kind: "wait"; readonly reason: WaitReason }

/**
 * Why a refund waits. `over_caps`, `float_too_low` and `of_another_treasury` need an operator: the
 * refund must not, or cannot, be paid now.
 */
export type WaitReason =
  | "payment_not_safe"
  | "refund_not_safe"
  | "expiring"
  | "needs_review"
  | "over_caps"
  | "float_too_low"
  | "of_another_treasury"

/** What a worker did with one refund. */
export interface RefundOutcome {
  readonly paymentId: string
  readonly from: RefundState
  /** The state after this worker. Another worker may have claimed the refund since. */
  readonly to: RefundState
  /** Why the refund is not final yet; null when nothing blocks it. */
  readonly reason: string | null
  /** True when the state and the reason are the same as in the previous attempt. */
  readonly unchanged: boolean
}

/** A refund is not larger than the price of the most expensive product, unless a person approves. */
export const refundMax = Object.values(prices).reduce<bigint>(
  (max, price) => price > max ? price : max,
  0n,
)
/** After this many declines an operator must review the refund. */
export const attemptsMax = 20
/** A signature that expires sooner is not sent any more: the facilitator would decline it. */
const relayableSecondsMin = 10n

/** What to do next with an open refund. */
export function nextAction(refund: Refund, inputs: RefundInputs): Action {
  const { paymentProof, refundProof } = inputs
  const invalid = invalidReason(refund, inputs.expected)
  if (invalid !== null) return requireReview(refund, invalid)
  // The worker with that treasury's key continues with it; only its own signature can end it.
  if (refund.signed !== null && refund.signed.treasury !== inputs.expected.treasury) {
    return wait(refund.state === "needs_review" ? "needs_review" : "of_another_treasury")
  }
  if (refundProof.proof === "paid") {
    return refundProof.at.finality === "safe"
      ? { kind: "confirm", at: refundProof.at }
      : wait(refund.state === "needs_review" ? "needs_review" : "refund_not_safe")
  }
  if (refund.state === "needs_review") return wait("needs_review")
  if (refundProof.proof === "never" && refundProof.reason === "spent_elsewhere") {
    return requireReview(refund, "refund_nonce_spent_elsewhere")
  }
  const canStillPay = refund.state === "signed" || refund.state === "broadcast"
  if (canStillPay && refundProof.proof === "not_yet") {
    return relayOrWait(refund, refund.signed, inputs)
  }

  switch (paymentProof.proof) {
    case "not_yet":
      return wait("payment_not_safe")
    case "never":
      return refund.signed === null
        ? { kind: "cancel", reason: paymentProof.reason }
        : requireReview(refund, `payment_${paymentProof.reason}_after_signing`)
    case "paid":
      if (paymentProof.at.finality !== "safe") return wait("payment_not_safe")
      if (
        refund.signed === null && !isInBlockRange(paymentProof.at.block, inputs.expected.blockRange)
      ) {
        return wait("of_another_treasury")
      }
      if (refund.attempts >= attemptsMax) return requireReview(refund, "declined_too_often")
      if (!withinCaps(refund, inputs.signedSums, inputs.caps)) return wait("over_caps")
      if (!isFunded(refund, inputs)) return wait("float_too_low")
      return { kind: "sign" }
  }
}

/** Whether the treasury can pay a refund. Unmatched ones use only what sales do not need. */
const isFunded = ({ queue, amount }: Refund, { reserved, treasuryBalance }: RefundInputs) =>
  treasuryBalance >= amount + (queue === "unmatched" ? reserved : 0n)

type CappedAmount = Pick<Refund, "amount" | "amountApproved">

/** Whether an additional refund may be signed. */
export function withinCaps(refund: CappedAmount, sums: SignedSums, caps: Caps): boolean {
  const fits = (sum: bigint, cap: bigint) => sum + refund.amount <= cap || isExempt(refund, cap)
  return fits(sums.lastHour, caps.perHour) && fits(sums.lastDay, caps.perDay)
}

/**
 * Whether a cap does not apply to a refund: an approved amount that is larger than the cap by itself
 * could never be paid otherwise. Such a refund does not count in the cap's sum either, so that it
 * does not delay the others.
 */
export function isExempt({ amount, amountApproved }: CappedAmount, cap: bigint): boolean {
  return amountApproved && amount > cap
}

/**
 * Whether the treasury of this range refunds a payment in this block. The ranges do not overlap:
 * each block is in the range of exactly one treasury.
 */
export function isInBlockRange(block: bigint, { after, through }: BlockRange): boolean {
  return (after === null || block > after) && (through === null || block <= through)
}

/** The action for a stored signature that the chain may still accept. */
function relayOrWait(
  refund: Refund,
  signed: RefundSignature,
  inputs: RefundInputs,
): Action {
  const { nowSeconds } = inputs
  if (nowSeconds + relayableSecondsMin >= signed.validBefore) return wait("expiring")
  if (refund.attempts >= attemptsMax) return requireReview(refund, "declined_too_often")
  return isFunded(refund, inputs) ? { kind: "relay", signed } : wait("float_too_low")
}

/**
 * Why a row is invalid, independent of the chain; null when it is valid. Nothing is signed for an
 * invalid row.
 */
function invalidReason(refund: Refund, expected: ExpectedRefund): string | null {
  if (refund.chainId !== expected.chainId) return "another_chain"
  if (refund.asset !== expected.asset) return "another_asset"
  if (refund.payTo !== expected.payTo) return "another_payee"
  if (refund.payer === expected.treasury || refund.payer === expected.payTo) return "payer_is_ours"
  if (refund.paymentId !== expected.paymentId) return "another_payment"
  const { signed } = refund
  if (signed?.treasury === expected.treasury && signed.nonce !== expected.nonce) {
    return "another_nonce"
  }
  if (refund.amount <= 0n || (refund.amount > refundMax && !refund.amountApproved)) {
    return "amount_over_the_dearest_product"
  }
  return null
}

const requireReview = ({ state }: Refund, reason: string): Action =>
  state === "needs_review" ? wait("needs_review") : { kind: "require_review", reason }

const wait = (reason: WaitReason): Action => ({ kind: "wait", reason })
