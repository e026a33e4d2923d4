/**
 * The two extensions of a 402: `bazaar` describes how to call the product, in the form that x402
 * catalogs index; `payment-identifier` allows a buyer to identify its payment.
 *
 * @module
 */
import { argumentsSchema, exampleOf, objectSchema } from "../../../catalog/domain/parameter.ts"
import { type Product, products } from "../../../catalog/domain/product.ts"
import { skillName } from "../../../catalog/domain/skill.ts"

const jsonSchemaDialect = "https://json-schema.org/draft/2020-12/schema"

/** The extension with which a buyer identifies its payment, to fetch the answer again. */
export const paymentIdentifier = {
  info: { required: false },
  schema: {
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
    },
    required: ["required"],
  },
}

/** What every answer has. */
const successful = { type: "object", required: ["success"] }

/** What a product is offered as: an HTTP route or an MCP tool. */
export type ResourceKind = "http" | "mcp"

/** The bazaar extension of a product. */
export function bazaar(product: Product, resource: ResourceKind) {
  const { input, inputSchema } = resource === "http" ? httpInput(product) : mcpInput(product)
  const example = excerpts.get(product.id)
  return {
    info: { input, output: { type: "json", example } },
    schema: {
      $schema: jsonSchemaDialect,
      type: "object",
      properties: {
        input: { type: "object", ...inputSchema, additionalProperties: false },
        // /openapi.json has the schema of every answer: this header has no room for one.
        output: { type: "object", properties: { example: successful } },
      },
      required: ["input", "output"],
    },
  }
}

/**
 * Limits of the example answer, because a header has no room for a whole one: text length, and
 * fields per object at each depth.
 */
const excerptTextMax = 72
const excerptFieldsMax = [5, 2, 1] as const

/** Shortens a body: short values, the first entry of each list, nothing deep. */
function excerpt(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.length > excerptTextMax ? undefined : value
  if (typeof value !== "object") return value
  const fieldsMax = excerptFieldsMax[depth]
  if (value === null || fieldsMax === undefined) return undefined
  const short = Array.isArray(value)
    ? value.slice(0, 1).flatMap((row) => excerpt(row, depth) ?? [])
    : Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => {
        const short = excerpt(field, depth + 1)
        return short === undefined ? [] : [[name, short]]
      }).slice(0, fieldsMax),
    )
  return Object.keys(short).length === 0 ? undefined : short
}

const excerpts: ReadonlyMap<string, unknown> = new Map(
  Object.values(products).map(({ id, sample }) => [id, excerpt(sample)]),
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
      transport: "streamable-http",
      inputSchema: argumentsSchema(product),
      example: exampleOf(product.parameters),
    },
    inputSchema: {
      properties: {
        type: { type: "string", const: "mcp" },
        toolName: { type: "string", const: toolName },
        transport: { type: "string", enum: ["streamable-http"] },
        inputSchema: { type: "object" },
        example: { type: "object" },
      },
      required: ["type", "toolName", "inputSchema"],
    },
  }
}
