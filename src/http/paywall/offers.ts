/**
 * The signed offers of 402 answers. An offer names a product, not a request, so each product is
 * signed at most once in a period, at any load and for any parameters.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
import { prepared, preparedFor } from "../../core/domain/prepared.ts"
import {
  offerExtension,
  offerPeriodSeconds,
  type SignedExtension,
} from "../../payments/domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { SigningKey } from "../../signing/SigningKey.ts"

/** The signed offer of a product: within a period, the same object. */
export type Offers = (product: Product) => SignedExtension

/** Makes the offers under these terms. They are signed when they are first asked for. */
export const makeOffers = Effect.fnUntraced(function* (terms: PaymentTerms) {
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
