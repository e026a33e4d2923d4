/**
 * What a buyer installs is named by an address of the service or by the owner's scope, in every
 * command of every document and page, and the address serves the file.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { quickstarts } from "../../../src/http/documents/docs.ts"
import { test } from "../../support/effect.ts"
import type { Handle } from "../../support/http/a2a.ts"
import { base, documentPaths, openDocuments } from "../../support/http/documents.ts"
import { currentRequest } from "../../support/http/mcp.ts"
import { browserAccept } from "../../support/http/pages.ts"

const root = new URL("../../../", import.meta.url)
const file = "bellwether-mcp-1.0.0.tgz"

/** What runs or installs a package, with the words after it on its line, JSON array or command. */
const commands = /(?:\bnpx\b|\bnpm (?:i|install|exec)\b|\bnpm:|\bpnpm\b|\bbunx\b|\byarn\b)[^\n]*/g
/** A name of ours as a registry would read it: without an address, a path or a scope before it. */
const bare = /(?<![\w@/.:-])bellwether-(?:mcp|client)\b(?!-[\d.]+\.tgz)/

/** The commands of a text that name a package of ours bare. */
function bareCommands(text: string): ReadonlyArray<string> {
  const lines = text.replaceAll("\\\n", " ").replaceAll("&quot;", '"').replaceAll("&#39;", "'")
  return [...lines.matchAll(commands)].map(([command]) => command)
    .filter((command) => bare.test(command) || /npm:bellwether/.test(command))
}

Deno.test("the rule finds a bare name, and accepts an address and a scope", () => {
  for (const name of ["bellwether-mcp", "bellwether-client@1.0.0"]) {
    for (
      const command of [`npx -y ${name}`, `npm i ${name}`, `npx", "args": ["--no", "${name}"]`]
    ) {
      equal(bareCommands(command), [command])
    }
  }
  for (
    const name of [`${base}/packages/${file}`, `@owner/bellwether-mcp@1.0.0`, `file:/x/${file}`]
  ) {
    equal(bareCommands(`npx -y ${name}`), [])
  }
})

/** Every document, quickstart and page, and what /mcp says of itself. */
const published = Effect.fnUntraced(function* ({ get }: Handle) {
  const guides = Object.keys(quickstarts).map((name) => `/docs/quickstart/${name}`)
  const paths = [
    ...documentPaths,
    ...guides,
    "/pricing",
    ...Object.values(products).map(({ path }) => path),
  ]
  const texts: Array<readonly [string, string]> = []
  for (const path of paths) {
    for (const accept of ["*/*", browserAccept]) {
      const response: Response = yield* get(path, { headers: { accept } })
      texts.push([`${path} as ${accept.slice(0, 9)}`, yield* Effect.promise(() => response.text())])
    }
  }
  const discovered = yield* get("/mcp", currentRequest("server/discover"))
  return [...texts, ["/mcp", yield* Effect.promise(() => discovered.text())] as const]
})

for (const scope of [null, "@owner"]) {
  const where = scope ?? `${base}/packages/`
  test(`with ${where} no command in a document or page names a package of ours bare`, function* () {
    const texts = yield* published(yield* openDocuments({ scope }))
    for (const [path, text] of texts) equal(bareCommands(text), [], path)
    const named = scope === null ? `${base}/packages/${file}` : "@owner/bellwether-mcp@1.0.0"
    for (const path of ["/mcp", "/llms-full.txt as */*", "/docs/quickstart/claude.md as */*"]) {
      ok(texts.some(([of, text]) => of === path && text.includes(named)), path)
    }
  })
}

Deno.test("no document of the repository names a package of ours bare, or runs it without an address", () => {
  const files = [
    "README.md",
    "CONTRIBUTING.md",
    ...[...Deno.readDirSync(new URL("docs/", root))].map(({ name }) => `docs/${name}`),
    ...["client", "mcp"].map((name) => `packages/${name}/README.md`),
    ...Object.keys(quickstarts).map((name) => `examples/quickstarts/${name}`),
  ]
  for (const path of files) {
    const text = Deno.readTextFileSync(new URL(path, root))
    equal(bareCommands(text), [], path)
    equal(addresslessCommands(text, "http://127.0.0.1:8402"), [], path)
  }
})

/** A command that runs the stdio server: `npx` and its package, in a shell or in a host's settings. */
const serverCommands = /\bnpx\b[^]{0,100}?bellwether-mcp[-@]1\.0\.0(?:\.tgz)?/g

/** Those of a text that do not name the service at `address`, which the package does not know. */
function addresslessCommands(text: string, address: string): ReadonlyArray<string> {
  const plain = text.replaceAll("\\\n", " ").replaceAll("&quot;", '"')
  return [...plain.matchAll(serverCommands)].filter(({ index, 0: command }) => {
    const [before = ""] = /[^\n`(>]*$/.exec(plain.slice(0, index)) ?? []
    const after = plain.slice(index + command.length, index + command.length + 80)
    return !before.includes(`BASE_URL=${address} `) &&
      !/^"\],\s*"?env"?: ?\{ ?(?:BASE_URL,|"BASE_URL": ?")/.test(after)
  }).map(([command]) => command)
}

for (const scope of [null, "@owner"]) {
  test(`every served command of the stdio server names the service, with scope ${scope}`, function* () {
    const texts = yield* published(yield* openDocuments({ scope }))
    for (const [path, text] of texts) equal(addresslessCommands(text, base), [], path)
    const found = texts.filter(([, text]) => text.search(serverCommands) >= 0).map(([path]) => path)
    for (const path of ["/mcp", "/llms-full.txt", "/", "/docs", "/docs/quickstart/mastra.mjs"]) {
      ok(found.some((one) => one.split(" ")[0] === path), path)
    }
  })
}

test("the address serves the built file with the hash that the documents state", function* () {
  const bytes = crypto.getRandomValues(new Uint8Array(2_000))
  const { get } = yield* openDocuments({ files: new Map([[file, bytes]]) })
  const response = yield* get(`/packages/${file}`)
  equal([response.status, response.headers.get("content-type")], [200, "application/gzip"])
  equal(yield* Effect.promise(() => response.bytes()), bytes)
  const hash = `sha512-${createHash("sha512").update(bytes).digest("base64")}`
  const document = yield* get("/llms-full.txt")
  ok((yield* Effect.promise(() => document.text())).includes(hash))
  strictEqual((yield* get("/packages/other-1.0.0.tgz")).status, 404)
})

test("the entry for the MCP registry has the server, and the bundle with its hash once it is built", function* () {
  const name = "bellwether-mcp-1.0.0.mcpb"
  const bytes = crypto.getRandomValues(new Uint8Array(2_000))
  const entryOf = Effect.fnUntraced(function* (files: ReadonlyMap<string, typeof bytes>) {
    const { get } = yield* openDocuments({ files })
    const entry: Response = yield* get("/mcp/server.json")
    return yield* Effect.promise(() => entry.json())
  })
  const { packages, ...server } = yield* entryOf(new Map([[name, bytes]]))
  match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  ok(server.description.length <= 100)
  equal(server.remotes, [{ type: "streamable-http", url: `${base}/mcp` }])
  const [{ identifier, fileSha256, ...bundle }] = packages
  equal(bundle, { registryType: "mcpb", version: "1.0.0", transport: { type: "stdio" } })
  equal(fileSha256, createHash("sha256").update(bytes).digest("hex"))
  const { get } = yield* openDocuments({ files: new Map([[name, bytes]]) })
  const served = yield* get(new URL(identifier).pathname)
  equal(yield* Effect.promise(() => served.bytes()), bytes)
  equal(yield* entryOf(new Map()), server)
})

test("without built files the address and the documents say what to run", function* () {
  const { get } = yield* openDocuments({ files: new Map() })
  const response = yield* get(`/packages/${file}`)
  const { error } = yield* Effect.promise(() => response.json())
  strictEqual(response.status, 404)
  // npm prints this text, and of an object only "[object Object]".
  match(error, /^bellwether-mcp-1.0.0.tgz is not built here\. .*npx -y deno@2.9.6 task pack/)
  const other = yield* get("/packages/bellwether-mcp-9.0.0.tgz")
  const { error: none } = yield* Effect.promise(() => other.json())
  strictEqual(other.status, 404)
  match(none, /^No such package: this service has bellwether-mcp-1.0.0.tgz, /)
  for (const path of ["/llms-full.txt", "/docs"]) {
    const document = yield* get(path, { headers: { accept: browserAccept } })
    match(yield* Effect.promise(() => document.text()), /deno@2.9.6 task pack/, path)
  }
})

test("a package that is built while the service runs is served from then on", function* () {
  const built = new Map<string, Uint8Array<ArrayBuffer>>()
  const read = (name: string) => Promise.resolve(built.get(name) ?? null)
  const { get } = yield* openDocuments({ files: new Map(), read })
  strictEqual((yield* get(`/packages/${file}`)).status, 404)
  built.set(file, crypto.getRandomValues(new Uint8Array(2_000)))
  built.set("other-1.0.0.tgz", new Uint8Array(1))
  const response = yield* get(`/packages/${file}`)
  equal([response.status, response.headers.get("content-type")], [200, "application/gzip"])
  equal(yield* Effect.promise(() => response.bytes()), built.get(file))
  strictEqual((yield* get("/packages/other-1.0.0.tgz")).status, 404)
})
