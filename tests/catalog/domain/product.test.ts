/**
 * Rules for every row of the product table that buyers and catalogs rely on.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { atomic } from "../../../src/core/domain/money.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"

const rows: ReadonlyArray<Product> = Object.values(products)

Deno.test("products are named by their key, and no two share an id or a path", () => {
  equal(rows.map(({ id }) => id), Object.keys(products))
  equal(new Set(rows.map(({ path }) => path)).size, rows.length)
})

Deno.test("products have the prices of the interface", () => {
  const prices = {
    latest: "0.01",
    signal: "0.01",
    signals: "0.03",
    digest: "0.10",
    digest_history: "0.05",
    resolving: "0.02",
    whales: "0.05",
    research: "1.00",
  } as const
  equal(Object.keys(prices), Object.keys(products))
  for (const [id, price] of Object.entries(prices)) {
    equal(rows.find((row) => row.id === id)?.price, atomic(price))
  }
})

Deno.test("products cost at most 1.00 USD, the default limit of the reference buyer", () => {
  for (const { price } of rows) ok(price > 0n && price <= atomic("1.00"))
})

Deno.test("products are described in under 450 characters", () => {
  for (const { description } of rows) ok(description.length > 0 && description.length < 450)
})
