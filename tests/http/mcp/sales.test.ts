/**
 * The price and the rate limit of a tool call: the same as over HTTP, with the same errors.
 *
 * @module
 */
import { deepStrictEqual as equal, fail, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Ref, Result } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { NotCharged, RefundQueued, Unresolved } from "../../../src/payments/domain/failedSale.ts"
import { type FreeSkill, skillName, skills } from "../../../src/catalog/domain/skill.ts"
import { paymentRequired } from "../../../src/payments/domain/x402/challenge.ts"
import { second } from "../../../src/core/domain/time.ts"
import { answer } from "../../../src/http/server/answer.ts"
import { resend, resendRule } from "../../../src/catalog/domain/refusal.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { callTool } from "../../../src/http/mcp/tools.ts"
import type { SkillPorts } from "../../../src/http/skills.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { test } from "../../support/effect.ts"
import { paymentFor } from "../../support/http/httpService.ts"
import { currentRequest, earlierRequest, openMcp, type ToolResult } from "../../support/http/mcp.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { terms } from "../../support/payments/terms.ts"
import { unlimited } from "../../support/memoryRateLimits.ts"

type Json = Record<string, unknown>

const open = (payments?: Layer.Layer<Payments>) =>
  Effect.andThen(TestClock.setTime(startSeconds * second), openMcp(payments))

/** The `_meta` with a payment for a product. */
const paymentOf = Effect.fnUntraced(function* (product: Product, n = 0) {
  const header = yield* paymentFor(product, n)
  return { "x402/payment": JSON.parse(Result.getOrThrow(Base64.decodeString(header))) }
})

const errorOf = ({ structuredContent }: ToolResult) => Object(structuredContent?.["error"]) as Json

for (const skill of skills.filter((skill): skill is FreeSkill => skill.kind === "free")) {
  test(`${skill.name} returns the body of ${skill.path}`, function* () {
    const { call, get } = yield* open()
    const response = yield* get(skill.path)
    const body = yield* Effect.promise(() => response.text())
    const { isError, structuredContent, content } = yield* call(skill.name)
    equal([isError, structuredContent], [undefined, JSON.parse(body)])
    equal(content, [{ type: "text", text: body }])
  })
}

test("free tools spend the budget of the free paths, and return what is left of it", function* () {
  const { post, get } = yield* open()
  const free = currentRequest("tools/call", { name: "get_index" })
  for (const left of [4, 3]) {
    const { headers } = yield* post(free)
    match(headers.get("ratelimit") ?? "", new RegExp(`"free";r=${left};`))
    strictEqual(headers.get("ratelimit-policy"), '"free";q=5;w=60')
  }
  strictEqual((yield* get("/v1/pulse")).status, 200)
  strictEqual((yield* post(earlierRequest("tools/call", { name: "get_pulse" }))).status, 200)
  strictEqual((yield* get("/v1/index")).status, 200)
  strictEqual((yield* get("/v1/index")).status, 429)
})

test("over the free budget a tool says how long to wait, as a result and without HTTP 429", function* () {
  const { post, world } = yield* open()
  const free = currentRequest("tools/call", { name: "get_index" })
  yield* Effect.replicateEffect(post(free), 5)
  yield* TestClock.adjust("38 seconds")
  const before = yield* Ref.get(world.limitCalls)
  for (const init of [free, earlierRequest("tools/call", { name: "get_pulse" })]) {
    const { status, headers, body } = yield* post(init)
    equal([status, headers.get("ratelimit")], [200, '"free";r=0;t=22'])
    const result = Object(body["result"]) as ToolResult
    const { code, charged, retryAfterSeconds } = errorOf(result)
    equal([result.isError, code, charged, retryAfterSeconds], [true, "rate_limited", false, 22])
    match(result.content[0]?.text ?? "", /wait 22 s\. Paid and answered calls are not limited\./)
  }
  strictEqual(yield* Ref.get(world.limitCalls), before, "a flood costs no store call")
  const meta = yield* paymentOf(products.latest)
  const paid = yield* post(currentRequest("tools/call", { name: "get_latest" }, { meta }))
  strictEqual(Object(paid.body["result"]).isError, undefined)
})

test("over the documents' budget a client can connect and list, and an unpaid call is a result", function* () {
  const { post } = yield* open()
  const unpaid = currentRequest("tools/call", { name: "get_signals" })
  yield* Effect.replicateEffect(post(unpaid), 120)
  const { status, headers, body } = yield* post(unpaid)
  equal([status, headers.get("ratelimit")], [200, '"documents";r=0;t=60'])
  equal(errorOf(Object(body["result"]))["code"], "rate_limited")
  const clientInfo = { name: "a-test", version: "1.0.0" }
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
  for (
    const init of [
      earlierRequest("initialize", params),
      earlierRequest("notifications/initialized", {}, { id: undefined }),
      earlierRequest("ping"),
      earlierRequest("tools/list"),
      currentRequest("server/discover"),
      currentRequest("tools/list"),
    ]
  ) ok((yield* post(init)).status < 300, String(init.body))
  strictEqual((yield* post(currentRequest("prompts/frobnicate"))).status, 429)
  yield* Effect.replicateEffect(post(currentRequest("tools/list")), 1_194)
  const refused = yield* post(currentRequest("tools/list"))
  equal([refused.status, Object(refused.body["error"]).code], [429, -32000])
})

test("a free tool whose route answers an error returns isError", function* () {
  const health = skills.find((skill): skill is FreeSkill => skill.name === "get_health")
  const { result } = yield* callTool(
    {
      free: {
        health: {
          limiter: unlimited,
          current: () => Effect.succeed(answer({ body: "{}", status: 503, cache: "none" })),
        },
      },
    } as unknown as SkillPorts,
    health ?? fail(),
    { args: {}, payment: null, idempotencyKey: null },
  )
  equal([result.isError, result.structuredContent], [true, {}])
})

test("any request without a payment, except a free call, spends the documents' budget", function* () {
  const { post, get } = yield* open()
  const unpaid = { name: "get_signals" }
  const mismatched = { headers: { "mcp-name": "get_pulse" } }
  const all = [
    currentRequest("tools/call", unpaid),
    earlierRequest("tools/call", unpaid),
    currentRequest("tools/call", unpaid, { meta: { "x402/payment": null } }),
    earlierRequest("tools/call", { name: "get_rich" }),
    currentRequest("prompts/frobnicate"),
    currentRequest("tools/call", { name: "get_index" }, mismatched),
  ]
  for (const [at, init] of all.entries()) {
    const { headers } = yield* post(init)
    match(headers.get("ratelimit") ?? "", new RegExp(`"documents";r=${119 - at};`))
  }
  match((yield* get("/v1/index")).headers.get("ratelimit") ?? "", /"free";r=4;/)
})

test("a call with a payment spends no budget, unless the request is invalid", function* () {
  const { post } = yield* open()
  const meta = yield* paymentOf(products.signals)
  const paid = yield* post(currentRequest("tools/call", { name: "get_signals" }, { meta }))
  equal([paid.status, paid.headers.get("ratelimit")], [200, null])
  const headers = { "mcp-name": "get_pulse" }
  const invalid = yield* post(
    currentRequest("tools/call", { name: "get_signals" }, { meta, headers }),
  )
  match(invalid.headers.get("ratelimit") ?? "", /"documents";r=119;/)
})

test("while the store is down a free call is an error result and is not charged", function* () {
  const { post, world } = yield* open()
  yield* Ref.set(world.storeUp, false)
  const { status, body } = yield* post(currentRequest("tools/call", { name: "get_index" }))
  const { code, charged } = errorOf(Object(body["result"]))
  equal([status, code, charged], [200, "overloaded", false])
})

for (const product of Object.values(products)) {
  test(`${skillName(product)} without a payment returns its PaymentRequired of x402`, function* () {
    const { call } = yield* open()
    // The price of a wrong call says what is wrong (../misspelt.test.ts).
    const args = exampleOf(product.parameters)
    for (const meta of [{}, { "x402/payment": null }]) {
      const { isError, structuredContent, content, _meta } = yield* call(
        skillName(product),
        args,
        meta,
      )
      const required = paymentRequired(product, terms, { resource: "mcp" })
      const { "offer-receipt": signed, ...extensions } = Object(structuredContent?.["extensions"])
      equal(
        [isError, { ...structuredContent, extensions }],
        [true, JSON.parse(JSON.stringify(required))],
      )
      equal(signed.info.offers.length, 1)
      const [json = "", sentence] = content.map(({ text }) => text ?? "")
      equal(JSON.parse(json), structuredContent)
      equal(_meta?.["x402/error"], structuredContent)
      ok(sentence?.startsWith(`${skillName(product)} costs $${usd(product.price)} in USDC`))
      for (
        const named of ["structuredContent", '_meta["x402/payment"]', "get_index", resendRule]
      ) {
        ok(sentence?.includes(named), named)
      }
      const { x402Version, accepts: [accepted] } = Object(_meta?.["x402.error"])
      equal([x402Version, accepted.maxAmountRequired, accepted.resource], [
        1,
        product.price.toString(),
        required.resource.url,
      ])
      strictEqual(required.resource.url, `mcp://tool/${skillName(product)}`)
    }
  })
}

const invalidArguments: ReadonlyArray<readonly [Json, param: string]> = [
  [{ count: 21 }, "count"],
  [{ count: "many" }, "count"],
  [{ count: 1.5 }, "count"],
  [{ count: true }, "count"],
  [{ count: "true" }, "count"],
  [{ count: [1] }, "count"],
  [{ type: "rumour" }, "type"],
  [{ cuont: 2 }, "cuont"],
]
for (const [args, param] of invalidArguments) {
  test(`arguments ${JSON.stringify(args)} are refused, and the payment is not used`, function* () {
    const { call } = yield* open()
    const meta = yield* paymentOf(products.signals)
    const refused = yield* call("get_signals", args, meta)
    const { code, charged, hint, details } = errorOf(refused)
    equal([refused.isError, code, charged], [true, "invalid_parameter", false])
    match(String(hint), /was not used/)
    equal(Object(details)[0].param, param)
    strictEqual((yield* call("get_signals", {}, meta)).isError, undefined)
  })
}

test("invalid arguments count as an invalid payment, with any payment", function* () {
  const { post } = yield* open()
  const call = (payment: Json, name = "get_signals", args: Json = { cuont: 2 }) =>
    Effect.map(
      post(currentRequest("tools/call", { name, arguments: args }, { meta: payment })),
      ({ body }) => errorOf(Object(body["result"]))["code"],
    )
  const valid = yield* paymentOf(products.signals)
  const malformed = { "x402/payment": 1 }
  for (let n = 0; n < 15; n++) strictEqual(yield* call(valid), "invalid_parameter")
  for (let n = 0; n < 15; n++) strictEqual(yield* call(malformed), "invalid_parameter")
  strictEqual(yield* call(malformed), "rate_limited")
  strictEqual(yield* call(valid, "get_latest", {}), "rate_limited")
})

for (
  const [value, decoded] of [[true, true], ["true", true], ["1", true], [1, true]].concat(
    [[false, false], ["false", false], ["0", false], [0, false]],
  )
) {
  test(`includeNoise: ${JSON.stringify(value)} and numbers as strings are accepted`, function* () {
    const sold = yield* Ref.make("")
    const { call } = yield* open(
      mockPayments({
        sell: ({ request }) =>
          Effect.andThen(
            Ref.set(sold, request),
            Effect.fail(new NotCharged({ code: "overloaded", message: "Stop" })),
          ),
      }),
    )
    const args = { includeNoise: value, withinHours: "5", minLiquidity: "1000.5" }
    yield* call("get_resolving", args, yield* paymentOf(products.resolving))
    const expected = { includeNoise: decoded, limit: 50, minLiquidity: 1_000.5, withinHours: 5 }
    equal(
      yield* Ref.get(sold),
      `resolving?${JSON.stringify(Object.entries(expected))}`,
    )
  })
}

test("x402-mcp pays with a base64 payment of version 1 in its own key, and reads its receipt", function* () {
  const { call } = yield* open()
  const meta = yield* paymentOf(products.signals)
  const { payload } = Object(meta["x402/payment"])
  const version1 = { x402Version: 1, scheme: "exact", network: "base", payload }
  const payment = btoa(JSON.stringify(version1))
  const bought = yield* call("get_signals", {}, { "x402.payment": payment })
  const { success, transaction } = Object(bought._meta?.["x402.payment-response"])
  equal([bought.isError, success, typeof transaction], [undefined, true, "string"])
  strictEqual(bought._meta?.["x402/payment-response"], undefined)
})

test("an unknown argument of a free tool is refused, without a hint about a payment", function* () {
  const { call } = yield* open()
  const error = errorOf(yield* call("get_index", { since: 1 }))
  equal([error["code"], error["hint"]], ["invalid_parameter", undefined])
})

test("arguments that are not an object are refused, and nothing is charged", function* () {
  const { post } = yield* open()
  const meta = yield* paymentOf(products.signals)
  for (const args of [[], "count=2", 3]) {
    const { body } = yield* post(
      currentRequest("tools/call", { name: "get_signals", arguments: args }, { meta }),
    )
    const { code, message } = Object(body["error"])
    strictEqual(code, -32602)
    match(String(message), /Nothing was charged/)
  }
})

/** Payments with the given methods. */
const mockPayments = (
  methods: Pick<Payments["Service"], "sell"> & Partial<Pick<Payments["Service"], "sent">>,
) => Layer.mock(Payments, { idOf: ({ nonce }) => PaymentId.make(nonce), ...methods })
/** Payments whose every sale fails with the given error. */
const failing = (error: NotCharged | RefundQueued | Unresolved) =>
  mockPayments({ sell: () => Effect.fail(error) })
const refund = {
  id: "0x1",
  state: "queued",
  amountUsd: "0.03",
  to: "0x2",
  paymentTransaction: "0x7c",
}
const receipt = { payer: "0x2", transaction: "0x3", network: "eip155:8453" }
const failures: ReadonlyArray<NotCharged | RefundQueued | Unresolved> = [
  new NotCharged({ code: "signal_not_found", message: "None", hint: "Look" }),
  new NotCharged({
    code: "payment_in_progress",
    message: "Wait",
    retryAfterSeconds: 2,
    taken: null,
  }),
  new NotCharged({ code: "payment_already_used", message: "Used", receipt, taken: true }),
  new NotCharged({ code: "payment_conflict", message: "Another" }),
  new NotCharged({ code: "payment_refunded", message: "Refunded", refund, taken: true }),
  new NotCharged({ code: "payments_unavailable", message: "Later" }),
  new RefundQueued({ code: "venue_error", message: "Failed", refund }),
  new Unresolved({ message: "Not known yet", retryAfterSeconds: 5 }),
]
for (const error of failures) {
  const code = error._tag === "Unresolved" ? "settlement_unresolved" : error.code
  test(`${error._tag} ${code} has the same body in a tool's result as over HTTP`, function* () {
    const { call, get } = yield* open(failing(error))
    const id = { "x-request-id": "the-same-request" }
    const header = yield* paymentFor(products.signals)
    const response = yield* get("/v1/signals", {
      headers: { "payment-signature": header, ...id },
    })
    const body = yield* Effect.promise(() => response.json())
    const result = yield* call("get_signals", {}, yield* paymentOf(products.signals), id)
    equal([result.isError, result.structuredContent], [true, body])
    const { message, hint } = errorOf(result)
    match(result.content[0]?.text ?? "", new RegExp(`^${message}\\. .*\\(${code}[,)]`))
    ok(hint === undefined || result.content[0]?.text?.endsWith(String(hint)))
    equal(errorOf(result)["code"], code)
  })
}

test("a refused payment gets the payment terms again, with the reason", function* () {
  const error = new NotCharged({ code: "payment_required", message: "The signature is forged" })
  const { call } = yield* open(failing(error))
  const result = yield* call("get_signals", {}, yield* paymentOf(products.signals))
  equal([result.isError, result.structuredContent?.["error"]], [true, error.message])
  match(
    result.content[1]?.text ?? "",
    /not accepted: The signature is forged. Nothing was charged/,
  )
  equal(Object(result.structuredContent?.["accepts"])[0].amount, "30000")
  const ofLatest = yield* paymentOf(products.latest)
  match(String((yield* call("get_signals", {}, ofLatest)).structuredContent?.["error"]), /amount/)
})

test("a malformed payment is refused with the payment terms", function* () {
  const { post } = yield* open()
  const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`
  for (const malformed of ["3", '"eyJ9"', "{}", "[]", "true", deep]) {
    const init = currentRequest("tools/call", { name: "get_signals" }, {
      meta: { "x402/payment": "HERE" },
    })
    const body = String(init.body).replace('"HERE"', malformed)
    const answer = yield* post({ ...init, body })
    strictEqual(answer.status, 200, JSON.stringify(answer.body).slice(0, 200))
    const result = Object(answer.body["result"]) as ToolResult
    equal([result.isError, result.structuredContent?.["x402Version"]], [true, 2])
  }
})

test("a client with too many invalid payments gets an error result, with the rule", function* () {
  const { call } = yield* open()
  const meta = { "x402/payment": {} }
  yield* Effect.replicateEffect(call("get_signals", {}, meta), 30)
  const refused = yield* call("get_signals", {}, meta)
  const { code, charged } = errorOf(refused)
  equal([refused.isError, code, charged], [true, "rate_limited", null])
  ok(refused.content[0]?.text?.includes(resend))
})

test("an internal error is a tool result with charged null", function* () {
  const { call } = yield* open(mockPayments({ sell: () => Effect.die("broken") }))
  const { code, charged, hint } = errorOf(
    yield* call("get_signals", {}, yield* paymentOf(products.signals)),
  )
  equal([code, charged], ["internal_error", null])
  match(String(hint), /same payment again/)
})
