/**
 * The content of the pages under /docs/reference and of /docs/fields. Every operation of the OpenAPI
 * documents is rendered once
 * to Markdown by a package of tests/documents, and to HTML by the service's own renderer, as the
 * field reference is.
 *
 * Rendering takes seconds, so it happens in `deno task generate` and not in the service.
 *
 * @module
 */
import { fieldReference } from "../../../src/http/documents/fieldReference.ts"
import { markdownHtml } from "../../../src/http/pages/markdown.ts"
import { pagePaths } from "../../../src/http/pages/paths.ts"
import { wholeContract } from "./contract.ts"

export const referenceFile = new URL("../../../src/http/pages/reference.json", import.meta.url)

type Json = Record<string, unknown>

/** One operation of the page. */
interface Operation {
  /** Its operationId, and its anchor. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly title: string
  readonly tag: string
}

const entries = (value: unknown) => Object.entries(Object(value)) as ReadonlyArray<[string, Json]>

/** The operations of a document, by tag in the order of its tags. */
export function operations(document: Json = wholeContract): ReadonlyArray<Operation> {
  const all = entries(document["paths"]).flatMap(([path, item]) =>
    entries(item).map(([method, operation]): Operation => ({
      id: String(operation["operationId"]),
      method: method.toUpperCase(),
      path,
      title: String(operation["summary"]),
      tag: String(Object(operation["tags"])[0]),
    }))
  )
  const tags = entries(document["tags"]).map(([, { name }]) => name)
  return tags.flatMap((tag) => all.filter((operation) => operation.tag === tag))
}

/**
 * The document without what is the same on every operation: errors have a table of their own in
 * /docs, and the security scheme is x402, which the renderer takes for a password.
 */
function withoutCommon(document: Json): Json {
  const { servers: _, security: __, components, ...rest } = structuredClone(document)
  const { securitySchemes: ___, ...otherComponents } = Object(components)
  for (const [, item] of entries(rest["paths"])) {
    for (const [, operation] of entries(item)) {
      delete operation["security"]
      const responses = Object(operation["responses"])
      for (const status of Object.keys(responses)) {
        if (!/^2|^304/.test(status)) delete responses[status]
      }
    }
  }
  return { ...rest, components: otherComponents }
}

async function markdownOf(document: Json): Promise<string> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--node-modules-dir=manual", "-A", "reference.ts"],
    cwd: new URL("../../documents/", import.meta.url),
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn()
  await new Blob([JSON.stringify(document)]).stream().pipeTo(process.stdin)
  const { success, stdout } = await process.output()
  if (!success) throw new Error("The renderer failed")
  return new TextDecoder().decode(stdout)
}

/** The sections of the Markdown's operations by operationId, one level of headings higher. */
function sectionsOf(markdown: string): ReadonlyMap<string, string> {
  const [, operations = ""] = /\n## Operations\n([^]*)\n## Schemas\n/.exec(markdown) ?? []
  return new Map(
    operations.split("\n### ").slice(1).map((section) => [
      /Operation ID:\*\*\s`(\w+)`/.exec(section)?.[1] ?? "",
      section
        .replace(/^.*\n/, "")
        .replace(/- \*\*(Method|Path|Operation ID|Tags):.*\n/g, "")
        .replace("#### Authentication\n\nNo authentication required.\n", "")
        .replace(/^#(#+ )/gm, "$1"),
    ]),
  )
}

/** The whole file. */
export async function referenceText(): Promise<string> {
  const sections = sectionsOf(await markdownOf(withoutCommon(wholeContract)))
  const tags = new Map(operations().map(({ id, tag }) => [id, tag]))
  const htmlOf = new Map([...sections].map(([id, section]) => [id, htmlOfSection(section)]))
  // A schema is shown once, in the first section that has it; the others link there.
  const places = new Map<string, string>()
  for (const [id, html] of htmlOf) {
    const marked = html.replaceAll(/schema: <code>(\w+)<\/code>/g, (found, name: string) => {
      if (places.has(name)) return found
      places.set(name, `${tags.get(id)}#schema-${name}`)
      return `<span id="schema-${name}">${found}</span>`
    })
    htmlOf.set(id, marked)
  }
  const rows = operations().map((operation) => {
    const html = htmlOf.get(operation.id)
    if (html === undefined) throw new Error(`${operation.id} is not rendered`)
    const linked = html.replaceAll(
      /<em>Schema <code>(\w+)<\/code> is shown above\.<\/em>/g,
      (_, name: string) =>
        `Its fields: <a href="${pagePaths.reference}/${places.get(name)}">${name}</a>.`,
    )
    return { ...operation, html: linked }
  })
  return `${
    JSON.stringify({ fields: markdownHtml(fieldReference()), operations: rows }, null, 2)
  }\n`
}

/** The anchors of a page are those of operations and schemas: each operation has the same headings. */
const htmlOfSection = (markdown: string) =>
  markdownHtml(markdown).replaceAll(/<(h\d) id="[^"]*"/g, "<$1")
