/**
 * Canonical JSON (RFC 8785): one text for each value, so that a hash or a signature of a value does
 * not depend on the order of its keys.
 *
 * @module
 */

/** A value with a canonical text. An absent (`undefined`) field is left out. */
export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<CanonicalValue>
  | { readonly [key: string]: CanonicalValue | undefined }

/**
 * The canonical text. Throws a `RangeError` for what RFC 8785 refuses: a number that is not finite,
 * and text with half of a surrogate pair.
 */
export function canonicalJson(value: CanonicalValue): string {
  switch (typeof value) {
    case "string":
      return canonicalText(value)
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("Only finite numbers have a canonical text")
      // RFC 8785 takes the number format of ECMAScript.
      return JSON.stringify(value)
    case "boolean":
      return String(value)
    default:
      if (value === null) return "null"
      return isList(value)
        ? `[${value.map(canonicalJson).join(",")}]`
        : `{${Object.keys(value).sort().flatMap((key) => fieldText(key, value[key])).join(",")}}`
  }
}

const isList = (
  value: object,
): value is ReadonlyArray<CanonicalValue> => Array.isArray(value)

/** `sort` compares UTF-16 code units, as RFC 8785 asks. */
function fieldText(key: string, value: CanonicalValue | undefined): ReadonlyArray<string> {
  return value === undefined ? [] : [`${canonicalText(key)}:${canonicalJson(value)}`]
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) {
    throw new RangeError("Half of a surrogate pair has no canonical text")
  }
  return JSON.stringify(text)
}
