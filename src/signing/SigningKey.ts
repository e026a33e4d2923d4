/**
 * The port to the key that signs offers, receipts and the heads of the feed. It signs statements
 * only: no money can be moved with it.
 *
 * @module
 */
import { Context } from "effect"
import type { CanonicalValue } from "./domain/canonicalJson.ts"
import type { PublishedKeys } from "./domain/keys.ts"

export class SigningKey extends Context.Service<SigningKey, {
  /**
   * The payload's canonical JSON, signed as a compact JWS (RFC 7515) with `alg` and `kid` in its
   * header. Deterministic: one key and one payload give one text. Takes about 50 microseconds.
   * Throws a `RangeError` for a payload without a canonical text.
   */
  readonly sign: (payload: CanonicalValue) => string
  /** What verifies: the current key and the retired ones. */
  readonly keys: PublishedKeys
}>()("bellwether/signing/SigningKey") {}
