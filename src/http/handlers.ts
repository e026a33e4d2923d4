/**
 * The handler of every product in the catalog.
 *
 * The compiler checks that each product has a handler, and that it uses the parameters and the body
 * that its row declares.
 *
 * @module
 */
import { Effect, Record, Struct } from "effect"
import { type ProductId, products } from "../catalog/domain/product.ts"
import { inputs } from "../core/domain/freshness.ts"
import { isoTime } from "../core/domain/time.ts"
import { Freshness } from "../core/Freshness.ts"
import type { CalibrationTable } from "../whales/domain/whale.ts"
import { Digest } from "../digest/Digest.ts"
import { Feed } from "../feed/Feed.ts"
import { Research } from "../research/Research.ts"
import { Resolving } from "../markets/Resolving.ts"
import { scoredRow, type WalletScore } from "../track-record/domain/entryScore.ts"
import { TrackRecord } from "../track-record/TrackRecord.ts"
import { Calibration } from "../whales/Calibration.ts"
import {
  type Checkout,
  type CheckoutOptions,
  type Handler,
  makeCheckout,
} from "./paywall/checkout.ts"

type Products = typeof products
type Handlers = { readonly [Id in ProductId]: Handler<Products[Id]> }

/** The checkout of every product. */
export type Checkouts = Readonly<Record<ProductId, Checkout>>

/** Builds the checkouts. HTTP, /a2a and /mcp all sell through them. */
export const makeCheckouts = Effect.fnUntraced(function* (options: CheckoutOptions) {
  const checkout = yield* makeCheckout(options)
  const handlers = yield* makeHandlers
  const checkoutOf = <Id extends ProductId>(id: Id) =>
    checkout<Products[Id]>(products[id], handlers[id])
  return Record.map(products, (_, id) => checkoutOf(id)) satisfies Checkouts
})

const disclaimer =
  "Written from the evidence in this report. Informational only, not financial advice."

const makeHandlers = Effect.gen(function* () {
  const digests = yield* Digest
  const markets = yield* Resolving
  const { table } = yield* Calibration
  const research = yield* Research
  const { walletScores } = yield* TrackRecord
  const { fresh } = yield* Freshness
  const listing = Effect.map(fresh(inputs.listing), isoTime)
  const records = Effect.map(fresh(inputs.walletRecords), isoTime)
  const whalesBody = encodedOnce((
    { computedAt, wallets, omitted }: CalibrationTable,
    scores: ReadonlyMap<string, WalletScore>,
    asOf: string,
  ) => ({
    success: true,
    computedAt: isoTime(computedAt),
    asOf,
    data: { wallets: wallets.map((row) => scoredRow(row, scores.get(row.wallet))), omitted },
  }))

  const handlers: Handlers = {
    ...feedHandlers(yield* Feed),
    digest: {
      work: () =>
        Effect.map(digests.fresh, ({ digest, belowThreshold }) => ({
          body: { data: digest },
          charge: !belowThreshold,
        })),
    },
    digest_history: {
      work: ({ hours, limit }) =>
        Effect.map(digests.history(hours, limit), (found) => ({
          body: {
            count: found.length,
            hours,
            data: found.map((one) => Struct.pick(one, ["id", "title", "summary", "createdAt"])),
          },
          charge: found.length > 0,
        })),
    },
    resolving: {
      check: (filters) => Effect.andThen(listing, markets.check(filters)),
      work: Effect.fnUntraced(function* (filters) {
        const asOf = yield* listing
        const rows = yield* markets.list(filters)
        return { body: { count: rows.length, asOf, filters, data: rows }, charge: true }
      }),
    },
    whales: {
      check: () => Effect.asVoid(Effect.all([records, table, walletScores])),
      work: Effect.fnUntraced(function* () {
        const asOf = yield* records
        return { body: whalesBody(yield* table, yield* walletScores, asOf), charge: true }
      }),
    },
    research: {
      check: ({ market }) => research.check(market),
      work: ({ market }) =>
        Effect.map(research.report(market), ({ cached, generatedAt, report }) => ({
          body: { cached, generatedAt: isoTime(generatedAt), data: report, disclaimer },
          charge: true,
        })),
    },
  }
  return handlers
})

function feedHandlers(feed: Feed["Service"]): Pick<Handlers, "latest" | "signal" | "signals"> {
  const newest = Effect.map(feed.latest, ({ item, status, asOf }) => ({
    body: { status, asOf, data: item },
    charge: true,
  }))
  return {
    latest: { work: () => newest },
    signal: {
      work: ({ index }) =>
        index === null
          ? newest
          : Effect.map(feed.byIndex(index), (item) => ({ body: { data: item }, charge: true })),
    },
    signals: {
      work: Effect.fnUntraced(function* ({ since, count, type }) {
        const items = yield* feed.page({ since, count, type })
        const filters = { since, count, type: type ?? "all" } as const
        return {
          body: { count: items.length, filters, asOf: yield* feed.asOf, data: items },
          charge: items.length > 0,
        }
      }),
    },
  }
}

const utf8 = new TextEncoder()

/** Encodes the body of some values, and caches the bytes until one of them changes. */
function encodedOnce<A extends ReadonlyArray<unknown>>(
  bodyOf: (...values: A) => unknown,
): (...values: A) => Uint8Array {
  let last: { readonly values: A; readonly bytes: Uint8Array } | null = null
  return (...values) => {
    if (last?.values.every((value, at) => value === values[at])) return last.bytes
    last = { values, bytes: utf8.encode(JSON.stringify(bodyOf(...values))) }
    return last.bytes
  }
}
