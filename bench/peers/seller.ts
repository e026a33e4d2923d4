/**
 * The reference seller, `@x402/hono` on Deno, with /v1/latest at our price: the comparison for 402s
 * and paid answers. Its facilitator is in process, stores nothing and checks signatures with viem.
 * Listens on `PORT`.
 *
 * @module
 */
import type { FacilitatorClient } from "@x402/core/server"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware, x402ResourceServer } from "@x402/hono"
import { Hono } from "hono"
import { verifyTypedData } from "viem"
import { products } from "../../src/catalog/domain/product.ts"
import { transferTypes } from "../../tests/support/payments/buyers.ts"
import { terms } from "../../tests/support/payments/terms.ts"

const network = "eip155:8453"

interface EvmPayload {
  readonly authorization: {
    readonly from: `0x${string}`
    readonly to: `0x${string}`
    readonly value: string
    readonly validAfter: string
    readonly validBefore: string
    readonly nonce: `0x${string}`
  }
  readonly signature: `0x${string}`
}

const facilitator: FacilitatorClient = {
  getSupported: () =>
    Promise.resolve({
      kinds: [{ x402Version: 2, scheme: "exact", network }],
      extensions: [],
      signers: {},
    }),
  verify: async ({ payload }, { asset, extra }) => {
    const { authorization, signature } = payload as unknown as EvmPayload
    const isValid = await verifyTypedData({
      address: authorization.from,
      domain: {
        name: String(extra["name"]),
        version: String(extra["version"]),
        chainId: 8453,
        verifyingContract: asset as `0x${string}`,
      },
      types: transferTypes,
      primaryType: "TransferWithAuthorization",
      message: {
        ...authorization,
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
      },
      signature,
    })
    return { isValid, payer: authorization.from }
  },
  settle: () => Promise.resolve({ success: true, transaction: "0x00", network, payer: "0x00" }),
}

const app = new Hono()
app.use(paymentMiddleware(
  {
    [`GET ${products.latest.path}`]: {
      accepts: {
        scheme: "exact",
        price: "$0.01",
        network,
        payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
        maxTimeoutSeconds: terms.maxTimeoutSeconds,
      },
      description: products.latest.description,
      mimeType: "application/json",
    },
  },
  new x402ResourceServer(facilitator).register(network, new ExactEvmScheme()),
))
app.get(products.latest.path, (context) => context.json({ success: true }))

Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} },
  app.fetch,
)
