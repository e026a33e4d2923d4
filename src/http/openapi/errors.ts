/**
 * The error responses in /openapi.json: one per status, shared by all paths, with an example for
 * each cause. The examples are built by the same code as the real errors.
 *
 * @module
 */
import { resendRule, resendUnused } from "../../catalog/domain/refusal.ts"
import { Result } from "effect"
import { challenge, challengeV1 } from "../../payments/domain/x402/challenge.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { usd } from "../../core/domain/money.ts"
import { decodeQuery } from "../../catalog/domain/parameter.ts"
import { products } from "../../catalog/domain/product.ts"
import {
  NotCharged,
  notCharged,
  RefundQueued,
  type Unresolved,
} from "../../payments/domain/failedSale.ts"
import { BelowThreshold } from "../../core/domain/belowThreshold.ts"
import { MarketAmbiguous, MarketNotFound, VenueFailed } from "../../research/domain/report.ts"
import { DigestStale } from "../../digest/domain/digest.ts"
import { dataStale, inputs } from "../../core/domain/freshness.ts"
import { minute } from "../../core/domain/time.ts"
import { SignalNotFound } from "../../feed/domain/item.ts"
import {
  paymentAlreadyUsed,
  paymentInProgress,
  paymentRefunded,
  settlementUnresolved,
} from "../../payments/sale/responses.ts"
import { fetchByKey } from "../../payments/sale/identity.ts"
import { invalidParameters } from "../paywall/checkout.ts"
import {
  bodyTooLarge,
  internalError,
  invalidHost,
  methodNotAllowed,
  notFound,
  overloaded,
  paymentTooLong,
  prepare,
  type PreparedRefusal,
  rateLimited,
  targetTooLong,
  toRefusal,
} from "../server/errors.ts"
import { methodsOf } from "../server/route.ts"
import { sampleAt, sampleBody, sampleWhales } from "../../catalog/domain/sample.ts"
import { errorHeaders } from "./headers.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"

/** What each status means. */
const meanings: Readonly<Record<number, string>> = {
  400: "a parameter or the Host header is invalid; a payment in the request was not used",
  404: "the item, market, digest, payment or path does not exist",
  405: "the path does not accept this method; `Allow` lists those it accepts",
  409: "the payment is in use, was used before, or belongs to a call with other parameters",
  410: "the payment was refunded",
  413: "the request's body is larger than 64 KiB",
  414: "path and query are longer than 2048 characters",
  422: "the answer would not be worth its price; it is not charged, or is refunded",
  429: "too many requests from this address",
  431: "the payment header is longer than 8192 characters",
  500: "the service failed; with `charged` true the payment is refunded",
  502: "a service behind this one failed; with `charged` true the payment is refunded",
  503: "unavailable now: stale data, no digest yet, overload, or an unresolved settlement",
  504: "a service behind this one took too long; with `charged` true the payment is refunded",
}

/** The responses with errors: name, and the statuses that share it. The key is that of OpenAPI. */
const groups = {
  409: ["PaymentConflict", [409]],
  "4XX": ["Refused", [400, 404, 405, 410, 413, 414, 422, 429, 431]],
  "5XX": ["Failed", [500, 502, 503, 504]],
} as const satisfies Readonly<
  Record<string, readonly [name: string, statuses: ReadonlyArray<number>]>
>

const [{ wallet: payer }] = sampleWhales
const slug = products.research.parameters[0].example
const receipt = { payer, transaction: `0x${"7c".repeat(32)}`, network: "eip155:8453" }
const refund = {
  id: `0x${"5a".repeat(32)}`,
  state: "queued",
  amountUsd: usd(products.research.price),
  to: payer,
  paymentTransaction: receipt.transaction,
}

const wrongCount = Result.match(
  decodeQuery(products.signals.parameters)(new URLSearchParams("count=abc")),
  { onFailure: invalidParameters, onSuccess: () => invalidParameters([]) },
)

type Failure = NotCharged | RefundQueued | Unresolved | PreparedRefusal

/** Failures by status and cause. */
const failures: Readonly<Record<string, Readonly<Record<string, Failure>>>> = {
  400: {
    parameter: wrongCount,
    ambiguous: notCharged(new MarketAmbiguous({ slug, markets: [`${slug}-may`, `${slug}-june`] })),
    host: invalidHost,
  },
  404: {
    path: notFound,
    item: notCharged(new SignalNotFound({ index: 999 })),
    market: notCharged(new MarketNotFound({ slug })),
  },
  405: { method: methodNotAllowed(methodsOf()) },
  409: { in_progress: paymentInProgress, already_used: paymentAlreadyUsed(receipt, fetchByKey) },
  410: { refunded: paymentRefunded(refund) },
  413: { body: bodyTooLarge },
  414: { target: targetTooLong },
  422: {
    not_charged: notCharged(
      new BelowThreshold({
        message: "No known market with at least this liquidity ends within these hours",
      }),
    ),
  },
  429: { waiting: rateLimited(42) },
  431: { payment: paymentTooLong },
  500: { not_charged: internalError },
  502: {
    not_charged: notCharged(
      new VenueFailed({ message: "No prices of this market are available" }),
    ),
    refunded: new RefundQueued({
      code: "venue_error",
      message: "The report on this market could not be written",
      refund,
    }),
  },
  503: {
    overloaded,
    feed_stale: notCharged(dataStale(inputs.feed, sampleAt, minute)),
    digest_stale: notCharged(
      new DigestStale({ latestAt: sampleBody.digest.createdAt, retryAfterSeconds: 60 }),
    ),
    unresolved: settlementUnresolved,
  },
  504: {
    not_charged: new NotCharged({
      code: "upstream_timeout",
      message: "The answer could not be computed in time",
      hint: resendUnused,
    }),
    refunded: new RefundQueued({
      code: "upstream_timeout",
      message: "The answer was not ready in time",
      refund,
    }),
  },
}

/** Error bodies by status and cause. */
export const exampleErrors: Readonly<Record<string, Readonly<Record<string, unknown>>>> = mapped(
  failures,
  (byCause) =>
    mapped(byCause, (failure) => {
      const { body } = "_tag" in failure ? prepare(toRefusal(failure)) : failure
      return JSON.parse(body("example-request"))
    }),
)

function mapped<A, B>(record: Readonly<Record<string, A>>, f: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value)]))
}

/** The 402 of every product, with the bodies of one of them. */
function paymentRequired(terms: PaymentTerms) {
  const version1 = challengeV1(products.latest, terms)
  return {
    description:
      "Payment required, at the price in `x-payment-info`. If a payment was sent, it was not " +
      "accepted, and `error` says why",
    headers: errorHeaders("402"),
    content: {
      "application/json": {
        schema: {
          anyOf: ["PaymentChallenge", "PaymentRequiredV1"]
            .map((name) => ({ $ref: `#/components/schemas/${name}` })),
        },
        examples: named({
          version2: challenge(products.latest, terms).body,
          ...(version1 === null ? {} : { version1 }),
        }),
      },
    },
  }
}

/** The responses by their name in the document. */
export const errorResponses = (terms: PaymentTerms): Json => ({
  PaymentRequired: paymentRequired(terms),
  ...Object.fromEntries(
    Object.entries(groups).map(([status, [name, statuses]]) => [name, {
      description: [
        statuses.map((status) => `${status}: ${meanings[status]}`).join(". "),
        ...(status === "5XX" ? [resendRule] : []),
      ].join(". "),
      headers: errorHeaders(status),
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Error" },
          examples: named(Object.fromEntries(statuses.flatMap(examplesOf))),
        },
      },
    }]),
  ),
})

const examplesOf = (status: number) =>
  Object.entries(exampleErrors[status] ?? {})
    .map(([cause, example]) => [`${status}_${cause}`, example])

const group = (status: keyof typeof groups) => ({
  $ref: `#/components/responses/${groups[status][0]}`,
})

/** The responses of a free path that does not answer. */
export const freeErrors = { "4XX": group("4XX"), "5XX": group("5XX") }

/** The responses of a paid path that does not answer. */
export const paidErrors = {
  402: { $ref: "#/components/responses/PaymentRequired" },
  409: group(409),
  ...freeErrors,
}

/** Examples in the form of OpenAPI. */
export function named(
  examples: Readonly<Record<string, unknown>>,
): Readonly<Record<string, { readonly value: unknown }>> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
}
