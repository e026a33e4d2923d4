/**
 * The `outputSchema` of a skill's tool.
 *
 * @module
 */
import { Record, Schema } from "effect"
import { isRecord, type Json, referenced, shortForm } from "./shortForm.ts"
import { bodyOf, type Skill } from "./skill.ts"

/** A JSON Schema of draft 2020-12 whose root is an object, as MCP requires. */
interface OutputSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

/**
 * The JSON Schema of a skill's answer: its fields with their types, and which of its own are required. Types that
 * occur more than once are in `$defs`; further fields are allowed. It has no descriptions: with them
 * tools/list would be twice as long. /openapi.json and /llms-full.txt have them.
 */
export function outputSchema(skill: Skill): OutputSchema {
  const { schema, definitions } = Schema.toJsonSchemaDocument(bodyOf(skill))
  const types = Record.map(definitions, bare)
  const body = inlined(bare(schema), types, {})
  // The parts of the sample are the answers of the other skills.
  const root = skill.id === "sample" ? shallow(body) : bare(schema)
  const shared = repeated(root, types)
  const $defs = Record.map(shared, (type) => inlined(type, types, shared))
  const answer = inlined(root, types, shared)
  return {
    ...(isRecord(answer) ? answer : {}),
    ...requiredOf(schema, definitions),
    type: "object",
    ...(Record.isEmptyRecord($defs) ? {} : { $defs }),
  }
}

/** An object's schema without that of its fields' own fields and rows. */
function shallow(schema: unknown): unknown {
  const { properties, ...rest } = isRecord(schema) ? schema : {}
  const typeOf = (field: unknown) => isRecord(field) ? { type: field["type"] } : {}
  return { ...rest, properties: Record.map(isRecord(properties) ? properties : {}, typeOf) }
}

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

/** The required fields of an answer itself. */
function requiredOf(schema: unknown, definitions: Json): Json {
  const name = referenced(schema)
  const { required } = Object(name === null ? schema : definitions[name])
  return Array.isArray(required) ? { required } : {}
}

/** A schema with types only. */
function bare(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    // A field may have the name `description`; then its value is a schema.
    const isAnnotation = leftOut.has(key) || (key === "description" && !isRecord(value))
    return isAnnotation ? undefined : shortForm(key, value)
  })
}

/** The types that occur more than once in an answer. */
function repeated(root: unknown, types: Json): Json {
  const uses = new Map<string, number>()
  const count = (schema: unknown): void => {
    const name = referenced(schema)
    if (name !== null) uses.set(name, (uses.get(name) ?? 0) + 1)
    if (name !== null && uses.get(name) === 1) count(types[name])
    if (typeof schema === "object" && schema !== null) Object.values(schema).forEach(count)
  }
  count(root)
  return Record.filter(types, (_, name) => (uses.get(name) ?? 0) > 1)
}

/** A schema with every type in its place that is not `shared`. */
function inlined(schema: unknown, types: Json, shared: Json): unknown {
  const name = referenced(schema)
  if (name !== null && !(name in shared)) return inlined(types[name], types, shared)
  if (Array.isArray(schema)) return schema.map((part) => inlined(part, types, shared))
  if (!isRecord(schema)) return schema
  return Record.map(schema, (part) => inlined(part, types, shared))
}
