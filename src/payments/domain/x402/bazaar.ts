/**
 * What a 402 declares together with its price: how the call is made, in the form x402 catalogs index, and
 * that a payment may carry an identifier.
 *
 * @module
 */
import { argumentsSchema, exampleOf, objectSchema } from "../../../catalog/domain/parameter.ts"
import { type Product, products } from "../../../catalog/domain/product.ts"
import { skillName } from "../../../catalog/domain/skill.ts"

const draft = "https://json-schema.org/draft/2020-12/schema"

/** The extension by which a buyer names its payment, to fetch the answer again. */
export const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: draft,
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
    },
    required: ["required"],
  },
}

/** What a product is called as: a route of HTTP, or a tool of MCP. */
export type CalledAs = "http" | "mcp"

/** How a product is called. */
export function bazaar(product: Product, resource: CalledAs) {
  const { input, inputSchema } = resource === "http" ? httpInput(product) : mcpInput(product)
  const example = excerpts.get(product.id)
  const output = {
    type: "object",
    properties: {
      type: { type: "string", const: "json" },
      example: shapeOf(example),
    },
    required: ["type"],
  }
  return {
    info: { input, output: { type: "json", example } },
    schema: {
      $schema: draft,
      type: "object",
      properties: {
        input: { type: "object", ...inputSchema, additionalProperties: false },
        output,
      },
      required: ["input", "output"],
    },
  }
}

/** A header holds no whole answer: texts this long, objects this wide and this deep. */
const excerptTextMax = 72
const excerptFieldsMax = 7
const excerptDepthMax = 2

/** What of an answer a header has room for: short values, the first of a list, nothing deep. */
function excerpt(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.length > excerptTextMax ? undefined : value
  if (typeof value !== "object") return value
  if (value === null || depth > excerptDepthMax) return undefined
  const kept = Array.isArray(value)
    ? value.slice(0, 1).flatMap((row) => excerpt(row, depth) ?? [])
    : Object.fromEntries(
      Object.entries(value).flatMap(([name, held]) => {
        const short = excerpt(held, depth + 1)
        return short === undefined ? [] : [[name, short]]
      }).slice(0, excerptFieldsMax),
    )
  return Object.keys(kept).length === 0 ? undefined : kept
}

/** JSON Schema of an excerpt, as far as a header has room for it; /openapi.json has all of it. */
function shapeOf(value: unknown) {
  const fields = Object.entries(Object(value)).map(([name, held]) => [
    name,
    Array.isArray(held)
      ? { type: "array", items: { type: typeof held[0] } }
      : { type: typeof held },
  ])
  const properties = Object.fromEntries(fields)
  return { type: "object", properties, required: Object.keys(properties) }
}

const excerpts: ReadonlyMap<string, unknown> = new Map(
  Object.values(products).map(({ id, sample }) => [id, excerpt(sample, 0)]),
)

function httpInput({ parameters }: Product) {
  return {
    input: { type: "http", method: "GET", queryParams: exampleOf(parameters) },
    inputSchema: {
      properties: {
        type: { type: "string", const: "http" },
        method: { type: "string", enum: ["GET"] },
        queryParams: objectSchema(parameters),
      },
      required: ["type", "method"],
    },
  }
}

function mcpInput(product: Product) {
  const toolName = skillName(product)
  return {
    input: {
      type: "mcp",
      toolName,
      description: product.description,
      transport: "streamable-http",
      inputSchema: argumentsSchema(product),
      example: exampleOf(product.parameters),
    },
    inputSchema: {
      properties: {
        type: { type: "string", const: "mcp" },
        toolName: { type: "string", const: toolName },
        description: { type: "string" },
        transport: { type: "string", enum: ["streamable-http"] },
        inputSchema: { type: "object" },
        example: argumentsSchema(product),
      },
      required: ["type", "toolName", "inputSchema"],
    },
  }
}
