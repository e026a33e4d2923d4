/**
 * A process that dies at any of its steps while a task is paid: the buyer sends the same message again,
 * to another process, and gets the answer once, or the refund.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Context, Effect, Exit, Layer, Ref, Scope } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { dataPart, getTask, type Handle, pay, send } from "../../support/http/a2a.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { eventLoopTurn, test } from "../../support/effect.ts"
import { makeService, makeWorld, type World } from "../../support/http/httpService.ts"
import { makeKiller } from "../../support/killer.ts"
import { bookOf, endingMarket } from "../../support/products.ts"
import { inMarket, passing, taken, timing } from "../../support/payments/sales.ts"
import { authorizationFor, nonce, terms, wirePayment } from "../../support/payments/terms.ts"

/** More calls of the ports than a payment makes. */
const callsMax = 60
/** How often a buyer sends again, and how many seconds apart. */
const againMax = 40
const againEvery = 3

const stocked = Effect.gen(function* () {
  const world = yield* makeWorld(3)
  const now = yield* Clock.currentTimeMillis
  const ending = endingMarket(1, now)
  yield* Ref.set(world.productPorts.markets, [ending])
  yield* Ref.set(world.productPorts.books, [bookOf(ending, now)])
  return world
})

/** A process over the ports there are, each seen as `watched` makes it; nothing ever shuts it down. */
const processOver = Effect.fnUntraced(function* (
  world: World,
  watched: <Port extends object>(port: Port) => Port = (port) => port,
) {
  const ports = Context.make(PaymentStore, watched(yield* PaymentStore)).pipe(
    Context.add(Facilitator, watched(yield* Facilitator)),
    Context.add(Chain, watched(yield* Chain)),
    Context.add(Signatures, yield* Signatures),
  )
  const scope = yield* Scope.make()
  const layer = Layer.fresh(Payments.layer({ terms, timing }))
  const built = yield* Layer.buildWithScope(
    Layer.provide(layer, Layer.succeedContext(ports)),
    scope,
  )
  const payments = Context.get(built, Payments)
  const service = yield* Scope.provide(
    makeService({ ...world, tasks: watched(world.tasks) }, Layer.succeed(Payments, payments)),
    scope,
  )
  return { service, payments }
})

/** Lets a process come to its end, with time. */
const ending = Effect.fnUntraced(function* <A>(waits: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(waits)
  for (let n = 0; n < 400 && fiber.pollUnsafe() === undefined; n++) {
    yield* eventLoopTurn
    if (n % 10 === 9) yield* passing(1)
  }
  return fiber.pollUnsafe() ?? Exit.die("it hangs")
})

const signed = Effect.fnUntraced(function* (product: Product) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const authorization = authorizationFor(buyer(0), product, now, { nonce: nonce(0) })
  return wirePayment(product, authorization, yield* sign(buyer(0), authorization))
})

/** Sends the same message until the task has ended. */
const sendingAgain = Effect.fnUntraced(function* (
  { service, payments }: { readonly service: Handle; readonly payments: Payments["Service"] },
  id: string,
  payload: unknown,
) {
  for (let n = 0; n < againMax; n++) {
    const exit = yield* ending(pay(service, id, payload))
    ok(Exit.isSuccess(exit))
    const { task, code } = exit.value
    equal(code, null)
    if (task.state === "completed" || task.state === "failed") return task
    ok(["working", "input-required"].includes(task.state), task.state)
    yield* passing(againEvery)
    yield* payments.sweep
  }
  return yield* Effect.die("the task never ends")
})

/** Dies before the n-th call of a port, and tells how the task ended; null when there are fewer. */
const dyingAt = (product: Product, call: number) =>
  inMarket(Effect.gen(function* () {
    const world = yield* stocked
    const { watched, killed } = makeKiller()
    const dying = yield* processOver(world, watched)
    const { task: { id } } = yield* send(dying.service, [dataPart(`get_${product.id}`)])
    const payload = yield* signed(product)
    const death = yield* ending(killed(call, Effect.asVoid(pay(dying.service, id, payload))))
    if (Exit.isSuccess(death) && !death.value) return null

    const next = yield* processOver(world)
    const { task: between } = yield* getTask(next.service, id)
    ok(
      ["input-required", "working", "completed", "failed"].includes(between.state),
      between.state,
    )
    const task = yield* sendingAgain(next, id, payload)
    const { spent, received } = yield* taken
    equal(spent, received)
    equal((yield* getTask(next.service, id)).task, task, "it stays as it ended")
    const status = task.metadata["x402.payment.status"]
    if (task.state === "completed") {
      equal([status, spent], ["payment-completed", product.price as bigint])
      ok(task.answer !== null)
      return "answered"
    }
    const refunded = status === "payment-completed"
    equal(spent, refunded ? product.price as bigint : 0n, JSON.stringify(task))
    return refunded ? "refunded" : "not charged"
  }))

for (const product of [products.latest, products.resolving]) {
  test(`a task of ${product.id} is answered once or refunded, wherever its process dies`, () =>
    Effect.gen(function* () {
      const ends: Array<string> = []
      for (let call = 1; call < callsMax; call++) {
        const end = yield* dyingAt(product, call)
        if (end === null) break
        ends.push(end)
      }
      ok(ends.length >= 8 && ends.length < callsMax - 1, `${ends.length} calls`)
      ok(ends.filter((end) => end === "answered").length >= 5, ends.join(", "))
    }))
}
