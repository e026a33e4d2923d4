/**
 * The extensions of every 402, checked by the reference validators that catalogs and buyers use.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
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
import { products } from "../../../src/catalog/domain/product.ts"
import { decodePayment } from "../../../src/payments/domain/x402/paymentPayload.ts"
import { skillName } from "../../../src/catalog/domain/skill.ts"
import { paymentRequired } from "../../../src/payments/domain/x402/challenge.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { authorizationFor, headerOf, terms, wirePayment } from "../../support/payments/terms.ts"

const challengeOf = Effect.fnUntraced(function* (path: string) {
  const face = yield* makeService(yield* makeWorld(1))
  const header = (yield* face.get(path)).headers.get("payment-required") ?? ""
  ok(header.length > 0 && header.length < 4_000, `${path}: ${header.length}`)
  return JSON.parse(Result.getOrThrow(Base64.decodeString(header)))
})

for (const product of Object.values(products)) {
  test(`the 402 of ${product.path} passes the reference validators`, () =>
    Effect.gen(function* () {
      const { extensions, resource } = yield* challengeOf(product.path)
      equal(validateDiscoveryExtension(extensions.bazaar), { valid: true })
      equal(validateDiscoveryExtensionSpec(extensions.bazaar), { valid: true })
      ok(isPaymentIdentifierExtension(extensions["payment-identifier"]))
      const kept = sanitizeResourceServiceMetadata(resource)
      equal([kept?.serviceName, kept?.tags], [resource.serviceName, resource.tags])
    }))

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

test("the payment-identifier that a reference buyer adds to a 402 is the one that is read", () =>
  Effect.gen(function* () {
    const { extensions } = yield* challengeOf(products.research.path)
    const id = "pay_7d5d747be160e280"
    appendPaymentIdentifierToExtensions(extensions, id)
    equal(validatePaymentIdentifier(extensions["payment-identifier"]), { valid: true })
    const authorization = authorizationFor(buyer(0), products.research, 1_000)
    const signature = yield* sign(buyer(0), authorization)
    const wire = wirePayment(products.research, authorization, signature)
    const payload = Result.getOrThrow(decodePayment(headerOf({ ...wire, extensions })))
    strictEqual(payload.identifier, id)
  }))
