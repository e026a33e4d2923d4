/**
 * The life of one payment: its identity, its states, and every legal move between them.
 *
 * An authorization may be charged on two arrows only: into `answered` (compute-first) and into
 * `settled` (settle-early), and only after the chain was seen to have paid. `refund_due` is the one
 * way money goes back. `released` is not final: a facilitator may have seen the signature.
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

/** A 20-byte address, in lower case: two spellings of one address are one value. */
export const Address = hex(40).pipe(Schema.brand("Address"))
export type Address = typeof Address.Type

const decodeAddress = Schema.decodeUnknownSync(Address)

/** The canonical form of what is known to be an address. */
export function address(spelling: string): Address {
  return decodeAddress(spelling.toLowerCase())
}

/** 32 bytes, in lower case. */
export const Bytes32 = hex(64).pipe(Schema.brand("Bytes32"))
export type Bytes32 = typeof Bytes32.Type

/** How the holder of an authorization makes its id, with the types that are encoded. */
export const paymentIdFormula =
  'keccak256(abi.encode(string "pay/v1", uint256 chainId, address asset, address from, bytes32 nonce))'
/** keccak256 over chain, asset, payer and nonce: one authorization has one, whatever its spelling. */
export const PaymentId = hex(64).pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** A 65-byte signature r, s, v with v 27 or 28 and s in the lower half of the curve's order. */
export const Signature = hex(130).pipe(Schema.brand("Signature"))
export type Signature = typeof Signature.Type

/** What an EIP-3009 payer signs. Times are seconds since the Unix epoch, as the contract reads them. */
export interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Bytes32
}

/** The token an authorization is for, as its EIP-712 domain names it. */
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

/** What can happen to a payment. */
export const paymentEvents = [
  /** The same payment was sent again after a release. */
  "claim",
  /** Nothing was taken: refused, failed, too late, or its lease ran out before the intent. */
  "release",
  /** The intent to settle is stored, before the facilitator is asked to. */
  "intend",
  /** Settlement was asked for and its outcome is not known. */
  "doubt",
  /** The chain has paid, and no answer exists yet (settle-early). */
  "settle",
  /** The answer is stored and the chain has paid. */
  "answer",
  /** The chain has paid and no answer will be delivered: a refund row is written with this move. */
  "owe",
  /** The chain has confirmed the refund. */
  "refund",
  /** The chain proves that this authorization never paid and never will. */
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

/** Every legal move, by order of settlement. Whatever is absent would lose or invent money. */
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

/** Where each event leads, from wherever it may happen: an event has one outcome. */
export const reaches: { readonly [E in PaymentEvent]: PaymentState } = {
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

/** A move the table does not have: the caller read a row that has moved on, or has a bug. */
class IllegalMove extends Schema.TaggedError<IllegalMove>()("IllegalMove", {
  from: PaymentState,
  event: PaymentEvent,
}) {}

/** Where `event` takes a payment that stands at `from`. */
export function step(
  order: SettlementOrder,
  from: PaymentState,
  event: PaymentEvent,
): Result.Result<PaymentState, IllegalMove> {
  const to = moves[order][from][event]
  return to === undefined ? Result.fail(new IllegalMove({ from, event })) : Result.succeed(to)
}

/** What a payment that is already known gets when it is sent again, for the same request. */
type Again =
  /** It is claimed again. */
  | "claim"
  /** Its answer is waited for, within a bound. */
  | "wait"
  /** 409 payment_in_progress. */
  | "in_progress"
  /** The chain is asked; then its new state decides, or 503 while still unknown. */
  | "reconcile"
  /** The stored answer, again. */
  | "replay"
  /** 409 payment_already_used, with the receipt. */
  | "already_used"
  /** 410 payment_refunded, with the refund. */
  | "refunded"
  /** 402: it can never pay; a fresh one is needed. */
  | "challenge"

const again: { readonly [S in PaymentState]: { readonly secret: Again; readonly plain: Again } } = {
  claimed: { secret: "wait", plain: "in_progress" },
  released: { secret: "claim", plain: "claim" },
  settling: { secret: "wait", plain: "in_progress" },
  unresolved: { secret: "reconcile", plain: "reconcile" },
  settled: { secret: "wait", plain: "in_progress" },
  answered: { secret: "replay", plain: "already_used" },
  refund_due: { secret: "refunded", plain: "refunded" },
  refunded: { secret: "refunded", plain: "refunded" },
  void: { secret: "challenge", plain: "challenge" },
}

/**
 * What the same payment gets when it is sent again. A settled authorization is public calldata, so
 * the payment alone never fetches or joins an answer: only the first caller's secret does.
 */
export function sentAgain(state: PaymentState, showsSecret: boolean): Again {
  return again[state][showsSecret ? "secret" : "plain"]
}

const takenIn: { readonly [S in PaymentState]: boolean | null } = {
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

/** Whether a payment was taken, as far as its state shows: null while a worker may be taking it. */
export function wasTaken(state: PaymentState): boolean | null {
  return takenIn[state]
}

/** What a payment is bound to when it is claimed. None of it ever changes. */
export interface PaymentTicket {
  readonly paymentId: PaymentId
  readonly token: TokenDomain
  readonly authorization: Authorization
  readonly signature: Signature
  readonly amount: AtomicAmount
  readonly order: SettlementOrder
  readonly productId: string
  /** The product and its canonical parameters: what the answer answers, whatever the transport. */
  readonly request: string
}

/** Bytes that were, or will be, sent as the body of a 200. */
export interface StoredAnswer {
  readonly body: Uint8Array
}

/** Where the chain shows a payment. */
export interface PaidAt {
  readonly transaction: string
  readonly block: bigint
  /** Index of the `AuthorizationUsed` log; the `Transfer` is the next one. */
  readonly logIndex: number
  /** `safe`: the block can no longer be reorganised away, as far as the chain promises. */
  readonly finality: "latest" | "safe"
}

/** What a payment shows of the refund that goes with it. */
export interface RefundSummary {
  readonly state: "queued" | "signed" | "broadcast" | "confirmed" | "cancelled" | "needs_review"
  readonly reason: string
  readonly transaction: string | null
}

interface Versioned {
  /** Grows with every claim. */
  readonly fence: number
  /** Hash of the secret the first caller showed; null when they showed none. */
  readonly secretHash: Bytes32 | null
}

/** A payment that a call has claimed, with what it was claimed for. */
interface OfCall extends PaymentTicket, Versioned {}

type CallFields = "signature" | "productId" | "request"

/** A transfer that was found on the chain, and that no call of ours goes with. */
interface Unmatched extends Omit<PaymentTicket, CallFields>, Versioned {
  readonly signature: null
  readonly productId: null
  readonly request: null
}

interface Leased {
  /** Milliseconds until the lease runs out; zero or less when it has. */
  readonly leaseLeftMs: number
}

/** A compute-first answer is stored with the intent; a settle-early one is not computed yet. */
type Intended =
  | { readonly order: "compute-first"; readonly answer: StoredAnswer }
  | { readonly order: "settle-early" }

export type Claimed = OfCall & Leased & { readonly state: "claimed" }

export type Released = OfCall & { readonly state: "released" }

type Settling = OfCall & Leased & Intended & { readonly state: "settling" }

export type Unresolved = OfCall & Intended & {
  readonly state: "unresolved"
  /** Milliseconds since the intent to settle was stored. */
  readonly intendedAgoMs: number
  /** The transaction a facilitator named; a hint. */
  readonly transactionHint: string | null
}

type Settled = OfCall & Leased & {
  readonly state: "settled"
  readonly order: "settle-early"
  readonly paidAt: PaidAt
}

export type Answered =
  & OfCall
  & {
    readonly state: "answered"
    readonly paidAt: PaidAt
    /** Milliseconds since the answer was charged. */
    readonly answeredAgoMs: number
  }
  & (
    /** Not delivered on a live connection yet. */
    | { readonly sent: false; readonly answer: StoredAnswer }
    /** A body that was delivered is not kept for ever. */
    | { readonly sent: true; readonly answer: StoredAnswer | null }
  )

/** Paid, not answered, and refunded: the refund says how far that is. */
export type Owed = (OfCall | Unmatched) & {
  readonly state: "refund_due" | "refunded"
  readonly paidAt: PaidAt
  /** What its payer paid under its nonce: the amount, unless they spent it on another sum. */
  readonly paidAmount: AtomicAmount
  readonly refund: RefundSummary
}

type Void = (OfCall | Unmatched) & {
  readonly state: "void"
  /** Where the chain showed a payment that was reorganised away; null when it never did. */
  readonly paidAt: PaidAt | null
}

/** One payment: each state has what belongs to it and nothing else. */
export type Payment =
  | Claimed
  | Released
  | Settling
  | Unresolved
  | Settled
  | Answered
  | Owed
  | Void

/** A payment as one flat row, where null stands for what its state does not have. */
export interface PaymentRecord extends Omit<PaymentTicket, CallFields>, Versioned {
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
  readonly sent: boolean
  readonly refund: RefundSummary | null
}

/** A stored row that lacks what its state must have. */
class InvalidPayment extends Schema.TaggedError<InvalidPayment>()("InvalidPayment", {
  paymentId: PaymentId,
  state: PaymentState,
}) {
  override get message() {
    return `The row of payment ${this.paymentId} lacks what the state ${this.state} must have`
  }
}

/**
 * The payment that a record is. What its state does not have is left out. Each arm below rests on the
 * CHECKs of the table `payment` (see the migrations), which refuse a row that lacks what the arm asks
 * for, and on the trigger that lets a payment be born with all of its call or none: who loosens one of
 * them makes payments that cannot be read.
 */
export function paymentOf(record: PaymentRecord): Result.Result<Payment, InvalidPayment> {
  const { paymentId, state } = record
  const payment = inState(record)
  return payment === null
    ? Result.fail(new InvalidPayment({ paymentId, state }))
    : Result.succeed(payment)
}

function inState(record: PaymentRecord): Payment | null {
  const { state, paidAt, refund, leaseLeftMs, intendedAgoMs, transactionHint, answer } = record
  const call = ofCall(record)
  const owner = call ?? unmatched(record)
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
      return call && leased && paidAt && call.order === "settle-early"
        ? { ...call, ...leased, state, order: call.order, paidAt }
        : null
    case "answered": {
      const { answeredAgoMs, sent } = record
      if (call === null || paidAt === null || answeredAgoMs === null) return null
      const charged = { ...call, state, paidAt, answeredAgoMs }
      return sent ? { ...charged, sent, answer } : answer && { ...charged, sent, answer }
    }
    case "refund_due":
    case "refunded": {
      const paidAmount = record.paidAmount ?? record.amount
      return owner && paidAt && refund && { ...owner, state, paidAt, paidAmount, refund }
    }
    case "void":
      return owner && { ...owner, state, paidAt }
  }
}

type Owner = Omit<PaymentTicket, CallFields> & Versioned

function ownerOf(record: Owner): Owner {
  const { paymentId, token, authorization, amount, order, fence, secretHash } = record
  return { paymentId, token, authorization, amount, order, fence, secretHash }
}

function ofCall(record: PaymentRecord): OfCall | null {
  const { signature, productId, request } = record
  return signature === null || productId === null || request === null
    ? null
    : { ...ownerOf(record), signature, productId, request }
}

function unmatched(record: PaymentRecord): Unmatched | null {
  const { signature, productId, request } = record
  return signature === null && productId === null && request === null
    ? { ...ownerOf(record), signature, productId, request }
    : null
}

function intendedOf({ order, answer }: PaymentRecord): Intended | null {
  return order === "settle-early" ? { order } : answer && { order, answer }
}

const absent = {
  leaseLeftMs: null,
  intendedAgoMs: null,
  transactionHint: null,
  paidAt: null,
  paidAmount: null,
  answer: null,
  answeredAgoMs: null,
  sent: false,
  refund: null,
} as const

/** The record of a payment. */
export function recordOf(payment: Payment): PaymentRecord {
  return { ...absent, ...payment }
}
