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
import { isoTime } from "../core/domain/time.ts"
import type { CalibrationTable } from "../whales/domain/whale.ts"
import { Digest } from "../digest/Digest.ts"
import { Feed } from "../feed/Feed.ts"
import { Research } from "../research/Research.ts"
import { Resolving } from "../markets/Resolving.ts"
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
  const whalesBody = encodedOnce(({ computedAt, wallets, omitted }: CalibrationTable) => ({
    success: true,
    computedAt: isoTime(computedAt),
    data: { wallets, omitted },
  }))

  const handlers: Handlers = {
    ...feedHandlers(yield* Feed),
    digest: {
      work: () => Effect.map(digests.fresh, (data) => ({ body: { data }, charge: true })),
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
      check: markets.check,
      work: (filters) =>
        Effect.map(markets.list(filters), (rows) => ({
          body: { count: rows.length, filters, data: rows },
          charge: true,
        })),
    },
    whales: {
      check: () => Effect.asVoid(table),
      work: () => Effect.map(table, (current) => ({ body: whalesBody(current), charge: true })),
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
  const newest = Effect.map(feed.latest, ({ item, status }) => ({
    body: { status, data: item },
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
      work: ({ since, count, type }) =>
        Effect.map(feed.page({ since, count, type }), (items) => ({
          body: {
            count: items.length,
            filters: { since, count, type: type ?? "all" },
            data: items,
          },
          charge: items.length > 0,
        })),
    },
  }
}

const utf8 = new TextEncoder()

/** Encodes the body of a value, and caches the bytes until the value changes. */
function encodedOnce<A>(bodyOf: (value: A) => unknown): (value: A) => Uint8Array {
  let last: { readonly value: A; readonly bytes: Uint8Array } | null = null
  return (value) => {
    if (last?.value === value) return last.bytes
    last = { value, bytes: utf8.encode(JSON.stringify(bodyOf(value))) }
    return last.bytes
  }
}
