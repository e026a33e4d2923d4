/**
 * The schemas of /openapi.json in short forms, each written once.
 *
 * @module
 */
import type { OpenApi } from "effect/http-api"
import { isRecord, type Json, shortForm } from "../../catalog/domain/shortForm.ts"

/** The paths and schemas of a generated API, in short forms. */
export function shortForms(
  { paths, components }: OpenApi.OpenAPISpec,
): Pick<OpenApi.OpenAPISpec, "paths"> & { readonly schemas: Json } {
  const short: { readonly paths: OpenApi.OpenAPISpec["paths"]; readonly schemas: Json } = JSON
    .parse(JSON.stringify({ paths, schemas: components.schemas }), shortForm)
  const copies = copiesIn(short.schemas)
  const kept = Object.entries(short.schemas).filter(([name]) => !copies.has(referenceTo(name)))
  const { paths: renamed, schemas } = JSON.parse(
    JSON.stringify({ ...short, schemas: Object.fromEntries(kept) }),
    (_, value) => {
      if (!isRecord(value)) return value
      const { allOf, ...rest } = value
      const [first, ...others] = Array.isArray(allOf) ? allOf : []
      // A reference may have a description next to it.
      return first?.$ref !== undefined && others.every(({ description }) => description)
        ? { ...first, ...Object.assign({}, ...others), ...rest }
        : copies.get(value["$ref"]) ?? value
    },
  )
  return { paths: renamed, schemas: withSharedProperties(schemas) }
}

const referenceTo = (name: string) => `#/components/schemas/${name}`

/**
 * References to the schemas that differ from another one in their description only, by their own
 * reference. Their generated name is that of the other schema and a number.
 */
function copiesIn(schemas: Json): ReadonlyMap<unknown, Json> {
  const content = (schema: unknown) => JSON.stringify({ ...Object(schema), description: "" })
  return new Map(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const original = name.replace(/_\d+$/, "")
      if (original === name || content(schema) !== content(schemas[original])) return []
      const { description } = Object(schema)
      const described = typeof description === "string" ? { description } : {}
      return [[referenceTo(name), { $ref: referenceTo(original), ...described }]]
    }),
  )
}

/**
 * The schemas, with each property that several of them describe in the same words as a schema of its
 * own, where that is shorter.
 */
function withSharedProperties(schemas: Json): Json {
  const counts = new Map<string, { readonly name: string; readonly text: string; count: number }>()
  JSON.stringify(schemas, (_, value) => {
    for (const [name, schema] of Object.entries(Object(value?.properties))) {
      const text = JSON.stringify(schema)
      const found = counts.get(name + text) ?? { name, text, count: 0 }
      counts.set(name + text, { ...found, count: found.count + 1 })
    }
    return value
  })
  const saved = (
    { name, text, count }: typeof counts extends Map<string, infer Row> ? Row : never,
  ) =>
    count * (text.length - referenceTo(name).length - '{"$ref":""}'.length) -
    text.length - name.length
  const shared = new Map<string, string>()
  const additions: Record<string, unknown> = {}
  for (const row of [...counts.values()].toSorted((a, b) => saved(b) - saved(a))) {
    const name = row.name.slice(0, 1).toUpperCase() + row.name.slice(1)
    if (saved(row) <= 0 || name in schemas || name in additions) continue
    additions[name] = JSON.parse(row.text)
    shared.set(row.name + row.text, name)
  }
  const shortened = JSON.stringify(schemas, (key, value) => {
    const name = shared.get(key + JSON.stringify(value))
    return name === undefined ? value : { $ref: referenceTo(name) }
  })
  return { ...JSON.parse(shortened), ...additions }
}
