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
import type { AtomicAmount } from "../../core/domain/money.ts"
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
export interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Bytes32
}

/** The token of an authorization, as in its EIP-712 domain. */
export interface TokenDomain {
  readonly chainId: number
  readonly asset: Address
  readonly name: string
  readonly version: string
}

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

const keyHolders: ReadonlyArray<PaymentState> = [
  "claimed",
  "settling",
  "unresolved",
  "settled",
  "answered",
]

/** Whether a payment in this state holds its key: no other payment can be claimed with it. */
export function holdsKey(state: PaymentState): boolean {
  return keyHolders.includes(state)
}

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
export interface StoredAnswer {
  readonly body: Uint8Array
}

/** The position of a payment on the chain. */
export interface PaidAt {
  readonly transaction: string
  readonly block: bigint
  /** Index of the `AuthorizationUsed` log; the `Transfer` is the next one. */
  readonly logIndex: number
  /** `safe`: the block can no longer be reorganised away, as far as the chain guarantees. */
  readonly finality: "latest" | "safe"
}

/** What the chain shows of an expected transfer: of a payment, or of a refund. */
export type PaymentProof =
  /** `AuthorizationUsed(from, nonce)` and, at the next log index, `Transfer(from, to, value)`. */
  | { readonly proof: "paid"; readonly at: PaidAt }
  /** Not seen yet; it may still be paid. */
  | { readonly proof: "not_yet" }
  /**
   * It was never paid and never will be: on a safe block, its nonce is unused after validBefore
   * (`expired`), or was used by a cancellation or another transfer (`spent_elsewhere`).
   */
  | { readonly proof: "never"; readonly reason: "expired" | "spent_elsewhere" }

/** The state of a payment's refund. */
export interface RefundSummary {
  readonly state:
    | "queued"
    | "signed"
    | "broadcast"
    | "confirmed"
    | "cancelled"
    | "needs_review"
    | "settled_by_hand"
  readonly reason: string
  readonly transaction: string | null
  /** When the chain's proof was stored, in seconds since the Unix epoch; null before. */
  readonly confirmedAt: number | null
}

interface Versioned {
  /** Increases with every claim. */
  readonly fence: number
  /** Hash of the secret that the first caller sent; null when it sent none. */
  readonly secretHash: Bytes32 | null
  /**
   * Hash of payer, request and secret, without the nonce: equal for two payments of one purchase.
   * Null when the first caller sent no secret, or when the answer was erased.
   */
  readonly keyHash: Bytes32 | null
}

/** A payment that was claimed for a request, with that request. */
interface WithRequest extends PaymentTicket, Versioned {}

type RequestFields = "signature" | "productId" | "request"

/** A transfer that was found on the chain and belongs to no request. */
interface WithoutRequest extends Omit<PaymentTicket, RequestFields>, Versioned {
  readonly signature: null
  readonly productId: null
  readonly request: null
}

interface Leased {
  /** Milliseconds until the lease expires; zero or negative when it has. */
  readonly leaseLeftMs: number
}

/** A compute-first answer is stored with the intent; a settle-early answer is computed later. */
type Intended =
  | { readonly settlementOrder: "compute-first"; readonly answer: StoredAnswer }
  | { readonly settlementOrder: "settle-early" }

export type ClaimedPayment = WithRequest & Leased & { readonly state: "claimed" }

export type ReleasedPayment = WithRequest & { readonly state: "released" }

type SettlingPayment = WithRequest & Leased & Intended & { readonly state: "settling" }

export type UnresolvedPayment = WithRequest & Intended & {
  readonly state: "unresolved"
  /** Milliseconds since the intent to settle was stored. */
  readonly intendedAgoMs: number
  /** The transaction that the facilitator reported; not trusted. */
  readonly transactionHint: string | null
}

type SettledPayment = WithRequest & Leased & {
  readonly state: "settled"
  readonly settlementOrder: "settle-early"
  readonly paidAt: PaidAt
}

export type AnsweredPayment =
  & WithRequest
  & {
    readonly state: "answered"
    readonly paidAt: PaidAt
    /** Milliseconds since the answer was charged. */
    readonly answeredAgoMs: number
    /** When it was, in whole seconds since the Unix epoch. */
    readonly answeredAt: number
  }
  & (
    /** Not delivered on an open connection yet. */
    | { readonly sent: false; readonly answer: StoredAnswer }
    /** A delivered body may be deleted later. */
    | { readonly sent: true; readonly answer: StoredAnswer | null }
  )

/** Paid and not answered, with its refund. */
export type PaymentWithRefund = (WithRequest | WithoutRequest) & {
  readonly state: "refund_due" | "refunded"
  readonly paidAt: PaidAt
  /**
   * The amount that was transferred under this nonce. It differs from `amount` when the payer used
   * the nonce for another sum.
   */
  readonly paidAmount: AtomicAmount
  readonly refund: RefundSummary
}

type VoidPayment = (WithRequest | WithoutRequest) & {
  readonly state: "void"
  /**
   * Where the chain showed a transfer that was later reorganised away; null when it never showed
   * one.
   */
  readonly paidAt: PaidAt | null
}

/** One payment. Each state has exactly its own fields. */
export type Payment =
  | ClaimedPayment
  | ReleasedPayment
  | SettlingPayment
  | UnresolvedPayment
  | SettledPayment
  | AnsweredPayment
  | PaymentWithRefund
  | VoidPayment

/** A payment as one flat row. A field is null when the state does not have it. */
export interface PaymentRecord extends Omit<PaymentTicket, RequestFields>, Versioned {
  readonly signature: Signature | null
  readonly productId: string | null
  readonly request: string | null
  readonly state: PaymentState
  readonly leaseLeftMs: number | null
  readonly intendedAgoMs: number | null
  readonly transactionHint: string | null
  readonly paidAt: PaidAt | null
  readonly paidAmount: AtomicAmount | null
  readonly answer: StoredAnswer | null
  readonly answeredAgoMs: number | null
  readonly answeredAt: number | null
  readonly sent: boolean
  readonly refund: RefundSummary | null
}

/** A stored row without a field that its state requires. */
class InvalidPayment extends Schema.TaggedError<InvalidPayment>()("InvalidPayment", {
  paymentId: PaymentId,
  state: PaymentState,
}) {
  override get message() {
    return `The row of payment ${this.paymentId} lacks a field of the state ${this.state}`
  }
}

/**
 * Decodes a record into a payment and omits the fields that its state does not have. Each case
 * relies on the CHECK constraints of the table `payment` (see the migrations), and on the trigger
 * that inserts a payment either with all fields of its request or with none. If one of them is
 * loosened, some payments can no longer be read.
 */
export function paymentOf(record: PaymentRecord): Result.Result<Payment, InvalidPayment> {
  const { paymentId, state } = record
  const payment = decodeState(record)
  return payment === null
    ? Result.fail(new InvalidPayment({ paymentId, state }))
    : Result.succeed(payment)
}

function decodeState(record: PaymentRecord): Payment | null {
  const { state, paidAt, refund, leaseLeftMs, intendedAgoMs, transactionHint, answer } = record
  const call = withRequest(record)
  const base = call ?? withoutRequest(record)
  const leased = leaseLeftMs === null ? null : { leaseLeftMs }
  switch (state) {
    case "claimed":
      return call && leased && { ...call, ...leased, state }
    case "released":
      return call && { ...call, state }
    case "settling": {
      const intended = intendedOf(record)
      return call && leased && intended && { ...call, ...leased, ...intended, state }
    }
    case "unresolved": {
      const intended = intendedOf(record)
      return call && intended && intendedAgoMs !== null
        ? { ...call, ...intended, state, intendedAgoMs, transactionHint }
        : null
    }
    case "settled":
      return call && leased && paidAt && call.settlementOrder === "settle-early"
        ? { ...call, ...leased, state, settlementOrder: call.settlementOrder, paidAt }
        : null
    case "answered": {
      const { answeredAgoMs, answeredAt, sent } = record
      if (call === null || paidAt === null || answeredAgoMs === null) return null
      if (answeredAt === null) return null
      const charged = { ...call, state, paidAt, answeredAgoMs, answeredAt }
      return sent ? { ...charged, sent, answer } : answer && { ...charged, sent, answer }
    }
    case "refund_due":
    case "refunded": {
      const paidAmount = record.paidAmount ?? record.amount
      return base && paidAt && refund && { ...base, state, paidAt, paidAmount, refund }
    }
    case "void":
      return base && { ...base, state, paidAt }
  }
}

type PaymentBase = Omit<PaymentTicket, RequestFields> & Versioned

function baseOf(record: PaymentBase): PaymentBase {
  const { paymentId, token, authorization, amount, settlementOrder } = record
  const { fence, secretHash, keyHash } = record
  return { paymentId, token, authorization, amount, settlementOrder, fence, secretHash, keyHash }
}

function withRequest(record: PaymentRecord): WithRequest | null {
  const { signature, productId, request } = record
  return signature === null || productId === null || request === null
    ? null
    : { ...baseOf(record), signature, productId, request }
}

function withoutRequest(record: PaymentRecord): WithoutRequest | null {
  const { signature, productId, request } = record
  return signature === null && productId === null && request === null
    ? { ...baseOf(record), signature, productId, request }
    : null
}

function intendedOf({ settlementOrder, answer }: PaymentRecord): Intended | null {
  return settlementOrder === "settle-early"
    ? { settlementOrder }
    : answer && { settlementOrder, answer }
}

const absent = {
  leaseLeftMs: null,
  intendedAgoMs: null,
  transactionHint: null,
  paidAt: null,
  paidAmount: null,
  answer: null,
  answeredAgoMs: null,
  answeredAt: null,
  sent: false,
  refund: null,
} as const

export function recordOf(payment: Payment): PaymentRecord {
  return { ...absent, ...payment }
}
