/**
 * The paywall: the checkout over HTTP, one function in front of every paid route.
 *
 * No payment, 402, before anything is looked at. With one, what leaves is the answer, a 402, or an
 * error that says what became of the money.
 *
 * @module
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Product } from "../../catalog/domain/product.ts"
import { challenge, challengeV1 } from "../../payments/domain/x402/challenge.ts"
import { type PaymentTerms, receiptHeader } from "../../payments/domain/x402/terms.ts"
import { Payments } from "../../payments/Payments.ts"
import type { Delivery } from "../../payments/sale/responses.ts"
import type { Checkout } from "./checkout.ts"
import { refusalResponse } from "../server/errors.ts"
import { onDelivered } from "../server/server.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

interface PaywallOptions {
  readonly terms: PaymentTerms
  /** Who a request counts against. */
  readonly clientOf: (request: Request) => string
}

type Paywall = (
  checkout: Checkout,
) => Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

/** The paywall of a service; make it once, when the routes are built. */
export const makePaywall = Effect.fnUntraced(function* ({ terms, clientOf }: PaywallOptions) {
  const payments = yield* Payments
  const paywall: Paywall = ({ product, sell }) => {
    const unpaid = ready(challengeFor(product, terms))
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const header = paymentHeader(request.headers)
      if (header === undefined || request.method === "HEAD") return unpaid

      const handedOver = yield* onDelivered
      const version1 = requestsVersion1(request.headers["x-402-version"], request.url)
      return yield* sell({
        query: queryOf(request.url),
        payment: { header },
        key: request.headers["idempotency-key"] ?? null,
        client: clientOf(request),
      }).pipe(
        Effect.tap((delivery) =>
          delivery.receipt === null ? Effect.void : handedOver(payments.sent(delivery))
        ),
        Effect.map(delivered),
        Effect.catchTag("NotCharged", (error) =>
          error.code === "payment_required"
            ? Effect.succeed(
              ready(challengeFor(product, terms, { error: error.message, version1 })),
            )
            : Effect.fail(error)),
      )
    }).pipe(Effect.catch(refusalResponse))
  }
  return paywall
})

type Headers = Readonly<Record<string, string | undefined>>

/** The payment a request shows: PAYMENT-SIGNATURE wins over the legacy X-PAYMENT. Empty is none. */
function paymentHeader(headers: Headers): string | undefined {
  return headers["payment-signature"] || headers["x-payment"] || undefined
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?")
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1))
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

/** A 402 that is ready to be sent: the same bytes for everybody who shows no payment. */
interface ReadyChallenge {
  readonly status: 402
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface ChallengeOptions {
  /** Why the payment that was shown is not taken. */
  readonly error?: string
  /** The body of x402 version 1, for its stock buyer, which reads nothing else. */
  readonly version1?: boolean
}

const utf8 = new TextEncoder()

/** The 402 of a product. Without an `error` it is what a request without a payment gets. */
export function challengeFor(
  product: Product,
  terms: PaymentTerms,
  { error, version1 = false }: ChallengeOptions = {},
): ReadyChallenge {
  const { header, body } = challenge(product, terms, error)
  const shown = (version1 ? challengeV1(product, terms, error) : null) ?? body
  return {
    status: 402,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "payment-required": header,
    },
    body: utf8.encode(JSON.stringify(shown)),
  }
}

const version1Query = /[?&]x402Version=1(?:&|$)/

/** Whether a request asks for x402 version 1: by `X-402-Version: 1` or `?x402Version=1`. */
export function requestsVersion1(header: string | null | undefined, url: string): boolean {
  return header === "1" || version1Query.test(url)
}
