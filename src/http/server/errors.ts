/**
 * Every error the service can answer with: its status, whether trying again may help, what it means,
 * its body; and those that need no more than the request's id, written down once.
 *
 * One table; the paywall, the routes and the edge all answer through it. A body never holds a stack,
 * SQL, a host name or a key: only what a `Refusal` says.
 *
 * @module
 */
import { Context, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { ParameterDetail, RefusalCode } from "../../catalog/domain/refusal.ts"
import {
  type NotCharged,
  Receipt,
  RefundNotice,
  type RefundQueued,
  type Unresolved,
} from "../../payments/domain/failedSale.ts"

/** Largest request body any route reads, in bytes. */
export const bodyBytesMax = 64 * 1_024
/** Longest path and query, in characters. */
export const targetLengthMax = 2_048
/** Longest payment header, in characters. */
export const paymentLengthMax = 8_192

interface Rule {
  readonly status: number
  /** Whether the same request, sent again later, may succeed. */
  readonly retryable: boolean
  /** Seconds to wait when the refusal itself names none. */
  readonly retryAfterSeconds?: number
  /** What it means to a caller, and what to do: a line for those who read before they call. */
  readonly meaning: string
}

const final = (status: number, meaning: string): Rule => ({ status, retryable: false, meaning })
const transient = (status: number, retryAfterSeconds: number, meaning: string): Rule => ({
  status,
  retryable: true,
  retryAfterSeconds,
  meaning,
})
const notUsed = "a payment that was shown was not used"

export const rules: Readonly<Record<RefusalCode, Rule>> = {
  invalid_parameter: final(
    400,
    `A parameter is wrong, as \`details\` says; ${notUsed}: send it again.`,
  ),
  payment_required: final(
    402,
    "The body is the challenge, not an error body; with a payment that is not taken, `error` says why.",
  ),
  not_found: final(404, "There is nothing at this path, or no digest yet."),
  signal_not_found: final(404, "There is no item with this index. Not charged."),
  market_not_found: final(404, "The venue has no such market. Not charged."),
  method_not_allowed: final(405, "`allowed` names the methods of this path."),
  payment_in_progress: {
    status: 409,
    retryable: true,
    meaning: "A call with this payment is being worked on: send it again.",
  },
  payment_already_used: final(
    409,
    "This payment bought its answer. With the Idempotency-Key of the first call it is given again.",
  ),
  payment_conflict: final(409, "This payment belongs to another request."),
  payment_refunded: final(
    410,
    "This payment was given back, or will be: `refund` says. Sign a new one.",
  ),
  payload_too_large: final(413, "The body is too long."),
  uri_too_long: final(414, "Path and query are too long."),
  unsupported_media_type: final(415, "What is posted has to be application/json."),
  below_threshold: final(
    422,
    "There is too little to say for the price. Not charged, or refunded.",
  ),
  rate_limited: transient(429, 60, "Too many requests from this address. Wait for Retry-After."),
  headers_too_large: final(431, "The payment header is too long."),
  internal_error: {
    status: 500,
    retryable: true,
    meaning: "The service failed. `charged` says whether a payment was taken.",
  },
  facilitator_error: transient(502, 5, "Payments cannot be checked now. Not charged."),
  venue_error: transient(
    502,
    30,
    "The venue did not answer. Not charged, or refunded: `charged` says which.",
  ),
  digest_stale: transient(
    503,
    60,
    "The newest digest is too old to be sold, or none exists yet. Not charged.",
  ),
  data_stale: transient(
    503,
    60,
    "The feed was not updated for too long, so it is not sold. Not charged.",
  ),
  payments_unavailable: transient(503, 10, "No payment can be taken now. Not charged."),
  settlement_unresolved: transient(
    503,
    5,
    "It is not known yet whether the payment was taken. Send the same payment again; do not sign " +
      "another.",
  ),
  overloaded: transient(503, 2, `The service is busy; ${notUsed}, or its error says null.`),
  upstream_timeout: transient(
    504,
    5,
    "The answer was not ready in time. Not charged, or refunded.",
  ),
}

/** The body of every error but a 402. */
export const ErrorBody = Schema.Struct({
  success: Schema.Literal(false),
  error: Schema.Struct({
    code: RefusalCode,
    message: Schema.String,
    status: Schema.Int,
    retryable: Schema.Boolean,
    charged: Schema.NullOr(Schema.Boolean),
    hint: Schema.optionalKey(Schema.String),
    retryAfterSeconds: Schema.optionalKey(Schema.Int),
    details: Schema.optionalKey(Schema.Array(ParameterDetail)),
    allowed: Schema.optionalKey(Schema.Array(Schema.String)),
    receipt: Schema.optionalKey(Receipt),
    refund: Schema.optionalKey(RefundNotice),
    requestId: Schema.String,
  }),
}).annotate({ identifier: "Error" })

/** An error before it is written down: everything but the request it answers. */
export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
  /** True, false, or null while a settlement is unresolved; false when left out. */
  readonly charged?: boolean | null
  readonly hint?: string
  readonly retryAfterSeconds?: number
  readonly details?: ReadonlyArray<ParameterDetail>
  /** The methods the path does know. */
  readonly allowed?: ReadonlyArray<string>
  readonly receipt?: NotCharged["receipt"]
  readonly refund?: NotCharged["refund"]
}

/** The id of the request being answered, as the edge chose it: letters, digits, `_` and `-`. */
export const RequestId = Context.Reference<string>("bellwether/http/RequestId", {
  defaultValue: () => "unknown-request",
})

/** An error written down once, for any request: only the request's id is missing. */
export interface PreparedRefusal {
  readonly status: number
  /** The headers an error has of its own, beside those every answer has. */
  readonly headers: ReadonlyArray<[name: string, value: string]>
  /** The documented body, as JSON text. */
  readonly body: (requestId: string) => string
}

export function prepare(refusal: Refusal): PreparedRefusal {
  const { code, message, charged = false, hint, details, allowed, receipt, refund } = refusal
  const { status, retryable, ...rule } = rules[code]
  const retryAfterSeconds = refusal.retryAfterSeconds ?? rule.retryAfterSeconds
  const error = { code, message, status, retryable, charged, hint, retryAfterSeconds }
  const open = JSON.stringify({
    success: false,
    error: { ...error, details, allowed, receipt, refund },
  }).slice(0, -"}}".length)
  const headers: Array<[string, string]> = [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
  ]
  if (retryAfterSeconds !== undefined) headers.push(["retry-after", String(retryAfterSeconds)])
  if (allowed !== undefined) headers.push(["allow", allowed.join(", ")])
  return { status, headers, body: (requestId) => `${open},"requestId":"${requestId}"}}` }
}

const afterRefund = ({ id }: RefundQueued["refund"]) =>
  `GET /v1/payments/${id} tells what becomes of the refund. ` +
  "To try again sign a new authorization: this one is spent."

/** What one of the three errors of a paid route says, as a refusal. */
export function toRefusal(error: NotCharged | RefundQueued | Unresolved): Refusal {
  switch (error._tag) {
    case "NotCharged": {
      const { code, message, hint, retryAfterSeconds, details, receipt, refund, taken } = error
      return {
        code,
        message,
        ...(hint === undefined ? {} : { hint }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        ...(details === undefined ? {} : { details }),
        ...(receipt === undefined ? {} : { receipt }),
        ...(refund === undefined ? {} : { refund, hint: afterRefund(refund) }),
        ...(taken === undefined ? {} : { charged: taken }),
      }
    }
    case "RefundQueued":
      return {
        code: error.code,
        message: error.message,
        refund: error.refund,
        hint: afterRefund(error.refund),
        charged: true,
      }
    case "Unresolved":
      return {
        code: "settlement_unresolved",
        message: error.message,
        hint:
          "Send the same payment again: it is never taken twice. Sent with the Idempotency-Key " +
          "or payment-identifier of the first call it fetches the answer; without one it is told " +
          "what became of it, and an answer that was charged is not given again.",
        retryAfterSeconds: error.retryAfterSeconds,
        charged: null,
      }
  }
}

/** Answers with an error in the documented shape. CORS and X-Request-Id are added by the edge. */
export function refusalResponse(
  refusal: Refusal | NotCharged | RefundQueued | Unresolved,
): Effect.Effect<HttpServerResponse.HttpServerResponse> {
  const { status, headers, body } = prepare("_tag" in refusal ? toRefusal(refusal) : refusal)
  return Effect.map(
    RequestId,
    (requestId) => HttpServerResponse.text(body(requestId), { status, headers }),
  )
}

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
export const rateLimitedBeforeReading = (retryAfterSeconds: number): PreparedRefusal =>
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
