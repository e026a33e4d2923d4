/**
 * Requests of many clients at once, over the whole app: the places, and when an answer is delivered.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Context, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../../src/catalog/domain/product.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { pendingMax } from "../../../src/http/server/middleware.ts"
import { second } from "../../../src/core/domain/time.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { eventLoopTurn, test } from "../../support/effect.ts"
import {
  acceptingPayments,
  makeService,
  makeWorld,
  paymentFor,
} from "../../support/http/httpService.ts"

const peer = (hostname: string) => ({
  remoteAddr: { transport: "tcp", hostname, port: 1 } satisfies Deno.NetAddr,
})
/** The n-th of many clients. */
const client = (n: number) => peer(`10.0.${n >> 8}.${n & 255}`)
const url = `http://any.host${products.latest.path}`

/** The service over payments of which some functions are replaced. */
const serviceWith = Effect.fnUntraced(function* (replaced: Partial<Payments["Service"]>) {
  yield* TestClock.setTime(startSeconds * second)
  const payments = Context.get(yield* Layer.build(acceptingPayments), Payments)
  return yield* makeService(
    yield* makeWorld(3),
    Layer.succeed(Payments, { ...payments, ...replaced }),
  )
})

test("a payment or a post above the pending limit gets charged null, and is not handled", () =>
  Effect.gen(function* () {
    let handled = 0
    const { handle } = yield* serviceWith({
      sell: () => Effect.andThen(Effect.sync(() => handled++), Effect.never),
    })
    const headers = { "payment-signature": yield* paymentFor(products.latest) }
    for (let n = 0; n < pendingMax; n++) void handle(new Request(url, { headers }), client(n))
    yield* eventLoopTurn
    equal(handled, pendingMax)
    const get = new Request(url, { headers })
    const post = new Request("http://any.host/mcp", { method: "POST", body: "{}" })
    for (const request of [get, post]) {
      const response = yield* Effect.promise(async () => await handle(request, peer("127.0.0.1")))
      const { error } = yield* Effect.promise(() => response.json())
      const { code, charged } = error.data ?? error
      equal([response.status, code, charged], [503, "overloaded", null])
    }
    equal(handled, pendingMax)
  }))

for (const isGone of [false, true]) {
  test(
    isGone
      ? "an answer does not count as delivered when its client has disconnected"
      : "an answer counts as delivered when it has been sent, not before",
    () =>
      Effect.gen(function* () {
        const events: Array<string> = []
        const delivered = yield* Deferred.make<void>()
        const { handle } = yield* serviceWith({
          sent: () =>
            Effect.andThen(
              Effect.sync(() => events.push("delivered")),
              Deferred.succeed(delivered, undefined),
            ),
        })
        const headers = { "payment-signature": yield* paymentFor(products.latest) }
        const client = new AbortController()
        const sent = Promise.withResolvers<void>()
        const request = new Request(url, { headers, signal: client.signal })
        const response = yield* Effect.promise(async () =>
          await handle(request, { ...peer("127.0.0.1"), completed: sent.promise })
        )
        strictEqual(response.status, 200)
        yield* eventLoopTurn
        events.push("answered")
        if (isGone) client.abort()
        sent.resolve()
        if (!isGone) yield* Deferred.await(delivered)
        yield* eventLoopTurn
        equal(events, isGone ? ["answered"] : ["answered", "delivered"])
      }),
  )
}
