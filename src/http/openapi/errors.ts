/**
 * The error responses in /openapi.json: one per status, shared by all paths, with an example for
 * each cause. The examples are built by the same code as the real errors.
 *
 * @module
 */
import { Result } from "effect"
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
import { methodsOf } from "../server/edge.ts"
import { sampleAt, sampleBody, sampleWhales } from "../../catalog/domain/sample.ts"
import { errorHeaders } from "./headers.ts"

const errors: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: [
    "InvalidParameter",
    "A parameter or the Host header is invalid; a payment in the request was not used",
  ],
  404: ["NotFound", "The item, market, digest, payment or path does not exist"],
  405: [
    "MethodNotAllowed",
    "The path does not accept this method; `Allow` lists the methods it accepts",
  ],
  409: [
    "PaymentConflict",
    "The payment is in use, was already used, or was sent for another request",
  ],
  410: ["PaymentRefunded", "The payment was refunded"],
  413: ["PayloadTooLarge", "The request's body is larger than 64 KiB"],
  414: ["UriTooLong", "Path and query are longer than 2048 characters"],
  422: [
    "BelowThreshold",
    "The answer would not be worth its price. It is not charged, or is refunded",
  ],
  429: ["RateLimited", "Too many requests from this address"],
  431: ["HeadersTooLarge", "The payment header is longer than 8192 characters"],
  500: ["InternalError", "The service failed; with `charged` true the payment is refunded"],
  502: [
    "UpstreamError",
    "A service behind this one failed; with `charged` true the payment is refunded",
  ],
  503: [
    "Unavailable",
    "Unavailable now: stale data, no digest yet, overload, or an unresolved settlement",
  ],
  504: [
    "UpstreamTimeout",
    "A service behind this one took too long; with `charged` true the payment is refunded",
  ],
}

const [{ wallet: payer }] = sampleWhales
const slug = products.research.parameters[0].example
const receipt = { payer, transaction: `0x${"7c".repeat(32)}`, network: "eip155:8453" }
const refund = {
  id: `0x${"5a".repeat(32)}`,
  state: "queued",
  amountUsd: usd(products.research.price),
  to: payer,
}

const wrongCount = Result.match(
  decodeQuery(products.signals.parameters)(new URLSearchParams("count=abc")),
  { onFailure: invalidParameters, onSuccess: () => invalidParameters([]) },
)

type Failure = NotCharged | RefundQueued | Unresolved | PreparedRefusal

/** Failures by status and cause. */
const failures: Readonly<Record<number, Readonly<Record<string, Failure>>>> = {
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
  405: { method: methodNotAllowed(methodsOf(undefined)) },
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
      hint: "Send the same payment again: it was not used.",
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

const byStatus = Object.entries(errors).map(([status, [name, description]]) => ({
  status: Number(status),
  name,
  response: {
    description,
    headers: errorHeaders(Number(status)),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: named(exampleErrors[status] ?? {}),
      },
    },
  },
}))

/** The responses by their name in the document. */
export const errorResponses = Object.fromEntries(
  byStatus.map(({ name, response }) => [name, response]),
)

const references = new Map(
  byStatus.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
)

/** The reference to the response of a status; undefined when it is not a plain error. */
export function errorResponse(status: number): { readonly $ref: string } | undefined {
  return references.get(status)
}

/** The errors of every path, before its own parameters are read. */
export const commonErrors: Readonly<Record<string, unknown>> = Object.fromEntries(
  [400, 405, 413, 414].map((status) => [status, errorResponse(status)]),
)

/** Examples in the form of OpenAPI. */
export function named(
  examples: Readonly<Record<string, unknown>>,
): Readonly<Record<string, { readonly value: unknown }>> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
}
