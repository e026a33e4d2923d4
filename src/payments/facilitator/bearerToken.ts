/**
 * The bearer token for facilitators that require one per call: a JWT in the form of Coinbase CDP,
 * signed with the API key's secret, valid for one path and two minutes.
 *
 * @module
 */
import { Clock, Effect, Redacted, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { privateKeyOf, publicPartOf, signJws } from "../../signing/jws.ts"

interface TokenOptions {
  readonly keyId: string
  /** An Ed25519 key in base64: 32 bytes of it, and 32 of its public key. */
  readonly secret: Redacted.Redacted
  /** The facilitator's URL. A token is valid for its host and path only. */
  readonly baseUrl: string
}

/** The secret is not a supported key. The error does not contain it. */
export class BadApiKey extends Schema.TaggedError<BadApiKey>()("BadApiKey", {}) {
  override get message() {
    return "FACILITATOR_API_KEY_SECRET must be 64 bytes of Ed25519 in base64"
  }
}

const lifetimeSeconds = 120
const nonceBytes = 16
const keyBytes = 32

/**
 * Makes the headers of a request to a path of the facilitator. Fails at once when the key is invalid.
 */
export const bearer = Effect.fnUntraced(function* ({ keyId, secret, baseUrl }: TokenOptions) {
  const key = yield* Effect.try({
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
      const claims = {
        sub: keyId,
        iss: "cdp",
        uris: [`${method} ${hostAndPath}${path}`],
        iat: nowSeconds,
        nbf: nowSeconds,
        exp: nowSeconds + lifetimeSeconds,
      }
      const token = signJws(key, { kid: keyId, typ: "JWT", nonce }, JSON.stringify(claims))
      return { authorization: `Bearer ${token}` }
    })
})

/** The key in a secret. Throws for anything else. */
function keyIn(secret: string) {
  const both = Uint8Array.fromBase64(secret)
  const key = privateKeyOf(both.subarray(0, keyBytes))
  if (publicPartOf(key) !== Base64Url.encode(both.subarray(keyBytes))) {
    throw new TypeError("The public key is not that of the private one")
  }
  return key
}
