/**
 * The port to hashes and signature recovery. The functions are pure; they are a service because
 * their WebAssembly must be loaded first.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type {
  Address,
  Authorization,
  Bytes32,
  PaymentId,
  Signature,
  TokenDomain,
} from "./domain/payment.ts"

/** The fields that identify a payment on its chain. */
export interface PaymentKey {
  readonly chainId: number
  readonly asset: Address
  readonly from: Address
  readonly nonce: Bytes32
}

export class Signatures extends Context.Service<Signatures, {
  /** The payment id, as in `paymentIdFormula`. */
  readonly paymentId: (payment: PaymentKey) => PaymentId
  /**
   * The nonce of a payment's refund:
   * keccak256(abi.encode("refund/v1", chainId, asset, payer, paymentNonce)). It depends only on the
   * payment, so the token contract pays the refund at most once.
   */
  readonly refundNonce: (payment: PaymentKey) => Bytes32
  /**
   * The signer of this EIP-3009 authorization; none when no public key can be recovered, as from a
   * signature of a contract wallet.
   */
  readonly signer: (
    token: TokenDomain,
    authorization: Authorization,
    signature: Signature,
  ) => Effect.Effect<Option.Option<Address>>
  /** keccak256 of a text's UTF-8 bytes. */
  readonly digest: (text: string) => Bytes32
}>()("bellwether/payments/Signatures") {}
