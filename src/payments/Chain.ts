/**
 * The port to the chain. Only the chain proves whether a payment was made. When several endpoints
 * are read, an answer is what all of them say (`chain/agreement.ts`).
 *
 * @module
 */
import { Context, Duration, Effect, Schema } from "effect"
import type {
  Address,
  Authorization,
  Bytes32,
  PaidAt,
  Payment,
  PaymentProof,
  Signature,
} from "./domain/payment.ts"
import type { ChainHead } from "./domain/paymentHealth.ts"

/** The transfer that proves a payment. */
export interface ExpectedTransfer {
  readonly chainId: number
  readonly asset: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly nonce: Bytes32
  /** Seconds since the Unix epoch. */
  readonly validBefore: bigint
  /** The first block in which it can have been used, when that may be long before the expiry. */
  readonly since?: bigint
  /** The transaction that the facilitator reported. It is read first but not trusted. */
  readonly transactionHint: string | null
}

/** The chain cannot be read now. This proves nothing about a payment. */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  reason: Schema.String,
  /** True when several endpoints were read and contradict each other. */
  disputed: Schema.optionalKey(Schema.Literal(true)),
}) {}

/** `too_early`: the newest block is not after `validAfter`. */
export type Settles = true | "too_early" | "insufficient_funds" | "invalid_signature"

/** A transfer by authorization on the chain. Any account may have submitted it. */
export interface AuthorizedTransfer {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly nonce: Bytes32
  readonly at: PaidAt
}

/** A range of safe blocks that was read completely. */
export interface ScannedBlocks {
  /** In chain order. */
  readonly transfers: ReadonlyArray<AuthorizedTransfer>
  /** The last block of the range; the next range starts after it. */
  readonly through: bigint
}

export class Chain extends Context.Service<Chain, {
  /** The newest block and the newest safe one. */
  readonly head: Effect.Effect<ChainHead, ChainUnavailable>
  readonly paymentProof: (
    expected: ExpectedTransfer,
  ) => Effect.Effect<PaymentProof, ChainUnavailable>
  /**
   * The transfers by authorization to `to` in the safe blocks after `after`, at most one range of
   * blocks per call. `through` equals `after` when there is nothing new.
   */
  readonly transfers: (query: {
    readonly asset: Address
    readonly to: Address
    readonly after: bigint
  }) => Effect.Effect<ScannedBlocks, ChainUnavailable>
  /**
   * True when the authorization's nonce is used or cancelled as of the newest block. A caller who
   * sends such an authorization may have copied it from the chain.
   */
  readonly isNonceUsed: (
    asset: Address,
    from: Address,
    nonce: Bytes32,
  ) => Effect.Effect<boolean, ChainUnavailable>
  /** The balance of an address, in atomic units, as of the newest block. */
  readonly balanceOf: (
    asset: Address,
    holder: Address,
  ) => Effect.Effect<bigint, ChainUnavailable>
  /** True when the address is a contract, whose signatures only the chain can check (EIP-1271). */
  readonly hasCode: (address: Address) => Effect.Effect<boolean, ChainUnavailable>
  /**
   * Whether the transfer would succeed now in a transaction like those that settled before, or why
   * not. True when that cannot be tried.
   */
  readonly wouldSettle: (
    asset: Address,
    authorization: Authorization,
    signature: Signature,
  ) => Effect.Effect<Settles, ChainUnavailable>
}>()("bellwether/payments/Chain") {}

/** Fails a read of the chain that has no response in this time. */
export const inTime = (duration: Duration.Duration) =>
  Effect.timeoutOrElse({
    duration,
    orElse: () => Effect.fail(new ChainUnavailable({ reason: "no response in time" })),
  })

/** Maximum wait for one read of the chain, because a sale or the sweep must not hang. */
const chainTimeout = Duration.seconds(5)

/**
 * The chain's proof of a payment. An unavailable chain gives `not_yet`. `transactionHint` is the
 * transaction that the facilitator reported.
 */
export function proofOf(
  chain: Chain["Service"],
  payment: Payment,
  transactionHint: string | null,
): Effect.Effect<PaymentProof> {
  const { token, authorization } = payment
  return chain.paymentProof({ ...token, ...authorization, transactionHint }).pipe(
    inTime(chainTimeout),
    Effect.catchTag("ChainUnavailable", ({ reason }) =>
      Effect.as(
        Effect.logWarning(`Cannot read the chain: ${reason}`),
        { proof: "not_yet" } satisfies PaymentProof,
      )),
  )
}
