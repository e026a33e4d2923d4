/**
 * The paywall: the checkout over HTTP, in front of every paid route.
 *
 * A request without a payment gets 402 before anything else is read. With a payment it gets the
 * answer, a 402, or an error that says whether it was charged.
 *
 * @module
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Product } from "../../catalog/domain/product.ts"
import { challenge, challengeV1 } from "../../payments/domain/x402/challenge.ts"
import { type PaymentTerms, receiptHeader } from "../../payments/domain/x402/terms.ts"
import { Payments } from "../../payments/Payments.ts"
import type { SignedExtension } from "../../payments/domain/x402/offerReceipt.ts"
import type { Outcome } from "../../payments/purchase.ts"
import { matchesTag } from "../server/answer.ts"
import type { Checkout } from "./checkout.ts"
import { madeOfOffer, type Offers } from "./offers.ts"
import { refusalResponse } from "../server/errors.ts"
import type { ClientKeys } from "../server/limits.ts"
import { onDelivered } from "../server/server.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

interface PaywallOptions {
  readonly terms: PaymentTerms
  readonly offers: Offers
  /** The client whose limits a request counts against. */
  readonly clientOf: (request: Request) => ClientKeys
}

type Paywall = (
  checkout: Checkout,
) => Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

/** Builds the paywall. Call it once, when the routes are built. */
export const makePaywall = Effect.fnUntraced(
  function* ({ terms, offers, clientOf }: PaywallOptions) {
    const payments = yield* Payments
    const paywall: Paywall = ({ product, sell }) => {
      const unpaid = madeOfOffer(
        offers,
        product,
        (offer) => challengeResponse(challengeFor(product, terms, { offer })),
      )
      return Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const header = paymentHeader(request.headers)
        if (header === undefined || request.method === "HEAD") return unpaid()

        const runAfterDelivery = yield* onDelivered
        const version1 = requestsVersion1(request.headers["x-402-version"], request.url)
        return yield* sell({
          input: queryOf(request.url),
          payment: { header },
          key: request.headers["idempotency-key"] ?? null,
          client: clientOf(request),
          hasTag: hasTag(request.headers["if-none-match"]),
        }).pipe(
          Effect.tap((delivery) =>
            delivery.receipt === null ? Effect.void : runAfterDelivery(payments.sent(delivery))
          ),
          Effect.map(paidResponse),
          Effect.catchTag(
            "NotCharged",
            (error) =>
              error.code === "payment_required"
                ? Effect.succeed(
                  challengeResponse(challengeFor(product, terms, {
                    error: error.message,
                    version1,
                    offer: offers(product),
                  })),
                )
                : Effect.fail(error),
          ),
        )
      }).pipe(Effect.catch(refusalResponse))
    }
    return paywall
  },
)

type Headers = Readonly<Record<string, string | undefined>>

/**
 * The payment of a request: PAYMENT-SIGNATURE, else the legacy X-PAYMENT. An empty header is none.
 */
function paymentHeader(headers: Headers): string | undefined {
  return headers["payment-signature"] || headers["x-payment"] || undefined
}

/** `*` names no answer. */
const hasTag = (ifNoneMatch = "") => (etag: string) =>
  ifNoneMatch.trim() !== "*" && matchesTag(ifNoneMatch, etag)

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?")
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1))
}

function paidResponse(delivery: Outcome): Response {
  const { body, receipt, replayed, etag, unchanged } = delivery
  const headers: Record<string, string> = { "cache-control": "private, no-store" }
  if (receipt !== null || unchanged) headers["etag"] = etag
  if (unchanged) return HttpServerResponse.empty({ status: 304, headers })
  if (replayed) headers["idempotent-replayed"] = "true"
  if (receipt !== null) {
    headers["payment-response"] = receiptHeader(receipt)
    headers["x-payment-response"] = headers["payment-response"]
  }
  return HttpServerResponse.uint8Array(body, { contentType: "application/json", headers })
}

function challengeResponse({ status, headers, body }: EncodedChallenge): Response {
  return HttpServerResponse.uint8Array(body, {
    status,
    headers,
    contentType: "application/json",
  })
}

/** An encoded 402. */
interface EncodedChallenge {
  readonly status: 402
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface ChallengeOptions {
  /** Why the payment in the request was not accepted. */
  readonly error?: string
  /** Use the body of x402 version 1; version 1 clients read only the body. */
  readonly version1?: boolean
  /** The signed offer of the product. */
  readonly offer?: SignedExtension
}

const utf8 = new TextEncoder()

/** The 402 of a product. Without `error` it is the answer to a request without a payment. */
export function challengeFor(
  product: Product,
  terms: PaymentTerms,
  { error, version1 = false, offer }: ChallengeOptions = {},
): EncodedChallenge {
  const { header, body } = challenge(product, terms, { error, offer })
  const content = (version1 ? challengeV1(product, terms, { error }) : null) ?? body
  return {
    status: 402,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "payment-required": header,
    },
    body: utf8.encode(JSON.stringify(content)),
  }
}

const version1Query = /[?&]x402Version=1(?:&|$)/

/** Whether a request asks for x402 version 1, by `X-402-Version: 1` or `?x402Version=1`. */
export function requestsVersion1(header: string | null | undefined, url: string): boolean {
  return header === "1" || version1Query.test(url)
}
