/**
 * JSON Schemas as clients' tools like them best: what the contract's own writer makes is valid, and
 * says some things in ways that linters and generators of types stumble over.
 *
 * @module
 */

/** A replacer for `JSON.stringify`, over a whole document. */
export function plainly(key: string, value: unknown): unknown {
  // Answers may gain fields: the document does not close them.
  if (key === "additionalProperties" && value === false) return undefined
  // What every integer of JSON is bounded by says nothing.
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined
  return isRecord(value) ? merged(listed(value)) : value
}

type Json = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A tuple of alike things as a list of so many: few tools know a list without `items`. */
function listed(schema: Json): Json {
  const { prefixItems, ...rest } = schema
  if (!Array.isArray(prefixItems) || "items" in schema) return schema
  const [first, ...others] = prefixItems.map((item) => JSON.stringify(item))
  return others.every((other) => other === first) ? { ...rest, items: prefixItems[0] } : schema
}

/** Annotations beside the schema they are about, where they say nothing that it says itself. */
function merged(schema: Json): Json {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every(isRecord)) return schema
  const keys = [rest, ...allOf].flatMap((part) => Object.keys(part))
  const clashes = new Set(keys).size < keys.length || keys.includes("$ref")
  return clashes ? schema : Object.assign({}, rest, ...allOf)
}
