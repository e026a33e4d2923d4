/**
 * The paywall: the checkout over HTTP, in front of every paid route.
 *
 * A request without a payment gets 402, but for a header of tests (400) and a flood (429). With a payment it gets the
 * answer, a 402, or an error that says whether it was charged. Around a call, which may have a
 * payment, stand a place among the requests that wait, a trace, and the answer to its failure.
 *
 * @module
 */
import { Clock, Effect, Option, References, Result } from "effect"
import { HttpServerResponse, HttpTraceContext } from "effect/http"
import type { Product } from "../../catalog/domain/product.ts"
import { prepared, preparedFor } from "../../core/domain/prepared.ts"
import { TestCall, testHeader } from "../../core/testCall.ts"
import { annotate, inTrace } from "../../core/tracing.ts"
import { challenge, challengeV1 } from "../../payments/domain/x402/challenge.ts"
import { type PaymentTerms, receiptHeader } from "../../payments/domain/x402/terms.ts"
import { Payments } from "../../payments/Payments.ts"
import {
  offerExtension,
  offerPeriodSeconds,
  type SignedExtension,
} from "../../payments/domain/x402/offerReceipt.ts"
import type { Outcome } from "../../payments/purchase.ts"
import { SigningKey } from "../../signing/SigningKey.ts"
import {
  type Answer,
  answer,
  type HeaderPair,
  matchesTag,
  notModified,
  responseTo,
} from "../server/answer.ts"
import type { AnswerLog } from "../server/answerLog.ts"
import {
  overloadedPaid,
  paymentLengthMax,
  paymentTooLong,
  prepare,
  rateLimitedBeforeReading,
  refuse,
} from "../server/errors.ts"
import {
  answerFailures,
  byRequest,
  type Handler,
  onDelivered,
  type Pending,
  pendingRetrySeconds,
  queryIn,
  tooManyPending,
  webOf,
} from "../server/route.ts"
import type { Checkout } from "./checkout.ts"

type Response = HttpServerResponse.HttpServerResponse

interface PaywallOptions {
  readonly terms: PaymentTerms
  readonly offers: Offers
  /** The names of the test triggers; absent with real payments. */
  readonly testTriggers?: ReadonlyArray<string> | undefined
  /** Wraps the handler of a request with a payment. */
  readonly asCall: (handler: Handler) => Handler
}

/**
 * Builds the paywall: the GET of a product, which sells to a request with a payment, and answers any
 * other with `unpaid`. Call it once, when the routes are built.
 */
export const makePaywall = Effect.fnUntraced(function* makePaywall(options: PaywallOptions) {
  const { sent } = yield* Payments
  return (checkout: Checkout, unpaid: Handler): Handler => {
    const paid = options.asCall(paidHandler(checkout, options, sent))
    return byRequest((request) => {
      const { headers } = webOf(request)
      const fault = testHeaderFault(headers, options.testTriggers)
      if (fault !== null) return refuse(fault)
      const payment = paymentHeader(headers)
      if (payment === null) return unpaid
      if (payment.length > paymentLengthMax) return refuse(paymentTooLong)
      return request.method === "HEAD" ? unpaid : paid
    })
  }
})

/**
 * Why the header that names a test trigger is refused, before a payment is read; null when it may stay.
 * `names` are absent where payments are real.
 */
export function testHeaderFault(headers: Headers, names: ReadonlyArray<string> | undefined) {
  const name = headers.get(testHeader)
  if (name === null || names?.includes(name) === true) return null
  const expected = names === undefined
    ? "must be absent: payments are real here"
    : `must be one of ${names.join(", ")}`
  return prepare({
    code: "invalid_parameter",
    message: `${testHeader} ${expected}`,
    hint: "Send the same request without the header: a payment in it was not read.",
    details: [{ param: testHeader, in: "header", message: expected }],
  })
}

/** A posted body may contain a payment, so it is refused like a paid call. */
const busyCall = tooManyPending(rateLimitedBeforeReading(pendingRetrySeconds))

/** Wraps the handler of a call: of a GET with a payment, and of every POST. */
export const makeAsCall = (log: AnswerLog, pending: Pending) => (handler: Handler): Handler => {
  const traced = traceCall(answerFailures(log)(handler))
  return byRequest((_, { client }) => pending.run(client, busyCall, overloadedPaid)(traced))
}

/** In a trace of its own, with the request's id on its log lines, and with the test trigger it names. */
const traceCall = <E>(handler: Handler<E>): Handler<E> =>
  byRequest((request, { requestId }) => {
    let isClosed = false
    const trigger = webOf(request).headers.get(testHeader)
    return handler.pipe(
      Effect.tap(({ status }) => annotate({ "http.response.status_code": status })),
      inTrace("request", () => ({
        attributes: {
          "request.id": requestId,
          "http.request.method": request.method,
          // The path is one of ours, so it has few values.
          "http.route": URL.parse(request.originalUrl, "http://localhost")?.pathname ?? "",
        },
        caller: Option.getOrNull(HttpTraceContext.w3c(request.headers)),
      })),
      Effect.provideService(References.CurrentLogAnnotations, { requestId }),
      Effect.provideService(TestCall, { trigger, close: Effect.sync(() => (isClosed = true)) }),
      Effect.map((response) => isClosed ? closedResponse() : response),
    )
  })

/** An answer whose connection is closed while its body is sent. */
const closedResponse = () =>
  HttpServerResponse.raw(
    new ReadableStream({
      start: (controller) => controller.error(new Error("Closed by a test trigger")),
    }),
  )

/** Decodes a request to a call, sells, and encodes the outcome. */
const paidHandler = (
  { product, sell }: Checkout,
  { terms, offers }: PaywallOptions,
  sent: Payments["Service"]["sent"],
): Handler =>
  byRequest((request, { client }) => {
    const { headers, url } = webOf(request)
    return sell({
      input: queryIn(url),
      payment: { header: paymentHeader(headers) ?? "" },
      key: headers.get("idempotency-key"),
      client,
      hasTag: hasTag(headers.get("if-none-match") ?? ""),
    }).pipe(
      Effect.flatMap((outcome) =>
        Effect.tap(
          Effect.sync(() => paidResponse(webOf(request), outcome)),
          // Last: an answer that cannot be made is not delivered.
          () => outcome.receipt === null ? Effect.void : onDelivered(sent(outcome)),
        )
      ),
      Effect.catchTag("NotCharged", (error) =>
        error.code !== "payment_required" ? Effect.fail(error) : Effect.succeed(
          responseTo(
            webOf(request),
            challengeFor(product, terms, {
              error: error.message,
              charged: false,
              version1: requestsVersion1(headers.get("x-402-version"), url),
              offer: offers(product),
            }),
          ),
        )),
    )
  })

/**
 * The payment of a request: PAYMENT-SIGNATURE, else the legacy X-PAYMENT. An empty header is none;
 * else an unpaid probe would bypass its limit.
 */
function paymentHeader(headers: Headers): string | null {
  return headers.get("payment-signature") || headers.get("x-payment") || null
}

/** `*` names no answer. */
const hasTag = (ifNoneMatch: string) => (etag: string) =>
  ifNoneMatch.trim() !== "*" && matchesTag(ifNoneMatch, etag)

function paidResponse(request: Request, outcome: Outcome): Response {
  const { body, receipt, replayed, etag, unchanged } = outcome
  const headers: Array<HeaderPair> = receipt !== null || unchanged ? [["etag", etag]] : []
  if (replayed) headers.push(["idempotent-replayed", "true"])
  if (receipt !== null) {
    const encoded = receiptHeader(receipt)
    headers.push(["payment-response", encoded], ["x-payment-response", encoded])
  }
  const paid = answer({ body, cache: "paid", compress: true, headers })
  return unchanged ? notModified(paid) : responseTo(request, paid)
}

/**
 * The signed offer of a product in a 402. It names a product, not a request, so each product is
 * signed at most once in a period, at any load and for any parameters: within a period, the same
 * object.
 */
export type Offers = (product: Product) => SignedExtension

/** Makes the offers under these terms. They are signed when they are first asked for. */
export const makeOffers = Effect.fnUntraced(function* makeOffers(terms: PaymentTerms) {
  const { sign } = yield* SigningKey
  const clock = yield* Clock.Clock
  const offersOf = preparedFor((product: Product) =>
    prepared((issuedAt: number) => offerExtension(sign, product, terms, issuedAt))
  )
  const offers: Offers = (product) => {
    const seconds = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
    return offersOf(product)(seconds - seconds % offerPeriodSeconds)
  }
  return offers
})

/**
 * The 402 of a product. `error`: why a payment was not accepted; without it, the answer to a request
 * without a payment. Clients of x402 version 1 read only the body, so theirs has the terms.
 */
export function challengeFor(
  product: Product,
  terms: PaymentTerms,
  { error, offer, version1 = false, isProbe = false, charged }: {
    readonly error?: string | undefined
    readonly offer?: SignedExtension
    readonly version1?: boolean
    /** Keeps the error out of the header, where a catalog reads how to call the product. */
    readonly isProbe?: boolean
    /** Says that nothing was taken for a request with a payment. */
    readonly charged?: false
  } = {},
): Answer {
  const { header, body } = challenge(product, terms, { error: isProbe ? undefined : error, offer })
  const content = (version1 ? challengeV1(product, terms, { error }) : null) ??
    { ...body, error: error ?? body.error, charged }
  return answer({
    status: 402,
    body: JSON.stringify(content),
    cache: "none",
    headers: [["payment-required", header]],
  })
}

/**
 * The 402 of a product for a request without a payment. Wrong parameters get it too, because catalogs
 * probe with empty ones; it says what is wrong, before money is spent.
 */
export function unpaidAnswer(
  { product, read }: Checkout,
  { terms, offers }: Pick<PaywallOptions, "terms" | "offers">,
  version1: boolean,
): (url: string) => Answer {
  const made = prepared((offer: SignedExtension, error: string | undefined, isProbe: boolean) =>
    challengeFor(product, terms, { error, version1, offer, isProbe })
  )
  return (url) => {
    const query = queryIn(url)
    const isProbe = [...query].every(([name, value]) => value === "" || name === "x402Version")
    return made(offers(product), faultIn(read(query)), isProbe)
  }
}

/** Why a call would be refused if it were paid; undefined when its parameters are correct. */
export const faultIn = (read: ReturnType<Checkout["read"]>): string | undefined =>
  Result.isSuccess(read)
    ? undefined
    : `Payment required, but correct the call first: ${read.failure.message}`

const version1Query = /[?&]x402Version=1(?:&|$)/

/** Whether a request asks for x402 version 1, by `X-402-Version: 1` or `?x402Version=1`. */
export function requestsVersion1(header: string | null | undefined, url: string): boolean {
  return header === "1" || version1Query.test(url)
}
