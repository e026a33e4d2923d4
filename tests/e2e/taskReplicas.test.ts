/**
 * Tasks of /a2a over two replicas: what one offers the other sells, what one leaves the other ends, and
 * nobody is charged for a task that was canceled.
 *
 * The replicas are whole faces on sockets of their own, each with pools of its own on one PostgreSQL,
 * which is all they share: the ledger of the simulated chain is in it too.
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

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL")

/** What a replica's process does with a move it makes: it dies before or after it, in the test's eyes. */
interface Death {
  readonly event: TaskEvent
  readonly when: "before" | "after"
}

interface House {
  readonly replicas: readonly [Handle, Handle]
  /** What was received in all. */
  readonly received: Effect.Effect<bigint>
  /** The first replica goes no further than this. */
  readonly die: (death: Death | null) => void
  /** Done when it has gone so far. */
  readonly died: Effect.Effect<void>
}

const over = (base: string): Handle => ({
  get: (path, init = {}) =>
    Effect.promise((signal) => {
      const headers = new Headers(init.headers)
      headers.set("x-forwarded-for", `198.18.0.${1 + callers++ % 200}`)
      return fetch(`${base}${path}`, { ...init, headers, signal })
    }),
})
/** Every call comes from another client, so that no budget is used up. */
let callers = 0

const house = Effect.gen(function* () {
  const url = yield* freshSchema(testDatabaseUrl ?? "")
  const owner = yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 1 })))
  yield* Effect.provideService(
    Effect.flatMap(migrationFiles, migrate),
    SqlClient,
    Context.get(owner, SqlClient),
  )
  const world = yield* stockedWorld
  const reached = yield* Deferred.make<void>()
  let death: Death | null = null
  const dead = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
  const mortal = (store: TaskStore["Service"]): TaskStore["Service"] => ({
    ...store,
    move: (held, move) => {
      if (death?.event !== move.event) return store.move(held, move)
      return death.when === "before" ? dead : Effect.andThen(store.move(held, move), dead)
    },
  })
  const replica = Effect.fnUntraced(function* (over: typeof mortal) {
    const ports = yield* Layer.build(pooledReplicaPorts(url, { delay: Duration.millis(20) }))
    const client = Layer.fresh(layerPostgres({ url, maxConnections: 6 }))
    const kept = yield* Layer.build(Layer.fresh(taskStore.layer()).pipe(Layer.provide(client)))
    const own = { ...world, tasks: over(Context.get(kept, TaskStore)) }
    const { base } = yield* Effect.provide(openReplica(own), ports)
    return { base, ledger: Context.get(ports, Ledger) }
  })
  const first = yield* replica(mortal)
  const second = yield* replica((store) => store)
  const house: House = {
    replicas: [over(first.base), over(second.base)],
    received: first.ledger.received(address(terms.payTo)),
    died: Deferred.await(reached),
    die: (next) => {
      death = next
    },
  }
  return house
})

const onReplicas = (
  name: string,
  body: (house: House) => Effect.Effect<void, unknown, Scope.Scope>,
) =>
  testDatabaseUrl === undefined
    ? registerSkipped(name, "set TEST_DATABASE_URL")
    : liveTest(name, () => Effect.flatMap(house, body))

const offer = Effect.fnUntraced(function* (face: Handle, product: Product) {
  const { task } = yield* send(face, [dataPart(`get_${product.id}`)])
  strictEqual(task.state, "input-required")
  return task
})
const nonceOf = (n: number) => Bytes32.make(`0x${n.toString(16).padStart(64, "7")}`)

onReplicas("what one replica offers the other sells, and both have the answer", ({
  replicas: [first, second],
  received,
}) =>
  Effect.gen(function* () {
    let owed = 0n
    for (const product of Object.values(productBySettlementOrder)) {
      const { id } = yield* offer(first, product)
      const { wire } = yield* signedFor(product, { nonce: nonceOf(Number(owed)) })
      const { task } = yield* pay(second, id, wire)
      owed += product.price
      strictEqual(task.state, "completed", task.text)
      ok(task.answer !== null)
      for (const replica of [first, second]) {
        equal((yield* getTask(replica, id)).task.answer, task.answer)
      }
      equal((yield* pay(first, id, wire)).task.answer, task.answer, "the same message again")
      strictEqual(yield* received, owed)
    }
  }))

onReplicas("of fifty payments shown for one task at both replicas at once, one is taken", ({
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

onReplicas("a task is canceled at one replica or paid for at the other, and charged only then", ({
  replicas: [first, second],
  received,
}) =>
  Effect.gen(function* () {
    const product = products.latest
    const ends: Array<string> = []
    for (let n = 0; n < 20; n++) {
      const { id } = yield* offer(first, product)
      const { wire } = yield* signedFor(product, { nonce: nonceOf(n) })
      const paid = pay(second, id, wire)
      const canceled = Effect.delay(rpc(first, "tasks/cancel", { id }), Duration.millis(n % 5))
      const [payment, cancel] = yield* Effect.all([paid, canceled], { concurrency: "unbounded" })
      const { task } = yield* getTask(second, id)
      ends.push(task.state)
      if (task.state === "canceled") ok(cancel.code === null && payment.task.answer === null)
      else equal([task.state, cancel.code], ["completed", -32002])
    }
    const completed = ends.filter((end) => end === "completed").length
    strictEqual(yield* received, product.price * BigInt(completed))
  }))

/** Where the first replica dies with a payment in its hands, and whether it was taken by then. */
const deaths: ReadonlyArray<readonly [string, Death, boolean]> = [
  ["before it binds the payment", { event: "pay", when: "before" }, false],
  ["when it has bound the payment", { event: "pay", when: "after" }, false],
  ["when it has sold", { event: "complete", when: "before" }, true],
]

for (const [name, death, taken] of deaths) {
  for (const [order, product] of Object.entries(productBySettlementOrder)) {
    onReplicas(`a replica that dies ${name}, ${order}, leaves nothing that the other cannot end`, ({
      replicas: [first, second],
      received,
      die,
      died,
    }) =>
      Effect.gen(function* () {
        const { id } = yield* offer(first, product)
        const { wire } = yield* signedFor(product)
        die(death)
        const call = yield* Effect.forkChild(pay(first, id, wire))
        yield* died
        yield* Fiber.interrupt(call)
        strictEqual(yield* received, taken ? product.price : 0n)
        const { task } = yield* getTask(second, id)
        const bound = death.when === "after" ? "working" : "input-required"
        strictEqual(task.state, taken ? "completed" : bound)
        const again = yield* pay(second, id, wire)
        strictEqual(again.task.state, "completed", again.task.text)
        if (taken) equal(again.task.answer, task.answer)
        equal((yield* getTask(second, id)).task.answer, again.task.answer)
        strictEqual(yield* received, product.price)
      }))
  }
}
