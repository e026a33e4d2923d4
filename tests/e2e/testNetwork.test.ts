/**
 * A rehearsal on Base Sepolia, on a real EVM with its chain id and its token: an unmodified buyer pays,
 * every place that speaks of payments says that the money has no value, and the store is refused to
 * another network.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { ExactEvmScheme } from "@x402/evm"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Redacted } from "effect"
import { baseSepolia } from "viem/chains"
import { databaseLayer } from "../../src/app/venuePorts.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { base, networks } from "../../src/payments/domain/x402/terms.ts"
import { liveTest } from "../support/effect.ts"
import { hasAnvil, skipWithoutAnvil, startAnvil } from "../support/payments/anvil.ts"
import { buyer } from "../support/payments/buyers.ts"
import { startFacilitator } from "../support/payments/referenceFacilitator.ts"
import { terms } from "../support/payments/terms.ts"
import { deployToken, succeeded, toToken } from "../support/payments/token.ts"
import { dataFolder, startDev } from "../support/process.ts"
import { freshLogins } from "../support/stores.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const sepolia = networks[84532]
const asset = address(sepolia.usdc.asset)
const note = /Base Sepolia, a test network: its USDC has no value/
const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined

const textAt = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => fetch(url, { headers }).then((response) => response.text()))

const rehearsal = (server: string) =>
  Effect.gen(function* () {
    const anvil = yield* startAnvil({ blockSeconds: 1, chainId: sepolia.usdc.chainId })
    const facilitator = yield* startFacilitator(anvil.url, baseSepolia)
    yield* deployToken(anvil, asset)
    const { service: url } = yield* freshLogins(server)
    const service = yield* startDev(yield* dataFolder, {
      PAYMENTS: "live",
      NETWORK: "base-sepolia",
      FACILITATOR_URL: facilitator.url,
      RPC_URL: anvil.url,
      PAY_TO_ADDRESS: terms.payTo,
      TREASURY_ADDRESS: terms.treasury,
      DATABASE_URL: Redacted.value(url),
      TICK: "30 seconds",
    })
    yield* service.until("/v1/index", (body) => Number(body["index"]) > 0)
    const product = `${service.base}${products.latest.path}`

    const unpaid = JSON.parse(yield* textAt(product))
    equal(unpaid.accepts[0].network, "eip155:84532")
    match(unpaid.hint, note)
    equal(JSON.parse(yield* textAt(`${service.base}/health`)).network, "eip155:84532")
    for (const path of ["/llms.txt", "/llms-full.txt", "/terms.txt", "/terms.json"]) {
      match(yield* textAt(`${service.base}${path}`), note, path)
    }
    for (const path of ["/", "/status"]) {
      match(yield* textAt(`${service.base}${path}`, { accept: "text/html" }), note, path)
    }

    const bought = yield* Effect.promise(async () => {
      const schemes = [{ network: "eip155:*", client: new ExactEvmScheme(buyer(0)) }] as const
      const response = await wrapFetchWithPaymentFromConfig(fetch, { schemes: [...schemes] })(
        product,
      )
      return { response, body: await response.json() }
    })
    equal([bought.response.status, bought.body.success], [200, true], JSON.stringify(bought.body))
    const receipt = decodePaymentResponseHeader(
      bought.response.headers.get("PAYMENT-RESPONSE") ?? "",
    )
    equal([receipt.network, yield* succeeded(anvil, receipt.transaction)], ["eip155:84532", true])
    const received = yield* anvil.call(
      "eth_call",
      toToken("balanceOf", [address(terms.payTo)], asset),
      "latest",
    )
    equal(BigInt(String(received)), products.latest.price as bigint)

    const refused = yield* Effect.flip(Effect.provide(
      Effect.void,
      databaseLayer({
        ...{ database: { kind: "postgres", url }, venue: "simulated", mode: "start" },
        ...{ payments: { kind: "live" }, network: base },
      }),
    ))
    match(String(refused), /started with payments live on base-sepolia/)
  })

const title = "a rehearsal on Base Sepolia is paid there, says so, and keeps its store"
if (!hasAnvil) skipWithoutAnvil(title)
else if (testDatabaseUrl === undefined) registerSkipped(title, "set TEST_DATABASE_URL")
else liveTest(title, () => rehearsal(testDatabaseUrl))
