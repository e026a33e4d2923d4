/**
 * The treasury signs transfers that recover to its address, and never prints its key.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Layer, Option, Redacted } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { address, type Authorization } from "../../../src/payments/domain/payment.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { liveTest } from "../../support/effect.ts"
import { nonce, token } from "../../support/payments/terms.ts"

const key = `0x${"5e".repeat(32)}` as const
const layer: Layer.Layer<Treasury | Signatures> = Layer.merge(
  Treasury.layer({ privateKey: Redacted.make(key) }),
  signatures,
)

liveTest("sign() returns signatures that recover to the treasury's address", function* () {
  const treasury = yield* Treasury
  const { signer } = yield* Signatures
  equal(treasury.address, address(privateKeyToAddress(key)))
  for (let n = 0; n < 20; n++) {
    const authorization: Authorization = {
      ...{ from: treasury.address, to: address(buyer(n).address), value: BigInt(n) * 10_000n },
      ...{ validAfter: 0n, validBefore: 1_800_000_000n + BigInt(n), nonce: nonce(n) },
    }
    const signature = yield* treasury.sign(token, authorization)
    const of = (changed: Authorization) =>
      Effect.map(signer(token, changed, signature), Option.getOrNull)
    equal(yield* of(authorization), treasury.address)
    ok((yield* of({ ...authorization, value: 1n })) !== treasury.address)
  }
}, layer)

liveTest("the treasury never prints its key", function* () {
  const treasury = yield* Treasury
  for (const printed of [JSON.stringify(treasury), String(treasury), Deno.inspect(treasury)]) {
    ok(!printed.toLowerCase().includes(key.slice(2)))
  }
}, layer)
