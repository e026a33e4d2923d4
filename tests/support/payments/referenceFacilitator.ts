/**
 * The unmodified reference facilitator as an HTTP server that settles on anvil, with anvil's first
 * account for gas. A test can make it fail after a settlement.
 *
 * @module
 */
import { x402Facilitator } from "@x402/core/facilitator"
import { toFacilitatorEvmSigner } from "@x402/evm"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import { Effect } from "effect"
import { createWalletClient, http, publicActions } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { base, baseSepolia } from "viem/chains"
import { isListable } from "./listing.ts"
import { serving } from "../serving.ts"

/** The public key of anvil's first account. */
const gasKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

export interface ReferenceFacilitator {
  readonly url: string
  /** True: it settles, but responds with a 500. */
  failsAfterSettling: boolean
}

export const startFacilitator = Effect.fn("startFacilitator")(function* (
  rpcUrl: string,
  chain: typeof base | typeof baseSepolia = base,
) {
  const account = privateKeyToAccount(gasKey)
  const wallet = createWalletClient({
    account,
    chain,
    transport: http(rpcUrl),
    pollingInterval: 100,
  }).extend(publicActions)
  // The types of the reference implementation are narrower than a viem client.
  const signer = toFacilitatorEvmSigner(
    Object.assign(wallet, { address: account.address }) as unknown as Parameters<
      typeof toFacilitatorEvmSigner
    >[0],
  )
  const facilitator = new x402Facilitator().register(
    `eip155:${chain.id}`,
    new ExactEvmScheme(signer),
  )
  const self: { -readonly [K in keyof ReferenceFacilitator]: ReferenceFacilitator[K] } = {
    url: "",
    failsAfterSettling: false,
  }
  self.url = yield* serving(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/supported") return Response.json(facilitator.getSupported())
    const { paymentPayload, paymentRequirements } = await request.json()
    if (pathname === "/verify") {
      return Response.json(await facilitator.verify(paymentPayload, paymentRequirements))
    }
    if (!isListable(paymentPayload, paymentRequirements)) {
      return Response.json({ success: false, errorReason: "not_listable" })
    }
    const settled = await facilitator.settle(paymentPayload, paymentRequirements)
    return self.failsAfterSettling ? new Response("", { status: 500 }) : Response.json(settled)
  })
  return self as ReferenceFacilitator
})
