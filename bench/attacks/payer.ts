/**
 * Signs payments fast: EIP-712 by hand, secp256k1 in WebAssembly, so that the drills need little CPU
 * for their attackers. The first signature is compared with viem's.
 *
 * @module
 */
import { instantiateSecp256k1 } from "@bitauth/libauth"
import { Effect } from "effect"
import { createKeccak } from "hash-wasm"
import { type Address, address, Bytes32 } from "../../src/payments/domain/payment.ts"
import type { Product } from "../../src/catalog/domain/product.ts"
import { privateKeyToAccount } from "viem/accounts"
import { sign } from "../../tests/support/payments/buyers.ts"
import {
  authorizationFor,
  headerOf,
  token,
  wirePayment,
} from "../../tests/support/payments/terms.ts"

/** A key and its address. */
export interface Wallet {
  readonly key: Uint8Array
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

export interface Payer {
  /** A wallet with a new key. */
  readonly newWallet: () => Wallet
  /** Signs a payment for a product, valid for `validSeconds` from now. */
  readonly pay: (wallet: Wallet, product: Product, validSeconds?: number) => SignedPayment
}

/** The longest validity that the service accepts without a margin for clocks. */
const validSecondsDefault = 120
const utf8 = new TextEncoder()

export async function makePayer(): Promise<Payer> {
  const hasher = await createKeccak(256)
  const curve = await instantiateSecp256k1()
  const keccak = (bytes: Uint8Array) => hasher.init().update(bytes).digest("binary")
  const words = (...values: ReadonlyArray<Uint8Array | bigint | string>) => {
    const hex = values.map((value) =>
      (typeof value === "bigint"
        ? value.toString(16)
        : typeof value === "string"
        ? value.slice(2).toLowerCase()
        : value.toHex()).padStart(64, "0")
    )
    return Uint8Array.fromHex(hex.join(""))
  }
  const domain = keccak(words(
    keccak(utf8.encode(
      "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
    )),
    keccak(utf8.encode(token.name)),
    keccak(utf8.encode(token.version)),
    BigInt(token.chainId),
    token.asset,
  ))
  const transferType = keccak(utf8.encode(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter," +
      "uint256 validBefore,bytes32 nonce)",
  ))

  const newWallet = (): Wallet => {
    const key = crypto.getRandomValues(new Uint8Array(32))
    const point = curve.derivePublicKeyUncompressed(key)
    if (typeof point === "string") return newWallet()
    return { key, address: address(`0x${keccak(point.subarray(1)).subarray(12).toHex()}`) }
  }

  const signed = (wallet: Wallet, product: Product, validSeconds: number) => {
    const nonce = Bytes32.make(`0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`)
    const now = Math.floor(Date.now() / 1_000)
    const authorization = authorizationFor(wallet, product, now, {
      nonce,
      validBefore: BigInt(now + validSeconds),
    })
    const { from, to, value, validAfter, validBefore } = authorization
    const message = keccak(words(transferType, from, to, value, validAfter, validBefore, nonce))
    const digest = keccak(new Uint8Array([0x19, 0x01, ...domain, ...message]))
    const result = curve.signMessageHashRecoverableCompact(wallet.key, digest)
    if (typeof result === "string") throw new Error(result)
    const v = (27 + result.recoveryId).toString(16)
    return { authorization, signature: `0x${result.signature.toHex()}${v}` }
  }

  const pay = (wallet: Wallet, product: Product, validSeconds = validSecondsDefault) => {
    const { authorization, signature } = signed(wallet, product, validSeconds)
    const { from: payer, nonce, value } = authorization
    return { header: headerOf(wirePayment(product, authorization, signature)), payer, nonce, value }
  }

  /** Throws when this code and viem do not sign alike. */
  const check = async (product: Product) => {
    const wallet = newWallet()
    const { authorization, signature } = signed(wallet, product, validSecondsDefault)
    const account = privateKeyToAccount(`0x${wallet.key.toHex()}`)
    const expected = await Effect.runPromise(sign(account, authorization))
    if (expected !== signature) throw new Error("The signature differs from viem's")
  }
  const { products } = await import("../../src/catalog/domain/product.ts")
  await check(products.latest)
  return { newWallet, pay }
}
