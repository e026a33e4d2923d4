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
import { SigningKey } from "../../signing/SigningKey.ts"
import type { HeaderPair } from "../server/answer.ts"
import { overloaded } from "../server/errors.ts"
import {
  failWithRefusal,
  isObject,
  objectOf,
  rpcEndpoint,
  type RpcError,
  rpcResponse,
} from "../server/jsonRpc.ts"
import { makeLimiter, type RateLimiter } from "../server/limits.ts"
import { onDelivered, RequestId, spend } from "../server/route.ts"
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
  canceled,
  declined,
  type FreeTask,
  isFree,
  isPaid,
  makeTasks,
  type PaidTask,
  type Task,
  type Tasks,
  type TaskSubject,
  type TaskView,
  viewOfFree,
  viewOfOffer,
  whichSkill,
  wireTask,
  x402Extensions,
} from "./task.ts"

/** The path of the endpoint. */
export const a2aPath = "/a2a"

interface A2aPorts extends SkillPorts {
  readonly tasks: Tasks
  /** Lets each task be canceled once. */
  readonly cancels: RateLimiter
}

/** How long a second cancellation of a task is refused. */
const cancelMemory = Duration.minutes(10)

/** Builds the handler of the endpoint. */
export const a2aHandler = Effect.fnUntraced(
  function* a2aHandler(skills: SkillPorts) {
    const ports: A2aPorts = {
      ...skills,
      tasks: makeTasks(yield* SigningKey),
      cancels: yield* makeLimiter("a2a_cancel", {
        limit: 1,
        windowMs: Duration.toMillis(cancelMemory),
      }),
    }
    return rpcEndpoint({
      path: a2aPath,
      answer: Effect.fnUntraced(function* (json, request, id) {
        const read = yield* Effect.result(readCall(json, request, id))
        const hasPayment = Result.isSuccess(read) && hasPayload(read.success.params)
        const { task, view, delivery } = yield* Result.getOrElse(
          Result.flatMap(read, (message) => answerTo(ports, message)),
          (error) => refused(ports, error, hasPayment),
        )
        const result = wireTask(task, view, yield* Clock.currentTimeMillis)
        if (delivery !== null) yield* onDelivered(ports.payments.sent(delivery))
        return rpcResponse(200, JSON.stringify({ jsonrpc: "2.0", id, result }))
      }),
      fields: activatedExtensions,
      mayPay: ({ params }) => hasPayload(params),
    })
  },
)

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
}

type Answer = Effect.Effect<Reply, RpcError>
/** The answer to a call, which spends a limit; or why it is refused, and nothing is spent yet. */
type Answered = Result.Result<Answer, RpcError>

/** An answer under the limit of documents. */
const documents = (
  { documents: limiter }: A2aPorts,
  answer: Answer,
  kind: "paid" | "unpaid" = "unpaid",
): Answer => Effect.andThen(Effect.catch(spend(limiter, kind), failWithRefusal), answer)

/** Refuses a call. A payment in it was not read. */
function refused(ports: A2aPorts, error: RpcError, hasPayment: boolean): Answer {
  if (!hasPayment) return documents(ports, Effect.fail(error))
  const data = { ...objectOf(error.data), payment: "The payment was not read by this call" }
  return documents(ports, Effect.fail({ ...error, data }), "paid")
}

/** How much of an unknown name an error repeats. */
const unknownNameMax = 128

/** The answer to a call of this method. */
function answerTo(ports: A2aPorts, { method, params }: RpcCall): Answered {
  if (params !== undefined && params !== null && !isObject(params)) {
    return refuse("params", "must be an object")
  }
  switch (method) {
    case "message/send":
      return Result.flatMap(readMessage(params), (message) => answerMessage(ports, message))
    case "tasks/get":
      return Result.map(taskOf(ports, params), (task) => answerTask(ports, task))
    case "tasks/cancel":
      return Result.map(taskOf(ports, params), (task) => documents(ports, cancel(ports, task)))
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
function answerTask(ports: A2aPorts, task: Task): Answer {
  if (isFree(task)) return answerFree(ports, task)
  return documents(
    ports,
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

function answerMessage(ports: A2aPorts, message: ClientMessage): Answered {
  const { taskId, contextId, skillCall, payment } = message
  if (taskId !== null) return answerReply(ports, taskId, message)
  return payment.kind === "none" ? answerSkill(ports, contextId, skillCall) : refuse(
    "message.taskId",
    "must name the task to pay or to decline. Call the skill first, then reply on its task. The " +
      "payment was not read",
  )
}

/** Opens a task: a free skill is answered, a paid one offered. */
const answerSkill = (
  ports: A2aPorts,
  contextId: string | null,
  skillCall: SkillCall | null,
): Answered =>
  Result.map(
    skillCall === null ? Result.succeed(null) : subjectOf(ports, skillCall),
    (subject) => {
      const task = ports.tasks.open(contextId, subject)
      if (!isPaid(task)) return answerTask(ports, task)
      const view = viewOfOffer(task.subject, ports)
      return documents(ports, Effect.succeed({ task, view, delivery: null }))
    },
  )

/** A message on a task. */
const answerReply = (
  ports: A2aPorts,
  taskId: string,
  { contextId, payment, skillCall }: ClientMessage,
): Answered =>
  Result.gen(function* () {
    const task = yield* findTask(ports, taskId)
    if (contextId !== null && contextId !== task.contextId) {
      return yield* refuse("message.contextId", "is not the contextId of the task")
    }
    if (isPaid(task)) {
      if (payment.kind !== "submitted") {
        return documents(ports, replyUnpaid(ports, task, payment.kind === "rejected"))
      }
      return Effect.map(payTask(ports, task, payment.payload), (reply) => ({ task, ...reply }))
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
    return skillCall === null
      ? answerTask(ports, task)
      : yield* answerSkill(ports, task.contextId, skillCall)
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
  { checkouts }: A2aPorts,
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
  skills: A2aPorts,
  task: FreeTask,
): Effect.fn.Return<Reply, RpcError> {
  const { skill, parameters } = task.subject
  const answer = freeSkillAnswer(skills, skill.id, new URLSearchParams(parameters))
  const requestId = yield* RequestId
  const text = Result.match(yield* Effect.catch(answer, failWithRefusal), {
    onSuccess: ({ bytes }) => utf8.decode(bytes),
    onFailure: ({ body }) => body(requestId),
  })
  return { task, view: viewOfFree(skill, JSON.parse(text)), delivery: null }
})
