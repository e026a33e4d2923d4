/**
 * Why a model gave no usable answer, in words that never contain the key, the address or the body.
 *
 * @module
 */
import { Schema } from "effect"
import { APIConnectionTimeoutError, APIError } from "openai"
import { TooManyBytes } from "./transport.ts"

/** Every outcome of a request; `answered` is the only success. */
const callOutcomes = [
  "answered",
  /** The model declined. */
  "refused",
  /** It ran out of tokens. */
  "cut_off",
  "malformed",
  "too_large",
  "timed_out",
  "unreachable",
  "rate_limited",
  "server_error",
  /** The request is invalid: a wrong key, an unknown model. */
  "rejected",
  /** Nothing was sent: the circuit is open. */
  "not_asked",
] as const
export type CallOutcome = typeof callOutcomes[number]

export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  outcome: Schema.Literals(callOutcomes),
  reason: Schema.String,
  /** Whether the server may not know a part of the request: another form of it may help. */
  isFormRefused: Schema.Boolean,
}) {}

export const failed = (outcome: CallOutcome, reason: string, isFormRefused = false) =>
  new CallFailed({ outcome, reason, isFormRefused })

/** Drops the client's error message: it may repeat the server's words. */
export function failureOf(error: unknown): CallFailed {
  if (error instanceof TooManyBytes) return failed("too_large", "the answer was too long to read")
  if (error instanceof SyntaxError) return failed("malformed", "the answer was not JSON")
  if (error instanceof APIConnectionTimeoutError) return failed("timed_out", "no answer in time")
  if (!(error instanceof APIError) || typeof error.status !== "number") {
    return failed("unreachable", "no answer could be read")
  }
  return failureOfStatus(error.status, error.message)
}

/** What a status and the server's words mean. */
export function failureOfStatus(status: number, message: string): CallFailed {
  const reason = `status ${status}`
  if (status === 429) return failed("rate_limited", reason)
  const transient = status >= 500 || status === 408 || status === 409
  const isFormRefused = status === 400 || status === 422 ||
    ![401, 403, 404, 408].includes(status) && formWords.test(message)
  return failed(transient ? "server_error" : "rejected", reason, isFormRefused)
}

/** The server's words are read only to choose another form of the request. */
const formWords = /max_(?:completion_)?tokens|response_format|schema|json_object|grammar/i
