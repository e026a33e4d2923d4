/**
 * A paywalled route without a router, as a function from request to response.
 *
 * @module
 */
import { makeOffers } from "../../../src/http/paywall/paywall.ts"
import { SigningKey } from "../../../src/signing/SigningKey.ts"
import { testKey } from "../signing/key.ts"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ProductError } from "../../../src/catalog/domain/refusal.ts"
import { type Computed, makeCheckout } from "../../../src/http/paywall/checkout.ts"
import { makePaywall, unpaidAnswer } from "../../../src/http/paywall/paywall.ts"
import {
  answerFailures,
  CurrentInbound,
  fromSource,
  makeInbound,
  ready,
} from "../../../src/http/server/route.ts"
import { clientOf } from "../../../src/http/server/server.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { makeLimiter } from "../../../src/http/server/limits.ts"
import { product } from "../payments/sales.ts"
import { terms } from "../payments/terms.ts"

const budget = { limit: 3, windowMs: 60_000 }

export const goodWork: Computed<Product> = { body: { data: { feedIndex: 7 } }, charge: true }

/** The route of one product, over the payments and rate limits in the context. */
export const paywallHarness = Effect.fnUntraced(function* (
  work: Effect.Effect<Computed<Product>, ProductError> = Effect.succeed(goodWork),
  sold: Product = product,
) {
  const offers = yield* Effect.provideService(makeOffers(terms), SigningKey, testKey)
  const answered = answerFailures(() => {})
  const paywall = yield* makePaywall({ terms, offers, asCall: answered })
  const checkout = yield* makeCheckout({
    terms,
    log: () => {},
    tickIntervalMs: 600_000,
    invalidPayments: yield* makeLimiter("invalid", budget),
  })
  const row: Product = {
    ...sold,
    parameters: [{ name: "index", type: "integer", description: "Any" }],
  }
  const seller = checkout(row, { compute: () => work })
  const unpaid = fromSource(ready(unpaidAnswer(seller, { terms, offers }, false)))
  const route = answered(paywall(seller, unpaid))
  return (request: Request) => {
    const client = clientOf(request.headers.get("x-client") ?? "192.0.2.1")
    return route.pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(request),
      ),
      Effect.provideService(CurrentInbound, makeInbound("unknown-request", client)),
      Effect.map((response) => HttpServerResponse.toWeb(response)),
    )
  }
})
