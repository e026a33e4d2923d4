/**
 * The whole API under its own address, and all its documents.
 *
 * @module
 */
import { Effect } from "effect"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { skillName } from "../../../src/catalog/domain/skill.ts"
import { familyOfOne } from "../../../src/http/documents/family.ts"
import { dataPart, type Handle, type Json, objectIn, send } from "./a2a.ts"
import { makeService, makeWorld, serviceOptions } from "./httpService.ts"
import { currentRequest } from "./mcp.ts"
import { terms } from "../payments/terms.ts"

/** The service's public address; test requests use another host. */
export const base = "https://bellwether.example"

/** A face with three items; its documents are for any number of readers. */
export const openDocumentService = Effect.gen(function* () {
  return yield* makeService(yield* makeWorld(3), undefined, {
    ...serviceOptions,
    terms: { ...terms, publicBaseUrl: base },
    family: familyOfOne(base),
    contact: "mailto:security@bellwether.example",
    limits: { ...serviceOptions.limits, free: "off", documents: "off" },
  })
})

/** Every document there is. */
export const documentPaths = [
  ...["/", "/openapi.json", "/llms.txt", "/llms-full.txt", "/robots.txt", "/favicon.svg"],
  ...["/discovery", "/discovery/resources", "/.well-known/x402", "/.well-known/api-catalog"],
  ...["/.well-known/security.txt", "/.well-known/agent-card.json", "/.well-known/agent.json"],
  ...["/a2a", "/mcp/server-card", "/terms.txt", "/terms.json", "/.well-known/family", "/v1/sample"],
] as const
export type DocumentPath = typeof documentPaths[number]

/** The documents that were read. */
export interface Reading {
  readonly text: (path: string) => string
  readonly json: (path: string) => Json
  readonly headers: (path: string) => Headers
}

/** Reads every document. */
export const read = Effect.fnUntraced(function* ({ get }: Handle) {
  const texts = new Map<string, { readonly text: string; readonly headers: Headers }>()
  for (const path of documentPaths) {
    const response = yield* get(path)
    if (response.status !== 200) yield* Effect.die(`${path} answers ${response.status}`)
    const text = yield* Effect.promise(() => response.text())
    texts.set(path, { text, headers: response.headers })
  }
  const text = (path: string) => texts.get(path)?.text ?? ""
  const reading: Reading = {
    text,
    json: (path) => objectIn(JSON.parse(text(path))),
    headers: (path) => texts.get(path)?.headers ?? new Headers(),
  }
  return reading
})

/** The tools that tools/list of /mcp returns. */
export const readTools = Effect.fnUntraced(function* ({ get }: Handle) {
  const response = yield* get("/mcp", currentRequest("tools/list"))
  const { result } = yield* Effect.promise(() => response.json())
  return result.tools as ReadonlyArray<{ readonly name: string; readonly inputSchema: object }>
})

/** The answers of a product to an unpaid call over HTTP, A2A and MCP. */
export const challengesOf = Effect.fnUntraced(function* (face: Handle, product: Product) {
  const { path, parameters } = product
  const name = skillName(product)
  const response = yield* face.get(path)
  const body = yield* Effect.promise(() => response.json())
  const version1 = yield* face.get(`${path}?x402Version=1`)
  // Required parameters are sent, because a call without them is refused before its price is returned.
  const given = exampleOf(parameters.filter(({ required }) => required === true))
  const { task } = yield* send(face, [dataPart(name, given)])
  const call = currentRequest("tools/call", { name, arguments: given })
  const tool = yield* face.get("/mcp", call)
  const { result } = yield* Effect.promise(() => tool.json())
  return {
    header: response.headers.get("payment-required") ?? "",
    body,
    version1: yield* Effect.promise(() => version1.json()),
    task: task.metadata["x402.payment.required"],
    tool: objectIn(result)["structuredContent"],
  }
})
