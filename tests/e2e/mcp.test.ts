/**
 * Unmodified MCP clients against the whole service on a real socket, with payments that are signed and
 * settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Duration, Effect, Option, Result, Schedule } from "effect"
import { type PaymentRecord, recordOf } from "../support/payments/record.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { decodePaymentJson } from "../../src/payments/domain/x402/paymentPayload.ts"
import { skills } from "../../src/catalog/domain/skill.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import {
  clientKinds,
  connect,
  currentRequest,
  payFor,
  type ToolResult,
} from "../support/http/mcp.ts"
import { openShop } from "../support/http/servedService.ts"
import { spentBy } from "../support/packages/shop.ts"
import { market } from "../support/payments/sales.ts"
import { token } from "../support/payments/terms.ts"

const spent = spentBy(buyer(0).address)

const json = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => await (await fetch(url, init)).json())

const paid = (meta: Record<string, unknown>) => ({ "x402/payment": meta })
const errorOf = ({ structuredContent }: ToolResult): Record<string, unknown> =>
  Object(structuredContent?.["error"])
const receiptOf = ({ _meta }: ToolResult): Record<string, unknown> =>
  Object(_meta?.["x402/payment-response"])

for (const kind of clientKinds) {
  liveTest(
    `client ${kind} holds every result to the tool's schema: free, terms, error, paid, over the limit`,
    function* () {
      const base = yield* openShop()
      const client = yield* connect(kind, `${base}/mcp`)
      const { tools, call } = client
      const listed = yield* Effect.promise(tools)
      equal(listed.map(({ name }) => name), skills.map(({ name }) => name))

      const free = yield* Effect.promise(() => call("get_index"))
      equal(free.structuredContent, yield* json(`${base}/v1/index`))
      equal(JSON.parse(free.content[0]?.text ?? ""), free.structuredContent)

      const terms = yield* Effect.promise(() => call("get_signals", { count: 2 }))
      strictEqual(terms.isError, true)
      match(terms.content[1]?.text ?? "", /^get_signals costs \$0\.03 in USDC on eip155:/)
      strictEqual(yield* spent, 0n)

      const payment = yield* payFor(terms)
      const wrong = yield* Effect.promise(() => call("get_signals", { count: 21 }, paid(payment)))
      equal([wrong.isError, errorOf(wrong)["code"]], [true, "invalid_parameter"])
      match(wrong.content[0]?.text ?? "", /^count must be .* Nothing was charged/)

      const bought = yield* Effect.promise(() => call("get_signals", { count: 2 }, paid(payment)))
      ok(bought.isError !== true, JSON.stringify(bought))
      equal([bought.structuredContent?.["count"], bought.structuredContent?.["charged"]], [
        2,
        true,
      ])
      const { success, payer } = receiptOf(bought)
      equal([success, payer], [true, buyer(0).address.toLowerCase()])
      strictEqual(yield* spent, products.signals.price as bigint)

      for (let n = 0; n < 5; n++) yield* Effect.promise(() => call("get_pulse"))
      const limited = yield* Effect.promise(() => call("get_pulse"))
      equal([limited.isError, errorOf(limited)["code"]], [true, "rate_limited"])
      match(
        limited.content[0]?.text ?? "",
        /: wait \d+ s\. Paid and answered calls are not limited/,
      )
    },
    market(),
  )
}

const key = "a-secret-of-the-buyer-1"
const query = { count: 2 }

/** A client, and the payment that the reference buyer signs for get_signals. */
const payingClient = Effect.fnUntraced(function* (headers: Record<string, string> = {}) {
  const base = yield* openShop()
  const { call: callTool } = yield* connect("2 pinned", `${base}/mcp`, { headers })
  const call = (name: string, params: Record<string, unknown>, meta?: Record<string, unknown>) =>
    Effect.promise(() => callTool(name, params, meta))
  const payment = yield* payFor(yield* call("get_signals", query))
  return { base, call, payment }
})

liveTest("one payment over HTTP and over MCP is one sale of one request", function* () {
  const { base, call, payment } = yield* payingClient({ "idempotency-key": key })
  const overHttp = yield* json(`${base}/v1/signals?count=2`, {
    headers: { "payment-signature": btoa(JSON.stringify(payment)), "idempotency-key": key },
  })
  equal([overHttp.count, overHttp.charged], [2, true])
  const overMcp = yield* call("get_signals", { count: "2" }, paid(payment))
  equal([overMcp.structuredContent, overMcp._meta?.["idempotent-replayed"]], [overHttp, true])
  const other = yield* call("get_signals", { count: 3 }, paid(payment))
  equal(errorOf(other)["code"], "payment_conflict")
  strictEqual(yield* spent, products.signals.price as bigint)
}, market())

liveTest("an unknown tool is a protocol error, in either client", function* () {
  const base = yield* openShop()
  for (const kind of clientKinds) {
    const { call } = yield* connect(kind, `${base}/mcp`)
    const error = yield* Effect.promise(() => call("get_rich").then(() => null, (error) => error))
    equal([error?.code, /Nothing was charged: name must be one of/.test(error?.message)], [
      -32602,
      true,
    ])
  }
}, market())

/** A client that has sent its payment, and `leave`, which disconnects it before its answer. */
const leavingClient = Effect.gen(function* () {
  const { base, call, payment } = yield* payingClient()
  const controller = new AbortController()
  const init = currentRequest("tools/call", { name: "get_signals", arguments: query }, {
    meta: paid(payment),
  })
  const response = fetch(`${base}/mcp`, { ...init, signal: controller.signal }).catch(() => null)
  const leave = Effect.promise(() => {
    controller.abort()
    return response
  })
  return { call, payment, leave }
})

/** Waits until the row of a payment satisfies the predicate. */
const rowOf = Effect.fnUntraced(function* (
  payment: unknown,
  satisfied: (row: PaymentRecord) => boolean,
) {
  const store = yield* PaymentStore
  const signatures = yield* Signatures
  const { authorization } = Result.getOrThrow(decodePaymentJson(payment))
  return yield* Effect.repeat(
    Effect.map(
      store.find(signatures.paymentId({ ...token, ...authorization })),
      (found) => Option.getOrNull(Option.map(found, recordOf)),
    ),
    {
      until: (row) => row !== null && satisfied(row),
      schedule: Schedule.spaced("5 millis"),
    },
  ).pipe(Effect.timeout("10 seconds"))
})

liveTest(
  "an answer counts as delivered when it has left, but not when its client has disconnected",
  function* () {
    const { call, payment, leave } = yield* leavingClient
    yield* rowOf(payment, ({ state }) => state === "settling")
    yield* leave
    yield* rowOf(payment, ({ state }) => state === "answered")

    const delivered = yield* payFor(yield* call("get_latest", {}), 1)
    strictEqual((yield* call("get_latest", {}, paid(delivered))).isError, undefined)
    yield* rowOf(delivered, ({ sent }) => sent)
    strictEqual((yield* rowOf(payment, () => true))?.sent, false)
  },
  market({ delay: Duration.millis(100) }),
)

liveTest("a client that disconnects before its payment is settled is not charged", function* () {
  const { call, payment, leave } = yield* leavingClient
  // While the payment is verified, a copy without the secret is refused as in progress.
  yield* Effect.repeat(call("get_signals", query, paid(payment)), {
    until: (copy) => JSON.stringify(copy).includes("payment_in_progress"),
  }).pipe(Effect.timeout("10 seconds"))
  yield* leave
  strictEqual(yield* spent, 0n)
  // The payment was not used: it buys the answer as soon as that verification has ended.
  yield* Effect.repeat(call("get_signals", query, paid(payment)), {
    until: ({ isError }) => isError !== true,
    schedule: Schedule.spaced("20 millis"),
  }).pipe(Effect.timeout("10 seconds"))
  strictEqual(yield* spent, products.signals.price as bigint)
}, market({ delay: Duration.millis(400) }))
