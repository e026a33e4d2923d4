/**
 * The settle-early routes over HTTP with real payments: refusals without a charge, sales, refunds,
 * the lookup of a payment, and transfers larger than the treasury, which stop no sale.
 *
 * @module
 */
import { Effect, Fiber, Layer, Ref, References } from "effect"
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { json, marketTest, once, paidTest, statusOf } from "../../support/http/paidService.ts"
import { faultOf } from "../../support/http/shape.ts"
import { buyer } from "../../support/payments/buyers.ts"
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
import { nonce, terms, token } from "../../support/payments/terms.ts"

const { resolving, whales, research } = products

paidTest(
  "an event with several live markets is a 400 that names them",
  function* ({ productPorts, pay }) {
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
    match(error.message, /Name one of them, such as market-1 or market-2 or market-30$/)
    match(error.hint, /Send it again/)
    equal(yield* taken, nothing)
    strictEqual((yield* pay(research, "?market=Market-1")).status, 200)
  },
)

paidTest("a second buyer gets the stored report, and is charged too", function* ({ pay }) {
  yield* pay(research, "?market=market-1")
  const again = yield* json(yield* pay(research, "?market=market-1", 1))
  strictEqual(again.cached, true)
  strictEqual((yield* taken).received, 2n * research.price)
})

paidTest(
  "a work that fails after settlement is refunded, and the hint names the status path",
  function* (service) {
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
  },
)

paidTest(
  "a lookup of a payment validates the id, and spends the documents' budget",
  function* ({ call }) {
    const unknown = yield* call(`/v1/payments/0x${"0".repeat(64)}`)
    equal([unknown.status, (yield* json(unknown)).error.code], [404, "not_found"])
    match(unknown.headers.get("ratelimit") ?? "", /^"documents";r=119/)
    for (const id of ["", "1/2"]) strictEqual((yield* call(`/v1/payments/${id}`)).status, 404, id)
    for (const id of ["1", `0x${"0".repeat(63)}`, `0x${"g".repeat(64)}`]) {
      const response = yield* call(`/v1/payments/${id}`)
      const { error } = yield* json(response)
      equal([response.status, error.details[0].in], [400, "path"], id)
    }
  },
)

marketTest("a lookup shows the refund's own amount when it is not the price", function* () {
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
})

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
  paidTest(`${how} requests the 402 of x402 version 1`, function* ({ call, pay }) {
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
  })
}

paidTest("any other version value gets the challenge of version 2", function* ({ call }) {
  for (const query of ["", "?x402Version=2", "?x402Version=11", "?ax402Version=1"]) {
    const headers = { "x-402-version": "2" }
    strictEqual((yield* json(yield* call(whales.path + query, { headers }))).x402Version, 2)
  }
})

const usd = 1_000_000n
const sales: ReadonlyArray<readonly [Product, string]> = [
  [resolving, "?withinHours=30"],
  [whales, ""],
  [research, "?market=market-1"],
]

/** Moves money on the chain, without the service. */
const transfer = Effect.fnUntraced(function* (
  { from, to, value, n }: {
    readonly from: string
    readonly to: string
    readonly value: bigint
    readonly n: number
  },
) {
  const ledger = yield* Ledger
  yield* ledger.transfer({
    ...{ asset: token.asset, from: address(from), to: address(to), value, nonce: nonce(n) },
    ...{ transaction: `0x${n.toString(16).padStart(64, "0")}`, blockTime: BigInt(startSeconds) },
  })
})

paidTest(
  "$21 sent to payTo against a treasury of $20: every settle-early product is still sold",
  function* (service) {
    const { scan } = yield* Payments
    const store = yield* PaymentStore
    yield* scan
    const elsewhere = `0x${"99".repeat(20)}`
    yield* transfer({ from: terms.treasury, to: elsewhere, value: playBalance - 20n * usd, n: 900 })
    yield* transfer({ from: buyer(5).address, to: terms.payTo, value: 21n * usd, n: 901 })
    // Refused and released; then its payer uses the nonce for another amount.
    strictEqual((yield* service.pay(research, "?market=nowhere", 7)).status, 404)
    yield* transfer({ from: buyer(0).address, to: terms.payTo, value: 22n * usd, n: 7 })
    yield* passing(30)
    equal([yield* Effect.orDie(scan), yield* store.liability], [2, 0n])
    equal((yield* json(yield* statusOf(service, research, 7))).state, "refund_due")
    for (const [n, [product, query]] of sales.entries()) {
      strictEqual((yield* service.pay(product, query, n)).status, 200, product.path)
    }
  },
)
