/**
 * Ed25519 keys (RFC 8032), and what they sign: a compact JWS (RFC 7515).
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"
import { Base64Url } from "effect/encoding"

/** What comes before the 32 bytes of a key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Uint8Array.fromHex("302e020100300506032b657004220420")

/** The private key of 32 bytes. Throws for any other length. */
export const privateKeyOf = (bytes: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, bytes]), format: "der", type: "pkcs8" })

/** The public key of a private one, in base64url, as in the field `x` of a JWK. */
export const publicPartOf = (key: KeyObject): string =>
  String(createPublicKey(key).export({ format: "jwk" })["x"])

/** Signs a text, with a header that begins with the algorithm. */
export function signJws(key: KeyObject, header: object, payload: string): string {
  const parts = [JSON.stringify({ alg: "EdDSA", ...header }), payload]
  const signed = parts.map(Base64Url.encode).join(".")
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`
}
