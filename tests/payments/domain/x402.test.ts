/**
 * The 402 of every product.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Base64 } from "effect/encoding"
import { Result } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { challenge, challengeV1, payHint } from "../../../src/payments/domain/x402/challenge.ts"
import { receiptHeader, requirements } from "../../../src/payments/domain/x402/terms.ts"
import { offerExtension } from "../../../src/payments/domain/x402/offerReceipt.ts"
import { terms } from "../../support/payments/terms.ts"
import { keyOf, testKey } from "../../support/signing/key.ts"

/**
 * Maximum size of the PAYMENT-REQUIRED header: Node's fetch fails above 16 KiB of headers in total.
 */
const challengeHeaderLengthMax = 4_000

const decoded = (header: string) => JSON.parse(Result.getOrThrow(Base64.decodeString(header)))
const why = "x".repeat(200)

Deno.test(`challenge() fits ${challengeHeaderLengthMax} bytes of header on every route`, () => {
  const lengthOf = (product: Product, host: number, error?: string) => {
    const publicBaseUrl = `https://${"x".repeat(host)}`
    const ofHost = { ...terms, publicBaseUrl }
    const offer = offerExtension(keyOf(1, [], publicBaseUrl).sign, product, ofHost, 1_800_000_000)
    return challenge(product, ofHost, { error, offer }).header.length
  }
  for (const product of Object.values(products)) {
    const length = lengthOf(product, 56)
    ok(lengthOf(product, 56, why) < length, "a reason has the room of the bazaar")
    ok(length < challengeHeaderLengthMax, `${product.id}: ${length}`)
    ok(lengthOf(product, 253) < 8_192, "the longest host name there is")
  }
})

Deno.test("challenge() returns the documented body", () => {
  equal(challenge(products.latest, terms).body, {
    x402Version: 2,
    error: "Payment required",
    accepts: [{
      scheme: "exact",
      network: "eip155:8453",
      asset: "USDC",
      price: "$0.01",
      payTo: terms.payTo,
      mimeType: "application/json",
    }],
    terms: "http://127.0.0.1:8402/terms.txt",
    hint: payHint,
  })
})

Deno.test("challenge() returns the x402 header, with atomic units and the token's EIP-712 domain", () => {
  for (const product of Object.values(products)) {
    const offer = offerExtension(testKey.sign, product, terms, 1_800_000_000)
    const { x402Version, error, resource, accepts, extensions } = decoded(
      challenge(product, terms, { offer }).header,
    )
    equal([x402Version, error], [2, "Payment required"])
    equal(resource.url, `${terms.publicBaseUrl}${product.path}`)
    equal(accepts, [{
      scheme: "exact",
      network: "eip155:8453",
      amount: product.price.toString(),
      asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      payTo: terms.payTo,
      maxTimeoutSeconds: 120,
      extra: {
        name: "USD Coin",
        version: "2",
        ...(product.settlementOrder === "settle-early" ? { paymentFlow: "upfront" } : {}),
      },
    }])
    equal(Object.keys(extensions), ["bazaar", "payment-identifier", "offer-receipt"])
    const declared = extensions.bazaar.schema.properties.input.properties.queryParams.properties
    equal(Object.keys(declared), product.parameters.map(({ name }) => name))
  }
})

Deno.test("requirements() names a flow on settle-early routes only", () => {
  equal(requirements(products.latest, terms).extra.paymentFlow, undefined)
  ok(!("paymentFlow" in requirements(products.latest, terms).extra))
  equal(requirements(products.whales, terms).extra.paymentFlow, "upfront")
})

Deno.test("challengeV1() requires the same payment from a version 1 client", () => {
  for (const product of Object.values(products)) {
    const body = challengeV1(product, terms, { error: "why" })
    equal([body?.x402Version, body?.error], [1, "why"])
    equal(body?.accepts, [{
      scheme: "exact",
      network: "base",
      maxAmountRequired: product.price.toString(),
      resource: `${terms.publicBaseUrl}${product.path}`,
      description: product.description,
      mimeType: "application/json",
      payTo: terms.payTo,
      maxTimeoutSeconds: 120,
      asset: terms.asset,
      extra: { name: "USD Coin", version: "2" },
    }])
  }
})

Deno.test("challengeV1() returns null for a network without a version 1 name", () => {
  equal(challengeV1(products.latest, { ...terms, chainId: 1 }), null)
})

Deno.test("receiptHeader() returns the settlement response that clients read", () => {
  const receipt = { payer: "0x1", transaction: "0x2", network: "eip155:8453" }
  equal(decoded(receiptHeader(receipt)), { success: true, ...receipt })
})
