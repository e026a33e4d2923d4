/**
 * Every paid product through every door, bought by unmodified clients on a real socket: the delivery
 * in the store, the charge on the chain and the receipt of the buyer say the same.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { ExactEvmScheme } from "@x402/evm"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Option, Result, Schedule, type Scope } from "effect"
import { Base64 } from "effect/encoding"
import { recordOf } from "../support/payments/record.ts"
import { type Product, type ProductId, products } from "../../src/catalog/domain/product.ts"
import { decodePaymentJson } from "../../src/payments/domain/x402/paymentPayload.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { liveTest } from "../support/effect.ts"
import * as a2a from "../support/http/a2aClients.ts"
import * as mcp from "../support/http/mcp.ts"
import { openShop, wideLimits } from "../support/http/servedService.ts"
import { buyer, buyerKey } from "../support/payments/buyers.ts"
import { buyWithVersion1, hasLegacyBuyer } from "../support/payments/legacyBuyer.ts"
import { market, taken } from "../support/payments/sales.ts"
import { token } from "../support/payments/terms.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

type Json = Record<string, unknown>

/** What a buyer has after a purchase. */
interface Bought {
  /** The payment as it was sent. */
  readonly payment: unknown
  readonly answer: Json
  readonly receipt: Json
}
type Buy = (product: Product, params: Json) => Promise<Bought>
type Door = (base: string) => Effect.Effect<Buy, never, Scope.Scope>

const http: Door = (base) =>
  Effect.sync(() => async ({ path }, params) => {
    let payment: unknown = null
    const pay = wrapFetchWithPaymentFromConfig((input, init) => {
      const header = new Request(input, init).headers.get("payment-signature")
      if (header !== null) payment = JSON.parse(atob(header))
      return fetch(input, init)
    }, { schemes: [{ network: "eip155:*", client: new ExactEvmScheme(buyer(0)) }] })
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]) => [name, String(value)]),
    )
    const response = await pay(`${base}${path}?${query}`)
    const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "")
    return { payment, answer: await response.json(), receipt: { ...receipt } }
  })

const mcpDoor: Door = (base) =>
  Effect.map(mcp.connect("2 pinned", `${base}/mcp`), ({ call }) => async ({ id }, params) => {
    const payment = await Effect.runPromise(mcp.payFor(await call(`get_${id}`, params)))
    const paid = await call(`get_${id}`, params, { "x402/payment": payment })
    strictEqual(paid.isError, undefined, JSON.stringify(paid))
    return {
      ...{ payment, answer: paid.structuredContent ?? {} },
      receipt: Object(paid._meta?.["x402/payment-response"]),
    }
  })

const a2aDoor = (kind: a2a.ClientKind): Door => (base) =>
  Effect.map(
    Effect.promise(() => a2a.connect(kind, base)),
    ({ send }) => async ({ id }, params) => {
      const offer = await send([{ data: { skill: `get_${id}`, params } }])
      const payment = await a2a.payFor(offer)
      const metadata = a2a.submitted(payment)
      const task = await send([{ text: "Paid." }], { taskId: offer.id, metadata })
      const status = task.metadata["x402.payment.status"]
      equal([task.id, task.state, status], [offer.id, "completed", "payment-completed"])
      const [receipt] = Object(task.metadata["x402.payment.receipts"])
      return { payment, answer: task.answer ?? {}, receipt }
    },
  )

const doors: Readonly<Record<string, Door>> = {
  "HTTP": http,
  "MCP": mcpDoor,
  ...Object.fromEntries(a2a.clientKinds.map((kind) => [`A2A, client ${kind}`, a2aDoor(kind)])),
}

/** The parameters of the products that need some here. */
const parametersOf: { readonly [Id in ProductId]?: Json } = {
  signal: { index: 1 },
  digest_history: { hours: 168 },
  resolving: { withinHours: 72 },
  research: { market: "https://simulated.example/event/an-event/market-1" },
}

/** The row of a payment as soon as its delivery is recorded, which is shortly after the answer left. */
const deliveredRow = Effect.fnUntraced(function* (payment: unknown) {
  const store = yield* PaymentStore
  const { paymentId } = yield* Signatures
  const { authorization } = Result.getOrThrow(decodePaymentJson(payment))
  const find = Effect.map(
    store.find(paymentId({ ...token, ...authorization })),
    Option.map(recordOf),
  )
  return yield* find.pipe(
    Effect.repeat({
      until: (found) => Option.isSome(found) && found.value.sent,
      schedule: Schedule.spaced("5 millis"),
    }),
    Effect.map(Option.getOrThrow),
    Effect.timeout("10 seconds"),
  )
})

for (const [name, door] of Object.entries(doors)) {
  liveTest(
    `every product bought over ${name} is delivered, charged once, and has the receipt of that charge`,
    function* () {
      const buy = yield* door(yield* openShop(undefined, { limits: wideLimits }))
      let total = 0n
      for (const product of Object.values(products)) {
        const { id, price } = product
        const bought = yield* Effect.promise(() => buy(product, parametersOf[id] ?? {}))
        const { payment, answer, receipt } = bought
        equal([answer["success"], answer["data"] !== undefined], [true, true], id)
        const row = yield* deliveredRow(payment)
        equal([row.state, row.productId, row.amount], ["answered", id, price])
        total += price
        equal(yield* taken, { spent: total, received: total }, id)
        equal(
          [receipt["success"], receipt["transaction"], receipt["payer"]],
          [true, row.paidAt?.transaction, buyer(0).address.toLowerCase()],
          id,
        )
        ok(receipt["transaction"] !== undefined)
      }
    },
    market(),
  )
}

const key = buyerKey(0)

const legacyBuys = (product: Product) =>
  liveTest(
    `the reference buyer of version 1 pays for ${product.path} and gets the answer`,
    function* () {
      const base = yield* openShop()
      const { statuses, body, receipt } = yield* Effect.promise(() =>
        buyWithVersion1({ url: `${base}${product.path}?x402Version=1`, key })
      )
      equal([statuses, body.success], [[402, 200], true])
      const { payer } = JSON.parse(Result.getOrThrow(Base64.decodeString(receipt ?? "")))
      strictEqual(payer, buyer(0).address.toLowerCase())
      equal(yield* taken, { spent: product.price, received: product.price })
    },
    market(),
  )

if (!hasLegacyBuyer) {
  registerSkipped("the reference buyer of version 1", "npm ci --prefix tests/legacy")
} else {
  legacyBuys(products.latest)
  legacyBuys(products.whales)
}
