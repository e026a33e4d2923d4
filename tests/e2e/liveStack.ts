/**
 * Live payments without real money: the service and its refund worker as processes, each with its own
 * login on a real PostgreSQL, the reference facilitator, and a token on a real EVM.
 *
 * @module
 */
import { ExactEvmScheme } from "@x402/evm"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Redacted } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { base, baseSepolia } from "viem/chains"
import { address } from "../../src/payments/domain/payment.ts"
import { startAnvil } from "../support/payments/anvil.ts"
import { buyer } from "../support/payments/buyers.ts"
import { startFacilitator } from "../support/payments/referenceFacilitator.ts"
import { terms, token } from "../support/payments/terms.ts"
import { deployToken, sent, startBalance, toToken } from "../support/payments/token.ts"
import { dataFolder, startDev, startRefundWorker } from "../support/process.ts"
import { freshLogins } from "../support/stores.ts"

const treasuryKey = `0x${"7ea5".padEnd(64, "0")}` as const
export const treasury = address(privateKeyToAddress(treasuryKey))

/** Starts all of it with a first item for sale; `asset` is where the token of the chain is. */
export const startLiveStack = Effect.fnUntraced(function* (
  server: string,
  { chain = base, asset = token.asset, both = {}, service: own }: {
    readonly chain?: typeof base | typeof baseSepolia
    readonly asset?: typeof token.asset
    /** Settings of both processes, and of the service. */
    readonly both?: Readonly<Record<string, string>>
    readonly service: Readonly<Record<string, string>>
  },
) {
  const anvil = yield* startAnvil({ blockSeconds: 1, chainId: chain.id })
  const facilitator = yield* startFacilitator(anvil.url, chain)
  yield* deployToken(anvil, asset)
  yield* sent(anvil, toToken("mint", [treasury, startBalance], asset))
  const logins = yield* freshLogins(server)
  const payments = {
    PAYMENTS: "live",
    FACILITATOR_URL: facilitator.url,
    RPC_URL: anvil.url,
    PAY_TO_ADDRESS: terms.payTo,
    TREASURY_ADDRESS: treasury,
    SWEEP: "500 millis",
    ...both,
  }
  const service = yield* startDev(yield* dataFolder, {
    ...{ ...payments, DATABASE_URL: Redacted.value(logins.service), TICK: "30 seconds" },
    ...own,
  })
  yield* startRefundWorker({
    ...{ ...payments, DATABASE_URL: Redacted.value(logins.refund) },
    TREASURY_PRIVATE_KEY: treasuryKey,
  })
  yield* service.until("/v1/index", (body) => Number(body["index"]) > 0)
  /** The token's balance of a holder. */
  const balance = (holder: string) =>
    Effect.map(
      anvil.call("eth_call", toToken("balanceOf", [address(holder)], asset), "latest"),
      (word) => BigInt(String(word)),
    )
  return { anvil, facilitator, service, balance, login: logins.service }
})

/** What the n-th buyer pays with. */
export const schemes = (n: number) => [
  { network: "eip155:*" as const, client: new ExactEvmScheme(buyer(n)) },
]

/** The unmodified client of the n-th buyer. */
export const payingFetch = (n: number, through: typeof fetch = fetch) =>
  wrapFetchWithPaymentFromConfig(through, { schemes: schemes(n) })
