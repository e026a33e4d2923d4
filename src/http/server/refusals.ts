/**
 * What the edge refuses with: written down once, sent many times.
 *
 * @module
 */
import { prepare, type PreparedRefusal } from "./errors.ts"
import { bodyBytesMax } from "./server.ts"

/** Longest path and query, in characters. */
export const targetLengthMax = 2_048
/** Longest payment header, in characters. */
export const paymentLengthMax = 8_192

/** One refusal for each number of seconds: a flood is answered from here. */
const rateLimits = new Map<number, PreparedRefusal>()
/** A window has fewer seconds than this, or its refusals are not kept. */
const rateLimitsMax = 3_600

export function rateLimited(retryAfterSeconds: number): PreparedRefusal {
  const kept = rateLimits.get(retryAfterSeconds)
  if (kept !== undefined) return kept
  const made = prepare({
    code: "rate_limited",
    message: `Too many requests from this address: wait ${retryAfterSeconds} s`,
    hint: "Poll /v1/index no faster than the feed moves, about every 10 minutes.",
    retryAfterSeconds,
  })
  if (rateLimits.size < rateLimitsMax) rateLimits.set(retryAfterSeconds, made)
  return made
}

export const notFound = prepare({
  code: "not_found",
  message: "There is nothing at this path",
  hint: "/openapi.json lists every path.",
})
export const invalidHost = prepare({
  code: "invalid_parameter",
  message: "Host must be the name of a host, with or without a port",
  details: [{
    param: "Host",
    in: "header",
    message: "must be the name of a host, with or without a port",
  }],
})
/** Refuses what is none of `allowed`. */
export const methodNotAllowed = (allowed: ReadonlyArray<string>): PreparedRefusal =>
  prepare({
    code: "method_not_allowed",
    message: `This path answers ${allowed.join(", ")} only`,
    allowed,
  })
export const bodyTooLarge = prepare({
  code: "payload_too_large",
  message: `A request body has at most ${bodyBytesMax} bytes`,
})
export const targetTooLong = prepare({
  code: "uri_too_long",
  message: `Path and query have at most ${targetLengthMax} characters`,
})
export const paymentTooLong = prepare({
  code: "headers_too_large",
  message: `A payment header has at most ${paymentLengthMax} characters`,
})
export const overloaded = prepare({
  code: "overloaded",
  message: "The service cannot answer at this moment",
})
/** The payment that was shown may be one sent again: it was not looked at, so nothing is said of it. */
export const overloadedPaid = prepare({
  code: "overloaded",
  message: "The service cannot answer at this moment",
  hint: "Wait, then send the same payment again: it was not looked at.",
  charged: null,
})
/** Refuses what was not even read: the same may be said of it, and as little. */
export const rateLimitedUnread = (retryAfterSeconds: number): PreparedRefusal =>
  prepare({
    code: "rate_limited",
    message: `Too many requests from this address: wait ${retryAfterSeconds} s`,
    hint: "Wait, then send the same again: it was not read, nor a payment in it looked at.",
    charged: null,
    retryAfterSeconds,
  })
export const internalError = prepare({
  code: "internal_error",
  message: "The service failed to answer; the failure was logged",
})
/** The payment that was shown may have been taken: nothing is said of its money. */
export const internalErrorPaid = prepare({
  code: "internal_error",
  message: "The service failed to answer; the failure was logged",
  hint: "Send the same message again: a payment is never taken twice.",
  charged: null,
})
/** Said to who has as many tasks of /a2a being paid for as one client may. */
export const tooManyTasks = prepare({
  code: "rate_limited",
  message: "This address has as many tasks with a payment under way as it may have",
  hint: "Call tasks/get on them: one that has ended makes room.",
  retryAfterSeconds: 10,
})
