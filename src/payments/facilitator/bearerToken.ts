/**
 * The bearer token for facilitators that require one per call: a JWT in the form of Coinbase CDP,
 * signed with the API key's secret, valid for one path and two minutes.
 *
 * It uses the runtime's cryptography only, because tokens are only signed here. A library would add
 * parsing and a choice of algorithms, which are the usual weaknesses of tokens.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"
import { Clock, Effect, Redacted, Schema } from "effect"
import { Base64Url } from "effect/encoding"

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
  const { alg, hash, key } = yield* Effect.try({
    try: () => keyIn(Redacted.value(secret).trim()),
    catch: () => new BadApiKey(),
  })
  const { host, pathname } = new URL(baseUrl)
  const hostAndPath = `${host}${pathname.replace(/\/+$/, "")}`

  return (
    path: string,
    method: "POST" | "GET" = "POST",
  ): Effect.Effect<Readonly<Record<string, string>>> =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const nowSeconds = Math.floor(nowMs / 1_000)
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes)).toHex()
      const header = { alg, kid: keyId, typ: "JWT", nonce }
      const claims = {
        sub: keyId,
        iss: "cdp",
        uris: [`${method} ${hostAndPath}${path}`],
        iat: nowSeconds,
        nbf: nowSeconds,
        exp: nowSeconds + lifetimeSeconds,
      }
      const parts = [header, claims].map((part) => Base64Url.encode(JSON.stringify(part)))
      const signed = parts.join(".")
      const signature = sign(hash, encoder.encode(signed), { key, dsaEncoding: "ieee-p1363" })
      return { authorization: `Bearer ${signed}.${signature.toString("base64url")}` }
    })
})

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Uint8Array.fromHex("302e020100300506032b657004220420")
const seedBytes = 32

/**
 * The key in a secret: a PEM in PKCS #8 or SEC 1, whose line ends an environment variable may contain
 * as `\n`, or the base64 of an Ed25519 seed and its public key. Throws for anything else.
 */
function keyIn(secret: string) {
  if (secret.startsWith("-----BEGIN ")) {
    const key = createPrivateKey(secret.replaceAll("\\n", "\n"))
    if (publicPartOf(key).crv !== "P-256") throw new TypeError("It is on another curve")
    return { alg: "ES256", hash: "sha256", key }
  }
  const both = Uint8Array.fromBase64(secret)
  const der = Buffer.concat([pkcs8Prefix, both.subarray(0, seedBytes)])
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  if (publicPartOf(key).x !== Base64Url.encode(both.subarray(seedBytes))) {
    throw new TypeError("The public key is not that of the seed")
  }
  return { alg: "EdDSA", hash: null, key }
}

const publicPartOf = (key: KeyObject) => createPublicKey(key).export({ format: "jwk" })
