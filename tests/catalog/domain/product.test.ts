/**
 * Rules for every row of the product table that buyers and catalogs rely on; the parts of /v1/sample
 * agree with one another.
 *
 * @module
 */
import { Schema } from "effect"
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { sampleBody } from "../../../src/catalog/domain/sample.ts"
import { atomic } from "../../../src/core/domain/money.ts"
import { publishable } from "../../../src/whales/domain/whale.ts"

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

const { whales, feedItems, research } = Schema.decodeUnknownSync(freeRows.sample.body)(sampleBody)

/** Each published figure is rounded to a hundredth of a percent. */
const near = (a: number, b: number, digits = 0.000_11) =>
  ok(Math.abs(a - b) <= digits, `${a} is not ${b}`)

Deno.test("the sample's wallets are publishable, in the order of /v1/whales", () => {
  equal(publishable(whales), whales)
  const [position] = research.data.evidence.whales
  equal([position?.wallet, position?.pseudonym], [whales[1]?.wallet, whales[1]?.pseudonym])
  strictEqual(position?.calibration?.winRate, whales[1]?.winRate)
})

Deno.test("the sample's whale entry has its wallet's calibration from before the entry", () => {
  const entry = feedItems.find((item) => item.type === "whale_entry")?.data
  ok(entry !== undefined && entry.calibration !== null)
  const { calibration, wallet, entryPrice, shares, stakeUsd, firstFillAt, lastFillAt } = entry
  const row = whales.find((row) => row.wallet === wallet)
  ok(calibration.computedAt < firstFillAt && firstFillAt <= lastFillAt)
  near(entryPrice * shares, stakeUsd, 0.01)
  for (const key of ["label", "resolved", "winRate", "edge", "edgeLow", "fadeRoi"] as const) {
    strictEqual(calibration[key], row?.[key])
  }
  strictEqual(calibration.followRoi, row?.mirrorRoi)
})
