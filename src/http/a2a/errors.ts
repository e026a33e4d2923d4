/**
 * The errors of A2A 0.3.0: its codes and messages; `data` has the details of this call.
 *
 * @module
 */
import { Effect } from "effect"
import {
  internalError,
  internalErrorPaid,
  prepare,
  type PreparedRefusal,
  type Refusal,
  type Refused,
  RequestId,
} from "../server/errors.ts"
import { objectOf, rpcCodes, type RpcError, toRpcError } from "../server/jsonRpc.ts"

/** A JSON-RPC error without the id of its call. */
export type A2aError = Omit<RpcError, "id">

export const a2aErrors = {
  parse: { code: rpcCodes.parse, message: "Invalid JSON payload" },
  request: { code: rpcCodes.request, message: "Request payload validation error" },
  method: { code: rpcCodes.method, message: "Method not found" },
  params: { code: rpcCodes.params, message: "Invalid parameters" },
  internal: { code: rpcCodes.internal, message: "Internal error" },
  taskNotFound: { code: -32001, message: "Task not found" },
  taskNotCancelable: { code: -32002, message: "Task cannot be canceled" },
  pushNotSupported: { code: -32003, message: "Push Notification is not supported" },
  unsupported: { code: -32004, message: "This operation is not supported" },
  contentType: { code: -32005, message: "Incompatible content types" },
  noExtendedCard: { code: -32007, message: "Authenticated Extended Card is not configured" },
  version: { code: -32009, message: "Protocol version not supported" },
} as const
export type A2aErrorName = keyof typeof a2aErrors

/** A protocol error; its HTTP status is 200. */
export function a2aError(name: A2aErrorName, data?: unknown): A2aError {
  return { status: 200, ...a2aErrors[name], ...(data === undefined ? {} : { data }) }
}

/** One invalid field, and what is expected. */
export interface FieldViolation {
  readonly field: string
  readonly description: string
}

/** The error for invalid parameters. Nothing was charged. */
export function invalid(violations: ReadonlyArray<FieldViolation>): A2aError {
  return a2aError("params", { violations })
}

export const noId = invalid([{ field: "id", description: "must be the id of a task, as text" }])
export const paymentTooEarly = invalid([{
  field: "message.taskId",
  description:
    "must name the task to pay or to decline. Call the skill first, then reply on its task. The " +
    "payment was not read",
}])
export const notForSale = invalid([{
  field: "message.taskId",
  description: "the task has no paid skill",
}])
export const nothingOffered = invalid([{
  field: "message.metadata",
  description: "no payment was requested on this task. Name a skill first",
}])

/**
 * Fails with a documented error that has its own HTTP status: rate limits and temporary failures.
 */
export const failWithRefusal = (
  refusal: PreparedRefusal,
  fields: Refused["fields"] = [],
): Effect.Effect<never, A2aError> =>
  Effect.flatMap(RequestId, (requestId) => {
    const code = refusal.status === 500 ? rpcCodes.internal : rpcCodes.limited
    return Effect.fail(toRpcError(refusal, { code, id: null, requestId, fields }))
  })

/** The documented body of an error, as the data of a task. */
export function errorData(refusal: Refusal, requestId: string): Readonly<Record<string, unknown>> {
  return JSON.parse(prepare(refusal).body(requestId))
}

/** The error of a call whose payment was not checked. */
export function paymentUnchecked(error: A2aError): A2aError {
  const payment = "The payment was not read by this call"
  return { ...error, data: { ...objectOf(error.data), payment } }
}

/** Logs a defect and fails the call, which had no payment. */
export const failOnDefect = (defect: unknown) => logged(defect, internalError)
/** The same for a call with a payment, which may have been taken: returns `charged: null`. */
export const failOnDefectPaid = (defect: unknown) => logged(defect, internalErrorPaid)

const logged = (defect: unknown, refusal: PreparedRefusal) =>
  Effect.andThen(Effect.logError("Cannot answer a call to /a2a", defect), failWithRefusal(refusal))
