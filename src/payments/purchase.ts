/**
 * A paid request on its way. A door (HTTP, /mcp, /a2a) decodes a `Call`. A call with a payment that
 * fits it is a `Purchase`. A `Sale` is a purchase in its fiber. An `Outcome` is what the door
 * encodes; without an answer the call fails with a `FailedSale`.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import type { Effect, Exit } from "effect"
import type { Product } from "../catalog/domain/product.ts"
import type { Client } from "../core/CallClient.ts"
import { preparedFor } from "../core/domain/prepared.ts"
import { sha256 } from "../core/sha256.ts"
import type { FailedSale, NotCharged, Receipt } from "./domain/failedSale.ts"
import type { Address, PaymentId } from "./domain/payment.ts"
import type { SignedExtension } from "./domain/x402/offerReceipt.ts"
import type { PaymentPayload } from "./domain/x402/paymentPayload.ts"

/** A request with a payment, as a door decodes it. Nothing knows the transport from here on. */
export interface Call {
  /** The parameters, or the error when they could not be converted to a query. */
  readonly input: URLSearchParams | NotCharged
  /** The payment: a base64 header, or the JSON value inside one. */
  readonly payment: { readonly header: string } | { readonly json: unknown }
  /** The Idempotency-Key; null means the payment's own identifier is used. */
  readonly key: string | null
  /** Whether the key is the secret of an A2A task, which is sold once, to any payer. */
  readonly isTask?: boolean | undefined
  /** The client whose limits the call counts against. */
  readonly client: Client
  /** Whether the client has the answer with this tag already, and does not want to pay for it again. */
  readonly hasTag?: ((etag: string) => boolean) | undefined
}

/** A call with a payment that fits it, before the store or the chain is read. */
export interface Purchase extends Pick<Call, "client" | "hasTag" | "isTask"> {
  readonly product: Product
  /** The product and its canonical parameters. The payment is bound to them. */
  readonly request: string
  readonly payment: PaymentPayload
  /**
   * Why the payment cannot be settled now; null when it can. A known payment gets its response in
   * both cases.
   */
  readonly validityFault: string | null
  /**
   * Known only to the buyer: an Idempotency-Key or payment-identifier. Null when the request has
   * none.
   */
  readonly secret: string | null
  /** Runs at the end of a sale whose buyer hung up. A payment that was not used fails with `hungUp`. */
  readonly onAbandoned: (end: Exit.Exit<Outcome, FailedSale>) => Effect.Effect<void>
}

/**
 * The result of a product's work. `charge: false`: the answer is not worth its price. Compute-first
 * then delivers it without a charge; settle-early refunds the payment instead.
 */
export interface WorkResult {
  readonly body: Uint8Array
  readonly charge: boolean
}

/** A product's computation for one request. */
export interface Work {
  /** Fails when the request must be refused. Only settle-early runs it, before settlement. */
  readonly check: Effect.Effect<void, NotCharged>
  readonly compute: Effect.Effect<WorkResult, NotCharged>
}

/** A receipt as x402 returns it. Its extension is absent where nothing is signed. */
export type PaidReceipt = typeof Receipt.Type & {
  readonly extensions?: SignedExtension
}

/** An answer to encode, and what happened to the money. */
export interface Outcome {
  readonly paymentId: PaymentId
  readonly body: Uint8Array
  /** Null when nothing was charged. */
  readonly receipt: PaidReceipt | null
  /** True when an earlier call stored the answer. It may have been delivered before. */
  readonly replayed: boolean
  /** The tag of payer, request and data: only who has the body can make it. */
  readonly etag: string
  /** The caller has this tag, so nothing was charged and no body is due. */
  readonly unchanged: boolean
}

/** The tag of what one payer gets for one request. Weak: equal tags may differ before their data. */
export function etagOf(payer: Address, request: string, body: Uint8Array): string {
  const hash = createHash("sha256").update(`${payer}\n${request}\n${dataHash(body)}`)
  return `W/"${hash.digest("base64url")}"`
}

// Each is made once for all buyers of a body, which can be almost a megabyte and never changes.
/** The SHA-256 of a body. */
export const bodyHash = preparedFor((body: Uint8Array) => sha256(body))
const dataHash = preparedFor((body: Uint8Array) => sha256(dataIn(body)))

const dataKey = '"data":'

/**
 * A body from its data on. What comes before is fixed by the request, or says how old the inputs are
 * (`asOf`), which every tick changes: with it no answer of the feed would ever be unchanged.
 */
function dataIn(body: Uint8Array): Uint8Array {
  const start = Buffer.from(body.buffer, body.byteOffset, body.length).indexOf(dataKey)
  return start < 0 ? body : body.subarray(start)
}
