/**
 * The field reference of /llms-full.txt: every field of every answer, error and payment header, from
 * the same schemas as /openapi.json. A type or a field that several of them share is described once.
 *
 * @module
 */
import { Record } from "effect"
import { isRecord, referenced } from "../../catalog/domain/shortForm.ts"
import { skills } from "../../catalog/domain/skill.ts"
import { allSchemas } from "./schemas.ts"

/** An object with fields. */
interface Type {
  readonly name: string
  readonly schema: unknown
}

interface Field {
  /** Its name, after those of the fields that contain it. */
  readonly path: ReadonlyArray<string>
  readonly types: ReadonlyArray<string>
  readonly optional: boolean
  /** Empty when its type has the description. */
  readonly description: string
}

/** How the reference names a body: by its skill, by its path, or by what it is. */
function placeOf(body: string): string {
  const skill = skills.find(({ path }) => path === body)
  return skill?.name ?? (body.startsWith("/") ? `GET ${body}` : body)
}

/** The text of the reference, in Markdown. */
export function fieldReference(): string {
  const { bodies, types } = allSchemas()
  const places = Map.groupBy(Record.toEntries(bodies), ([, body]) => referenced(body))
  const placesOf = (type: string) => {
    const names = (places.get(type) ?? []).map(([body]) => placeOf(body))
    return names.length === 0 ? type : `${type} (${names.join(", ")})`
  }
  const named = Record.toEntries(types)
  const isBody = ([name]: readonly [string, unknown]) => places.has(name)
  const inOrder = [...named.filter(isBody), ...named.filter((type) => !isBody(type))]
  return sections(inOrder.map(([name, schema]) => ({ name: placesOf(name), schema })))
}

/** One section per type. A field that an earlier type has in the same words is only named. */
function sections(types: ReadonlyArray<Type>): string {
  const placeOf = new Map<string, string>()
  return types.map(({ name, schema }) => {
    const [shortName = name] = name.split(" ")
    const repeated = new Map<string, Array<string>>()
    const lines = mergedFields(schema).flatMap((field) => {
      const line = lineOf(field)
      const place = placeOf.get(line)
      if (place === undefined) placeOf.set(line, shortName)
      else repeated.set(place, [...repeated.get(place) ?? [], `\`${field.path.join(".")}\``])
      return place === undefined ? [`${"  ".repeat(field.path.length - 1)}${line}`] : []
    })
    const same = [...repeated].map(([place, names]) => `- as in ${place}: ${names.join(", ")}`)
    const description = descriptionOf(schema)
    return [`**${name}**${description === "" ? "" : `: ${description}`}`, "", ...lines, ...same]
      .join("\n")
  }).join("\n\n")
}

function lineOf({ path, types, optional, description }: Field): string {
  const type = [types.join(" or "), ...optional ? ["optional"] : []].join(", ")
  return `- \`${path.at(-1)}\` (${type})${description === "" ? "" : `: ${description}`}`
}

/** The fields of a type; a union has each field once. */
function mergedFields(schema: unknown): ReadonlyArray<Field> {
  const byPath = new Map<string, Field>()
  for (const field of fieldsOf(schema, [])) {
    const known = byPath.get(field.path.join("."))
    const types = [...new Set([...known?.types ?? [], ...field.types])]
    byPath.set(field.path.join("."), { ...known ?? field, types })
  }
  return [...byPath.values()]
}

/** The fields of an object, of the objects in it, and of the rows of a list. */
function fieldsOf(schema: unknown, path: ReadonlyArray<string>): ReadonlyArray<Field> {
  if (!isRecord(schema)) return []
  const { required, items, anyOf } = schema
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  const own = entriesIn(schema).flatMap(([name, field]) => [
    {
      path: [...path, name],
      types: typesOf(field),
      optional: !isRequired(name),
      description: descriptionOf(field),
    },
    ...fieldsOf(field, [...path, name]),
  ])
  const alternatives = Array.isArray(anyOf) ? anyOf.flatMap((one) => fieldsOf(one, path)) : []
  return [...own, ...fieldsOf(items, path), ...alternatives]
}

/** More values than these are listed elsewhere. */
const valuesMax = 9

function typesOf(schema: unknown): ReadonlyArray<string> {
  if (!isRecord(schema)) return []
  const { type, enum: values, const: value, anyOf, items, format } = schema
  const name = referenced(schema)
  if (name !== null) return [name]
  if (Array.isArray(anyOf)) return [...new Set(anyOf.flatMap(typesOf))]
  if (value !== undefined) return [JSON.stringify(value)]
  if (Array.isArray(values) && values.length <= valuesMax) return values.map(String)
  if (type === "array") return [`list of ${typesOf(items).join(" or ")}`]
  const names = [type ?? "any"].flat().map(String)
  return format === "date-time" ? names.map((name) => name === "string" ? "time" : name) : names
}

function descriptionOf(schema: unknown): string {
  const description = isRecord(schema) ? schema["description"] : undefined
  return typeof description === "string" ? description : ""
}

const entriesIn = (schema: unknown): ReadonlyArray<[string, unknown]> =>
  isRecord(schema) && isRecord(schema["properties"]) ? Record.toEntries(schema["properties"]) : []
