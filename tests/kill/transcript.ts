/**
 * The record of what the clients of a run sent and received.
 *
 * @module
 */
import type { ProductId } from "../../src/catalog/domain/product.ts"

/** What a client does with one authorization. */
export const scenarios = [
  /** Pays, and retries until the answer is final. */
  "steady",
  /** Sends one request and never retries. */
  "impatient",
  /** Hangs up while it waits, and retries later. */
  "hangs up, retries",
  /** Hangs up while it waits, and never retries. */
  "hangs up",
  /** Sends the same payment to two replicas at once. */
  "concurrent",
  /** Sends one payment for two products at once. */
  "two products",
  /** Another client sends the payment too, once it is public on the chain. */
  "thief",
  /** Settles the authorization on the chain itself while the service works on it. */
  "settles directly",
  /** Settles the authorization on the chain and sends no request. */
  "unmatched",
  /** Cancels the authorization while the service works on it. */
  "cancels",
] as const
export type Scenario = typeof scenarios[number]

/** One request and its response. */
export interface Exchange {
  readonly by: "buyer" | "thief"
  readonly product: ProductId
  readonly atMs: number
  /** Null: no response, or the client did not wait for it. */
  readonly status: number | null
  /** The error's code; without a status, the reason why there was no response. */
  readonly code: string | null
  readonly charged: boolean | null
  /** SHA-256 of the body of a 200. */
  readonly bodyHash: string | null
  /** Whether a 200 has the shape of a successful answer. */
  readonly isValid: boolean
  /** The transaction in PAYMENT-RESPONSE. */
  readonly transaction: string | null
  /** Zero when there is no `Retry-After`. */
  readonly retryAfterSeconds: number
  /** The newest block after a 200 arrived; null for other responses. */
  readonly block: bigint | null
}

/** One authorization and all its exchanges. */
export interface Transcript {
  readonly scenario: Scenario
  readonly payer: string
  readonly nonce: string
  readonly value: bigint
  readonly product: ProductId
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string
  /** The `Idempotency-Key`, which only the buyer knows; null when the buyer sends none. */
  readonly secret: string | null
  readonly exchanges: ReadonlyArray<Exchange>
}

/** The same for all records of one authorization. */
export function keyOf({ payer, nonce }: Pick<Transcript, "payer" | "nonce">): string {
  return `${payer.toLowerCase()} ${nonce.toLowerCase()}`
}
