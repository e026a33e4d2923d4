/**
 * The errors of A2A 0.3.0: its codes and messages; `data` says what was wrong in this call.
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
  RequestId,
} from "../server/errors.ts"
import { objectOf, rpcCodes, type RpcError, toRpcError } from "../server/jsonRpc.ts"
import type { LimitRefusal } from "../server/limits.ts"

/** An error without the id of its call. */
export type Fault = Omit<RpcError, "id">

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
export type A2aError = keyof typeof a2aErrors

/** An error of the protocol: HTTP says 200. */
export function fault(name: A2aError, data?: unknown): Fault {
  return { status: 200, ...a2aErrors[name], ...(data === undefined ? {} : { data }) }
}

/** One thing that is wrong with a call: where, and what would be right. */
export interface Violation {
  readonly field: string
  readonly description: string
}

/** What is wrong with the parameters of a call. Nothing was charged. */
export function invalid(violations: ReadonlyArray<Violation>): Fault {
  return fault("params", { violations })
}

export const noId = invalid([{ field: "id", description: "must be the id of a task: text" }])
export const paymentTooEarly = invalid([{
  field: "message.taskId",
  description:
    "must name the task that the payment, or the refusal to pay, is for: call the skill " +
    "first, then reply on its task. The payment was not looked at",
}])
export const nothingOffered = invalid([{
  field: "message.metadata",
  description: "no payment was asked for: name a skill first",
}])

/** A documented error that has its own HTTP status: limits, and what cannot be answered now. */
export const refusedBy = (
  refusal: PreparedRefusal,
  fields: LimitRefusal["fields"] = [],
): Effect.Effect<never, Fault> =>
  Effect.flatMap(RequestId, (requestId) => {
    const code = refusal.status === 500 ? rpcCodes.internal : rpcCodes.limited
    return Effect.fail(toRpcError(refusal, { code, id: null, requestId, fields }))
  })

/** The documented body of an error, as a task's data has it. */
export function errorData(refusal: Refusal, requestId: string): Readonly<Record<string, unknown>> {
  return JSON.parse(prepare(refusal).body(requestId))
}

/** The error of a call whose payment was not checked. */
export function paymentUnchecked(error: Fault): Fault {
  const payment = "It was not looked at by this call"
  return { ...error, data: { ...objectOf(error.data), payment } }
}

/** The call failed with a defect, and had no payment. */
export const failing = (defect: unknown) => logged(defect, internalError)
/** The same with a payment, which this call or another may have taken: returns `charged: null`. */
export const failingPaid = (defect: unknown) => logged(defect, internalErrorPaid)

const logged = (defect: unknown, refusal: PreparedRefusal) =>
  Effect.andThen(Effect.logError("Cannot answer a call to /a2a", defect), refusedBy(refusal))
