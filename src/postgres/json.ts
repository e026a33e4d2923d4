/**
 * JSON text that PostgreSQL accepts: it refuses NUL and half surrogate pairs, which a venue's text
 * may contain.
 *
 * @module
 */

/**
 * The JSON of `value`, its strings well-formed and without NUL, so that no string fails a batch.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return /\\u0000|\\ud/.test(text)
    ? JSON.stringify(
      value,
      (_, part) => typeof part === "string" ? part.replaceAll("\0", "").toWellFormed() : part,
    )
    : text
}
