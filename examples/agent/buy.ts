/**
 * One purchase: challenge, checks, signature, payment, receipt.
 *
 * The reference client signs once. After that only the same payment is sent again, with the same
 * Idempotency-Key, so it is taken at most once.
 *
 * @module
 */
import { x402Client, x402HTTPClient } from "@x402/core/client"
import { type ClientEvmSigner, ExactEvmScheme } from "@x402/evm"
import { Clock, Effect, Option, Result, Schema } from "effect"
import { encodeAbiParameters, keccak256 } from "viem"
import type { LocalAccount } from "viem/accounts"
import { addSigned, atomic, exceededLimit, usd, withOutcome } from "./budget.ts"
import type { Ledger, Limits, PaymentOutcome } from "./budget.ts"
import { Mismatch, type Offer } from "./discover.ts"
import {
  type HttpAnswer,
  plain,
  type Print,
  readRetryAfter,
  request,
  requestWithRetry,
} from "./http.ts"

/** The only token and network that this agent pays with: USDC on Base. */
const network = "eip155:8453"
const chainId = 8453
const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** The agent does not sign an authorization that is valid for longer. */
const timeoutSecondsMax = 600
/** How often one payment is sent before the agent looks up its state. */
const sendsMax = 12
/** The longest time of one purchase, whatever Retry-After says. */
export const purchaseTimeoutMs = 180_000
/** The wait before sending again when the answer has no Retry-After. */
const resendMs = 5_000

/** A key, its limits, and the ledger of its payments. Only the ledger changes. */
export interface Buyer {
  readonly base: URL
  readonly account: LocalAccount
  readonly limits: Limits
  ledger: Ledger
  readonly print: Print
}

export type PurchaseResult =
  | { readonly kind: "delivered"; readonly body: unknown; readonly charged: boolean }
  | { readonly kind: "failed"; readonly reason: string }

const failed = (reason: string): PurchaseResult => ({ kind: "failed", reason })

/** Buys a path at the price of its offer, or returns why not. Fails on a `Mismatch`. */
export const buy = Effect.fnUntraced(function* (buyer: Buyer, offer: Offer, path: string) {
  const url = new URL(path, buyer.base)
  const untilMs = (yield* Clock.currentTimeMillis) + purchaseTimeoutMs
  const unpaid = yield* requestWithRetry(url, buyer.print, { untilMs })
  if (unpaid.status !== 402) return failed(`status ${unpaid.status} instead of 402`)
  const { required, terms } = yield* challengeOf(unpaid, offer, url)
  const exceeded = exceededLimit(terms.amount, buyer.ledger, buyer.limits)
  if (exceeded !== null) return failed(exceeded)
  const payment = yield* sign(buyer, url, required, terms)
  const entry = { target: path, price: terms.amount, paymentId: payment.id }
  buyer.ledger = addSigned(buyer.ledger, entry)
  return yield* send(buyer, payment, untilMs)
})

const http = new x402HTTPClient(new x402Client())

/** The challenge of a 402, checked against the contract. */
const challengeOf = Effect.fnUntraced(function* (unpaid: HttpAnswer, offer: Offer, url: URL) {
  const header = yield* Effect.try({
    try: () => http.getPaymentRequiredResponse((name) => unpaid.headers.get(name), unpaid.body),
    catch: () => new Mismatch({ message: `${offer.path} returned 402 without a challenge` }),
  })
  const terms = yield* Effect.fromResult(checkChallenge(offer, url, { header, body: unpaid.body }))
  // Only the checked entry is passed to the client for signing.
  return { required: { ...header, accepts: header.accepts.slice(0, 1) }, terms }
})

/** A signed payment, as it is sent every time. */
interface Payment {
  readonly url: URL
  readonly terms: Terms
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/** The only field that is read from the reference client's payload. */
const Nonce = Schema.Struct({ nonce: Schema.TemplateLiteral(["0x", Schema.String]) })
const readSigned = Schema.decodeUnknownOption(
  Schema.Struct({ payload: Schema.Struct({ authorization: Nonce }) }),
)

const sign = Effect.fnUntraced(function* (
  { account, limits }: Buyer,
  url: URL,
  required: ReturnType<typeof http.getPaymentRequiredResponse>,
  terms: Terms,
) {
  const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  /** A signer that signs only the agreed transfer. */
  const signer: ClientEvmSigner = {
    address: account.address,
    signTypedData: (typed) => {
      Result.getOrThrow(checkTyped(typed, terms, account.address, nowSeconds))
      return account.signTypedData(typed)
    },
  }
  const client = x402Client.fromConfig({
    schemes: [{ network, client: new ExactEvmScheme(signer) }],
    // The reference client's own limit, in addition to the agent's.
    spendControls: { maxAmountPerPayment: `$${usd(limits.perCall)}` },
  })
  const payload = yield* Effect.tryPromise({
    try: () => client.createPaymentPayload(required),
    catch: (error) =>
      new Mismatch({ message: error instanceof Error ? error.message : String(error) }),
  })
  const read = readSigned(payload)
  if (Option.isNone(read)) {
    return yield* new Mismatch({
      message: "the payload has no nonce, so the payment cannot be looked up",
    })
  }
  const payment: Payment = {
    url,
    terms,
    id: paymentIdOf(account.address, read.value.payload.authorization.nonce),
    headers: {
      ...http.encodePaymentSignatureHeader(payload),
      "Idempotency-Key": crypto.randomUUID(),
    },
  }
  return payment
})

/** The service's id of a payment, computed from the authorization. */
function paymentIdOf(from: `0x${string}`, nonce: `0x${string}`): string {
  const types = ["string", "uint256", "address", "address", "bytes32"].map((type) => ({ type }))
  return keccak256(encodeAbiParameters(types, ["pay/v1", BigInt(chainId), asset, from, nonce]))
}

/** Sends the payment until its outcome is known or the time limit is reached. */
const send = Effect.fnUntraced(function* (buyer: Buyer, payment: Payment, untilMs: number) {
  const stopSending = Effect.fnUntraced(function* (reason: string) {
    const outcome = yield* updateOutcome(buyer, payment.id)
    return failed(`${reason}; the payment is ${outcome === "signed" ? "unclear" : outcome}`)
  })
  for (let sends = 1; sends <= sendsMax; sends += 1) {
    const answer = yield* request(payment.url, payment.headers)
    const result = interpretAnswer(answer)
    if (result.kind === "ended") {
      buyer.ledger = withOutcome(buyer.ledger, payment.id, result.outcome)
      return failed(result.reason)
    }
    if (result.kind === "delivered") {
      const { charged } = result
      if (charged && answer !== null) yield* checkPaid(buyer, payment, answer)
      else buyer.ledger = withOutcome(buyer.ledger, payment.id, "uncharged")
      return { kind: "delivered", body: answer?.body, charged } satisfies PurchaseResult
    }
    const { reason, waitMs } = result
    if ((yield* Clock.currentTimeMillis) + waitMs > untilMs) {
      return yield* stopSending(
        `${reason}; a wait of ${waitMs / 1_000} s would exceed the time limit`,
      )
    }
    yield* buyer.print(
      `  ${plain(reason, 300)}; sending the same payment again in ${waitMs / 1_000} s`,
    )
    yield* Effect.sleep(waitMs)
  }
  return yield* stopSending(`no answer after ${sendsMax} attempts`)
})

/**
 * What an answer to a request with a payment means. None leads to a second signature:
 * where the outcome is not known, or the payment was not used, the same payment is sent again.
 */
export type PaidAnswer =
  | { readonly kind: "delivered"; readonly charged: boolean }
  /** Wait, then send the same payment again. */
  | { readonly kind: "retry"; readonly waitMs: number; readonly reason: string }
  /** There will be no answer for this payment; its outcome is `outcome`. */
  | { readonly kind: "ended"; readonly outcome: PaymentOutcome; readonly reason: string }

const Failure = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  retryable: Schema.Boolean,
  charged: Schema.NullOr(Schema.Boolean),
  refund: Schema.optionalKey(Schema.Struct({ state: Schema.String })),
})
const readFailure = Schema.decodeUnknownOption(Schema.Struct({ error: Failure }))
const isRejection = Schema.is(Schema.Struct({ error: Schema.String }))
const isUncharged = Schema.is(Schema.Struct({ charged: Schema.Literal(false) }))

export function interpretAnswer(answer: HttpAnswer | null): PaidAnswer {
  const retry = (reason: string): PaidAnswer => {
    const retryAfter = answer?.headers.get("retry-after") ?? null
    return { kind: "retry", waitMs: readRetryAfter(retryAfter) ?? resendMs, reason }
  }
  const ended = (outcome: PaymentOutcome, reason: string): PaidAnswer => ({
    kind: "ended",
    outcome,
    reason,
  })
  if (answer === null) return retry("no answer")
  const { status, headers, body } = answer
  if (status === 200) {
    return { kind: "delivered", charged: headers.has("payment-response") || !isUncharged(body) }
  }
  if (status === 402) return ended("uncharged", isRejection(body) ? body.error : "not accepted")
  const failure = readFailure(body)
  if (Option.isNone(failure)) {
    // This is not the service's error format, so it is not known whether the request reached it.
    return status >= 500 || status === 429
      ? retry(`status ${status}`)
      : ended("signed", `an unknown answer with status ${status}`)
  }
  const { code, message, retryable, charged, refund } = failure.value.error
  const reason = `${code}: ${message}`
  if (refund !== undefined) {
    return ended(refund.state === "confirmed" ? "refunded" : "refundQueued", reason)
  }
  if (charged === true) return ended("charged", reason)
  return charged === null || retryable ? retry(reason) : ended("uncharged", reason)
}

/** Checks the receipt of a charged answer, and the service's record of the payment. */
const checkPaid = Effect.fnUntraced(function* (buyer: Buyer, payment: Payment, answer: HttpAnswer) {
  const { id, terms } = payment
  buyer.ledger = withOutcome(buyer.ledger, id, "charged")
  const sent = yield* Effect.try({
    try: () => http.getPaymentSettleResponse((name) => answer.headers.get(name)),
    catch: () => new Mismatch({ message: "the answer was charged but has no receipt" }),
  })
  const receipt = yield* Effect.fromResult(checkReceipt(sent, terms, buyer.account.address))
  const record = yield* lookUp(buyer, id)
  if (record === null) {
    return yield* buyer.print("  the receipt is valid; the service's record cannot be read now")
  }
  yield* Effect.fromResult(checkRecord(record, receipt, terms))
  yield* buyer.print(`  receipt and record agree: $${record.amountUsd} in ${receipt.transaction}`)
})

/** The service's record of a payment; null when it cannot be read. */
const lookUp = Effect.fnUntraced(function* ({ base }: Buyer, id: string) {
  const answer = yield* request(new URL(`/v1/payments/${id}`, base))
  return answer?.status === 200 ? Option.getOrNull(readRecord(answer.body)) : null
})

const outcomes: Readonly<Record<string, PaymentOutcome>> = {
  answered: "charged",
  settled: "charged",
  refund_due: "refundQueued",
  refunded: "refunded",
  void: "uncharged",
}

/** Updates the outcome of a payment from the service's record. */
export const updateOutcome = Effect.fnUntraced(function* (buyer: Buyer, id: string) {
  const record = yield* lookUp(buyer, id)
  const outcome = outcomes[record?.state ?? ""] ?? "signed"
  buyer.ledger = withOutcome(buyer.ledger, id, outcome)
  return outcome
})

const Units = Schema.String.check(Schema.isPattern(/^\d{1,30}$/))
const Usd = Schema.String.check(Schema.isPattern(/^\d{1,9}(\.\d{1,6})?$/))
const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))

/** The PAYMENT-REQUIRED header, decoded. */
const Challenge = Schema.Struct({
  x402Version: Schema.Literal(2),
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: Schema.String,
    network: Schema.String,
    amount: Units,
    asset: Address,
    payTo: Address,
    maxTimeoutSeconds: Schema.Int,
  })),
  resource: Schema.Struct({ url: Schema.String }),
})

/** The body of a 402, which must contain the same price and receiver. */
const BodyPrice = Schema.String.check(Schema.isPattern(/^\$\d{1,9}(\.\d{1,6})?$/))
const BodyOffer = Schema.Struct({ price: BodyPrice, payTo: Address })
const ChallengeBody = Schema.Struct({ accepts: Schema.NonEmptyArray(BodyOffer) })

/** The agreed terms: the only part of the challenge that is used after the checks. */
interface Terms {
  readonly amount: bigint
  readonly payTo: string
}

/** Checks that the challenge requests exactly what the contract says. */
export function checkChallenge(
  { price }: Offer,
  url: URL,
  { header, body }: { readonly header: unknown; readonly body: unknown },
): Result.Result<Terms, Mismatch> {
  const challenge = Option.getOrNull(Schema.decodeUnknownOption(Challenge)(header))
  const bodyOffer = Option.getOrNull(Schema.decodeUnknownOption(ChallengeBody)(body))
  if (challenge === null) return mismatch("the challenge is not x402 version 2")
  if (bodyOffer === null) return mismatch("the body of the 402 has no price")
  if (price === null) return mismatch("the contract says that this path is free")
  const { accepts: [{ scheme, amount, payTo, maxTimeoutSeconds, ...requested }], resource } =
    challenge
  const [summary] = bodyOffer.accepts
  const [on, where] = [`${scheme} on ${requested.network}`, URL.parse(resource.url)]
  const here = `${url.origin}${url.pathname}`
  return unless({ amount: price, payTo }, [
    [on !== `exact on ${network}`, `it requests ${on}, not exact on ${network}`],
    [!same(requested.asset, asset), `${requested.asset} is not USDC`],
    [BigInt(amount) !== price, `it requests ${amount} units, the contract says ${price}`],
    [
      atomic(summary.price.slice(1)) !== price,
      `its body says ${summary.price}, the contract says $${usd(price)}`,
    ],
    [!same(payTo, summary.payTo), "header and body have different receivers"],
    [
      maxTimeoutSeconds > timeoutSecondsMax,
      `the payment would be valid for ${maxTimeoutSeconds} s`,
    ],
    [`${where?.origin}${where?.pathname}` !== here, `it is for ${resource.url}, not for ${here}`],
  ])
}

/** The only message that the key may sign: an EIP-712 transfer of USDC on Base. */
const TypedTransfer = Schema.Struct({
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

/**
 * Checks that the message to sign matches the agreed terms. The reference client builds it from the
 * service's data.
 */
export function checkTyped(
  typed: unknown,
  { amount, payTo }: Terms,
  payer: string,
  nowSeconds: number,
): Result.Result<void, Mismatch> {
  const read = Option.getOrNull(Schema.decodeUnknownOption(TypedTransfer)(typed))
  if (read === null || !same(read.domain.verifyingContract, asset)) {
    return mismatch("the message to sign is not a transfer of USDC on Base")
  }
  const { from, to, value, validAfter, validBefore } = read.message
  return unless(undefined, [
    [!same(from, payer), `the message to sign spends from ${from}`],
    [!same(to, payTo), `the message to sign pays ${to} instead of ${payTo}`],
    [value !== amount, `the message to sign is for ${value} units instead of ${amount}`],
    [
      validAfter > nowSeconds || validBefore > nowSeconds + timeoutSecondsMax,
      `the message to sign is valid from ${validAfter} to ${validBefore}`,
    ],
  ])
}

/** The PAYMENT-RESPONSE header, decoded. */
const Receipt = Schema.Struct({
  success: Schema.Literal(true),
  payer: Address,
  transaction: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/)),
  network: Schema.String,
  amount: Schema.optionalKey(Units),
})
type Receipt = typeof Receipt.Type

/** Checks that the PAYMENT-RESPONSE is a receipt of the signed payment. */
export function checkReceipt(
  receipt: unknown,
  { amount }: Terms,
  payer: string,
): Result.Result<Receipt, Mismatch> {
  const read = Option.getOrNull(Schema.decodeUnknownOption(Receipt)(receipt))
  if (read === null) return mismatch("the receipt is invalid")
  return unless(read, [
    [read.network !== network, `the receipt is of ${read.network}`],
    [!same(read.payer, payer), "the receipt has another payer"],
    [
      read.amount !== undefined && BigInt(read.amount) !== amount,
      `the receipt is for ${read.amount} units, but ${amount} were signed`,
    ],
  ])
}

/** The answer of `GET /v1/payments/{paymentId}`. */
const PaymentRecord = Schema.Struct({
  state: Schema.String,
  amountUsd: Usd,
  payer: Address,
  transaction: Schema.NullOr(Schema.String),
})
const readRecord = Schema.decodeUnknownOption(PaymentRecord)

/** Checks that the service's record matches the receipt. */
export function checkRecord(
  { amountUsd, transaction, payer }: typeof PaymentRecord.Type,
  receipt: Receipt,
  { amount }: Terms,
): Result.Result<void, Mismatch> {
  return unless(undefined, [
    [atomic(amountUsd) !== amount, `the record says $${amountUsd}, but $${usd(amount)} was signed`],
    [transaction !== receipt.transaction, "record and receipt have different transactions"],
    [!same(payer, receipt.payer), "record and receipt have different payers"],
  ])
}

/** Returns the value, or fails with the first check that is true. */
function unless<A>(
  value: A,
  wrong: ReadonlyArray<readonly [is: boolean, message: string]>,
): Result.Result<A, Mismatch> {
  const found = wrong.find(([is]) => is)
  return found === undefined ? Result.succeed(value) : mismatch(found[1])
}

function mismatch(message: string): Result.Result<never, Mismatch> {
  return Result.fail(new Mismatch({ message }))
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
