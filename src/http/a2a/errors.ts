/**
 * The errors of A2A 0.3.0: its codes and messages; `data` has the details of this call.
 *
 * @module
 */
import type { Effect } from "effect"
import type { PreparedRefusal, Refused } from "../server/errors.ts"
import {
  failWithRefusal as failWithRpcRefusal,
  rpcCodes,
  type RpcError,
} from "../server/jsonRpc.ts"

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

/** A protocol error; its HTTP status is 200. */
export function a2aError(name: keyof typeof a2aErrors, data?: unknown): RpcError {
  return { status: 200, ...a2aErrors[name], ...(data === undefined ? {} : { data }) }
}

/** One invalid field, and what is expected. */
export interface FieldViolation {
  readonly field: string
  readonly description: string
}

/** The error for invalid parameters. Nothing was charged. */
export function invalid(violations: ReadonlyArray<FieldViolation>): RpcError {
  return a2aError("params", { violations })
}

/**
 * Fails with a documented error that has its own HTTP status: rate limits and temporary failures.
 */
export const failWithRefusal = (
  refusal: PreparedRefusal,
  fields: Refused["fields"] = [],
): Effect.Effect<never, RpcError> =>
  failWithRpcRefusal(
    refusal,
    refusal.status === 500 ? rpcCodes.internal : rpcCodes.limited,
    fields,
  )
