/**
 * The client of Bellwether: calls every path of the service and pays for the paid ones within a
 * budget. See README.md.
 *
 * @module
 */
import { privateKeyToAccount } from "viem/accounts"
import type { LocalAccount } from "viem/accounts"
import { type BodyOf, type CallName, calls, type FeedItem } from "./contract.ts"
import type { ParametersOf, PaymentBody } from "./contract.ts"
import type { PaymentInfo } from "./errors.ts"
import { follow, type FollowOptions } from "./follow.ts"
import { type Clock, type Http, type HttpAnswer, requestWithRetry } from "./http.ts"
import {
  type Ledger,
  type LedgerPayment,
  LedgerUnusable,
  leftToday,
  memoryLedger,
} from "./ledger.ts"
import { atomic, usd } from "./money.ts"
import { nearest } from "./nearest.ts"
import { addressOf } from "./parameters.ts"
import {
  type Bought,
  buy,
  type Buyer,
  infoOf,
  notCharged,
  received,
  storeOutcome,
} from "./purchase.ts"
import { inLedger, unavailable, withoutTerms } from "./purchase.ts"
import { addressPattern, fieldsOf, hashPattern, matching, parseUrl, plain } from "./text.ts"

export { calls } from "./contract.ts"
export type { CallRow, Parameter } from "./call.ts"
export type { BodyOf, CallName, FeedItem, ParametersOf } from "./contract.ts"
export { BuyError, Charged, ChargeUnknown, NotCharged } from "./errors.ts"
export type { PaymentInfo, RefundInfo } from "./errors.ts"
export { fileLedger } from "./fileLedger.ts"
export type { FollowOptions } from "./follow.ts"
export type { Clock } from "./http.ts"
export { memoryLedger } from "./ledger.ts"
export { nearest } from "./nearest.ts"
export { network } from "./terms.ts"
export type { Ledger, LedgerPayment } from "./ledger.ts"
export { plain, quoted } from "./text.ts"

export interface ClientOptions {
  /** The address of the service. */
  readonly baseUrl: string
  /** 0x and 64 hexadecimal digits. Null: free calls only. */
  readonly privateKey: string | null
  /** The most that one call may cost. */
  readonly maxPriceUsd: string
  /** The most that is signed in a UTC day. */
  readonly budgetUsd: string
  readonly ledger?: Ledger
  /** The receiver; by default the one of the first purchase, which the ledger remembers. */
  readonly payTo?: string
  /** The longest time of one call, waits included. */
  readonly callMsMax?: number
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: Clock
  /** Makes the Idempotency-Key of a purchase. */
  readonly makeKey?: () => string
  /** Each step as one line without foreign control characters: waits, payments, receipts. */
  readonly onStep?: (line: string) => void
}

/** What is left of the budget of this UTC day. */
export interface Left {
  readonly budgetUsd: string
  readonly leftUsd: string
}

export interface Answer<Body> {
  readonly body: Body
  /** The body as it was received. */
  readonly text: string
  readonly charged: boolean
  /** The payment that was taken; null when nothing was charged. */
  readonly payment: PaymentInfo | null
  /** Whether it answers an earlier call, whose payment was sent again; it may be old. */
  readonly isEarlier: boolean
  /** Null without a key, or while the ledger cannot be read. */
  readonly left: Left | null
  /** One sentence about the money. */
  readonly sentence: string
}

export interface CallOptions {
  /** Ends the call. A payment that was sent by then stays in the ledger as unclear. */
  readonly signal?: AbortSignal
  /**
   * For a caller that passes the answer on: the payment stays unclear until `received` is called, so
   * that the same call fetches an answer that was lost on its way.
   */
  readonly hold?: boolean
}

type Call<Name extends CallName> = (
  parameters?: ParametersOf<Name>,
  options?: CallOptions,
) => Promise<Answer<BodyOf<Name>>>

export interface Client {
  /** Any call by its name; parameters are checked against the contract before anything is sent. */
  call<Name extends CallName>(
    name: Name,
    parameters?: ParametersOf<Name>,
    options?: CallOptions,
  ): Promise<Answer<BodyOf<Name>>>
  /** Whether the service takes money. This uses none of the free calls. */
  paymentMode(options?: CallOptions): Promise<"live" | "simulated">
  /** The service's record of a payment. */
  payment(paymentId: string, options?: CallOptions): Promise<Answer<PaymentBody>>
  /** New items, each once and in order, bought when the free index moves. */
  follow(options?: FollowOptions): AsyncGenerator<FeedItem, void, undefined>
  /** What is left today; null without a key, or while the ledger cannot be read. */
  left(): Promise<Left | null>
  /** The payments in the ledger, the oldest first. */
  payments(): Promise<ReadonlyArray<PaymentInfo & Pick<LedgerPayment, "day" | "outcome" | "payer">>>
  /** Ends the hold of a payment: its answer has arrived. */
  received(paymentId: string): Promise<void>
  /** The payer; null without a key. */
  readonly address: string | null

  readonly index: Call<"get_index">
  readonly pulse: Call<"get_pulse">
  readonly digestBrief: Call<"get_digest_brief">
  readonly trackRecord: Call<"get_track_record">
  readonly sample: Call<"get_sample">
  readonly health: Call<"get_health">
  readonly latest: Call<"get_latest">
  readonly signal: Call<"get_signal">
  readonly signals: Call<"get_signals">
  readonly digest: Call<"get_digest">
  readonly digestHistory: Call<"get_digest_history">
  readonly resolving: Call<"get_resolving">
  readonly whales: Call<"get_whales">
  readonly research: (
    parameters: ParametersOf<"get_research">,
    options?: CallOptions,
  ) => Promise<Answer<BodyOf<"get_research">>>
}

/** A call gives up after this time, waits included; its payment stays in the ledger. */
const callMsMaxDefault = 180_000

/** A client of one service. Throws a `TypeError` when an option is wrong; it never shows the key. */
export function makeClient(options: ClientOptions): Client {
  const baseUrl = baseUrlOf(options.baseUrl)
  const buyer = buyerOf(options)
  const http: Http = {
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    clock: options.clock ?? systemClock,
    onStep: options.onStep ?? (() => {}),
  }
  const context: Context = {
    http,
    baseUrl,
    buyer: buyer === null ? null : { ...http, ...buyer },
    callMsMax: options.callMsMax ?? callMsMaxDefault,
  }
  const call: Client["call"] = (name, parameters, options) =>
    callByName(context, name, parameters ?? {}, options)
  const method = <Name extends CallName>(name: Name): Call<Name> => (parameters, options) =>
    call(name, parameters, options)
  return {
    call,
    paymentMode: (options) => paymentModeOf(context, options?.signal),
    payment: (paymentId, options) => paymentRecord(context, paymentId, options?.signal),
    follow: (options = {}) =>
      follow({
        http,
        poll: (etag, signal) => pollIndex(context, etag, signal),
        buy: (parameters, signal) => callByName(context, "get_signals", parameters, { signal }),
      }, options),
    left: () => leftOf(context),
    payments: async () => {
      if (context.buyer === null) return []
      const payments = await inLedger(context.buyer, (state) => ({ state, result: state.payments }))
      return payments.map((payment) => {
        const { outcome, day, payer } = payment
        return { ...infoOf(payment), outcome, day, payer }
      })
    },
    received: async (paymentId) => {
      if (context.buyer !== null) await received(context.buyer, paymentId)
    },
    address: buyer?.account.address ?? null,
    index: method("get_index"),
    pulse: method("get_pulse"),
    digestBrief: method("get_digest_brief"),
    trackRecord: method("get_track_record"),
    sample: method("get_sample"),
    health: method("get_health"),
    latest: method("get_latest"),
    signal: method("get_signal"),
    signals: method("get_signals"),
    digest: method("get_digest"),
    digestHistory: method("get_digest_history"),
    resolving: method("get_resolving"),
    whales: method("get_whales"),
    research: method("get_research"),
  }
}

const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      if (signal?.aborted === true) end()
      signal?.addEventListener("abort", end)
    }),
}

interface Context {
  readonly http: Http
  readonly baseUrl: URL
  /** Null without a key. */
  readonly buyer: Buyer | null
  readonly callMsMax: number
}

function baseUrlOf(text: string): URL {
  const url = parseUrl(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("baseUrl must be an http or https address")
  }
  return url
}

/** The buyer's settings, checked. */
function buyerOf(options: ClientOptions): Omit<Buyer, keyof Http> | null {
  const { privateKey, ledger = memoryLedger(), callMsMax = callMsMaxDefault } = options
  const [budget, priceMax] = [atomic(options.budgetUsd), atomic(options.maxPriceUsd)]
  if (budget === null) throw new TypeError("budgetUsd must be an amount such as 0.25")
  if (priceMax === null) throw new TypeError("maxPriceUsd must be an amount such as 1.00")
  const payTo = options.payTo === undefined ? null : matching(options.payTo, addressPattern)
  if (options.payTo !== undefined && payTo === null) {
    throw new TypeError("payTo must be 0x and 40 hexadecimal digits")
  }
  if (privateKey === null) return null
  if (payTo === null && !isPrivateWay(baseUrlOf(options.baseUrl))) {
    throw new TypeError("payTo is needed with a baseUrl that is not https")
  }
  return {
    ...{ ledger, budget, priceMax, payTo, callMsMax },
    account: accountOf(privateKey),
    makeKey: options.makeKey ?? (() => crypto.randomUUID()),
  }
}

/** Whether no one on the way can change the receiver in an answer. */
function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
}

function accountOf(privateKey: string): LocalAccount {
  const wrong = new TypeError("privateKey must be 0x and 64 hexadecimal digits")
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) throw wrong
  try {
    return privateKeyToAccount(`0x${privateKey.slice(2)}`)
  } catch {
    throw wrong
  }
}

async function callByName<Name extends CallName>(
  context: Context,
  name: Name,
  parameters: object,
  { signal, hold = false }: {
    readonly signal?: AbortSignal | undefined
    readonly hold?: boolean
  } = {},
): Promise<Answer<BodyOf<Name>>> {
  if (!Object.hasOwn(calls, name)) {
    const meant = nearest(Object.keys(calls), String(name))
    throw notCharged(
      "unknown_call",
      `there is no call ${plain(String(name), 40)}${
        meant === null ? "" : `; the nearest is ${meant}`
      }.`,
      "See `calls`.",
    )
  }
  const row = calls[name]
  const url = addressOf(row, parameters, context.baseUrl)
  if (typeof url === "string") {
    throw notCharged("invalid_parameter", `${url}.`, "Correct the parameter; nothing was sent.")
  }
  const price = row.priceUsd === null ? null : atomic(row.priceUsd)
  if (price === null) {
    const answer = await free(context, url, { signal, isAnswer: isHealth })
    return await answerOf(context, { answer }, `Nothing was charged: ${name} is free.`)
  }
  if (context.buyer === null) {
    throw notCharged(
      "no_key",
      `${name} costs $${usd(price)}, and this client has no key.`,
      "Set a private key with USDC on Base, or make a free call.",
    )
  }
  const bought = await buy(context.buyer, { name, url, price, signal, isHeld: hold })
  return await answerOf(context, bought, paidSentence(name, bought))
}

/** Of a free call: 503 of /health says that the service is down, and is an answer. */
function isHealth({ status, body }: HttpAnswer): boolean {
  return status === 503 && typeof fieldsOf(body)["paymentMode"] === "string"
}

function paidSentence(name: string, { payment, isEarlier, isSigned }: Bought): string {
  if (!isSigned) return `Nothing was charged for ${name}, and nothing was signed`
  if (payment === null) {
    return `Nothing was charged for ${name}: the service did not use the payment, which counts ` +
      "against the budget all the same"
  }
  return isEarlier
    ? `This is the answer to an earlier call of ${name}, paid once with $${payment.amountUsd}`
    : `Paid $${payment.amountUsd} for ${name}`
}

async function answerOf<Body>(
  context: Context,
  { answer: { text, body }, payment = null, isEarlier = false }: {
    readonly answer: HttpAnswer
    readonly payment?: PaymentInfo | null
    readonly isEarlier?: boolean
  },
  sentence: string,
): Promise<Answer<Body>> {
  const left = await leftOf(context)
  return {
    // The service's own documents say that this is the shape; a purchase was checked by its receipt.
    body: body as Body,
    text,
    charged: payment !== null,
    payment,
    isEarlier,
    left,
    sentence: sentence.endsWith(".")
      ? sentence
      : left === null
      ? `${sentence}.`
      : `${sentence}; $${left.leftUsd} of this client's $${left.budgetUsd} left today.`,
  }
}

async function leftOf({ buyer }: Context): Promise<Left | null> {
  if (buyer === null) return null
  const nowMs = buyer.clock.nowMs()
  try {
    const left = await buyer.ledger.transact((state) => ({
      state,
      result: leftToday(state, buyer.budget, nowMs),
    }))
    return { budgetUsd: usd(buyer.budget), leftUsd: usd(left) }
  } catch (error) {
    // An answer that was paid for is not lost because the ledger cannot be read.
    if (error instanceof LedgerUnusable) return null
    throw error
  }
}

/** A call that costs nothing: its answer, or a `NotCharged`. */
async function free(
  { http, callMsMax }: Context,
  url: URL,
  { headers = {}, signal, isAnswer }: {
    readonly headers?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal | undefined
    readonly isAnswer?: (answer: HttpAnswer) => boolean
  },
): Promise<HttpAnswer> {
  const repeated = await requestWithRetry(http, url, {
    ...{ headers, signal, untilMs: http.clock.nowMs() + callMsMax },
    ...(isAnswer === undefined ? {} : { isAnswer }),
  })
  if (repeated.kind === "given up") throw unavailable(url, repeated, signal)
  const { answer } = repeated
  const isBody = answer.status === 200 && Object.keys(fieldsOf(answer.body)).length > 0
  if (isBody || answer.status === 304 || isAnswer?.(answer) === true) return answer
  throw withoutTerms(answer)
}

async function paymentModeOf(
  context: Context,
  signal?: AbortSignal,
): Promise<"live" | "simulated"> {
  const url = new URL("/discovery/resources?limit=1", context.baseUrl)
  const { body } = await free(context, url, { signal })
  const { mode } = fieldsOf(fieldsOf(body)["payment"])
  return mode === "simulated" ? "simulated" : "live"
}

/** The free index; null when it has not changed. */
async function pollIndex(
  context: Context,
  etag: string | null,
  signal?: AbortSignal,
): Promise<HttpAnswer | null> {
  const url = new URL(calls.get_index.path, context.baseUrl)
  const headers: Record<string, string> = etag === null ? {} : { "If-None-Match": etag }
  const answer = await free(context, url, { headers, signal })
  return answer.status === 304 ? null : answer
}

/** The service's record of a payment; the ledger learns of a refund. */
async function paymentRecord(
  context: Context,
  paymentId: string,
  signal?: AbortSignal,
): Promise<Answer<PaymentBody>> {
  const id = matching(paymentId.toLowerCase(), hashPattern)
  if (id === null) {
    throw notCharged(
      "invalid_parameter",
      "paymentId must be 0x and 64 hexadecimal digits.",
      "Correct it; nothing was sent.",
    )
  }
  const answer = await free(context, new URL(`/v1/payments/${id}`, context.baseUrl), { signal })
  const { state } = fieldsOf(answer.body)
  if (context.buyer !== null && (state === "refund_due" || state === "refunded")) {
    await storeOutcome(context.buyer, id, state === "refunded" ? "refunded" : "refundQueued")
  }
  return await answerOf(context, { answer }, "Nothing was charged: the record is free.")
}
