/**
 * One payment, presented many times in parallel over every transport, with other keys and for other
 * products, on two replicas, is one sale; and one request with two payments is at most one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { test } from "../../support/effect.ts"
import { getTask, type Handle, pay } from "../../support/http/a2a.ts"
import {
  a2aService,
  offer,
  pricesTaken,
  serviceOver,
  signed,
} from "../../support/http/a2aService.ts"
import { currentRequest } from "../../support/http/mcp.ts"
import { inMarket, replica } from "../../support/payments/sales.ts"
import { headerOf, nonce } from "../../support/payments/terms.ts"

const { latest, signals } = products
/** How often each kind of call is made on each replica. */
const times = 5

type Wire = Effect.Success<ReturnType<typeof signed>>

/** Whether the call got a paid answer. */
type Call = (service: Handle) => Effect.Effect<boolean>

const overHttp = ({ path }: Product, wire: Wire, key?: string): Call => (service) => {
  const headers = {
    "payment-signature": headerOf(wire),
    ...key === undefined ? {} : { "idempotency-key": key },
  }
  return Effect.map(service.get(path, { headers }), ({ status }) => status === 200)
}

const overMcp = ({ id }: Product, wire: Wire, isArgument = false): Call =>
  Effect.fnUntraced(function* (service) {
    const meta = isArgument ? {} : { "x402/payment": wire }
    const call = { name: `get_${id}`, arguments: isArgument ? { payment: headerOf(wire) } : {} }
    const response = yield* service.get("/mcp", currentRequest("tools/call", call, { meta }))
    const { result } = yield* Effect.promise(() => response.json())
    return result.isError !== true && result.structuredContent.success === true
  })

const overA2a = (taskId: string, wire: Wire): Call => (service) =>
  Effect.map(pay(service, taskId, wire), ({ task }) => task.state === "completed")

for (const order of ["compute-first", "settle-early"] as const) {
  const sold = order === "compute-first" ? latest : products.resolving
  test(`one payment for a ${order} product, presented in parallel everywhere, is sold once`, () =>
    inMarket(Effect.gen(function* () {
      const { world, service } = yield* a2aService
      const other = yield* serviceOver(world, yield* replica)
      const wire = yield* signed(sold)
      const tasks = yield* Effect.forEach([service, other], (at) => offer(at, sold))
      const calls = [service, other].flatMap((at, n) =>
        Array.from({ length: times }, (_, time) => [
          overHttp(sold, wire),
          overHttp(sold, wire, `another-key-${n}-${time}_`),
          overHttp(signals, wire),
          overMcp(sold, wire),
          overMcp(sold, wire, true),
          overA2a(tasks[n]?.id ?? "", wire),
        ]).flat().map((call) => call(at))
      )
      const sales = yield* Effect.all(calls, { concurrency: "unbounded" })
      // The same task is answered again with its own answer; that is one sale.
      const answers = sales.filter((isSold) => isSold).length
      ok(answers === 1 || answers === times, `${answers} of ${sales.length} calls got an answer`)
      equal(yield* pricesTaken, sold.price as bigint)
      for (const call of calls) yield* call
      equal(yield* pricesTaken, sold.price as bigint)
    })))
}

test("a replica sells the task that the other offered, and both return its answer", () =>
  inMarket(Effect.gen(function* () {
    const { world, service } = yield* a2aService
    const other = yield* serviceOver(world, yield* replica)
    for (const [n, sold] of [latest, products.resolving].entries()) {
      const { id } = yield* offer(service, sold)
      const { task } = yield* pay(other, id, yield* signed(sold, { nonce: nonce(n) }))
      equal(task.state, "completed", task.text)
      for (const at of [service, other]) equal((yield* getTask(at, id)).task.answer, task.answer)
    }
    equal(yield* pricesTaken, latest.price + products.resolving.price)
  })))

test("a request with two payments is charged at most once, in any header that could carry them", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const [first, second] = yield* Effect.forEach(
      [0, 1],
      (n) => Effect.map(signed(latest, { nonce: nonce(n) }), headerOf),
    )
    const bothNames = { "payment-signature": first ?? "", "x-payment": second ?? "" }
    const requests: ReadonlyArray<readonly [HeadersInit, status: number]> = [
      [[["payment-signature", first ?? ""], ["payment-signature", second ?? ""]], 402],
      [[["x-payment", first ?? ""], ["x-payment", second ?? ""]], 402],
      [{ "payment-signature": `${first} ${second}` }, 402],
      [bothNames, 200],
      [bothNames, 409],
    ]
    for (const [headers, status] of requests) {
      const response = yield* service.get(latest.path, { headers })
      equal(response.status, status, JSON.stringify(headers).slice(0, 40))
    }
    equal(yield* pricesTaken, latest.price as bigint)
  })))
