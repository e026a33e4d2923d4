/**
 * Unmodified buyers of both versions of x402 against the service on a real socket.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { ExactEvmScheme } from "@x402/evm"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { address } from "../../src/payments/domain/payment.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { buyWithVersion1, hasLegacyBuyer } from "../support/payments/legacyBuyer.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { market } from "../support/payments/sales.ts"
import { openShop } from "../support/http/servedService.ts"

const key = `0x${"1".padStart(64, "0")}`

/** The amount that the buyer has spent. */
const spent = Effect.gen(function* () {
  const ledger = yield* Ledger
  return playBalance - (yield* ledger.balance(address(buyer(0).address)))
})

for (
  const [product, query] of [
    [products.signals, ""],
    [products.resolving, "?withinHours=72"],
    [products.whales, ""],
    [products.research, "?market=market-1"],
  ] as const
) {
  liveTest(
    `the reference buyer pays for ${product.path}, which is ${product.settlementOrder}`,
    () =>
      Effect.gen(function* () {
        const base = yield* openShop()
        const scheme = { network: "eip155:*", client: new ExactEvmScheme(buyer(0)) } as const
        const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes: [scheme] })
        const response = yield* Effect.promise(() => pay(`${base}${product.path}${query}`))
        const body = yield* Effect.promise(() => response.json())
        equal([response.status, body.success], [200, true])
        const receipt = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE") ?? "")
        equal([receipt.success, receipt.payer], [true, buyer(0).address.toLowerCase()])
        strictEqual(yield* spent, product.price as bigint)
      }).pipe(Effect.provide(market())),
  )
}

const legacyBuys = (product: Product) =>
  liveTest(
    `the reference buyer of version 1 pays for ${product.path} and gets the answer`,
    () =>
      Effect.gen(function* () {
        const base = yield* openShop()
        const { statuses, body, receipt } = yield* Effect.promise(() =>
          buyWithVersion1({ url: `${base}${product.path}?x402Version=1`, key })
        )
        equal([statuses, body.success], [[402, 200], true])
        const { payer } = JSON.parse(Result.getOrThrow(Base64.decodeString(receipt ?? "")))
        strictEqual(payer, buyer(0).address.toLowerCase())
        strictEqual(yield* spent, product.price as bigint)
      }).pipe(Effect.provide(market())),
  )

if (!hasLegacyBuyer) {
  registerSkipped("the reference buyer of version 1", "npm ci --prefix tests/legacy")
} else {
  legacyBuys(products.latest)
  legacyBuys(products.whales)
}
