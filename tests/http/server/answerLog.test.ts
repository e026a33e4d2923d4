/**
 * The log of failed answers: one line for each that may concern money, with both ids, on every
 * transport; no secret in any line; and a limited number of lines.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, Logger, Metric, Ref, References } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { products } from "../../../src/catalog/domain/product.ts"
import { type FailedAnswer, makeAnswerLog } from "../../../src/http/server/answerLog.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { SimulationOptions } from "../../support/payments/simulated.ts"
import { type Body, effectOf, test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { marketTest, payment } from "../../support/http/paidService.ts"
import { passing } from "../../support/payments/sales.ts"

interface Line {
  readonly message: unknown
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Collects the lines as the service in production prints them. */
const collecting = () => {
  const lines: Array<Line> = []
  const logger = Logger.map(Logger.formatJson, (line) => void lines.push(JSON.parse(line)))
  return { lines, layer: Logger.layer([logger]) }
}

const key = "an-idempotency-key-of-a-buyer"

type Call = (
  path: string,
  headers?: Record<string, string>,
  init?: RequestInit,
) => Effect.Effect<readonly [status: number, lines: ReadonlyArray<Line>, requestId: string | null]>

/** A test of a service with real sales; `call` returns the status and the lines that it caused. */
const logTest = (
  name: string,
  simulation: SimulationOptions,
  body: (call: Call) => ReturnType<Body<Payments>>,
) =>
  marketTest(name, () => {
    const { lines, layer } = collecting()
    return Effect.gen(function* () {
      const payments = Layer.succeed(Payments, yield* Payments)
      const service = yield* makeService(yield* makeWorld(3), payments)
      const call: Call = Effect.fnUntraced(function* (path, headers = {}, init = {}) {
        lines.length = 0
        const fiber = yield* Effect.forkChild(service.get(path, { ...init, headers }))
        yield* passing(5)
        const { status, headers: sent } = yield* Fiber.join(fiber)
        return [status, [...lines], sent.get("x-request-id")] as const
      })
      yield* effectOf(() => body(call))
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(Metric.MetricRegistry, new Map()),
    )
  }, simulation)

const answered = (lines: ReadonlyArray<Line>) =>
  lines.filter(({ message }) => String(message).startsWith("Answered"))

logTest("a failed sale has one line with both ids, and so has what its adapters logged", {
  chainDown: () => true,
}, function* (call) {
  const { idOf } = yield* Payments
  const { header, authorization } = yield* payment(products.latest, 1)
  const requestId = "request-of-a-buyer"
  const [status, lines] = yield* call("/v1/latest", {
    "payment-signature": header,
    "x-request-id": requestId,
    "idempotency-key": key,
  })
  strictEqual(status, 503)
  const paymentId = idOf(authorization)
  equal(answered(lines).map(({ message }) => message), ["Answered 503 payments_unavailable"])
  const { durationMs, ...rest } = answered(lines)[0]?.annotations ?? {}
  equal(rest, {
    ...{ requestId, paymentId, product: "latest", status: 503, code: "payments_unavailable" },
    reason: "Payments cannot be taken at this moment",
  })
  ok(Number.isInteger(durationMs))
  const others = lines.filter((line) => !answered(lines).includes(line))
  ok(others.some(({ message }) => String(message).includes("Cannot read the chain")))
  for (const { message, annotations } of others) {
    equal(
      [annotations["requestId"], annotations["paymentId"], annotations["product"]],
      [requestId, paymentId, "latest"],
      `${message}`,
    )
  }
})

logTest("no line contains the payment header, the signature or the Idempotency-Key", {
  misbehave: () => "html",
  chainDown: () => true,
}, function* (call) {
  const { header } = yield* payment(products.latest, 1)
  const signature = JSON.parse(atob(header)).payload.signature
  const broken = btoa(JSON.stringify({ ...JSON.parse(atob(header)), x402Version: signature }))
  for (const sent of [header, broken, header.slice(1), "x".repeat(9_000), signature]) {
    const headers = { "payment-signature": sent, "idempotency-key": key }
    const [status, lines] = yield* call("/v1/latest?a=1", headers)
    const [, posted] = yield* call(
      "/a2a",
      { ...headers, "content-type": "application/json" },
      {
        method: "POST",
        body: sent,
      },
    )
    ok(status >= 400)
    strictEqual(answered(lines).length, 1, `${status}`)
    const text = JSON.stringify([...lines, ...posted])
    for (
      const secret of [header, signature, signature.slice(2, 90), key, sent.slice(0, 80)]
    ) {
      ok(!text.includes(secret), text)
    }
  }
})

logTest("answers without a payment have no line, unless they are a 5xx", {}, function* (call) {
  for (const path of ["/v1/latest", "/nowhere", "/v1/payments/0x", "/v1/index"]) {
    const [, lines] = yield* call(path)
    equal(lines, [], path)
  }
  for (let n = 0; n < 8; n++) yield* call("/v1/index")
  const [status, lines] = yield* call("/v1/index")
  equal([status, lines], [429, []])
})

logTest("a sale that succeeds has no line, and its durations are metrics", {}, function* (call) {
  const { header } = yield* payment(products.latest, 1)
  const [status, lines] = yield* call("/v1/latest", { "payment-signature": header })
  equal([status, lines], [200, []])
  const text = yield* PrometheusMetrics.format()
  match(text, /^sale_seconds_count\{product="latest",outcome="charged"\} 1$/m)
  match(text, /^sale_compute_seconds_count\{product="latest",outcome="computed"\} 1$/m)
})

const refused: FailedAnswer = {
  ...{ requestId: "one", paymentId: null, product: null, status: 503, code: "overloaded" },
  ...{ reason: "The service cannot answer now", durationMs: 1 },
}

test("a second has at most 20 lines, and the rest is counted", () =>
  Effect.gen(function* () {
    const { lines, layer } = collecting()
    yield* Effect.gen(function* () {
      const log = yield* makeAnswerLog
      for (let n = 0; n < 100; n++) log(refused)
      yield* TestClock.adjust("1 second")
      equal([answered(lines).length, lines.length], [20, 21])
      strictEqual(lines.at(-1)?.message, "80 failed answers have no log line: there were too many")
      log(refused)
      yield* TestClock.adjust("1 second")
      equal(lines.length, 22)
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

test("a reason with what may be a signature or a header loses it, and is cut", function* () {
  const { lines, layer } = collecting()
  yield* Effect.gen(function* () {
    const log = yield* makeAnswerLog
    const id = `0x${"a1".repeat(32)}`
    log({ ...refused, reason: `bad ${"b2".repeat(65)} of ${id}` })
    log({ ...refused, reason: "too long, ".repeat(100) })
    yield* TestClock.adjust("1 millis")
    const reasons = lines.map(({ annotations }) => String(annotations["reason"]))
    strictEqual(reasons[0], `bad [removed] of ${id}`)
    strictEqual(reasons[1]?.length, 200)
  }).pipe(Effect.provide(layer))
})

test("a 4xx is Info and a 5xx is Warn", function* () {
  const { lines, layer } = collecting()
  yield* Effect.gen(function* () {
    const log = yield* makeAnswerLog
    const level = yield* Ref.make("")
    for (const status of [402, 409, 500, 503]) log({ ...refused, status })
    yield* TestClock.adjust("1 millis")
    yield* Ref.set(level, lines.map(({ level }) => level.toLowerCase()).join())
    equal(yield* Ref.get(level), "info,info,warn,warn")
  }).pipe(Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, "Info"))
})
