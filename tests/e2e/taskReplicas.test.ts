/**
 * Tasks of /a2a on two replicas: each sells what the other offered and finishes what the other left,
 * and a canceled task is not charged.
 *
 * Each replica is the whole service on its own socket with its own connection pools. They share only
 * one PostgreSQL, which also contains the ledger of the simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Deferred, Duration, Effect, Fiber, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import * as taskStore from "../../src/http/a2a/postgres/taskStore.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import type { TaskEvent } from "../../src/http/a2a/domain/task.ts"
import { TaskStore } from "../../src/http/a2a/TaskStore.ts"
import { dataPart, getTask, type Handle, pay, rpc, send } from "../support/http/a2a.ts"
import { liveTest } from "../support/effect.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import {
  openReplica,
  pooledReplicaPorts,
  productBySettlementOrder,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { freshSchema } from "../support/stores.ts"
import { terms } from "../support/payments/terms.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined

/** The first replica stops before or after it writes this event, as if it were killed. */
interface FailurePoint {
  readonly event: TaskEvent
  readonly when: "before" | "after"
}

interface Environment {
  readonly replicas: readonly [Handle, Handle]
  /** The sum of all payments. */
  readonly received: Effect.Effect<bigint>
  /** Makes the first replica stop at this point. */
  readonly failAt: (failurePoint: FailurePoint | null) => void
  /** Completed when the first replica has stopped. */
  readonly failed: Effect.Effect<void>
}

const clientOf = (base: string): Handle => ({
  get: (path, init = {}) =>
    Effect.promise((signal) => {
      const headers = new Headers(init.headers)
      headers.set("x-forwarded-for", `198.18.0.${1 + requestCount++ % 200}`)
      return fetch(`${base}${path}`, { ...init, headers, signal })
    }),
})
/** Every request comes from another client, so that no rate limit is reached. */
let requestCount = 0

const makeEnvironment = Effect.gen(function* () {
  const url = yield* freshSchema(testDatabaseUrl ?? "")
  const owner = yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 1 })))
  yield* Effect.provideService(
    Effect.flatMap(migrationFiles, migrate),
    SqlClient,
    Context.get(owner, SqlClient),
  )
  const world = yield* stockedWorld
  const reached = yield* Deferred.make<void>()
  let failurePoint: FailurePoint | null = null
  const stop = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
  const failing = (store: TaskStore["Service"]): TaskStore["Service"] => ({
    ...store,
    move: (lease, move) => {
      if (failurePoint?.event !== move.event) return store.move(lease, move)
      return failurePoint.when === "before" ? stop : Effect.andThen(store.move(lease, move), stop)
    },
  })
  const replica = Effect.fnUntraced(function* (wrap: typeof failing) {
    const ports = yield* Layer.build(pooledReplicaPorts(url, { delay: Duration.millis(20) }))
    const client = Layer.fresh(layerPostgres({ url, maxConnections: 6 }))
    const tasks = yield* Layer.build(Layer.fresh(taskStore.layer()).pipe(Layer.provide(client)))
    const own = { ...world, tasks: wrap(Context.get(tasks, TaskStore)) }
    const { base } = yield* Effect.provide(openReplica(own), ports)
    return { base, ledger: Context.get(ports, Ledger) }
  })
  const first = yield* replica(failing)
  const second = yield* replica((store) => store)
  const environment: Environment = {
    replicas: [clientOf(first.base), clientOf(second.base)],
    received: first.ledger.received(address(terms.payTo)),
    failed: Deferred.await(reached),
    failAt: (next) => {
      failurePoint = next
    },
  }
  return environment
})

const onReplicas = (
  name: string,
  body: (environment: Environment) => Effect.Effect<void, unknown, Scope.Scope>,
) =>
  testDatabaseUrl === undefined
    ? registerSkipped(name, "set TEST_DATABASE_URL")
    : liveTest(name, () => Effect.flatMap(makeEnvironment, body))

const offer = Effect.fnUntraced(function* (replica: Handle, product: Product) {
  const { task } = yield* send(replica, [dataPart(`get_${product.id}`)])
  strictEqual(task.state, "input-required")
  return task
})
const nonceOf = (n: number) => Bytes32.make(`0x${n.toString(16).padStart(64, "7")}`)

onReplicas("a replica sells what the other offered, and both return the answer", ({
  replicas: [first, second],
  received,
}) =>
  Effect.gen(function* () {
    let total = 0n
    for (const product of Object.values(productBySettlementOrder)) {
      const { id } = yield* offer(first, product)
      const { wire } = yield* signedFor(product, { nonce: nonceOf(Number(total)) })
      const { task } = yield* pay(second, id, wire)
      total += product.price
      strictEqual(task.state, "completed", task.text)
      ok(task.answer !== null)
      for (const replica of [first, second]) {
        equal((yield* getTask(replica, id)).task.answer, task.answer)
      }
      equal((yield* pay(first, id, wire)).task.answer, task.answer, "the same message again")
      strictEqual(yield* received, total)
    }
  }))

onReplicas("of fifty payments sent for one task to both replicas at once, one is charged", ({
  replicas,
  received,
}) =>
  Effect.gen(function* () {
    const product = products.latest
    const { id } = yield* offer(replicas[0], product)
    const signed = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, n) => n),
      (n) => signedFor(product, { nonce: nonceOf(n), n: n % 5 }),
    )
    const replies = yield* Effect.forEach(
      signed,
      ({ wire }, n) => pay(n % 2 === 0 ? replicas[0] : replicas[1], id, wire),
      { concurrency: "unbounded" },
    )
    strictEqual(yield* received, product.price)
    const answered = replies.filter(({ task }) => task.answer !== null)
    strictEqual(answered.length, 1)
    for (const { status, code, task } of replies) {
      ok(status === 200 && (code === -32602 || ["completed", "working"].includes(task.state)))
    }
    const { task } = yield* getTask(replicas[1], id)
    equal([task.state, task.answer], ["completed", answered[0]?.task.answer])
  }))

onReplicas("a task is either canceled at one replica or paid and charged at the other", ({
  replicas: [first, second],
  received,
}) =>
  Effect.gen(function* () {
    const product = products.latest
    const states: Array<string> = []
    for (let n = 0; n < 20; n++) {
      const { id } = yield* offer(first, product)
      const { wire } = yield* signedFor(product, { nonce: nonceOf(n) })
      const paid = pay(second, id, wire)
      const canceled = Effect.delay(rpc(first, "tasks/cancel", { id }), Duration.millis(n % 5))
      const [payment, cancel] = yield* Effect.all([paid, canceled], { concurrency: "unbounded" })
      const { task } = yield* getTask(second, id)
      states.push(task.state)
      if (task.state === "canceled") ok(cancel.code === null && payment.task.answer === null)
      else equal([task.state, cancel.code], ["completed", -32002])
    }
    const completed = states.filter((state) => state === "completed").length
    strictEqual(yield* received, product.price * BigInt(completed))
  }))

/** Where the first replica stops during a payment, and whether it was charged by then. */
const failurePoints: ReadonlyArray<readonly [string, FailurePoint, boolean]> = [
  ["before it binds the payment", { event: "pay", when: "before" }, false],
  ["after it has bound the payment", { event: "pay", when: "after" }, false],
  ["after the sale", { event: "complete", when: "before" }, true],
]

for (const [name, failurePoint, isCharged] of failurePoints) {
  for (const [order, product] of Object.entries(productBySettlementOrder)) {
    onReplicas(`a replica that stops ${name} leaves a task that the other can finish: ${order}`, ({
      replicas: [first, second],
      received,
      failAt,
      failed,
    }) =>
      Effect.gen(function* () {
        const { id } = yield* offer(first, product)
        const { wire } = yield* signedFor(product)
        failAt(failurePoint)
        const request = yield* Effect.forkChild(pay(first, id, wire))
        yield* failed
        yield* Fiber.interrupt(request)
        strictEqual(yield* received, isCharged ? product.price : 0n)
        const { task } = yield* getTask(second, id)
        const bound = failurePoint.when === "after" ? "working" : "input-required"
        strictEqual(task.state, isCharged ? "completed" : bound)
        const again = yield* pay(second, id, wire)
        strictEqual(again.task.state, "completed", again.task.text)
        if (isCharged) equal(again.task.answer, task.answer)
        equal((yield* getTask(second, id)).task.answer, again.task.answer)
        strictEqual(yield* received, product.price)
      }))
  }
}
