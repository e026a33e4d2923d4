/**
 * JSON text that PostgreSQL takes: it refuses NUL and halves of surrogate pairs, which a venue's text
 * may hold.
 *
 * @module
 */

/** The JSON of `value`, its strings without NUL and well-formed; one bad string never costs a batch. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return /\\u0000|\\ud/.test(text)
    ? JSON.stringify(
      value,
      (_, part) => typeof part === "string" ? part.replaceAll("\0", "").toWellFormed() : part,
    )
    : text
}
