/**
 * The shelf life of every paid answer: `validUntil` is ahead, `next` is a cheaper call of the catalog.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { type Product, type ProductId, products } from "../../src/catalog/domain/product.ts"
import { shelfLifeOf } from "../../src/catalog/domain/shelfLife.ts"
import { usd } from "../../src/core/domain/money.ts"
import { isoTime, minute } from "../../src/core/domain/time.ts"
import { digestEvery } from "../../src/digest/domain/digest.ts"
import { test } from "../support/effect.ts"
import { makeService, paymentFor, tickIntervalMs } from "../support/http/httpService.ts"
import { json, noon, stocked } from "../support/http/stockedService.ts"

const rows: ReadonlyArray<Product> = Object.values(products)
const written = Date.parse("2026-11-02T09:30:00.000Z")

/** The price of each call of the catalog, USD, by its path. */
const priceOf = new Map<string, number>([
  ...Object.values(freeRows).map(({ path }) => [path, 0] as const),
  ...rows.map(({ path, price }) => [path, Number(usd(price))] as const),
])

for (const { id, path, price, sample, shelfLife } of rows) {
  test(`the next call after ${path} is in the catalog, at its price, which is lower`, () =>
    Effect.sync(() => {
      equal(shelfLife.next.price, priceOf.get(shelfLife.next.path), id)
      ok(shelfLife.next.price < Number(usd(price)), id)
      ok(/^[^.]{20,100}\.$/.test(shelfLife.next.reason.replaceAll(/`[^`]*`/g, "field")))
    }))

  test(`the sample of ${path} has the shelf life of its row`, () =>
    Effect.sync(() => {
      const { next, validUntil } = shelfLifeOf(shelfLife, sample, { now: written, tickIntervalMs })
      ok(Date.parse(validUntil) > written)
      equal({ ...sample, next, validUntil }, sample)
    }))
}

/** What the answers of a stocked service say at noon: a tick, a digest and a report have just ended. */
const live: Readonly<Record<ProductId, readonly [query: string, holdsMs: number]>> = {
  latest: ["", tickIntervalMs],
  signal: ["", tickIntervalMs],
  signals: ["?since=25", tickIntervalMs],
  digest: ["", digestEvery],
  digest_history: ["", digestEvery],
  resolving: ["", tickIntervalMs],
  whales: ["", tickIntervalMs],
  research: ["?market=market-1", 30 * minute],
}

test("every paid answer has the shelf life of its row", () =>
  Effect.gen(function* () {
    const { get } = yield* makeService(yield* stocked)
    for (const [n, product] of rows.entries()) {
      const [query, holdsMs] = live[product.id as ProductId]
      const headers = { "payment-signature": yield* paymentFor(product, n) }
      const body = yield* json(yield* get(product.path + query, { headers }))
      const { next, validUntil } = body
      equal([validUntil, next], [isoTime(noon + holdsMs), product.shelfLife.next])
    }
  }))
