/**
 * The service at its own address, and readers for all its documents.
 *
 * @module
 */
import { Effect } from "effect"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { skillName } from "../../../src/catalog/domain/skill.ts"
import { familyOfOne } from "../../../src/catalog/domain/family.ts"
import { type PackageOptions, packagesOf } from "../../../src/http/documents/packages.ts"
import { dataPart, type Handle, type Json, objectIn, send } from "./a2a.ts"
import { makeService, makeWorld, serviceOptions } from "./httpService.ts"
import { currentRequest } from "./mcp.ts"
import { terms } from "../payments/terms.ts"

/** The service's public address; test requests go to another host. */
export const base = "https://bellwether.example"

/** A service with three items and no rate limits. */
export const openDocumentService = Effect.suspend(() => openDocuments())

/** The same with these packages. */
export const openDocuments = Effect.fnUntraced(function* (packages: Partial<PackageOptions> = {}) {
  return yield* makeService(yield* makeWorld(3), undefined, {
    ...serviceOptions,
    terms: { ...terms, publicBaseUrl: base },
    family: familyOfOne(base),
    packages: packagesOf({ ...serviceOptions.packages, publicBaseUrl: base, ...packages }),
    contact: "mailto:security@bellwether.example",
    limits: { ...serviceOptions.limits, free: "off", documents: "off", pages: "off" },
  })
})

export const documentPaths = [
  ...[
    "/",
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/robots.txt",
    "/favicon.svg",
    "/favicon.ico",
  ],
  ...["/discovery", "/discovery/resources", "/.well-known/x402", "/.well-known/api-catalog"],
  ...["/.well-known/security.txt", "/.well-known/agent-card.json", "/.well-known/agent.json"],
  ...["/docs", "/docs/skill", "/SKILL.md", "/contact"],
  ...[
    "/a2a",
    "/mcp/server-card",
    "/mcp/server.json",
    "/.well-known/agent-skills/index.json",
    "/terms.txt",
    "/terms.json",
    "/.well-known/family",
    "/v1/sample",
  ],
] as const
export type DocumentPath = typeof documentPaths[number]

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

/** The tools of tools/list. */
export const readTools = Effect.fnUntraced(function* ({ get }: Handle) {
  const response = yield* get("/mcp", currentRequest("tools/list"))
  const { result } = yield* Effect.promise(() => response.json())
  return result.tools as ReadonlyArray<{ readonly name: string; readonly inputSchema: object }>
})

/** The payment terms of a product, in every form that the service returns them. */
export const challengesOf = Effect.fnUntraced(function* (service: Handle, product: Product) {
  const { path, parameters } = product
  const name = skillName(product)
  const response = yield* service.get(path)
  const body = yield* Effect.promise(() => response.json())
  const version1 = yield* service.get(`${path}?x402Version=1`)
  // A call without a required parameter is refused before its price is returned.
  const params = exampleOf(parameters.filter(({ required }) => required === true))
  const { task } = yield* send(service, [dataPart(name, params)])
  const call = currentRequest("tools/call", { name, arguments: params })
  const tool = yield* service.get("/mcp", call)
  const { result } = yield* Effect.promise(() => tool.json())
  return {
    header: response.headers.get("payment-required") ?? "",
    body,
    version1: yield* Effect.promise(() => version1.json()),
    task: task.metadata["x402.payment.required"],
    tool: objectIn(result)["structuredContent"],
  }
})
