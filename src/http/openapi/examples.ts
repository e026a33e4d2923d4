/**
 * The example answer of every row, with the sample values of /v1/sample. The terms are the real
 * ones.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeId, type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { type PageId, type PageRow, pageRows } from "../../catalog/domain/pageRow.ts"
import { usd } from "../../core/domain/money.ts"
import { type Product, type ProductId, products } from "../../catalog/domain/product.ts"
import { sampleWhales } from "../../catalog/domain/sample.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"
import { termsBody, termsText } from "../free/terms.ts"
import type { PaymentBody } from "../paywall/paymentStatus.ts"

/** Everything that has an example: the rows of all tables, and the lookup of a payment. */
export type ExampleId = FreeId | PageId | ProductId | "payment"

/** The examples of a service under these terms. */
export function examplesFor({ publicBaseUrl }: PaymentTerms): Readonly<Record<ExampleId, unknown>> {
  const terms = { publicBaseUrl, paymentMode: "live", venueMode: "polymarket" } as const
  return {
    ...Record.map(freeRows, (row: FreeRow) => row.sample?.(publicBaseUrl)),
    ...Record.map(products, (row: Product) => row.sample),
    ...Record.map(pageRows, (row: PageRow) => row.sample),
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
  receipt: null,
}

/** A longer example has the first row of each list only. */
const wholeLengthMax = 1_500
/** If it is still longer, it has the first words of each text only. */
const textLengthMax = 40

/** The example of a body: the whole value, or a cut one where it is long. */
export function mediaExample(value: unknown): Json {
  if (lengthOf(value) <= wholeLengthMax) return { example: value }
  const rows = firstRows(value)
  const shortest = lengthOf(rows) <= wholeLengthMax ? rows : cut(value, textLengthMax)
  return { examples: { cut: { summary: "Long lists and texts are cut", value: shortest } } }
}

/** A value with the first row of each list only. */
export const firstRows = (value: unknown): unknown => cut(value, Infinity)

const lengthOf = (value: unknown) => JSON.stringify(value).length

/** The first words of a text; a text of one word, such as an address, stays whole. */
export function firstWords(text: string, lengthMax: number): string {
  const end = text.slice(0, lengthMax + 1).search(/\s\S*$/)
  return text.length <= lengthMax || end < 0 ? text : `${text.slice(0, end)} ...`
}

/** A value with the first row of each list of objects, and the first words of each text. */
function cut(value: unknown, lengthMax: number): unknown {
  if (typeof value === "string") return firstWords(value, lengthMax)
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) return Record.map(Object(value), (member) => cut(member, lengthMax))
  const areRows = value.every((row) => typeof row === "object")
  return (areRows ? value.slice(0, 1) : value).map((member) => cut(member, lengthMax))
}
