/**
 * POST /a2a: the skills over A2A 0.3.0 with JSON-RPC. GET /a2a returns the agent card.
 *
 * Errors of the protocol have HTTP status 200. Rate limits and temporary failures have their own
 * status, also with a JSON-RPC body. A free skill is answered at once, with the bytes and the rate
 * limit of its HTTP row. Every other call spends the rate limit of documents, except a payment that
 * reaches the checkout.
 *
 * @module
 */
import { Cause, Effect, Option, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { FreeSkill } from "../../catalog/domain/skill.ts"
import { storeWithDeadline } from "../../core/deadline.ts"
import { Payments } from "../../payments/Payments.ts"
import { x402Extensions } from "../documents/cards.ts"
import type { Answer, HeaderPair } from "../server/answer.ts"
import type { EdgeRoute } from "../server/edge.ts"
import { overloaded, RequestId, tooManyTasks } from "../server/errors.ts"
import {
  asRpcRefusal,
  errorBody,
  isObject,
  type MessageId,
  objectOf,
  rpcCodes,
  type RpcError,
} from "../server/jsonRpc.ts"
import { clientKeys, spend } from "../server/limits.ts"
import { onDelivered, toWebHandler } from "../server/server.ts"
import { freeSkillAnswer, queryOf, type SkillPorts } from "../skills.ts"
import { type Task, TaskId, taskLife, type TaskNote } from "./domain/task.ts"
import { completedText, viewOf, wireTask } from "./domain/taskView.ts"
import {
  type A2aError,
  a2aError,
  failOnDefect,
  failOnDefectPaid,
  failWithRefusal,
  type FieldViolation,
  invalid,
  noId,
  nothingOffered,
  paymentTooEarly,
  paymentUnchecked,
} from "./errors.ts"
import {
  type ClientMessage,
  hasPayload,
  readCall,
  readHistoryLength,
  readMessage,
  type SkillCall,
} from "./message.ts"
import {
  type A2aPorts,
  moveTaskOrRead,
  payTask,
  reconcile,
  reply,
  type TaskReply,
} from "./payment.ts"
import { type NewTask, TaskStore } from "./TaskStore.ts"

/** The path of the endpoint. */
export const a2aPath = "/a2a"

interface A2aOptions {
  readonly skills: SkillPorts
  readonly card: Answer
}

/** Builds the route of the endpoint. */
export const a2aRoute = Effect.fnUntraced(function* ({ skills, card }: A2aOptions) {
  const ports: A2aPorts = {
    skills,
    payments: yield* Payments,
    tasks: storeWithDeadline("The task store", yield* TaskStore),
  }
  const handle = yield* toWebHandler(Effect.catchCause(respond(ports), (cause) =>
    // A disconnected client is not a failure.
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.map(
      Effect.flip(failOnDefect(cause)),
      (error) => refuse({ ...error, id: null }, []),
    )))
  return {
    limiter: skills.documents,
    current: () => card,
    paid: null,
    post: { handle, refusal: asRpcRefusal(rpcCodes.limited) },
  } satisfies EdgeRoute as EdgeRoute
})

/** Answers one request. */
const respond = Effect.fnUntraced(function* (ports: A2aPorts) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const fields: Array<HeaderPair> = []
  const caller: Caller = {
    address: Option.getOrElse(request.remoteAddress, () => "unknown"),
    setRateFields: (more) => fields.splice(0, fields.length, ...more),
  }
  const outcome = yield* Effect.result(Effect.gen(function* () {
    const { id, method, params } = yield* Effect.catch(readCall(request), (error) =>
      Effect.andThen(
        Effect.mapError(spendDocuments(ports, caller), (refusal) => ({ ...refusal, id: error.id })),
        Effect.fail(error),
      ))
    const { result, delivery } = yield* Effect.mapError(
      Effect.catchDefect(answer(ports, method, params, caller), failOnDefect),
      (error): RpcError => ({ ...error, id }),
    )
    if (delivery !== null) {
      const runAfterDelivery = yield* onDelivered
      yield* runAfterDelivery(ports.payments.sent(delivery))
    }
    return JSON.stringify({ jsonrpc: "2.0", id, result })
  }))
  const extensions = activatedExtensions(request.headers)
  return outcome._tag === "Success"
    ? response(200, outcome.success, [...fields, ...extensions])
    : refuse(outcome.failure, [...fields, ...extensions])
})

/** The extensions that the client requests and the agent supports. */
function activatedExtensions(
  headers: Readonly<Record<string, string | undefined>>,
): ReadonlyArray<HeaderPair> {
  const requested = (headers["x-a2a-extensions"] ?? headers["a2a-extensions"] ?? "").split(",")
    .map((uri) => uri.trim())
  const supported = x402Extensions.filter((uri) => requested.includes(uri))
  return supported.length === 0 ? [] : [["x-a2a-extensions", supported.join(", ")]]
}

function refuse(
  error: A2aError & { readonly id: MessageId },
  more: ReadonlyArray<HeaderPair>,
): HttpServerResponse.HttpServerResponse {
  return response(error.status, errorBody(error), [...more, ...(error.headers ?? [])])
}

function response(
  status: number,
  body: string,
  headers: ReadonlyArray<HeaderPair>,
): HttpServerResponse.HttpServerResponse {
  return HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: { "cache-control": "no-store", ...Object.fromEntries(headers) },
  })
}

/** The caller of a method. */
interface Caller {
  readonly address: string
  /** Sets the `RateLimit` headers of the response. */
  readonly setRateFields: (fields: ReadonlyArray<HeaderPair>) => void
}

/** What a method returns: its result, and the paid answer that is delivered with it. */
interface Outcome {
  readonly result: unknown
  readonly delivery: TaskReply["delivery"]
}

type Method = (
  ports: A2aPorts,
  params: unknown,
  caller: Caller,
) => Effect.Effect<Outcome, A2aError>

/** How much of an unknown name an error repeats. */
const unknownNameMax = 128

/** Answers one call. */
const answer = (ports: A2aPorts, method: string, params: unknown, caller: Caller) => {
  const found = params !== undefined && params !== null && !isObject(params)
    ? refusing(invalid([{ field: "params", description: "must be an object" }]))
    : methods.get(method) ??
      refusing(a2aError("method", { method: method.slice(0, unknownNameMax) }))
  return found(ports, params, caller)
}

const spendDocuments = (
  { skills: { documents } }: A2aPorts,
  { address, setRateFields }: Caller,
  call?: "paid",
): Effect.Effect<void, A2aError> =>
  spend(documents, address, call).pipe(
    Effect.map(setRateFields),
    Effect.catch(({ refusal, fields }) => failWithRefusal(refusal, fields)),
  )

/** A method that fails every call with this error. */
const refusing = (error: A2aError): Method => (ports, _, caller) =>
  Effect.andThen(spendDocuments(ports, caller), Effect.fail(error))
const noStreaming = refusing(a2aError("unsupported", { capability: "streaming" }))
const noPush = refusing(a2aError("pushNotSupported"))

const sendMessage: Method = Effect.fnUntraced(function* (ports, params, caller) {
  const read = readMessage(params)
  if (Result.isFailure(read)) {
    yield* spendDocuments(ports, caller)
    return yield* Effect.fail(hasPayload(params) ? paymentUnchecked(read.failure) : read.failure)
  }
  const message = read.success
  const replied = (message.taskId === null ? openTask : continueTask)(ports, message, caller)
  const { task, view, delivery } = yield* message.payment.kind === "submitted"
    ? Effect.catchDefect(replied, failOnDefectPaid)
    : replied
  return { result: wireTask(task, view, message.historyLength), delivery }
})

const getTask: Method = Effect.fnUntraced(function* (ports, params, caller) {
  yield* spendDocuments(ports, caller)
  const { id, historyLength } = objectOf(params)
  const length = readHistoryLength(historyLength)
  if (typeof id !== "string") return yield* Effect.fail(noId)
  if (Result.isFailure(length)) {
    const violation = { field: "historyLength", description: length.failure }
    return yield* Effect.fail(invalid([violation]))
  }
  const { task, view, delivery } = yield* reconcile(ports, yield* find(ports, id))
  return { result: wireTask(task, view, length.success), delivery }
})

const cancelTask: Method = Effect.fnUntraced(function* (ports, params, caller) {
  yield* spendDocuments(ports, caller)
  const { id } = objectOf(params)
  if (typeof id !== "string") return yield* Effect.fail(noId)
  const read = yield* find(ports, id)
  const task = read.state === "asked" || read.state === "offered"
    ? yield* moveTaskOrRead(ports, read, { event: "cancel", note: null, messages: [] })
    : read
  const { view } = yield* reconcile(ports, task)
  if (task === read || task.state !== "canceled") {
    return yield* Effect.fail(a2aError("taskNotCancelable", { state: view.state }))
  }
  return { result: wireTask(task, view, null), delivery: null }
})

const methods: ReadonlyMap<string, Method> = new Map([
  ["message/send", sendMessage],
  ["message/stream", noStreaming],
  ["tasks/get", getTask],
  ["tasks/cancel", cancelTask],
  ["tasks/resubscribe", noStreaming],
  ["tasks/pushNotificationConfig/set", noPush],
  ["tasks/pushNotificationConfig/get", noPush],
  ["tasks/pushNotificationConfig/list", noPush],
  ["tasks/pushNotificationConfig/delete", noPush],
  ["agent/getAuthenticatedExtendedCard", refusing(a2aError("noExtendedCard"))],
])

const isTaskId = Schema.is(TaskId)

const find = ({ tasks }: A2aPorts, id: unknown): Effect.Effect<Task, A2aError> =>
  (isTaskId(id) ? tasks.find(id) : Effect.succeedNone).pipe(
    Effect.flatMap(Option.match({
      onNone: () =>
        Effect.fail(a2aError("taskNotFound", { taskId: String(id).slice(0, unknownNameMax) })),
      onSome: (task) => Effect.succeed(task),
    })),
  )

/** A message without a task. */
const openTask = Effect.fnUntraced(function* (
  ports: A2aPorts,
  message: ClientMessage,
  caller: Caller,
): Effect.fn.Return<TaskReply, A2aError> {
  const { call, payment } = message
  const checked = call === null ? null : subjectOf(ports, call)
  const free = checked !== null && Result.isSuccess(checked) && call?.skill.kind === "free"
    ? call.skill
    : null
  if (free === null || payment.kind !== "none") yield* spendDocuments(ports, caller)
  if (payment.kind !== "none") return yield* Effect.fail(paymentTooEarly)
  if (checked === null) {
    const start = { state: "asked", subject: null, note: null } as const
    return reply(ports, yield* insert(ports, message, caller, start))
  }
  const subject = yield* Effect.fromResult(checked)
  const start = free === null
    ? { state: "offered", note: null } as const
    : yield* answerFree(ports, free, subject, caller)
  const task = yield* insert(ports, message, caller, { ...start, subject })
  // A note that is too large to be stored is returned once.
  return reply(ports, { ...task, note: start.note })
})

const insert = (
  { tasks }: A2aPorts,
  message: ClientMessage,
  caller: Caller,
  start: Pick<NewTask, "state" | "subject" | "note">,
): Effect.Effect<Task, A2aError> =>
  Effect.flatMap(
    Effect.sync(() => [TaskId.make(crypto.randomUUID()), crypto.randomUUID()] as const),
    ([id, contextId]) =>
      tasks.open({
        id,
        contextId: message.contextId ?? contextId,
        history: [message.stored],
        life: taskLife,
        client: clientKeys(caller.address).client,
        ...start,
      }),
  ).pipe(Effect.catchTag(
    "TasksFull",
    ({ whose }) => failWithRefusal(whose === "client" ? tooManyTasks : overloaded),
  ))

/** A message on a task. */
const continueTask = Effect.fnUntraced(function* (
  ports: A2aPorts,
  message: ClientMessage,
  caller: Caller,
): Effect.fn.Return<TaskReply, A2aError> {
  const { payment, stored } = message
  if (payment.kind === "submitted") {
    const spendUnchecked = spendDocuments(ports, caller, "paid")
    const task = yield* Effect.catch(
      findFor(ports, message),
      (error) => Effect.andThen(spendUnchecked, Effect.fail(paymentUnchecked(error))),
    )
    const client = clientKeys(caller.address)
    return yield* payTask(ports, task, {
      payload: payment.payload,
      message: stored,
      client,
      spend: spendUnchecked,
    })
  }
  yield* spendDocuments(ports, caller)
  const task = yield* findFor(ports, message)
  if (payment.kind === "rejected" && task.state === "offered") {
    const decline = { event: "decline", note: null, messages: [stored] } as const
    return reply(ports, yield* moveTaskOrRead(ports, task, decline))
  }
  switch (task.state) {
    case "asked":
      return payment.kind === "rejected"
        ? yield* Effect.fail(nothingOffered)
        : yield* nameSkill(ports, task, message, caller)
    case "offered":
    case "paying":
      return yield* reconcile(ports, task)
    default:
      return yield* Effect.fail(invalid([{
        field: "message.taskId",
        description: `the task is ${viewOf(task, ports.skills).state} and accepts no more messages`,
      }]))
  }
})

/** The task that a message names. */
const findFor = (ports: A2aPorts, { taskId, contextId }: ClientMessage) =>
  Effect.filterOrFail(
    find(ports, taskId),
    (task) => contextId === null || contextId === task.contextId,
    () =>
      invalid([{ field: "message.contextId", description: "is not the contextId of the task" }]),
  )

/** A message on an `asked` task, which may now name a skill. */
const nameSkill = Effect.fnUntraced(function* (
  ports: A2aPorts,
  task: Task,
  { call, stored }: ClientMessage,
  caller: Caller,
): Effect.fn.Return<TaskReply, A2aError> {
  if (call === null) return reply(ports, task)
  const subject = yield* Effect.fromResult(subjectOf(ports, call))
  if (call.skill.kind === "paid") {
    const offer = { event: "offer", subject, note: null, messages: [stored] } as const
    return reply(ports, yield* moveTaskOrRead(ports, task, offer))
  }
  const { state, note } = yield* answerFree(ports, call.skill, subject, caller)
  const event = state === "completed" ? "complete" : "fail"
  return reply(
    ports,
    yield* moveTaskOrRead(ports, task, { event, subject, note, messages: [stored] }),
  )
})

/** The subject of a call, if its parameters are valid. */
function subjectOf(
  { skills: { checkouts } }: A2aPorts,
  { skill, params, field }: SkillCall,
): Result.Result<NonNullable<Task["subject"]>, A2aError> {
  const query = Result.flatMap(
    queryOf(skill, params),
    (query) =>
      skill.kind === "free"
        ? Result.succeed(query)
        : Result.map(checkouts[skill.id].read(query), () => query),
  )
  return Result.mapBoth(query, {
    onFailure: ({ details = [], message }) =>
      invalid(
        details.length === 0
          ? [{ field, description: message }]
          : details.map(({ param, message }): FieldViolation => ({
            field: `${field}.${param}`,
            description: message,
          })),
      ),
    onSuccess: (query) => ({ skill: skill.name, parameters: query.toString() }),
  })
}

const utf8 = new TextDecoder()

/** The final state of a task for a free skill: its answer. */
const answerFree = Effect.fnUntraced(function* (
  { skills }: A2aPorts,
  skill: FreeSkill,
  { parameters }: NonNullable<Task["subject"]>,
  caller: Caller,
) {
  const { answer, fields } = yield* Effect.catch(
    freeSkillAnswer(skills, skill.id, new URLSearchParams(parameters), caller.address),
    ({ refusal, fields }) => failWithRefusal(refusal, fields),
  )
  caller.setRateFields(fields)
  const text = "body" in answer ? answer.body(yield* RequestId) : utf8.decode(answer.bytes)
  const data: NonNullable<TaskNote["data"]> = JSON.parse(text)
  return data["success"] === true
    ? {
      state: "completed",
      note: { text: completedText(skill.name), data, metadata: {} },
    } as const
    : { state: "failed", note: { text: `${skill.name} failed.`, data, metadata: {} } } as const
})
