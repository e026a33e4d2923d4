/**
 * Every field of every body has a meaning: no description only repeats the name, one
 * of a field that may be null says when, and one of a number says its unit. /openapi.json has them all.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { callSchemas } from "../../../src/http/documents/schemas.ts"

type Json = Readonly<Record<string, unknown>>

const document: Json = { components: { schemas: callSchemas().types } }

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What a reference in the document names; another schema as it is. */
function target(schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== "string") return schema
  const found = $ref.split("/").slice(1).reduce<unknown>(
    (part, key) => isObject(part) ? part[key] : undefined,
    document,
  )
  return isObject(found) ? target(found) : {}
}

interface Field {
  readonly place: string
  readonly name: string
  readonly description: string
  /** Its types, without null. */
  readonly types: ReadonlyArray<unknown>
  readonly nullable: boolean
}

/** Parts of the document that are values, not schemas. */
const values = new Set(["example", "examples", "default", "enum", "const", "required"])

/** Every property of every object schema below `part`. */
function fieldsIn(part: unknown, place: string): ReadonlyArray<Field> {
  if (Array.isArray(part)) return part.flatMap((one) => fieldsIn(one, place))
  if (!isObject(part)) return []
  const own = isObject(part["properties"])
    ? Object.entries(part["properties"]).map(([name, schema]) =>
      fieldOf(`${place}.${name}`, name, schema)
    )
    : []
  const nested = Object.entries(part).filter(([key]) => !values.has(key)).flatMap(([key, value]) =>
    fieldsIn(
      value,
      ["properties", "items", "anyOf", "allOf"].includes(key) ? place : `${place}.${key}`,
    )
  )
  return [...own, ...nested]
}

function fieldOf(place: string, name: string, schema: unknown): Field {
  const own = isObject(schema) ? schema : {}
  const parts = [own, target(own), ...[own["allOf"] ?? []].flat().filter(isObject)]
  const description = parts.map(({ description }) => description).find((it) =>
    typeof it === "string"
  )
  const types = [...parts, ...alternatives(own), ...alternatives(target(own))].flatMap(({ type }) =>
    Array.isArray(type) ? type : type === undefined ? [] : [type]
  )
  return {
    ...{ place, name, description: String(description ?? "") },
    types: types.filter((type) => type !== "null"),
    nullable: types.includes("null"),
  }
}

const alternatives = ({ anyOf }: Json): ReadonlyArray<Json> =>
  Array.isArray(anyOf) ? anyOf.filter(isObject) : []

const fields = fieldsIn(document, "")
const failing = (fails: (field: Field) => boolean) => [
  ...new Set(fields.filter(fails).map(({ place, description }) => `${place}: ${description}`)),
]

/** The words of a text, without endings and without words that say nothing. */
const wordsOf = (text: string) =>
  text.replace(/([a-z])([A-Z0-9])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/)
    .filter((word) =>
      word !== "" && !["the", "a", "an", "of", "its", "this", "is", "it"].includes(word)
    )
    .map((word) => word.replace(/(?:s|ed|ing)$/, ""))

Deno.test("every field has a description of its own", () => {
  ok(fields.length > 400, `${fields.length} fields`)
  equal(failing(({ description }) => description === ""), [])
  // The description of the type.
  equal(failing(({ description }) => description === "ISO 8601 UTC, with milliseconds"), [])
})

Deno.test("no description only repeats the name of its field, and none is long", () => {
  equal(
    failing(({ name, description }) => {
      const known = new Set(wordsOf(name))
      return wordsOf(description).filter((word) => !known.has(word)).length < 2
    }),
    [],
  )
  equal(failing(({ description }) => description.length > 700), [])
})

Deno.test("the description of a field that may be null says when", () => {
  equal(failing(({ nullable, description }) => nullable && !/\bnull\b/i.test(description)), [])
})

const units =
  /USD|cents?\b|number of|shares bought|standard dev|hours?\b|minutes?\b|seconds?\b|0 to 1|-1 to 1|no unit|unit of|same unit|squared error/i

Deno.test("the description of a number that is no count says its unit", () => {
  equal(
    failing(({ types, description }) => types.includes("number") && !units.test(description)),
    [],
  )
})
