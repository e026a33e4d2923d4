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
 * The JSON Schema of a skill's answer: its fields with their types, and which of its own are required;
 * further fields are allowed. It has no descriptions: with them tools/list would be twice as long.
 * /openapi.json has them.
 */
export function outputSchema(skill: Skill): OutputSchema {
  const { schema, definitions } = Schema.toJsonSchemaDocument(bodyOf(skill))
  const { [referenced(schema) ?? ""]: root = schema, ...others } = definitions
  const { required }: Json = Object(root)
  // The parts of the sample are the answers of the other skills.
  if (skill.id === "sample") return { type: "object", required }
  return {
    ...Object(bare(root)),
    required,
    type: "object",
    ...(Record.isEmptyRecord(others) ? {} : { $defs: Record.map(others, bare) }),
  }
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

/** A schema with types only. */
function bare(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    // A field may have the name `description`; then its value is a schema.
    const isAnnotation = leftOut.has(key) || (key === "description" && !isRecord(value))
    return isAnnotation ? undefined : shortForm(key, value)
  })
}
