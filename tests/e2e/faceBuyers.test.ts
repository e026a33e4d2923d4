/**
 * Unmodified buyers of both versions of x402 against the whole face on a real socket.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { ExactEvmScheme } from "@x402/evm"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Clock, Effect, Layer, Ref, Result } from "effect"
import { Base64 } from "effect/encoding"
import { address } from "../../src/domain/payment.ts"
import { type Product, products } from "../../src/domain/product.ts"
import { Ledger, playBalance } from "../../src/adapters/simulation/ledger.ts"
import { Payments } from "../../src/services/Payments.ts"
import { buyer } from "../support/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { makeFace, makeWorld } from "../support/face.ts"
import { skipAloud } from "../support/oracle.ts"
import { bookOf, endingMarket, pricesOver, whaleRow } from "../support/products.ts"
import { market } from "../support/sales.ts"

const legacy = new URL("../legacy/", import.meta.url)
const key = `0x${"1".padStart(64, "0")}`

/** The service on a port of its own, for as long as the scope lives. */
const shop = Effect.gen(function* () {
  const world = yield* makeWorld(3)
  const now = yield* Clock.currentTimeMillis
  const { markets, books, series, whales } = world.shelf
  const sold = endingMarket(1, now)
  yield* Ref.set(markets, [sold])
  yield* Ref.set(books, [bookOf(sold, now)])
  yield* Ref.set(series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  yield* Ref.set(whales, [{ computedAt: now, row: whaleRow() }])
  const face = yield* makeFace(world, Layer.succeed(Payments, yield* Payments))
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        face.handle,
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}`
})

interface Bought {
  readonly statuses: ReadonlyArray<number>
  readonly body: { readonly success: boolean; readonly charged?: boolean }
  readonly receipt: string | null
}

/** What the buyer got for an address. */
const errand = async (url: string): Promise<Bought> => {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--node-modules-dir=manual", "-A", "pay.ts"],
    cwd: legacy,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn()
  await new Blob([JSON.stringify({ url, key })]).stream().pipeTo(process.stdin)
  const { success, stdout } = await process.output()
  ok(success)
  return JSON.parse(new TextDecoder().decode(stdout))
}

/** What the buyer has spent of its play money. */
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
    `the reference buyer pays for ${product.path}, which is ${product.order}`,
    () =>
      Effect.gen(function* () {
        const base = yield* shop
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
    `the stock buyer of version 1 pays for ${product.path} and gets the answer`,
    () =>
      Effect.gen(function* () {
        const base = yield* shop
        const { statuses, body, receipt } = yield* Effect.promise(() =>
          errand(`${base}${product.path}?x402Version=1`)
        )
        equal([statuses, body.success], [[402, 200], true])
        const { payer } = JSON.parse(Result.getOrThrow(Base64.decodeString(receipt ?? "")))
        strictEqual(payer, buyer(0).address.toLowerCase())
        strictEqual(yield* spent, product.price as bigint)
      }).pipe(Effect.provide(market())),
  )

if (await Deno.stat(new URL("node_modules/x402-fetch/", legacy)).catch(() => null) === null) {
  skipAloud("the stock buyer of version 1", "npm ci --prefix tests/legacy")
} else {
  legacyBuys(products.latest)
  legacyBuys(products.whales)
}
