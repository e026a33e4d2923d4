/**
 * What a call of a tool costs, of money and of budgets: the same as over HTTP, and said the same.
 *
 * @module
 */
import { deepStrictEqual as equal, fail, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Ref, Result } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { NotCharged, RefundQueued, Unresolved } from "../../../src/payments/domain/failedSale.ts"
import { type FreeSkill, skillName, skills } from "../../../src/catalog/domain/skill.ts"
import { paymentRequired } from "../../../src/payments/domain/x402/challenge.ts"
import { second } from "../../../src/core/domain/time.ts"
import { answer } from "../../../src/http/server/answer.ts"
import { callFree } from "../../../src/http/mcp/tools.ts"
import type { SkillPorts } from "../../../src/http/skills.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld, paymentFor, type World } from "../../support/http/httpService.ts"
import { currentRequest, earlierRequest, type ToolResult } from "../../support/http/mcp.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { terms } from "../../support/payments/terms.ts"

type Json = Record<string, unknown>

const open = Effect.fnUntraced(function* (
  payments?: Layer.Layer<Payments>,
  given?: World,
) {
  yield* TestClock.setTime(startSeconds * second)
  const world = given ?? (yield* makeWorld(3))
  const service = yield* makeService(world, payments)
  const post = (init: RequestInit) =>
    Effect.gen(function* () {
      const response = yield* service.get("/mcp", init)
      const body: Json = yield* Effect.promise(() => response.json())
      return { status: response.status, headers: response.headers, body }
    })
  const call = (name: string, given: Json = {}, meta: Json = {}, headers = {}) =>
    Effect.map(
      post(currentRequest("tools/call", { name, arguments: given }, { meta, headers })),
      ({ body }) => Object(body["result"]) as ToolResult,
    )
  return { ...service, world, post, call }
})

/** A payment for a product, as the JSON of a message. */
const paymentOf = Effect.fnUntraced(function* (product: Product, n = 0) {
  const header = yield* paymentFor(product, n)
  return { "x402/payment": JSON.parse(Result.getOrThrow(Base64.decodeString(header))) }
})

const errorOf = ({ structuredContent }: ToolResult) => Object(structuredContent?.["error"]) as Json

for (const skill of skills.filter((skill): skill is FreeSkill => skill.kind === "free")) {
  test(`${skill.name} gives the body of ${skill.path}`, () =>
    Effect.gen(function* () {
      const { call, get } = yield* open()
      const response = yield* get(skill.path)
      const body = yield* Effect.promise(() => response.text())
      const { isError, structuredContent, content } = yield* call(skill.name)
      equal([isError, structuredContent], [undefined, JSON.parse(body)])
      equal(content, [{ type: "text", text: body }])
    }))
}

test("free tools spend the budget of the free rows, and say what is left of it", () =>
  Effect.gen(function* () {
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
    const { status, headers, body } = yield* post(free)
    strictEqual(status, 429)
    ok(Number(headers.get("retry-after")) > 0)
    match(headers.get("ratelimit") ?? "", /"free";r=0;/)
    const { code, data } = Object(body["error"])
    equal([code, body["id"], data.code, data.charged], [-32000, 7, "rate_limited", false])
    strictEqual(String(data.retryAfterSeconds), headers.get("retry-after"))
  }))

test("a flood of free calls is refused from memory: no question to the store, no look at the rest", () =>
  Effect.gen(function* () {
    const { post, world } = yield* open()
    const free = { name: "get_index" }
    yield* Effect.replicateEffect(post(currentRequest("tools/call", free)), 6)
    const asked = yield* Ref.get(world.limitCalls)
    const mismatched = { headers: { "mcp-name": "get_pulse" } }
    strictEqual((yield* post(currentRequest("tools/call", free, mismatched))).status, 429)
    strictEqual(yield* Ref.get(world.limitCalls), asked)
  }))

test("a free tool whose row answers an error says that it is one", () =>
  Effect.gen(function* () {
    const row = { limiter: { policyField: null, admit: () => ({ kind: "unlimited" }) }, paid: null }
    const health = skills.find((skill): skill is FreeSkill => skill.name === "get_health")
    const told = yield* callFree(
      {
        free: {
          health: { ...row, current: () => answer({ body: "{}", status: 503, cache: "none" }) },
        },
      } as unknown as SkillPorts,
      health ?? fail(),
      { args: {}, payment: undefined, idempotencyKey: null, address: "192.0.2.1" },
    )
    equal([told.result.isError, told.result.structuredContent], [true, {}])
  }))

test("whatever is no free call and shows no payment spends the documents' budget", () =>
  Effect.gen(function* () {
    const { post, get } = yield* open()
    const unpaid = { name: "get_signals" }
    const mismatched = { headers: { "mcp-name": "get_pulse" } }
    const all = [
      currentRequest("tools/list"),
      currentRequest("server/discover"),
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
  }))

test("a call that shows a payment spends no budget, unless it is no call", () =>
  Effect.gen(function* () {
    const { post } = yield* open()
    const meta = yield* paymentOf(products.signals)
    const paid = yield* post(currentRequest("tools/call", { name: "get_signals" }, { meta }))
    equal([paid.status, paid.headers.get("ratelimit")], [200, null])
    const headers = { "mcp-name": "get_pulse" }
    const none = yield* post(
      currentRequest("tools/call", { name: "get_signals" }, { meta, headers }),
    )
    match(none.headers.get("ratelimit") ?? "", /"documents";r=119;/)
  }))

test("while the store is away a free call is refused, and nothing is lost", () =>
  Effect.gen(function* () {
    const { post, world } = yield* open()
    yield* Ref.set(world.storeUp, false)
    const { status, body } = yield* post(currentRequest("tools/call", { name: "get_index" }))
    const { code, data } = Object(body["error"])
    equal([status, code, data.code, data.charged], [503, -32603, "overloaded", false])
  }))

for (const product of Object.values(products)) {
  test(`${skillName(product)} without a payment answers with its terms, as x402 has them`, () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      for (const [given, meta] of [[{}, {}], [{ nonsense: true }, { "x402/payment": null }]]) {
        const { isError, structuredContent, content } = yield* call(skillName(product), given, meta)
        const required = paymentRequired(product, terms, { resource: "mcp" })
        equal([isError, structuredContent], [true, JSON.parse(JSON.stringify(required))])
        equal(JSON.parse(content[0]?.text ?? ""), structuredContent)
        strictEqual(required.resource.url, `mcp://tool/${skillName(product)}`)
      }
    }))
}

test("a paid call gives the body of HTTP and the receipt", () =>
  Effect.gen(function* () {
    const { call, get } = yield* open()
    const payment = yield* paymentFor(products.signals, 1)
    const response = yield* get("/v1/signals?count=2", {
      headers: { "payment-signature": payment },
    })
    const body = yield* Effect.promise(() => response.json())
    const bought = yield* call("get_signals", { count: 2 }, yield* paymentOf(products.signals))
    equal([bought.isError, bought.structuredContent], [undefined, body])
    const receipt = bought._meta?.["x402/payment-response"]
    equal(Object(receipt)["success"], true)
  }))

const wrong: ReadonlyArray<readonly [Json, param: string]> = [
  [{ count: 21 }, "count"],
  [{ count: "many" }, "count"],
  [{ count: 1.5 }, "count"],
  [{ count: true }, "count"],
  [{ count: [1] }, "count"],
  [{ type: "rumour" }, "type"],
  [{ cuont: 2 }, "cuont"],
]
for (const [given, param] of wrong) {
  test(`arguments ${JSON.stringify(given)} are refused, and the payment was not used`, () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const meta = yield* paymentOf(products.signals)
      const refused = yield* call("get_signals", given, meta)
      const { code, charged, hint, details } = errorOf(refused)
      equal([refused.isError, code, charged], [true, "invalid_parameter", false])
      match(String(hint), /was not used/)
      equal(Object(details)[0].param, param)
      strictEqual((yield* call("get_signals", {}, meta)).isError, undefined)
    }))
}

test("wrong arguments beside what is no payment are counted as an invalid payment is", () =>
  Effect.gen(function* () {
    const { post } = yield* open()
    const call = (payment: Json, name = "get_signals", given: Json = { cuont: 2 }) =>
      Effect.map(
        post(currentRequest("tools/call", { name, arguments: given }, { meta: payment })),
        ({ status }) => status,
      )
    const fits = yield* paymentOf(products.signals)
    const junk = { "x402/payment": 1 }
    for (let n = 0; n < 40; n++) strictEqual(yield* call(fits), 200)
    for (let n = 0; n < 30; n++) strictEqual(yield* call(junk), 200)
    strictEqual(yield* call(junk), 429)
    strictEqual(yield* call(fits, "get_latest", {}), 429)
  }))

test("an argument that a free tool does not know is refused, with no word of a payment", () =>
  Effect.gen(function* () {
    const { call } = yield* open()
    const error = errorOf(yield* call("get_index", { since: 1 }))
    equal([error["code"], error["hint"]], ["invalid_parameter", undefined])
  }))

test("arguments that are no object are refused, and nothing was charged", () =>
  Effect.gen(function* () {
    const { post } = yield* open()
    const meta = yield* paymentOf(products.signals)
    for (const bad of [[], "count=2", 3, null]) {
      const { body } = yield* post(
        currentRequest("tools/call", { name: "get_signals", arguments: bad }, { meta }),
      )
      const { code, message } = Object(body["error"])
      strictEqual(code, -32602)
      match(String(message), /Nothing was charged/)
    }
  }))

/** A till of which a test says how it sells. */
const till = (
  sells: Pick<Payments["Service"], "sell"> & Partial<Pick<Payments["Service"], "sent">>,
) => Layer.mock(Payments, { idOf: ({ nonce }) => PaymentId.make(nonce), ...sells })
/** A till that fails each sale with this. */
const failing = (error: NotCharged | RefundQueued | Unresolved) =>
  till({ sell: () => Effect.fail(error) })
const refund = { id: "0x1", state: "queued", amountUsd: "0.03", to: "0x2" }
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
  test(`${error._tag} ${code} is said in a tool's result as over HTTP`, () =>
    Effect.gen(function* () {
      const { call, get } = yield* open(failing(error))
      const id = { "x-request-id": "one-and-the-same" }
      const header = yield* paymentFor(products.signals)
      const response = yield* get("/v1/signals", {
        headers: { "payment-signature": header, ...id },
      })
      const body = yield* Effect.promise(() => response.json())
      const told = yield* call("get_signals", {}, yield* paymentOf(products.signals), id)
      equal([told.isError, told.structuredContent], [true, body])
      equal(JSON.parse(told.content[0]?.text ?? ""), body)
      equal(errorOf(told)["code"], code)
    }))
}

test("a payment that is refused gets the terms again, with why", () =>
  Effect.gen(function* () {
    const error = new NotCharged({ code: "payment_required", message: "The signature is forged" })
    const { call } = yield* open(failing(error))
    const told = yield* call("get_signals", {}, yield* paymentOf(products.signals))
    equal([told.isError, told.structuredContent?.["error"]], [true, error.message])
    equal(Object(told.structuredContent?.["accepts"])[0].amount, "30000")
    const paidFor = yield* paymentOf(products.latest)
    match(String((yield* call("get_signals", {}, paidFor)).structuredContent?.["error"]), /amount/)
  }))

test("what is no payment at all is a payment that is refused", () =>
  Effect.gen(function* () {
    const { post } = yield* open()
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`
    for (const shown of ["3", '"eyJ9"', "{}", "[]", "true", deep]) {
      const init = currentRequest("tools/call", { name: "get_signals" }, {
        meta: { "x402/payment": "HERE" },
      })
      const body = String(init.body).replace('"HERE"', shown)
      const told = yield* post({ ...init, body })
      strictEqual(told.status, 200, JSON.stringify(told.body).slice(0, 200))
      const result = Object(told.body["result"]) as ToolResult
      equal([result.isError, result.structuredContent?.["x402Version"]], [true, 2])
    }
  }))

test("a client with too many invalid payments is told so by the status", () =>
  Effect.gen(function* () {
    const { post, call } = yield* open()
    const meta = { "x402/payment": {} }
    yield* Effect.replicateEffect(call("get_signals", {}, meta), 30)
    const init = currentRequest("tools/call", { name: "get_signals" }, { meta })
    const { status, headers, body } = yield* post(init)
    strictEqual(status, 429)
    match(headers.get("ratelimit") ?? "", /"invalid_payments";r=0;/)
    const { code, data } = Object(body["error"])
    equal([code, data.code, data.charged], [-32000, "rate_limited", false])
  }))

test("a fault of ours is no word on the payment, and no status of the protocol", () =>
  Effect.gen(function* () {
    const { call } = yield* open(till({ sell: () => Effect.die("broken") }))
    const { code, charged, hint } = errorOf(
      yield* call("get_signals", {}, yield* paymentOf(products.signals)),
    )
    equal([code, charged], ["internal_error", null])
    match(String(hint), /same payment again/)
  }))

test("an answer counts as handed over when it has left with its receipt, and only then", () =>
  Effect.gen(function* () {
    const sent = yield* Ref.make(0)
    const selling = (charge: boolean) =>
      till({
        sell: ({ payment }) =>
          Effect.succeed({
            paymentId: PaymentId.make(payment.authorization.nonce),
            body: new TextEncoder().encode('{"success":true}'),
            receipt: charge ? receipt : null,
            replayed: true,
          }),
        sent: () => Ref.update(sent, (count) => count + 1),
      })
    const { handle } = yield* open(selling(true))
    const meta = yield* paymentOf(products.latest)
    const paid = () =>
      new Request(
        "http://any.host/mcp",
        currentRequest("tools/call", { name: "get_latest" }, { meta }),
      )
    const left = Promise.withResolvers<void>()
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 }
    const response = yield* Effect.promise(async () =>
      await handle(paid(), { remoteAddr, completed: left.promise })
    )
    const told = Object(yield* Effect.promise(() => response.json())).result as ToolResult
    equal([yield* Ref.get(sent), told._meta?.["idempotent-replayed"]], [0, true])
    left.resolve()
    yield* Effect.promise(() => left.promise.then(() => {}))
    yield* Effect.yieldNow
    strictEqual(yield* Ref.get(sent), 1)

    const given = yield* open(selling(false))
    const gift = yield* given.call("get_latest", {}, meta)
    equal([yield* Ref.get(sent), gift._meta?.["x402/payment-response"]], [1, undefined])
  }))
