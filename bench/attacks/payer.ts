/**
 * Keys, and payments that they sign.
 *
 * @module
 */
import { Effect } from "effect"
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from "viem/accounts"
import { type Address, address, Bytes32 } from "../../src/payments/domain/payment.ts"
import type { Product } from "../../src/catalog/domain/product.ts"
import { sign } from "../../tests/support/payments/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../../tests/support/payments/terms.ts"

/** A key and its address. */
export interface Wallet {
  readonly account: LocalAccount
  readonly address: Address
}

/** A signed payment. */
export interface SignedPayment {
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string
  readonly payer: Address
  readonly nonce: Bytes32
  readonly value: bigint
}

/** The longest validity that the service accepts without a margin for clocks. */
const validSecondsDefault = 120

/** A wallet with a new key. */
export function newWallet(): Wallet {
  const account = privateKeyToAccount(generatePrivateKey())
  return { account, address: address(account.address) }
}

/** Signs a payment for a product, valid for `validSeconds` from now. */
export async function pay(
  wallet: Wallet,
  product: Product,
  validSeconds = validSecondsDefault,
): Promise<SignedPayment> {
  const now = Math.floor(Date.now() / 1_000)
  const nonce = Bytes32.make(`0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`)
  const validBefore = BigInt(now + validSeconds)
  const authorization = authorizationFor(wallet, product, now, { nonce, validBefore })
  const signature = await Effect.runPromise(sign(wallet.account, authorization))
  const { from: payer, value } = authorization
  return { header: headerOf(wirePayment(product, authorization, signature)), payer, nonce, value }
}
