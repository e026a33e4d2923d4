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
import { Cause, Clock, Duration, Effect, Option, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Payments } from "../../payments/Payments.ts"
import type { HeaderPair } from "../server/answer.ts"
import { overloaded, RequestId } from "../server/errors.ts"
import { onDelivered } from "../server/inbound.ts"
import {
  asRpcRefusal,
  errorBody,
  isObject,
  type MessageId,
  objectOf,
  rpcCodes,
  type RpcError,
} from "../server/jsonRpc.ts"
import { clientKeys, makeLimiter, type RateLimiter, spend } from "../server/limits.ts"
import type { AgentRoute } from "../server/route.ts"
import { freeSkillAnswer, queryOf, type SkillPorts } from "../skills.ts"
import { SigningKey } from "../../signing/SigningKey.ts"
import {
  type A2aError,
  a2aError,
  failOnDefect,
  failOnDefectPaid,
  failWithRefusal,
  type FieldViolation,
  invalid,
  noId,
  notForSale,
  nothingOffered,
  paymentTooEarly,
  paymentUnchecked,
} from "./errors.ts"
import {
  type ClientMessage,
  hasPayload,
  historyLengthExpected,
  isHistoryLength,
  readCall,
  readMessage,
  type SkillCall,
} from "./message.ts"
import { payTask, readTask, type TaskReply } from "./payment.ts"
import {
  type FreeTask,
  isFree,
  isPaid,
  makeTasks,
  type Task,
  type Tasks,
  type TaskSubject,
} from "./task.ts"
import {
  canceled,
  declined,
  type JsonObject,
  type TaskView,
  viewOfFree,
  viewOfOffer,
  whichSkill,
  wireTask,
  x402Extensions,
} from "./taskView.ts"

/** The path of the endpoint. */
export const a2aPath = "/a2a"

interface A2aOptions {
  readonly skills: SkillPorts
}

interface A2aPorts {
  readonly skills: SkillPorts
  readonly tasks: Tasks
  readonly payments: Payments["Service"]
  /** Lets each task be canceled once. */
  readonly cancels: RateLimiter
}

/** How long a second cancellation of a task is refused. */
const cancelMemory = Duration.minutes(10)

/** Builds the route of the endpoint. */
export const a2aRoute = Effect.fnUntraced(function* ({ skills }: A2aOptions) {
  const ports: A2aPorts = {
    skills,
    payments: yield* Payments,
    tasks: makeTasks(yield* SigningKey),
    cancels: yield* makeLimiter("a2a_cancel", {
      limit: 1,
      windowMs: Duration.toMillis(cancelMemory),
    }),
  }
  const handle = Effect.catchCause(respond(ports), (cause) =>
    // A disconnected client is not a failure.
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.map(
      Effect.flip(failOnDefect(cause)),
      (error) => refuse({ ...error, id: null }, []),
    ))
  const route: AgentRoute = { handle, refusal: asRpcRefusal(rpcCodes.limited) }
  return route
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
      yield* onDelivered(ports.payments.sent(delivery))
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
  const now = yield* Clock.currentTimeMillis
  return { result: wireTask(task, view, now), delivery }
})

const getTask: Method = Effect.fnUntraced(function* (ports, params, caller) {
  const task = yield* taskNamed(ports, params, caller)
  const { view, delivery } = yield* currentTask(ports, task, caller)
  return { result: wireTask(task, view, yield* Clock.currentTimeMillis), delivery }
})

const cancelTask: Method = Effect.fnUntraced(function* (ports, params, caller) {
  const task = yield* taskNamed(ports, params, caller)
  const state = isFree(task)
    ? "completed"
    : isPaid(task)
    ? (yield* readTask(ports, task)).view.state
    : whichSkill.state
  if (state !== "input-required") return yield* notCancelable(state)
  const key = { client: task.secret, site: null }
  const decision = yield* ports.cancels.take(key)
  if (decision.kind === "denied") return yield* notCancelable(canceled.state)
  if (decision.kind !== "granted") return yield* failWithRefusal(overloaded)
  return { result: wireTask(task, canceled, yield* Clock.currentTimeMillis), delivery: null }
})

const notCancelable = (state: TaskView["state"]) =>
  Effect.fail(a2aError("taskNotCancelable", { state }))

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

/** The task of a method's `id`. Its call spends the limit of documents, unless a free skill answers. */
const taskNamed = Effect.fnUntraced(function* (
  ports: A2aPorts,
  params: unknown,
  caller: Caller,
): Effect.fn.Return<Task, A2aError> {
  const { id, historyLength } = objectOf(params)
  const found = typeof id === "string" ? find(ports, id) : Effect.fail(noId)
  const task = yield* Effect.result(found)
  if (Result.isFailure(task) || !isFree(task.success)) yield* spendDocuments(ports, caller)
  if (!isHistoryLength(historyLength)) {
    return yield* Effect.fail(
      invalid([{ field: "historyLength", description: historyLengthExpected }]),
    )
  }
  return yield* Effect.fromResult(task)
})

const find = ({ tasks }: A2aPorts, id: string): Effect.Effect<Task, A2aError> =>
  Option.match(tasks.find(id), {
    onNone: () => Effect.fail(a2aError("taskNotFound", { taskId: id.slice(0, unknownNameMax) })),
    onSome: Effect.succeed,
  })

/** A task as it is now. A free skill is answered again. */
const currentTask = (
  ports: A2aPorts,
  task: Task,
  caller: Caller,
): Effect.Effect<TaskReply, A2aError> =>
  isFree(task)
    ? answerFree(ports, task.subject, caller)
    : isPaid(task)
    ? readTask(ports, task)
    : Effect.succeed({ view: whichSkill, delivery: null })

type Reply = TaskReply & { readonly task: Task }

/** A message without a task. */
const openTask = Effect.fnUntraced(function* (
  ports: A2aPorts,
  { call, payment, contextId }: ClientMessage,
  caller: Caller,
): Effect.fn.Return<Reply, A2aError> {
  const subject = call === null ? null : subjectOf(ports, call)
  const isFreeCall = subject !== null && Result.isSuccess(subject) && call?.skill.kind === "free"
  if (!isFreeCall || payment.kind !== "none") yield* spendDocuments(ports, caller)
  if (payment.kind !== "none") return yield* Effect.fail(paymentTooEarly)
  return yield* openFor(
    ports,
    contextId,
    subject === null ? null : yield* Effect.fromResult(subject),
    caller,
  )
})

/** Opens a task: a free skill is answered, a paid one offered. */
const openFor = Effect.fnUntraced(function* (
  ports: A2aPorts,
  contextId: string | null,
  subject: TaskSubject | null,
  caller: Caller,
): Effect.fn.Return<Reply, A2aError> {
  const task = yield* ports.tasks.open(contextId, subject)
  if (isPaid(task)) return { task, view: viewOfOffer(task.subject, ports.skills), delivery: null }
  return { task, ...(yield* currentTask(ports, task, caller)) }
})

/** A message on a task. */
const continueTask = Effect.fnUntraced(function* (
  ports: A2aPorts,
  message: ClientMessage,
  caller: Caller,
): Effect.fn.Return<Reply, A2aError> {
  const { payment, call } = message
  if (payment.kind === "submitted") return yield* payFor(ports, message, payment.payload, caller)
  yield* spendDocuments(ports, caller)
  const task = yield* findFor(ports, message)
  if (isPaid(task)) {
    const { view, delivery } = yield* readTask(ports, task)
    if (view.state === "completed" || view.state === "failed") return yield* hasEnded(view.state)
    const isDeclined = payment.kind === "rejected" && view.state === "input-required"
    return { task, view: isDeclined ? declined : view, delivery }
  }
  if (isFree(task)) return yield* hasEnded("completed")
  if (payment.kind === "rejected") return yield* Effect.fail(nothingOffered)
  // The id of a task says what it is about, so the skill has a task of its own.
  return call === null ? { task, view: whichSkill, delivery: null } : yield* openFor(
    ports,
    task.contextId,
    yield* Effect.fromResult(subjectOf(ports, call)),
    caller,
  )
})

const hasEnded = (state: TaskView["state"]) =>
  Effect.fail(invalid([{
    field: "message.taskId",
    description: `the task is ${state} and accepts no more messages`,
  }]))

/** A message that pays for a task. Its sale spends no limit of documents. */
const payFor = Effect.fnUntraced(function* (
  ports: A2aPorts,
  message: ClientMessage,
  payload: unknown,
  caller: Caller,
): Effect.fn.Return<Reply, A2aError> {
  const unused = (error: A2aError) =>
    Effect.andThen(
      spendDocuments(ports, caller, "paid"),
      Effect.fail(paymentUnchecked(error)),
    )
  const task = yield* Effect.catch(findFor(ports, message), unused)
  if (!isPaid(task)) return yield* unused(notForSale)
  const client = clientKeys(caller.address)
  return { task, ...(yield* payTask(ports, task, { payload, client })) }
})

/** The task that a message names. */
const findFor = (ports: A2aPorts, { taskId, contextId }: ClientMessage) =>
  Effect.filterOrFail(
    find(ports, taskId ?? ""),
    (task) => contextId === null || contextId === task.contextId,
    () =>
      invalid([{ field: "message.contextId", description: "is not the contextId of the task" }]),
  )

/** The subject of a call, if its parameters are valid. */
function subjectOf(
  { skills: { checkouts } }: A2aPorts,
  { skill, params, field }: SkillCall,
): Result.Result<TaskSubject, A2aError> {
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
    onSuccess: (query) => ({ skill, parameters: query.toString() }),
  })
}

const utf8 = new TextDecoder()

/** A free skill, answered now under the limit of its row. */
const answerFree = Effect.fnUntraced(function* (
  { skills }: A2aPorts,
  { skill, parameters }: FreeTask["subject"],
  caller: Caller,
): Effect.fn.Return<TaskReply, A2aError> {
  const { answer, fields } = yield* Effect.catch(
    freeSkillAnswer(skills, skill.id, new URLSearchParams(parameters), caller.address),
    ({ refusal, fields }) => failWithRefusal(refusal, fields),
  )
  caller.setRateFields(fields)
  const text = "body" in answer ? answer.body(yield* RequestId) : utf8.decode(answer.bytes)
  const data: JsonObject = JSON.parse(text)
  return { view: viewOfFree(skill, data), delivery: null }
})
