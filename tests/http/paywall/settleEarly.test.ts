/**
 * The settle-early routes over HTTP with real payments: refusals without a charge, sales, refunds,
 * and the lookup of a payment.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, Ref, References } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { json, once, withPaidService } from "../../support/http/paidService.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import {
  answering,
  buying,
  inMarket,
  nothing,
  passing,
  purchase,
  rowOf,
  startSeconds,
  taken,
  useNonce,
  workOf,
} from "../../support/payments/sales.ts"
import { faultOf } from "../../support/http/shape.ts"

const { whales, research } = products

test("an event with several live markets is a 400 that names them", () =>
  withPaidService(Effect.fnUntraced(function* ({ productPorts, pay }) {
    yield* Ref.update(
      productPorts.markets,
      (all) => all.map((row) => ({ ...row, eventSlug: "cup" })),
    )
    const response = yield* pay(research, "?market=cup")
    const { error } = yield* json(response)
    equal([response.status, error.charged], [400, false])
    equal(error.details.map(({ message }: { message: string }) => message), [
      "market-1",
      "market-2",
      "market-30",
    ])
    match(error.hint, /Send it again/)
    equal(yield* taken, nothing)
    strictEqual((yield* pay(research, "?market=Market-1")).status, 200)
  })))

test("a second buyer gets the stored report, and is charged too", () =>
  withPaidService(Effect.fnUntraced(function* ({ pay }) {
    yield* pay(research, "?market=market-1")
    const again = yield* json(yield* pay(research, "?market=market-1", 1))
    strictEqual(again.cached, true)
    strictEqual((yield* taken).received, 2n * research.price)
  })))

test("a work that fails after settlement is refunded, and the hint names the status path", () =>
  withPaidService(Effect.fnUntraced(function* (service) {
    yield* Ref.set(service.productPorts.entriesUp, false)
    const response = yield* service.pay(research, "?market=market-1")
    const { error } = yield* json(response)
    equal([response.status, error.code, error.charged], [503, "data_stale", true])
    ok(error.hint.includes(`/v1/payments/${error.refund.id} `), error.hint)
    const to = buyer(0).address.toLowerCase()
    equal([error.refund.state, error.refund.amountUsd, error.refund.to], ["queued", "1.00", to])
    equal(yield* taken, once(research))

    const status = yield* service.call(
      `/v1/payments/${error.refund.id.toUpperCase().replace("X", "x")}`,
    )
    equal([status.status, status.headers.get("cache-control")], [200, "no-store"])
    const { transaction, ...rest } = yield* json(status)
    match(transaction, /^0x[0-9a-f]{64}$/)
    equal(error.refund.paymentTransaction, transaction)
    equal(rest, {
      success: true,
      paymentId: error.refund.id,
      state: "refund_due",
      product: "research",
      amountUsd: "1.00",
      payer: to,
      refund: { state: "queued", transaction: null, amountUsd: "1.00", to },
      receipt: null,
    })
    const again = yield* service.pay(research, "?market=market-1")
    const repeated = (yield* json(again)).error
    equal([again.status, repeated.refund.id, repeated.hint], [410, error.refund.id, error.hint])
    for (const { headers } of [response, again]) {
      equal([headers.get("payment-transaction"), headers.get("refund-id")], [
        transaction,
        error.refund.id,
      ])
    }
  })))

test("a lookup of a payment validates the id, and spends the documents' budget", () =>
  withPaidService(Effect.fnUntraced(function* ({ call }) {
    const unknown = yield* call(`/v1/payments/0x${"0".repeat(64)}`)
    equal([unknown.status, (yield* json(unknown)).error.code], [404, "not_found"])
    match(unknown.headers.get("ratelimit") ?? "", /^"documents";r=119/)
    for (
      const id of ["", "1", `0x${"0".repeat(63)}`, `0x${"0".repeat(64)}/x`, `0x${"g".repeat(64)}`]
    ) {
      const response = yield* call(`/v1/payments/${id}`)
      const { error } = yield* json(response)
      equal([response.status, error.details[0].in], [400, "path"], id)
    }
  })))

test("a lookup shows the refund's own amount when it is not the price", () =>
  inMarket(
    Effect.gen(function* () {
      const payments = yield* Payments
      yield* payments.scan
      const sale = yield* purchase()
      const { price } = sale.product
      yield* buying(sale, workOf(answering("nothing", false)))
      yield* useNonce(sale, price - 1n, BigInt(startSeconds + 5))
      yield* passing(60)
      yield* payments.scan
      const service = yield* makeService(yield* makeWorld(1), Layer.succeed(Payments, payments))
      const lookup = yield* Effect.forkChild(
        service.get(`/v1/payments/${(yield* rowOf(sale))?.paymentId}`),
      )
      yield* passing(2)
      const { amountUsd, refund } = yield* json(yield* Fiber.join(lookup))
      equal([amountUsd, refund.amountUsd], ["0.01", "0.009999"])
    }).pipe(Effect.scoped),
  ))

for (
  const [what, status] of [
    ["fails", Effect.die("the store is down")],
    ["hangs", Effect.never],
  ] as const
) {
  test(`a lookup of a payment is a 503 while the store ${what}`, () =>
    inMarket(
      Effect.gen(function* () {
        const payments = { ...yield* Payments, status: () => status }
        const service = yield* makeService(yield* makeWorld(1), Layer.succeed(Payments, payments))
        const path = `/v1/payments/0x${"0".repeat(64)}`
        const lookup = yield* Effect.forkChild(service.get(path))
        yield* passing(2)
        const response = yield* Fiber.join(lookup)
        strictEqual(yield* faultOf(path, "GET", response), null)
        equal([response.status, (yield* json(response)).error.code], [503, "overloaded"])
      }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
    ))
}

for (
  const [how, query, headers] of [
    ["?x402Version=1", "?x402Version=1", {}],
    ["X-402-Version", "", { "x-402-version": "1" }],
  ] as const
) {
  test(`${how} requests the 402 of x402 version 1`, () =>
    withPaidService(Effect.fnUntraced(function* ({ call, pay }) {
      for (const product of Object.values(products)) {
        const response = yield* call(product.path + query, { headers })
        const { x402Version, accepts: [accepted] } = yield* json(response)
        equal([response.status, x402Version], [402, 1])
        equal([accepted.network, accepted.maxAmountRequired], ["base", `${product.price}`])
        ok(response.headers.has("payment-required"))
      }
      const refused = yield* call(products.latest.path + query, {
        headers: { ...headers, "x-payment": "rubbish" },
      })
      const { x402Version, error } = yield* json(refused)
      equal([refused.status, x402Version], [402, 1])
      match(error, /base64/)
      const sold = yield* pay(whales, query)
      strictEqual(sold.status, 200)
    })))
}

test("any other version value gets the challenge of version 2", () =>
  withPaidService(Effect.fnUntraced(function* ({ call }) {
    for (const query of ["", "?x402Version=2", "?x402Version=11", "?ax402Version=1"]) {
      const headers = { "x-402-version": "2" }
      strictEqual((yield* json(yield* call(whales.path + query, { headers }))).x402Version, 2)
    }
  })))
