/**
 * All documents about the service, compared: each is parsed separately, and all must list the same
 * products, prices and parameters, at addresses that answer. The 402 and the agent card pass the
 * rules of their readers.
 *
 * @module
 */
import {
  appendPaymentIdentifierToExtensions,
  type DiscoveryExtension,
  isPaymentIdentifierExtension,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  validatePaymentIdentifier,
} from "@x402/extensions"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { type FreeRow, freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { skillName } from "../../../src/catalog/domain/skill.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { agentCard } from "../../../src/http/documents/cards.ts"
import { paymentRequired } from "../../../src/payments/domain/x402/challenge.ts"
import { decodePayment } from "../../../src/payments/domain/x402/paymentPayload.ts"
import { test } from "../../support/effect.ts"
import { type Json, objectIn, send } from "../../support/http/a2a.ts"
import {
  base,
  challengesOf,
  openDocumentService,
  read,
  type Reading,
  readTools,
} from "../../support/http/documents.ts"
import { makeService, makeWorld, serviceOptions } from "../../support/http/httpService.ts"
import { readLlms } from "../../support/http/llms.ts"
import {
  callsOfText,
  declaredParameters,
  type ListedOffer,
  type Offer,
  offersOfCard,
  offersOfCatalog,
  offersOfContract,
  offersOfPage,
  offersOfText,
  offersOfTools,
  parameterIn,
  requestedBy,
} from "../../support/http/offers.ts"
import { signedFor } from "../../support/http/signed.ts"
import { headerOf, terms } from "../../support/payments/terms.ts"

const sold: ReadonlyArray<Product> = Object.values(products)
const named = (id: string) => `get_${id}`
const camelCase = (id: string) =>
  named(id).split("_").map((word, at) => at === 0 ? word : word[0]?.toUpperCase() + word.slice(1))
    .join("")

/** The product as every document must describe it. */
function offerOf(product: Product): Offer {
  const { id, path, title, description, price, settlementOrder, parameters } = product
  return {
    ...{ name: named(id), operationId: camelCase(id), path, address: `${base}${path}` },
    ...{
      title,
      description,
      priceUsd: usd(price),
      units: price.toString(),
      settlement: settlementOrder,
    },
    ...{ upfront: settlementOrder === "settle-early", network: "eip155:8453" },
    ...{ asset: terms.asset, payTo: terms.payTo },
    parameters: parameters.map((row) =>
      parameterIn(row.name, { ...row, enum: row.values }, row.required === true)
    ),
  }
}

/** Compares a document with the table, in every field that the document has. */
function agrees(listed: ReadonlyArray<ListedOffer>, fields: ReadonlyArray<keyof Offer>): void {
  const pick = (offer: ListedOffer) =>
    Object.fromEntries(fields.map((field) => [field, offer[field]]))
  const ordered = (offers: ReadonlyArray<ListedOffer>) => {
    const texts = offers.map((offer) => JSON.stringify(pick(offer))).toSorted()
    return texts.map((text) => JSON.parse(text))
  }
  equal(ordered(listed), ordered(sold.map(offerOf)))
}

const compared = (
  name: string,
  fields: ReadonlyArray<keyof Offer>,
  offers: (reading: Reading) => ReadonlyArray<ListedOffer>,
) =>
  test(`${name} lists the products of the catalog`, function* () {
    agrees(offers(yield* read(yield* openDocumentService)), fields)
  })

const inFull = ["path", "address", "priceUsd", "title", "description", "parameters"] as const
const inUnits = ["units", "network", "asset", "payTo", "upfront"] as const

compared(
  "/openapi.json",
  [...inFull, "operationId"],
  ({ json }) => offersOfContract(json("/openapi.json")),
)
for (const path of ["/discovery", "/discovery/resources", "/.well-known/x402"]) {
  compared(
    path,
    [...inFull, ...inUnits, "operationId", "name", "settlement"],
    ({ json }) => offersOfCatalog(json(path)),
  )
}
compared("/llms.txt", ["path", "address", "priceUsd", "title", "parameters"], ({ text }) => {
  const { sections } = Result.getOrThrow(readLlms(text("/llms.txt")))
  return offersOfPage(sections.flatMap(({ links }) => links))
})
compared(
  "/llms-full.txt",
  [...inFull, "operationId", "name", "units", "settlement"],
  ({ text }) => offersOfText(text("/llms-full.txt")),
)
for (const path of ["/.well-known/agent-card.json", "/.well-known/agent.json", "/a2a"]) {
  compared(
    `${path}, the agent card,`,
    ["name", "title", "description", "priceUsd", "path"],
    ({ json }) => offersOfCard(json(path)),
  )
}

test("tools/list of /mcp lists the products of the catalog", function* () {
  const tools = yield* readTools(yield* openDocumentService)
  agrees(offersOfTools(tools), ["name", "title", "priceUsd", "parameters"])
})

test("a 402 has the same requirements over HTTP, A2A and MCP", function* () {
  const face = yield* openDocumentService
  for (const product of sold) {
    const { parameters, address, description, ...offer } = offerOf(product)
    const { name, units, network, asset, payTo, upfront } = offer
    const expected = { units, network, asset, payTo, upfront, description }
    const { header, body, version1, task, tool } = yield* challengesOf(face, product)

    const required = JSON.parse(Result.getOrThrow(Base64.decodeString(header)))
    equal(requestedBy(required), expected)
    strictEqual(required.resource.url, address)
    equal(declaredParameters(objectIn(required.extensions.bazaar)), parameters)
    const [entry] = body.accepts
    equal([entry.price, entry.network, entry.payTo], [`$${offer.priceUsd}`, network, payTo])
    strictEqual(body.terms, `${base}/terms.txt`)
    const [old] = version1.accepts
    equal(
      [old.maxAmountRequired, old.asset, old.payTo, old.resource, old.description],
      [units, asset, payTo, address, description],
    )

    equal(requestedBy(task), expected)
    strictEqual(objectIn(objectIn(task)["resource"])["url"], address)
    equal(requestedBy(tool), expected)
    strictEqual(objectIn(objectIn(tool)["resource"])["url"], `mcp://tool/${name}`)
  }
})

test("contract, catalog, text, card and tools list the same free rows", function* () {
  const face = yield* openDocumentService
  const { json, text } = yield* read(face)
  const rows: ReadonlyArray<FreeRow> = Object.values(freeRows)
  const jsonRows = rows.filter(({ isText }) => isText !== true)
  const names = jsonRows.map(({ id }) => named(id))
  const contract = objectIn(json("/openapi.json")["paths"])
  for (const { id, path, title } of rows) {
    const { operationId, summary, security } = objectIn(objectIn(contract[path])["get"])
    equal([operationId, summary, security], [camelCase(id), title, []])
  }
  equal(
    (json("/discovery")["free"] as ReadonlyArray<Record<string, unknown>>)
      .map(({ path, resource, title, operationId }) => [path, resource, title, operationId]),
    rows.map(({ id, path, title }) => [path, `${base}${path}`, title, camelCase(id)]),
  )
  const full = text("/llms-full.txt")
  for (const { path, title } of rows) ok(full.includes(`| \`${path}\` | free | | ${title} |`))
  const all = [...names, ...sold.map(({ id }) => named(id))]
  equal(callsOfText(full).map(({ name }) => name), all)
  const skills = json("/a2a")["skills"] as ReadonlyArray<{ id: string; tags: Array<string> }>
  equal(skills.map(({ id }) => id), all)
  equal(skills.filter(({ tags }) => tags.includes("free")).map(({ id }) => id), names)
  equal((yield* readTools(face)).map(({ name }) => name), all)
})

const challengeOf = Effect.fnUntraced(function* (path: string) {
  const face = yield* makeService(yield* makeWorld(1))
  const header = (yield* face.get(path)).headers.get("payment-required") ?? ""
  ok(header.length > 0 && header.length < 4_000, `${path}: ${header.length}`)
  return JSON.parse(Result.getOrThrow(Base64.decodeString(header)))
})

for (const product of Object.values(products)) {
  test(`the 402 of ${product.path} passes the reference validators`, function* () {
    const { extensions, resource } = yield* challengeOf(product.path)
    equal(validateDiscoveryExtension(extensions.bazaar), { valid: true })
    equal(validateDiscoveryExtensionSpec(extensions.bazaar), { valid: true })
    ok(isPaymentIdentifierExtension(extensions["payment-identifier"]))
    const kept = sanitizeResourceServiceMetadata(resource)
    equal([kept?.serviceName, kept?.tags], [resource.serviceName, resource.tags])
  })

  test(`the 402 of ${product.path} as an MCP tool passes the reference validators`, () =>
    Effect.sync(() => {
      const { extensions, resource } = paymentRequired(product, terms, { resource: "mcp" })
      const declared = extensions["bazaar"] as DiscoveryExtension
      equal(validateDiscoveryExtension(declared), { valid: true })
      equal(validateDiscoveryExtensionSpec({ ...declared }), { valid: true })
      strictEqual(resource.url, `mcp://tool/${skillName(product)}`)
      equal(Object(declared.info.input).toolName, skillName(product))
    }))
}

test("the payment-identifier that a reference buyer adds to a 402 is the one that is read", function* () {
  const { extensions } = yield* challengeOf(products.research.path)
  const id = "pay_7d5d747be160e280"
  appendPaymentIdentifierToExtensions(extensions, id)
  equal(validatePaymentIdentifier(extensions["payment-identifier"]), { valid: true })
  const { wire } = yield* signedFor(products.research, { atSeconds: 1_000 })
  const payload = Result.getOrThrow(decodePayment(headerOf({ ...wire, extensions })))
  strictEqual(payload.identifier, id)
})

const card = agentCard(serviceOptions)
Deno.test("the agent card has the fields of 0.3.0, and none of other versions", () => {
  const required: ReadonlyArray<readonly [string, unknown]> = [
    ["protocolVersion", "0.3.0"],
    ["version", "1.0.0"],
    ["url", `${terms.publicBaseUrl}/a2a`],
    ["preferredTransport", "JSONRPC"],
    ["additionalInterfaces", [{ url: `${terms.publicBaseUrl}/a2a`, transport: "JSONRPC" }]],
    ["supportsAuthenticatedExtendedCard", false],
    ["defaultInputModes", ["application/json", "text/plain"]],
    ["defaultOutputModes", ["application/json"]],
  ]
  const fields: Json = { ...card }
  for (const [name, value] of required) equal(fields[name], value, name)
  ok(card.name !== "" && card.description !== "")
  for (const name of ["supportedInterfaces", "securitySchemes", "security", "signatures"]) {
    ok(!(name in card), name)
  }
  const { streaming, pushNotifications, stateTransitionHistory, extensions } = card.capabilities
  equal([streaming, pushNotifications, stateTransitionHistory], [false, false, false])
  equal(extensions.map(({ uri, required }) => [uri, required]), [
    ["https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2", false],
    ["https://github.com/google-a2a/a2a-x402/v0.1", false],
  ])
})

test("every example of the agent card is a valid message", function* () {
  const face = yield* makeService(yield* makeWorld(3))
  let n = 0
  for (const { id, examples } of card.skills) {
    for (const text of examples) {
      const headers = { "x-forwarded-for": `203.0.113.${n++}` }
      const { task, code } = yield* send(face, [{ kind: "text", text }], {}, headers)
      strictEqual(code, null, text)
      const { resource } = objectIn(task.metadata["x402.payment.required"])
      ok(task.state === "completed" || objectIn(resource)["url"] !== undefined, `${id}: ${text}`)
    }
  }
})
