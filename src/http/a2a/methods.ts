/**
 * What the methods of /a2a do: tasks are opened, paid for, looked up and canceled.
 *
 * Free skills are answered at once, from the bytes and the budget of their HTTP row. Everything else
 * spends the budget of documents, but a payment that comes to the checkout.
 *
 * @module
 */
import { Effect, Option, Result, Schema } from "effect"
import type { FreeSkill } from "../../catalog/domain/skill.ts"
import { storeWithDeadline } from "../../core/deadline.ts"
import { type Task, TaskId, taskLife, type TaskNote } from "./domain/task.ts"
import type { NewTask } from "./TaskStore.ts"
import type { HeaderPair } from "../server/answer.ts"
import {
  type Fault,
  fault,
  invalid,
  noId,
  nothingOffered,
  paymentTooEarly,
  refusedBy,
  undecided,
  unlooked,
  type Violation,
} from "./errors.ts"
import {
  readHistoryLength,
  readMessage,
  type Said,
  showsPayment,
  type SkillCall,
} from "./message.ts"
import { type A2aPorts, makePayDesk, type Told } from "./pay.ts"
import { completedText, sightOf, wireTask } from "./taskShape.ts"
import { overloaded, RequestId, tooManyTasks } from "../server/errors.ts"
import { isObject, objectOf } from "../server/jsonRpc.ts"
import { clientKeys, spend as spendOf } from "../server/limits.ts"
import { askFree, queryOf } from "../skills.ts"

/** Who calls. */
export interface Caller {
  readonly address: string
  /** Told the fields of the budget that is spent. */
  readonly spent: (fields: ReadonlyArray<HeaderPair>) => void
}

/** What a method answers: its result, and the answer that is handed over with it. */
interface Outcome {
  readonly result: unknown
  readonly delivery: Told["delivery"]
}

type Method = (params: unknown, caller: Caller) => Effect.Effect<Outcome, Fault>

const isTaskId = Schema.is(TaskId)
/** What of a task's name is shown back. */
const shownIdMax = 128

export const makeMethods = (ports: A2aPorts) => {
  const { skills: skillPorts, payments } = ports
  const { terms, checkouts } = skillPorts
  const tasks = storeWithDeadline("The task store", ports.tasks)
  const { look, pay, told, moved } = makePayDesk({ skills: skillPorts, tasks, payments })

  const spend = (caller: Caller, call?: "paid"): Effect.Effect<void, Fault> =>
    spendOf(skillPorts.documents, caller.address, call).pipe(
      Effect.map(caller.spent),
      Effect.catch(({ refusal, fields }) => refusedBy(refusal, fields)),
    )

  const find = (id: unknown): Effect.Effect<Task, Fault> =>
    (isTaskId(id) ? tasks.find(id) : Effect.succeedNone).pipe(
      Effect.flatMap(Option.match({
        onNone: () =>
          Effect.fail(fault("taskNotFound", { taskId: String(id).slice(0, shownIdMax) })),
        onSome: (task) => Effect.succeed(task),
      })),
    )

  const open = (
    said: Said,
    caller: Caller,
    start: Pick<NewTask, "state" | "subject" | "note">,
  ): Effect.Effect<Task, Fault> =>
    Effect.flatMap(
      Effect.sync(() => [TaskId.make(crypto.randomUUID()), crypto.randomUUID()] as const),
      ([id, contextId]) =>
        tasks.open({
          ...{ id, contextId: said.contextId ?? contextId, history: [said.kept], life: taskLife },
          client: clientKeys(caller.address).near,
          ...start,
        }),
    ).pipe(Effect.catchTag(
      "TasksFull",
      ({ whose }) => refusedBy(whose === "client" ? tooManyTasks : overloaded),
    ))

  /** The subject of a call, if its parameters are such as can be asked for. */
  const subjectOf = (call: SkillCall): Result.Result<NonNullable<Task["subject"]>, Fault> => {
    const query = Result.flatMap(
      queryOf(call.skill, call.params),
      (query) =>
        call.skill.kind === "free"
          ? Result.succeed(query)
          : Result.map(checkouts[call.skill.id].read(query), () => query),
    )
    return Result.mapBoth(query, {
      onFailure: ({ details = [], message }) =>
        invalid(
          details.length === 0
            ? [{ field: call.field, description: message }]
            : details.map(({ param, message }): Violation => ({
              field: `${call.field}.${param}`,
              description: message,
            })),
        ),
      onSuccess: (query) => ({ skill: call.skill.name, parameters: query.toString() }),
    })
  }

  /** The answer of a free skill, as the end of a task. */
  const answerOf = Effect.fnUntraced(function* (skill: FreeSkill, caller: Caller) {
    const { made, fields } = yield* Effect.catch(
      askFree(skillPorts, skill.id, caller.address),
      ({ refusal, fields }) => refusedBy(refusal, fields),
    )
    caller.spent(fields)
    const text = "body" in made ? made.body(yield* RequestId) : utf8.decode(made.bytes)
    const data: NonNullable<TaskNote["data"]> = JSON.parse(text)
    return data["success"] === true
      ? {
        state: "completed",
        note: { text: completedText(skill.name), data, metadata: {} },
      } as const
      : { state: "failed", note: { text: `${skill.name} failed.`, data, metadata: {} } } as const
  })

  /** A message that begins a task. */
  const first = Effect.fnUntraced(function* (
    said: Said,
    caller: Caller,
  ): Effect.fn.Return<Told, Fault> {
    const subject = said.call === null ? null : subjectOf(said.call)
    const free = subject !== null && Result.isSuccess(subject) && said.call?.skill.kind === "free"
      ? said.call.skill
      : null
    if (free === null || said.payment.kind !== "nothing") yield* spend(caller)
    if (said.payment.kind !== "nothing") return yield* Effect.fail(paymentTooEarly)
    if (said.call === null || subject === null) {
      return told(yield* open(said, caller, { state: "asked", subject: null, note: null }))
    }
    const named = yield* Effect.fromResult(subject)
    const start = free === null
      ? { state: "offered", note: null } as const
      : yield* answerOf(free, caller)
    // What is too large to be kept is told once.
    return told({ ...yield* open(said, caller, { ...start, subject: named }), note: start.note })
  })

  /** A message on an `asked` task, which may name its skill at last. */
  const named = Effect.fnUntraced(function* (
    task: Task,
    { call, kept }: Said,
    caller: Caller,
  ): Effect.fn.Return<Told, Fault> {
    if (call === null) return told(task)
    const subject = yield* Effect.fromResult(subjectOf(call))
    if (call.skill.kind === "paid") {
      return told(yield* moved(task, { event: "offer", subject, note: null, said: [kept] }))
    }
    const { state, note } = yield* answerOf(call.skill, caller)
    const event = state === "completed" ? "complete" : "fail"
    return told(yield* moved(task, { event, subject, note, said: [kept] }))
  })

  /** A message on a task there is. */
  const follow = Effect.fnUntraced(function* (
    said: Said,
    caller: Caller,
  ): Effect.fn.Return<Told, Fault> {
    const { payment, taskId, contextId, kept } = said
    if (payment.kind !== "submitted") yield* spend(caller)
    const task = yield* find(taskId).pipe(
      Effect.filterOrFail(
        (task) => contextId === null || contextId === task.contextId,
        () => invalid([{ field: "message.contextId", description: "is not that of the task" }]),
      ),
      Effect.catch((error) =>
        payment.kind === "submitted"
          ? Effect.andThen(spend(caller, "paid"), Effect.fail(unlooked(error)))
          : Effect.fail(error)
      ),
    )
    if (payment.kind === "submitted") {
      const client = clientKeys(caller.address).near
      return yield* pay(task, {
        ...{ payload: payment.payload, said: kept, client, spend: spend(caller, "paid") },
      })
    }
    if (payment.kind === "rejected" && task.state === "offered") {
      return told(yield* moved(task, { event: "decline", note: null, said: [kept] }))
    }
    switch (task.state) {
      case "asked":
        return payment.kind === "rejected"
          ? yield* Effect.fail(nothingOffered)
          : yield* named(task, said, caller)
      case "offered":
      case "paying":
        return yield* look(task)
      default:
        return yield* Effect.fail(invalid([{
          field: "message.taskId",
          description: `the task is ${sightOf(task, terms).state}: it takes no more messages`,
        }]))
    }
  })

  const send: Method = Effect.fnUntraced(function* (params, caller) {
    const read = readMessage(params)
    if (Result.isFailure(read)) {
      yield* spend(caller)
      return yield* Effect.fail(showsPayment(params) ? unlooked(read.failure) : read.failure)
    }
    const said = read.success
    const answered = (said.taskId === null ? first : follow)(said, caller)
    const { task, sight, delivery } = yield* said.payment.kind === "submitted"
      ? Effect.catchDefect(answered, undecided)
      : answered
    return { result: wireTask(task, sight, said.historyLength), delivery }
  })

  const get: Method = Effect.fnUntraced(function* (params, caller) {
    yield* spend(caller)
    const { id, historyLength } = objectOf(params)
    const length = readHistoryLength(historyLength)
    if (typeof id !== "string") return yield* Effect.fail(noId)
    if (Result.isFailure(length)) {
      const violation = { field: "historyLength", description: length.failure }
      return yield* Effect.fail(invalid([violation]))
    }
    const { task, sight, delivery } = yield* look(yield* find(id))
    return { result: wireTask(task, sight, length.success), delivery }
  })

  const cancel: Method = Effect.fnUntraced(function* (params, caller) {
    yield* spend(caller)
    const { id } = objectOf(params)
    if (typeof id !== "string") return yield* Effect.fail(noId)
    const held = yield* find(id)
    const task = held.state === "asked" || held.state === "offered"
      ? yield* moved(held, { event: "cancel", note: null, said: [] })
      : held
    const { sight } = yield* look(task)
    if (task === held || task.state !== "canceled") {
      return yield* Effect.fail(fault("taskNotCancelable", { state: sight.state }))
    }
    return { result: wireTask(task, sight, null), delivery: null }
  })

  const refusing = (error: Fault): Method => (_, caller) =>
    Effect.andThen(spend(caller), Effect.fail(error))
  const noStreaming = refusing(fault("unsupported", { capability: "streaming" }))
  const noPush = refusing(fault("pushNotSupported"))

  const methods: ReadonlyMap<string, Method> = new Map([
    ["message/send", send],
    ["message/stream", noStreaming],
    ["tasks/get", get],
    ["tasks/cancel", cancel],
    ["tasks/resubscribe", noStreaming],
    ["tasks/pushNotificationConfig/set", noPush],
    ["tasks/pushNotificationConfig/get", noPush],
    ["tasks/pushNotificationConfig/list", noPush],
    ["tasks/pushNotificationConfig/delete", noPush],
    ["agent/getAuthenticatedExtendedCard", refusing(fault("noExtendedCard"))],
  ])

  /** Answers one call. */
  const call = (method: string, params: unknown, caller: Caller) => {
    const found = methods.get(method)
    return params !== undefined && params !== null && !isObject(params)
      ? refusing(invalid([{ field: "params", description: "must be an object" }]))(params, caller)
      : (found ?? refusing(fault("method", { method: method.slice(0, shownIdMax) })))(
        params,
        caller,
      )
  }
  return { call, spend }
}

const utf8 = new TextDecoder()
