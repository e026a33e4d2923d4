/**
 * Asks the venue's own zod schemas about rows: names on standard input, verdicts on standard output.
 *
 * It runs as a process of its own, because those packages are next to it in `node_modules`, outside
 * of the project's dependencies: `npm ci --prefix tests/oracle` puts them there.
 *
 * @module
 */
interface ZodSchema {
  safeParse(value: unknown): { readonly success: boolean }
}

interface Question {
  readonly module: string
  readonly schema: string
  readonly rows: ReadonlyArray<unknown>
}

const { module, schema, rows }: Question = await new Response(
  Deno.stdin.readable,
).json()
const home = new URL(
  "node_modules/@polymarket/bindings/dist/",
  import.meta.url,
)
const schemas: Readonly<Record<string, ZodSchema>> = await import(
  new URL(`${module}/index.js`, home).href
)
const zod = schemas[schema]
if (zod === undefined) {
  await Deno.stderr.write(
    new TextEncoder().encode(`No schema ${module}/${schema}\n`),
  )
  Deno.exit(1)
}

/** A schema that throws has not accepted (its activity schema throws on a real row). */
function accepts(row: unknown): boolean {
  try {
    return zod?.safeParse(row).success === true
  } catch {
    return false
  }
}

const verdicts = new TextEncoder().encode(JSON.stringify(rows.map(accepts)))
await new Blob([verdicts]).stream().pipeTo(Deno.stdout.writable)
