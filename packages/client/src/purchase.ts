/**
 * One purchase: challenge, checks, signature, payment, receipt.
 *
 * The key signs once per purchase. The signed payment and its Idempotency-Key are in the ledger
 * before they are sent. After that only the same payment is sent again under the same key, by this
 * call or by the next one for the same path and query, so it is taken at most once. A new payment is
 * signed only when the earlier one is final: answered, refunded, or expired and void or unknown in the
 * service's records.
 *
 * @module
 */
import type { LocalAccount } from "viem/accounts"
import { Charged, ChargeUnknown, NotCharged, type PaymentInfo } from "./errors.ts"
import { type Http, type HttpAnswer, request, requestWithRetry } from "./http.ts"
import { interpretAnswer, type PaidAnswer } from "./interpret.ts"
import {
  type Ledger,
  type LedgerChange,
  type LedgerPayment,
  type LedgerState,
  LedgerUnusable,
  leftToday,
  type OpenPayment,
  openPayment,
  type PaymentOutcome,
  utcDay,
  withOutcome,
  withSigned,
} from "./ledger.ts"
import { usd } from "./money.ts"
import { challengeOf, receiptOf, type SignedPayment, signPayment } from "./sign.ts"
import { type PaymentRecord, readReceipt, readRecord, readTerms, type Terms } from "./terms.ts"
import { wrongRecord } from "./terms.ts"
import { fieldsOf, isSame, plain } from "./text.ts"

/** How often a call sends one payment before it looks up its state. */
export const sendsMax = 12
/** How long after its end a payment counts as expired, for clocks that differ. */
export const expiryMarginSeconds = 30

export interface Buyer extends Http {
  readonly account: LocalAccount
  readonly ledger: Ledger
  readonly budget: bigint
  readonly priceMax: bigint
  /** The receiver that the user named; null for the one in the ledger. */
  readonly payTo: string | null
  readonly callMsMax: number
  readonly makeKey: () => string
}

export interface Purchase {
  readonly name: string
  readonly url: URL
  readonly price: bigint
  readonly signal: AbortSignal | undefined
  /** A charged payment stays unclear until `received` says that its answer has arrived. */
  readonly isHeld: boolean
}

export interface Bought {
  readonly answer: HttpAnswer
  /** Null when nothing was charged. */
  readonly payment: PaymentInfo | null
  /** Whether a payment of an earlier call was sent again. */
  readonly isEarlier: boolean
  /** Whether a payment was sent. */
  readonly isSigned: boolean
}

/** Buys the answer of one call. Fails with one of the three errors, and with nothing else. */
export async function buy(settings: Buyer, purchase: Purchase): Promise<Bought> {
  const buyer = { ...settings, fetch: endedBy(settings.fetch, purchase.signal) }
  const untilMs = buyer.clock.nowMs() + buyer.callMsMax
  let key: string | null = null
  for (let earlier = await openEarlier(buyer, purchase); earlier !== null;) {
    const bought = await send(buyer, purchase, earlier, { isEarlier: true, untilMs })
    if (bought !== "gone") return bought
    // The service charges one key of a payer and a request once, whatever the clocks say.
    key = earlier.sent.key
    earlier = await openEarlier(buyer, purchase)
  }
  await checkLimits(buyer, purchase)
  const unpaid = await unpaidAnswer(buyer, purchase, untilMs)
  if (unpaid.status === 200) {
    return { answer: unpaid, payment: null, isEarlier: false, isSigned: false }
  }
  const terms = termsOf(unpaid, purchase)
  const { payment, isEarlier } = await reserve(buyer, purchase, terms, key ?? buyer.makeKey())
  const bought = await send(buyer, purchase, payment, { isEarlier, untilMs })
  if (bought !== "gone") return bought
  throw notCharged(
    "payment_expired",
    "the payment expired before it was used.",
    "Make the same call again.",
  )
}

/** Requests that end with the call, those for records included. */
function endedBy(fetch: Http["fetch"], signal: AbortSignal | undefined): Http["fetch"] {
  if (signal === undefined) return fetch
  return (input, init) =>
    fetch(input, {
      ...init,
      signal: AbortSignal.any([signal, ...init?.signal ? [init.signal] : []]),
    })
}

export function notCharged(
  code: string,
  why: string,
  next: string,
  retryAfterMs?: number,
): NotCharged {
  return new NotCharged({
    ...{ code, next, retryAfterMs: retryAfterMs ?? null },
    message: `Nothing was charged: ${why}`,
  })
}

/** A change of the ledger; fails before anything is sent when that is not possible. */
export async function inLedger<A>(
  { ledger }: Buyer,
  change: (state: LedgerState) => LedgerChange<A> | Promise<LedgerChange<A>>,
): Promise<A> {
  try {
    return await ledger.transact(change)
  } catch (error) {
    if (!(error instanceof LedgerUnusable)) throw error
    throw notCharged(
      "ledger_unusable",
      `${error.message}.`,
      "Mend the ledger, then make the same call again.",
    )
  }
}

/** The payment of an earlier call, marked as being sent; null when there is none. */
function openEarlier(buyer: Buyer, { url }: Purchase): Promise<OpenPayment | null> {
  return inLedger(buyer, (state) => {
    const found = openPayment(state, {
      ...{ url: url.href, payer: buyer.account.address },
    })
    const next = found === null ? state : withOutcome(state, found.paymentId, "unclear")
    return { state: next, result: found }
  })
}

/** Refuses a price over the cap or the budget, before the service is asked. */
async function checkLimits(buyer: Buyer, purchase: Purchase): Promise<void> {
  const { name, price } = purchase
  if (price > buyer.priceMax) {
    const budget = price > buyer.budget ? " and budgetUsd (BUDGET_USD)" : ""
    throw notCharged(
      "over_cap",
      `${name} costs $${usd(price)}, and one call may cost $${usd(buyer.priceMax)}.`,
      `Raise maxPriceUsd (MAX_PRICE_USD in the environment)${budget}, or make a cheaper call.`,
    )
  }
  const nowMs = buyer.clock.nowMs()
  const left = await inLedger(buyer, (state) => ({
    state,
    result: leftToday(state, buyer.budget, nowMs),
  }))
  if (price > left) throw overBudget(buyer, purchase, left)
}

function overBudget({ budget }: Buyer, { name, price }: Purchase, left: bigint): NotCharged {
  return notCharged(
    "over_budget",
    `${name} costs $${usd(price)}, and $${usd(left)} of $${usd(budget)} is left today.`,
    price > budget ? "Raise BUDGET_USD." : "Wait until the next UTC day, or raise BUDGET_USD.",
  )
}

/** The answer to the call without a payment: a 402 with terms, or a 200. */
async function unpaidAnswer(
  buyer: Buyer,
  { url, signal }: Purchase,
  untilMs: number,
): Promise<HttpAnswer> {
  const repeated = await requestWithRetry(buyer, url, { untilMs, signal })
  if (repeated.kind === "given up") throw unavailable(url, repeated, signal)
  const { answer } = repeated
  if (signal?.aborted === true) throw aborted()
  const isAnswer = answer.status === 200 && Object.keys(fieldsOf(answer.body)).length > 0
  if (answer.status === 402 || isAnswer) return answer
  throw withoutTerms(answer)
}

function aborted(): NotCharged {
  return notCharged("aborted", "the call was ended before anything was signed.", "")
}

/** A request without a payment that was not answered. */
export function unavailable(
  { pathname }: URL,
  { reason, waitMs }: { readonly reason: string; readonly waitMs: number },
  signal: AbortSignal | undefined,
): NotCharged {
  if (signal?.aborted === true) return aborted()
  return notCharged(
    "unavailable",
    `${pathname} did not answer (${reason}).`,
    `Nothing was signed. Make the same call again in ${Math.ceil(waitMs / 1_000)} s.`,
    waitMs,
  )
}

/** A request without a payment that was refused. */
export function withoutTerms(answer: HttpAnswer): NotCharged {
  const meaning = interpretAnswer(answer)
  const { code, reason } = meaning.kind === "delivered"
    ? { code: "unknown_answer", reason: "the answer was not expected" }
    : meaning
  return notCharged(code, `${reason}.`, "Nothing was signed. Correct the call or the address.")
}

/** The terms of a 402, which are exactly those of the contract. */
function termsOf({ headers, body }: HttpAnswer, { name, url, price }: Purchase): Terms {
  const terms = readTerms(price, url, challengeOf(headers, body), body)
  if (typeof terms !== "string") return terms
  throw notCharged(
    "terms_refused",
    `the service's terms for ${name} are not those of the contract: ${terms}.`,
    "Nothing was signed. If the prices have changed, install a newer bellwether-client.",
  )
}

interface Reserved {
  readonly payment: OpenPayment
  readonly isEarlier: boolean
}

/**
 * Signs a payment and stores it, unless another process has stored one for the same call since: then
 * that one is sent, and this signature is never used.
 */
async function reserve(
  buyer: Buyer,
  purchase: Purchase,
  terms: Terms,
  key: string,
): Promise<Reserved> {
  const { url, price, signal } = purchase
  const { account, clock, budget } = buyer
  let signed: SignedPayment | null = null
  return await inLedger<Reserved>(buyer, async (state) => {
    const nowMs = clock.nowMs()
    const found = openPayment(state, { url: url.href, payer: account.address })
    if (signal?.aborted === true) throw aborted()
    if (found !== null) {
      return {
        state: withOutcome(state, found.paymentId, "unclear"),
        result: { payment: found, isEarlier: true },
      }
    }
    checkReceiver(buyer, state, url, terms)
    const left = leftToday(state, budget, nowMs)
    if (price > left) throw overBudget(buyer, purchase, left)
    signed ??= await signOrRefuse(buyer, terms, nowMs)
    const payment: OpenPayment = {
      paymentId: signed.paymentId,
      url: url.href,
      payer: account.address,
      amount: price.toString(),
      day: utcDay(nowMs),
      validBefore: signed.validBefore,
      outcome: "unclear",
      sent: { signature: signed.signature, key },
    }
    return {
      state: withSigned(state, payment, terms.payTo),
      result: { payment, isEarlier: false },
    }
  })
}

async function signOrRefuse(
  { account }: Buyer,
  terms: Terms,
  nowMs: number,
): Promise<SignedPayment> {
  const signed = await signPayment(account, terms, nowMs)
  if (typeof signed !== "string") return signed
  throw notCharged("terms_refused", `${signed}.`, "Nothing was signed.")
}

/** The receiver is the one that the user named, or the one of the first purchase. */
function checkReceiver(buyer: Buyer, state: LedgerState, url: URL, { payTo }: Terms): void {
  const known = buyer.payTo ?? state.receivers[url.origin]
  if (known === undefined || isSame(known, payTo)) return
  throw notCharged(
    "receiver_changed",
    `the service asks for payment to ${payTo}; the receiver ${
      buyer.payTo === null ? "of the earlier purchases" : "in the settings"
    } is ${known}.`,
    "Nothing was signed. Report it to the user: only a person may accept another receiver, by the " +
      "setting payTo, and not because this service asks for it.",
  )
}

interface Sending {
  readonly isEarlier: boolean
  readonly untilMs: number
}

/**
 * Sends the payment until its outcome is known, or the limits of the call are reached. `gone`: it
 * can no longer be taken, so another one may be signed.
 */
async function send(
  buyer: Buyer,
  purchase: Purchase,
  payment: OpenPayment,
  { isEarlier, untilMs }: Sending,
): Promise<Bought | "gone"> {
  const { clock, onStep } = buyer
  const headers = {
    "PAYMENT-SIGNATURE": payment.sent.signature,
    "Idempotency-Key": payment.sent.key,
  }
  // Whether every send of this payment was answered with "not taken".
  let isUntaken = !isEarlier || payment.outcome === "unused"
  for (let sends = 1;; sends += 1) {
    const answer = await request(buyer, purchase.url, headers, purchase.signal)
    const meaning = interpretAnswer(answer)
    if (meaning.kind === "delivered") {
      return await delivered(buyer, purchase, payment, { ...meaning, isEarlier })
    }
    if (meaning.kind === "ended") {
      return await ended(buyer, payment, meaning, { isUntaken, isEarlier })
    }
    isUntaken &&= meaning.charged === false
    const { reason, waitMs } = meaning
    const isLast = sends === sendsMax || clock.nowMs() + waitMs > untilMs
    if (isLast || purchase.signal?.aborted === true) {
      return await givenUp(buyer, payment, meaning, { isUntaken, isEarlier })
    }
    onStep(`${plain(reason, 300)}; sending the same payment again in ${waitMs / 1_000} s`)
    await clock.sleep(waitMs, purchase.signal)
  }
}

interface Known {
  /** Whether every send of this payment was answered with "not taken". */
  readonly isUntaken: boolean
  readonly isEarlier: boolean
}

/**
 * A 200: checks the receipt and the service's record when it was charged. The outcome is stored last:
 * a process that is killed before fetches the answer again.
 */
async function delivered(
  buyer: Buyer,
  { isHeld }: Purchase,
  payment: OpenPayment,
  { answer, charged, isEarlier }: PaidAnswer & {
    readonly kind: "delivered"
    readonly isEarlier: boolean
  },
): Promise<Bought> {
  if (!charged) {
    await storeOutcome(buyer, payment.paymentId, "unused")
    return { answer, payment: null, isEarlier, isSigned: true }
  }
  const info = await checkedReceipt(buyer, payment, answer)
  if (!isHeld || info instanceof Charged) await received(buyer, payment.paymentId)
  if (info instanceof Charged) throw info
  return { answer, payment: info, isEarlier, isSigned: true }
}

/** The answer of a held payment has arrived: the next call for its target signs a new payment. */
export async function received(buyer: Buyer, paymentId: string): Promise<void> {
  await storeOutcome(buyer, paymentId, "charged")
}

/** The payment with its transaction; or what is wrong with its receipt. */
async function checkedReceipt(
  buyer: Buyer,
  payment: OpenPayment,
  answer: HttpAnswer,
): Promise<PaymentInfo | Charged> {
  const amount = BigInt(payment.amount)
  const receipt = readReceipt(receiptOf(answer.headers), amount, payment.payer)
  if (typeof receipt === "string") return receiptWrong(payment, receipt, answer)
  const record = await lookUp(buyer, payment)
  const info = { ...infoOf(payment), transaction: receipt.transaction }
  if (record === null || record === "none") {
    buyer.onStep("the receipt is valid; the service's record cannot be read now")
    return info
  }
  const wrong = wrongRecord(record, receipt, amount)
  if (wrong !== null) return receiptWrong(payment, wrong, answer)
  buyer.onStep(`receipt and record agree: $${info.amountUsd} in ${receipt.transaction}`)
  return info
}

function receiptWrong(payment: OpenPayment, wrong: string, { body }: HttpAnswer): Charged {
  const info = infoOf(payment)
  return new Charged({
    code: "receipt_wrong",
    message: `The service says that it charged $${info.amountUsd}, but ${wrong}.`,
    next:
      `The answer is in the error. Compare payment ${info.paymentId} with the chain before you ` +
      "buy again.",
    payment: info,
    body,
  })
}

/** An answer after which sending the same payment again does not help. */
async function ended(
  buyer: Buyer,
  payment: OpenPayment,
  meaning: PaidAnswer & { readonly kind: "ended" },
  known: Known,
): Promise<"gone"> {
  const { outcome, code, reason } = meaning
  switch (outcome) {
    case "charged":
    case "refundQueued":
    case "refunded":
      await storeOutcome(buyer, payment.paymentId, outcome)
      throw chargedWithoutAnswer(payment, code, reason, outcome)
    case "unused":
      if (!known.isUntaken) break
      await storeOutcome(buyer, payment.paymentId, "unused")
      throw unusedPayment(payment, code, reason, null)
    case "refused":
      // After its end the record decides whether another one may be signed.
      if (!known.isUntaken || validMsOf(buyer, payment) < 0) break
      await storeOutcome(buyer, payment.paymentId, "unused")
      throw unusedPayment(payment, code, reason, null)
    case "unknown":
      break
  }
  return await givenUp(buyer, payment, { ...meaning, charged: null, waitMs: 0 }, {
    ...known,
    isUntaken: false,
  })
}

/** No answer within the limits: what the service's record says decides. */
async function givenUp(
  buyer: Buyer,
  payment: OpenPayment,
  { code, reason, waitMs }: Omit<PaidAnswer & { readonly kind: "retry" }, "kind">,
  { isUntaken, isEarlier }: Known,
): Promise<"gone"> {
  if (isUntaken) {
    await storeOutcome(buyer, payment.paymentId, "unused")
    throw unusedPayment(payment, code, reason, waitMs)
  }
  const record = await lookUp(buyer, payment)
  const state = record === null || record === "none" ? record : record.state
  if (state === "refund_due" || state === "refunded") {
    const outcome = state === "refunded" ? "refunded" : "refundQueued"
    await storeOutcome(buyer, payment.paymentId, outcome)
    throw chargedWithoutAnswer(payment, code, reason, outcome)
  }
  const validMs = validMsOf(buyer, payment)
  const isNotTaken = state === "none" || state === "void"
  if (isNotTaken && validMs < 0) {
    await finish(buyer, payment)
    if (isEarlier) return "gone"
    throw unusedPayment(payment, code, reason, null)
  }
  const stored = await storeOutcome(buyer, payment.paymentId, "unclear")
  if (stored === "charged") throw answeredElsewhere(payment, code)
  // Until it has expired, it could still be taken.
  const againMs = isNotTaken ? Math.max(waitMs, validMs) : waitMs
  throw chargeUnknown(payment, { code, reason, waitMs: againMs, state })
}

/** How long a payment can still be taken, in ms; negative after its end. */
function validMsOf({ clock }: Buyer, { validBefore }: OpenPayment): number {
  return (validBefore + expiryMarginSeconds) * 1_000 - clock.nowMs()
}

function answeredElsewhere(payment: OpenPayment, code: string): Charged {
  const info = infoOf(payment)
  return new Charged({
    code,
    message: `$${info.amountUsd} was charged, and another call for the same answer received it.`,
    next: "Take the answer from there: the same call would buy it again.",
    payment: info,
  })
}

const again =
  "it sends the same payment under the same key, so it is charged at most once. Do not pay for it in " +
  "another way."

function chargeUnknown(
  payment: OpenPayment,
  { code, reason, waitMs, state }: {
    readonly code: string
    readonly reason: string
    readonly waitMs: number
    readonly state: string | null
  },
): ChargeUnknown {
  const info = infoOf(payment)
  const record = state === null
    ? "cannot be read"
    : state === "none"
    ? "does not exist yet"
    : `says ${state}`
  return new ChargeUnknown({
    code,
    message: `It is not known whether $${info.amountUsd} was charged: ${reason}. The service's ` +
      `record of payment ${info.paymentId} ${record}.`,
    next: `Make the same call again${
      waitMs > 0 ? ` in ${Math.ceil(waitMs / 1_000)} s` : ""
    }: ${again}`,
    retryAfterMs: waitMs,
    payment: info,
  })
}

function unusedPayment(
  payment: OpenPayment,
  code: string,
  reason: string,
  waitMs: number | null,
): NotCharged {
  const info = infoOf(payment)
  return new NotCharged({
    code,
    message: `Nothing was charged: ${reason}. The signed $${info.amountUsd} counts against ` +
      "today's budget all the same.",
    next: waitMs === null
      ? "Correct the call. The same call sends the same payment again while it is valid."
      : `Make the same call again in ${Math.ceil(waitMs / 1_000)} s.`,
    retryAfterMs: waitMs,
    payment: info,
  })
}

function chargedWithoutAnswer(
  payment: OpenPayment,
  code: string,
  reason: string,
  outcome: "charged" | "refundQueued" | "refunded",
): Charged {
  const info = infoOf(payment)
  const refund = { charged: null, refundQueued: "queued", refunded: "confirmed" }[outcome]
  return new Charged({
    code,
    message: `$${info.amountUsd} was charged without an answer: ${reason}.`,
    next: refund === null
      ? `Read the record of payment ${info.paymentId}.`
      : refund === "queued"
      ? `The refund is owed: the record of payment ${info.paymentId} shows its state.`
      : "It was refunded. Make the call again if you still need the answer.",
    payment: info,
    refund: refund === null ? null : { state: refund },
  })
}

export function infoOf({ paymentId, amount, url }: LedgerPayment): PaymentInfo {
  const { pathname, search } = new URL(url)
  return {
    paymentId,
    amountUsd: usd(BigInt(amount)),
    target: `${pathname}${search}`,
    transaction: null,
  }
}

/**
 * Stores what the service said. When that fails, the payment stays unclear: the next call for the
 * same target sends it again, and does not sign.
 */
export async function storeOutcome(
  { ledger, onStep }: Buyer,
  paymentId: string,
  outcome: PaymentOutcome,
): Promise<PaymentOutcome | null> {
  try {
    return await ledger.transact((state) => {
      const next = withOutcome(state, paymentId, outcome)
      const after = next.payments.find((payment) => payment.paymentId === paymentId)
      return { state: next, result: after?.outcome ?? null }
    })
  } catch (error) {
    if (!(error instanceof LedgerUnusable)) throw error
    onStep(`the outcome of payment ${paymentId} cannot be stored: ${error.message}`)
    return null
  }
}

/** Marks a payment as not charged for good, so that another one may be signed. */
function finish(buyer: Buyer, { paymentId }: OpenPayment): Promise<void> {
  return inLedger(buyer, (state) => ({
    state: withOutcome(state, paymentId, "uncharged"),
    result: undefined,
  }))
}

/** The service's record; `none` when it has none; null when that cannot be read now. */
async function lookUp(
  buyer: Buyer,
  { paymentId, url }: OpenPayment,
): Promise<PaymentRecord | "none" | null> {
  const answer = await request(buyer, new URL(`/v1/payments/${paymentId}`, url), {})
  if (answer?.status === 200) return readRecord(answer.body)
  const isNone = answer?.status === 404 &&
    fieldsOf(fieldsOf(answer.body)["error"])["code"] === "not_found"
  return isNone ? "none" : null
}
