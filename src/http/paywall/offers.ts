/**
 * The signed offers of 402 answers. An offer names a product, not a request, so each product is
 * signed at most once in a period, at any load and for any parameters.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Product } from "../../catalog/domain/product.ts"
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
  const signed = new Map<Product["id"], { issuedAt: number; extension: SignedExtension }>()
  const offers: Offers = (product) => {
    const seconds = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
    const issuedAt = seconds - seconds % offerPeriodSeconds
    const last = signed.get(product.id)
    if (last?.issuedAt === issuedAt) return last.extension
    const extension = offerExtension(sign, product, terms, issuedAt)
    signed.set(product.id, { issuedAt, extension })
    return extension
  }
  return offers
})

/** A value made of a product's offer, made again only when the offer is another one. */
export function madeOfOffer<A>(
  offers: Offers,
  product: Product,
  make: (offer: SignedExtension) => A,
): () => A {
  let last: { readonly offer: SignedExtension; readonly value: A } | null = null
  return () => {
    const offer = offers(product)
    if (last?.offer !== offer) last = { offer, value: make(offer) }
    return last.value
  }
}
