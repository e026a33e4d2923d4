/**
 * Rules for the documents: their standards, addresses, links and examples, and the same bytes on every
 * replica.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { HTTPFacilitatorClient } from "@x402/core/http"
import { withBazaar } from "@x402/extensions/bazaar"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { type Product, products, productsChangedAt } from "../../../src/catalog/domain/product.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { day } from "../../../src/core/domain/time.ts"
import { catalogItems } from "../../../src/http/documents/catalog.ts"
import { expiryAt, securityText } from "../../../src/http/documents/documents.ts"
import { llmsText } from "../../../src/http/documents/llms.ts"
import { queryReader } from "../../../src/catalog/domain/parameter.ts"
import { objectIn } from "../../support/http/a2a.ts"
import {
  base,
  challengesOf,
  documentPaths,
  openDocumentService,
  read,
} from "../../support/http/documents.ts"
import { liveTest, test } from "../../support/effect.ts"
import { makeService, makeWorld, serviceOptions } from "../../support/http/httpService.ts"
import { currentRequest } from "../../support/http/mcp.ts"
import { readLlms } from "../../support/http/llms.ts"
import { callsOfText } from "../../support/http/offers.ts"
import { servedService } from "../../support/http/servedService.ts"
import { bodies } from "../../support/http/shape.ts"
import { terms } from "../../support/payments/terms.ts"

const sold: ReadonlyArray<Product> = Object.values(products)

/** The foreign addresses in the documents: standards, and example addresses. */
const foreignAddresses = [
  "http://www.w3.org/2000/svg",
  "https://json-schema.org/draft/2020-12/schema",
  "https://www.rfc-editor.org/info/rfc9727",
  "https://www.w3.org/ns/did/v1",
  "https://w3id.org/security/suites/jws-2020/v1",
  "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2",
  "https://github.com/google-a2a/a2a-x402/v0.1",
  "https://venue.example/market/sample-will-the-bridge-open-in-2027",
  "https://news.example/sample-headline",
  ...["", "/v1/signals", "/v1/digest"].map((path) => `https://sample.example${path}`),
  "https://a2a-protocol.org/v0.3.0/specification/",
  "https://modelcontextprotocol.io/specification/",
  "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
]

const addressesIn = (text: string) =>
  [...text.matchAll(/https?:\/\/[^\s"'`<>()\\,;\]]+/g)].map(([found]) => found.replace(/[.:]$/, ""))

/** The service's paths in prose and tables. */
const pathsIn = (text: string) =>
  [
    ...text.matchAll(
      /(?<![\w.>:/{}-])\/(?:v1\/|terms\.|\.well-known\/|llms|openapi|discovery|health|docs|contact|a2a|mcp)[\w./-]*/g,
    ),
  ].map(([found]) => found.replace(/[.:]+$/, ""))

test("every absolute address in any document is the service's own or a known foreign one", function* () {
  const face = yield* openDocumentService
  const { text, headers } = yield* read(face)
  for (const path of documentPaths) {
    const content = `${text(path)} ${headers(path).get("link") ?? ""}`
    ok(!content.includes("any.host"), `${path} repeats the Host header`)
    for (const address of addressesIn(content)) {
      const known = foreignAddresses.some((of) => address === of) ||
        address === base || address.startsWith(`${base}/`)
      ok(known, `${path}: ${address}`)
    }
    for (const [, target = ""] of (headers(path).get("link") ?? "").matchAll(/<([^>]*)>/g)) {
      ok(target.startsWith(`${base}/`), `${path}: Link to ${target}`)
    }
  }
})

/** Hyphenated names in the documents that are no request headers of a client, or no headers. */
const noRequestHeaders = [
  ...["Retry-After", "RateLimit-Policy", "PAYMENT-REQUIRED", "PAYMENT-RESPONSE"],
  ...["X-PAYMENT-RESPONSE", "Idempotent-Replayed", "Payment-Transaction", "Refund-Id"],
  ...["Cache-Control", "Content-Signal", "Preferred-Languages", "X-Forwarded-For"],
  ...["Accept-Encoding", "Content-Security-Policy", "A-Za-z", "A-Z", "YYYY-MM-DD"],
]
const standards = /^(?:EIP|ERC|CAIP|SHA|JSON|GPL|MPL|Apache|Keccak|Ctrl)-/

test("a page of another origin may send every request header that a document names", function* () {
  const face = yield* openDocumentService
  const { text } = yield* read(face)
  const preflight = yield* face.get("/v1/latest", { method: "OPTIONS" })
  const allowed = (preflight.headers.get("access-control-allow-headers") ?? "").split(", ")
  const files = ["docs/agents.md", "packages/client/README.md", "packages/mcp/README.md"]
  const texts = [...documentPaths.map(text), ...files.map((path) => Deno.readTextFileSync(path))]
  const named = new Set(
    texts.flatMap((content) =>
      [...content.matchAll(/(?<![\w-])[A-Z][A-Za-z\d]*(?:-[A-Z\d][A-Za-z\d]*)+(?![\w-])/g)]
        .map(([name]) => name)
    ).filter((name) => !standards.test(name) && !noRequestHeaders.includes(name)),
  )
  for (const name of ["Idempotency-Key", "Bellwether-Test", "X-402-Version"]) ok(named.has(name))
  equal([...named].filter((name) => !allowed.includes(name)), [])
})

test("every own link and path in any document is served", function* () {
  const face = yield* openDocumentService
  const { text, headers } = yield* read(face)
  const seen = new Set<string>()
  for (const path of documentPaths) {
    const content = `${text(path)} ${headers(path).get("link") ?? ""}`
    for (const address of addressesIn(content)) {
      if (address.startsWith(`${base}/`)) seen.add(address.slice(base.length))
    }
    for (const named of pathsIn(content)) seen.add(named)
  }
  const ownPaths = [...seen].map((path) => path.split(/[?#]/)[0] ?? "")
    // The paths of these operations end with a parameter.
    .filter((path) => !path.startsWith("/v1/payments/") && path !== "/docs/quickstart/")
  ok(ownPaths.length > 25, `${ownPaths.length} links`)
  for (const path of new Set(ownPaths)) {
    const { status } = yield* face.get(path)
    ok([200, 402, 405].includes(status), `${path}: ${status}`)
    if (status === 405) ok(["/mcp"].includes(path), path)
  }
})

test("two replicas serve the same bytes, started at any time", function* () {
  const reading = Effect.scoped(Effect.flatMap(openDocumentService, read))
  const first = yield* reading
  yield* TestClock.setTime(200 * day)
  const second = yield* reading
  for (const path of documentPaths.filter((path) => path !== "/.well-known/security.txt")) {
    strictEqual(first.text(path), second.text(path), path)
  }
  ok(first.text("/.well-known/security.txt") !== second.text("/.well-known/security.txt"))
})

Deno.test("security.txt expires within a year, at the same time all month, and never in the past", () => {
  const expiries = new Set<number>()
  const start = Date.parse("2026-11-21T12:00:00.000Z")
  for (let now = start; now < start + 400 * day; now += day) {
    const of = { publicBaseUrl: base, contact: "mailto:a@b.example" }
    const text = securityText(of, expiryAt(now))
    const lines = text.trim().split("\n")
    const fields = Object.fromEntries(lines.map((line) => line.split(": ")))
    equal(
      Object.keys(fields),
      ["Contact", "Expires", "Preferred-Languages", "Canonical", "Policy"],
    )
    equal([fields.Contact, fields.Canonical, fields.Policy], [
      "mailto:a@b.example",
      `${base}/.well-known/security.txt`,
      `${base}/contact`,
    ])
    const ahead = Date.parse(fields.Expires) - now
    ok(ahead > 100 * day && ahead < 365 * day, fields.Expires)
    expiries.add(Date.parse(fields.Expires))
  }
  strictEqual(expiries.size, 14)
})

/** The documents that say what the service sells. */
const describing = [
  ...["/llms.txt", "/llms-full.txt", "/docs", "/SKILL.md", "/openapi.json", "/discovery", "/a2a"],
  ...["/.well-known/x402", "/.well-known/agent-card.json"],
]

const notes = [
  /Payments are simulated: no money moves\./,
  /The market is simulated: its prices are invented\./,
]

for (
  const [paymentMode, venueMode] of [["simulated", "simulated"], ["simulated", "polymarket"], [
    "live",
    "polymarket",
  ]] as const
) {
  test(`with ${paymentMode} payments and ${venueMode} every description says what is simulated`, function* () {
    const options = { ...serviceOptions, paymentMode, venueMode }
    const { get } = yield* makeService(yield* makeWorld(1), undefined, options)
    const calls = [
      ...describing.map((path) => [path, undefined] as const),
      ["/mcp", currentRequest("server/discover")] as const,
    ]
    for (const [path, init] of calls) {
      const response: Response = yield* get(path, init)
      const text = yield* Effect.promise(() => response.text())
      const expected = [paymentMode, venueMode].map((mode) => mode === "simulated")
      equal(notes.map((note) => note.test(text)), expected, path)
    }
  })
}

test("/llms.txt is a valid llms.txt page under 4 KiB", function* () {
  const { text } = yield* read(yield* openDocumentService)
  const page = text("/llms.txt")
  const limited = llmsText({ ...serviceOptions, terms: { ...terms, publicBaseUrl: base } })
  ok(limited.length > page.length && limited.length <= 4_096, `${limited.length}`)
  const { title, summary, sections } = Result.getOrThrow(readLlms(page))
  strictEqual(title, "Bellwether")
  ok(summary !== null && summary.length > 40)
  equal(sections.map(({ heading }) => heading), [
    ...["Free", "Paid", "Machine interfaces", "Optional"],
  ])
  ok(sections.every(({ links }) => links.length > 3))
  strictEqual(text("/"), page)
})

test("the api-catalog is a linkset, and its HEAD links to it", function* () {
  const face = yield* openDocumentService
  const head = yield* face.get("/.well-known/api-catalog", { method: "HEAD" })
  match(
    head.headers.get("content-type") ?? "",
    /^application\/linkset\+json; profile=".*rfc9727"$/,
  )
  const link = head.headers.get("link") ?? ""
  ok(link.startsWith(`<${base}/.well-known/api-catalog>; rel="api-catalog"`), link)
  const { json, headers } = yield* read(face)
  const [catalog, api] = json("/.well-known/api-catalog")["linkset"] as ReadonlyArray<object>
  equal(catalog, { anchor: `${base}/.well-known/api-catalog`, item: [{ href: `${base}/` }] })
  const rels = Object.keys(api ?? {}).filter((rel) => rel !== "anchor")
  const content = headers("/").get("link") ?? ""
  for (const rel of rels) ok(content.includes(`rel="${rel}"`), `${rel} in Link of /`)
})

/** The JSON Schema errors of a value; empty when it is valid. */
function faults(schema: object, value: unknown): string {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  return ajv.validate(schema, value) ? "" : ajv.errorsText()
}

test("the call and the answer declared in a 402 are valid by its own schema, over HTTP, A2A and MCP", function* () {
  const face = yield* openDocumentService
  for (const product of sold) {
    const { id, path } = product
    const { header, task, tool } = yield* challengesOf(face, product)
    for (
      const required of [JSON.parse(Result.getOrThrow(Base64.decodeString(header))), task, tool]
    ) {
      const bazaar = objectIn(objectIn(objectIn(required)["extensions"])["bazaar"])
      strictEqual(faults(objectIn(bazaar["schema"]), bazaar["info"]), "", path)
      const { output } = objectIn(bazaar["info"])
      ok(isPartOf(objectIn(output)["example"], products[id as keyof typeof products].sample))
    }
  }
})

/** Whether `part` is a part of `whole`. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== "object" || part === null) return part === whole
  return Object.entries(part).length > 0 &&
    Object.entries(part).every(([name, member]) => isPartOf(member, objectIn(whole)[name]))
}

test("every example in /llms-full.txt is a valid answer to a valid call", function* () {
  const { text } = yield* read(yield* openDocumentService)
  const calls = callsOfText(text("/llms-full.txt"))
  equal(calls.map(({ name }) => name), skills.map(({ name }) => name))
  for (const [at, { name, call, body }] of calls.entries()) {
    const { path, parameters } = skills[at] ?? { path: "", parameters: [] }
    const url = new URL(call)
    equal([url.origin, url.pathname], [base, path])
    ok(Result.isSuccess(queryReader(parameters)(url.searchParams)), call)
    const example = /```json\n([^]*?)\n```/.exec(body)?.[1]
    if (["get_sample", "get_terms"].includes(name)) continue
    const schema = bodies[path]
    ok(schema !== undefined && Schema.is(schema)(JSON.parse(example ?? "")), name)
  }
})

liveTest(
  "the official Bazaar client lists all products, page by page to an empty one",
  function* () {
    const url = yield* servedService
    const { extensions: { bazaar } } = withBazaar(new HTTPFacilitatorClient({ url }))
    const all = sold.map(({ path, price }) => [`${url}${path}`, price.toString()])
    const limit = 3
    for (const offset of [0, 3, 6, 9, 999]) {
      const { items, pagination } = yield* Effect.promise(() =>
        bazaar.listResources({ type: "http", limit, offset })
      )
      equal(
        items.map(({ resource, accepts }) => [resource, accepts[0]?.amount]),
        all.slice(offset, offset + limit),
      )
      equal(pagination, { limit, offset, total: all.length })
    }
    for (const query of ["", "?limit=x&offset=-1"]) {
      const response = yield* Effect.promise(() => fetch(`${url}/discovery/resources${query}`))
      const { items, pagination: { total } } = yield* Effect.promise(() => response.json())
      equal([items.length, total], [all.length, all.length], query)
    }
  },
)

test("/discovery states when the listed products last changed", function* () {
  const listed = catalogItems(terms).map(({ lastUpdated: _, ...item }) => item)
  const bytes = new TextEncoder().encode(JSON.stringify(listed))
  const hash = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))
  const tag = new Uint8Array(hash).toHex().slice(0, 16)
  equal(
    [tag, productsChangedAt],
    ["5a68e3e66e3b2c7e", "2026-12-01T10:00:00.000Z"],
    "the listed products changed: update this hash and productsChangedAt",
  )
})

test("the icon is an SVG under a kilobyte that loads nothing", function* () {
  const { text, headers } = yield* read(yield* openDocumentService)
  const mark = text("/favicon.svg")
  strictEqual(headers("/favicon.svg").get("content-type"), "image/svg+xml")
  ok(mark.length < 1_000 && mark.startsWith("<svg ") && mark.endsWith("</svg>"))
  ok(!/<script|href=|url\(/.test(mark))
  const former = headers("/favicon.ico")
  equal([former.get("content-type"), former.get("etag")], [
    "image/svg+xml",
    headers("/favicon.svg").get("etag"),
  ])
})
