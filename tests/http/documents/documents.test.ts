/**
 * All documents about the service, compared: each is parsed separately, and all must list the same
 * products, prices and parameters, at addresses that answer.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { type FreeRow, freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import {
  base,
  challengesOf,
  openDocumentService,
  read,
  type Reading,
  readTools,
} from "../../support/http/documents.ts"
import { readLlms } from "../../support/http/llms.ts"
import { json } from "../../support/http/stockedService.ts"
import { test } from "../../support/effect.ts"
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
import { objectIn } from "../../support/http/a2a.ts"
import { terms } from "../../support/payments/terms.ts"

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
  test(`${name} lists the products of the catalog`, () =>
    Effect.gen(function* () {
      agrees(offers(yield* read(yield* openDocumentService)), fields)
    }))

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

test("tools/list of /mcp lists the products of the catalog", () =>
  Effect.gen(function* () {
    const tools = yield* readTools(yield* openDocumentService)
    agrees(offersOfTools(tools), ["name", "title", "priceUsd", "parameters"])
  }))

test("the discovery document has the policies of x402-signals, and the 402 its address", () =>
  Effect.gen(function* () {
    const face = yield* openDocumentService
    const [product] = sold
    ok(product !== undefined)
    const { body } = yield* challengesOf(face, product)
    strictEqual(body.policies, `${base}/.well-known/x402`)
    const found = objectIn(yield* json(yield* face.get("/.well-known/x402")))
    equal(found["fulfillment_policy"], {
      version: "0.2",
      mode: "instant",
      fulfillment_deadline_seconds: 600,
      status_endpoint: "/v1/payments/{paymentId}",
      retry_after_seconds: 5,
    })
    const policy = objectIn(found["refund_policy"])
    // A delivered answer is final; without one, the whole payment goes back to its payer by itself.
    equal([policy["type"], policy["refund_to"], policy["partial_refunds_supported"]], [
      ...["none", "original_payer", false],
    ])
    const byState = objectIn(policy["refund_policy_by_state"])
    for (const state of ["FULFILLMENT_FAILED", "EXPIRED"]) {
      strictEqual(objectIn(byState[state])["type"], "automatic")
    }
  }))

test("a 402 has the same requirements over HTTP, A2A and MCP", () =>
  Effect.gen(function* () {
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
  }))

test("contract, catalog, text, card and tools list the same free rows", () =>
  Effect.gen(function* () {
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
  }))
