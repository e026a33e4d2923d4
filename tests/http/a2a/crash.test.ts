/**
 * A process that dies at any port call while a task is paid. The buyer sends the same message to
 * another process, and gets the answer once, or the refund.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { dataPart, getTask, type Handle, pay, send } from "../../support/http/a2a.ts"
import { eventLoopTurn, test } from "../../support/effect.ts"
import { signed } from "../../support/http/a2aService.ts"
import { stockedWorld } from "../../support/http/socketReplicas.ts"
import { makeService, type World } from "../../support/http/httpService.ts"
import { makeKiller } from "../../support/killer.ts"
import { inMarket, passing, taken, timing } from "../../support/payments/sales.ts"
import { terms } from "../../support/payments/terms.ts"

/** More port calls than a payment makes. */
const callsMax = 60
const retriesMax = 40
const retryDelaySeconds = 3

/** A process over the ports in the context, each wrapped by `watched`; it is never shut down. */
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
    makeService(world, Layer.succeed(Payments, payments)),
    scope,
  )
  return { service, payments }
})

/** Advances the test clock until an effect ends; returns its exit. */
const exitOf = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let n = 0; n < 400 && fiber.pollUnsafe() === undefined; n++) {
    yield* eventLoopTurn
    if (n % 10 === 9) yield* passing(1)
  }
  return fiber.pollUnsafe() ?? Exit.die("it hangs")
})

/** Sends the same message until the task has ended. */
const payUntilEnded = Effect.fnUntraced(function* (
  { service, payments }: { readonly service: Handle; readonly payments: Payments["Service"] },
  id: string,
  payload: unknown,
) {
  for (let n = 0; n < retriesMax; n++) {
    const exit = yield* exitOf(pay(service, id, payload))
    ok(Exit.isSuccess(exit))
    const { task, code } = exit.value
    equal(code, null)
    const hasFailed = task.metadata["x402.payment.status"] === "payment-failed"
    if (task.state === "completed" || task.state === "failed" || hasFailed) return task
    ok(["working", "input-required"].includes(task.state), task.state)
    yield* passing(retryDelaySeconds)
    yield* payments.sweep
  }
  return yield* Effect.die("the task never ends")
})

/**
 * Kills the process before its n-th port call; returns how the task ended, or null without a kill.
 */
const outcomeOfDeathAt = (product: Product, call: number) =>
  inMarket(Effect.gen(function* () {
    const world = yield* stockedWorld
    const { watched, killed } = makeKiller()
    const dying = yield* processOver(world, watched)
    const { task: { id } } = yield* send(dying.service, [dataPart(`get_${product.id}`)])
    const payload = yield* signed(product)
    const exit = yield* exitOf(killed(call, Effect.asVoid(pay(dying.service, id, payload))))
    if (Exit.isSuccess(exit) && !exit.value) return null

    const next = yield* processOver(world)
    const { task: between } = yield* getTask(next.service, id)
    ok(
      ["input-required", "working", "completed", "failed"].includes(between.state),
      between.state,
    )
    const task = yield* payUntilEnded(next, id, payload)
    const { spent, received } = yield* taken
    equal(spent, received)
    const { task: later } = yield* getTask(next.service, id)
    equal([later.state, later.answer], [task.state, task.answer], "its final state does not change")
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
      const outcomes: Array<string> = []
      for (let call = 1; call < callsMax; call++) {
        const outcome = yield* outcomeOfDeathAt(product, call)
        if (outcome === null) break
        outcomes.push(outcome)
      }
      ok(outcomes.length >= 8 && outcomes.length < callsMax - 1, `${outcomes.length} calls`)
      ok(outcomes.filter((outcome) => outcome === "answered").length >= 5, outcomes.join(", "))
    }))
}
