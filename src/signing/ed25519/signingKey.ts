/**
 * The signing key in memory: Ed25519 (RFC 8032), from the settings or from a file that is written
 * once.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { canonicalJson } from "../domain/canonicalJson.ts"
import { canonicalJwk, didOf, type PublicKey } from "../domain/keys.ts"
import { privateKeyOf, publicPartOf, signJws } from "../jws.ts"
import { SigningKey } from "../SigningKey.ts"

/** The private key: 0x and its 32 bytes in hexadecimal digits. */
type PrivateKey = Redacted.Redacted<`0x${string}`>

export interface SigningKeyOptions {
  /** The private key; or a folder, where it is generated once and kept. */
  readonly key: PrivateKey | { readonly folder: string }
  /** Public keys of the past, in base64url. Their signatures stay valid. */
  readonly retired: ReadonlyArray<string>
  /** The origin of the service, whose host the keys belong to. */
  readonly publicBaseUrl: string
}

export const layer = (options: SigningKeyOptions): Layer.Layer<SigningKey> =>
  Layer.effect(
    SigningKey,
    Effect.gen(function* () {
      const { key, retired, publicBaseUrl } = options
      const kept = Redacted.isRedacted(key) ? key : yield* Effect.promise(() => keptKey(key.folder))
      const privateKey = privateKeyOf(Uint8Array.fromHex(Redacted.value(kept).slice(2)))
      const did = didOf(publicBaseUrl)
      const current = publicKey(did, publicPartOf(privateKey))
      return SigningKey.of({
        sign: (payload) => signJws(privateKey, { kid: current.kid }, canonicalJson(payload)),
        keys: {
          did,
          current,
          retired: retired.filter((x) => x !== current.x).map((x) => publicKey(did, x)),
        },
      })
    }),
  )

/** The name of a key is the start of its thumbprint (RFC 7638): no two keys have one name. */
const nameLength = 16

function publicKey(did: string, x: string): PublicKey {
  const thumbprint = createHash("sha256").update(canonicalJwk(x)).digest("base64url")
  return { x, kid: `${did}#${thumbprint.slice(0, nameLength)}` }
}

const keyBytes = 32

/** The key in a folder. The first start writes it; of two that write at once, one wins. */
async function keptKey(folder: string): Promise<PrivateKey> {
  const path = `${folder}/private-key`
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const made = crypto.getRandomValues(new Uint8Array(keyBytes)).toHex()
    await Deno.writeTextFile(path, `0x${made}`, { createNew: true, mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error
  }
  const text = (await Deno.readTextFile(path)).trim()
  if (!/^0x[0-9a-f]{64}$/.test(text)) throw new TypeError(`${path} is no signing key: remove it`)
  return Redacted.make(text as `0x${string}`)
}
