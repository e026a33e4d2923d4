/**
 * The port to the mathematics of payments: hashes and signers. Pure in effect, but its machinery
 * (WASM) has to be loaded once, so it is a service.
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

export class Signatures extends Context.Service<Signatures, {
  /** The identity of an authorization: `paymentIdFormula`. */
  readonly paymentId: (fields: {
    readonly chainId: number
    readonly asset: Address
    readonly from: Address
    readonly nonce: Bytes32
  }) => PaymentId
  /**
   * The nonce of a payment's refund, always the same one, so that the token contract pays it at most
   * once: keccak256(abi.encode("refund/v1", chainId, asset, payer, paymentNonce)).
   */
  readonly refundNonce: (payment: {
    readonly chainId: number
    readonly asset: Address
    readonly from: Address
    readonly nonce: Bytes32
  }) => Bytes32
  /** Who signed this EIP-3009 authorization; none when nobody can have. */
  readonly signer: (
    token: TokenDomain,
    authorization: Authorization,
    signature: Signature,
  ) => Effect.Effect<Option.Option<Address>>
  /** keccak256 of a text's UTF-8 bytes. */
  readonly digest: (text: string) => Bytes32
}>()("bellwether/payments/Signatures") {}
