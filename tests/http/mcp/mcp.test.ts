/**
 * /mcp against the MCP specification: its revisions, headers and errors, and the origins that may
 * call.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Result } from "effect"
import { argumentsSchema, queryReader } from "../../../src/catalog/domain/parameter.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld, serviceOptions } from "../../support/http/httpService.ts"
import {
  currentRequest,
  earlierRequest,
  envelope,
  openMcp,
  revision,
} from "../../support/http/mcp.ts"
import { terms } from "../../support/payments/terms.ts"

type Json = Record<string, unknown>

const open = openMcp()

const resultOf = ({ body }: { readonly body: Json }) => Object(body["result"]) as Json
const errorOf = ({ body }: { readonly body: Json }) => Object(body["error"]) as Json

test("server/discover returns the current revision, the tools capability and instructions", function* () {
  const { post } = yield* open
  const answer = yield* post(currentRequest("server/discover"))
  strictEqual(answer.status, 200)
  const { instructions, _meta, ...result } = resultOf(answer)
  equal(result, {
    resultType: "complete",
    supportedVersions: [revision],
    capabilities: { tools: {} },
    ttlMs: 300_000,
    cacheScope: "public",
  })
  match(String(instructions), /get_index/)
  const { name, version } = Object(_meta)["io.modelcontextprotocol/serverInfo"]
  equal([name, version], ["bellwether", "1.0.0"])
})

test("tools/list has one tool for each skill of the catalog, with its price in the description", function* () {
  const { post } = yield* open
  const result = resultOf(yield* post(currentRequest("tools/list")))
  equal([result["resultType"], result["ttlMs"], result["cacheScope"]], [
    "complete",
    300_000,
    "public",
  ])
  const tools = result["tools"] as ReadonlyArray<Json>
  equal(tools.map(({ name }) => name), skills.map(({ name }) => name))
  for (const [at, skill] of skills.entries()) {
    const { title, description, inputSchema, outputSchema, annotations } = tools[at] ?? {}
    const { type, properties } = Object(outputSchema)
    equal([type, properties.success], ["object", { type: "boolean" }])
    const { payment, ...own } = Object(inputSchema).properties
    equal([title, { ...Object(inputSchema), properties: own }], [
      skill.title,
      argumentsSchema(skill),
    ])
    equal(payment?.type, skill.kind === "paid" ? "string" : undefined)
    equal(Object(annotations)["readOnlyHint"], skill.kind === "free")
    equal(Object(annotations)["idempotentHint"], skill.kind === "free")
    equal(Object(annotations)["title"], skill.title)
    const price = skill.kind === "free" ? "Free," : `Costs $${usd(skill.product.price)} in USDC`
    ok(String(description).includes(price), String(description))
    const [, use, example = ""] =
      /((?:Use it|Read them) .*?)\. .* Example: (\{.*\})\.$/.exec(String(description)) ?? []
    ok(use !== undefined, String(description))
    const args = Object.entries(JSON.parse(example)).map(([name, value]) => [name, String(value)])
    ok(Result.isSuccess(queryReader(skill.parameters)(new URLSearchParams(args))), example)
    ok(!String(description).includes("/v1/"), "a tool names tools, not paths")
  }
})

for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
  test(`initialize agrees on ${version}, and starts no session`, function* () {
    const { post } = yield* open
    const clientInfo = { name: "a-test", version: "1.0.0" }
    const params = { protocolVersion: version, capabilities: {}, clientInfo }
    const initialized = yield* post(earlierRequest("initialize", params))
    equal([initialized.status, initialized.headers.get("mcp-session-id")], [200, null])
    equal(resultOf(initialized)["protocolVersion"], version)
    equal(resultOf(initialized)["capabilities"], { tools: {} })
    const notified = yield* post(
      earlierRequest("notifications/initialized", {}, { version, id: undefined }),
    )
    equal([notified.status, notified.body], [202, {}])
    const pong = yield* post(earlierRequest("ping", {}, { version }))
    equal(pong.body, { jsonrpc: "2.0", id: 7, result: {} })
    const session = { "mcp-session-id": "of-some-other-server" }
    const listed = yield* post(earlierRequest("tools/list", {}, { version, headers: session }))
    strictEqual((resultOf(listed)["tools"] as ReadonlyArray<Json>).length, skills.length)
  })
}

test("initialize with an unknown revision is answered with the newest earlier revision", function* () {
  const { post } = yield* open
  const params = { protocolVersion: "2031-01-01", capabilities: {}, clientInfo: {} }
  const initialized = yield* post(
    earlierRequest("initialize", { ...params, clientInfo: { name: "a", version: "1" } }),
  )
  strictEqual(resultOf(initialized)["protocolVersion"], "2025-11-25")
})

/** A free call with changed headers; null removes a header. */
const withHeaders = (changes: Readonly<Record<string, string | null>>): RequestInit => {
  const init = currentRequest("tools/call", { name: "get_index" })
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return { ...init, headers }
}

const unsupported = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
const rules: ReadonlyArray<readonly [string, RequestInit, number, number]> = [
  ["no MCP-Protocol-Version", withHeaders({ "mcp-protocol-version": null }), 400, -32020],
  [
    "another MCP-Protocol-Version",
    withHeaders({ "mcp-protocol-version": "2025-11-25" }),
    400,
    -32020,
  ],
  ["no Mcp-Method", withHeaders({ "mcp-method": null }), 400, -32020],
  ["another Mcp-Method", withHeaders({ "mcp-method": "tools/list" }), 400, -32020],
  ["no Mcp-Name", withHeaders({ "mcp-name": null }), 400, -32020],
  ["another Mcp-Name", withHeaders({ "mcp-name": "get_pulse" }), 400, -32020],
  [
    "an unsupported revision",
    currentRequest("tools/list", {}, {
      headers: { "mcp-protocol-version": "2099-01-01" },
      meta: unsupported,
    }),
    400,
    -32022,
  ],
  [
    "an unsupported earlier revision",
    earlierRequest("tools/list", {}, { version: "1999-01-01" }),
    400,
    -32022,
  ],
  [
    "no envelope",
    { ...currentRequest("tools/list"), body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
    400,
    -32602,
  ],
  ["an unknown method", currentRequest("prompts/frobnicate"), 404, -32601],
  ["a method of earlier revisions", currentRequest("initialize"), 404, -32601],
  ["a subscription", currentRequest("subscriptions/listen", { notifications: {} }), 404, -32601],
  ["an unknown method, earlier", earlierRequest("frobnicate"), 200, -32601],
  ["an unknown tool", currentRequest("tools/call", { name: "get_rich" }), 200, -32602],
  ["an unknown tool, earlier", earlierRequest("tools/call", { name: "get_rich" }), 200, -32602],
  ["a tool without a name", earlierRequest("tools/call", {}), 200, -32602],
  [
    "arguments that are a list",
    currentRequest("tools/call", { name: "get_index", arguments: [1] }),
    400,
    -32602,
  ],
  ["a body that is not JSON", { ...currentRequest("ping"), body: "{" }, 400, -32700],
  ["no body", { ...currentRequest("ping"), body: "" }, 400, -32700],
  [
    "a body that is not UTF-8",
    { ...currentRequest("ping"), body: Uint8Array.of(34, 255, 34) },
    400,
    -32700,
  ],
  ["a number for a message", { ...currentRequest("ping"), body: "3" }, 400, -32600],
  [
    "a message without jsonrpc",
    { ...currentRequest("ping"), body: '{"id":1,"method":"ping"}' },
    400,
    -32600,
  ],
  ["a batch", { ...currentRequest("ping"), body: `[${earlierRequest("ping").body}]` }, 400, -32600],
  [
    "a body that is too large",
    { ...currentRequest("ping"), body: `"${"x".repeat(65_536)}"` },
    413,
    -32600,
  ],
  ["a body of another type", withHeaders({ "content-type": "text/plain" }), 415, -32600],
]
for (const [what, init, status, code] of rules) {
  test(`${what} is answered ${status} with ${code}`, function* () {
    const { post } = yield* open
    const answer = yield* post(init)
    equal([answer.status, errorOf(answer)["code"]], [status, code])
    strictEqual(answer.body["jsonrpc"], "2.0")
    ok(String(errorOf(answer)["message"]).length > 0)
    equal(answer.headers.get("access-control-allow-origin"), "*")
  })
}

test("the error for an unknown revision lists the supported ones", function* () {
  const { post } = yield* open
  const answer = yield* post(earlierRequest("tools/list", {}, { version: "1999-01-01" }))
  const { supported, requested } = Object(errorOf(answer)["data"])
  equal([requested, supported.slice(0, 2)], ["1999-01-01", [revision, "2025-11-25"]])
})

test("Mcp-Name may be base64, and any Accept is answered with JSON", function* () {
  const { post } = yield* open
  for (
    const init of [
      withHeaders({ "mcp-name": `=?base64?${btoa("get_index")}?=` }),
      withHeaders({ accept: "application/json" }),
      withHeaders({ accept: null }),
      earlierRequest("tools/call", { name: "get_index" }, { headers: { accept: "*/*" } }),
    ]
  ) {
    const answer = yield* post(init)
    equal([answer.status, answer.headers.get("content-type")], [200, "application/json"])
    equal(resultOf(answer)["isError"] ?? false, false)
  }
})

/** Origin, and whether it may call a service on a local address. Each may call a public one. */
const origins: ReadonlyArray<readonly [origin: string, mayCallLocal: boolean]> = [
  ["http://127.0.0.1:3000", true],
  ["http://localhost", true],
  ["http://[::1]:8080", true],
  ["https://agents.example", false],
  ["http://127.0.0.1.nip.example", false],
  ["http://localhost.example:8402", false],
  ["null", false],
  ["agents.example", false],
]
for (const [origin, mayCallLocal] of origins) {
  test(`Origin ${origin} may call a public service, and ${mayCallLocal ? "" : "not "}a local one`, function* () {
    const world = yield* makeWorld(1)
    const atPublic = {
      ...serviceOptions,
      terms: { ...terms, publicBaseUrl: "https://api.example" },
    }
    for (const [options, may] of [[serviceOptions, mayCallLocal], [atPublic, true]] as const) {
      const { get } = yield* makeService(world, undefined, options)
      const init = currentRequest("tools/list", {}, { headers: { origin } })
      const { status, headers } = yield* get("/mcp", init)
      strictEqual(status, may ? 200 : 403)
      strictEqual(headers.get("access-control-allow-origin"), "*")
    }
  })
}

test("null stands for none in every member of a message that may be absent", function* () {
  const { post } = yield* open
  const call = { name: "get_index", arguments: {} }
  const messages: ReadonlyArray<readonly [method: string, params: Json | null]> = [
    ["ping", null],
    ["tools/list", null],
    ["tools/list", { cursor: null }],
    ["tools/list", { _meta: null }],
    ["tools/call", { ...call, arguments: null }],
    ["tools/call", { ...call, _meta: null }],
    ["tools/call", { ...call, task: null }],
    ["tools/call", { ...call, _meta: { progressToken: null, "x402/payment": null } }],
  ]
  for (const [method, params] of messages) {
    const init = earlierRequest(method)
    for (const empty of [{}, { result: null, error: null }]) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params, ...empty })
      const reply = yield* post({ ...init, body })
      equal([reply.status, reply.body["error"]], [200, undefined], body)
    }
  }
  const current = yield* post(currentRequest("tools/call", { ...call, arguments: null }))
  equal([current.status, current.body["error"]], [200, undefined])
  const list = yield* post(earlierRequest("tools/call", { ...call, arguments: [] }))
  equal(list.status, 400)
  for (
    const [damage, status, code] of [[{ params: null }, 200, -32602], [
      { id: null },
      400,
      -32600,
    ]] as const
  ) {
    const message = { jsonrpc: "2.0", id: 7, method: "tools/call", params: call, ...damage }
    const reply = yield* post({ ...earlierRequest("ping"), body: JSON.stringify(message) })
    const error = errorOf(reply)
    equal([reply.status, error["code"]], [status, code])
    match(String(error["message"]), /^(?:params must be an object|id must be a string)/)
  }
})

test("any notification is a 202 without a body", function* () {
  const { post } = yield* open
  const params = { name: "get_index", _meta: envelope }
  const body = JSON.stringify({ jsonrpc: "2.0", method: "tools/call", params })
  const answer = yield* post({ ...currentRequest("tools/call", { name: "get_index" }), body })
  equal([answer.status, answer.body], [202, {}])
})

test("the server card has the address of /mcp and its revisions", function* () {
  const { get } = yield* open
  for (const path of ["/mcp/server-card", "/.well-known/mcp/server-card.json"]) {
    const response = yield* get(path)
    const card: Json = yield* Effect.promise(() => response.json())
    const [remote] = card["remotes"] as ReadonlyArray<Json>
    equal([response.status, remote?.["url"]], [200, `${terms.publicBaseUrl}/mcp`])
    equal((remote?.["supportedProtocolVersions"] as ReadonlyArray<string>).slice(0, 3), [
      revision,
      "2025-11-25",
      "2025-06-18",
    ])
    match(String(card["name"]), /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    ok(String(card["description"]).length <= 100)
  }
})
