/**
 * SHA-256 of a text or of bytes.
 *
 * @module
 */
import { createHash } from "node:crypto"

/** Of bytes, or of the UTF-8 bytes of a text: 64 hexadecimal digits. */
export function sha256(of: string | Uint8Array): string {
  return createHash("sha256").update(of).digest("hex")
}
