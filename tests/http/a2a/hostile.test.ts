/**
 * Tasks under faults and hostile clients: a task store that fails during a sale; and clients that
 * forge payments, disconnect, or send inconsistent messages.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Layer, Option, Ref } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { type Task, type TaskEvent, TaskId, taskLife } from "../../../src/http/a2a/domain/task.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { TaskMove, TaskStore } from "../../../src/http/a2a/TaskStore.ts"
import {
  dataPart,
  getTask,
  message,
  objectIn,
  pay,
  rpc,
  send,
  textPart,
} from "../../support/http/a2a.ts"
import {
  a2aService,
  errorIn,
  forged,
  offer,
  pricesTaken,
  serviceOver,
  signed,
} from "../../support/http/a2aService.ts"
import { eventLoopTurn, test } from "../../support/effect.ts"
import { makeService, type World } from "../../support/http/httpService.ts"
import { memoryTasks } from "../../support/http/memoryTasks.ts"
import { inMarket, passing } from "../../support/payments/sales.ts"
import { stockedWorld } from "../../support/http/socketReplicas.ts"
import { nonce } from "../../support/payments/terms.ts"

const { latest, resolving, signal } = products

type Tasks = TaskStore["Service"]

/** A service with a changed task store; `world` keeps the unchanged one. */
const serviceWithTasks = Effect.fnUntraced(function* (change: (tasks: Tasks) => Tasks) {
  const world = yield* stockedWorld
  const tasks = change(world.tasks)
  const payments = yield* Payments
  return { world, service: yield* serviceOver({ ...world, tasks }, payments) }
})

/** A service whose task store fails the moves of some events. */
const serviceFailingMoves = (events: ReadonlyArray<TaskEvent>, failure: Effect.Effect<never>) =>
  serviceWithTasks((tasks) => ({
    ...tasks,
    move: (task: Task, move: TaskMove) =>
      events.includes(move.event) ? failure : tasks.move(task, move),
  }))

const failures = {
  dies: Effect.die(new Error("connection lost")),
  hangs: Effect.never,
}
for (const [how, failure] of Object.entries(failures)) {
  test(`a sold answer is delivered even when the task store ${how}`, () =>
    inMarket(Effect.gen(function* () {
      const { service, world } = yield* serviceFailingMoves(["complete"], failure)
      const { id } = yield* offer(service, latest)
      const { status, task } = yield* pay(service, id, yield* signed(latest))
      equal([status, task.state, task.metadata["x402.payment.status"]], [
        ...[200, "completed"],
        "payment-completed",
      ])
      equal([task.answer?.["success"], yield* pricesTaken], [true, latest.price as bigint])
      const healthy = yield* serviceOver(world, yield* Payments)
      equal((yield* getTask(healthy, id)).task.answer, task.answer, "the row is updated")
      const row = Option.getOrThrow(yield* world.tasks.find(TaskId.make(id)))
      equal(row.state, "completed")
    })))

  test(`a refund is returned even when the task store ${how}`, () =>
    inMarket(Effect.gen(function* () {
      const { service, world } = yield* serviceFailingMoves(["fail"], failure)
      yield* Ref.set(world.productPorts.books, [])
      const { id } = yield* offer(service, resolving)
      const { status, task } = yield* pay(service, id, yield* signed(resolving))
      equal([status, task.state, errorIn(task)["charged"]], [200, "failed", true])
      equal(objectIn(errorIn(task)["refund"])["state"], "queued")
    })))

  test(`a payment is a 500 with charged null when the task store ${how} before the sale`, () =>
    inMarket(Effect.gen(function* () {
      const { service } = yield* serviceFailingMoves(["pay"], failure)
      const { id } = yield* offer(service, latest)
      const reply = yield* pay(service, id, yield* signed(latest))
      equal([reply.status, reply.id, reply.code, reply.data["charged"]], [500, 7, -32603, null])
      match(String(reply.data["hint"]), /send the same payment again with the same key/)
    })))
}

test("a failed call without a payment has charged false and its request's id", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* serviceWithTasks((tasks) => ({
      ...tasks,
      find: () => failures.dies,
    }))
    const { id } = yield* offer(service, latest)
    const reply = yield* getTask(service, id)
    equal([reply.status, reply.id, reply.code, reply.data["charged"]], [500, 7, -32603, false])
  })))

test("a client over the limit of invalid payments causes no store writes", () =>
  inMarket(Effect.gen(function* () {
    let moves = 0
    const { service } = yield* serviceWithTasks((tasks) => ({
      ...tasks,
      move: (task, move) => {
        moves += 1
        return tasks.move(task, move)
      },
    }))
    for (let n = 0; n < 31; n++) {
      const { id } = yield* offer(service, latest)
      yield* pay(service, id, forged(yield* signed(latest, { nonce: nonce(n) })))
    }
    const { id } = yield* offer(service, latest)
    const payload = forged(yield* signed(latest, { nonce: nonce(99) }))
    moves = 0
    for (let n = 0; n < 20; n++) equal((yield* pay(service, id, payload)).status, 429)
    equal(moves, 0)
  })))

test("a free skill with payment metadata is refused, and spends the documents' budget", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const rejection = { metadata: { "x402.payment.status": "payment-rejected" } }
    const reply = yield* send(service, [dataPart("get_index")], rejection)
    equal(reply.code, -32602)
    match(reply.headers.get("ratelimit") ?? "", /^"documents";/)
    const free = yield* send(service, [dataPart("get_index")])
    match(free.headers.get("ratelimit") ?? "", /^"free";/)
  })))

test("a forged copy of a payment does not fail the task that is paying with it", () =>
  inMarket(
    Effect.gen(function* () {
      const { service } = yield* a2aService
      const { id } = yield* offer(service, latest)
      const payload = yield* signed(latest)
      const first = yield* Effect.forkChild(pay(service, id, payload))
      for (let n = 0; n < 20; n++) yield* eventLoopTurn
      const second = yield* pay(service, id, forged(payload))
      equal(second.task.state, "working")
      const { task } = yield* Fiber.join(first)
      equal([task.state, (yield* getTask(service, id)).task], ["completed", task])
    }),
    { delay: Duration.seconds(2) },
  ))

/** Submits a payment and disconnects while it is verified; returns the stored task. */
const payAndDisconnect = Effect.fnUntraced(function* (world: World, id: string, payload: unknown) {
  const { handle } = yield* makeService(world, Layer.succeed(Payments, yield* Payments))
  const connection = new AbortController()
  const metadata = {
    "x402.payment.status": "payment-submitted",
    "x402.payment.payload": payload,
  }
  const params = message([textPart("x")], { taskId: id, metadata })
  const request = new Request("http://any.host/a2a", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params }),
    signal: connection.signal,
  })
  const peer = { transport: "tcp", hostname: "192.0.2.66", port: 1 } as const
  Promise.resolve(handle(request, { remoteAddr: peer })).catch(() => {})
  const row = Effect.map(world.tasks.find(TaskId.make(id)), Option.getOrThrow)
  for (let n = 0; n < 40; n++) yield* eventLoopTurn
  equal((yield* row).state, "paying")
  connection.abort()
  for (let n = 0; n < 40; n++) yield* eventLoopTurn
  return yield* row
})

test("an unclaimed payment is released when its client disconnects", () =>
  inMarket(
    Effect.gen(function* () {
      const { service, world } = yield* a2aService
      const { id } = yield* offer(service, latest)
      const row = yield* payAndDisconnect(world, id, forged(yield* signed(latest)))
      equal([row.state, row.paymentId], ["offered", null])
      equal((yield* getTask(service, id)).task.state, "input-required")
    }),
    { chainSilent: () => true },
  ))

test("a client that disconnects before settlement can send its payment again", () =>
  inMarket(
    Effect.gen(function* () {
      const { service, world } = yield* a2aService
      const { id } = yield* offer(service, latest)
      const payload = yield* signed(latest)
      yield* payAndDisconnect(world, id, payload)
      yield* passing(10)
      equal((yield* getTask(service, id)).task.state, "input-required")
      equal((yield* pay(service, id, payload)).task.state, "completed")
      equal(yield* pricesTaken, latest.price as bigint)
    }),
    { delay: Duration.seconds(2) },
  ))

test("forged payments of one client, connected or not, do not block /a2a for other clients", () =>
  inMarket(
    Effect.gen(function* () {
      const world = {
        ...yield* stockedWorld,
        tasks: memoryTasks({ perClientMax: 5, totalMax: 10 }),
      }
      const service = yield* serviceOver(world, yield* Payments)
      for (let n = 0; n < 12; n++) {
        const { id } = yield* offer(service, latest)
        const payload = forged(yield* signed(latest, { nonce: nonce(n) }))
        if (n % 2 === 0) yield* pay(service, id, payload)
        else yield* payAndDisconnect(world, id, payload)
      }
      const elsewhere = { "x-forwarded-for": "198.51.100.9" }
      for (let n = 0; n < 4; n++) {
        const other = yield* send(service, [dataPart("get_latest")], {}, elsewhere)
        equal([other.status, other.task.state], [200, "input-required"])
      }
    }),
    { chainSilent: () => true },
  ))

test("a client with too many paying tasks is refused, and another client is not", () =>
  inMarket(Effect.gen(function* () {
    const world = { ...yield* stockedWorld, tasks: memoryTasks({ perClientMax: 2, totalMax: 10 }) }
    const service = yield* serviceOver(world, yield* Payments)
    for (let n = 0; n < 2; n++) {
      const { id } = yield* offer(service, latest)
      const task = Option.getOrThrow(yield* world.tasks.find(TaskId.make(id)))
      const paymentId = PaymentId.make(`0x${"1".repeat(64)}`)
      yield* world.tasks.move(task, {
        ...{ event: "pay", paymentId, life: taskLife, note: null, messages: [] },
      })
    }
    const full = yield* send(service, [dataPart("get_latest")])
    equal([full.status, full.code, full.data["code"], full.data["charged"]], [
      ...[429, -32000, "rate_limited"],
      false,
    ])
    equal(full.headers.get("retry-after"), "10")
    match(String(full.message), /its limit of tasks with a payment in progress/)
    const elsewhere = { "x-forwarded-for": "198.51.100.9" }
    equal((yield* send(service, [dataPart("get_latest")], {}, elsewhere)).status, 200)
  })))

test("the text of a payment error begins with Payment failed, a product's error does not", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, signal, { index: 99 })
    const { task } = yield* pay(service, id, yield* signed(signal))
    equal(task.text, "The feed has no item with index 99. Nothing was charged.")
    const other = yield* offer(service, latest)
    const { task: failed } = yield* pay(
      service,
      other.id,
      forged(yield* signed(latest, { nonce: nonce(1) })),
    )
    match(failed.text, /^Payment failed: The signature is not the payer's/)
  })))

test("a payment on an unknown task or in an invalid message is reported as not read", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const { id } = yield* offer(service, latest)
    const unknown = yield* pay(service, crypto.randomUUID(), {})
    equal(unknown.code, -32001)
    const presented = { "x402.payment.payload": {} }
    const elsewhere = yield* send(service, [textPart("x")], {
      ...{ taskId: id, contextId: "another", metadata: presented },
    })
    const misspelt = yield* send(service, [textPart("x")], {
      ...{ taskId: id, metadata: { ...presented, "x402.payment.status": "paid" } },
    })
    equal([elsewhere.code, misspelt.code], [-32602, -32602])
    for (const { data } of [unknown, elsewhere, misspelt]) {
      equal(data["payment"], "The payment was not read by this call")
    }
    const unpaid = yield* rpc(service, "tasks/get", { id: crypto.randomUUID() })
    ok(!("payment" in unpaid.data))
  })))

test("over the documents' limit a payment that was not read has charged null", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const payUnknown = () => pay(service, crypto.randomUUID(), {})
    for (let n = 0; n < 120; n++) equal((yield* payUnknown()).status, 200)
    const paid = yield* payUnknown()
    const unpaid = yield* rpc(service, "tasks/get", { id: crypto.randomUUID() })
    equal([paid.status, unpaid.status], [429, 429])
    equal([paid.data["charged"], unpaid.data["charged"]], [null, false])
  })))

test("an offer states how long its task can be paid for", () =>
  inMarket(Effect.gen(function* () {
    const { service } = yield* a2aService
    const { text } = yield* offer(service, latest)
    match(text, /The task can be paid for 10 minutes after it was opened\./)
  })))
