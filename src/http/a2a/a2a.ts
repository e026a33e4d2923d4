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
  failWithRefusal,
  isObject,
  objectOf,
  orRpcError,
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
  type PaidTask,
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
        const plan = Result.flatMap(call, (call) => planOf(ports, call, address))
        const isPaid = Result.isSuccess(call) && hasPayload(call.success.params)
        const { result, fields } = yield* runPlan(ports, plan, address, isPaid)
        return rpcResponse(200, JSON.stringify({ jsonrpc: "2.0", id, result }), fields)
      }),
      fields: activatedExtensions,
      mayPay: ({ params }) => hasPayload(params),
    }),
    refusal: asRpcRefusal,
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
  readonly answer: Effect.Effect<Reply, RpcError>
}
/** A plan, or why the call is refused: then a payment in it is not read. */
type Planned = Result.Result<Plan, RpcError>

const documents = (answer: Plan["answer"]): Plan => ({ spends: "documents", answer })

const runPlan = Effect.fnUntraced(function* runPlan(
  ports: A2aPorts,
  planned: Planned,
  address: string,
  hasPayment: boolean,
) {
  const isUnread = Result.isFailure(planned) && hasPayment
  const { spends, answer } = Result.getOrElse(
    planned,
    ({ data, ...error }) =>
      documents(Effect.fail({
        ...error,
        data: isUnread
          ? { ...objectOf(data), payment: "The payment was not read by this call" }
          : data,
      })),
  )
  const spent = spends === "own" ? [] : yield* orRpcError(
    spend(ports.skills.documents, address, isUnread ? "paid" : "unpaid"),
  )
  const { task, view, delivery, fields = spent } = yield* Effect.mapError(
    answer,
    (error): RpcError => ({ ...error, headers: [...spent, ...error.headers ?? []] }),
  )
  const result = wireTask(task, view, yield* Clock.currentTimeMillis)
  if (delivery !== null) yield* onDelivered(ports.payments.sent(delivery))
  return { result, fields }
})

/** How much of an unknown name an error repeats. */
const unknownNameMax = 128

/** How a call of this method is answered. */
function planOf(ports: A2aPorts, { method, params }: RpcCall, address: string): Planned {
  if (params !== undefined && params !== null && !isObject(params)) {
    return refuse("params", "must be an object")
  }
  switch (method) {
    case "message/send":
      return Result.flatMap(readMessage(params), (message) => planMessage(ports, message, address))
    case "tasks/get":
      return Result.map(taskOf(ports, params), (task) => planTask(ports, task, address))
    case "tasks/cancel":
      return Result.map(taskOf(ports, params), (task) => documents(cancel(ports, task)))
    case "message/stream":
    case "tasks/resubscribe":
      return Result.fail(a2aError("unsupported", { capability: "streaming" }))
    case "tasks/pushNotificationConfig/set":
    case "tasks/pushNotificationConfig/get":
    case "tasks/pushNotificationConfig/list":
    case "tasks/pushNotificationConfig/delete":
      return Result.fail(a2aError("pushNotSupported"))
    case "agent/getAuthenticatedExtendedCard":
      return Result.fail(a2aError("noExtendedCard"))
    default:
      return Result.fail(a2aError("method", { method: method.slice(0, unknownNameMax) }))
  }
}

const refuse = (field: string, description: string) =>
  Result.fail(invalid([{ field, description }]))

/** A task as it is now. A free skill is answered again. */
function planTask(ports: A2aPorts, task: Task, address: string): Plan {
  if (isFree(task)) return { spends: "own", answer: answerFree(ports, task, address) }
  return documents(
    isPaid(task)
      ? Effect.map(readTask(ports, task), (reply) => ({ task, ...reply }))
      : Effect.succeed({ task, view: whichSkill, delivery: null }),
  )
}

const cancel = Effect.fnUntraced(function* cancel(
  ports: A2aPorts,
  task: Task,
): Effect.fn.Return<Reply, RpcError> {
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
})

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

function planMessage(ports: A2aPorts, message: ClientMessage, address: string): Planned {
  const { taskId, contextId, call, payment } = message
  if (taskId !== null) return planReply(ports, taskId, message, address)
  return payment.kind === "none" ? planCall(ports, contextId, call, address) : refuse(
    "message.taskId",
    "must name the task to pay or to decline. Call the skill first, then reply on its task. The " +
      "payment was not read",
  )
}

/** Opens a task: a free skill is answered, a paid one offered. */
function planCall(
  ports: A2aPorts,
  contextId: string | null,
  call: SkillCall | null,
  address: string,
): Planned {
  const subject = call === null ? Result.succeed(null) : subjectOf(ports, call)
  return Result.map(subject, (subject) => {
    const task = ports.tasks.open(contextId, subject)
    if (!isPaid(task)) return planTask(ports, task, address)
    const view = viewOfOffer(task.subject, ports.skills)
    return documents(Effect.succeed({ task, view, delivery: null }))
  })
}

/** A message on a task. */
const planReply = (
  ports: A2aPorts,
  taskId: string,
  { contextId, payment, call }: ClientMessage,
  address: string,
): Planned =>
  Result.gen(function* () {
    const task = yield* findTask(ports, taskId)
    if (contextId !== null && contextId !== task.contextId) {
      return yield* refuse("message.contextId", "is not the contextId of the task")
    }
    if (isPaid(task)) {
      if (payment.kind !== "submitted") {
        return documents(replyUnpaid(ports, task, payment.kind === "rejected"))
      }
      const sold = payTask(ports, task, { payload: payment.payload, client: clientOf(address) })
      return { spends: "own", answer: Effect.map(sold, (reply) => ({ task, ...reply })) } as const
    }
    if (payment.kind === "submitted") {
      return yield* refuse("message.taskId", "the task has no paid skill")
    }
    if (isFree(task)) return yield* Result.fail(hasEnded("completed"))
    if (payment.kind === "rejected") {
      const text = "no payment was requested on this task. Name a skill first"
      return yield* refuse("message.metadata", text)
    }
    // The id of a task says what it is about, so the skill has a task of its own.
    return call === null
      ? planTask(ports, task, address)
      : yield* planCall(ports, task.contextId, call, address)
  })

/** A message without a payment on a task that has a paid skill. */
const replyUnpaid = Effect.fnUntraced(function* replyUnpaid(
  ports: A2aPorts,
  task: PaidTask,
  isRejected: boolean,
): Effect.fn.Return<Reply, RpcError> {
  const { view, delivery } = yield* readTask(ports, task)
  if (view.state === "completed" || view.state === "failed") {
    return yield* Effect.fail(hasEnded(view.state))
  }
  const isDeclined = isRejected && view.state === "input-required"
  return { task, view: isDeclined ? declined : view, delivery }
})

const hasEnded = (state: TaskView["state"]) =>
  invalid([{
    field: "message.taskId",
    description: `the task is ${state} and accepts no more messages`,
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
  const { answer, fields } = yield* orRpcError(
    freeSkillAnswer(skills, skill.id, new URLSearchParams(parameters), address),
  )
  const text = "body" in answer ? answer.body(yield* RequestId) : utf8.decode(answer.bytes)
  return { task, view: viewOfFree(skill, JSON.parse(text)), delivery: null, fields }
})
