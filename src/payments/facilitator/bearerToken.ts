/**
 * The bearer token for facilitators that require one per call: a JWT in the form of Coinbase CDP,
 * signed with the API key's secret, valid for one path and two minutes.
 *
 * It uses the runtime's cryptography only, because tokens are only signed here. A library would add
 * parsing and a choice of algorithms, which are the usual weaknesses of tokens.
 *
 * @module
 */
import { createPrivateKey } from "node:crypto"
import { Clock, Effect, Redacted, Schema } from "effect"
import { Base64, Base64Url, Hex } from "effect/encoding"

interface TokenOptions {
  readonly keyId: string
  /** An EC P-256 key in PEM (PKCS #8 or SEC 1), or an Ed25519 seed and public key in base64. */
  readonly secret: Redacted.Redacted
  /** The facilitator's URL. A token is valid for its host and path only. */
  readonly baseUrl: string
}

/** The secret is not a supported key. The error does not contain it. */
export class BadApiKey extends Schema.TaggedError<BadApiKey>()("BadApiKey", {}) {
  override get message() {
    return "FACILITATOR_API_KEY_SECRET must be a key on P-256 in PEM, or 64 bytes of Ed25519 in base64"
  }
}

const lifetimeSeconds = 120
const nonceBytes = 16
const encoder = new TextEncoder()

/**
 * Makes the headers of a request to a path of the facilitator. Fails at once when the key is invalid.
 */
export const bearer = Effect.fnUntraced(function* ({ keyId, secret, baseUrl }: TokenOptions) {
  const key = yield* importKey(Redacted.value(secret))
  const { host, pathname } = new URL(baseUrl)
  const hostAndPath = `${host}${pathname.replace(/\/+$/, "")}`

  return (
    path: string,
    method: "POST" | "GET" = "POST",
  ): Effect.Effect<Readonly<Record<string, string>>> =>
    Effect.gen(function* () {
      const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const nonce = Hex.encode(crypto.getRandomValues(new Uint8Array(nonceBytes)))
      const header = { alg: key.alg, kid: keyId, typ: "JWT", nonce }
      const claims = {
        sub: keyId,
        iss: "cdp",
        uris: [`${method} ${hostAndPath}${path}`],
        iat: nowSeconds,
        nbf: nowSeconds,
        exp: nowSeconds + lifetimeSeconds,
      }
      const signed = [header, claims].map((part) => Base64Url.encode(JSON.stringify(part))).join(
        ".",
      )
      const signature = yield* Effect.promise(() =>
        crypto.subtle.sign(key.algorithm, key.key, encoder.encode(signed))
      )
      const token = `${signed}.${Base64Url.encode(new Uint8Array(signature))}`
      return { authorization: `Bearer ${token}` }
    })
})

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
const ed25519 = { name: "Ed25519" } as const

/**
 * Imports the secret: a PEM in PKCS #8 or SEC 1, whose line ends an environment variable may contain
 * as `\n`, or the base64 of an Ed25519 key.
 */
const importKey = (secret: string) =>
  Effect.gen(function* () {
    const pem = secret.trim().replaceAll("\\n", "\n")
    if (pem.startsWith("-----BEGIN ")) {
      const key = yield* tryImport(() => {
        const pkcs8 = createPrivateKey(pem).export({ type: "pkcs8", format: "der" })
        return crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), ecdsa, false, ["sign"])
      })
      return { alg: "ES256", algorithm: ecdsa, key } as const
    }
    const seedAndPublicKey = yield* bytesOf(secret.trim())
    if (seedAndPublicKey.length !== 64) return yield* new BadApiKey()
    const x = Base64Url.encode(seedAndPublicKey.subarray(32))
    const jwk = {
      kty: "OKP",
      crv: "Ed25519",
      d: Base64Url.encode(seedAndPublicKey.subarray(0, 32)),
      x,
    }
    const key = yield* tryImport(() =>
      crypto.subtle.importKey("jwk", jwk, ed25519, false, ["sign"])
    )
    // The import does not check that the seed and the public key match.
    const matches = yield* Effect.promise(async () => {
      const publicJwk = { kty: "OKP", crv: "Ed25519", x }
      const publicKey = await crypto.subtle.importKey("jwk", publicJwk, ed25519, false, ["verify"])
      const probe = encoder.encode("probe")
      return crypto.subtle.verify(
        ed25519,
        publicKey,
        await crypto.subtle.sign(ed25519, key, probe),
        probe,
      )
    })
    if (!matches) return yield* new BadApiKey()
    return { alg: "EdDSA", algorithm: ed25519, key } as const
  })

const tryImport = (key: () => Promise<CryptoKey>) =>
  Effect.tryPromise({ try: key, catch: () => new BadApiKey() })

const bytesOf = (text: string) =>
  Effect.mapError(
    Effect.map(Effect.fromResult(Base64.decode(text)), (bytes) => new Uint8Array(bytes)),
    () => new BadApiKey(),
  )
