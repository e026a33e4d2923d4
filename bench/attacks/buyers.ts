/**
 * Honest buyers: each has its own address, its own money and a key for each purchase, and keeps a
 * record of every exchange, so that the chain's ledger can be compared with it.
 *
 * @module
 */
import type { Product } from "../../src/catalog/domain/product.ts"
import { type ProductId, products } from "../../src/catalog/domain/product.ts"
import { noAnswer, readAnswer } from "../../tests/kill/client.ts"
import type { Exchange, Transcript } from "../../tests/kill/transcript.ts"
import type { Environment } from "./environment.ts"
import { type HttpAnswer, request } from "./http.ts"
import { newWallet, pay, type Wallet } from "./payer.ts"

export interface Buyer {
  readonly wallet: Wallet
  /** Its address, as a proxy reports it. */
  readonly client: string
}

/** A record that still grows. */
type OpenTranscript = Transcript & { readonly exchanges: Array<Exchange> }

const buyerUnits = 10_000_000_000n

/** Buyers with money. Each has its own address in 203.0.113.0/24 and 198.18.0.0/15. */
export async function fundedBuyers(
  { control, funded }: Environment,
  count: number,
): Promise<ReadonlyArray<Buyer>> {
  const buyers = Array.from({ length: count }, (_, n) => ({
    wallet: newWallet(),
    client: n < 250 ? `203.0.113.${n + 1}` : `198.18.${Math.floor(n / 250)}.${n % 250 + 1}`,
  }))
  for (const { wallet } of buyers) funded.add(wallet.address)
  const fund = buyers.map(({ wallet }) => [wallet.address, String(buyerUnits)] as const)
  await control({ fund: Object.fromEntries(fund) })
  return buyers
}

/** A purchase: one payment, its secret and its record. */
export interface Purchase {
  readonly buyer: Buyer
  readonly product: Product
  readonly path: string
  readonly record: OpenTranscript
}

/** Signs a payment; nothing is sent. */
export async function newPurchase(
  buyer: Buyer,
  productId: ProductId,
  query = "",
): Promise<Purchase> {
  const product = products[productId]
  const payment = await pay(buyer.wallet, product)
  return {
    buyer,
    product,
    path: `${product.path}${query}`,
    record: {
      scenario: "steady",
      payer: payment.payer,
      nonce: payment.nonce,
      value: payment.value,
      product: productId,
      header: payment.header,
      secret: crypto.randomUUID().replaceAll("-", ""),
      exchanges: [],
    },
  }
}

/** Sends a purchase once and records the exchange. */
export async function send(
  { buyer, path, record }: Purchase,
  port: number,
): Promise<HttpAnswer & Exchange> {
  const answer = await request({
    port,
    path,
    client: buyer.client,
    headers: {
      "payment-signature": record.header,
      ...record.secret === null ? {} : { "idempotency-key": record.secret },
    },
  })
  const exchange = await exchangeOf(answer, record.product)
  record.exchanges.push(exchange)
  return { ...answer, ...exchange }
}

/** The same form as the kill loop's records. `block` is not read: it would cost a call for each. */
export async function exchangeOf(
  { status, body, headers, failure }: HttpAnswer,
  product: ProductId,
): Promise<Exchange> {
  const shared = { by: "buyer", product, atMs: Date.now(), block: null } as const
  return status === null
    ? { ...shared, ...noAnswer, code: failure }
    : { ...shared, ...await readAnswer({ status, headers, body }) }
}

/** Counts by status, and by the error's code where there is one. */
export class Tally {
  readonly counts = new Map<string, number>()
  total = 0

  add(what: string): void {
    this.total += 1
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0
  }

  /** Such as `200 98, 503 overloaded 2`. */
  toString(): string {
    const parts = [...this.counts].toSorted(([, a], [, b]) => b - a)
    return parts.map(([what, count]) => `${what} ${count}`).join(", ") || "none"
  }
}

/** The status and the code of an answer, or why there is none. */
export function nameOf({ status, code }: Exchange): string {
  return status === 200 ? "200" : status === null ? code ?? "lost" : `${status} ${code}`
}
