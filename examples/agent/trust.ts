/**
 * What an agent holds against one another before it signs, and after it paid: the contract's price,
 * the challenge, the receipt, and what the service tells of the payment.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { atomic, type AtomicAmount, usd } from "../../src/core/domain/money.ts"
import type { Offer } from "./contract.ts"

/** The one token and network this agent pays with: USDC on Base. */
export const network = "eip155:8453"
export const chainId = 8453
export const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** An authorization that can be used for longer than this is not signed. */
export const timeoutSecondsMax = 600

/** Two things that should be the same are not. */
export class Distrust extends Schema.TaggedError<Distrust>()("Distrust", {
  message: Schema.String,
}) {}

const Units = Schema.String.check(Schema.isPattern(/^\d{1,30}$/))
const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))

const Requirement = Schema.Struct({
  scheme: Schema.String,
  network: Schema.String,
  amount: Units,
  asset: Address,
  payTo: Address,
  maxTimeoutSeconds: Schema.Int,
})

/** The PAYMENT-REQUIRED header, decoded. */
const Challenge = Schema.Struct({
  x402Version: Schema.Literal(2),
  accepts: Schema.NonEmptyArray(Requirement),
  resource: Schema.Struct({ url: Schema.String }),
})

/** The body of a 402, for people; it has to say the same. */
const Body = Schema.Struct({
  accepts: Schema.NonEmptyArray(Schema.Struct({
    price: Schema.String.check(Schema.isPattern(/^\$\d{1,9}(\.\d{1,6})?$/)),
    payTo: Address,
  })),
})

/** What may be signed: nothing else of the challenge matters any more. */
export interface Terms {
  readonly amount: AtomicAmount
  readonly payTo: string
}

/** Whether the challenge asks for what the contract said, and for nothing else. */
export function checkChallenge(
  { offer, url, header, body }: {
    readonly offer: Offer
    readonly url: URL
    readonly header: unknown
    readonly body: unknown
  },
): Result.Result<Terms, Distrust> {
  const challenge = decodeChallenge(header)
  const shown = decodeBody(body)
  if (Result.isFailure(challenge)) return distrust("the challenge is not one of x402 version 2")
  if (Result.isFailure(shown)) return distrust("the body of the 402 names no price")
  const [asked] = challenge.success.accepts
  const [said] = shown.success.accepts
  if (asked.scheme !== "exact" || asked.network !== network) {
    return distrust(`it wants ${asked.scheme} on ${asked.network}, not exact on ${network}`)
  }
  if (!same(asked.asset, asset)) return distrust(`${asked.asset} is not USDC`)
  if (offer.price === null) return distrust("the contract calls this path free")
  if (BigInt(asked.amount) !== offer.price) {
    return distrust(`it asks for ${asked.amount} units, the contract for ${offer.price}`)
  }
  if (atomic(said.price.slice(1) as `${number}`) !== offer.price) {
    return distrust(`its body says ${said.price}, the contract $${usd(offer.price)}`)
  }
  if (!same(asked.payTo, said.payTo)) return distrust("header and body name two receivers")
  if (asked.maxTimeoutSeconds > timeoutSecondsMax) {
    return distrust(`the payment could be used for ${asked.maxTimeoutSeconds} s`)
  }
  if (!sameResource(challenge.success.resource.url, url)) {
    return distrust(
      `it is for ${challenge.success.resource.url}, not for ${url.origin}${url.pathname}`,
    )
  }
  return Result.succeed({ amount: offer.price, payTo: asked.payTo })
}

/** The one thing the key may sign: a transfer of USDC on Base, as EIP-712 has it. */
const Typed = Schema.Struct({
  domain: Schema.Struct({
    name: Schema.Literal("USD Coin"),
    version: Schema.Literal("2"),
    chainId: Schema.Literal(chainId),
    verifyingContract: Address,
  }),
  primaryType: Schema.Literal("TransferWithAuthorization"),
  message: Schema.Struct({
    from: Address,
    to: Address,
    value: Schema.BigInt,
    validAfter: Schema.BigInt,
    validBefore: Schema.BigInt,
  }),
})
const decodeTyped = Schema.decodeUnknownResult(Typed)

/**
 * Whether a message that lies before the key is what was agreed. The client that builds it is not
 * ours, and builds it from what the service says.
 */
export function checkTyped(
  typed: unknown,
  { amount, payTo }: Terms,
  payer: string,
  nowSeconds: number,
): Result.Result<void, Distrust> {
  const read = decodeTyped(typed)
  if (Result.isFailure(read) || !same(read.success.domain.verifyingContract, asset)) {
    return distrust("I am to sign something else than a transfer of USDC on Base")
  }
  const { from, to, value, validAfter, validBefore } = read.success.message
  if (!same(from, payer)) return distrust(`I am to sign for ${from}`)
  if (!same(to, payTo)) return distrust(`I am to sign a payment to ${to}, ${payTo} was agreed`)
  if (value !== amount) return distrust(`I am to sign for ${value} units, ${amount} were agreed`)
  if (validAfter > nowSeconds || validBefore > nowSeconds + timeoutSecondsMax) {
    return distrust(`I am to sign what can be used from ${validAfter} to ${validBefore}`)
  }
  return Result.void
}

const Receipt = Schema.Struct({
  success: Schema.Literal(true),
  payer: Address,
  transaction: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/)),
  network: Schema.String,
  amount: Schema.optionalKey(Units),
})
export type Receipt = typeof Receipt.Type

/** Whether the PAYMENT-RESPONSE is a receipt of what was signed. */
export function checkReceipt(
  receipt: unknown,
  { amount }: Terms,
  payer: string,
): Result.Result<Receipt, Distrust> {
  const read = decodeReceipt(receipt)
  if (Result.isFailure(read)) return distrust("the receipt is none")
  const { success } = read
  if (success.network !== network) return distrust(`the receipt is of ${success.network}`)
  if (!same(success.payer, payer)) return distrust("the receipt names another payer")
  if (success.amount !== undefined && BigInt(success.amount) !== amount) {
    return distrust(`the receipt is for ${success.amount} units, ${amount} were signed`)
  }
  return Result.succeed(success)
}

/** What `GET /v1/payments/{id}` tells. */
const PaymentRecord = Schema.Struct({
  state: Schema.String,
  amountUsd: Schema.String.check(Schema.isPattern(/^\d{1,9}(\.\d{1,6})?$/)),
  payer: Address,
  transaction: Schema.NullOr(Schema.String),
  refund: Schema.NullOr(Schema.Struct({ state: Schema.String })),
})
export type PaymentRecord = typeof PaymentRecord.Type

export const readRecord = Schema.decodeUnknownResult(PaymentRecord)

/** Whether the service's own books say what the receipt says. */
export function checkRecord(
  record: PaymentRecord,
  receipt: Receipt,
  { amount }: Terms,
): Result.Result<void, Distrust> {
  if (atomic(record.amountUsd as `${number}`) !== amount) {
    return distrust(`the books say $${record.amountUsd}, $${usd(amount)} were signed`)
  }
  if (record.transaction !== receipt.transaction) {
    return distrust("books and receipt name two transactions")
  }
  if (!same(record.payer, receipt.payer)) return distrust("books and receipt name two payers")
  return Result.void
}

const decodeChallenge = Schema.decodeUnknownResult(Challenge)
const decodeBody = Schema.decodeUnknownResult(Body)
const decodeReceipt = Schema.decodeUnknownResult(Receipt)

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function sameResource(named: string, asked: URL): boolean {
  const url = URL.parse(named)
  return url !== null && url.origin === asked.origin && url.pathname === asked.pathname
}

function distrust(message: string): Result.Result<never, Distrust> {
  return Result.fail(new Distrust({ message }))
}
