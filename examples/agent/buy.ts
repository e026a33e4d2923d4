/**
 * One purchase: challenge, checks, signature, payment, receipt.
 *
 * The reference client makes the signature, once; whatever happens afterwards, the same payment is
 * sent again under the same Idempotency-Key, so it is taken at most once.
 *
 * @module
 */
import { x402Client, x402HTTPClient } from "@x402/core/client"
import { type ClientEvmSigner, ExactEvmScheme } from "@x402/evm"
import { Clock, Effect, Option, Result, Schema } from "effect"
import { encodeAbiParameters, keccak256 } from "viem"
import type { LocalAccount } from "viem/accounts"
import { atomic, noted, objection, signed, usd } from "./budget.ts"
import type { Ledger, Limits, Standing } from "./budget.ts"
import { Distrust, type Offer } from "./discover.ts"
import { type Answer, ask, askPatiently, plain, readRetryAfter, type Say } from "./http.ts"

/** The one token and network this agent pays with: USDC on Base. */
const network = "eip155:8453"
const chainId = 8453
const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** An authorization that can be used for longer than this is not signed. */
const timeoutSecondsMax = 600
/** How often one payment is sent before the agent looks up what became of it. */
const sendsMax = 12
/** How long one purchase may take, from first request to last, whatever Retry-After says. */
export const purchaseMs = 180_000
/** How long to wait before sending again where the service does not say. */
const resendMs = 5_000

/** A key, its limits, and what it signed so far: the ledger is all that changes. */
export interface Buyer {
  readonly base: URL
  readonly account: LocalAccount
  readonly limits: Limits
  ledger: Ledger
  readonly say: Say
}

export type Purchase =
  | { readonly kind: "delivered"; readonly body: unknown; readonly charged: boolean }
  | { readonly kind: "missed"; readonly why: string }

const missed = (why: string): Purchase => ({ kind: "missed", why })

/** Buys a path at the price of its offer, or says why not. Fails where two facts disagree. */
export const buy = Effect.fnUntraced(function* (buyer: Buyer, offer: Offer, path: string) {
  const url = new URL(path, buyer.base)
  const untilMs = (yield* Clock.currentTimeMillis) + purchaseMs
  const unpaid = yield* askPatiently(url, buyer.say, { untilMs })
  if (unpaid.status !== 402) return missed(`status ${unpaid.status} instead of 402`)
  const { required, terms } = yield* challengeOf(unpaid, offer, url)
  const against = objection(terms.amount, buyer.ledger, buyer.limits)
  if (against !== null) return missed(against)
  const payment = yield* sign(buyer, url, required, terms)
  const entry = { what: path, price: terms.amount, paymentId: payment.id }
  buyer.ledger = signed(buyer.ledger, entry)
  return yield* send(buyer, payment, untilMs)
})

const http = new x402HTTPClient(new x402Client())

/** The challenge of a 402, checked against the contract. */
const challengeOf = Effect.fnUntraced(function* (unpaid: Answer, offer: Offer, url: URL) {
  const header = yield* Effect.try({
    try: () => http.getPaymentRequiredResponse((name) => unpaid.headers.get(name), unpaid.body),
    catch: () => new Distrust({ message: `${offer.path} answers 402 without a challenge` }),
  })
  const terms = yield* Effect.fromResult(checkChallenge(offer, url, { header, body: unpaid.body }))
  // Only the entry that was checked goes on to be signed.
  return { required: { ...header, accepts: header.accepts.slice(0, 1) }, terms }
})

/** A payment as it is sent, however often. */
interface Payment {
  readonly url: URL
  readonly terms: Terms
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/** What is read of a payload that the reference client made. */
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
  /** The key, that signs what was agreed and nothing else. */
  const signer: ClientEvmSigner = {
    address: account.address,
    signTypedData: (typed) => {
      Result.getOrThrow(checkTyped(typed, terms, account.address, nowSeconds))
      return account.signTypedData(typed)
    },
  }
  const client = x402Client.fromConfig({
    schemes: [{ network, client: new ExactEvmScheme(signer) }],
    // The reference client's own limit, in addition to ours.
    spendControls: { maxAmountPerPayment: `$${usd(limits.perCall)}` },
  })
  const payload = yield* Effect.tryPromise({
    try: () => client.createPaymentPayload(required),
    catch: (error) =>
      new Distrust({ message: error instanceof Error ? error.message : String(error) }),
  })
  const read = readSigned(payload)
  if (Option.isNone(read)) {
    return yield* new Distrust({ message: "the payment is not one that can be looked up" })
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

/** The service's id of a payment: anyone with the authorization can compute it. */
function paymentIdOf(from: `0x${string}`, nonce: `0x${string}`): string {
  const types = ["string", "uint256", "address", "address", "bytes32"].map((type) => ({ type }))
  return keccak256(encodeAbiParameters(types, ["pay/v1", BigInt(chainId), asset, from, nonce]))
}

/** Sends the payment until its outcome is known, or it has waited long enough. */
const send = Effect.fnUntraced(function* (buyer: Buyer, payment: Payment, untilMs: number) {
  const givenUp = Effect.fnUntraced(function* (why: string) {
    const standing = yield* clarify(buyer, payment.id)
    return missed(`${why}; the payment is ${standing === "signed" ? "unclear" : standing}`)
  })
  for (let sends = 1; sends <= sendsMax; sends += 1) {
    const answer = yield* ask(payment.url, payment.headers)
    const verdict = verdictOf(answer)
    if (verdict.kind === "over") {
      buyer.ledger = noted(buyer.ledger, payment.id, verdict.standing)
      return missed(verdict.why)
    }
    if (verdict.kind === "delivered") {
      const { charged } = verdict
      if (charged && answer !== null) yield* checkPaid(buyer, payment, answer)
      else buyer.ledger = noted(buyer.ledger, payment.id, "uncharged")
      return { kind: "delivered", body: answer?.body, charged } satisfies Purchase
    }
    const { why, waitMs } = verdict
    if ((yield* Clock.currentTimeMillis) + waitMs > untilMs) {
      return yield* givenUp(`${why}; ${waitMs / 1_000} s more is longer than I wait`)
    }
    yield* buyer.say(`  ${plain(why, 300)}; I send the same payment again in ${waitMs / 1_000} s`)
    yield* Effect.sleep(waitMs)
  }
  return yield* givenUp(`no answer to ${sendsMax} sends`)
})

/**
 * What the answer to a request with a payment means. No verdict says "sign once more": where the
 * outcome is not known, and where the payment was not used, the same payment is sent again.
 */
export type Verdict =
  | { readonly kind: "delivered"; readonly charged: boolean }
  /** Wait, then send the same payment again. */
  | { readonly kind: "again"; readonly waitMs: number; readonly why: string }
  /** There will be no answer for this payment; what became of it is `standing`. */
  | { readonly kind: "over"; readonly standing: Standing; readonly why: string }

const Failure = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  retryable: Schema.Boolean,
  charged: Schema.NullOr(Schema.Boolean),
  refund: Schema.optionalKey(Schema.Struct({ state: Schema.String })),
})
const readFailure = Schema.decodeUnknownOption(Schema.Struct({ error: Failure }))
const isRejection = Schema.is(Schema.Struct({ error: Schema.String }))
const saysUncharged = Schema.is(Schema.Struct({ charged: Schema.Literal(false) }))

export function verdictOf(answer: Answer | null): Verdict {
  const again = (why: string): Verdict => {
    const retryAfter = answer?.headers.get("retry-after") ?? null
    return { kind: "again", waitMs: readRetryAfter(retryAfter) ?? resendMs, why }
  }
  const over = (standing: Standing, why: string): Verdict => ({ kind: "over", standing, why })
  if (answer === null) return again("the answer was lost")
  const { status, headers, body } = answer
  if (status === 200) {
    return { kind: "delivered", charged: headers.has("payment-response") || !saysUncharged(body) }
  }
  if (status === 402) return over("uncharged", isRejection(body) ? body.error : "not taken")
  const failure = readFailure(body)
  if (Option.isNone(failure)) {
    // Not the service's own words: whether the request reached it is not known.
    return status >= 500 || status === 429
      ? again(`status ${status}`)
      : over("signed", `an answer that is none, with status ${status}`)
  }
  const { code, message, retryable, charged, refund } = failure.value.error
  const why = `${code}: ${message}`
  if (refund !== undefined) {
    return over(refund.state === "confirmed" ? "refunded" : "refundQueued", why)
  }
  if (charged === true) return over("charged", why)
  return charged === null || retryable ? again(why) : over("uncharged", why)
}

/** Checks the receipt of an answer that was charged, and the service's books. */
const checkPaid = Effect.fnUntraced(function* (buyer: Buyer, payment: Payment, answer: Answer) {
  const { id, terms } = payment
  buyer.ledger = noted(buyer.ledger, id, "charged")
  const sent = yield* Effect.try({
    try: () => http.getPaymentSettleResponse((name) => answer.headers.get(name)),
    catch: () => new Distrust({ message: "the answer was charged and came without a receipt" }),
  })
  const receipt = yield* Effect.fromResult(checkReceipt(sent, terms, buyer.account.address))
  const record = yield* lookUp(buyer, id)
  if (record === null) {
    return yield* buyer.say("  receipt is mine; the service's books cannot be read now")
  }
  yield* Effect.fromResult(checkRecord(record, receipt, terms))
  yield* buyer.say(`  receipt and books agree: $${record.amountUsd} in ${receipt.transaction}`)
})

/** What the service's books say of a payment; null when they cannot be read. */
const lookUp = Effect.fnUntraced(function* ({ base }: Buyer, id: string) {
  const answer = yield* ask(new URL(`/v1/payments/${id}`, base))
  return answer?.status === 200 ? Option.getOrNull(readRecord(answer.body)) : null
})

const standings: Readonly<Record<string, Standing>> = {
  answered: "charged",
  settled: "charged",
  refund_due: "refundQueued",
  refunded: "refunded",
  void: "uncharged",
}

/** Notes what the books say of a payment whose outcome is not known. */
export const clarify = Effect.fnUntraced(function* (buyer: Buyer, id: string) {
  const record = yield* lookUp(buyer, id)
  const standing = standings[record?.state ?? ""] ?? "signed"
  buyer.ledger = noted(buyer.ledger, id, standing)
  return standing
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

/** The body of a 402, for people; it has to say the same. */
const ShownPrice = Schema.String.check(Schema.isPattern(/^\$\d{1,9}(\.\d{1,6})?$/))
const Shown = Schema.Struct({ price: ShownPrice, payTo: Address })
const ChallengeBody = Schema.Struct({ accepts: Schema.NonEmptyArray(Shown) })

/** What may be signed: nothing else of the challenge matters any more. */
interface Terms {
  readonly amount: bigint
  readonly payTo: string
}

/** Whether the challenge asks for what the contract says, and for nothing else. */
export function checkChallenge(
  { price }: Offer,
  url: URL,
  { header, body }: { readonly header: unknown; readonly body: unknown },
): Result.Result<Terms, Distrust> {
  const challenge = Option.getOrNull(Schema.decodeUnknownOption(Challenge)(header))
  const shown = Option.getOrNull(Schema.decodeUnknownOption(ChallengeBody)(body))
  if (challenge === null) return distrust("the challenge is not one of x402 version 2")
  if (shown === null) return distrust("the body of the 402 names no price")
  if (price === null) return distrust("the contract calls this path free")
  const { accepts: [{ scheme, amount, payTo, maxTimeoutSeconds, ...asked }], resource } = challenge
  const [said] = shown.accepts
  const [on, where] = [`${scheme} on ${asked.network}`, URL.parse(resource.url)]
  const here = `${url.origin}${url.pathname}`
  return unless({ amount: price, payTo }, [
    [on !== `exact on ${network}`, `it wants ${on}, not exact on ${network}`],
    [!same(asked.asset, asset), `${asked.asset} is not USDC`],
    [BigInt(amount) !== price, `it asks for ${amount} units, the contract for ${price}`],
    [
      atomic(said.price.slice(1)) !== price,
      `its body says ${said.price}, the contract $${usd(price)}`,
    ],
    [!same(payTo, said.payTo), "header and body name two receivers"],
    [maxTimeoutSeconds > timeoutSecondsMax, `the payment could be used for ${maxTimeoutSeconds} s`],
    [`${where?.origin}${where?.pathname}` !== here, `it is for ${resource.url}, not for ${here}`],
  ])
}

/** The one thing the key may sign: a transfer of USDC on Base, as EIP-712 has it. */
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
 * Whether a message that is about to be signed is what was agreed. The client that builds it is not
 * ours, and builds it from what the service says.
 */
export function checkTyped(
  typed: unknown,
  { amount, payTo }: Terms,
  payer: string,
  nowSeconds: number,
): Result.Result<void, Distrust> {
  const read = Option.getOrNull(Schema.decodeUnknownOption(TypedTransfer)(typed))
  if (read === null || !same(read.domain.verifyingContract, asset)) {
    return distrust("I am to sign something else than a transfer of USDC on Base")
  }
  const { from, to, value, validAfter, validBefore } = read.message
  return unless(undefined, [
    [!same(from, payer), `I am to sign for ${from}`],
    [!same(to, payTo), `I am to sign a payment to ${to}, ${payTo} was agreed`],
    [value !== amount, `I am to sign for ${value} units, ${amount} were agreed`],
    [
      validAfter > nowSeconds || validBefore > nowSeconds + timeoutSecondsMax,
      `I am to sign what can be used from ${validAfter} to ${validBefore}`,
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

/** Whether the PAYMENT-RESPONSE is a receipt of what was signed. */
export function checkReceipt(
  receipt: unknown,
  { amount }: Terms,
  payer: string,
): Result.Result<Receipt, Distrust> {
  const read = Option.getOrNull(Schema.decodeUnknownOption(Receipt)(receipt))
  if (read === null) return distrust("the receipt is none")
  return unless(read, [
    [read.network !== network, `the receipt is of ${read.network}`],
    [!same(read.payer, payer), "the receipt names another payer"],
    [
      read.amount !== undefined && BigInt(read.amount) !== amount,
      `the receipt is for ${read.amount} units, ${amount} were signed`,
    ],
  ])
}

/** What `GET /v1/payments/{paymentId}` returns. */
const PaymentRecord = Schema.Struct({
  state: Schema.String,
  amountUsd: Usd,
  payer: Address,
  transaction: Schema.NullOr(Schema.String),
})
const readRecord = Schema.decodeUnknownOption(PaymentRecord)

/** Whether the service's books say what the receipt says. */
export function checkRecord(
  { amountUsd, transaction, payer }: typeof PaymentRecord.Type,
  receipt: Receipt,
  { amount }: Terms,
): Result.Result<void, Distrust> {
  return unless(undefined, [
    [atomic(amountUsd) !== amount, `the books say $${amountUsd}, $${usd(amount)} were signed`],
    [transaction !== receipt.transaction, "books and receipt name two transactions"],
    [!same(payer, receipt.payer), "books and receipt name two payers"],
  ])
}

/** The value, unless one of these is wrong. */
function unless<A>(
  value: A,
  wrong: ReadonlyArray<readonly [is: boolean, message: string]>,
): Result.Result<A, Distrust> {
  const found = wrong.find(([is]) => is)
  return found === undefined ? Result.succeed(value) : distrust(found[1])
}

function distrust(message: string): Result.Result<never, Distrust> {
  return Result.fail(new Distrust({ message }))
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
