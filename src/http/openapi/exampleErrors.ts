/**
 * An answer for every error a path may give: made by what makes the real ones, so that no message is
 * written twice.
 *
 * @module
 */
import { Result } from "effect"
import { usd } from "../../core/domain/money.ts"
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
import { DataStale, SignalNotFound } from "../../feed/domain/item.ts"
import {
  paymentAlreadyUsed,
  paymentInProgress,
  paymentRefunded,
  settlementUnresolved,
} from "../../payments/sale/responses.ts"
import { invalidParameters } from "../paywall/checkout.ts"
import { prepare, type PreparedRefusal, toRefusal } from "../server/errors.ts"
import { methodsOf } from "../server/methods.ts"
import { decodeQuery } from "../paywall/query.ts"
import {
  bodyTooLarge,
  internalError,
  invalidHost,
  methodNotAllowed,
  notFound,
  overloaded,
  paymentTooLong,
  rateLimited,
  targetTooLong,
} from "../server/refusals.ts"
import { sampleWhales } from "../../catalog/domain/sampleWhales.ts"

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

type Failed = NotCharged | RefundQueued | Unresolved | PreparedRefusal

/** By status, and by what happened. */
const failures: Readonly<Record<number, Readonly<Record<string, Failed>>>> = {
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
  409: { in_progress: paymentInProgress, already_used: paymentAlreadyUsed(receipt) },
  410: { refunded: paymentRefunded(refund) },
  413: { body: bodyTooLarge },
  414: { target: targetTooLong },
  422: {
    not_charged: notCharged(
      new BelowThreshold({
        message: "No market within this horizon and above this liquidity is known to resolve",
      }),
    ),
  },
  429: { waiting: rateLimited(42) },
  431: { payment: paymentTooLong },
  500: { not_charged: internalError },
  502: {
    not_charged: notCharged(
      new VenueFailed({ message: "No prices of this market can be had" }),
    ),
    refunded: new RefundQueued({
      code: "venue_error",
      message: "The report on this market could not be made",
      refund,
    }),
  },
  503: {
    overloaded,
    feed_stale: notCharged(new DataStale({ retryAfterSeconds: 60 })),
    digest_stale: notCharged(new DigestStale({ retryAfterSeconds: 60 })),
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

/** Bodies of errors, by status and by what happened. */
export const exampleErrors: Readonly<Record<string, Readonly<Record<string, unknown>>>> = mapped(
  failures,
  (byName) =>
    mapped(byName, (failed) => {
      const { body } = "_tag" in failed ? prepare(toRefusal(failed)) : failed
      return JSON.parse(body("example-request"))
    }),
)

function mapped<A, B>(record: Readonly<Record<string, A>>, f: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value)]))
}
