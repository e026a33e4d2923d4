/**
 * Signature checks a second on one core: the service's path compared with viem.
 *
 *     deno run -A bench/signatures.ts
 *
 * @module
 */
import { Effect } from "effect"
import { verifyTypedData } from "viem"
import { layer } from "../src/payments/wasmSignatures.ts"
import { products } from "../src/catalog/domain/product.ts"
import { Signatures } from "../src/payments/Signatures.ts"
import { buyer, sign, transferTypes } from "../tests/support/payments/buyers.ts"
import { authorizationFor, nonce, token } from "../tests/support/payments/terms.ts"

const checks = 2_000

const program = Effect.gen(function* () {
  const signatures = yield* Signatures
  const account = buyer(0)
  const message = authorizationFor(account, products.latest, 1_800_000_000, { nonce: nonce(1) })
  const signature = yield* sign(account, message)
  const rate = Effect.fnUntraced(function* (name: string, check: Effect.Effect<unknown>) {
    for (let i = 0; i < checks / 4; i++) yield* check
    const start = performance.now()
    for (let i = 0; i < checks; i++) yield* check
    const seconds = (performance.now() - start) / 1_000
    yield* Effect.log(`${name}: ${Math.round(checks / seconds)} checks/s`)
  })
  const viem = Effect.promise(() =>
    verifyTypedData({
      address: account.address,
      domain: { ...token, verifyingContract: token.asset },
      types: transferTypes,
      primaryType: "TransferWithAuthorization",
      message,
      signature,
    })
  )
  yield* rate("hash-wasm + libauth", signatures.signer(token, message, signature))
  yield* rate(
    "paymentId",
    Effect.sync(() => signatures.paymentId({ ...token, ...message })),
  )
  yield* rate("viem", viem)
})

await Effect.runPromise(Effect.provide(program, layer))
