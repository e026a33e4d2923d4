/**
 * The contract in the package `bellwether-client`: the types of all bodies, by openapi-typescript from
 * the schemas of /openapi.json, and the table of calls as data.
 *
 * @module
 */
import { calls } from "../packages/client/src/contract.ts"
import { type Skill, skills } from "../src/catalog/domain/skill.ts"
import { referenced } from "../src/catalog/domain/jsonSchema.ts"
import { callSchemas, paymentPath } from "../src/http/documents/schemas.ts"

const contract = callSchemas()

/** The names of all schemas that a schema refers to, directly or not. */
function reached(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  for (
    const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  ) {
    if (names.has(name)) continue
    names.add(name)
    reached(contract.types[name], names)
  }
  return names
}

/** Where openapi-typescript would write a tuple of one or an empty intersection, the plain schema. */
function simplified(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplified)
  if (typeof schema !== "object" || schema === null) return schema
  const { allOf = [], prefixItems, ...rest } = Object(schema)
  const merged = Object.assign({}, ...allOf, rest)
  const plain = "items" in merged ? merged : { ...merged, ...(prefixItems && { prefixItems }) }
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, simplified(value)]))
}

/** The name of the schema of a call's body. */
function bodyName({ path }: { readonly path: string }): string {
  const name = referenced(contract.bodies[path])
  if (name === null || !(name in contract.types)) throw new Error(`${path} has no named body`)
  return name
}

/** The TypeScript type of a call's parameters. */
function parametersType({ parameters }: Skill): string {
  const fields = parameters.map(({ name, type, values, flag, required }) => {
    const value = flag === true
      ? "boolean"
      : values !== undefined
      ? values.map((value) => JSON.stringify(value)).join(" | ")
      : type === "string"
      ? "string"
      : "number"
    return `readonly ${name}${required === true ? "" : "?"}: ${value}`
  })
  return fields.length === 0 ? "Readonly<Record<never, never>>" : `{ ${fields.join("; ")} }`
}

/** Not an import, as the compiler in pack.ts is none. */
const generator = "npm:openapi-typescript@7.13.0"

/** The whole file. */
export async function contractText(): Promise<string> {
  const folder = await Deno.makeTempDir()
  try {
    const bodies = [...skills, { path: paymentPath }].map(({ path }) => contract.bodies[path])
    const schemas = Object.fromEntries(
      [...reached(bodies)].sort().map((name) => [name, simplified(contract.types[name])]),
    )
    const document = {
      openapi: "3.1.0",
      info: { title: "Bodies", version: "1.0.0" },
      paths: {},
      components: { schemas },
    }
    await Deno.writeTextFile(`${folder}/bodies.json`, JSON.stringify(document))
    // Rules for published documents do not hold for this part of one.
    await Deno.writeTextFile(`${folder}/redocly.yaml`, "rules: {}\n")
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--quiet", "--no-config", "--no-lock", generator],
        ...[`${folder}/bodies.json`, `--output=${folder}/bodies.ts`],
        `--redocly=${folder}/redocly.yaml`,
        "--immutable",
        "--root-types=false",
        "--export-type=false",
      ],
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    }).output()
    if (!success) throw new Error(new TextDecoder().decode(stderr))
    return textOf(await Deno.readTextFile(`${folder}/bodies.ts`))
  } finally {
    await Deno.remove(folder, { recursive: true })
  }
}

function textOf(bodies: string): string {
  const components = /^export interface components \{[^]*?^\}/m.exec(bodies)?.[0]
  if (components === undefined || !components.includes(`schemas: {`)) {
    throw new Error("openapi-typescript wrote no schemas")
  }
  return `/**
 * The contract of the service: the bodies of its answers, and the table of its calls.
 *
 * @module
 */
import type { CallRow } from "./call.ts"

${components.replace("export interface components", "interface components")}

type Schemas = components["schemas"]
export type FeedItem = Schemas["Signals"]["data"][number]
export type PaymentBody = Schemas["${bodyName({ path: paymentPath })}"]

/** The body of each call's answer. */
interface Bodies {
${skills.map((skill) => `  readonly ${skill.name}: Schemas["${bodyName(skill)}"]`).join("\n")}
}

interface Parameters {
${skills.map((skill) => `  readonly ${skill.name}: ${parametersType(skill)}`).join("\n")}
}

export type CallName = keyof Bodies
export type BodyOf<Name extends CallName> = Bodies[Name]
export type ParametersOf<Name extends CallName> = Parameters[Name]

/** Every call by its name, which is also the name of its tool over MCP and its skill over A2A. */
export const calls: Readonly<Record<CallName, CallRow>> = ${JSON.stringify(calls, null, 2)}
`
}
