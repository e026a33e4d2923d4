/**
 * The JSON Schemas that Effect generates, in short forms, for /openapi.json and for the tools of /mcp.
 * The generated forms are valid, but some of them cause errors in linters, type generators and
 * clients.
 *
 * @module
 */
import { Record, Schema } from "effect"
import type { Skill } from "./skill.ts"

export type Json = Readonly<Record<string, unknown>>

/** A reviver for `JSON.parse`, which visits the parts of a schema before the schema. */
export function shortForm(key: string, value: unknown): unknown {
  // Answers may gain fields in later versions.
  if (key === "additionalProperties" && typeof value === "boolean") return undefined
  // This is the bound of every integer in JSON.
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined
  return isRecord(value) ? nullable(mergeAllOf(tupleAsList(countOf(value)))) : value
}

/** A count without the bound of every count. */
function countOf(schema: Json): Json {
  const { minimum, ...rest } = schema
  return schema["type"] === "integer" && minimum === 0 ? rest : schema
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A tuple of equal types as a list with `items`: few tools support a list without it. */
function tupleAsList(schema: Json): Json {
  const { prefixItems, ...rest } = schema
  if (!Array.isArray(prefixItems)) return schema
  const items: ReadonlyArray<unknown> = "items" in rest
    ? [...prefixItems, rest["items"]]
    : prefixItems
  const forms = new Set(items.map((item) => JSON.stringify(item)))
  return forms.size === 1 ? { ...rest, items: items[0] } : schema
}

/**
 * Merges the annotations in `allOf` into their schema, where no key occurs twice. Next to a reference
 * there may be a description only: tools ignore the rest.
 */
function mergeAllOf(schema: Json): Json {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every(isRecord)) return schema
  const keys = [rest, ...allOf].flatMap((part) => Object.keys(part))
  const isReference = keys.includes("$ref")
  const clashes = new Set(keys).size < keys.length ||
    isReference && keys.some((key) => key !== "$ref" && key !== "description")
  return clashes ? schema : Object.assign({}, rest, ...allOf)
}

/** A number, a text or a boolean that may be null, as one schema with two types. */
function nullable(schema: Json): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== "null") return schema
  const { type, enum: values, ...bounds } = anyOf[0]
  if (!["boolean", "integer", "number", "string"].includes(type)) return schema
  const choice = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { type: [type, "null"], ...choice, ...bounds, ...rest }
}

/** The name of the type that a schema is a reference to; null for another schema. */
export function referenced(schema: unknown): string | null {
  const target = isRecord(schema) ? schema["$ref"] : undefined
  return typeof target === "string" ? target.split("/").at(-1) ?? null : null
}

/** A JSON Schema of draft 2020-12 whose root is an object, as MCP requires. */
interface OutputSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

/**
 * The JSON Schema of a skill's answer: its fields with their types, and which of its own are required;
 * further fields are allowed. It has no descriptions: with them tools/list would be twice as long.
 * /openapi.json has them.
 */
export function outputSchema(skill: Skill): OutputSchema {
  const { schema, definitions } = Schema.toJsonSchemaDocument(skill.body)
  const { [referenced(schema) ?? ""]: root = schema, ...others } = definitions
  const { required }: Json = Object(root)
  const whole = {
    ...Object(bare(root)),
    required,
    type: "object" as const,
    ...(Record.isEmptyRecord(others) ? {} : { $defs: Record.map(others, bare) }),
  }
  return JSON.stringify(whole).length > schemaLengthMax ? { type: "object", required } : whole
}

/** A longer schema is not in tools/list, which a host reads whole; the longest body has many types. */
const schemaLengthMax = 10_000

/**
 * What is left out, so that no client refuses an answer that it paid for: bounds, formats that a
 * client may not know, and which fields are required inside an answer, because an answer that an
 * earlier version stored lacks the newer ones.
 */
const leftOut: ReadonlySet<string> = new Set([
  "format",
  "pattern",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "additionalProperties",
  "required",
])

/** A schema with types only. */
function bare(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    // A field may have the name `description`; then its value is a schema.
    const isAnnotation = leftOut.has(key) || (key === "description" && !isRecord(value))
    return isAnnotation ? undefined : shortForm(key, value)
  })
}
