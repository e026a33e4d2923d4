/**
 * A rehearsal on Base Sepolia, on a real EVM with its chain id and its token: an unmodified buyer pays,
 * a payment without a delivery is refunded, every place that speaks of payments says that the money
 * has no value, and the store is refused to another network.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { decodePaymentResponseHeader } from "@x402/fetch"
import { Effect, Schedule } from "effect"
import { baseSepolia } from "viem/chains"
import { databaseLayer } from "../../src/app/venuePorts.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import * as signatures from "../../src/payments/wasmSignatures.ts"
import { base, networks } from "../../src/payments/domain/x402/terms.ts"
import { liveTest } from "../support/effect.ts"
import { hasAnvil, skipWithoutAnvil } from "../support/payments/anvil.ts"
import { buyer } from "../support/payments/buyers.ts"
import { terms } from "../support/payments/terms.ts"
import { startBalance, succeeded } from "../support/payments/token.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { payingFetch, startLiveStack, treasury } from "./liveStack.ts"

const sepolia = networks[84532]
const asset = address(sepolia.usdc.asset)
const note = /Base Sepolia, a test network: its USDC has no value/
const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined

const textAt = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => fetch(url, { headers }).then((response) => response.text()))

const rehearsal = (server: string) =>
  Effect.gen(function* () {
    const { anvil, facilitator, service, balance, login } = yield* startLiveStack(server, {
      ...{ chain: baseSepolia, asset, both: { NETWORK: "base-sepolia" } },
      service: { HOLD: "1 second" },
    })
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

    // On a busy machine the facilitator may answer too late: 502, and nothing is used.
    const bought = yield* Effect.promise(async () => {
      const response = await payingFetch(0)(product)
      return { response, body: await response.json() }
    }).pipe(Effect.repeat({
      until: ({ response }) => response.status !== 502,
      schedule: Schedule.spaced("1 second"),
      times: 10,
    }))
    equal([bought.response.status, bought.body.success], [200, true], JSON.stringify(bought.body))
    const receipt = decodePaymentResponseHeader(
      bought.response.headers.get("PAYMENT-RESPONSE") ?? "",
    )
    equal([receipt.network, yield* succeeded(anvil, receipt.transaction)], ["eip155:84532", true])
    equal(yield* balance(terms.payTo), BigInt(products.latest.price))

    // The buyer leaves after its payment was taken, and before the service knows it.
    facilitator.failsAfterSettling = true
    const leaving = new AbortController()
    const payment = Promise.withResolvers<string>()
    const leave: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      const header = request.headers.get("payment-signature")
      if (header !== null) payment.resolve(header)
      return fetch(request, { signal: leaving.signal })
    }
    const left = payingFetch(0, leave)(`${service.base}${products.resolving.path}`)
      .then(({ status }) => status, () => "left")
    yield* balance(terms.payTo).pipe(Effect.repeat({
      until: (received) => received > BigInt(products.latest.price),
      schedule: Schedule.spaced("20 millis"),
    }))
    leaving.abort()
    equal(yield* Effect.promise(() => left), "left")
    const { payload } = JSON.parse(atob(yield* Effect.promise(() => payment.promise)))
    const { paymentId } = yield* Signatures
    const id = paymentId({ ...sepolia.usdc, ...payload.authorization })
    const isRefunded = ({ state }: Record<string, unknown>) => state === "refunded"
    const record = yield* service.until(`/v1/payments/${id}`, isRefunded)
    equal(yield* succeeded(anvil, Object(record["refund"]).transaction), true)
    equal(
      [yield* balance(treasury), yield* balance(buyer(0).address)],
      [startBalance - products.resolving.price, startBalance - products.latest.price],
    )

    const refused = yield* Effect.flip(Effect.provide(
      Effect.void,
      databaseLayer({
        ...{ database: { kind: "postgres", url: login }, venue: "simulated", mode: "start" },
        ...{ payments: { kind: "live" }, network: base },
      }),
    ))
    match(String(refused), /started with payments live on base-sepolia/)
  }).pipe(Effect.provide(signatures.layer))

const title = "a rehearsal on Base Sepolia is paid and refunded there, says so, and keeps its store"
if (!hasAnvil) skipWithoutAnvil(title)
else if (testDatabaseUrl === undefined) registerSkipped(title, "set TEST_DATABASE_URL")
else liveTest(title, () => rehearsal(testDatabaseUrl))
