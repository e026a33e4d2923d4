/**
 * `Signatures` with WebAssembly: keccak from hash-wasm, secp256k1 from libauth. Needs no
 * permission.
 *
 * The ABI encodings are written by hand, because all of them are sequences of 32-byte words.
 *
 * @module
 */
import type { RecoveryId, Secp256k1 } from "@bitauth/libauth"
// The whole package would be loaded by its own name: 38 MB and a tenth of a second.
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js"
import { Effect, Layer, Option } from "effect"
import { createKeccak } from "hash-wasm"
import {
  type Address,
  address,
  type Authorization,
  Bytes32,
  PaymentId,
  type Signature,
  type TokenDomain,
} from "./domain/payment.ts"
import { type PaymentKey, Signatures } from "./Signatures.ts"

const wordBytes = 32
/** Length of a signature r, s, v. */
const signatureBytes = 65

export const layer: Layer.Layer<Signatures> = Layer.effect(
  Signatures,
  Effect.gen(function* () {
    const hasher = yield* Effect.promise(() => createKeccak(256))
    const curve = yield* Effect.promise(() => instantiateSecp256k1())
    const keccak = (bytes: Uint8Array) => hasher.init().update(bytes).digest("binary")
    const types = typeHashes(keccak)
    const domains = new Map<string, Uint8Array>()

    /** Cached by token; there are only a few. */
    const domainSeparator = (token: TokenDomain) => {
      const key = `${token.chainId}:${token.asset}:${token.name}:${token.version}`
      const known = domains.get(key)
      if (known !== undefined) return known
      const separator = keccak(words(
        types.domain,
        keccak(utf8.encode(token.name)),
        keccak(utf8.encode(token.version)),
        BigInt(token.chainId),
        token.asset,
      ))
      domains.set(key, separator)
      return separator
    }

    const signingHash = (token: TokenDomain, authorization: Authorization) => {
      const { from, to, value, validAfter, validBefore, nonce } = authorization
      const bytes = new Uint8Array(2 + 2 * wordBytes)
      bytes.set([0x19, 0x01])
      bytes.set(domainSeparator(token), 2)
      bytes.set(
        keccak(words(types.transfer, from, to, value, validAfter, validBefore, nonce)),
        2 + wordBytes,
      )
      return keccak(bytes)
    }

    const taggedHash = (tag: string, { chainId, asset, from, nonce }: PaymentKey) => {
      const tagBytes = utf8.encode(tag)
      const tagWord = new Uint8Array(wordBytes)
      tagWord.set(tagBytes)
      // The tag is a string, the only dynamic argument: its word contains the offset of its length.
      const offset = BigInt(5 * wordBytes)
      const length = BigInt(tagBytes.length)
      const encoded = words(offset, BigInt(chainId), asset, from, nonce, length, tagWord)
      return `0x${keccak(encoded).toHex()}` as const
    }

    return Signatures.of({
      paymentId: (payment) => PaymentId.make(taggedHash("pay/v1", payment)),
      refundNonce: (payment) => Bytes32.make(taggedHash("refund/v1", payment)),
      signer: (token, authorization, signature) =>
        Effect.sync(() => recover(curve, keccak, signingHash(token, authorization), signature)),
      digest: (text) => Bytes32.make(`0x${keccak(utf8.encode(text)).toHex()}`),
    })
  }),
)

type Keccak = (bytes: Uint8Array) => Uint8Array

const utf8 = new TextEncoder()

const typeHashes = (keccak: Keccak) => ({
  domain: keccak(utf8.encode(
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
  )),
  transfer: keccak(utf8.encode(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter," +
      "uint256 validBefore,bytes32 nonce)",
  )),
})

/** Encodes each value as a 32-byte word, right-aligned as the ABI requires. */
function words(...values: ReadonlyArray<Uint8Array | bigint | `0x${string}`>): Uint8Array {
  const bytes = new Uint8Array(values.length * wordBytes)
  for (const [index, value] of values.entries()) {
    const end = (index + 1) * wordBytes
    if (typeof value === "bigint") writeUint(bytes, value, end)
    else {
      const word = typeof value === "string" ? bytesOf(value) : value
      bytes.set(word, end - word.length)
    }
  }
  return bytes
}

function writeUint(bytes: Uint8Array, value: bigint, end: number): void {
  let rest = value
  for (let at = end - 1; rest > 0n; at--) {
    bytes[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
}

function bytesOf(hex: `0x${string}`): Uint8Array {
  return Uint8Array.fromHex(hex.slice(2))
}

function recover(
  curve: Secp256k1,
  keccak: Keccak,
  hash: Uint8Array,
  signature: Signature,
): Option.Option<Address> {
  const bytes = bytesOf(signature)
  if (bytes.length !== signatureBytes) return Option.none()
  const recoveryId: RecoveryId = bytes[64] === 27 ? 0 : 1
  const key = curve.recoverPublicKeyUncompressed(bytes.subarray(0, 64), recoveryId, hash)
  if (typeof key === "string") return Option.none()
  return Option.some(address(`0x${keccak(key.subarray(1)).subarray(12).toHex()}`))
}
