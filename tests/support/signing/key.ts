/**
 * The signing key of tests: a fixed private key, for the address of the test terms.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { layer } from "../../../src/signing/ed25519/signingKey.ts"
import { SigningKey } from "../../../src/signing/SigningKey.ts"
import { terms } from "../payments/terms.ts"

/** The private key with this number. */
export const privateKey = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "5")}`

/** A key for an origin, with retired public keys. */
export const keyOf = (
  n: number,
  retired: ReadonlyArray<string> = [],
  publicBaseUrl = terms.publicBaseUrl,
): SigningKey["Service"] => {
  const options = { key: Redacted.make(privateKey(n)), retired, publicBaseUrl }
  const built = Effect.runSync(Effect.scoped(Layer.build(layer(options))))
  return Context.get(built, SigningKey)
}

/** The key of the services that tests build. */
export const testKey = keyOf(1)
