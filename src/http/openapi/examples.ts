/**
 * The example answer of every row, with the sample values of /v1/sample. The terms are the real
 * ones.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeId, type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { type Product, type ProductId, products } from "../../catalog/domain/product.ts"
import { sampleWhales } from "../../catalog/domain/sample.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { termsBody, termsText } from "../pages/terms.ts"
import type { PaymentBody } from "../paywall/paymentStatus.ts"

/** Everything that has an example: the free rows, the products, and the lookup of a payment. */
export type ExampleId = FreeId | ProductId | "payment"

/** The examples of a service under these terms. */
export function examplesFor({ publicBaseUrl }: PaymentTerms): Readonly<Record<ExampleId, unknown>> {
  const terms = { publicBaseUrl, paymentMode: "live", venueMode: "polymarket" } as const
  return {
    ...Record.map(freeRows, (row: FreeRow) => row.sample?.(publicBaseUrl)),
    ...Record.map(products, (row: Product) => row.sample),
    terms: termsBody(terms),
    terms_text: termsText(terms),
    payment,
  }
}

const payment: typeof PaymentBody.Type = {
  success: true,
  paymentId: `0x${"5a".repeat(32)}`,
  state: "refund_due",
  product: products.research.id,
  amountUsd: usd(products.research.price),
  payer: sampleWhales[0].wallet,
  transaction: `0x${"7c".repeat(32)}`,
  refund: {
    state: "queued",
    transaction: null,
    amountUsd: usd(products.research.price),
    to: sampleWhales[0].wallet,
  },
}
