/**
 * What the clients of a run saw: the one record, beside the chain's, that a run is judged by.
 *
 * @module
 */
import type { ProductId } from "../../src/catalog/domain/product.ts"

/** What a client does with one authorization. */
export const stories = [
  /** Pays, and tries again until it knows. */
  "steady",
  /** Goes away at its first trouble. */
  "impatient",
  /** Hangs up while it waits, and comes again. */
  "hangs up, returns",
  /** Hangs up while it waits, and never comes again. */
  "hangs up",
  /** Sends the same payment to two edges at once. */
  "twins",
  /** Sends one payment for two products at once. */
  "two products",
  /** Somebody else shows the payment too, once it is public. */
  "thief",
  /** Brings the payment to the chain itself while it pays with it. */
  "preempts",
  /** Brings the payment to the chain and never calls. */
  "orphan",
  /** Cancels the authorization while it pays with it. */
  "cancels",
] as const
export type Story = typeof stories[number]

/** One request, and what came back. */
export interface Exchange {
  readonly by: "buyer" | "thief"
  readonly product: ProductId
  readonly atMs: number
  /** Null: nothing came back, or the client did not wait for it. */
  readonly status: number | null
  /** The error's code; of an answer without a status why there is none. */
  readonly code: string | null
  readonly charged: boolean | null
  /** Of a 200's body. */
  readonly bodyHash: string | null
  /** Whether a 200 answers what was asked. */
  readonly sound: boolean
  /** As PAYMENT-RESPONSE names it. */
  readonly transaction: string | null
  /** Zero when the answer names no time to wait. */
  readonly retryAfterSeconds: number
  /** The newest block when the answer had come; null where that was not asked. */
  readonly block: bigint | null
}

/** One authorization and everything that was done with it. */
export interface Transcript {
  readonly story: Story
  readonly payer: string
  readonly nonce: string
  readonly value: bigint
  readonly product: ProductId
  /** As it goes over the wire. */
  readonly header: string
  /** Known to its buyer alone; null when the first call showed none. */
  readonly secret: string | null
  readonly exchanges: ReadonlyArray<Exchange>
}

/** What makes two records speak of one authorization. */
export function keyOf({ payer, nonce }: Pick<Transcript, "payer" | "nonce">): string {
  return `${payer.toLowerCase()} ${nonce.toLowerCase()}`
}
