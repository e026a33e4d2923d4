/**
 * The test triggers: what a buyer gets that sends the same payment under the same key until it is
 * answered, what was taken from it, and that real payments refuse the header.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Context, Effect, Fiber, Layer, References } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { testHeader, testSlugOf } from "../../../src/core/testCall.ts"
import type { Site } from "../../../src/http/site.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { layer, triggers } from "../../../src/payments/simulated/triggers.ts"
import { test } from "../../support/effect.ts"
import { signed } from "../../support/http/a2aService.ts"
import { makeService, serviceOptions } from "../../support/http/httpService.ts"
import { stockedWorld } from "../../support/http/servedService.ts"
import { inMarket, nothing, passing, taken } from "../../support/payments/sales.ts"
import { headerOf } from "../../support/payments/terms.ts"

const simulated: Site = { ...serviceOptions, testTriggers: triggers }

const key = { "idempotency-key": "one-key-for-one-purchase" }
const secondsMax = 40

/** A service on a simulated chain, with the triggers where payments are simulated. */
const serviceWith = Effect.fnUntraced(function* (options: Site) {
  const payments = Layer.succeed(Payments, yield* Payments)
  const sold = options.testTriggers === undefined ? payments : Layer.provide(layer, payments)
  const built = Context.get(yield* Layer.build(sold), Payments)
  return yield* makeService(yield* stockedWorld(), Layer.succeed(Payments, built), options)
})
type Service = Effect.Success<ReturnType<typeof serviceWith>>

/** What a call returned, in one line; `late` when it took too long, `closed` without a whole body. */
const outcomeOf = Effect.fnUntraced(function* (
  service: Service,
  target: string,
  headers: Readonly<Record<string, string>>,
) {
  const call = yield* Effect.forkChild(service.get(target, { headers }))
  for (let n = 0; n < secondsMax && call.pollUnsafe() === undefined; n++) yield* passing(1)
  if (call.pollUnsafe() === undefined) {
    yield* Fiber.interrupt(call)
    return "late"
  }
  const response = yield* Fiber.join(call)
  const text = yield* Effect.promise(() => response.text().catch(() => null))
  if (text === null) return "closed"
  const { error } = JSON.parse(text)
  if (response.status === 200) {
    return response.headers.has("idempotent-replayed") ? "answer again" : "answer"
  }
  const refund = error?.refund === undefined ? "" : ", refund"
  return response.status === 402
    ? `402 ${error.split(/[,:]/)[0]}`
    : `${response.status} ${error.code}, charged: ${error.charged}${refund}`
})

/** Two calls with one payment and one key, 30 seconds apart, and whether the price was taken. */
const boughtTwice = Effect.fnUntraced(
  function* (product: Product, target: string, headers: Readonly<Record<string, string>>) {
    const service = yield* serviceWith(simulated)
    const payment = { "payment-signature": headerOf(yield* signed(product)), ...key, ...headers }
    const first = yield* outcomeOf(service, target, payment)
    yield* passing(30)
    const second = yield* outcomeOf(service, target, payment)
    const { spent } = yield* taken
    ok(spent === 0n || spent === product.price)
    return [first, second, spent > 0n ? "taken" : "not taken"]
  },
)

const refused = "402 The facilitator refuses the payment"
const notSettled = "402 The authorization has expired or was spent elsewhere"
const unknown = "503 settlement_unresolved, charged: null"
const failed = "504 upstream_timeout, charged: true, refund"
const refunded = "410 payment_refunded, charged: true, refund"

/** For each trigger, the two answers and the money: compute-first, then settle-early. */
const expected: Readonly<Record<string, readonly [ReadonlyArray<string>, ReadonlyArray<string>]>> =
  {
    "fails-after-settlement": [
      ["504 upstream_timeout, charged: false", "answer", "taken"],
      [failed, refunded, "taken"],
    ],
    "data-stale": same("503 data_stale, charged: false", "answer", "taken"),
    "settlement-unknown-taken": [
      [unknown, "answer again", "taken"],
      [unknown, "answer", "taken"],
    ],
    "settlement-unknown-not-taken": same(unknown, notSettled, "not taken"),
    "answer-late": same("late", "answer again", "taken"),
    "connection-closed": same("closed", "answer again", "taken"),
    "internal-error": same("500 internal_error, charged: null", "answer again", "taken"),
    "payment-refused": same(refused, "answer", "taken"),
    "facilitator-down": same("502 facilitator_error, charged: false", "answer", "taken"),
    "rate-limited": same("429 rate_limited, charged: false", "answer", "taken"),
    "overloaded": same("503 overloaded, charged: false", "answer", "taken"),
  }

function same(...outcome: ReadonlyArray<string>) {
  return [outcome, outcome] as const
}

for (const trigger of triggers) {
  const { name } = trigger
  const run = <E, R>(body: Effect.Effect<void, E, R>) =>
    body.pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  const header = { [testHeader]: name }

  test(`${name}: the header acts once on a compute-first and on a settle-early product`, () =>
    run(Effect.gen(function* () {
      const { latest, resolving } = products
      const [computeFirst, settleEarly] = expected[name] ?? []
      equal(yield* inMarket(boughtTwice(latest, latest.path, header)), computeFirst)
      equal(yield* inMarket(boughtTwice(resolving, resolving.path, header)), settleEarly)
    })))

  test(`${name}: its market acts as the header, and then returns the sample`, () =>
    run(Effect.gen(function* () {
      const { research } = products
      const target = `${research.path}?market=${testSlugOf(trigger)}`
      equal(yield* inMarket(boughtTwice(research, target, {})), expected[name]?.[1])
    })))
}

const bodyOf = (response: Response) => Effect.promise(() => response.json())

test("with real payments the header is refused before the payment is read, over every transport", () =>
  inMarket(Effect.gen(function* () {
    const service = yield* serviceWith(serviceOptions)
    const headers = {
      "payment-signature": headerOf(yield* signed(products.latest)),
      [testHeader]: "overloaded",
    }
    const rpc = { method: "POST", headers: { ...headers, "content-type": "application/json" } }
    const answers = [
      (yield* bodyOf(yield* service.get(products.latest.path, { headers }))).error,
      (yield* bodyOf(yield* service.get("/a2a", rpc))).error.data,
      (yield* bodyOf(yield* service.get("/mcp", rpc))).error.data,
    ]
    for (const error of answers) {
      equal([error.code, error.status, error.charged], ["invalid_parameter", 400, false])
      match(error.message, /payments are real here/)
    }
    equal(yield* taken, nothing)
  })))

test("with real payments the reserved markets are unknown markets", () =>
  inMarket(Effect.gen(function* () {
    const service = yield* serviceWith(serviceOptions)
    const headers = { "payment-signature": headerOf(yield* signed(products.research)) }
    const target = `${products.research.path}?market=test-overloaded`
    match(yield* outcomeOf(service, target, headers), /^404 market_not_found, charged: false/)
    equal(yield* taken, nothing)
  })))

test("an unknown trigger is refused with the list of triggers", () =>
  inMarket(Effect.gen(function* () {
    const service = yield* serviceWith(simulated)
    const headers = { [testHeader]: "nonsense" }
    const { error } = yield* bodyOf(yield* service.get(products.latest.path, { headers }))
    strictEqual(error.code, "invalid_parameter")
    match(error.details[0].message, /fails-after-settlement, data-stale/)
  })))

test("/llms-full.txt has the table with simulated payments only", () =>
  inMarket(Effect.gen(function* () {
    const text = Effect.fnUntraced(function* (options: Site) {
      const response = yield* (yield* serviceWith(options)).get("/llms-full.txt")
      return yield* Effect.promise(() => response.text())
    })
    const full = yield* text(simulated)
    for (const { name, happens, end } of triggers) {
      ok(full.includes(`| \`${name}\` | ${happens} | ${end} |`), name)
    }
    ok(!(yield* text(serviceOptions)).includes(testHeader))
  })))
