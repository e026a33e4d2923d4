/**
 * One purchase is charged once: a payment that is presented many times in parallel over every
 * transport and on two replicas, a request with two payments, and an answer that is fetched again
 * with the key or the payer's proof.
 *
 * @module
 */
import { Effect } from "effect"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { getTask, type Handle, pay } from "../../support/http/a2a.ts"
import {
  a2aService,
  offer,
  pricesTaken,
  serviceOver,
  signed,
} from "../../support/http/a2aService.ts"
import { currentRequest } from "../../support/http/mcp.ts"
import { marketTest } from "../../support/http/paidService.ts"
import type { Wire } from "../../support/http/signed.ts"
import { replica } from "../../support/payments/sales.ts"
import { headerOf, nonce } from "../../support/payments/terms.ts"

const { latest, signals } = products
/** How often each kind of call is made on each replica. */
const times = 5

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
  marketTest(
    `one payment for a ${order} product, presented in parallel everywhere, is sold once`,
    function* () {
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
    },
  )
}

marketTest(
  "a replica sells the task that the other offered, and both return its answer",
  function* () {
    const { world, service } = yield* a2aService
    const other = yield* serviceOver(world, yield* replica)
    for (const [n, sold] of [latest, products.resolving].entries()) {
      const { id } = yield* offer(service, sold)
      const { task } = yield* pay(other, id, yield* signed(sold, { nonce: nonce(n) }))
      equal(task.state, "completed", task.text)
      for (const at of [service, other]) equal((yield* getTask(at, id)).task.answer, task.answer)
    }
    equal(yield* pricesTaken, latest.price + products.resolving.price)
  },
)

marketTest("of fifty payments for one task on two replicas at once, one is charged", function* () {
  const { world, service } = yield* a2aService
  const replicas = [service, yield* serviceOver(world, yield* replica)]
  const { id } = yield* offer(service, latest)
  const payments = yield* Effect.forEach(
    Array.from({ length: 50 }, (_, n) => n),
    (n) => signed(latest, { nonce: nonce(n) }),
  )
  const replies = yield* Effect.forEach(
    payments,
    (payment, n) => pay(replicas[n % 2] ?? service, id, payment),
    { concurrency: "unbounded" },
  )
  equal(yield* pricesTaken, latest.price as bigint)
  const { task } = yield* getTask(service, id)
  equal(task.state, "completed")
  for (const { status, task: { state, answer, text } } of replies) {
    ok(status === 200 && ["completed", "working"].includes(state), text)
    if (state === "completed") equal(answer, task.answer)
  }
})

marketTest(
  "a request with two payments is charged at most once, in any header that could carry them",
  function* () {
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
  },
)

const key = "a-key-of-18-chars_"

/** What a buyer sees of a purchase. */
interface Bought {
  readonly status: number
  readonly answer: unknown
  readonly replayed: boolean
  readonly error: { readonly code?: string; readonly charged?: unknown; readonly hint?: string }
}

const send = Effect.fnUntraced(function* (
  service: Handle,
  wire: unknown,
  headers: Readonly<Record<string, string>> = {},
): Effect.fn.Return<Bought> {
  const response = yield* service.get(latest.path, {
    headers: { ...headers, "payment-signature": headerOf(wire) },
  })
  const body = yield* Effect.promise(() => response.json())
  return {
    status: response.status,
    answer: body.success === true ? body : null,
    replayed: response.headers.get("idempotent-replayed") === "true",
    error: typeof body.error === "string" ? { hint: body.error } : body.error ?? {},
  }
})

const identified = (wire: Wire) => ({
  ...wire,
  extensions: { "payment-identifier": { info: { id: key } } },
})

marketTest("the same Idempotency-Key with a new signature is charged once", function* () {
  const { service } = yield* a2aService
  const header = { "idempotency-key": key }
  const first = yield* send(service, yield* signed(latest), header)
  equal([first.status, first.replayed], [200, false])
  const again = yield* send(service, yield* signed(latest, { nonce: nonce(1) }), header)
  equal(again, { ...first, replayed: true })
  equal(yield* pricesTaken, latest.price as bigint)
})

marketTest("the same payment-identifier with a new signature is charged once", function* () {
  const { service } = yield* a2aService
  const first = yield* send(service, identified(yield* signed(latest)))
  const again = yield* send(service, identified(yield* signed(latest, { nonce: nonce(1) })))
  equal([first.status, again], [200, { ...first, replayed: true }])
  equal(yield* pricesTaken, latest.price as bigint)
})

marketTest(
  "A2A: the start of a task's id fetches its answer over HTTP, as the key of its payment",
  function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, latest)
    const wire = yield* signed(latest)
    const { task } = yield* pay(service, id, wire)
    const [key = ""] = id.split(".")
    const again = yield* send(service, wire, { "idempotency-key": key })
    equal([task.state, again.answer], ["completed", task.answer])
    equal(yield* pricesTaken, latest.price as bigint)
  },
)
