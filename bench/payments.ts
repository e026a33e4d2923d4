/**
 * Paid answers a second: signature checked, claimed, verified, settled, proved and answered durably.
 *
 * Run: DATABASE_URL=postgres://… deno run -A bench/payments.ts   (the embedded store in memory without)
 *
 * @module
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { layerEmbedded, layerPostgres } from "../src/postgres/client.ts"
import { migrate, migrationFiles } from "../src/postgres/migrate.ts"
import { layer as paymentStore } from "../src/payments/postgres/paymentStore.ts"
import { layer as signatures } from "../src/payments/wasmSignatures.ts"
import { layer as simulated } from "../src/payments/simulated/facilitator.ts"
import { products } from "../src/catalog/domain/product.ts"
import { Bytes32 } from "../src/payments/domain/payment.ts"
import { Payments } from "../src/payments/Payments.ts"
import { buyer, payloadOf, sign } from "../tests/support/payments/buyers.ts"
import { authorizationFor, terms } from "../tests/support/payments/terms.ts"

const sales = 2_000
const concurrency = 16
const url = Deno.env.get("DATABASE_URL")

const client = url === undefined
  ? layerEmbedded({ memory: true })
  : layerPostgres({ url: Redacted.make(url), maxConnections: concurrency })
const store = Layer.provideMerge(
  Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate)),
  client,
)
const ports = Layer.merge(paymentStore, simulated).pipe(Layer.provideMerge(signatures))
const shop = Payments.layer({ terms }).pipe(Layer.provide(ports), Layer.provide(store))

const body = new TextEncoder().encode(JSON.stringify({ data: "x".repeat(1_000) }))
const product = products.latest

const program = Effect.gen(function* () {
  const { sell, sent } = yield* Payments
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const payments = yield* Effect.forEach(Array.from({ length: sales }), (_, n) => {
    const account = buyer(n % 50)
    const nonce = Bytes32.make(`0x${crypto.randomUUID().replaceAll("-", "").padStart(64, "0")}`)
    const authorization = authorizationFor(account, product, now, { nonce })
    return Effect.map(
      sign(account, authorization),
      (signature) => payloadOf(authorization, signature),
    )
  })
  const start = performance.now()
  yield* Effect.forEach(payments, (payment) =>
    sell(
      { product, request: "latest?[]", payment, validityFault: null, secret: null },
      { check: Effect.void, compute: Effect.succeed({ body, charge: true }) },
    ).pipe(Effect.flatMap(sent)), { concurrency, discard: true })
  const seconds = (performance.now() - start) / 1_000
  yield* Effect.log(`${Math.round(sales / seconds)} paid answers/s, ${concurrency} at a time`)
})

await Effect.runPromise(Effect.provide(program, shop))
