/**
 * Why a model gave no usable answer, in words that hold nothing of the key, the address or the body.
 *
 * @module
 */
import { Schema } from "effect"
import { APIConnectionTimeoutError, APIError } from "openai"
import { TooManyBytes } from "./transport.ts"

/** Every way in which a request can end; `answered` is the only good one. */
const callOutcomes = [
  "answered",
  /** The model would not. */
  "refused",
  /** It ran out of tokens. */
  "cut_off",
  "malformed",
  "too_large",
  "timed_out",
  "unreachable",
  "rate_limited",
  "server_error",
  /** The request itself: a wrong key, an unknown model. */
  "rejected",
  /** Nothing was sent: too many questions went unanswered before. */
  "not_asked",
] as const
export type CallOutcome = typeof callOutcomes[number]

export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  outcome: Schema.Literals(callOutcomes),
  reason: Schema.String,
  /** How long the server asks to be left alone; null when it does not say. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
}) {}

export const failed = (outcome: CallOutcome, reason: string, retryAfterMs: number | null = null) =>
  new CallFailed({ outcome, reason, retryAfterMs })

/** What the client's error says. Its message may repeat the server's words, so it goes no further. */
export function failureOf(error: unknown): CallFailed {
  if (error instanceof TooManyBytes) return failed("too_large", "the answer was too long to read")
  if (error instanceof SyntaxError) return failed("malformed", "the answer was no JSON")
  if (error instanceof APIConnectionTimeoutError) return failed("timed_out", "no answer in time")
  if (!(error instanceof APIError) || typeof error.status !== "number") {
    return failed("unreachable", "no answer could be read")
  }
  const reason = `status ${error.status}`
  const after = retryAfterOf(error.headers)
  if (error.status === 429) return failed("rate_limited", reason, after)
  const passing = error.status >= 500 || error.status === 408 || error.status === 409
  return failed(passing ? "server_error" : "rejected", reason, after)
}

/** Whether the same request may do better in a moment. A slow one would only be slow again. */
export function isTransient({ outcome }: CallFailed): boolean {
  return outcome === "rate_limited" || outcome === "server_error" || outcome === "unreachable"
}

/** In whole seconds only: a date would be measured against the clock of a stranger. */
function retryAfterOf(headers: Headers | undefined): number | null {
  const after = headers?.get("retry-after") ?? ""
  return /^\d{1,6}$/.test(after) ? Number(after) * 1_000 : null
}
