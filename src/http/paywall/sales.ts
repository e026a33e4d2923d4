/**
 * What is sold: each is a product, how its parameters are read, and its work.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { Digest as WrittenDigest } from "../../digest/domain/digest.ts"
import { type ProductId, products } from "../../catalog/domain/product.ts"
import { isoTime } from "../../core/domain/time.ts"
import type { CalibrationTable } from "../../whales/domain/whale.ts"
import { Digest } from "../../digest/Digest.ts"
import { Feed } from "../../feed/Feed.ts"
import { Research } from "../../research/Research.ts"
import { Resolving } from "../../markets/Resolving.ts"
import { Calibration } from "../../whales/Calibration.ts"
import { type Checkout, type CheckoutOptions, type MakeCheckout, makeCheckout } from "./checkout.ts"
import { decodeQuery } from "./query.ts"

const {
  latest,
  signal,
  signals,
  digest,
  digest_history: digestHistory,
  resolving,
  whales,
  research,
} = products
const readLatest = decodeQuery(latest.parameters)
const readSignal = decodeQuery(signal.parameters)
const readSignals = decodeQuery(signals.parameters)
const readDigest = decodeQuery(digest.parameters)
const readDigestHistory = decodeQuery(digestHistory.parameters)
const readWhales = decodeQuery(whales.parameters)
const readResearch = decodeQuery(research.parameters)

/** Left out and `0` are one request. */
const readResolving = (query: URLSearchParams) =>
  Result.map(
    decodeQuery(resolving.parameters)(query),
    (read) => ({ ...read, includeNoise: read.includeNoise === "1" }),
  )

const disclaimer =
  "Written from the evidence shown. Informational only; it is not financial advice."

/** Every product at the checkout. */
export type Checkouts = Readonly<Record<ProductId, Checkout>>

/** The checkouts of a service: what every transport sells through. */
export const makeCheckouts = Effect.fnUntraced(function* (options: CheckoutOptions) {
  const checkout = yield* makeCheckout(options)
  const checkouts: Checkouts = {
    ...feedSales(checkout, yield* Feed),
    ...digestSales(checkout, yield* Digest),
    resolving: resolvingSale(checkout, yield* Resolving),
    whales: whalesSale(checkout, yield* Calibration),
    research: researchSale(checkout, yield* Research),
  }
  return checkouts
})

const feedSales = (checkout: MakeCheckout, feed: Feed["Service"]) => {
  const newest = Effect.map(feed.latest, ({ item, status }) => ({
    body: { status, data: item },
    charge: true,
  }))
  return {
    latest: checkout(latest)({ decode: readLatest, work: () => newest }),
    signal: checkout(signal)({
      decode: readSignal,
      work: ({ index }) =>
        index === null
          ? newest
          : Effect.map(feed.byIndex(index), (item) => ({ body: { data: item }, charge: true })),
    }),
    signals: checkout(signals)({
      decode: readSignals,
      work: ({ since, count, type }) =>
        Effect.map(feed.page({ since, count, type }), (items) => ({
          body: {
            count: items.length,
            filters: { since, count, type: type ?? "all" },
            data: items,
          },
          charge: items.length > 0,
        })),
    }),
  }
}

const digestSales = (checkout: MakeCheckout, digests: Digest["Service"]) => ({
  digest: checkout(digest)({
    decode: readDigest,
    work: () => Effect.map(digests.fresh, (data) => ({ body: { data }, charge: true })),
  }),
  digest_history: checkout(digestHistory)({
    decode: readDigestHistory,
    work: ({ hours, limit }) =>
      Effect.map(digests.history(hours, limit), (held) => ({
        body: { count: held.length, hours, data: held.map(listed) },
        charge: held.length > 0,
      })),
  }),
})

/** A digest as the history lists it. */
const listed = ({ id, title, summary, createdAt }: WrittenDigest) => ({
  id,
  title,
  summary,
  createdAt,
})

const resolvingSale = (checkout: MakeCheckout, service: Resolving["Service"]) =>
  checkout(resolving)({
    decode: readResolving,
    check: service.check,
    work: (filters) =>
      Effect.map(service.list(filters), (rows) => ({
        body: { count: rows.length, filters, data: rows },
        charge: true,
      })),
  })

const whalesSale = (checkout: MakeCheckout, { table }: Calibration["Service"]) => {
  const encoded = encodedOnce(whalesBody)
  return checkout(whales)({
    decode: readWhales,
    check: () => Effect.asVoid(table),
    work: () => Effect.map(table, (made) => ({ body: encoded(made), charge: true })),
  })
}

const whalesBody = ({ computedAt, wallets, omitted }: CalibrationTable) => ({
  success: true,
  computedAt: isoTime(computedAt),
  data: { wallets, omitted },
})

const utf8 = new TextEncoder()

/** The bytes of the body of a value, encoded again only for another value. */
function encodedOnce<A>(bodyOf: (value: A) => unknown): (value: A) => Uint8Array {
  let last: { readonly value: A; readonly bytes: Uint8Array } | null = null
  return (value) => {
    if (last?.value === value) return last.bytes
    last = { value, bytes: utf8.encode(JSON.stringify(bodyOf(value))) }
    return last.bytes
  }
}

const researchSale = (checkout: MakeCheckout, service: Research["Service"]) =>
  checkout(research)({
    decode: readResearch,
    check: ({ market }) => service.check(market),
    work: ({ market }) =>
      Effect.map(service.report(market), ({ cached, generatedAt, report }) => ({
        body: { cached, generatedAt: isoTime(generatedAt), data: report, disclaimer },
        charge: true,
      })),
  })
