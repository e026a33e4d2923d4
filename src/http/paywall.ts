/**
 * The paywall: one function in front of every paid route.
 *
 * Order: no payment, 402, before anything is looked at; then parameters, so that a wrong one leaves
 * the payment untouched; then what the client has cost so far (invalid payments, answers given
 * away); then the payment, cheapest check first. What leaves is the answer, a 402, or one of
 * `NotCharged`, `RefundQueued`, `Unresolved`: a work that fails with anything that is not a product's
 * fact does not compile. When the payment is settled, its product's order says.
 *
 * @module
 */
import { Clock, Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Product } from "../domain/product.ts"
import { NotCharged, notCharged, type ProductFact } from "../domain/refusal.ts"
import {
  checkTimes,
  decodePayment,
  matchPayment,
  PaymentIdentifier,
  type ShownPayment,
} from "../domain/shownPayment.ts"
import { type PaymentTerms, receiptHeader } from "../domain/x402.ts"
import { Payments } from "../services/Payments.ts"
import type { Answer, Delivery } from "../services/sale.ts"
import { RateLimits, type RatePolicy } from "../services/RateLimits.ts"
import { asksVersion1, challengeFor, type ReadyChallenge } from "./challenge.ts"
import { refusalResponse } from "./errors.ts"
import { type GivenFault, sentenceOf } from "./query.ts"
import { invalidPayments } from "./invalidPayments.ts"
import { whenHandedOver } from "./server.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What a paid route adds to its product: how its parameters are read, and how its answer is made. */
export interface Sale<Input extends CanonicalInput> {
  /** Pure. Defaults are filled in, so that two spellings of one request are one request. */
  readonly decode: (query: URLSearchParams) => Result.Result<Input, ReadonlyArray<GivenFault>>
  /** What can be known to be wrong before the payment is settled (settle-early). */
  readonly check?: (input: Input) => Effect.Effect<void, ProductFact>
  readonly work: (input: Input) => Effect.Effect<Work, ProductFact>
}

/** Decoded parameters, flat, so that they have one spelling. */
export type CanonicalInput = Readonly<Record<string, string | number | boolean | null>>

export interface Work {
  /**
   * The body of a 200 without `success` and `charged`, which the paywall adds; or a whole body that
   * was encoded before, for what is sold often and settles early, where there is no `charged`.
   */
  readonly body: Readonly<Record<string, unknown>> | Uint8Array
  /** False: there is nothing worth the price, so it is given away. */
  readonly charge: boolean
}

export interface PaywallOptions {
  readonly terms: PaymentTerms
  /**
   * How many invalid payments and given-away answers together a client may have; null for no limit
   * (benchmarks only).
   */
  readonly invalidPayments: RatePolicy | null
  /** Who a request counts against. */
  readonly clientOf: (request: Request) => string
}

export type Paywall = (
  product: Product,
) => <Input extends CanonicalInput>(
  sale: Sale<Input>,
) => Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

/** The paywall of a service; make it once, when the routes are built. */
export const makePaywall = Effect.fnUntraced(function* (options: PaywallOptions) {
  const payments = yield* Payments
  const limits = yield* RateLimits
  const invalid = invalidPayments(limits, options.invalidPayments)
  const { terms } = options

  const paywall: Paywall = (product) => {
    const unpaid = ready(challengeFor(product, terms))
    /** A payment that is invalid here is counted; a conflict is told so, for it may have been taken. */
    const refused = (client: string, version1: boolean, error: NotCharged) => {
      switch (error.code) {
        case "payment_required":
          return Effect.as(
            invalid.count(client),
            ready(challengeFor(product, terms, { error: error.message, version1 })),
          )
        case "payment_conflict":
          return Effect.andThen(invalid.note(client), Effect.fail(error))
        default:
          return Effect.fail(error)
      }
    }

    return (sale) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const header = paymentHeader(request.headers)
        if (header === undefined || request.method === "HEAD") return unpaid

        const input = yield* fromResult(parametersOf(request, sale.decode))
        const key = yield* fromResult(idempotencyKey(request))
        const client = options.clientOf(request)
        const handedOver = yield* whenHandedOver
        const version1 = asksVersion1(request.headers["x-402-version"], request.url)
        yield* invalid.check(client)
        const now = yield* Clock.currentTimeMillis
        return yield* fromResult(purchaseOf(product, terms, header, now)).pipe(
          Effect.flatMap(({ payment, late }) => {
            const purchase = {
              product,
              payment,
              late,
              request: canonicalRequest(product, input),
              secret: key ?? payment.identifier,
            }
            return payments.sell(purchase, {
              check: Effect.mapError(sale.check?.(input) ?? Effect.void, notCharged),
              work: answerOf(product, sale.work(input)),
            })
          }),
          Effect.tap((delivery) =>
            delivery.receipt === null ? invalid.note(client) : handedOver(payments.sent(delivery))
          ),
          Effect.map(delivered),
          Effect.catchTag("NotCharged", (error) => refused(client, version1, error)),
        )
      }).pipe(Effect.catch(refusalResponse))
  }
  return paywall
})

const utf8 = new TextEncoder()

/** True when a request shows a payment, in either header. */
export function showsPayment(headers: Readonly<Record<string, string | undefined>>): boolean {
  return paymentHeader(headers) !== undefined
}

type Headers = Readonly<Record<string, string | undefined>>

/** The payment a request shows: PAYMENT-SIGNATURE wins over the legacy X-PAYMENT. Empty is none. */
function paymentHeader(headers: Headers): string | undefined {
  return headers["payment-signature"] || headers["x-payment"] || undefined
}

function parametersOf<Input>(
  request: Request,
  decode: (query: URLSearchParams) => Result.Result<Input, ReadonlyArray<GivenFault>>,
): Result.Result<Input, NotCharged> {
  const start = request.url.indexOf("?")
  const query = new URLSearchParams(start < 0 ? "" : request.url.slice(start + 1))
  return Result.mapError(decode(query), invalidParameters)
}

const isSecret = Schema.is(PaymentIdentifier)

/** A key guards an answer that was paid for, so one that could be guessed is refused. */
function idempotencyKey(request: Request): Result.Result<string | null, NotCharged> {
  const key = request.headers["idempotency-key"]
  if (key === undefined) return Result.succeed(null)
  return isSecret(key) ? Result.succeed(key) : Result.fail(invalidParameters([{
    param: "Idempotency-Key",
    in: "header",
    message: "must be 16 to 128 letters, digits, - or _",
  }]))
}

function invalidParameters(faults: ReadonlyArray<GivenFault>): NotCharged {
  const message = sentenceOf(faults)
  return new NotCharged({
    code: "invalid_parameter",
    message: message === "" ? "A parameter is invalid" : message,
    hint: "Correct the parameter and send the same payment again: it was not used.",
    details: faults.map(({ param, in: where, message }) => ({ param, in: where, message })),
  })
}

/** The payment in a header, if it pays for the product; `late` says why it cannot be settled now. */
function purchaseOf(
  product: Product,
  terms: PaymentTerms,
  header: string,
  nowMs: number,
): Result.Result<{ payment: ShownPayment; late: string | null }, NotCharged> {
  const matched = Result.flatMap(
    decodePayment(header),
    (payment) => matchPayment(product, payment, terms),
  )
  return Result.mapBoth(matched, {
    onFailure: ({ reason }) => new NotCharged({ code: "payment_required", message: reason }),
    onSuccess: (payment) => {
      const times = checkTimes(payment, terms, BigInt(Math.floor(nowMs / 1_000)))
      return { payment, late: Result.isFailure(times) ? times.failure.reason : null }
    },
  })
}

/** One spelling for one request, whatever the order of its parameters. */
function canonicalRequest(product: Product, input: CanonicalInput): string {
  const names = Object.keys(input).sort()
  return `${product.id}?${JSON.stringify(names.map((name) => [name, input[name]]))}`
}

/** The body of a 200. Compute-first ones say whether they were charged; the others always are. */
function answerOf(
  { order }: Product,
  work: Effect.Effect<Work, ProductFact>,
): Effect.Effect<Answer, NotCharged> {
  return Effect.mapBoth(work, {
    onFailure: notCharged,
    onSuccess: ({ body, charge }) => {
      if (body instanceof Uint8Array) return { body, charge }
      const charged = order === "compute-first" ? { charged: charge } : {}
      return { body: utf8.encode(JSON.stringify({ success: true, ...body, ...charged })), charge }
    },
  })
}

function delivered({ body, receipt, replayed }: Delivery): Response {
  const headers: Record<string, string> = { "cache-control": "private, no-store" }
  if (replayed) headers["idempotent-replayed"] = "true"
  if (receipt !== null) {
    headers["payment-response"] = receiptHeader(receipt)
    headers["x-payment-response"] = headers["payment-response"]
  }
  return HttpServerResponse.uint8Array(body, { contentType: "application/json", headers })
}

function ready({ status, headers, body }: ReadyChallenge): Response {
  return HttpServerResponse.uint8Array(body, {
    status,
    headers,
    contentType: "application/json",
  })
}

function fromResult<A, E>(result: Result.Result<A, E>): Effect.Effect<A, E> {
  return Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(result.failure)
}
