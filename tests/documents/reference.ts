/**
 * Renders an OpenAPI document: JSON on standard input, Markdown on standard output.
 *
 * It runs as a process of its own, because that package is next to it in `node_modules`, outside
 * of the project's dependencies: `npm ci --prefix tests/documents` puts it there.
 *
 * @module
 */
interface Renderer {
  readonly createMarkdownFromOpenApi: (document: unknown) => Promise<string>
}

const name = "@scalar/openapi-to-markdown"
const { createMarkdownFromOpenApi }: Renderer = await import(name)
const document = await new Response(Deno.stdin.readable).json()
const markdown = await createMarkdownFromOpenApi(document)
await new Blob([markdown]).stream().pipeTo(Deno.stdout.writable)
