/**
 * The life cycle of one payment: its identity, its states, and every legal move between them.
 *
 * A payment is charged by two moves only: into `answered` (compute-first) and into `settled`
 * (settle-early). Both require that the chain shows the transfer. Money goes back only through
 * `refund_due`. `released` is not final: a facilitator may have seen the signature, and can still
 * settle it.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { AtomicAmount } from "../../core/domain/money.ts"
import type { SettlementOrder } from "../../catalog/domain/product.ts"

const hex = (digits: number) =>
  Schema.TemplateLiteral(["0x", Schema.String]).check(
    Schema.isPattern(new RegExp(`^0x[0-9a-f]{${digits}}$`)),
  )

/** A 20-byte address in lower case, so that two spellings of one address are one value. */
export const Address = hex(40).pipe(Schema.brand("Address"))
export type Address = typeof Address.Type

const decodeAddress = Schema.decodeUnknownSync(Address)

/** Converts an address to lower case. Throws when the text is not an address. */
export function address(text: string): Address {
  return decodeAddress(text.toLowerCase())
}

/** 32 bytes, in lower case. */
export const Bytes32 = hex(64).pipe(Schema.brand("Bytes32"))
export type Bytes32 = typeof Bytes32.Type

/**
 * How a client computes the payment id of an authorization, with the ABI types. Published in the
 * documentation.
 */
export const paymentIdFormula =
  'keccak256(abi.encode(string "pay/v1", uint256 chainId, address asset, address from, bytes32 nonce))'
/**
 * keccak256 over chain, asset, payer and nonce (`paymentIdFormula`): one authorization has one id.
 */
export const PaymentId = hex(64).pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** Longest signature of a contract wallet, in bytes. */
export const signatureBytesMax = 2_048

/**
 * 65 bytes r, s, v, where v is 27 or 28 and s is in the lower half of the curve order; or up to
 * `signatureBytesMax` bytes, which only the payer's contract can check (EIP-1271, ERC-6492).
 */
export const Signature = Schema.TemplateLiteral(["0x", Schema.String]).check(
  Schema.isPattern(/^0x(?:[0-9a-f]{2}){65,2048}$/),
).pipe(Schema.brand("Signature"))
export type Signature = typeof Signature.Type

/** What an EIP-3009 payer signs. Times are in seconds since the Unix epoch. */
const Authorization = Schema.Struct({
  from: Address,
  to: Address,
  value: Schema.BigInt,
  validAfter: Schema.BigInt,
  validBefore: Schema.BigInt,
  nonce: Bytes32,
})
export type Authorization = typeof Authorization.Type

/** The token of an authorization, as in its EIP-712 domain. */
const TokenDomain = Schema.Struct({
  chainId: Schema.Int,
  asset: Address,
  name: Schema.String,
  version: Schema.String,
})
export type TokenDomain = typeof TokenDomain.Type

export const paymentStates = [
  "claimed",
  "released",
  "settling",
  "unresolved",
  "settled",
  "answered",
  "refund_due",
  "refunded",
  "void",
] as const
export const PaymentState = Schema.Literals(paymentStates)
export type PaymentState = typeof PaymentState.Type

export const paymentEvents = [
  /** The same payment is sent again after a release. */
  "claim",
  /**
   * Nothing was taken: the payment was refused, failed or came too late, or its lease expired
   * before the intent.
   */
  "release",
  /** The intent to settle is stored, before the facilitator is called. */
  "intend",
  /** Settlement was requested and its outcome is unknown. */
  "doubt",
  /** The chain shows the transfer, and there is no answer yet (settle-early). */
  "settle",
  /** The answer is stored and the chain shows the transfer. */
  "answer",
  /**
   * The chain shows the transfer and no answer will be delivered. The same statement inserts the
   * refund.
   */
  "owe",
  /** The chain confirms the refund. */
  "refund",
  /** The chain proves that this authorization was never paid and never will be. */
  "void",
] as const
export const PaymentEvent = Schema.Literals(paymentEvents)
export type PaymentEvent = typeof PaymentEvent.Type

type Moves = { readonly [S in PaymentState]: { readonly [E in PaymentEvent]?: PaymentState } }

const shared = {
  claimed: { intend: "settling", release: "released" },
  released: { claim: "claimed", void: "void", owe: "refund_due" },
  answered: { owe: "refund_due" },
  refund_due: { refund: "refunded", void: "void" },
  refunded: {},
  void: { owe: "refund_due" },
} as const

/**
 * Every legal move, by settlement order. A missing entry is deliberate: that move would lose or
 * invent money.
 */
const moves: { readonly [O in SettlementOrder]: Moves } = {
  "compute-first": {
    ...shared,
    settling: { answer: "answered", doubt: "unresolved", void: "void" },
    unresolved: { answer: "answered", owe: "refund_due", void: "void" },
    settled: {},
  },
  "settle-early": {
    ...shared,
    settling: { settle: "settled", doubt: "unresolved", void: "void" },
    unresolved: { settle: "settled", owe: "refund_due", void: "void" },
    settled: { answer: "answered", owe: "refund_due" },
  },
}

/** The state after each event. It does not depend on the state before. */
export const stateAfter: { readonly [E in PaymentEvent]: PaymentState } = {
  claim: "claimed",
  release: "released",
  intend: "settling",
  doubt: "unresolved",
  settle: "settled",
  answer: "answered",
  owe: "refund_due",
  refund: "refunded",
  void: "void",
}

/** A move that is not in the table: the caller read an outdated row, or has a bug. */
class IllegalMove extends Schema.TaggedError<IllegalMove>()("IllegalMove", {
  from: PaymentState,
  event: PaymentEvent,
}) {}

/** The state of a payment after `event`, if `from` allows it. */
export function step(
  order: SettlementOrder,
  from: PaymentState,
  event: PaymentEvent,
): Result.Result<PaymentState, IllegalMove> {
  const to = moves[order][from][event]
  return to === undefined ? Result.fail(new IllegalMove({ from, event })) : Result.succeed(to)
}

/** Whether a payment in this state holds its key: no other payment can be claimed with it. */
export const holdsKey = (state: PaymentState): boolean =>
  ["claimed", "settling", "unresolved", "settled", "answered"].includes(state)

const takenByState: { readonly [S in PaymentState]: boolean | null } = {
  claimed: null,
  released: false,
  settling: null,
  unresolved: null,
  settled: true,
  answered: true,
  refund_due: true,
  refunded: true,
  void: false,
}

/** Whether money was taken, according to the state. Null while that is not known yet. */
export function wasTaken(state: PaymentState): boolean | null {
  return takenByState[state]
}

/** What a payment is bound to when it is claimed. None of it ever changes. */
export interface PaymentTicket {
  readonly paymentId: PaymentId
  readonly token: TokenDomain
  readonly authorization: Authorization
  readonly signature: Signature
  readonly amount: AtomicAmount
  readonly settlementOrder: SettlementOrder
  readonly productId: string
  /** The product and its canonical parameters, independent of the transport. */
  readonly request: string
}

/** The body of the 200 response. */
const StoredAnswer = Schema.Struct({ body: Schema.Uint8Array })
export type StoredAnswer = typeof StoredAnswer.Type

/** The position of a payment on the chain. */
const PaidAt = Schema.Struct({
  transaction: Schema.String,
  block: Schema.BigInt,
  /** Index of the `AuthorizationUsed` log; the `Transfer` is the next one. */
  logIndex: Schema.Int,
  /** `safe`: the block can no longer be reorganised away, as far as the chain guarantees. */
  finality: Schema.Literals(["latest", "safe"]),
})
export type PaidAt = typeof PaidAt.Type

/** What the chain shows of an expected transfer: of a payment, or of a refund. */
export type PaymentProof =
  /** `AuthorizationUsed(from, nonce)` and, at the next log index, `Transfer(from, to, value)`. */
  | { readonly proof: "paid"; readonly at: PaidAt }
  /**
   * Not seen yet; it may still be paid. `reverted`: the transaction that the facilitator reported has
   * failed.
   */
  | { readonly proof: "not_yet"; readonly reverted?: true }
  /**
   * It was never paid and never will be: on a safe block, its nonce is unused after validBefore
   * (`expired`), or was used by a cancellation or another transfer (`spent_elsewhere`).
   */
  | { readonly proof: "never"; readonly reason: "expired" | "spent_elsewhere" }

/** The state of a payment's refund. */
export const RefundSummary = Schema.Struct({
  /** `refund.ts` has the moves between them. */
  state: Schema.Literals([
    "queued",
    "signed",
    "broadcast",
    "confirmed",
    "cancelled",
    "needs_review",
    "settled_by_hand",
  ]),
  reason: Schema.String,
  transaction: Schema.NullOr(Schema.String),
  /** When the chain's proof was stored, in seconds since the Unix epoch; null before. */
  confirmedAt: Schema.NullOr(Schema.Number),
})
export type RefundSummary = typeof RefundSummary.Type

const identity = {
  paymentId: PaymentId,
  token: TokenDomain,
  authorization: Authorization,
  amount: AtomicAmount,
  settlementOrder: Schema.Literals(["compute-first", "settle-early"]),
  /** Increases with every claim. */
  fence: Schema.Int,
  /** Hash of the secret that the first caller sent; null when it sent none. */
  secretHash: Schema.NullOr(Bytes32),
  /**
   * Hash of payer, request and secret, without the nonce: equal for two payments of one purchase.
   * Null when the first caller sent no secret, or when the answer was erased.
   */
  keyHash: Schema.NullOr(Bytes32),
}

/** A payment that was claimed for a request, with that request. */
const withRequest = {
  ...identity,
  signature: Signature,
  productId: Schema.String,
  request: Schema.String,
}

/** A transfer that was found on the chain and belongs to no request. */
const withoutRequest = {
  ...identity,
  signature: Schema.Null,
  productId: Schema.Null,
  request: Schema.Null,
}

/** Milliseconds until the lease expires; zero or negative when it has. */
const leased = { leaseLeftMs: Schema.Number }

/** A compute-first answer is stored with the intent; a settle-early answer is computed later. */
const computeFirst = { settlementOrder: Schema.Literal("compute-first"), answer: StoredAnswer }
const settleEarly = { settlementOrder: Schema.Literal("settle-early") }

const settling = { ...withRequest, ...leased, state: Schema.Literal("settling") }

const unresolved = {
  ...withRequest,
  state: Schema.Literal("unresolved"),
  /** Milliseconds since the intent to settle was stored. */
  intendedAgoMs: Schema.Number,
  /** The transaction that the facilitator reported; not trusted. */
  transactionHint: Schema.NullOr(Schema.String),
}

const answered = {
  ...withRequest,
  state: Schema.Literal("answered"),
  paidAt: PaidAt,
  /** Milliseconds since the answer was charged. */
  answeredAgoMs: Schema.Number,
  /** When it was, in whole seconds since the Unix epoch. */
  answeredAt: Schema.Int,
}

/** Paid and not answered, with its refund. */
const refunding = {
  state: Schema.Literals(["refund_due", "refunded"]),
  paidAt: PaidAt,
  /**
   * The amount that was transferred under this nonce. It differs from `amount` when the payer used
   * the nonce for another sum.
   */
  paidAmount: AtomicAmount,
  refund: RefundSummary,
}

const voided = {
  state: Schema.Literal("void"),
  /**
   * Where the chain showed a transfer that was later reorganised away; null when it never showed
   * one.
   */
  paidAt: Schema.NullOr(PaidAt),
}

/**
 * One payment. Each state has exactly its own fields. The CHECK constraints of the table `payment`
 * ensure them (see the migrations), and the trigger that inserts a payment either with all fields of
 * its request or with none. If one of them is loosened, some payments can no longer be read.
 */
const Payment = Schema.Union([
  Schema.Struct({ ...withRequest, ...leased, state: Schema.Literal("claimed") }),
  Schema.Struct({ ...withRequest, state: Schema.Literal("released") }),
  Schema.Struct({ ...settling, ...computeFirst }),
  Schema.Struct({ ...settling, ...settleEarly }),
  Schema.Struct({ ...unresolved, ...computeFirst }),
  Schema.Struct({ ...unresolved, ...settleEarly }),
  Schema.Struct({
    ...withRequest,
    ...leased,
    ...settleEarly,
    state: Schema.Literal("settled"),
    paidAt: PaidAt,
  }),
  // Not delivered on an open connection yet.
  Schema.Struct({ ...answered, sent: Schema.Literal(false), answer: StoredAnswer }),
  // A delivered body may be deleted later.
  Schema.Struct({ ...answered, sent: Schema.Literal(true), answer: Schema.NullOr(StoredAnswer) }),
  Schema.Struct({ ...withRequest, ...refunding }),
  Schema.Struct({ ...withoutRequest, ...refunding }),
  Schema.Struct({ ...withRequest, ...voided }),
  Schema.Struct({ ...withoutRequest, ...voided }),
])
export type Payment = typeof Payment.Type

type InState<S extends PaymentState> = Extract<Payment, { readonly state: S }>
export type ClaimedPayment = InState<"claimed">
export type ReleasedPayment = InState<"released">
export type UnresolvedPayment = InState<"unresolved">
export type AnsweredPayment = InState<"answered">
export type PaymentWithRefund = InState<"refund_due" | "refunded">

/**
 * A stored row that fits no state. It contains the id alone, because a signature in a log could
 * move money.
 */
export class UnreadablePayment extends Schema.TaggedError<UnreadablePayment>()(
  "UnreadablePayment",
  { paymentId: Schema.String },
) {
  override get message() {
    return `The row of payment ${this.paymentId} fits no state`
  }
}

const decode = Schema.decodeUnknownOption(Payment)

/** Decodes a row into a payment, and omits the fields that its state does not have. */
export function paymentOf(
  row: Readonly<Record<string, unknown>> & { readonly paymentId: string },
): Result.Result<Payment, UnreadablePayment> {
  return Result.fromOption(
    decode({ ...row, paidAmount: row["paidAmount"] ?? row["amount"] }),
    () => new UnreadablePayment({ paymentId: row.paymentId }),
  )
}
