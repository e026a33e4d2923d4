/**
 * Tasks of /a2a on two replicas: each reads and sells what the other offered, and a task is charged
 * once.
 *
 * Each replica is the whole service on its own socket with its own connection pools. They share only
 * one PostgreSQL, which also contains the ledger of the simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { dataPart, getTask, type Handle, pay, send } from "../support/http/a2a.ts"
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

interface Environment {
  readonly replicas: readonly [Handle, Handle]
  /** The sum of all payments. */
  readonly received: Effect.Effect<bigint>
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
  const replica = Effect.gen(function* () {
    const ports = yield* Layer.build(pooledReplicaPorts(url, { delay: Duration.millis(20) }))
    const { base } = yield* Effect.provide(openReplica(world), ports)
    return { base, ledger: Context.get(ports, Ledger) }
  })
  const first = yield* replica
  const second = yield* replica
  const environment: Environment = {
    replicas: [clientOf(first.base), clientOf(second.base)],
    received: first.ledger.received(address(terms.payTo)),
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
    const { task } = yield* getTask(replicas[1], id)
    strictEqual(task.state, "completed")
    for (const { status, task: { state, answer, text } } of replies) {
      ok(status === 200 && ["completed", "working"].includes(state), text)
      if (state === "completed") equal(answer, task.answer)
    }
  }))
