/**
 * /a2a against A2A 0.3.0: its methods, every error it documents, and the HTTP statuses.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { skills } from "../../../src/catalog/domain/skill.ts"
import {
  dataPart,
  getTask,
  type Json,
  message,
  objectIn,
  posting,
  type Reply,
  rpc,
  send,
  textPart,
} from "../../support/http/a2a.ts"
import { eventLoopTurn, test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"

const open = Effect.flatMap(makeWorld(3), makeService)
const index = [dataPart("get_index")]
const unknownTask = "3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11"

/** The fields that an error names as invalid. */
const invalidFields = ({ data }: Reply) =>
  (data["violations"] as ReadonlyArray<Json> ?? []).map(({ field }) => field)

const bodies: ReadonlyArray<readonly [what: string, body: BodyInit, code: number, id: unknown]> = [
  ["no JSON", "{", -32700, null],
  ["nothing", "", -32700, null],
  ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), -32700, null],
  ["a batch", "[]", -32600, null],
  ["a word", '"message/send"', -32600, null],
  ["null", "null", -32600, null],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"tasks/get"}', -32600, null],
  ["an id that is a list", '{"jsonrpc":"2.0","id":[1],"method":"tasks/get"}', -32600, null],
  ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"tasks/get"}', -32600, null],
  ["no method", '{"jsonrpc":"2.0","id":3}', -32600, 3],
  ["a method that is a number", '{"jsonrpc":"2.0","id":3,"method":1}', -32600, 3],
  ["another JSON-RPC", '{"jsonrpc":"1.0","id":"a","method":"tasks/get"}', -32600, "a"],
  ["no JSON-RPC", '{"id":"a","method":"tasks/get"}', -32600, "a"],
  ["an unknown method", '{"jsonrpc":"2.0","id":0,"method":"foo/bar"}', -32601, 0],
  ["a method of 1.0", '{"jsonrpc":"2.0","id":1,"method":"SendMessage"}', -32601, 1],
  ["tasks/list", '{"jsonrpc":"2.0","id":1,"method":"tasks/list"}', -32601, 1],
  ["parameters in a list", '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":[]}', -32602, 1],
  ["no parameters", '{"jsonrpc":"2.0","id":1,"method":"message/send"}', -32602, 1],
  ["no id of a task", '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}', -32602, 1],
]

for (const [what, body, code, id] of bodies) {
  test(`${what} is ${code}, with HTTP status 200`, function* () {
    const reply = yield* posting(yield* open, body)
    equal([reply.status, reply.code, reply.id], [200, code, id])
    equal(reply.body["jsonrpc"], "2.0")
    equal(reply.headers.get("content-type"), "application/json")
    equal(reply.headers.get("cache-control"), "no-store")
  })
}

const pushConfig = { url: "https://any.host/push" }
const configured = (configuration: unknown) => ({ ...message(index), configuration })
const calls: ReadonlyArray<readonly [method: string, params: Json, code: number, text: string]> = [
  ["message/stream", message(index), -32004, "This operation is not supported"],
  ["tasks/resubscribe", { id: unknownTask }, -32004, "This operation is not supported"],
  ...["set", "get", "list", "delete"].map((verb) =>
    [
      `tasks/pushNotificationConfig/${verb}`,
      { id: unknownTask, taskId: unknownTask, pushNotificationConfig: pushConfig },
      -32003,
      "Push Notification is not supported",
    ] as const
  ),
  [
    "message/send",
    configured({ pushNotificationConfig: pushConfig }),
    -32003,
    "Push Notification is not supported",
  ],
  [
    "agent/getAuthenticatedExtendedCard",
    {},
    -32007,
    "Authenticated Extended Card is not configured",
  ],
  [
    "message/send",
    configured({ acceptedOutputModes: ["image/png", "audio/*"] }),
    -32005,
    "Incompatible content types",
  ],
  [
    "message/send",
    message([{ kind: "file", file: { uri: "https://any.host/f" } }, ...index]),
    -32005,
    "Incompatible content types",
  ],
  ["tasks/get", { id: unknownTask }, -32001, "Task not found"],
  ["tasks/get", { id: "../../etc" }, -32001, "Task not found"],
  ["tasks/cancel", { id: unknownTask }, -32001, "Task not found"],
  ["message/send", message(index, { taskId: unknownTask }), -32001, "Task not found"],
  ["message/send", message(index, { taskId: "x" }), -32001, "Task not found"],
]

for (const [method, params, code, text] of calls) {
  test(`${method} with ${JSON.stringify(params).slice(0, 90)} is ${code}`, function* () {
    const reply = yield* rpc(yield* open, method, params)
    equal([reply.status, reply.code, reply.message, reply.id], [200, code, text, 7])
  })
}

test("the error for an invalid message names each invalid field", function* () {
  const service = yield* open
  const cases: ReadonlyArray<readonly [Json, ReadonlyArray<string>]> = [
    [{}, ["message"]],
    [{ message: [] }, ["message"]],
    [{ message: {} }, ["message.role", "message.messageId", "message.parts"]],
    [message([]), ["message.parts"]],
    [message({}), ["message.parts"]],
    [message(index, { kind: "task" }), ["message.kind"]],
    [message(index, { role: "agent" }), ["message.role"]],
    [message(index, { messageId: "" }), ["message.messageId"]],
    [message(index, { messageId: "x".repeat(2_049) }), ["message.messageId"]],
    [message(index, { taskId: 1, contextId: "a\0b" }), ["message.taskId", "message.contextId"]],
    [message([{ kind: "video" }]), ["message.parts[0]"]],
    [message([...index, null]), ["message.parts[1]"]],
    [message([textPart(5)]), ["message.parts[0].text"]],
    [message([{ kind: "data", data: [] }]), ["message.parts[0].data"]],
    [message([{ kind: "file" }]), ["message.parts[0].file"]],
    [message(Array.from({ length: 21 }, () => index[0])), ["message.parts"]],
    [message([dataPart("get_rich")]), ["message.parts[0].data.skill"]],
    [message([dataPart(5)]), ["message.parts[0].data.skill"]],
    [message([dataPart({ toString: 1 })]), ["message.parts[0].data.skill"]],
    [message([textPart("x"), dataPart("get_signals", [])]), [
      "message.parts[1].data.params.arguments",
    ]],
    [message([dataPart("get_signals", { count: 21, since: "x" })]), [
      "message.parts[0].data.params.since",
      "message.parts[0].data.params.count",
    ]],
    [message([dataPart("get_signals", { limit: 5 })]), ["message.parts[0].data.params.limit"]],
    [message([dataPart("get_index", { a: 1 })]), ["message.parts[0].data.params.a"]],
    [message([dataPart("get_research")]), ["message.parts[0].data.params.market"]],
    [message([textPart("get_signals count=99")]), ["message.parts[0].text.count"]],
    [message(index, { metadata: [] }), ["message.metadata"]],
    [message(index, { metadata: { "x402.payment.status": "payment-completed" } }), [
      'message.metadata["x402.payment.status"]',
    ]],
    [message(index, { metadata: { "x402.payment.status": "payment-submitted" } }), [
      'message.metadata["x402.payment.payload"]',
    ]],
    [configured([]), ["configuration"]],
    [configured({ historyLength: -1 }), ["configuration.historyLength"]],
    [configured({ acceptedOutputModes: "application/json" }), [
      "configuration.acceptedOutputModes",
    ]],
  ]
  for (const [params, fields] of cases) {
    const reply = yield* rpc(service, "message/send", params, {
      "x-forwarded-for": "198.51.100.7",
    })
    equal([reply.status, reply.code, reply.message], [200, -32602, "Invalid parameters"])
    equal(invalidFields(reply), fields, JSON.stringify(params).slice(0, 200))
  }
  const { task } = yield* send(service, [textPart("hello")])
  for (const length of ["5", 1.5, -1]) {
    equal(invalidFields(yield* getTask(service, task.id, length)), ["historyLength"])
  }
})

test("one supported output mode among the accepted ones is enough", function* () {
  const service = yield* open
  for (const modes of [[], ["text/plain"], ["image/png", "Application/JSON; charset=utf-8"]]) {
    const params = configured({ acceptedOutputModes: modes, blocking: true })
    equal((yield* rpc(service, "message/send", params)).task.state, "completed", String(modes))
  }
})

test("a version of A2A that is not 0.3 is -32009, and an empty one is 0.3", function* () {
  const service = yield* open
  for (const version of ["1.0", "0.2.6", "0.30", "x"]) {
    const reply = yield* rpc(service, "message/send", message(index), { "a2a-version": version })
    equal([reply.status, reply.code, reply.data], [200, -32009, { supported: ["0.3"] }], version)
  }
  for (const version of ["", "0.3", "0.3.0"]) {
    const reply = yield* rpc(service, "tasks/get", { id: unknownTask }, {
      "a2a-version": version,
    })
    equal(reply.code, -32001, version)
  }
})

test("the supported extensions are activated when a header names them", function* () {
  const service = yield* open
  const [v2, v1] = [
    "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2",
    "https://github.com/google-a2a/a2a-x402/v0.1",
  ]
  const echoed = (headers: Record<string, string>) =>
    Effect.map(
      rpc(service, "tasks/get", { id: unknownTask }, headers),
      ({ headers }) => headers.get("x-a2a-extensions"),
    )
  equal(yield* echoed({}), null)
  equal(yield* echoed({ "x-a2a-extensions": "https://any.host/ext" }), null)
  equal(yield* echoed({ "x-a2a-extensions": `https://any.host/ext, ${v1}` }), v1)
  equal(yield* echoed({ "a2a-extensions": `${v1},${v2}` }), `${v2}, ${v1}`)
})

test("a request refused by HTTP rules has its own status, and a JSON-RPC body", function* () {
  const service = yield* open
  const typed = yield* posting(service, "{}", { "content-type": "text/plain" })
  equal([typed.status, typed.code, typed.data["code"]], [
    ...[415, -32600],
    "unsupported_media_type",
  ])
  const large = yield* posting(service, " ".repeat(64 * 1_024 + 1))
  equal([large.status, large.code, large.data["code"]], [413, -32600, "payload_too_large"])
  const atMost = yield* posting(service, " ".repeat(64 * 1_024))
  equal([atMost.status, atMost.code], [200, -32700])
})

test("a body that does not arrive within three seconds is a 408", function* () {
  const service = yield* open
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
  })
  const waiting = yield* Effect.forkChild(posting(service, body))
  yield* TestClock.adjust("2 seconds")
  yield* eventLoopTurn
  equal(waiting.pollUnsafe(), undefined)
  yield* TestClock.adjust("1 second")
  const reply = yield* Fiber.join(waiting)
  equal([reply.status, reply.code], [408, -32700])
})

test("every call except free skills spends the documents' budget, invalid calls too", function* () {
  const service = yield* open
  const { task } = yield* send(service, [dataPart("get_latest")])
  const others: ReadonlyArray<Effect.Effect<Reply>> = [
    ...bodies.map(([, body]) => posting(service, body)),
    ...calls.map(([method, params]) => rpc(service, method, params)),
    rpc(service, "tasks/get", { id: task.id }),
    rpc(service, "tasks/cancel", { id: task.id }),
    send(service, [textPart("hello")]),
    send(service, [dataPart("get_signals")]),
    send(service, [dataPart("get_signals")], { metadata: { "x402.payment.payload": {} } }),
    posting(service, "{}", { "content-type": "text/html" }),
  ]
  let left = 118
  for (const other of others) {
    const { headers } = yield* other
    match(headers.get("ratelimit") ?? "", new RegExp(`^"documents";r=${left};t=\\d+$`))
    left -= 1
  }
  while (left-- >= 0) yield* rpc(service, "tasks/get", { id: unknownTask })
  for (const other of others) {
    const over = yield* other
    equal([over.status, over.code, over.data["code"]], [429, -32000, "rate_limited"])
    equal(over.headers.get("retry-after"), String(over.data["retryAfterSeconds"]))
  }
  equal(
    (yield* send(service, index)).task.state,
    "completed",
    "free skills have their own budget",
  )
})

test("a free skill returns the body of its HTTP path, and spends the same budget", function* () {
  const service = yield* open
  let n = 0
  for (const { kind, name, path } of skills) {
    if (kind !== "free") continue
    const headers = { "x-forwarded-for": `203.0.113.${n++}` }
    const { task, headers: sent } = yield* send(service, [dataPart(name, {})], {}, headers)
    equal(sent.get("ratelimit")?.startsWith('"free";r=4;'), true, name)
    const overHttp = yield* service.get(path, { headers })
    equal(overHttp.headers.get("ratelimit")?.startsWith('"free";r=3;'), true, name)
    equal(task.answer, yield* Effect.promise(() => overHttp.json()), name)
    equal([task.state, task.metadata], ["completed", {}])
  }
  ok(n >= 8)
  for (let at = 0; at < 5; at++) equal((yield* send(service, index)).status, 200)
  const over = yield* send(service, index)
  equal([over.status, over.code, over.data["code"]], [429, -32000, "rate_limited"])
  equal((yield* service.get("/v1/index")).status, 429)
})

test("a free skill without an answer is a failed task with the documented error", function* () {
  const world = yield* makeWorld(3)
  yield* world.digests.prune(Infinity)
  const service = yield* makeService(world)
  const { status, task } = yield* send(service, [dataPart("get_digest_brief")])
  equal([status, task.state, task.answer], [200, "failed", null])
  equal(objectIn(task.data?.["error"])["code"], "not_found")
})

test("while the store is down every call is a 503 with a JSON-RPC error", function* () {
  const world = yield* makeWorld(3)
  const service = yield* makeService(world)
  yield* Ref.set(world.storeUp, false)
  for (const [method, params] of calls) {
    const reply = yield* rpc(service, method, params)
    equal([reply.status, reply.code, reply.data["code"]], [503, -32000, "overloaded"])
    strictEqual(reply.headers.get("retry-after"), "2")
  }
})
