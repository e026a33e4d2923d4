/**
 * The payment ports of both processes: live settings never use the simulation, and a shorter lease
 * gives shorter steps.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { BadApiKey } from "../../src/payments/facilitator/bearerToken.ts"
import { paymentPorts } from "../../src/app/paymentPorts.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { scaledTiming } from "../../src/payments/timing.ts"
import type { LivePayments } from "../../src/app/moneySettings.ts"
import { loadService } from "../../src/app/settings.ts"
import { law, test } from "../support/effect.ts"
import { embeddedStore } from "../support/stores.ts"

type ApiKey = LivePayments["facilitator"]["apiKey"]

const live = (apiKey: ApiKey): LivePayments => ({
  kind: "live",
  facilitator: { urls: ["https://facilitator.example"], apiKey },
  rpcUrls: Redacted.make(["http://127.0.0.1:1"]),
  rehearsal: true,
})

const facilitatorOf = Effect.fnUntraced(function* (payments: LivePayments | null) {
  const settings = yield* loadService("dev", () => undefined)
  const ports = paymentPorts(payments === null ? settings : { ...settings, payments }, {})
  return Context.get(yield* Layer.build(Layer.provide(ports, embeddedStore)), Facilitator)
})

test("paymentPorts() uses the configured facilitator for live payments, and none for simulated ones", () =>
  Effect.gen(function* () {
    equal((yield* facilitatorOf(live(null))).name, "https://facilitator.example")
    ok(!(yield* facilitatorOf(null)).name.includes("://"))
  }))

test("paymentPorts() uses several facilitators in their order", () =>
  Effect.gen(function* () {
    const urls = ["https://facilitator.example", "https://other.example"]
    const two = { ...live(null), facilitator: { urls, apiKey: null } }
    equal((yield* facilitatorOf(two)).name, urls.join(", "))
  }))

test("paymentPorts() fails with BadApiKey for an invalid API key", () =>
  Effect.gen(function* () {
    const key = { id: "key", secret: Redacted.make("hunter2") }
    ok((yield* Effect.flip(facilitatorOf(live(key)))) instanceof BadApiKey)
  }))

const sum = (steps: ReadonlyArray<Duration.Duration>) =>
  steps.reduce((total, step) => total + Duration.toMillis(step), 0)

law(
  "scaledTiming() keeps the steps of a payment within the lease",
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 600_000 }))),
  (leaseMs) => {
    const lease = Duration.millis(leaseMs)
    const timing = scaledTiming({ lease, answerWindow: lease })
    const { verifyTimeout, workTimeout, settleTimeout, proveTimeout, paidWorkTimeout } = timing
    const steps = sum([verifyTimeout, workTimeout, settleTimeout, proveTimeout])
    return steps <= leaseMs && sum([paidWorkTimeout]) <= leaseMs
  },
)
