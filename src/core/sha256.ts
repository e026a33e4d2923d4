/**
 * SHA-256 of a text.
 *
 * @module
 */
import { createHash } from "node:crypto"

/** Of its UTF-8 bytes: 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
