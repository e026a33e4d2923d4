/**
 * What is served about the service, held to the tools that agents and their makers read it with.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { usd } from "../../src/core/domain/money.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { hasDocumentTools, judge, runTool, type ToolRun } from "../support/http/documentTools.ts"
import { liveTest } from "../support/effect.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { servedService } from "../support/http/servedService.ts"

const sold = Object.values(products)

/** /openapi.json as it is served, in a file that goes away with the scope. */
const openApiFile = Effect.gen(function* () {
  const base = yield* servedService
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
  )
  const text = yield* Effect.promise(async () => await (await fetch(`${base}/openapi.json`)).text())
  const file = `${folder}/openapi.json`
  yield* Effect.promise(() => Deno.writeTextFile(file, text))
  return { folder, file }
})

const run = (program: Parameters<typeof runTool>[0], args: ReadonlyArray<string>) =>
  Effect.promise(() => runTool(program, args))

/** Holds that a program took what it was shown, and shows what it said when it did not. */
const took = ({ code, stdout, stderr }: ToolRun) => strictEqual(code, 0, `${stdout}\n${stderr}`)

function linted(): void {
  liveTest(
    "redocly has nothing to say of /openapi.json, under every recommended rule",
    () =>
      Effect.gen(function* () {
        const { file } = yield* openApiFile
        const ran = yield* run("redocly", ["lint", "--config=redocly.yaml", "--format=json", file])
        took(ran)
        equal(JSON.parse(ran.stdout).problems, [])
      }),
  )

  liveTest(
    "spectral has nothing to say of /openapi.json, under every rule for OpenAPI",
    () =>
      Effect.gen(function* () {
        const { file } = yield* openApiFile
        const strict = [
          "--ruleset=spectral.yaml",
          "--fail-severity=hint",
          "--format=json",
          "--quiet",
        ]
        const ran = yield* run("spectral", ["lint", ...strict, file])
        took(ran)
        equal(JSON.parse(ran.stdout), [])
      }),
  )

  liveTest("/openapi.json is valid by the schema of OpenAPI 3.1", () =>
    Effect.gen(function* () {
      const { file } = yield* openApiFile
      const ran = yield* run("validate-api", [file])
      took(ran)
      equal(JSON.parse(ran.stdout), { valid: true })
    }))
}

/** A client in the types that are made from the document: what is right compiles, what is not does not. */
const client = `
import type { paths } from "./openapi.ts"
type Answer<P extends keyof paths, S extends number> =
  paths[P] extends { get: { responses: { [_ in S]: infer Answered } } }
    ? Answered extends { content: { "application/json": infer Body } } ? Body : never
    : never
type Query = paths["/v1/signals"]["get"]["parameters"]["query"]
export const newest = (index: Answer<"/v1/index", 200>): number => index.index
export const indices = (signals: Answer<"/v1/signals", 200>): ReadonlyArray<number> =>
  signals.data.map((item) => item.feedIndex)
export const moved = ({ data }: Answer<"/v1/signals", 200>): ReadonlyArray<number> =>
  data.flatMap((item) => item.type === "mover" ? [item.data.delta] : [])
export const charged = ({ error }: Answer<"/v1/research", 502>): boolean | null => error.charged
export const query: Query = { since: 1, count: 20, type: "mover" }
// @ts-expect-error An integer is no text.
export const textual: Query = { count: "20" }
// @ts-expect-error There is no such type of item.
export const unknown: Query = { type: "rumour" }
// @ts-expect-error An index has no prices.
export const priced = (index: Answer<"/v1/index", 200>) => index.price
`

function typed(): void {
  liveTest(
    "a client compiles with the types of /openapi.json, and not with what they have not",
    () =>
      Effect.gen(function* () {
        const { folder, file } = yield* openApiFile
        took(yield* run("openapi-typescript", [file, `--output=${folder}/openapi.ts`]))
        yield* Effect.promise(() => Deno.writeTextFile(`${folder}/client.ts`, client))
        const strict = ["--strict", "--noEmit", "--allowImportingTsExtensions", "--skipLibCheck"]
        took(
          yield* run("tsc", [
            ...strict,
            "--lib",
            "es2022",
            "--types",
            "null",
            `${folder}/client.ts`,
          ]),
        )
      }),
  )
}

function crawled(): void {
  liveTest(
    "@agentcash/discovery finds every paid path with its price, and no other",
    () =>
      Effect.gen(function* () {
        const ran = yield* run("discovery", ["discover", yield* servedService, "--json"])
        took(ran)
        const { resources, warnings } = JSON.parse(ran.stdout) as Discovered
        const paid = resources.filter(({ authHint }) => authHint !== "unprotected")
        equal(
          paid.map(({ method, path, authHint, priceHint }) => [method, path, authHint, priceHint])
            .toSorted(),
          sold.map(({ path, price }) => ["GET", path, "paid", `${usd(price)} USD`]).toSorted(),
        )
        for (const { protocols } of paid) equal(protocols, ["x402"])
        equal(warnings, [])
      }),
  )

  for (const { path, price } of sold) {
    liveTest(
      `@agentcash/discovery has nothing to say of ${path} and its 402`,
      () =>
        Effect.gen(function* () {
          const ran = yield* run("discovery", ["check", `${yield* servedService}${path}`, "--json"])
          took(ran)
          const { advisories, warnings } = JSON.parse(ran.stdout) as Checked
          equal(warnings, [])
          const [advisory] = advisories
          strictEqual(advisories.length, 1)
          equal([advisory?.method, advisory?.authMode], ["GET", "paid"])
          strictEqual(advisory?.estimatedPrice, `${usd(price)} USD`)
          ok(advisory?.inputSchema !== undefined && advisory.outputSchema !== undefined)
        }),
    )
  }

  liveTest(
    "the validator behind x402scan has nothing to say of any 402",
    () =>
      Effect.gen(function* () {
        const base = yield* servedService
        const challenges = yield* Effect.forEach(sold, ({ path }) =>
          Effect.promise(async () => {
            const response = await fetch(base + path)
            await response.body?.cancel()
            return response.headers.get("payment-required") ?? ""
          }))
        const verdicts = yield* Effect.promise(() => judge(challenges))
        equal(
          verdicts,
          sold.map(({ price }) => ({ valid: true, amounts: [price.toString()], issues: [] })),
        )
      }),
  )
}

interface Discovered {
  readonly resources: ReadonlyArray<{
    readonly method: string
    readonly path: string
    readonly authHint: string
    readonly priceHint?: string
    readonly protocols?: ReadonlyArray<string>
  }>
  readonly warnings: ReadonlyArray<unknown>
}
interface Checked {
  readonly advisories: ReadonlyArray<{
    readonly method: string
    readonly authMode: string
    readonly estimatedPrice?: string
    readonly inputSchema?: unknown
    readonly outputSchema?: unknown
  }>
  readonly warnings: ReadonlyArray<unknown>
}

if (hasDocumentTools) {
  linted()
  typed()
  crawled()
} else {
  registerSkipped("linters, types and crawler", "npm ci --prefix tests/documents was not run")
}
