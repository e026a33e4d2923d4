/**
 * The extension `offer-receipt`: what the service signs of an offer, of a sale and of a refund, and
 * where x402 places it. The signed form is a compact JWS over canonical JSON.
 *
 * The fields of the specification and of the stock package come first; a sale and a refund state
 * more, which verifiers keep. Everything that is signed comes from the stored row, so that a receipt
 * which is made again is the same text.
 *
 * @module
 */
import type { CanonicalValue } from "../../../signing/domain/canonicalJson.ts"
import { type Product, products } from "../../../catalog/domain/product.ts"
import { address, type AnsweredPayment, type PaymentWithRefund } from "../payment.ts"
import { type PaymentTerms, requirements } from "./terms.ts"

/** The canonical JSON of a payload as a compact JWS. */
export type Sign = (payload: CanonicalValue) => string

/** The version of the payloads. */
const version = 1

/** An offer is signed again this often, and valid for twice as long. */
export const offerPeriodSeconds = 300

/** What `extensions` of a 402 or of a receipt contains. */
export interface SignedExtension {
  readonly "offer-receipt": {
    readonly info:
      | { readonly version: 1; readonly offers: ReadonlyArray<SignedStatement> }
      | { readonly version: 1; readonly receipt: SignedStatement }
    readonly schema: { readonly type: "object" }
  }
}

/** A signed payload. The JWS contains it. */
interface SignedStatement {
  readonly format: "jws"
  readonly signature: string
}

const statement = (signature: string): SignedStatement => ({ format: "jws", signature })
// The header of a 402 has no room for the schema of a text.
const schema = { type: "object" } as const

/** The extension of a 402. The offer of a product is the same for each way to call it. */
export function offerExtension(
  sign: Sign,
  product: Product,
  terms: PaymentTerms,
  /** The start of the period, in seconds since the Unix epoch. */
  issuedAt: number,
): SignedExtension {
  const { scheme, network, asset, payTo, amount } = requirements(product, terms)
  const signature = sign({
    version,
    resourceUrl: resourceUrl(product, terms),
    scheme,
    network,
    asset,
    payTo,
    amount,
    validUntil: issuedAt + 2 * offerPeriodSeconds,
  })
  return { "offer-receipt": { info: { version, offers: [statement(signature)] }, schema } }
}

/** The extension of the receipt of a sale. */
export const receiptExtension = (signature: string): SignedExtension => ({
  "offer-receipt": { info: { version, receipt: statement(signature) }, schema },
})

/** The receipt of a sale: payment, request, price, time and answer. */
export function receiptOfSale(
  sign: Sign,
  row: AnsweredPayment,
  terms: PaymentTerms,
  /** SHA-256 of the body before any content encoding, in hexadecimal digits. */
  bodySha256: string,
): string {
  return sign({
    ...ofPayment(row, terms),
    issuedAt: row.answeredAt,
    kind: "sale",
    request: requestUrl(row.request, terms),
    bodySha256,
  })
}

/**
 * The receipt of a refund; null until the chain shows it. `transaction` is the payment's, as in the
 * receipt of a sale.
 */
export function receiptOfRefund(
  sign: Sign,
  row: PaymentWithRefund,
  terms: PaymentTerms,
): string | null {
  const { state, transaction, confirmedAt } = row.refund
  if (state !== "confirmed" || transaction === null || confirmedAt === null) return null
  return sign({
    ...ofPayment(row, terms),
    issuedAt: confirmedAt,
    kind: "refund",
    amount: row.paidAmount.toString(),
    refundTransaction: transaction,
  })
}

function ofPayment(row: AnsweredPayment | PaymentWithRefund, terms: PaymentTerms) {
  const product = Object.values(products).find(({ id }) => id === row.productId)
  const { from: payer, to, nonce } = row.authorization
  return {
    version,
    network: `eip155:${terms.chainId}`,
    // A transfer that came without a request paid for no resource.
    resourceUrl: product === undefined ? terms.publicBaseUrl : resourceUrl(product, terms),
    payer,
    transaction: row.paidAt.transaction,
    paymentId: row.paymentId,
    nonce,
    asset: terms.asset,
    // As an offer spells it, unless an operator has changed it since.
    payTo: to === address(terms.payTo) ? terms.payTo : to,
    amount: row.amount.toString(),
  }
}

const resourceUrl = ({ path }: Product, { publicBaseUrl }: PaymentTerms) =>
  `${publicBaseUrl}${path}`

/**
 * The address of a request in canonical form: each parameter that the answer depends on, defaults
 * included, in the order of their names.
 */
function requestUrl(request: string, terms: PaymentTerms): string {
  const start = request.indexOf("?")
  const product = Object.values(products).find(({ id }) => id === request.slice(0, start))
  if (product === undefined) return terms.publicBaseUrl
  const query = new URLSearchParams(parametersOf(request.slice(start + 1))).toString()
  return `${resourceUrl(product, terms)}${query === "" ? "" : `?${query}`}`
}

/** The parameters as in a query: absent ones are left out, and a flag is 1 or 0. */
function parametersOf(sorted: string): Array<[string, string]> {
  const entries: ReadonlyArray<[string, string | number | boolean | null]> = JSON.parse(sorted)
  return entries.flatMap(([name, value]): Array<[string, string]> =>
    value === null ? [] : [[name, typeof value === "boolean" ? String(Number(value)) : `${value}`]]
  )
}
