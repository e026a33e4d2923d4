/**
 * The reference buyer, unmodified, against the paywall on a real socket.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict"
import { ExactEvmScheme } from "@x402/evm"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect } from "effect"
import { AtomicAmount } from "../../src/core/domain/money.ts"
import { SignalNotFound } from "../../src/feed/domain/item.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { market, nothing, once, product, taken } from "../support/payments/sales.ts"
import { countingLimits, paywallHarness } from "../support/http/paywallHarness.ts"

const scheme = { network: "eip155:*", client: new ExactEvmScheme(buyer(0)) } as const
const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes: [scheme] })

/** Serves a paywall on its own port until the scope closes; returns the URL of its product. */
const servePaywall = Effect.fnUntraced(function* (...work: Parameters<typeof paywallHarness>) {
  const handle = yield* Effect.provide(paywallHarness(...work), countingLimits)
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        (request) => Effect.runPromise(handle(request)),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}${product.path}`
})

liveTest(
  "the reference buyer pays a 402 and gets the answer with its receipt",
  () =>
    Effect.gen(function* () {
      const url = yield* servePaywall()
      const response = yield* Effect.promise(() => pay(url))
      const body = yield* Effect.promise(() => response.json())
      equal([response.status, body.charged], [200, true])
      const receipt = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE") ?? "")
      equal([receipt.success, receipt.payer], [true, buyer(0).address.toLowerCase()])
      ok(/^0x[0-9a-f]{64}$/.test(receipt.transaction))
      equal(yield* taken, once)
    }).pipe(Effect.provide(market())),
)

liveTest(
  "the reference buyer is not charged for an error, and reads its code",
  () =>
    Effect.gen(function* () {
      const url = yield* servePaywall(new SignalNotFound({ index: null }))
      const response = yield* Effect.promise(() => pay(url))
      const { error } = yield* Effect.promise(() => response.json())
      equal([response.status, error.code, error.charged], [404, "signal_not_found", false])
      equal(yield* taken, nothing)
    }).pipe(Effect.provide(market())),
)

liveTest(
  "the reference buyer refuses a challenge above its maximum price",
  () =>
    Effect.gen(function* () {
      const tooExpensive = { ...product, price: AtomicAmount.make(1_000_001n) }
      const url = yield* servePaywall(undefined, tooExpensive)
      yield* Effect.promise(() => rejects(pay(url)))
      equal(yield* taken, nothing)
    }).pipe(Effect.provide(market())),
)
