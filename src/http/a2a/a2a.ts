/**
 * POST /a2a: A2A 0.3.0 over JSON-RPC. Skills are called by message/send; a paid skill opens a task
 * with its x402 terms, and a message on that task pays for it.
 *
 * Every call spends one limit. That is the limit of documents, unless a free skill answers, which has
 * that of its row, or a payment is sold, which has that of invalid payments.
 *
 * @module
 */
import { Clock, Duration, Effect, Result } from "effect"
import { Payments } from "../../payments/Payments.ts"
import { SigningKey } from "../../signing/SigningKey.ts"
import type { HeaderPair } from "../server/answer.ts"
import { overloaded } from "../server/errors.ts"
import {
  asRpcRefusal,
  isObject,
  objectOf,
  rpcCodes,
  rpcEndpoint,
  type RpcError,
  rpcResponse,
} from "../server/jsonRpc.ts"
import { clientOf, makeLimiter, type RateLimiter, spend } from "../server/limits.ts"
import { addressOf, type AgentRoute, onDelivered, RequestId } from "../server/route.ts"
import { freeSkillAnswer, queryOf, type SkillPorts } from "../skills.ts"
import {
  a2aError,
  type ClientMessage,
  failWithRefusal,
  type FieldViolation,
  hasPayload,
  invalid,
  readCall,
  readMessage,
  readTaskParams,
  type RpcCall,
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
  type TaskView,
  viewOfFree,
  viewOfOffer,
  whichSkill,
  wireTask,
  x402Extensions,
} from "./taskView.ts"

/** The path of the endpoint. */
export const a2aPath = "/a2a"

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
export const a2aRoute = Effect.fnUntraced(function* a2aRoute({ skills }: Pick<A2aPorts, "skills">) {
  const ports: A2aPorts = {
    skills,
    payments: yield* Payments,
    tasks: makeTasks(yield* SigningKey),
    cancels: yield* makeLimiter("a2a_cancel", {
      limit: 1,
      windowMs: Duration.toMillis(cancelMemory),
    }),
  }
  const route: AgentRoute = {
    handle: rpcEndpoint({
      path: a2aPath,
      answer: Effect.fnUntraced(function* (json, request, id) {
        const address = addressOf(request)
        const call = yield* Effect.result(readCall(json, request, id))
        const plan = Result.isFailure(call)
          ? refusing(call.failure)
          : planOf(ports, call.success, address)
        const { result, fields } = yield* runPlan(ports, plan, address)
        return rpcResponse(200, JSON.stringify({ jsonrpc: "2.0", id, result }), fields)
      }),
      fields: activatedExtensions,
      mayPay: ({ params }) => hasPayload(params),
    }),
    refusal: asRpcRefusal(rpcCodes.limited),
  }
  return route
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

/** The task that a call returns. */
interface Reply extends TaskReply {
  readonly task: Task
  /** The `RateLimit` headers of a free skill. */
  readonly fields?: ReadonlyArray<HeaderPair>
}

/** How a call is answered, and which limit it spends first; `own`: the answer spends one itself. */
interface Plan {
  readonly spends: "documents" | "own"
  /** The call has a payment that is not read, so a refusal has `charged: null`. */
  readonly hasPayment?: boolean
  readonly answer: Effect.Effect<Reply, RpcError>
}

const documents = (answer: Plan["answer"]): Plan => ({ spends: "documents", answer })
const refusing = (error: RpcError): Plan => documents(Effect.fail(error))
/** Refuses a call whose payment was not read. */
const refusingPayment = (error: RpcError): Plan => ({
  ...refusing({
    ...error,
    data: { ...objectOf(error.data), payment: "The payment was not read by this call" },
  }),
  hasPayment: true,
})

const runPlan = Effect.fnUntraced(function* runPlan(ports: A2aPorts, plan: Plan, address: string) {
  const call = plan.hasPayment === true ? "paid" : "unpaid"
  const spent = plan.spends === "own" ? [] : yield* Effect.catch(
    spend(ports.skills.documents, address, call),
    ({ refusal, fields }) => failWithRefusal(refusal, fields),
  )
  const { task, view, delivery, fields = spent } = yield* Effect.mapError(
    plan.answer,
    (error): RpcError => ({ ...error, headers: [...spent, ...error.headers ?? []] }),
  )
  const result = wireTask(task, view, yield* Clock.currentTimeMillis)
  if (delivery !== null) yield* onDelivered(ports.payments.sent(delivery))
  return { result, fields }
})

/** How much of an unknown name an error repeats. */
const unknownNameMax = 128

/** How a call of this method is answered. */
function planOf(ports: A2aPorts, { method, params }: RpcCall, address: string): Plan {
  if (params !== undefined && params !== null && !isObject(params)) {
    return refusing(invalid([{ field: "params", description: "must be an object" }]))
  }
  switch (method) {
    case "message/send":
      return planMessage(ports, params, address)
    case "tasks/get":
      return planGet(ports, params, address)
    case "tasks/cancel":
      return planCancel(ports, params)
    case "message/stream":
    case "tasks/resubscribe":
      return refusing(a2aError("unsupported", { capability: "streaming" }))
    case "tasks/pushNotificationConfig/set":
    case "tasks/pushNotificationConfig/get":
    case "tasks/pushNotificationConfig/list":
    case "tasks/pushNotificationConfig/delete":
      return refusing(a2aError("pushNotSupported"))
    case "agent/getAuthenticatedExtendedCard":
      return refusing(a2aError("noExtendedCard"))
    default:
      return refusing(a2aError("method", { method: method.slice(0, unknownNameMax) }))
  }
}

function planGet(ports: A2aPorts, params: unknown, address: string): Plan {
  const found = taskOf(ports, params)
  return Result.isFailure(found) ? refusing(found.failure) : planTask(ports, found.success, address)
}

/** A task as it is now. A free skill is answered again. */
function planTask(ports: A2aPorts, task: Task, address: string): Plan {
  if (isFree(task)) return { spends: "own", answer: answerFree(ports, task, address) }
  return documents(
    isPaid(task)
      ? Effect.map(readTask(ports, task), (reply) => ({ task, ...reply }))
      : Effect.succeed({ task, view: whichSkill, delivery: null }),
  )
}

function planCancel(ports: A2aPorts, params: unknown): Plan {
  const found = taskOf(ports, params)
  if (Result.isFailure(found)) return refusing(found.failure)
  const task = found.success
  return documents(Effect.gen(function* () {
    const state = isFree(task)
      ? "completed"
      : isPaid(task)
      ? (yield* readTask(ports, task)).view.state
      : whichSkill.state
    if (state !== "input-required") return yield* notCancelable(state)
    const decision = yield* ports.cancels.take({ client: task.secret, site: null })
    if (decision.kind === "denied") return yield* notCancelable(canceled.state)
    if (decision.kind !== "granted") return yield* failWithRefusal(overloaded)
    return { task, view: canceled, delivery: null }
  }))
}

const notCancelable = (state: TaskView["state"]) =>
  Effect.fail(a2aError("taskNotCancelable", { state }))

/** The task that the parameters of tasks/get and tasks/cancel name. */
function taskOf(ports: A2aPorts, params: unknown): Result.Result<Task, RpcError> {
  return Result.flatMap(readTaskParams(params), (id) => findTask(ports, id))
}

const findTask = ({ tasks }: A2aPorts, id: string): Result.Result<Task, RpcError> =>
  Result.fromOption(
    tasks.find(id),
    () => a2aError("taskNotFound", { taskId: id.slice(0, unknownNameMax) }),
  )

function planMessage(ports: A2aPorts, params: unknown, address: string): Plan {
  const read = readMessage(params)
  if (Result.isFailure(read)) {
    return hasPayload(params) ? refusingPayment(read.failure) : refusing(read.failure)
  }
  const message = read.success
  const { taskId, contextId, call, payment } = message
  if (taskId !== null) return planReply(ports, taskId, message, address)
  if (payment.kind !== "none") return refusing(paymentTooEarly)
  return planCall(ports, contextId, call, address)
}

/** Opens a task: a free skill is answered, a paid one offered. */
function planCall(
  ports: A2aPorts,
  contextId: string | null,
  call: SkillCall | null,
  address: string,
): Plan {
  const subject = call === null ? Result.succeed(null) : subjectOf(ports, call)
  if (Result.isFailure(subject)) return refusing(subject.failure)
  const task = ports.tasks.open(contextId, subject.success)
  return isPaid(task)
    ? documents(
      Effect.sync(() => ({ task, view: viewOfOffer(task.subject, ports.skills), delivery: null })),
    )
    : planTask(ports, task, address)
}

/** A message on a task. */
function planReply(
  ports: A2aPorts,
  taskId: string,
  { contextId, payment, call }: ClientMessage,
  address: string,
): Plan {
  const found = Result.filterOrFail(
    findTask(ports, taskId),
    (task) => contextId === null || contextId === task.contextId,
    () =>
      invalid([{ field: "message.contextId", description: "is not the contextId of the task" }]),
  )
  const isPayment = payment.kind === "submitted"
  if (Result.isFailure(found)) {
    return isPayment ? refusingPayment(found.failure) : refusing(found.failure)
  }
  const task = found.success
  if (isPaid(task) && isPayment) {
    const sold = payTask(ports, task, { payload: payment.payload, client: clientOf(address) })
    return { spends: "own", answer: Effect.map(sold, (reply) => ({ task, ...reply })) }
  }
  if (isPayment) return refusingPayment(notForSale)
  if (isPaid(task)) {
    return documents(Effect.flatMap(readTask(ports, task), ({ view, delivery }) => {
      if (view.state === "completed" || view.state === "failed") {
        return Effect.fail(hasEnded(view.state))
      }
      const isDeclined = payment.kind === "rejected" && view.state === "input-required"
      return Effect.succeed({ task, view: isDeclined ? declined : view, delivery })
    }))
  }
  if (isFree(task)) return refusing(hasEnded("completed"))
  if (payment.kind === "rejected") return refusing(nothingOffered)
  // The id of a task says what it is about, so the skill has a task of its own.
  return call === null
    ? planTask(ports, task, address)
    : planCall(ports, task.contextId, call, address)
}

const hasEnded = (state: TaskView["state"]) =>
  invalid([{
    field: "message.taskId",
    description: `the task is ${state} and accepts no more messages`,
  }])
const paymentTooEarly = invalid([{
  field: "message.taskId",
  description:
    "must name the task to pay or to decline. Call the skill first, then reply on its task. The " +
    "payment was not read",
}])
const notForSale = invalid([{
  field: "message.taskId",
  description: "the task has no paid skill",
}])
const nothingOffered = invalid([{
  field: "message.metadata",
  description: "no payment was requested on this task. Name a skill first",
}])

/** The subject of a call, if its parameters are valid. */
function subjectOf(
  { skills: { checkouts } }: A2aPorts,
  { skill, params, field }: SkillCall,
): Result.Result<TaskSubject, RpcError> {
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
const answerFree = Effect.fnUntraced(function* answerFree(
  { skills }: A2aPorts,
  task: FreeTask,
  address: string,
): Effect.fn.Return<Reply, RpcError> {
  const { skill, parameters } = task.subject
  const { answer, fields } = yield* Effect.catch(
    freeSkillAnswer(skills, skill.id, new URLSearchParams(parameters), address),
    ({ refusal, fields }) => failWithRefusal(refusal, fields),
  )
  const text = "body" in answer ? answer.body(yield* RequestId) : utf8.decode(answer.bytes)
  return { task, view: viewOfFree(skill, JSON.parse(text)), delivery: null, fields }
})
