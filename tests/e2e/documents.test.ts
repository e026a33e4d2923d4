/**
 * The served documents, checked with the tools that agents and their developers use.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { usd } from "../../src/core/domain/money.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { paths } from "../../src/http/documents/addresses.ts"
import { hasDocumentTools, judge, runTool } from "../support/http/documentTools.ts"
import { liveTest } from "../support/effect.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { servedService } from "../support/http/servedService.ts"
import { type Ran, temporaryFolder } from "../support/process.ts"

const sold = Object.values(products)

/** A served OpenAPI document in a file, deleted when the scope closes. */
const openApiFile = (path: string) =>
  Effect.gen(function* () {
    const base = yield* servedService
    const folder = yield* temporaryFolder
    const text = yield* Effect.promise(async () => await (await fetch(base + path)).text())
    const file = `${folder}/openapi.json`
    yield* Effect.promise(() => Deno.writeTextFile(file, text))
    return { folder, file }
  })

/** Asserts that a program succeeded; a failure prints its output. */
const assertSucceeded = ({ code, stdout, stderr }: Ran) =>
  strictEqual(code, 0, `${stdout}\n${stderr}`)

/** Each linter, its arguments before the file, and what it prints of a document without a problem. */
const linters = [
  ["redocly", ["lint", "--config=redocly.yaml", "--format=json"], { problems: [] }],
  [
    "spectral",
    ["lint", "--ruleset=spectral.yaml", "--fail-severity=hint", "--format=json", "--quiet"],
    [],
  ],
  ["validate-api", [], { valid: true }],
] as const

function linterTests(path: string): void {
  for (const [program, args, expected] of linters) {
    liveTest(`${program} finds no problem in ${path} by all of its rules`, function* () {
      const { file } = yield* openApiFile(path)
      const result = yield* runTool(program, ...args, file)
      assertSucceeded(result)
      const found = JSON.parse(result.stdout)
      equal("problems" in found ? { problems: found.problems } : found, expected)
    })
  }
}

/** A client that uses the types generated from the document; wrong uses must not compile. */
const client = `
import type { paths } from "./openapi.ts"
type Answer<P extends keyof paths, S extends number | string> =
  paths[P] extends { get: { responses: { [_ in S]: infer Answered } } }
    ? Answered extends { content: { "application/json": infer Body } } ? Body : never
    : never
type Query = paths["/v1/signals"]["get"]["parameters"]["query"]
export const newest = (index: Answer<"/v1/index", 200>): number => index.index
export const indices = (signals: Answer<"/v1/signals", 200>): ReadonlyArray<number> =>
  signals.data.map((item) => item.feedIndex)
export const moved = ({ data }: Answer<"/v1/signals", 200>): ReadonlyArray<number> =>
  data.flatMap((item) => item.type === "mover" ? [item.data.delta] : [])
export const charged = ({ error }: Answer<"/v1/research", 503>): boolean | null => error.charged
export const query: Query = { since: 1, count: 20, type: "mover" }
// @ts-expect-error The count is an integer.
export const textual: Query = { count: "20" }
// @ts-expect-error No item has this type.
export const unknown: Query = { type: "rumour" }
// @ts-expect-error An index has no prices.
export const priced = (index: Answer<"/v1/index", 200>) => index.price
`

function typeTests(): void {
  liveTest(
    "a client compiles with the types of /openapi.json, and wrong uses do not",
    function* () {
      const { folder, file } = yield* openApiFile(paths.openApi)
      assertSucceeded(
        yield* runTool("openapi-typescript", file, `--output=${folder}/openapi.ts`),
      )
      yield* Effect.promise(() => Deno.writeTextFile(`${folder}/client.ts`, client))
      const strict = ["--strict", "--noEmit", "--allowImportingTsExtensions", "--skipLibCheck"]
      const types = ["--lib", "es2022", "--types", "null"]
      assertSucceeded(yield* runTool("tsc", ...strict, ...types, `${folder}/client.ts`))
    },
  )
}

function crawlerTests(): void {
  liveTest("@agentcash/discovery finds every paid path with its price, and no other", function* () {
    const result = yield* runTool("discovery", "discover", yield* servedService, "--json")
    assertSucceeded(result)
    const { resources, warnings } = JSON.parse(result.stdout) as DiscoverOutput
    const paid = resources.filter(({ authHint }) => authHint !== "unprotected")
    equal(
      paid.map(({ method, path, authHint, priceHint }) => [method, path, authHint, priceHint])
        .toSorted(),
      sold.map(({ path, price }) => ["GET", path, "paid", `${usd(price)} USD`]).toSorted(),
    )
    for (const { protocols } of paid) equal(protocols, ["x402"])
    equal(warnings, [])
  })

  for (const { path, price } of sold) {
    liveTest(`@agentcash/discovery finds no problem in ${path} and its 402`, function* () {
      const url = `${yield* servedService}${path}`
      const result = yield* runTool("discovery", "check", url, "--json")
      assertSucceeded(result)
      const { advisories, warnings } = JSON.parse(result.stdout) as CheckOutput
      equal(warnings, [])
      const [advisory] = advisories
      strictEqual(advisories.length, 1)
      equal([advisory?.method, advisory?.authMode], ["GET", "paid"])
      strictEqual(advisory?.estimatedPrice, `${usd(price)} USD`)
      ok(advisory?.inputSchema !== undefined && advisory.outputSchema !== undefined)
    })
  }

  liveTest("the validator of x402scan finds no problem in any 402", function* () {
    const base = yield* servedService
    const challenges = yield* Effect.forEach(sold, ({ path }) =>
      Effect.promise(async () => {
        const response = await fetch(base + path)
        await response.body?.cancel()
        return response.headers.get("payment-required") ?? ""
      }))
    const validations = yield* Effect.promise(() => judge(challenges))
    equal(
      validations,
      sold.map(({ price }) => ({ valid: true, amounts: [price.toString()], issues: [] })),
    )
  })
}

interface DiscoverOutput {
  readonly resources: ReadonlyArray<{
    readonly method: string
    readonly path: string
    readonly authHint: string
    readonly priceHint?: string
    readonly protocols?: ReadonlyArray<string>
  }>
  readonly warnings: ReadonlyArray<unknown>
}
interface CheckOutput {
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
  linterTests(paths.openApi)
  typeTests()
  crawlerTests()
} else {
  registerSkipped("linters, types and crawler", "npm ci --prefix tests/documents was not run")
}
