/**
 * Unmodified clients of MCP against the whole face on a real socket, with payments that are really
 * signed and settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Effect, Layer, Ref } from "effect"
import { Ledger, playBalance } from "../../src/adapters/simulation/ledger.ts"
import { address } from "../../src/domain/payment.ts"
import { products } from "../../src/domain/product.ts"
import { skills } from "../../src/domain/skill.ts"
import { Payments } from "../../src/services/Payments.ts"
import { buyer } from "../support/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { makeFace, makeWorld, type World } from "../support/face.ts"
import { clientKinds, connect, payFor } from "../support/mcp.ts"
import { bookOf, endingMarket, pricesOver, whaleRow } from "../support/products.ts"
import { market } from "../support/sales.ts"

const stocked = Effect.gen(function* () {
  const world = yield* makeWorld(3)
  const now = yield* Clock.currentTimeMillis
  const { markets, books, series, whales } = world.shelf
  const sold = endingMarket(1, now)
  yield* Ref.set(markets, [sold])
  yield* Ref.set(books, [bookOf(sold, now)])
  yield* Ref.set(series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  yield* Ref.set(whales, [{ computedAt: now, row: whaleRow() }])
  return world
})

/** A replica of the service on a port of its own, for as long as the scope lives. */
const serve = Effect.fnUntraced(function* (world: World, payments: Payments["Service"]) {
  const face = yield* makeFace(world, Layer.succeed(Payments, payments))
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, face.handle)
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}`
})

const shop = Effect.gen(function* () {
  return yield* serve(yield* stocked, yield* Payments)
})

/** What a buyer has spent of its play money. */
const spent = (payer = 0) =>
  Effect.map(
    Effect.flatMap(Ledger, (ledger) => ledger.balance(address(buyer(payer).address))),
    (balance) => playBalance - balance,
  )

const json = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => await (await fetch(url, init)).json())

const paid = (meta: Record<string, unknown>) => ({ "x402/payment": meta })
for (const kind of clientKinds) {
  liveTest(
    `client ${kind} lists the tools, reads a free one, is told the terms and buys`,
    () =>
      Effect.gen(function* () {
        const base = yield* shop
        const client = yield* connect(kind, `${base}/mcp`)
        const { tools, call } = client
        const listed = yield* Effect.promise(tools)
        equal(listed.map(({ name }) => name), skills.map(({ name }) => name))

        const free = yield* Effect.promise(() => call("get_index"))
        equal(free.structuredContent, yield* json(`${base}/v1/index`))
        equal(JSON.parse(free.content[0]?.text ?? ""), free.structuredContent)

        const terms = yield* Effect.promise(() => call("get_signals", { count: 2 }))
        strictEqual(terms.isError, true)
        equal(JSON.parse(terms.content[0]?.text ?? ""), terms.structuredContent)
        strictEqual(yield* spent(), 0n)

        const payment = yield* payFor(terms)
        const bought = yield* Effect.promise(() => call("get_signals", { count: 2 }, paid(payment)))
        ok(bought.isError !== true, JSON.stringify(bought))
        equal([bought.structuredContent?.["count"], bought.structuredContent?.["charged"]], [
          2,
          true,
        ])
        const receipt = bought._meta?.["x402/payment-response"] as Record<string, unknown>
        equal([receipt["success"], receipt["payer"]], [true, buyer(0).address.toLowerCase()])
        strictEqual(yield* spent(), products.signals.price as bigint)
      }).pipe(Effect.provide(market())),
  )
}
