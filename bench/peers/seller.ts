/**
 * The reference seller, `@x402/hono` on Deno, selling /v1/latest for the price we sell it for: what
 * the unpaid 402 is measured against. Its facilitator answers in process; `PORT` as ever.
 *
 * @module
 */
import type { FacilitatorClient } from "@x402/core/server"
import { ExactEvmScheme } from "@x402/evm/exact/server"
import { paymentMiddleware, x402ResourceServer } from "@x402/hono"
import { Hono } from "hono"
import { products } from "../../src/domain/product.ts"

const network = "eip155:8453"

const facilitator: FacilitatorClient = {
  getSupported: () =>
    Promise.resolve({
      kinds: [{ x402Version: 2, scheme: "exact", network }],
      extensions: [],
      signers: {},
    }),
  verify: () => Promise.resolve({ isValid: true, payer: "0x00" }),
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
