/**
 * Hand-written calls of /a2a, and their decoded replies.
 *
 * @module
 */
import { Effect } from "effect"
import type { makeService } from "./httpService.ts"

export type Json = Readonly<Record<string, unknown>>
export type Handle = Pick<Effect.Success<ReturnType<typeof makeService>>, "get">

/** The fields of a task on the wire that tests read. */
export interface TaskView {
  readonly id: string
  readonly contextId: string
  readonly state: string
  readonly text: string
  /** The data part after the text; null when there is none. */
  readonly data: Json | null
  /** The answer; null when there is none. */
  readonly answer: Json | null
  readonly metadata: Json
  readonly history: ReadonlyArray<Json>
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The body, as JSON. */
  readonly body: Json
  readonly id: unknown
  /** Null when there is none. */
  readonly code: number | null
  readonly message: unknown
  readonly data: Json
  readonly task: TaskView
}

export const objectIn = (value: unknown): Json => Object(value) as Json
const arrayIn = (value: unknown) => (Array.isArray(value) ? value : []) as ReadonlyArray<Json>

/** Reads a task of the wire. */
export function taskViewOf(task: unknown): TaskView {
  const { id, contextId, status, artifacts, history } = objectIn(task)
  const { state, message } = objectIn(status)
  const { parts, metadata } = objectIn(message)
  const [first, second] = arrayIn(parts)
  const answer = arrayIn(objectIn(arrayIn(artifacts)[0])["parts"])[0]
  return {
    ...{ id: String(id), contextId: String(contextId), state: String(state) },
    text: String(first?.["text"]),
    data: second === undefined ? null : objectIn(second["data"]),
    answer: answer === undefined ? null : objectIn(answer["data"]),
    metadata: objectIn(metadata),
    history: arrayIn(history),
  }
}

/** Decodes a response of /a2a. */
export const replyOf = (response: Response) =>
  Effect.promise(async (): Promise<Reply> => {
    const body: Json = JSON.parse(await response.text())
    const error = objectIn(body["error"])
    return {
      ...{ status: response.status, headers: response.headers, body, id: body["id"] },
      code: body["error"] === undefined ? null : Number(error["code"]),
      ...{
        message: error["message"],
        data: objectIn(error["data"]),
        task: taskViewOf(body["result"]),
      },
    }
  })

/** Posts a body as it is. */
export const posting = (
  { get }: Handle,
  body: BodyInit,
  headers: Readonly<Record<string, string>> = {},
) =>
  Effect.flatMap(
    get("/a2a", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    }),
    replyOf,
  )

export const rpc = (
  service: Handle,
  method: string,
  params?: unknown,
  headers?: Readonly<Record<string, string>>,
) => posting(service, JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }), headers)

/** The parameters of message/send, with changes to the message. */
export const message = (parts: unknown, more: Json = {}): Json => ({
  message: { kind: "message", role: "user", messageId: "message-1", parts, ...more },
})

export const dataPart = (skill: unknown, params?: unknown): Json => ({
  kind: "data",
  data: { skill, ...(params === undefined ? {} : { params }) },
})
export const textPart = (text: unknown): Json => ({ kind: "text", text })

/** Sends a message, on a task when `more` has its id. */
export const send = (
  service: Handle,
  parts: ReadonlyArray<Json>,
  more?: Json,
  headers?: Readonly<Record<string, string>>,
) => rpc(service, "message/send", message(parts, more), headers)

export const getTask = (service: Handle, id: string, historyLength?: unknown) =>
  rpc(service, "tasks/get", { id, ...(historyLength === undefined ? {} : { historyLength }) })

/** Submits a payment on a task. */
export const pay = (
  service: Handle,
  taskId: string,
  payload: unknown,
  headers?: Readonly<Record<string, string>>,
) =>
  send(service, [textPart("The payment is attached.")], {
    taskId,
    metadata: {
      "x402.payment.status": "payment-submitted",
      "x402.payment.payload": payload,
    },
  }, headers)
