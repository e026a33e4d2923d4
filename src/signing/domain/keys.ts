/**
 * The names of the signing keys and the two documents that publish them: a DID document for
 * `did:web`, and a JWK set (RFC 7517).
 *
 * @module
 */
import { canonicalJson, type CanonicalValue } from "./canonicalJson.ts"

/** An Ed25519 public key. */
export interface PublicKey {
  /** The 32 bytes in base64url, as in the field `x` of a JWK. */
  readonly x: string
  /** The DID URL that the header of a signature contains. */
  readonly kid: string
}

/** Every key whose signatures are valid. The current one signs; a retired one signs no more. */
export interface PublishedKeys {
  /** The DID of the service: `did:web:` and its host. */
  readonly did: string
  readonly current: PublicKey
  readonly retired: ReadonlyArray<PublicKey>
}

/** The DID of an origin. The colon before a port is encoded, as `did:web` asks. */
export function didOf(origin: string): string {
  return `did:web:${new URL(origin).host.replaceAll(":", "%3A")}`
}

/** The JWK of a public key, in the form whose hash names the key (RFC 7638). */
export const canonicalJwk = (x: string) => canonicalJson({ crv: "Ed25519", kty: "OKP", x })

/** With its algorithm, without which the stock x402 verifier does not import a key. */
const jwkOf = ({ x }: PublicKey) => ({ kty: "OKP", crv: "Ed25519", x, alg: "EdDSA" }) as const

const allOf = ({ current, retired }: PublishedKeys) => [current, ...retired]

/** /.well-known/did.json: a retired key verifies old signatures, and asserts nothing more. */
export function didDocument(keys: PublishedKeys): CanonicalValue {
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
    id: keys.did,
    verificationMethod: allOf(keys).map((key) => ({
      id: key.kid,
      type: "JsonWebKey2020",
      controller: keys.did,
      publicKeyJwk: jwkOf(key),
    })),
    assertionMethod: [keys.current.kid],
  }
}

/** /.well-known/jwks.json: the current key first. */
export function jwkSet(keys: PublishedKeys): CanonicalValue {
  return {
    keys: allOf(keys).map((key) => ({ ...jwkOf(key), kid: key.kid, use: "sig" })),
  }
}
