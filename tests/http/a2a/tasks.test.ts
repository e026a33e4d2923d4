/**
 * Tasks of /a2a before any payment: how a message names a skill, what an offer contains, and how
 * tasks end.
 *
 * @module
 */
import { deepStrictEqual as equal, match, notEqual, ok } from "node:assert/strict"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { products } from "../../../src/catalog/domain/product.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"
import {
  dataPart,
  getTask,
  type Json,
  objectIn,
  pay,
  rpc,
  send,
  textPart,
} from "../../support/http/a2a.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"
import { terms } from "../../support/payments/terms.ts"

const open = Effect.flatMap(makeWorld(3), makeService)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const token = /^[\w-]{43}\.[\w-]+$/
const rejection = { "x402.payment.status": "payment-rejected" }

/** The address that an offer's text names; null when it names none. */
const offeredAddress = (text: string) => /GET (\S+) over x402/.exec(text)?.[1] ?? null

test("a message names a skill in data or text, and the first data part has priority", function* () {
  const service = yield* open
  const signals = `${terms.publicBaseUrl}/v1/signals`
  const cases: ReadonlyArray<readonly [ReadonlyArray<Json>, string | null]> = [
    [[dataPart("get_signals")], signals],
    [[dataPart("get_signals", {})], signals],
    [[dataPart("get_signals", { since: 41, count: "5" })], `${signals}?since=41&count=5`],
    [[dataPart("get_signals", { since: null })], signals],
    [[textPart("get_signals")], signals],
    [[textPart("  get_signals\n")], signals],
    [[textPart('get_signals {"since":41}')], `${signals}?since=41`],
    [[textPart("get_signals since=41")], `${signals}?since=41`],
    [[textPart("get_signals since=41, count=5")], `${signals}?since=41&count=5`],
    [[textPart('{"skill":"get_signals","params":{"since":41}}')], `${signals}?since=41`],
    [
      [textPart("Hello, I'd like this:"), textPart("get_latest")],
      `${terms.publicBaseUrl}/v1/latest`,
    ],
    [[textPart("get_latest"), dataPart("get_signals")], signals],
    [[{ kind: "data", data: { other: 1 } }, textPart("get_signals")], signals],
    [[textPart("get_signals please")], null],
    [[textPart('get_signals {"since":')], null],
    [[textPart("get_signals_")], null],
    [[textPart("GET_SIGNALS")], null],
    [[textPart('{"skill":"get_rich"}')], null],
    [[textPart('{"skill":{"toString":1}}')], null],
    [[textPart("")], null],
    [[textPart(`get_signals ${" ".repeat(5_000)}`)], null],
    [[{ kind: "data", data: {} }], null],
  ]
  for (const [parts, address] of cases) {
    const { task, code } = yield* send(service, parts)
    equal([code, task.state], [null, "input-required"], JSON.stringify(parts))
    equal(offeredAddress(task.text), address, JSON.stringify(parts).slice(0, 100))
  }
})

test("a message without a skill gets a list of skills, and a reply on its task opens one for a skill", function* () {
  const service = yield* open
  const { task: opened } = yield* send(service, [textPart("What do you have?")])
  match(opened.id, token)
  match(opened.contextId, uuid)
  const listed = (opened.data?.["skills"] as ReadonlyArray<Json>).map(({ name }) => name)
  equal(listed, skills.map(({ name }) => name))
  for (const { name } of skills) ok(opened.text.includes(name), name)
  equal(opened.metadata, {})

  const again = yield* send(service, [textPart("Hm?")], { taskId: opened.id })
  equal([again.task.id, again.task.state], [opened.id, "input-required"])
  const invalid = yield* send(service, [dataPart("get_signals", { count: 0 })], {
    taskId: opened.id,
  })
  equal(invalid.code, -32602)
  const early = yield* pay(service, opened.id, {})
  equal(early.code, -32602)
  match(JSON.stringify(early.data), /the task has no paid skill/)
  const declined = yield* send(service, [textPart("no")], {
    ...{ taskId: opened.id, metadata: rejection },
  })
  equal(declined.code, -32602)

  const { task: offer } = yield* send(service, [dataPart("get_latest")], { taskId: opened.id })
  notEqual(offer.id, opened.id)
  equal([offer.contextId, offer.metadata["x402.payment.status"]], [
    opened.contextId,
    "payment-required",
  ])
  const { task: free } = yield* send(service, [textPart("get_index")], { taskId: opened.id })
  equal([free.contextId, free.state, free.answer?.["index"]], [opened.contextId, "completed", 3])
  equal((yield* getTask(service, free.id)).task, free, "a free skill is answered again")
  equal((yield* getTask(service, opened.id)).task, opened)
})

test("an offer has the payment terms of the HTTP path, for fixed parameters", function* () {
  const service = yield* open
  for (const product of Object.values(products)) {
    const headers = { "x-forwarded-for": "198.51.100.9" }
    const params = product === products.research ? { market: "a-market" } : {}
    const { task } = yield* send(service, [dataPart(`get_${product.id}`, params)], {}, headers)
    equal([task.state, task.answer, task.data], ["input-required", null, null])
    const unpaid = yield* service.get(product.path, { headers })
    const header = Base64.decodeString(unpaid.headers.get("payment-required") ?? "")
    equal(task.metadata, {
      "x402.payment.status": "payment-required",
      "x402.payment.required": JSON.parse(Result.getOrThrow(header)),
    })
  }
  const { task } = yield* send(service, [dataPart("get_signals", { since: 1 })])
  const other = yield* send(service, [dataPart("get_latest")], { taskId: task.id })
  equal(other.task, task, "the offer does not change")
})

test("a task can be canceled once, and only before a payment", function* () {
  const service = yield* open
  for (const parts of [[textPart("hello")], [dataPart("get_latest")]]) {
    const { task } = yield* send(service, parts)
    const canceled = yield* rpc(service, "tasks/cancel", { id: task.id })
    equal([canceled.task.id, canceled.task.state], [task.id, "canceled"])
    const again = yield* rpc(service, "tasks/cancel", { id: task.id })
    equal([again.code, again.message, again.data], [
      ...[-32002, "Task cannot be canceled"],
      { state: "canceled" },
    ])
    equal((yield* getTask(service, task.id)).task, task, "no record is kept")
  }
  const { task } = yield* send(service, [dataPart("get_index")])
  const completed = yield* rpc(service, "tasks/cancel", { id: task.id })
  equal([completed.code, completed.data], [-32002, { state: "completed" }])
})

test("a client that rejects the payment ends the task", function* () {
  const service = yield* open
  const { task } = yield* send(service, [dataPart("get_latest")])
  const no = yield* send(service, [textPart("Too dear.")], {
    taskId: task.id,
    metadata: rejection,
  })
  equal([no.task.id, no.task.state, no.task.metadata], [task.id, "canceled", rejection])
})

test("a payment with the first message is refused without being read", function* () {
  const service = yield* open
  for (const metadata of [rejection, { "x402.payment.payload": { x402Version: 2 } }]) {
    const reply = yield* send(service, [dataPart("get_latest")], { metadata })
    equal(reply.code, -32602)
    match(JSON.stringify(reply.data), /reply on its task/)
  }
})

test("a task does not expire, and is in the context that its client names", () =>
  Effect.gen(function* () {
    const service = yield* open
    const { task } = yield* send(service, [dataPart("get_latest")], { contextId: "of-mine" })
    const { task: other } = yield* send(service, [dataPart("get_latest")], { contextId: "of-mine" })
    equal([task.contextId, other.contextId], ["of-mine", "of-mine"])
    notEqual(task.id, other.id)
    const elsewhere = yield* send(service, [], { taskId: task.id, contextId: "another" })
    equal(elsewhere.code, -32602)
    const wrong = yield* send(service, [textPart("?")], { taskId: task.id, contextId: "another" })
    equal([wrong.code, objectIn((wrong.data["violations"] as ReadonlyArray<Json>)[0])["field"]], [
      -32602,
      "message.contextId",
    ])
    const right = yield* send(service, [textPart("?")], { taskId: task.id, contextId: "of-mine" })
    equal(right.code, null)
    return task.id
  }).pipe(
    Effect.scoped,
    Effect.tap(() => TestClock.adjust("2 hours")),
    Effect.flatMap((id) => Effect.flatMap(open, (service) => getTask(service, id))),
    Effect.map(({ task }) => equal(task.contextId, "of-mine")),
  ))

test("an id that the service did not sign names no task", function* () {
  const service = yield* open
  const { task: { id } } = yield* send(service, [dataPart("get_latest")])
  const [secret = "", content = ""] = id.split(".")
  const other = yield* send(service, [dataPart("get_signals")])
  const forged = [
    ...[content, secret, `${secret}.`, `.${content}`, `${id}.`, `${id}A`, ` ${id}`],
    `${other.task.id.split(".")[0]}.${content}`,
    `${"A".repeat(43)}.${content}`,
    `${secret}.${content.slice(0, -1)}${content.endsWith("A") ? "B" : "A"}`,
  ]
  for (const id of forged) equal((yield* getTask(service, id)).code, -32001, id)
})

test("an id of the longest parameters and context can be replied to", function* () {
  const service = yield* open
  const long = { market: "m".repeat(200) }
  const { task, data } = yield* send(service, [dataPart("get_research", long)], {
    contextId: "c".repeat(128),
  })
  equal(task.state, "input-required", JSON.stringify(data))
  const reply = yield* send(service, [textPart("?")], { taskId: task.id })
  equal([reply.code, reply.task.id], [null, task.id])
})

test("no history is kept", function* () {
  const service = yield* open
  const { task } = yield* send(service, [textPart("one")])
  for (const length of [undefined, 0, 1, 50]) {
    equal((yield* getTask(service, task.id, length)).task.history, [])
  }
  equal((yield* getTask(service, task.id, -1)).code, -32602)
})
