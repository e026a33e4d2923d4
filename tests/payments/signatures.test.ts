/**
 * The results of the WebAssembly signatures equal viem's, on generated vectors.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { encodeAbiParameters, keccak256, recoverTypedDataAddress, stringToHex } from "viem"
import { layer } from "../../src/payments/wasmSignatures.ts"
import {
  address,
  type Authorization,
  Bytes32,
  Signature,
} from "../../src/payments/domain/payment.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { buyer, sign, transferTypes } from "../support/payments/buyers.ts"
import { authorizationFor, token } from "../support/payments/terms.ts"
import { liveTest } from "../support/effect.ts"

const vectors = Number(Deno.env.get("SIGNATURE_VECTORS") ?? 200)

const Word = Schema.BigInt.check(
  Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 100n) - 1n }),
)
const anyVector = Arbitrary.schema(Schema.Struct({
  payer: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })),
  to: Word,
  value: Word,
  validAfter: Word,
  validBefore: Word,
  nonce: Word,
  /** The changed byte of the signature, if any. The last byte only selects one of two keys. */
  tampered: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 63 }))),
}))

const hex = (value: bigint, digits: number) =>
  `0x${value.toString(16).padStart(digits, "0")}` as const

const authorizationOf = (
  vector: typeof anyVector extends Arbitrary.Arbitrary<infer A> ? A : never,
): Authorization => ({
  from: address(buyer(vector.payer).address),
  to: address(hex(vector.to, 40)),
  value: vector.value,
  validAfter: vector.validAfter,
  validBefore: vector.validBefore,
  nonce: Bytes32.make(hex(vector.nonce, 64)),
})

function tamper(signature: Signature, at: number | null): Signature {
  if (at === null) return signature
  const place = 2 + 2 * at
  const digit = signature[place] === "0" ? "1" : "0"
  return Signature.make(`0x${signature.slice(2, place)}${digit}${signature.slice(place + 1)}`)
}

const viemSigner = (authorization: Authorization, signature: Signature) =>
  Effect.tryPromise(() =>
    recoverTypedDataAddress({
      domain: {
        name: token.name,
        version: token.version,
        chainId: token.chainId,
        verifyingContract: token.asset,
      },
      types: transferTypes,
      primaryType: "TransferWithAuthorization",
      message: authorization,
      signature,
    })
  ).pipe(Effect.map(address), Effect.option)

const viemIdentity = (tag: string, { from, nonce }: Authorization) =>
  keccak256(encodeAbiParameters(
    ["string", "uint256", "address", "address", "bytes32"].map((type) => ({ type })),
    [tag, BigInt(token.chainId), token.asset, from, nonce],
  ))

liveTest(
  `signer(), paymentId() and refundNonce() equal viem's on ${vectors} generated vectors`,
  function* () {
    const signatures = yield* Signatures
    const recovered = { payer: 0, other: 0, none: 0 }
    const result = yield* Arbitrary.checkEffect(
      anyVector,
      Effect.fnUntraced(function* (vector) {
        const authorization = authorizationOf(vector)
        const signed = yield* sign(buyer(vector.payer), authorization)
        const signature = tamper(signed, vector.tampered)
        const ours = yield* signatures.signer(token, authorization, signature)
        const theirs = yield* viemSigner(authorization, signature)
        assert.deepEqual(Option.getOrNull(ours), Option.getOrNull(theirs))
        if (vector.tampered === null) assert.equal(Option.getOrNull(ours), authorization.from)
        recovered[Option.isNone(ours) ? "none" : vector.tampered === null ? "payer" : "other"]++
        const identified = { ...token, ...authorization }
        assert.equal(signatures.paymentId(identified), viemIdentity("pay/v1", authorization))
        assert.equal(signatures.refundNonce(identified), viemIdentity("refund/v1", authorization))
        return true
      }),
      { runs: vectors },
    )
    assert.equal(Arbitrary.formatCheckFailure(result), undefined)
    assert.ok(
      recovered.payer > 0 && recovered.other > 0 && recovered.none > 0,
      "every kind occurs",
    )
  },
  layer,
)

liveTest("signer() returns another address for another domain", function* () {
  const signatures = yield* Signatures
  const payer = buyer(1)
  const authorization: Authorization = {
    from: address(payer.address),
    to: address(buyer(2).address),
    value: 10_000n,
    validAfter: 0n,
    validBefore: 2_000_000_000n,
    nonce: Bytes32.make(hex(7n, 64)),
  }
  const signature = yield* sign(payer, authorization)
  const others = [
    { ...token, chainId: 84532 },
    { ...token, name: "USDC" },
    { ...token, version: "1" },
    { ...token, asset: address(payer.address) },
  ]
  for (const other of others) {
    const signer = yield* signatures.signer(other, authorization, signature)
    assert.notEqual(Option.getOrNull(signer), authorization.from)
  }
}, layer)

liveTest("a signature that is not 65 bytes long has no signer", function* () {
  const { signer } = yield* Signatures
  const payer = buyer(1)
  const authorization = authorizationFor(payer, products.latest, 1_800_000_000)
  const signed = yield* sign(payer, authorization)
  for (const more of ["00", "1b", "6492".repeat(16)]) {
    const longer = Signature.make(`0x${signed.slice(2)}${more}`)
    assert.deepEqual(yield* signer(token, authorization, longer), Option.none())
  }
}, layer)

liveTest("digest() is keccak256 of the UTF-8 bytes", function* () {
  const { digest } = yield* Signatures
  for (const text of ["", "secret", "schlüssel"]) {
    assert.equal(digest(text), keccak256(stringToHex(text)))
  }
}, layer)
